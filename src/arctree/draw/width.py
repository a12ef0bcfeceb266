"""How much room text takes, and which way it runs.

A picture stands or falls with its columns. In a terminal a character takes no cell
(combining marks, joiners), one, or two (East Asian wide characters, emoji); in an SVG
picture it takes a share of the font size that depends on the character. Both are worked
out from the Unicode database of the standard library.

Text comes from treebanks, and may hold anything. :func:`visible` makes it fit to be shown:
nothing in it can break a line, move the cursor, or turn the direction of what follows.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import ceil

ELLIPSIS = "…"

FIRST_STRONG_ISOLATE = "\u2068"
POP_DIRECTIONAL_ISOLATE = "\u2069"


def visible(text: str) -> str:
    """The text with a visible sign for every character that could spoil a picture.

    Control characters become their Unicode pictures (``␊`` for a line feed). What has none
    (lone surrogates, noncharacters, C1 controls, characters that override the direction)
    becomes the replacement character.
    """
    return text if _SPOILERS.search(text) is None else _SPOILERS.sub(_sign, text)


def isolated(text: str) -> str:
    """Visible text that keeps its place in a line although it may run right to left."""
    text = visible(text)
    if not any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in text):
        return text
    return FIRST_STRONG_ISOLATE + text + POP_DIRECTIONAL_ISOLATE


def is_right_to_left(words: Iterable[str]) -> bool:
    """Whether a sentence runs right to left: its first strong character decides."""
    for word in words:
        for character in word:
            direction = unicodedata.bidirectional(character)
            if direction == "L":
                return False
            if direction in ("R", "AL"):
                return True
    return False


@lru_cache(maxsize=65536)
def cells(text: str) -> int:
    """How many cells of a terminal visible text takes."""
    return len(text) if text.isascii() else sum(_advances(text))


def shorten(text: str, most: int) -> str:
    """Visible text cut to at most so many cells, with an ellipsis where it was cut."""
    if cells(text) <= most:
        return text
    room = most - cells(ELLIPSIS)
    for place, advance in enumerate(_advances(text)):
        room -= advance
        if room < 0:
            return text[:place].rstrip() + ELLIPSIS
    return text


def pad(text: str, size: int) -> str:
    """Visible text filled up with spaces to so many cells."""
    return text + " " * (size - cells(text))


@lru_cache(maxsize=65536)
def pixels(text: str, font_size: int) -> int:
    """About how many pixels visible text takes in a sans-serif font, rather more than less.

    The classes follow the widest of the common fonts, so that words never overlap whichever
    of them a viewer has.
    """
    ems = 0.0
    for character, advance in zip(text, _advances(text), strict=True):
        if advance:
            ems += _ems(character, advance)
    return ceil(ems * font_size)


def _advances(text: str) -> Iterator[int]:
    """For each character, how many cells it adds to those before it."""
    base = ""
    taken = 0  # cells of the base character and what has joined it
    is_joined = False
    for character in text:
        if character == _ZERO_WIDTH_JOINER:
            is_joined = taken == 2
            yield 0
            continue
        if character == _EMOJI_STYLE and taken == 1 and not base.isalpha():
            # A sign that is asked to look like an emoji becomes as wide as one.
            taken = 2
            yield 1
            continue
        width = _cells_alone(character)
        is_modifier = "\U0001f3fb" <= character <= "\U0001f3ff" and taken == 2
        is_part = is_modifier or (is_joined and not character.isalpha())
        is_joined = False
        if width == 0 or is_part:
            yield 0
            continue
        base, taken = character, width
        yield width


_ZERO_WIDTH_JOINER = "\u200d"
_EMOJI_STYLE = "\ufe0f"


@lru_cache(maxsize=65536)
def _cells_alone(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 1 if character in _VISIBLE_FORMAT_CHARACTERS else 0
    if "\u1160" <= character <= "\u11ff" or "\ud7b0" <= character <= "\ud7fb":
        return 0  # vowels and final consonants that join the Hangul letter before them
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


# Arabic and Syriac signs that enclose the numbers after them.
_VISIBLE_FORMAT_CHARACTERS = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2"


@lru_cache(maxsize=65536)
def _ems(character: str, advance: int) -> float:
    """The share of the font size that a character takes which adds cells to its text."""
    for characters, ems in _EMS:
        if character in characters:
            return ems
    category = unicodedata.category(character)
    if advance == 2:
        return 1.3 if category == "So" else 1.02
    if category in ("Lu", "Lt"):
        return 0.76
    if category == "Ll" or category[0] == "P":
        return 0.64
    return 0.72 if category[0] in "LMN" else 0.9


_EMS = (
    ("⁽⁾⁰¹²³⁴⁵⁶⁷⁸⁹ijlI|'.,:;! ·’‘ıíìï", 0.36),
    ('ftr()[]{}-/\\"°', 0.44),
    ("\u20020123456789_*^`acesvxyzk", 0.62),
    ("mM@W%—…سشصضƕωώῳ", 1.02),
    ("wOQGD&~", 0.86),
)

_RIGHT_TO_LEFT = ("R", "AL", "AN")

# Controls, the soft hyphen (which some terminals show and some do not), line and paragraph
# separators, the characters that embed, override or isolate a direction, surrogates, and
# noncharacters. The joiners and the left-to-right and right-to-left marks are innocent.
_SPOILERS = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef"
    + "".join(
        f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000)
    )
    + "]"
)


def _sign(match: re.Match[str]) -> str:
    character = match.group()
    if character < " ":
        return chr(0x2400 + ord(character))
    if character == "\x7f":
        return "␡"
    if character == "\xad":
        return "‐"
    return "␤" if character in "\u2028\u2029" else "\ufffd"
