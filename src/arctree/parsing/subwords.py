"""Sub-words: the words of a sentence as a transformer's tokenizer cuts them.

A word for which the tokenizer has nothing at all (a control character, say) is read as the
unknown token. WordPiece cuts every word by itself, so each is cut once and remembered.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordPiece

from arctree.parsing.casing import casing_of

_LONGEST_WINDOW = 512
# Words that are remembered; beyond them all are forgotten, and remembered anew.
_REMEMBERED = 1 << 17

Numbers = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, slots=True)
class Pieces:
    """The sub-words of a sentence, and for each its word: the position, from 1 on, and casing."""

    ids: Numbers
    words: Numbers
    casing: Numbers
    size: int

    @property
    def cost(self) -> int:
        return len(self.ids) + 2


class Subwords:
    """A tokenizer, and the tokens that it puts around a sentence.

    ``reach`` is how many sub-words fit into one window of a transformer that takes inputs of
    ``longest`` tokens; 0 says that it sees any distance.
    """

    def __init__(self, tokenizer: Tokenizer, longest: int, padding: int) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self.tokenizer = tokenizer
        self.padding = padding
        self.opening, self.closing = _surroundings(tokenizer)
        if longest <= 0:
            longest = _LONGEST_WINDOW + 2
        special = len(self.opening) + len(self.closing)
        # Some transformers spend their first two positions on padding.
        self.reach = min(longest - 2, _LONGEST_WINDOW) - special
        if self.reach < 1:
            raise ValueError(f"it takes inputs of {longest} tokens, too few for a word")
        self.unknown = _piece_named(("[UNK]", "<unk>", "<|endoftext|>"), tokenizer, padding)
        self.mask = _piece_named(("<mask>", "[MASK]"), tokenizer, self.unknown)
        self._cuts_words_alone = isinstance(tokenizer.model, WordPiece)
        self._remembered: dict[str, tuple[list[int], int]] = {}

    @property
    def tells_case(self) -> bool:
        """Whether any letter is read otherwise in upper case."""
        upper, lower = (
            self.tokenizer.encode(list(letters), is_pretokenized=True, add_special_tokens=False).ids
            for letters in (string.ascii_uppercase, string.ascii_lowercase)
        )
        return bool(upper != lower)

    def prepare(self, sentences: Sequence[Sequence[str]]) -> list[Pieces]:
        """The sentences, given as their words, in sub-words."""
        if self._cuts_words_alone:
            return self._remembered_pieces(sentences)
        safe = [[_without_surrogates(word) for word in words] for words in sentences]
        encodings = self.tokenizer.encode_batch(
            safe, is_pretokenized=True, add_special_tokens=False
        )
        return [
            self._pieces(encoding, words)
            for encoding, words in zip(encodings, sentences, strict=True)
        ]

    def _pieces(self, encoding: Any, forms: Sequence[str]) -> Pieces:
        size = len(forms)
        ids = np.array(encoding.ids, dtype=np.int64)
        words = np.array(encoding.word_ids, dtype=np.int64) + 1
        missing = np.setdiff1d(np.arange(1, size + 1), words)
        if len(missing):
            places = np.searchsorted(words, missing)
            ids = np.insert(ids, places, self.unknown)
            words = np.insert(words, places, missing)
        casing = np.array([casing_of(form) for form in forms], dtype=np.int64)
        return Pieces(ids, words, casing[words - 1], size)

    def _remembered_pieces(self, sentences: Sequence[Sequence[str]]) -> list[Pieces]:
        known = self._remembered
        new = {word for words in sentences for word in words if word not in known}
        if len(known) + len(new) > _REMEMBERED:
            # A reader in another thread keeps the dictionary that it began with.
            known = self._remembered = {}
            new = {word for words in sentences for word in words}
        known.update(self._cut(new))
        found = []
        for words in sentences:
            cut = [known[word] for word in words]
            counts = [len(ids) for ids, _ in cut]
            found.append(
                Pieces(
                    np.array([number for ids, _ in cut for number in ids], dtype=np.int64),
                    np.repeat(np.arange(1, len(words) + 1), counts),
                    np.repeat(np.array([casing for _, casing in cut], dtype=np.int64), counts),
                    len(words),
                )
            )
        return found

    def _cut(self, words: Iterable[str]) -> dict[str, tuple[list[int], int]]:
        found = {}
        for form in words:
            # One at a time: a batch would be cut by threads of its own.
            ids = self.tokenizer.encode(
                [_without_surrogates(form)], is_pretokenized=True, add_special_tokens=False
            ).ids
            found[form] = (ids or [self.unknown], int(casing_of(form)))
        return found


def _surroundings(tokenizer: Tokenizer) -> tuple[list[int], list[int]]:
    """The special tokens that open and close an input."""
    encoding = tokenizer.encode("a", add_special_tokens=True)
    special = encoding.special_tokens_mask
    first = special.index(0)
    last = len(special) - special[::-1].index(0)
    return encoding.ids[:first], encoding.ids[last:]


def _piece_named(names: Iterable[str], tokenizer: Tokenizer, default: int) -> int:
    for name in names:
        number = tokenizer.token_to_id(name)
        if number is not None:
            return int(number)
    return default


def _without_surrogates(word: str) -> str:
    return word if word.isascii() else word.encode("utf-8", "replace").decode("utf-8")
