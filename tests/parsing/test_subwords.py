"""Sub-words that are remembered are those that the tokenizer gives."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from arctree.parsing import subwords as module
from arctree.parsing.casing import casing_of
from arctree.parsing.subwords import Pieces, Subwords
from berts import INVISIBLE, LONG, PIECES

forms = st.one_of(
    st.sampled_from(["the", "The", "books", "abed", "?", "??", "[CLS]", "[UNK]", "\ud83d"]),
    st.sampled_from(INVISIBLE),
    st.text(max_size=8),
    st.text("abcdefghijklé", max_size=120),
)
sentences_drawn = st.lists(st.lists(forms, min_size=1, max_size=8), max_size=6)


@pytest.fixture(scope="module")
def path(bert: Path) -> str:
    return str(bert / "tokenizer.json")


@pytest.fixture
def subwords(path: str) -> Subwords:
    return fresh(path)


def fresh(path: str) -> Subwords:
    return Subwords(Tokenizer.from_file(path), 40, 0)


def by_the_tokenizer(path: str, words: Sequence[str]) -> Pieces:
    """Each word cut by itself, in a tokenizer of its own; unknown where there is nothing."""
    tokenizer = Tokenizer.from_file(path)
    ids: list[int] = []
    places: list[int] = []
    casing: list[int] = []
    for place, word in enumerate(words, start=1):
        seen = word.encode("utf-8", "replace").decode("utf-8")
        encoding = tokenizer.encode([seen], is_pretokenized=True, add_special_tokens=False)
        own = encoding.ids or [PIECES.index("[UNK]")]
        ids += own
        places += [place] * len(own)
        casing += [int(casing_of(word))] * len(own)
    return Pieces(np.array(ids), np.array(places), np.array(casing), len(words))


def assert_equal(one: Pieces, other: Pieces) -> None:
    assert one.ids.tolist() == other.ids.tolist()
    assert one.words.tolist() == other.words.tolist()
    assert one.casing.tolist() == other.casing.tolist()
    assert (one.size, one.cost) == (other.size, other.cost)


@settings(max_examples=60)
@given(sentences=sentences_drawn, before=sentences_drawn)
def test_remembering_changes_nothing(
    path: str, sentences: list[list[str]], before: list[list[str]]
) -> None:
    subwords = fresh(path)
    subwords.prepare(before)
    for _ in range(2):
        found = subwords.prepare(sentences)
        assert len(found) == len(sentences)
        for pieces, words in zip(found, sentences, strict=True):
            assert_equal(pieces, by_the_tokenizer(path, words))


@settings(max_examples=60)
@given(sentences=sentences_drawn)
def test_words_cut_alone_are_cut_as_in_their_sentence(
    path: str, sentences: list[list[str]]
) -> None:
    remembering, other = fresh(path), fresh(path)
    other._cuts_words_alone = False
    pairs = zip(remembering.prepare(sentences), other.prepare(sentences), strict=True)
    for one, another in pairs:
        assert_equal(one, another)


def test_every_word_is_cut_once(subwords: Subwords) -> None:
    subwords.prepare([["the", "books", "the"], ["books"]])
    assert set(subwords._remembered) == {"the", "books"}
    known = subwords._remembered
    subwords.prepare([["books", "the"]])
    assert subwords._remembered is known


@settings(max_examples=40)
@given(batches=st.lists(sentences_drawn, min_size=1, max_size=5), limit=st.integers(0, 6))
def test_at_the_limit_all_is_forgotten_and_nothing_changes(
    path: str, batches: list[list[list[str]]], limit: int
) -> None:
    subwords = fresh(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_REMEMBERED", limit)
        most = limit
        for sentences in batches:
            for pieces, words in zip(subwords.prepare(sentences), sentences, strict=True):
                assert_equal(pieces, by_the_tokenizer(path, words))
            most = max(most, len({word for words in sentences for word in words}))
            assert len(subwords._remembered) <= most


def test_threads_that_remember_and_forget_at_once_get_what_one_gets(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_REMEMBERED", 40)
    subwords = fresh(path)
    batches = [
        [[letter * (1 + (place + number) % 9) for letter in "abcdefghijkl"] for number in range(3)]
        for place in range(120)
    ]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(subwords.prepare, batches))
    for some, sentences in zip(found, batches, strict=True):
        for pieces, words in zip(some, sentences, strict=True):
            assert_equal(pieces, by_the_tokenizer(path, words))


def test_the_reach_leaves_room_for_the_special_tokens(path: str) -> None:
    assert fresh(path).reach == 36
    assert Subwords(Tokenizer.from_file(path), 0, 0).reach == 510
    assert Subwords(Tokenizer.from_file(path), 10_000, 0).reach == 510
    with pytest.raises(ValueError, match="too few for a word"):
        Subwords(Tokenizer.from_file(path), 4, 0)


def test_a_long_sentence_is_prepared_whole(subwords: Subwords) -> None:
    (pieces,) = subwords.prepare([LONG])
    assert pieces.size == len(LONG)
    assert pieces.words.tolist() == sorted(pieces.words.tolist())
    assert set(pieces.words.tolist()) == set(range(1, len(LONG) + 1))
