from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arctree.errors import DataError
from arctree.labels import (
    Label,
    LiftedLabel,
    base_label,
    escape,
    parse_label,
    print_label,
    split_mark,
    unescape,
    with_mark,
)
from strategies import labels, texts


@given(st.text())
def test_unescape_undoes_escape_on_any_text(text: str) -> None:
    assert unescape(escape(text)) == text


@given(texts)
def test_escaped_text_has_no_space_bracket_or_bare_marker(text: str) -> None:
    printed = escape(text)
    assert not re.search(r"[\s()]", printed)
    assert not any(character.isspace() for character in printed)
    assert not re.search(r"[↑↓]", re.sub(r"\\[↑↓]", "", printed))
    assert not printed.endswith("\\")


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("flight", "flight"),
        ("(", "-LRB-"),
        (":)", ":-RRB-"),
        ("-LRB-", "\\-LRB-"),
        ("-LRB(-", "\\-LRB-LRB--"),
        ("học sinh", "học\\_sinh"),
        ("10\u00a0000", "10\\u{a0}000"),
        ("\u3000", "\\u{3000}"),
        ("\\", "\\u{5c}"),
        ("a↑b", "a\\↑b"),
        ("_", "_"),
    ],
)
def test_the_escape_is_the_documented_one(text: str, printed: str) -> None:
    assert escape(text) == printed
    assert unescape(printed) == text


def test_all_white_space_is_escaped() -> None:
    spaces = [chr(point) for point in range(0x110000) if chr(point).isspace()]
    assert len(spaces) > 20
    assert all(escape(space).startswith("\\") for space in spaces)


@given(labels)
def test_parse_label_undoes_print_label(label: Label) -> None:
    assert parse_label(print_label(label)) == label


@given(st.lists(labels, min_size=2, max_size=2, unique=True))
def test_different_labels_print_differently(pair: list[Label]) -> None:
    assert print_label(pair[0]) != print_label(pair[1])


@pytest.mark.parametrize(
    ("label", "printed"),
    [
        ("nsubj", "nsubj"),
        (LiftedLabel("case", hint="conj"), "case↑conj"),
        (LiftedLabel("case", hint="conj", rank=2), "case↑conj↑2"),
        (LiftedLabel("case"), "case↑"),
        (LiftedLabel("case", lifted=False, on_path=True), "case↓"),
        (LiftedLabel("case", hint="conj", on_path=True), "case↑conj↓"),
        (LiftedLabel("a↑b", hint="c d"), "a\\↑b↑c\\_d"),
    ],
)
def test_the_grammar_is_the_documented_one(label: Label, printed: str) -> None:
    assert print_label(label) == printed
    assert parse_label(printed) == label


@pytest.mark.parametrize("printed", ["↑a", "a↑b↑1", "a↑b↑02", "a↑b↑2↑3", "a↓↓", "a↓b", "", "a↑b\\"])
def test_what_is_not_in_the_grammar_is_an_error(printed: str) -> None:
    with pytest.raises(DataError, match="printed form"):
        parse_label(printed)


@given(st.text())
def test_parsing_any_text_gives_a_label_or_our_error(text: str) -> None:
    try:
        label = parse_label(text)
    except DataError:
        return
    assert parse_label(print_label(label)) == label


def test_marks_that_contradict_each_other_are_refused() -> None:
    for arguments in (
        {"lifted": False},
        {"lifted": False, "on_path": True, "hint": "obj"},
        {"rank": 2},
        {"hint": "obj", "rank": 0},
        {"hint": ""},
    ):
        with pytest.raises(DataError):
            LiftedLabel("nsubj", **arguments)


@given(labels)
def test_a_label_is_its_plain_part_and_its_mark(label: Label) -> None:
    base, mark = split_mark(label)
    assert base == base_label(label)
    assert (mark == "") == isinstance(label, str)
    assert with_mark(base, mark) == label
