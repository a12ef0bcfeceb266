"""What a segmenter learns from: the paragraphs of treebanks, as text with labels.

Where ``# newpar`` or ``# newdoc`` tell the paragraphs, these are taken; where nothing does, or
where almost every sentence would be one, sentences are put together by chance, anew in each
epoch, so that ends of sentences are seen inside of paragraphs.

Half of the paragraphs are mixed: half of their sentences are exchanged for others that stood
in a like place, the first, the last or between, in theirs. So more ends and beginnings meet
than in the treebank.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from random import Random
from typing import NamedTuple

import numpy as np

from arctree import conllu
from arctree.errors import DataError
from arctree.parsing.multiword import MultiwordTokens
from arctree.parsing.raw_text import in_paragraphs, sentence_text, surface_tokens
from arctree.parsing.segmentation import Labels, encode
from arctree.sentence import Sentence
from arctree.training.varying import Labelled, varied

# Fewer sentences a paragraph than this are not taken for paragraphs.
_LEAST = 1.5
# Sentences that are put together by chance, at most, and characters of a paragraph.
_MOST_SENTENCES, _MOST_CHARACTERS = 12, 4000
# The share of paragraphs that are mixed, and of their sentences that are exchanged.
_MIXED, _EXCHANGED = 0.5, 0.5
# White space inside of less than this share of tokens is taken for an oversight.
_LEAST_SPACED = 1e-4


class Piece(NamedTuple):
    """A sentence with its labels, the white space after it, and where in a paragraph it stood."""

    text: str
    labels: Labels
    after: str
    place: int


class Source(NamedTuple):
    """A file to learn from: its paragraphs, or if it tells of none, one of all sentences."""

    paragraphs: Sequence[Sequence[Piece]]
    is_told: bool
    weight: float

    @property
    def texts(self) -> list[str]:
        return [piece.text for paragraph in self.paragraphs for piece in paragraph]


def read_sentences(path: str) -> list[Sentence]:
    """All sentences of a file, which need not have heads."""
    sentences = list(conllu.read(path, blind=True))
    if not sentences:
        raise DataError("no sentences", "name a file that holds some", file=path)
    return sentences


def source_of(sentences: Sequence[Sentence], weight: float = 1.0) -> Source:
    """The sentences of a file, to learn from."""
    told = in_paragraphs(sentences)
    is_told = len(told) > 1 and len(sentences) >= _LEAST * len(told)
    if not is_told:
        return Source([_pieces(sentences)], is_told, weight)
    return Source([_pieces(some) for long in told for some in _parts(long)], is_told, weight)


def epoch_paragraphs(
    sources: Sequence[Source], variation: float, seed: int, epoch: int
) -> list[Labelled]:
    """What an epoch sees, in its order; a share of it is varied."""
    random = Random(f"{seed} {epoch}")
    found: list[Labelled] = []
    for source in sources:
        by_place: tuple[list[Piece], ...] = ([], [], [])
        for paragraph in source.paragraphs:
            for piece in paragraph:
                by_place[piece.place].append(piece)
        paragraphs = source.paragraphs
        if not source.is_told:
            paragraphs = list(_by_chance(paragraphs[0], random))
        for paragraph in paragraphs:
            for _ in range(int(source.weight + random.random())):
                pieces = paragraph
                if len(paragraph) > 1 and random.random() < _MIXED:
                    pieces = [
                        random.choice(by_place[piece.place])
                        if random.random() < _EXCHANGED
                        else piece
                        for piece in paragraph
                    ]
                joined = _joined(pieces)
                is_varied = random.random() < variation
                found.append(varied(joined, random) if is_varied else joined)
    random.shuffle(found)
    return found


def multiword_tokens(sentences: Iterable[Sentence]) -> MultiwordTokens:
    """What the multiword tokens of these sentences stand for."""
    return MultiwordTokens.of(
        (form, words)
        for sentence in sentences
        for form, words, _ in surface_tokens(sentence)
        if words
    )


def has_inner_spaces(sentences: Iterable[Sentence]) -> bool:
    """Whether tokens have white space in them."""
    spaced = [
        any(map(str.isspace, form))
        for sentence in sentences
        for form, _, _ in surface_tokens(sentence)
    ]
    return sum(spaced) > _LEAST_SPACED * len(spaced)


_FIRST, _BETWEEN, _LAST = range(3)


def _pieces(sentences: Sequence[Sentence]) -> list[Piece]:
    found = []
    for number, sentence in enumerate(sentences, start=1):
        text, tokens, after = sentence_text(sentence)
        place = _LAST if number == len(sentences) else _FIRST if number == 1 else _BETWEEN
        found.append(Piece(text, encode(text, [tokens]), after, place))
    return found


def _joined(pieces: Sequence[Piece]) -> Labelled:
    texts: list[str] = []
    labels: list[Labels] = []
    for piece in pieces:
        texts += [piece.text, piece.after]
        labels += [piece.labels, np.zeros(len(piece.after), np.uint8)]
    return Labelled("".join(texts[:-1]), np.concatenate(labels[:-1]))


def _by_chance(pieces: Sequence[Piece], random: Random) -> Iterator[Sequence[Piece]]:
    start = 0
    while start < len(pieces):
        size = random.randint(1, _MOST_SENTENCES)
        yield pieces[start : start + size]
        start += size


def _parts(paragraph: Sequence[Sentence]) -> Iterator[Sequence[Sentence]]:
    """The paragraph, or if it is long several parts of it."""
    sizes = accumulate(len(sentence.text or "") or 6 * len(sentence) for sentence in paragraph)
    numbers = [size // _MOST_CHARACTERS for size in sizes]
    start = 0
    for place in range(1, len(paragraph) + 1):
        if place == len(paragraph) or numbers[place] != numbers[start]:
            yield paragraph[start:place]
            start = place
