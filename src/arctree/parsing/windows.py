"""Overlapping windows: an input longer than an encoder's reach is read in pieces, never cut.

Neighbouring windows share half of their width, and each position takes its vector from the
window in which it has the most context on its shorter side.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple


class Window(NamedTuple):
    """The positions [start, stop) are read; those of [first, last) are taken from here."""

    start: int
    stop: int
    first: int
    last: int


def overlapping_windows(length: int, reach: int) -> list[Window]:
    """Windows of at most ``reach`` positions over a length; every position is taken once.

    >>> overlapping_windows(10, 6)    # doctest: +NORMALIZE_WHITESPACE
    [Window(start=0, stop=6, first=0, last=4),
     Window(start=3, stop=9, first=4, last=6),
     Window(start=4, stop=10, first=6, last=10)]
    """
    if length <= reach:
        return [Window(0, length, 0, length)]
    stride = max(1, reach // 2)
    starts = [*range(0, length - reach, stride), length - reach]
    # The border between two windows lies in the middle of what they share.
    borders = [(start + reach + following) // 2 for start, following in pairwise(starts)]
    return [
        Window(start, start + reach, first, last)
        for start, first, last in zip(starts, [0, *borders], [*borders, length], strict=True)
    ]
