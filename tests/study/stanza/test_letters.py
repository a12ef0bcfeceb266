"""Vectors of words as a labeller reads them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from stanza.models.common.char_model import CharacterModel
from stanza.models.common.vocab import CharVocab

from arctree.study.stanza.letters import Letters
from arctree.study.stanza.spelling import SPREAD

WORDS = ["dog", "dogs", "old", "a", "seldom"]
OPTIONS = {
    "char_emb_dim": 4,
    "char_hidden_dim": 6,
    "char_num_layers": 1,
    "char_rec_dropout": 0.0,
    "dropout": 0.5,
}


@pytest.fixture
def labeller() -> Any:
    """As much of a trained network of Stanza's as reads characters."""
    torch.manual_seed(1)
    vocabulary = {"char": CharVocab([list("dogselma")])}
    model = SimpleNamespace(
        args=OPTIONS,
        charmodel=CharacterModel(OPTIONS, vocabulary).eval(),
        trans_char=torch.nn.Linear(6, 3, bias=False),
    )
    return SimpleNamespace(model=model, vocab=vocabulary)


def read(labeller: Any, word: str) -> Any:
    """A word alone, by the network itself."""
    characters = torch.tensor([labeller.vocab["char"].map(list(word))])
    model = labeller.model
    with torch.no_grad():
        found = model.charmodel(characters, characters == 0, [0], [1], [len(word)])
        return model.trans_char(found.data)[0].numpy()


def test_words_are_read_as_by_the_labeller(labeller: Any) -> None:
    """But for how much the numbers vary; in whatever order, and whatever other words there are."""
    letters = Letters.of(labeller, WORDS)
    found = letters.vectors([*WORDS, "dogma", "☃"])
    wanted = np.stack([read(labeller, word) for word in [*WORDS, "dogma", "☃"]])
    ratio = found[0, 0] / wanted[0, 0]
    assert ratio > 0
    assert np.allclose(found, wanted * ratio, atol=1e-5)
    assert np.isclose(found[: len(WORDS)].std(), SPREAD, atol=1e-5)
    assert np.allclose(letters.vectors(["dogma"])[0], found[-2], atol=1e-6)
    assert letters.vectors([]).shape == (0, 3)


def test_the_labeller_stays_as_it_was(labeller: Any) -> None:
    before = labeller.model.trans_char.weight.detach().clone()
    Letters.of(labeller, WORDS)
    assert torch.equal(labeller.model.trans_char.weight, before)


def test_letters_are_kept_in_a_file(labeller: Any, tmp_path: Path) -> None:
    letters = Letters.of(labeller, WORDS)
    letters.save(tmp_path / "letters.pt")
    loaded = Letters.load(tmp_path / "letters.pt")
    assert loaded.width == letters.width == 3
    assert np.array_equal(loaded.vectors(WORDS), letters.vectors(WORDS))
    assert [path.name for path in tmp_path.iterdir()] == ["letters.pt"]


def test_many_words(labeller: Any) -> None:
    """More than are read at once, the longest first."""
    words = [word * count for word in WORDS for count in range(1, 240)]
    letters = Letters.of(labeller, WORDS)
    found = letters.vectors(words)
    for number in (0, 500, 1000, len(words) - 1):
        assert np.allclose(found[number], letters.vectors([words[number]])[0], atol=1e-5)
