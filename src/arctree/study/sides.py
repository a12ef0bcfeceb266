"""Accuracy by the side on which a word's head stands, and by whether the word stands alone there.

Tree parsers differ in when they decide what. The mapped system attaches a word to its head when
both have been read. An in-order parser puts the words on the left of a head beside each other
before the head is read, and so does a linearisation, which opens the head's node before them. So
words that share the left side of a head with others are told apart from those that do not.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arctree.sentence import Sentence
from arctree.study.judging import Judged

Json = dict[str, Any]
# What a word is to its head, by gold.
SIDES = ("root", "left, alone", "left, with others", "right")
_ROOT, _ALONE, _AMONG_OTHERS, _RIGHT = range(len(SIDES))


def by_side(gold: Sequence[Sentence], seeds: Sequence[Judged]) -> list[Json]:
    """UAS and LAS of the words on each side of their heads, means over seeds."""
    sides = np.array([side for sentence in gold for side in sides_of(sentence.tree.heads)])
    return [
        {
            "side": name,
            "words": int(there.sum()),
            "uas": statistics.fmean(_share(judged.right_heads, there) for judged in seeds),
            "las": statistics.fmean(_share(judged.right_arcs, there) for judged in seeds),
        }
        for side, name in enumerate(SIDES)
        if (there := sides == side).any()
    ]


def sides_of(heads: Sequence[int]) -> list[int]:
    """For each word the number of its side.

    >>> [SIDES[side] for side in sides_of([2, 0, 5, 5, 2])]
    ['left, alone', 'root', 'left, with others', 'left, with others', 'right']
    """
    on_the_left = Counter(head for word, head in enumerate(heads, start=1) if word < head)
    return [_side(word, head, on_the_left[head]) for word, head in enumerate(heads, start=1)]


def _side(word: int, head: int, on_the_left: int) -> int:
    if head == 0:
        return _ROOT
    if head < word:
        return _RIGHT
    return _ALONE if on_the_left == 1 else _AMONG_OTHERS


def _share(right: NDArray[np.bool_], there: NDArray[np.bool_]) -> float:
    return float(right[there].mean())
