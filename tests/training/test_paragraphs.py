from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arctree.errors import DataError
from arctree.parsing.segmentation import SENTENCE
from arctree.sentence import Sentence
from arctree.training.paragraphs import (
    epoch_paragraphs,
    has_inner_spaces,
    multiword_tokens,
    read_sentences,
    source_of,
)
from toy_language import toy_treebank
from toy_text import toy_text


def sentence_counts(sentences: list[Sentence], epoch: int = 0, weight: float = 1.0) -> list[int]:
    found = epoch_paragraphs([source_of(sentences, weight)], 0.0, 1, epoch)
    return [int(((paragraph.labels & SENTENCE) > 0).sum()) for paragraph in found]


def test_paragraphs_are_those_of_the_file() -> None:
    assert sentence_counts(toy_text(40, 1)) == [4] * 10


def test_where_nothing_tells_sentences_are_put_together_by_chance() -> None:
    sentences = toy_treebank(100, 1)
    first, second = sentence_counts(sentences), sentence_counts(sentences, 1)
    assert sum(first) == sum(second) == 100
    assert len(set(first)) > 3
    assert first != second
    assert first == sentence_counts(sentences)


def test_where_every_sentence_is_a_paragraph_they_are_put_together_too() -> None:
    alone = [Sentence(("# newdoc",), s.columns, None) for s in toy_treebank(100, 1)]
    assert len(sentence_counts(alone)) < 50


def test_a_long_paragraph_is_seen_in_parts() -> None:
    sentences = [*toy_text(4, 1), *toy_text(3, 2)[:1], *toy_treebank(400, 1)]
    counts = sentence_counts(sentences)
    assert sum(counts) == len(sentences)
    assert 3 < len(counts) < 12


def test_a_weight_is_how_often_a_paragraph_is_seen() -> None:
    sentences = toy_text(400, 1)
    assert len(sentence_counts(sentences, weight=3.0)) == 300
    assert 100 < len(sentence_counts(sentences, weight=1.5)) < 200


def test_some_sentences_are_exchanged_for_others_of_the_like_place() -> None:
    source = source_of(toy_text(400, 1))
    found = epoch_paragraphs([source], 0.0, 1, 0)
    whole = {"".join(p.text + p.after for p in some).strip() for some in source.paragraphs}
    assert 30 < sum(paragraph.text not in whole for paragraph in found) < 70
    last = {some[-1].text for some in source.paragraphs}
    assert all(any(paragraph.text.endswith(text) for text in last) for paragraph in found)


def test_a_share_is_varied_and_the_same_in_each_run() -> None:
    sources = [source_of(toy_text(400, 1))]
    plain = "".join(paragraph.text for paragraph in epoch_paragraphs(sources, 0.0, 1, 0))
    first, again = (epoch_paragraphs(sources, 0.5, 1, 0) for _ in range(2))
    assert "\n" not in plain
    assert 3 < sum("\n" in paragraph.text for paragraph in first) < 30
    for one, other in zip(first, again, strict=True):
        assert one.text == other.text
        assert np.array_equal(one.labels, other.labels)


def test_multiword_tokens_and_spaces_are_found() -> None:
    sentences = toy_text(100, 1)
    assert multiword_tokens(sentences).words_of("Singn't") == ("Sing", "n't")
    assert not has_inner_spaces(sentences)
    spaced = [
        Sentence(s.comments, (s.columns[0], tuple(f"a {f}" for f in s.forms), *s.columns[2:]), None)
        for s in toy_treebank(3, 1)
    ]
    assert has_inner_spaces(spaced)


def test_an_empty_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text("")
    with pytest.raises(DataError, match="no sentences"):
        read_sentences(str(tmp_path / "a.conllu"))
