"""Vectors of words by their letters."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stanza.models.common.pretrain import Pretrain

from arctree.study.stanza.spelling import Spelling
from arctree.study.stanza.vectors import knowing, write_pretrain

WORDS = ["walk", "walks", "walked", "talk", "talks", "talked", "house", "houses", "mouse", "red"]


def likeness(spelling: Spelling, one: str, other: str) -> float:
    left, right = spelling.vectors([one, other])
    return float(left @ right / (np.linalg.norm(left) * np.linalg.norm(right)))


def test_words_are_alike_that_are_spelt_alike() -> None:
    spelling = Spelling.learn(WORDS, 8)
    assert likeness(spelling, "walked", "talked") > likeness(spelling, "walked", "houses") + 0.3
    assert likeness(spelling, "balked", "talked") > likeness(spelling, "balked", "houses") + 0.3


def test_the_end_of_a_word_is_not_its_middle() -> None:
    spelling = Spelling.learn([*WORDS, "edit", "editor", "edible", "bed"], 12)
    assert likeness(spelling, "xed", "red") > likeness(spelling, "edx", "red")


@given(st.lists(st.text(max_size=6), max_size=12), st.integers(1, 40))
def test_any_words_and_any_width(words: list[str], width: int) -> None:
    spelling = Spelling.learn(words, width)
    found = spelling.vectors([*words, "unheard of", ""])
    assert found.shape == (len(words) + 2, width)
    assert np.isfinite(found).all()


def test_order_and_repetition_do_not_matter() -> None:
    one = Spelling.learn(WORDS, 6).vectors(WORDS)
    other = Spelling.learn([*reversed(WORDS), *WORDS], 6).vectors(WORDS)
    assert np.array_equal(one, other)
    assert one.std() == pytest.approx(0.4, rel=1e-3)


def test_it_comes_back_from_its_file(tmp_path: Path) -> None:
    spelling = Spelling.learn([*WORDS, "tab\tbed", "line\nfeed"], 6)
    spelling.save(tmp_path / "spelling.npz")
    again = Spelling.load(tmp_path / "spelling.npz")
    assert np.array_equal(again.vectors(WORDS), spelling.vectors(WORDS))
    assert again.width == 6


def test_random_numbers_are_left_as_they_were() -> None:
    torch.manual_seed(5)
    plain = torch.rand(3)
    torch.manual_seed(5)
    Spelling.learn(WORDS, 6)
    assert torch.equal(torch.rand(3), plain)


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    path = tmp_path / "vectors.txt"
    path.write_text("red 1 2\nhouse 3 4\nroof 5 6\n")
    return path


def test_words_are_found_with_and_without_capitals(vectors: Path, tmp_path: Path) -> None:
    target = tmp_path / "vectors.pt"
    spelling = Spelling.learn(WORDS, 3)
    write_pretrain((str(vectors),), 100, target, ["House", "walk", "two words"], spelling)
    pretrain = Pretrain(str(target))
    for word, fixed in [
        ("red", [1, 2]),
        ("House", [3, 4]),
        ("walk", [0, 0]),
        ("two words", [0, 0]),
    ]:
        row = pretrain.emb[pretrain.vocab.unit2id(word)]
        assert row[:2].tolist() == fixed
        assert np.allclose(row[2:], spelling.vectors([word])[0])


def test_new_words_are_known_for_a_while(vectors: Path, tmp_path: Path) -> None:
    """As they would be if they had been there from the beginning."""
    spelling = Spelling.learn(WORDS, 3)
    everything = ["House", "Roof", "walkings", "un seen"]
    for name, words in (("some", ["House"]), ("all", everything)):
        write_pretrain((str(vectors),), 100, tmp_path / name, words, spelling)
    some, whole = (Pretrain(str(tmp_path / name)) for name in ("some", "all"))
    embedding = torch.nn.Embedding.from_pretrained(some.emb)  # type: ignore[no-untyped-call]
    model: Any = SimpleNamespace(emb_vocab=some.vocab, embedding=embedding)

    def row(word: str) -> Any:
        return model.embedding.weight[model.emb_vocab.unit2id(word)]

    with knowing(model, everything, spelling):
        for word in everything:
            assert torch.equal(row(word), whole.emb[whole.vocab.unit2id(word)])
    assert model.embedding is embedding
    assert not row("walkings").any()


def rows(pretrain: Pretrain, *words: str) -> list[list[float]]:
    return [pretrain.emb[pretrain.vocab.unit2id(word)].tolist() for word in words]


def test_capitals_count_where_letters_do(tmp_path: Path) -> None:
    """Even if no word that was learnt from has any."""
    spelling = Spelling.learn(WORDS, 3)
    write_pretrain((), 1, tmp_path / "vectors.pt", WORDS, spelling)
    pretrain = Pretrain(str(tmp_path / "vectors.pt"))
    embedding = torch.nn.Embedding.from_pretrained(pretrain.emb)  # type: ignore[no-untyped-call]
    model: Any = SimpleNamespace(emb_vocab=pretrain.vocab, embedding=embedding)
    with knowing(model, ["Walking"], spelling):
        found = model.embedding.weight[model.emb_vocab.unit2id("Walking")]
    assert found.tolist() == pytest.approx(spelling.vectors(["Walking"])[0].tolist())
    assert found.any()


def test_a_word_with_a_space_is_found_however_the_file_writes_it(tmp_path: Path) -> None:
    (tmp_path / "vectors.txt").write_text("red 1 2\nhai\xa0tu 3 4\n", "utf-8")
    target = tmp_path / "vectors.pt"
    write_pretrain((str(tmp_path / "vectors.txt"),), 9, target, ["hai tu", "Hai tu"])
    assert rows(Pretrain(str(target)), "hai tu", "Hai tu", "new") == [[3, 4], [3, 4], [0, 0]]


def test_stanzas_own_entries_stay_its_own(tmp_path: Path) -> None:
    spelling = Spelling.learn(WORDS, 3)
    write_pretrain((), 1, tmp_path / "vectors.pt", ["<UNK>", "walk"], spelling)
    assert rows(Pretrain(str(tmp_path / "vectors.pt")), "never", "<UNK>") == [[0, 0, 0]] * 2
