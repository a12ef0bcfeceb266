from __future__ import annotations

from pathlib import Path

import pytest

from arctree import conllu
from arctree.parsing.raw_text import in_paragraphs, raw_text, sentence_text
from arctree.parsing.segmentation import encode
from arctree.segments import Token
from arctree.sentence import Sentence


def sentence(rows: list[tuple[str, str, str]], *comments: str) -> Sentence:
    lines = ["\t".join([place, form, *"_" * 7, misc]) for place, form, misc in rows]
    return next(conllu.read_text("\n".join([*comments, *lines]) + "\n\n"))


DONT = sentence(
    [
        ("1-2", "Don't", "_"),
        ("1", "Do", "_"),
        ("2", "n't", "_"),
        ("3", "go", "SpaceAfter=No"),
        ("4", "!", "_"),
    ],
    "# newdoc",
    "# text = Don't   go!",
)
GO = sentence([("1", "Go", "SpacesAfter=\\n\\s"), ("2", "on", "SpaceAfter=No")], "# newpar id = 2")
PLAIN = sentence([("1", "Yes", "_")])


def test_the_text_comment_is_the_truth() -> None:
    text, tokens, after = sentence_text(DONT)
    assert text == "Don't   go!"
    assert tokens == [Token(0, 5, ("Do", "n't")), Token(8, 10), Token(10, 11)]
    assert after == " "


def test_a_text_comment_that_does_not_fit_is_not() -> None:
    other = Sentence(("# text = something else",), DONT.columns, None, DONT.other_lines)
    assert sentence_text(other)[0] == "Don't go!"


def test_spaces_are_what_misc_says() -> None:
    assert sentence_text(GO) == ("Go\n on", [Token(0, 2), Token(4, 6)], "")


def test_paragraphs_are_separated_by_a_blank_line() -> None:
    paragraphs = in_paragraphs([DONT, PLAIN, GO, PLAIN])
    assert [len(paragraph) for paragraph in paragraphs] == [2, 2]
    text, sentences = raw_text(paragraphs)
    assert text == "Don't   go! Yes\n\nGo\n onYes"
    assert [text[tokens[0].start : tokens[-1].end] for tokens in sentences] == [
        "Don't   go!",
        "Yes",
        "Go\n on",
        "Yes",
    ]


@pytest.mark.parametrize("told", ["# newdoc", "#newpar", "# newpar id = x", "# newdoc_id = 3"])
def test_a_paragraph_begins_where_a_comment_says_so(told: str) -> None:
    other = Sentence((told,), PLAIN.columns, None)
    assert len(in_paragraphs([PLAIN, other])) == 2


def test_whole_treebanks_are_all_tokens_and_white_space(whole_treebank: Path) -> None:
    sentences = list(conllu.read(str(whole_treebank), blind=True))
    text, found = raw_text(in_paragraphs(sentences))
    assert len(found) == len(sentences)
    place = 0
    for tokens in found:
        for token in tokens:
            assert not text[place : token.start].strip()
            place = token.end
    assert place == len(text)
    assert encode(text, found).astype(bool).sum() == sum(map(len, found))
