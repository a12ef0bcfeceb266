from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arctree.draw.width import (
    cells,
    is_right_to_left,
    isolated,
    pad,
    pixels,
    shorten,
    visible,
)

any_text = st.text(st.characters(), max_size=12)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("flight", 6),
        ("", 0),
        ("東京", 4),
        ("ｶﾅ", 2),
        ("한국", 4),
        ("\u1112\u1161\u11ab", 2),  # 한 as three letters that join
        ("e\u0301", 1),
        ("κ\u0345", 1),
        ("नमस्ते", 4),
        ("की", 2),  # this vowel sign stands beside its letter, those above stand on theirs
        ("می\u200cخواهم", 7),
        ("😀", 2),
        ("👩\u200d👩\u200d👧", 2),
        ("👍\U0001f3fd", 2),
        ("❤", 1),
        ("❤\ufe0f", 2),
        ("1\ufe0f\u20e3", 2),
        ("🇳🇱", 2),
        ("\u06dd", 1),
    ],
)
def test_cells_of_a_terminal(text: str, expected: int) -> None:
    assert cells(text) == expected


@given(any_text)
def test_visible_text_holds_nothing_that_spoils_a_line(text: str) -> None:
    shown = visible(text)
    assert not {unicodedata.category(character) for character in shown} & {"Cc", "Cs", "Zl", "Zp"}
    assert not set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069") & set(shown)
    assert shown.encode("utf-8").decode("utf-8").splitlines() == ([shown] if shown else [])
    assert visible(shown) == shown


def test_controls_have_pictures() -> None:
    assert visible("a\x00b\nc\x7f\u2028\x85\ud800\u202e\xad") == "a␀b␊c␡␤���‐"


@given(any_text.map(visible), st.integers(1, 12))
def test_shortened_text_is_no_wider_than_asked(text: str, most: int) -> None:
    assert cells(shorten(text, most)) <= most
    assert cells(pad(shorten(text, most), most)) == most
    if cells(text) <= most:
        assert shorten(text, most) == text


def test_text_is_cut_between_characters_not_inside_them() -> None:
    assert shorten("東京都庁", 6) == "東京…"
    assert shorten("e\u0301e\u0301e\u0301", 2) == "e\u0301…"


def test_the_first_strong_character_decides_the_direction() -> None:
    assert is_right_to_left(["(", "5", "دولار", "dollar"])
    assert is_right_to_left(["שלום"])
    assert not is_right_to_left(["dollar", "دولار"])
    assert not is_right_to_left(["1", "."])


def test_only_text_that_may_turn_is_isolated() -> None:
    assert isolated("flight") == "flight"
    assert isolated("دولار") == "\u2068دولار\u2069"
    assert isolated("دولار\u2069") == "\u2068دولار�\u2069"


@given(any_text.map(visible), any_text.map(visible))
def test_pixels_add_up_and_scale(first: str, second: str) -> None:
    assert pixels(first, 16) >= 0
    assert pixels(first + " " + second, 16) <= pixels(first, 16) + pixels(second, 16) + 6 + 12
    assert pixels(first, 32) >= pixels(first, 16)


def test_wide_letters_take_more_pixels_than_narrow_ones() -> None:
    assert pixels("ill", 16) < pixels("ace", 16) < pixels("mmm", 16) <= pixels("日本語", 16)
