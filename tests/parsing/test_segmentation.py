from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arctree import conllu
from arctree.parsing.multiword import MultiwordTokens
from arctree.parsing.raw_text import in_paragraphs, raw_text
from arctree.parsing.segmentation import (
    CONTINUES,
    MULTIWORD,
    SENTENCE,
    TOKEN,
    Cutter,
    decode,
    encode,
)
from arctree.segments import Token

ANY_TEXT = st.text(st.one_of(st.characters(), st.sampled_from(" \n.aA\ud800\x00")), max_size=60)
ANY_LABEL = st.sampled_from([CONTINUES, TOKEN, MULTIWORD, TOKEN | SENTENCE, MULTIWORD | SENTENCE])


def test_labels_say_what_ends_with_a_character() -> None:
    text = "Don't go. Ha Noi!\n\nYes"
    sentences = [
        (Token(0, 5, ("Do", "n't")), Token(6, 8), Token(8, 9)),
        (Token(10, 16), Token(16, 17)),
        (Token(19, 22),),
    ]
    labels = encode(text, sentences)
    assert labels.tolist() == [
        *(0, 0, 0, 0, MULTIWORD, 0, 0, TOKEN, TOKEN | SENTENCE),
        *(0, 0, 0, 0, 0, 0, TOKEN, TOKEN | SENTENCE, 0, 0, 0, 0, TOKEN | SENTENCE),
    ]
    assert list(decode(text, labels, lambda token: ("Do", "n't"))) == sentences


@given(ANY_TEXT, st.data())
def test_any_labels_make_tokens_that_hold_all_but_white_space(
    text: str, data: st.DataObject
) -> None:
    labels = np.array(
        data.draw(st.lists(ANY_LABEL, min_size=len(text), max_size=len(text))), np.uint8
    )
    sentences = list(decode(text, labels))
    place = 0
    for tokens in sentences:
        assert tokens
        for token in tokens:
            assert not text[place : token.start].strip()
            surface = text[token.start : token.end]
            assert surface
            assert surface == surface.strip()
            assert "\n\n" not in surface
            place = token.end
    assert not text[place:].strip()
    again = encode(text, sentences)
    assert list(decode(text, again)) == sentences


@given(ANY_TEXT, st.data())
def test_labels_may_come_in_pieces(text: str, data: st.DataObject) -> None:
    places = np.array([n for n, c in enumerate(text) if not c.isspace()], np.int64)
    labels = np.array(
        data.draw(st.lists(ANY_LABEL, min_size=len(places), max_size=len(places))), np.uint8
    )
    labels[-1:] = TOKEN | SENTENCE
    scores = np.arange(len(places), dtype=np.float32)
    whole = list(Cutter(text, lambda token: ()).cut(places, labels, scores))
    border = data.draw(st.integers(0, len(places)))
    cutter = Cutter(text, lambda token: ())
    pieces = [
        sentence
        for part in (slice(None, border), slice(border, None))
        for sentence in cutter.cut(places[part], labels[part], scores[part])
    ]
    assert pieces == whole


@pytest.mark.parametrize("multiword", [False, True])
@pytest.mark.parametrize("step", [7, 40, 1000])
def test_a_sentence_without_end_is_cut_where_it_is_likeliest(step: int, multiword: bool) -> None:
    size, longest = 1000, 40
    text = "ab " * size
    places = np.flatnonzero(np.array(list(text)) != " ")
    labels = np.tile([CONTINUES, MULTIWORD if multiword else TOKEN], size).astype(np.uint8)
    labels[-1] |= SENTENCE
    scores = np.zeros(len(places), np.float32)
    scores[2 * 30 - 1 :: 2 * 30] = 1  # after every thirtieth word
    cutter = Cutter(text, lambda token: ("a", "b"), longest)
    found = []
    for start in range(0, len(places), step):
        piece = slice(start, start + step)
        found += list(cutter.cut(places[piece], labels[piece], scores[piece]))
    sizes = [sum(len(token.words) or 1 for token in tokens) for tokens in found]
    assert [token for tokens in found for token in tokens[:1]] != []
    assert sum(map(len, found)) == size
    assert max(sizes) <= longest
    if not multiword:
        assert sizes[:10] == [30] * 10


def test_whole_treebanks_survive_the_round_trip(whole_treebank: Path) -> None:
    sentences = conllu.read(str(whole_treebank), blind=True)
    text, gold = raw_text(in_paragraphs(sentences))
    known = MultiwordTokens.of(
        (text[token.start : token.end], token.words)
        for tokens in gold
        for token in tokens
        if token.words
    )
    found = tuple(decode(text, encode(text, gold), known.words_of))
    assert [[token[:2] for token in tokens] for tokens in found] == [
        [token[:2] for token in tokens] for tokens in gold
    ]
    pairs = [
        (was.words, now.words)
        for tokens, others in zip(gold, found, strict=True)
        for was, now in zip(tokens, others, strict=True)
        if was.words
    ]
    # A few tokens have two readings.
    assert sum(was == now for was, now in pairs) >= 0.99 * len(pairs)
