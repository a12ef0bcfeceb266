from __future__ import annotations

from random import Random

import numpy as np
import pytest

from arctree.parsing.segmentation import MULTIWORD, TOKEN, decode, encode
from arctree.segments import Token
from arctree.training import varying
from arctree.training.varying import Labelled, varied

TEXT = "Don't go to Rome. The dog barks! Why not"
SENTENCES = [
    (Token(0, 5, ("Do", "n't")), Token(6, 8), Token(9, 11), Token(12, 16), Token(16, 17)),
    (Token(18, 21), Token(22, 25), Token(26, 31), Token(31, 32)),
    (Token(33, 36), Token(37, 40)),
]
PARAGRAPH = Labelled(TEXT, encode(TEXT, SENTENCES))


def surfaces(paragraph: Labelled) -> list[list[str]]:
    text = paragraph.text
    return [
        [text[token.start : token.end] for token in tokens]
        for tokens in decode(text, paragraph.labels)
    ]


def test_letters_change_and_nothing_else() -> None:
    for change, expected in (
        (varying.in_capitals, TEXT.upper()),
        (varying.in_small_letters, TEXT.lower()),
    ):
        found = change(PARAGRAPH, Random(1))
        assert found.text == expected
        assert np.array_equal(found.labels, PARAGRAPH.labels)
    sharp = Labelled("Straße", np.array([0, 0, 0, 0, 0, TOKEN], np.uint8))
    assert varying.in_capitals(sharp, Random(1)).text == "STRAßE"


def test_letters_of_another_script_have_no_multiword_tokens() -> None:
    found = varying.in_foreign_letters(PARAGRAPH, Random(1))
    assert not set(found.text) & set("aDeRT")
    assert [character for character in found.text if not character.isalpha()] == [
        character for character in TEXT if not character.isalpha()
    ]
    assert found.labels[4] == TOKEN
    assert PARAGRAPH.labels[4] == MULTIWORD
    assert [len(tokens) for tokens in surfaces(found)] == [5, 4, 2]


def test_quotes_are_set_as_in_print() -> None:
    text = '"Don\'t," he said.'
    found = varying.in_print(Labelled(text, np.zeros(len(text), np.uint8)), Random(1))
    assert found.text == "“Don’t,” he said."


def test_lines_are_wrapped_and_spaces_doubled() -> None:
    long = Labelled(TEXT + " " + TEXT, np.concatenate((PARAGRAPH.labels, [0], PARAGRAPH.labels)))
    wrapped = varying.in_wrapped_lines(long, Random(1))
    assert "\n" in wrapped.text
    assert wrapped.text.replace("\n", " ") == long.text
    wide = varying.in_wide_spaces(PARAGRAPH, Random(1))
    assert wide.text == TEXT.replace(" ", "  ")
    assert surfaces(wide) == surfaces(PARAGRAPH)


def test_a_stop_goes_missing() -> None:
    found = [surfaces(varying.without_stop(PARAGRAPH, Random(seed))) for seed in range(50)]
    assert ["Don't", "go", "to", "Rome"] in [sentences[0] for sentences in found]
    assert all(len(sentences) == 3 for sentences in found)


def test_an_emoji_is_a_token_of_the_sentence_before_it() -> None:
    for seed in range(50):
        found = surfaces(varying.with_emoji(PARAGRAPH, Random(seed)))
        more = [token for tokens in found for token in tokens if token in varying._EMOJI]
        assert len(more) == 1
        kept = [[token for token in tokens if token not in varying._EMOJI] for tokens in found]
        assert kept == surfaces(PARAGRAPH)


def test_an_address_is_one_token() -> None:
    for seed in range(50):
        found = surfaces(varying.with_address(PARAGRAPH, Random(seed)))
        assert [len(tokens) for tokens in found] == [5, 4, 2]
        changed = {token for tokens in found for token in tokens} - set(TEXT.split())
        assert any(not token.isalpha() for token in changed)


@pytest.mark.parametrize("text", ["a", ".", "中。", "x y"])
def test_short_paragraphs_can_be_varied(text: str) -> None:
    labels = encode(text, [(Token(0, len(text)),)])
    for seed in range(100):
        found = varied(Labelled(text, labels), Random(seed))
        assert len(found.text) == len(found.labels)
        assert len(surfaces(found)) == 1
