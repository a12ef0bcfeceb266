"""Segmentation: sentences and tokens of a text, as one label for each of its characters.

The label of a character says what ends with it:

===============  ==========================================================================
CONTINUES        nothing: the token goes on, be it after white space
TOKEN            a token that is one word
MULTIWORD        a token that stands for several words
... + SENTENCE   and with the token, the sentence
===============  ==========================================================================

White space has no label of its own. A token begins with the first character that is not white
space after the one before it; so every such character is in exactly one token, whatever the
labels are. At a paragraph break, and at the end of the text, token and sentence end.

:func:`encode` makes labels of tokens and :func:`decode` tokens of labels; they are inverse to
each other but for the words of multiword tokens, which labels do not hold
(:mod:`arctree.parsing.multiword`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise, repeat
from typing import Any

import numpy as np

from arctree.parsing.characters import paragraphs
from arctree.segments import Token

CONTINUES, TOKEN, MULTIWORD = range(3)
SENTENCE = 4
_ENDS = TOKEN | MULTIWORD
# A sentence without an end is cut so that no more than so many words are in it.
LONGEST = 2000

Labels = np.ndarray[Any, np.dtype[np.uint8]]
Numbers = np.ndarray[Any, np.dtype[np.int64]]
Scores = np.ndarray[Any, np.dtype[np.float32]]


def encode(text: str, sentences: Iterable[Sequence[Token]]) -> Labels:
    """The labels of a text that consists of these sentences."""
    labels = np.zeros(len(text), np.uint8)
    for tokens in sentences:
        for token in tokens:
            labels[token.end - 1] = MULTIWORD if token.words else TOKEN
        if tokens:
            labels[tokens[-1].end - 1] |= SENTENCE
    return labels


def decode(
    text: str, labels: Labels, words_of: Callable[[str], tuple[str, ...]] = lambda token: ()
) -> Iterator[tuple[Token, ...]]:
    """The sentences that these labels make of a text; ``words_of`` is asked for the words."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    spaces = [point for point in np.unique(points).tolist() if chr(point).isspace()]
    is_space = np.isin(points, spaces)
    cutter = Cutter(text, words_of)
    for start, end in paragraphs(text):
        places = start + np.flatnonzero(~is_space[start:end])
        found = labels[places]
        found[-1:] = np.where(found[-1:] & _ENDS, found[-1:], TOKEN) | SENTENCE
        yield from cutter.cut(places, found, np.zeros(len(places), np.float32))


class Cutter:
    """Makes tokens and sentences of labels that come in pieces, in the order of the text.

    What a piece leaves open the next one ends. A sentence of more than ``longest`` words is
    cut after the token of its second half where it would most likely have ended, by the scores
    that come with the labels.
    """

    def __init__(
        self, text: str, words_of: Callable[[str], tuple[str, ...]], longest: int = LONGEST
    ) -> None:
        self._text = text
        self._words_of = words_of
        self._longest = longest
        self._start = -1
        self._tokens: list[Token] = []
        self._scores: list[float] = []

    def cut(self, places: Numbers, labels: Labels, scores: Scores) -> Iterator[tuple[Token, ...]]:
        """The sentences that end in these characters, none of which is white space."""
        ends = np.flatnonzero(labels & _ENDS)
        if not len(places):
            return
        starts = places[np.concatenate(([0], ends + 1)).clip(max=len(places) - 1)]
        if self._start >= 0:
            starts[0] = self._start
        rest = int(starts[-1]) if not len(ends) or ends[-1] + 1 < len(places) else -1
        self._start = rest
        tokens = list(
            map(
                Token._make,
                zip(starts[:-1].tolist(), (places[ends] + 1).tolist(), repeat(())),
            )
        )
        labels = labels[ends]
        for number in np.flatnonzero(labels & MULTIWORD).tolist():
            token = tokens[number]
            words = self._words_of(self._text[token.start : token.end])
            if len(words) > 1:
                tokens[number] = token._replace(words=words)
        borders = [0, *(np.flatnonzero(labels & SENTENCE) + 1).tolist()]
        for begin, end in pairwise(borders):
            sentence = tokens[begin:end]
            if self._tokens or end - begin > self._longest // _MOST_WORDS:
                self._tokens += sentence
                self._scores += scores[ends[begin:end]].tolist()
                yield from self._shortened()
                yield tuple(self._tokens)
                self._tokens, self._scores = [], []
            else:
                yield tuple(sentence)
        self._tokens += tokens[borders[-1] :]
        self._scores += scores[ends[borders[-1] :]].tolist()
        yield from self._shortened()

    def _shortened(self) -> Iterator[tuple[Token, ...]]:
        """Beginnings of the open sentence, until it is no longer than may be."""
        if len(self._tokens) * _MOST_WORDS <= self._longest:
            return
        sizes = np.cumsum([len(token.words) or 1 for token in self._tokens])
        begin, total = 0, int(sizes[-1])
        while total - (done := int(sizes[begin - 1]) if begin else 0) > self._longest:
            low, high = np.searchsorted(sizes, [done + self._longest // 2, done + self._longest])
            high = max(int(high), begin + 1)
            low = min(max(int(low), begin), high - 1)
            cut = low + int(np.argmax(self._scores[low:high])) + 1
            yield tuple(self._tokens[begin:cut])
            begin = cut
        if begin:
            self._tokens, self._scores = self._tokens[begin:], self._scores[begin:]


# A token is not thought to stand for more words than this where it is quicker not to count.
_MOST_WORDS = 4
