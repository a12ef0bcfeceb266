"""Casing: what lowercasing a word loses, as one of a few kinds."""

from __future__ import annotations

from enum import IntEnum


class Casing(IntEnum):
    """Upper and lower case in a word; ``NO_WORD`` stands where there is none."""

    NO_WORD = 0
    UNCASED = 1  # no letter that has a case: digits, punctuation, most scripts
    LOWER = 2
    INITIAL = 3  # one letter, and it is upper case
    TITLE = 4
    UPPER = 5
    MIXED = 6


def casing_of(word: str) -> Casing:
    """The casing of a word; only its letters that have a case count."""
    if word.islower():
        return Casing.LOWER
    # A few letters, such as ǅ, have a third case, in which they begin a word.
    is_upper = [not letter.islower() for letter in word if letter.islower() or letter.istitle()]
    if not is_upper:
        return Casing.UNCASED
    if all(is_upper):
        return Casing.UPPER if len(is_upper) > 1 else Casing.INITIAL
    if is_upper[0] and not any(is_upper[1:]):
        return Casing.TITLE
    return Casing.MIXED if any(is_upper) else Casing.LOWER
