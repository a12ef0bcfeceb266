"""Accuracy by groups of words: who their head is, how often they were seen, whether φ moved them.

Tree parsers differ in when they decide what. The mapped system attaches a word to its head when
both have been read. An in-order parser puts the words on the left of a head beside each other
before the head is read, and so does a linearisation, which opens the head's node before them. So
words that share the left side of a head with others are told apart from those that do not.

Systems differ, too, in what they make of words that training never showed them, and systems that
learn φ(D) have to get back what lifting took away: an arc of D that φ(D) does not have.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arctree.lifting import lift_heads
from arctree.sentence import Sentence
from arctree.study.judging import Json, Judged

# What a word is to its head, by gold.
SIDES = ("root", "left, alone", "left, with others", "right")
_ROOT, _ALONE, _AMONG_OTHERS, _RIGHT = range(len(SIDES))
# How often a word stands in the training files, with its capital letters, and the most of it.
TIMES = ("never", "1 to 5 times", "6 to 50", "more than 50")
_MOST = (0, 5, 50)
LIFTING = ("not lifted", "lifted")


@dataclass(frozen=True)
class Grouping:
    """Groups by name, and the number of the group that each word is in."""

    names: tuple[str, ...]
    group_of_word: NDArray[np.int64]

    @classmethod
    def of(cls, names: tuple[str, ...], numbers: Iterable[int]) -> Grouping:
        return cls(names, np.fromiter(numbers, np.int64))

    def rows(self, seeds: Sequence[Judged]) -> list[Json]:
        """UAS and LAS of the words in each group that has some, means over seeds."""
        return [
            {
                "group": name,
                "words": int(there.sum()),
                "uas": statistics.fmean(_share(judged.right_heads, there) for judged in seeds),
                "las": statistics.fmean(_share(judged.right_arcs, there) for judged in seeds),
            }
            for number, name in enumerate(self.names)
            if (there := self.group_of_word == number).any()
        ]


def groupings(train: Iterable[Sentence], gold: Sequence[Sentence]) -> dict[str, Grouping]:
    """All of them, by what they are called in a report; the same for every system."""
    return {
        "sides": by_side(gold),
        "frequencies": by_frequency(train, gold),
        "lifting": by_lifting(gold),
    }


def by_side(gold: Iterable[Sentence]) -> Grouping:
    """By the side of the head on which a word stands, and whether it is alone there."""
    return Grouping.of(SIDES, (side for heads in _heads(gold) for side in sides_of(heads)))


def by_frequency(train: Iterable[Sentence], gold: Iterable[Sentence]) -> Grouping:
    """By how often a word was to be seen in training."""
    seen = Counter(form for sentence in train for form in sentence.forms)
    times = (seen[form] for sentence in gold for form in sentence.forms)
    return Grouping.of(TIMES, (sum(many > most for most in _MOST) for many in times))


def by_lifting(gold: Iterable[Sentence]) -> Grouping:
    """By whether φ gives a word another head than D does."""
    pairs = (zip(heads, lift_heads(heads)[0], strict=True) for heads in _heads(gold))
    return Grouping.of(LIFTING, (int(was != now) for pair in pairs for was, now in pair))


def sides_of(heads: Sequence[int]) -> list[int]:
    """For each word the number of its side.

    >>> [SIDES[side] for side in sides_of([2, 0, 5, 5, 2])]
    ['left, alone', 'root', 'left, with others', 'left, with others', 'right']
    """
    on_the_left = Counter(head for word, head in enumerate(heads, start=1) if word < head)
    return [_side(word, head, on_the_left[head]) for word, head in enumerate(heads, start=1)]


def _heads(gold: Iterable[Sentence]) -> Iterator[tuple[int, ...]]:
    return (sentence.tree.heads for sentence in gold)


def _side(word: int, head: int, on_the_left: int) -> int:
    if head == 0:
        return _ROOT
    if head < word:
        return _RIGHT
    return _ALONE if on_the_left == 1 else _AMONG_OTHERS


def _share(right: NDArray[np.bool_], there: NDArray[np.bool_]) -> float:
    return float(right[there].mean())
