from __future__ import annotations

import re
import unicodedata
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arctree.errors import DataError
from arctree.parsing.characters import paragraphs
from arctree.passages import (
    Passage,
    blind_sentences,
    decoded,
    is_paragraph_break,
    lines_of,
    passages,
    with_open_end,
)
from arctree.segments import Token, token_ranges
from arctree.sentence import Sentence

SPACES = [
    " ",
    "  ",
    "\n",
    "\n\n",
    "\n \t\n",
    "\r\n",
    "\r\n\r\n",
    "\u2029",
    "\u3000",
    "\x85\n",
    "\f",
]
WORDS = ["a", "dog", "sees.", "Hé", "e\u0301", "語", "«no!»", "\u202e", "x" * 20, "\ud800"]
texts = st.lists(st.sampled_from(SPACES + WORDS + WORDS), max_size=60).map("".join)
sizes = st.integers(0, 40)


def cut(text: str, places: list[int]) -> list[str]:
    """The text in pieces."""
    inside = sorted(place % (len(text) + 1) for place in places)
    return [text[start:end] for start, end in pairwise([0, *inside, len(text)])]


@given(texts, st.lists(st.integers(0, 1000), max_size=6), sizes, sizes, st.booleans())
def test_passages_are_the_whole_text_and_depend_on_nothing_else(
    text: str, places: list[int], size: int, more: int, by_line: bool
) -> None:
    most = size + more + 2
    found = list(passages(cut(text, places), by_line=by_line, size=size, most=most))
    assert "".join(passage.text for passage in found) == text
    lengths = [len(passage.text) for passage in found]
    assert [passage.start for passage in found] == [0, *accumulate(lengths)][: len(found)]
    assert all(0 < length <= most for length in lengths)
    assert [passage.is_last for passage in found] == [False] * (len(found) - 1) + [True] * bool(
        text
    )
    assert found == list(passages([text], by_line=by_line, size=size, most=most))


@given(texts, sizes)
def test_where_paragraphs_are_short_only_their_ends_are_cut(text: str, size: int) -> None:
    inside = {place for start, end in paragraphs(text) for place in range(start + 1, end)}
    for passage in passages([text], size=size, most=10_000):
        assert passage.start not in inside
        assert passage.begins_paragraph


@given(st.lists(st.sampled_from(SPACES), max_size=4).map("".join))
def test_a_paragraph_break_is_what_the_segmenter_takes_for_one(space: str) -> None:
    assert is_paragraph_break(space) == (len(list(paragraphs(f"a{space}b"))) > 1)


def test_a_paragraph_without_end_is_cut_after_a_sentence() -> None:
    text = "He sleeps.\nShe (wakes!) Now\nthey go on and on and on "
    first, *_ = passages([text * 2], size=4, most=40)
    assert first.text == "He sleeps.\nShe (wakes!) "
    second, *_ = passages([text.replace(".", ",").replace("!", ",") * 2], size=4, most=40)
    assert second.text == "He sleeps,\nShe (wakes,) Now\n"
    assert [len(passage.text) for passage in passages(["x" * 95], size=4, most=40)] == [40, 40, 15]


def test_a_text_of_white_space_alone_takes_no_more_time_than_others() -> None:
    for space in (" ", "\n", "\r\n", " \n"):
        text = space * 300_000
        assert "".join(passage.text for passage in passages([text], size=1000, most=9000)) == text


@given(texts.map(lambda text: text.replace("\ud800", "")), st.lists(st.integers(0, 1000)))
def test_utf_8_is_decoded_wherever_it_is_cut(text: str, places: list[int]) -> None:
    content = ("\ufeff" + text).encode()
    chunks = [
        content[start:end]
        for start, end in pairwise(
            [0, *sorted(place % (len(content) + 1) for place in places), len(content)]
        )
    ]
    assert "".join(decoded(chunks, "file")) == text


@given(st.integers(0, 40), st.integers(1, 9))
def test_what_is_not_utf_8_is_told_by_its_line_and_place(place: int, size: int) -> None:
    good = ("ab\ncdé\n\nf語gh\n" * 4).encode()[:place]
    good = good.decode("utf-8", "ignore").encode()
    content = good + b"\xff tail"
    chunks = [content[start : start + size] for start in range(0, len(content), size)]
    with pytest.raises(DataError, match="is not UTF-8") as caught:
        list(decoded(chunks, "file"))
    assert caught.value.line == 1 + good.count(b"\n")
    column = len(good) - good.rfind(b"\n")
    assert caught.value.fault.startswith(f"byte {column} of the line, 0xff")


def test_a_file_that_ends_inside_a_character_is_told() -> None:
    with pytest.raises(DataError, match="byte 2 of the line, 0xc3"):
        list(decoded([b"\na", b"\xc3"], "file"))


def spaced(text: str) -> list[list[Token]]:
    """Words between white space; a sentence ends with a stop or a paragraph."""
    sentences: list[list[Token]] = [[]]
    for found in re.finditer(r"\S+", text):
        before = text[sentences[-1][-1].end : found.start()] if sentences[-1] else ""
        if is_paragraph_break(before) or (sentences[-1] and text[sentences[-1][-1].end - 1] == "."):
            sentences.append([])
        sentences[-1].append(Token(found.start(), found.end()))
    return sentences


def numbered(passage: Passage, heading: list[str]) -> list[Sentence]:
    numbers = iter(range(1, 1000))
    return list(
        blind_sentences(passage, spaced(passage.text), lambda: f"s{next(numbers)}", heading)
    )


@given(texts, st.integers(0, 10), st.booleans())
def test_the_sentences_of_a_passage_tell_all_of_it(
    text: str, start: int, begins_paragraph: bool
) -> None:
    found = numbered(Passage(text, start, begins_paragraph), ["# newdoc"])
    assert [sentence.id for sentence in found] == [f"s{n}" for n in range(1, len(found) + 1)]
    whole = " " * start + text
    words = [form for sentence in found for form in sentence.forms]
    places = [place for sentence in found for place in token_ranges(sentence)]
    assert len(words) == len(text.split())
    for word, place in zip(words, places, strict=True):
        assert place is not None
        original = whole[slice(*place)]
        assert word == unicodedata.normalize("NFC", original).replace("\ud800", "\ufffd")
    if found:
        expected = ["# newdoc", *["# newpar"] * begins_paragraph]
        assert list(found[0].comments[:-2]) == expected
    paragraphs_found = sum("# newpar" in sentence.comments for sentence in found)
    with_words = sum(bool(text[s:e].strip()) for s, e in paragraphs(text))
    assert paragraphs_found == max(0, with_words - (not begins_paragraph))


def test_only_the_end_of_the_text_says_nothing_of_what_follows() -> None:
    (last,) = numbered(Passage("the dog"), [])
    (inner,) = numbered(Passage("the dog", is_last=False), [])
    assert last.misc == ("TokenRange=0:3", "TokenRange=4:7")
    assert inner.misc[-1] == "SpaceAfter=No|TokenRange=4:7"


def test_the_end_may_be_a_multiword_token() -> None:
    tokens = [Token(0, 3), Token(3, 6, ("do", "n't"))]
    (sentence,) = blind_sentences(Passage("wedont", 5), [tokens], lambda: "1")
    assert sentence.misc == ("SpaceAfter=No|TokenRange=5:8", "_", "_")
    assert sentence.multiword_tokens[0][2][-1] == "TokenRange=8:11"
    assert with_open_end(sentence) == sentence


@given(texts)
def test_lines_stand_where_they_are_said_to(text: str) -> None:
    assert "\n".join(line for _, line in lines_of(text)) == text
    assert all(text[start : start + len(line)] == line for start, line in lines_of(text))
