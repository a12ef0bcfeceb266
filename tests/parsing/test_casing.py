from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arctree.parsing.casing import Casing, casing_of


@pytest.mark.parametrize(
    ("words", "casing"),
    [
        (["2016", "...", "語", ":-)"], Casing.UNCASED),
        (["dog", "a", "e-mail", "don't", "ß"], Casing.LOWER),
        (["I", "A", "B.", "4X", "Ж", "ǅ"], Casing.INITIAL),
        (["ǅungla", "ᾼδης", "London", "Élan", "Mr.", "(The"], Casing.TITLE),
        (["USA", "U.S.", "A4-B", "ΑΒ"], Casing.UPPER),
        (["iPhone", "McDonald", "McDONALD", "PhD"], Casing.MIXED),
    ],
)
def test_a_word_has_the_casing_of_its_letters(words: list[str], casing: Casing) -> None:
    assert {word: casing_of(word) for word in words} == dict.fromkeys(words, casing)


@given(st.text())
def test_every_text_has_a_casing_that_lowercasing_loses(text: str) -> None:
    kind = casing_of(text)
    assert kind is not Casing.NO_WORD
    lowered = "".join(map(one_lowered, text))
    assert casing_of(lowered) is (Casing.UNCASED if kind is Casing.UNCASED else Casing.LOWER)


def one_lowered(letter: str) -> str:
    # A letter without a lower case of its own stands for a few that Unicode has.
    lowered = letter.lower()
    return lowered if (len(lowered) == 1 and lowered.islower()) or not letter.istitle() else "x"
