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
    letters = [letter for letter in word if letter.isupper() or letter.islower()]
    if not letters:
        return Casing.UNCASED
    if len(letters) == 1:
        return Casing.INITIAL
    if all(letter.isupper() for letter in letters):
        return Casing.UPPER
    if letters[0].isupper() and all(letter.islower() for letter in letters[1:]):
        return Casing.TITLE
    return Casing.MIXED
