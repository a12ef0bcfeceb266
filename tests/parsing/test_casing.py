from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arctree.parsing.casing import Casing, casing_of


@pytest.mark.parametrize(
    ("words", "casing"),
    [
        (["2016", "...", "語", ":-)", "₂"], Casing.UNCASED),
        (["dog", "a", "e-mail", "don't", "ß"], Casing.LOWER),
        (["I", "A", "B.", "4X", "Ж"], Casing.INITIAL),
        (["London", "Élan", "Mr.", "(The"], Casing.TITLE),
        (["USA", "U.S.", "A4-B", "ΑΒ"], Casing.UPPER),
        (["iPhone", "McDonald", "McDONALD", "PhD"], Casing.MIXED),
    ],
)
def test_a_word_has_the_casing_of_its_letters(words: list[str], casing: Casing) -> None:
    assert {word: casing_of(word) for word in words} == dict.fromkeys(words, casing)


@given(st.text(st.characters(codec="ascii")))
def test_every_text_has_a_casing_that_lowercasing_loses(text: str) -> None:
    assert casing_of(text) is not Casing.NO_WORD
    expected = Casing.LOWER if any(map(str.isalpha, text)) else Casing.UNCASED
    assert casing_of(text.lower()) is expected
