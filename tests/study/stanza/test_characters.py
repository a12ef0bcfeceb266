"""Stanza's models of characters, trained on a treebank's words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from arctree.dependency import DependencyTree
from arctree.study.stanza.characters import CharacterModels, character_files
from arctree.study.stanza.parts import Part
from arctree.study.stanza.settings import StanzaSettings
from toy_language import toy_treebank

pytestmark = pytest.mark.xdist_group("stanza")
TREES = [sentence.tree for sentence in toy_treebank(12, 2)]


def trees_of(sentences: Sequence[Sequence[str]]) -> list[DependencyTree]:
    """Flat trees of these words."""
    return [
        DependencyTree.trusted(
            tuple(words), tuple(range(len(words))), ("dep",) * len(words), ("_",) * len(words)
        )
        for words in sentences
    ]


def learn_characters(
    folder: Path, trees: list[DependencyTree], dev: list[DependencyTree], epochs: int = 2
) -> list[str]:
    """What training the models says."""
    said: list[str] = []
    settings = StanzaSettings(characters=5, character_epochs=epochs)
    CharacterModels(settings, 1, "cpu").train(Part(folder), trees, dev, said.append)
    return said


def test_characters_that_were_learnt_are_not_learnt_again(tmp_path: Path) -> None:
    said = [learn_characters(tmp_path, TREES, TREES) for _ in range(2)]
    assert [message.split(", ")[1] for message in said[0]] == [
        f"{direction}: {done} for 2 epochs"
        for direction in ("forward", "backward")
        for done in ("training", "trained")
    ]
    assert said[1] == []
    assert sorted(character_files(tmp_path)) == ["charlm_backward_file", "charlm_forward_file"]
    assert not character_files(tmp_path / "elsewhere")


def test_characters_that_were_not_learnt_to_the_end_are_learnt_from_the_start(
    tmp_path: Path,
) -> None:
    """Stanza would go on from its checkpoint, and keep a worse model than the best so far."""

    def learnt() -> list[dict[str, Any]]:
        learn_characters(tmp_path, TREES, TREES, epochs=3)
        paths = [tmp_path / f"{name}.pt" for name in ("forward", "backward")]
        states = [torch.load(path, weights_only=True) for path in paths]
        return [state["model"]["state_dict"] for state in states]

    first = learnt()
    for mark in tmp_path.glob("*-trained"):
        mark.unlink()
    for before, after in zip(first, learnt(), strict=True):
        assert all(torch.equal(before[name], after[name]) for name in before)
    assert not list(tmp_path.glob("*checkpoint*"))


@pytest.mark.parametrize("size", [1, 2, 30])
def test_characters_of_little_text(size: int, tmp_path: Path) -> None:
    """Stanza reads in twenty places at once, for which there may be too little."""
    trees = trees_of([("the", "old", "dog"), ("a", "cat")] * size)
    learn_characters(tmp_path, trees, trees[:1])
    assert len(character_files(tmp_path)) == 2
