"""Word vectors in Stanza's own form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch

from arctree.study.stanza.spelling import Floats
from arctree.training.vectors import Vectors, read_vectors


class Reader(Protocol):
    """What makes a vector of a word's letters, be it known or not."""

    width: int

    def vectors(self, words: Sequence[str]) -> Floats:
        """A row for each word."""


class SideBySide:
    """Several readers, whose vectors stand beside each other."""

    def __init__(self, readers: Sequence[Reader]) -> None:
        self._readers = readers
        self.width = sum(reader.width for reader in readers)

    def vectors(self, words: Sequence[str]) -> Floats:
        """A row for each word."""
        return np.concatenate([reader.vectors(words) for reader in self._readers], axis=1)


def write_pretrain(
    paths: tuple[str, ...],
    limit: int,
    target: Path,
    words: Iterable[str] = (),
    reader: Reader | None = None,
) -> None:
    """The vectors of these files, side by side, as a pretrain file of Stanza's.

    It has the words of the files and the further ``words``; where a file does not have a word, it
    is looked for without its capital letters, and gets zeros if it is not there either. With
    a ``reader`` its vectors of the words' letters come last. Stanza puts four entries of its own
    before the words: padding, unknown, empty and root. Where no word has a capital letter, words
    are looked up without theirs, unless their letters count.
    """
    from stanza.models.common.pretrain import Pretrain, PretrainedWordVocab
    from stanza.models.common.vocab import VOCAB_PREFIX

    files = [read_vectors(path, limit) for path in paths]
    every = [*(word for names, _ in files for word in names), *words]
    entries = [entry for entry in dict.fromkeys(map(_entry, every)) if entry not in VOCAB_PREFIX]
    columns = [_column(file, entries) for file in files]
    if reader is not None:
        columns.append(reader.vectors([_word(entry) for entry in entries]))
    matrix = np.concatenate(columns or [np.zeros((len(entries), 1), np.float32)], axis=1)
    own = np.zeros((len(VOCAB_PREFIX), matrix.shape[1]), np.float32)
    lower = reader is None and all(entry == entry.lower() for entry in entries)
    pretrain = Pretrain(str(target))
    pretrain._vocab = PretrainedWordVocab(entries, lower=lower)
    pretrain._emb = torch.from_numpy(np.concatenate([own, matrix]))
    pretrain.save(str(target))


@contextmanager
def knowing(model: Any, words: Iterable[str], reader: Reader) -> Iterator[None]:
    """Stanza's network has vectors for these words, too, as ``write_pretrain`` would give them."""
    vocabulary, embedding = model.emb_vocab, model.embedding
    known = vocabulary._unit2id
    new = [entry for entry in dict.fromkeys(map(_entry, words)) if entry not in known]
    weight = embedding.weight.detach()
    lower = torch.tensor([vocabulary.unit2id(entry.lower()) for entry in new], dtype=torch.long)
    rows = weight[lower.to(weight.device)].clone()
    letters = reader.vectors([_word(entry) for entry in new])
    rows[:, -reader.width :] = torch.from_numpy(letters).to(rows)
    together = torch.cat([weight, rows])
    added = {entry: len(weight) + number for number, entry in enumerate(new)}
    vocabulary._unit2id = {**known, **added}
    size, width = together.shape
    model.embedding = torch.nn.Embedding(size, width, _weight=together, _freeze=True)
    try:
        yield
    finally:
        vocabulary._unit2id, model.embedding = known, embedding


def _column(file: Vectors, entries: Sequence[str]) -> Floats:
    """The vectors of the entries in one file."""
    names, matrix = file
    place: dict[str, int] = {}
    for number, name in enumerate(names):
        place.setdefault(_entry(name), number)
    found = [place.get(entry, place.get(entry.lower(), len(names))) for entry in entries]
    nothing = np.zeros((1, matrix.shape[1]), np.float32)
    rows: Floats = np.concatenate([matrix, nothing])[found]
    return rows


def _entry(word: str) -> str:
    """A word as Stanza looks it up."""
    return word.replace(" ", "\xa0")


def _word(entry: str) -> str:
    return entry.replace("\xa0", " ")
