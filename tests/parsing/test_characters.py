from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arctree.parsing.characters import (
    FIRST_WORD,
    LINE_BREAK,
    PARAGRAPH,
    SEVERAL_SPACES,
    UNKNOWN_WORD,
    Alphabet,
    lowered,
    paragraphs,
)

ANY_TEXT = st.text(st.one_of(st.characters(), st.sampled_from(" \n\r\t.'aA\ud800\x00\u2028ΣİאV中")))
ALPHABET = Alphabet("abcdeTh. ", ("the", "dog", "."))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\nb", ["a\nb"]),
        ("a\r\nb", ["a\r\nb"]),
        ("a\n\nb", ["a", "b"]),
        ("a\r\n\r\nb", ["a", "b"]),
        ("a \n \t\n\n b", ["a ", "b"]),
        ("a\n\n", ["a", ""]),
        ("a\u2028\u2029b", ["a", "b"]),
    ],
)
def test_a_paragraph_ends_with_two_line_breaks(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in paragraphs(text)] == expected


@given(ANY_TEXT)
def test_what_lies_between_paragraphs_is_white_space(text: str) -> None:
    kept = "".join(text[start:end] for start, end in paragraphs(text))
    assert "".join(kept.split()) == "".join(text.split())


@given(ANY_TEXT)
def test_every_character_but_white_space_has_one_place_and_one_unit(text: str) -> None:
    reading = ALPHABET.read(text, 3, begin=10)
    places = reading.places[reading.places >= 0].tolist()
    assert places == [10 + n for n, character in enumerate(text) if not character.isspace()]
    covered = [
        number
        for first, last in zip(reading.first.tolist(), reading.last.tolist(), strict=True)
        for number in range(first, last + 1)
    ]
    expected = np.flatnonzero((reading.places >= 0) | (reading.symbols == PARAGRAPH))
    assert covered == expected.tolist()


@given(ANY_TEXT)
def test_paragraph_breaks_are_where_paragraphs_end(text: str) -> None:
    reading = ALPHABET.read(text, 1)
    breaks = np.cumsum(reading.symbols == PARAGRAPH)[reading.places >= 0]
    found = len(set(breaks.tolist()))
    assert found == sum(bool(text[start:end].strip()) for start, end in paragraphs(text))


def test_white_space_is_one_symbol() -> None:
    reading = ALPHABET.read("a  b\nc \r\n d e", 1)
    inside = reading.symbols[1:-1].tolist()
    space = ALPHABET.read("a b", 1).symbols[2]
    letters = [ALPHABET.read(letter, 1).symbols[1] for letter in "abcde"]
    assert inside == [
        *(letters[0], SEVERAL_SPACES, letters[1], LINE_BREAK, letters[2]),
        *(LINE_BREAK, letters[3], space, letters[4]),
    ]


def test_white_space_at_the_ends_is_not_read() -> None:
    bare, spaced = ALPHABET.read("ab c", 2, begin=3), ALPHABET.read(" \n ab c\n", 2)
    for was, now in zip(bare, spaced, strict=True):
        assert np.array_equal(was, now)


def test_words_are_known_in_any_case() -> None:
    reading = ALPHABET.read("The dog, THE DOG.", 1)
    numbers = reading.words[1:-1].tolist()
    the, dog, stop = range(FIRST_WORD, FIRST_WORD + 3)
    assert numbers == [the, dog, UNKNOWN_WORD, the, dog, stop]


def test_units_are_runs_of_letters_of_digits_and_of_one_sign() -> None:
    text = "It's 12th...!! 中文"
    reading = ALPHABET.read(text, 1)
    units = [
        text[reading.places[first] : reading.places[last] + 1]
        for first, last in zip(reading.first[1:-1], reading.last[1:-1], strict=True)
    ]
    assert units == ["It", "'", "s", "12", "th", "...", "!!", "中", "文"]


def test_a_character_that_is_not_known_stands_for_its_category() -> None:
    known, other, emoji = (ALPHABET.read(text, 1).symbols[1] for text in "az😀")
    assert other == ALPHABET.read("y", 1).symbols[1]
    assert len({known, other, emoji}) == 3
    assert ALPHABET.categories()[known] == other


def test_an_alphabet_is_made_of_what_occurs_often() -> None:
    alphabet = Alphabet.of(["The dog. The\ncat\u0301!"] * 2, least=4, least_words=4)
    assert alphabet.words == ("the",)
    assert set(alphabet.characters) == {" ", "T", "h", "e", "t"} - {"t"}


@given(ANY_TEXT)
def test_lowering_keeps_the_length(text: str) -> None:
    assert len(lowered(text)) == len(text)
    assert "".join(map(lowered, text)) == lowered(text)
