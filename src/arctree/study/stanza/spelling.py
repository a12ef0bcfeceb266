"""Vectors of words by their letters, for a network that reads none.

Stanza's dependency parser reads words letter by letter; its constituency parser does so only with
a language model of letters, which would have to be fetched. What it takes is a vector for each
word. Here that is made of the word's letters: the n-grams of one to five letters in it, its ends
marked, weighted by how rare they are among the words of the training data, and the matrix of
those words and n-grams brought to its first singular directions. A word that was never seen has
n-grams that were, and so has a vector, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_LONGEST = 5
# N-grams of fewer words than this say nothing of other words.
_FEWEST = 2
# How much the numbers vary: about as much as those of common word vectors.
SPREAD = 0.4


class Spelling:
    """N-grams with their weights, and the directions in which words are looked at."""

    def __init__(self, grams: Sequence[str], weights: Floats, directions: Floats) -> None:
        self.width = directions.shape[1]
        self._grams = {gram: number for number, gram in enumerate(grams)}
        self._weights = weights
        self._directions = directions

    @classmethod
    def learn(cls, words: Sequence[str], width: int) -> Spelling:
        """Of these words, each of them once, in whatever order."""
        words = sorted(set(words))
        counts = Counter(gram for word in words for gram in _grams(word))
        grams = sorted(gram for gram, count in counts.items() if count >= _FEWEST)
        often = np.array([counts[gram] for gram in grams], np.float32)
        weights = np.log((1 + len(words)) / often)
        directions = np.zeros((len(grams), width), np.float32)
        spelling = cls(grams, weights, directions)
        if grams:
            matrix = spelling._matrix(words)
            found = _directions(matrix, min(width, *matrix.shape))
            directions[:, : found.shape[1]] = found
            directions *= SPREAD / max(float(spelling.vectors(words).std()), 1e-6)
        return spelling

    def vectors(self, words: Sequence[str]) -> Floats:
        """A row for each word; zeros for one that shares no n-gram with those learnt from."""
        if not self._grams or not words:
            return np.zeros((len(words), self.width), np.float32)
        rows: Floats = (self._matrix(words) @ torch.from_numpy(self._directions)).numpy()
        return rows

    def save(self, path: Path) -> None:
        text = np.frombuffer("\n".join(self._grams).encode(), np.uint8)
        new = path.with_suffix(".new.npz")
        np.savez(new, grams=text, weights=self._weights, directions=self._directions)
        new.replace(path)

    @classmethod
    def load(cls, path: Path) -> Spelling:
        with np.load(path, allow_pickle=False) as parts:
            text = parts["grams"].tobytes().decode()
            return cls(text.split("\n") if text else [], parts["weights"], parts["directions"])

    def _matrix(self, words: Sequence[str]) -> Any:
        """Words by n-grams, weighted, each row of length one; sparse."""
        known = [
            [self._grams[gram] for gram in _grams(word) if gram in self._grams] for word in words
        ]
        sizes = np.array([len(numbers) for numbers in known])
        columns = np.array([number for numbers in known for number in numbers], np.int64)
        rows = np.repeat(np.arange(len(words)), sizes)
        values = self._weights[columns]
        lengths = np.sqrt(np.bincount(rows, values * values, minlength=len(words)))
        values /= np.maximum(lengths, 1e-6)[rows].astype(np.float32)
        return torch.sparse_coo_tensor(
            torch.from_numpy(np.stack([rows, columns])),
            torch.from_numpy(values),
            (len(words), len(self._grams)),
            check_invariants=True,
        ).coalesce()


def _grams(word: str) -> list[str]:
    """The different n-grams of a word between its ends, in order."""
    text = f"\t{word}\t".replace("\n", " ")
    starts = ((start, size) for size in range(1, _LONGEST + 1) for start in range(len(text)))
    found = (text[start : start + size] for start, size in starts if start + size <= len(text))
    return list(dict.fromkeys(found))


def _directions(matrix: Any, rank: int) -> Floats:
    """The first right singular vectors, as columns; by a random projection with a fixed seed."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(1)
        _, _, right = torch.svd_lowrank(matrix, min(rank + 32, *matrix.shape), niter=4)
    found: Floats = right[:, :rank].numpy()
    return found
