"""What a segmenter reads: a text as symbols, one a character, and as units, runs of them.

A *symbol* is a character that the segmenter knows, or the general category of one that it does
not (Unicode, table 4-4). A run of white space is one symbol: that of its character if it is a
single one, and otherwise one for line breaks or one for several spaces.

A *unit* is a longest run of letters, or of digits, or of one and the same other character; of
scripts that are written without spaces each character is a unit of its own. White space is in
none. Units are what a sentence splitter looks at: words, numbers and punctuation, roughly.

A *paragraph break* is white space with two line breaks in it. Nothing is read across it: it is
padded to so many symbols (and units) that a network of finite reach sees one paragraph only.
So what is found in a paragraph does not depend on what stands before or after it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from arctree.parsing.vocabulary import Vocabulary

Numbers = np.ndarray[Any, np.dtype[np.int64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]

# The general categories, then the characters, follow these in the list of symbols.
PARAGRAPH, LINE_BREAK, SEVERAL_SPACES = range(3)
RESERVED = ("paragraph", "line break", "several spaces")
# fmt: off
CATEGORIES = (
    "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe",
    "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn",
)
# fmt: on
FIRST_CHARACTER = len(RESERVED) + len(CATEGORIES)
# Of the units' words: a paragraph break, and a word that is not known.
NO_WORD, UNKNOWN_WORD = range(2)
FIRST_WORD = 2

_LINE_BREAKS = "\n\r\v\f\x85\u2028\u2029"
_PARAGRAPH_BREAK = re.compile(
    rf"(?>\r\n|[{_LINE_BREAKS}])[^\S{_LINE_BREAKS}]*+[{_LINE_BREAKS}]\s*+"
)


class Reading(NamedTuple):
    """A piece of text in arrays.

    ``places`` says for each symbol where its character stands, -1 for white space; ``first``
    and ``last`` for each unit the numbers of its symbols; ``words`` is the number of its word.
    """

    symbols: Numbers
    places: Numbers
    first: Numbers
    last: Numbers
    words: Numbers


def paragraphs(text: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """Where the paragraphs of a text begin and end; some may hold nothing but white space."""
    for found in _PARAGRAPH_BREAK.finditer(text, start):
        yield start, found.start()
        start = found.end()
    yield start, len(text)


def lowered(text: str) -> str:
    """The text in lower case, character by character, so that it keeps its length."""
    found = text.lower()
    if len(found) == len(text) and "\u03c2" not in found:  # sigma is lowered by its context
        return found
    return "".join(
        small if len(small := character.lower()) == 1 else character for character in text
    )


class Alphabet:
    """The characters and the words that a segmenter knows; it turns text into numbers.

    What it has found out about a character it keeps, in tables that fill as texts come by.
    """

    def __init__(self, characters: Sequence[str], words: Sequence[str]) -> None:
        self.characters = tuple(characters)
        self.words = tuple(words)
        self._numbers = {
            character: number for number, character in enumerate(characters, FIRST_CHARACTER)
        }
        # Kind and symbol of each character, 0 where not yet known; and its lower case.
        self._facts = np.zeros(_CODE_POINTS, np.int32)
        self._lowered = np.zeros(_CODE_POINTS, np.uint32)
        hashes = np.array([_hash_of(word) for word in words], np.uint64)
        self._word_order = np.argsort(hashes, kind="stable").astype(np.int64)
        self._word_hashes = hashes[self._word_order]

    @classmethod
    def of(cls, texts: Iterable[str], *, least: int = 3, least_words: int = 2) -> Alphabet:
        """The characters and words that occur at least so often in these texts."""
        bare = cls((), ())
        characters: list[str] = []
        words: list[str] = []
        for text in texts:
            characters += [character for character in text if character not in _LINE_BREAKS]
            reading = bare.read(text, 1)
            words += [
                lowered(text[start : end + 1])
                for start, end in zip(
                    reading.places[reading.first].tolist(),
                    reading.places[reading.last].tolist(),
                    strict=True,
                )
                if start >= 0
            ]
        return cls(
            Vocabulary.of(characters, least=least).values,
            Vocabulary.of(words, least=least_words).values,
        )

    @property
    def symbol_count(self) -> int:
        return FIRST_CHARACTER + len(self.characters)

    @property
    def word_count(self) -> int:
        return FIRST_WORD + len(self.words)

    def categories(self) -> list[int]:
        """For each symbol that of its general category, or itself if it has none."""
        return [
            *range(FIRST_CHARACTER),
            *(_category_symbol(character) for character in self.characters),
        ]

    def read(self, text: str, padding: int, begin: int = 0) -> Reading:
        """A piece of text, in which every paragraph break is so many symbols, as are its ends.

        ``begin`` is where the piece begins in the whole text; places are counted from there.
        White space at its ends is not read: it is no different from none.
        """
        inner = text.lstrip()
        begin += len(text) - len(inner)
        text = inner.rstrip()
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
        facts = self._facts_of(points)
        kinds = facts & _KIND
        symbols = (facts >> _KIND_BITS).astype(np.int64)
        space = kinds <= _BREAK
        follows = np.zeros(len(points), np.bool_)
        follows[1:] = space[1:] & space[:-1]
        if follows.any():
            symbols = _white_space_runs(points, kinds, symbols, follows)
        kept = np.flatnonzero(~follows)
        ends = self._unit_ends(points, kinds)
        hashes = self._hashes(points)
        return self._padded(symbols, kept, space, ends, hashes, padding, begin)

    def _facts_of(self, points: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        facts = self._facts[points]
        if not facts.all():
            for point in np.unique(points[facts == 0]).tolist():
                self._learn(point)
            facts = self._facts[points]
        return np.asarray(facts)

    def _learn(self, point: int) -> None:
        character = chr(point)
        symbol, kind = self._numbers.get(character), _kind(character)
        if kind == _BREAK:
            symbol = LINE_BREAK
        elif symbol is None:
            symbol = _category_symbol(character)
        self._lowered[point] = ord(lowered(character))
        # Last, for another thread may look.
        self._facts[point] = symbol << _KIND_BITS | kind

    def _unit_ends(
        self, points: np.ndarray[Any, Any], kinds: np.ndarray[Any, Any]
    ) -> np.ndarray[Any, Any]:
        """Whether each character is the last of its unit; white space is in none."""
        ends = np.ones(len(points), np.bool_)
        same = kinds[1:] == kinds[:-1]
        grows = (kinds[1:] <= _DIGIT) | (points[1:] == points[:-1])
        ends[:-1] = ~(same & grows & (kinds[1:] != _ALONE))
        ends &= kinds > _BREAK
        return ends

    def _hashes(self, points: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Sums over the text up to and without each character, of which words are differences."""
        powers, _ = _powers(len(points))
        sums = np.zeros(len(points) + 1, np.uint64)
        np.cumsum(self._lowered[points].astype(np.uint64) * powers, out=sums[1:])
        return sums

    def _padded(
        self,
        symbols: Numbers,
        kept: Numbers,
        space: Flags,
        ends: Flags,
        sums: np.ndarray[Any, Any],
        padding: int,
        begin: int,
    ) -> Reading:
        lasts = np.flatnonzero(ends)
        # A unit starts after the one before it, and after white space.
        starts = np.flatnonzero(~space & np.concatenate(([True], (ends | space)[:-1]))[: len(ends)])
        words = self._word_numbers(sums, starts, lasts)
        counts = np.ones(len(kept) + 2, np.int64)
        counts[0] = counts[-1] = padding
        counts[1:-1][symbols[kept] == PARAGRAPH] = padding
        padded = np.repeat(np.concatenate(([PARAGRAPH], symbols[kept], [PARAGRAPH])), counts)
        stands = np.where(space[kept], -1, kept + begin)
        places = np.repeat(np.concatenate(([-1], stands, [-1])), counts)
        is_break = padded == PARAGRAPH
        # Where each character of the text has come to stand.
        position = np.zeros(len(symbols), np.int64)
        position[kept] = np.cumsum(counts)[:-2]
        breaks = np.flatnonzero(is_break)
        first = np.concatenate((position[starts], breaks))
        order = np.argsort(first, kind="stable")
        last = np.concatenate((position[lasts], breaks))[order]
        numbers = np.concatenate((words, np.full(len(breaks), NO_WORD, np.int64)))[order]
        return Reading(padded, places, first[order], last, numbers)

    def _word_numbers(
        self, sums: np.ndarray[Any, Any], starts: Numbers, lasts: Numbers
    ) -> np.ndarray[Any, Any]:
        if not len(self.words):
            return np.full(len(starts), UNKNOWN_WORD, np.int64)
        _, inverses = _powers(len(sums))
        hashes = (sums[lasts + 1] - sums[starts]) * inverses[starts]
        found = np.searchsorted(self._word_hashes, hashes)
        found[found == len(self.words)] = 0
        known = self._word_hashes[found] == hashes
        return np.where(known, self._word_order[found] + FIRST_WORD, UNKNOWN_WORD)


def _white_space_runs(
    points: np.ndarray[Any, Any], kinds: np.ndarray[Any, Any], symbols: Numbers, follows: Flags
) -> Numbers:
    """The symbols, in which the first of several white spaces tells what they are together."""
    broken = kinds == _BREAK
    # Carriage return and line feed are one line break.
    broken[1:] &= ~((points[1:] == 10) & (points[:-1] == 13))
    sums = np.concatenate(([0], np.cumsum(broken)))
    continued = np.flatnonzero(follows)
    starts = continued[~follows[continued - 1]] - 1
    stops = continued[~np.concatenate((follows[1:], [False]))[continued]] + 1
    count = sums[stops] - sums[starts]
    symbols[starts] = np.where(
        count >= 2, PARAGRAPH, np.where(count == 1, LINE_BREAK, SEVERAL_SPACES)
    )
    return symbols


_CODE_POINTS = 0x110000
_KIND_BITS = 3
_KIND = (1 << _KIND_BITS) - 1
# White space, line breaks; what runs are made of; what makes none; what repeats itself.
_SPACE, _BREAK, _LETTER, _DIGIT, _ALONE, _OTHER = range(1, 7)
# Han, kana, Bopomofo and Yi; Thai, Lao, Tibetan, Burmese, Khmer.
_WITHOUT_SPACES = (
    *((0x0E00, 0x0FFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x312F)),
    *((0x31A0, 0x4DBF), (0x4E00, 0xA4CF), (0xF900, 0xFAFF), (0xFF66, 0xFF9F), (0x1B000, 0x3FFFF)),
)


def _kind(character: str) -> int:
    if character.isspace():
        return _BREAK if character in _LINE_BREAKS else _SPACE
    group = unicodedata.category(character)[0]
    if group in "LM":
        point = ord(character)
        return _ALONE if any(low <= point <= high for low, high in _WITHOUT_SPACES) else _LETTER
    return _DIGIT if group == "N" else _OTHER


def _category_symbol(character: str) -> int:
    return len(RESERVED) + CATEGORIES.index(unicodedata.category(character))


# A word is hashed as the polynomial of its characters, modulo 2**64; so that of any stretch of
# text follows from two sums. The base is odd and has therefore an inverse.
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)


def _hash_of(word: str) -> int:
    value = 0
    for character in reversed(word):
        value = (value * _BASE + ord(character)) & 0xFFFFFFFFFFFFFFFF
    return value


_POWERS: list[np.ndarray[Any, Any]] = [np.ones(1, np.uint64), np.ones(1, np.uint64)]


def _powers(size: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The first powers of the base and of its inverse."""
    powers, inverses = _POWERS
    if len(powers) < size or len(inverses) < size:
        more = 1 << size.bit_length()
        powers, inverses = (
            np.cumprod(np.array([1] + [factor] * (more - 1), np.uint64), dtype=np.uint64)
            for factor in (_BASE, _INVERSE)
        )
        _POWERS[:] = powers, inverses
    return powers[:size], inverses[:size]
