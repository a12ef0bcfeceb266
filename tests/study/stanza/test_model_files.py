"""Stanza's files are written whole, and what goes wrong with them is told."""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch

from arctree.dependency import DependencyTree
from arctree.errors import CallError, DataError
from arctree.lifting import lift
from arctree.study.stanza.characters import CharacterModels
from arctree.study.stanza.graph_parser import GraphParser
from arctree.study.stanza.model_files import reading_models, saving_whole_files
from arctree.study.stanza.parts import Part
from arctree.study.stanza.replacing import replaced
from arctree.study.stanza.settings import StanzaSettings
from arctree.study.stanza.tagger import Tagger
from arctree.study.stanza.tree_parser import TreeParser
from toy_language import toy_treebank

pytestmark = pytest.mark.xdist_group("stanza")
SETTINGS = StanzaSettings(
    steps=20,
    tag_steps=20,
    word_batch=100,
    epochs=2,
    epoch_size=10,
    batch=10,
    tree_options=("--hidden_size", "8", "--no_multistage"),
    graph_options=("--hidden_dim", "8", "--char_hidden_dim", "8", "--eval_interval", "2"),
    tagger_options=("--hidden_dim", "8", "--char_hidden_dim", "8", "--batch_size", "20"),
)
Network = GraphParser | Tagger | TreeParser
NETWORKS: dict[str, Callable[[StanzaSettings], Network]] = {
    "graph-based": lambda settings: GraphParser(settings, 1, "cpu", heads_are_given=False),
    "labeller": lambda settings: GraphParser(settings, 1, "cpu", heads_are_given=True),
    "tagger": lambda settings: Tagger(settings, 1, "cpu"),
    "mapped": lambda settings: TreeParser("mapped", settings, 1, "cpu"),
}
MODELS = {"graph-based": "parser.pt", "tagger": "tagger.pt", "mapped": "parser.pt"}


def ignored(_: str) -> None:
    """Somebody who does not listen."""


@pytest.fixture(scope="module")
def trees() -> list[DependencyTree]:
    return [lift(sentence.tree) for sentence in toy_treebank(40, 1)]


def settings_of(name: str) -> StanzaSettings:
    """Of all networks the tagger alone learns from tags."""
    return SETTINGS if name == "tagger" else StanzaSettings(**{**vars(SETTINGS), "tag_steps": 0})


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(143), OSError(errno.ENOSPC, "")])
@pytest.mark.parametrize("name", NETWORKS)
def test_what_goes_wrong_while_a_model_is_saved_ends_the_training(
    name: str, error: BaseException, trees: list[DependencyTree], tmp_path: Path
) -> None:
    """Where Stanza itself would pass over it, the model would be an older one than is told."""
    save = torch.save

    def fails(obj: Any, f: Any, *arguments: Any, **options: Any) -> None:
        if "vectors" in str(f):
            save(obj, f, *arguments, **options)
            return
        Path(f).write_bytes(b"half of it")
        raise error

    part = Part(tmp_path)
    wanted = CallError if isinstance(error, OSError) else type(error)
    said: list[str] = []
    with mock.patch.object(torch, "save", fails), pytest.raises(wanted) as raised:
        NETWORKS[name](settings_of(name)).train(part, trees, trees[:8], said.append)
    if isinstance(error, OSError):
        assert str(raised.value).startswith(str(tmp_path))
        assert "cannot be written" in str(raised.value)
    assert part.trained is None
    assert sum(", look " in message for message in said) <= 1
    assert not list(tmp_path.glob("*.new"))


def test_vectors_that_cannot_be_written_end_the_training(
    trees: list[DependencyTree], tmp_path: Path
) -> None:
    error = OSError(errno.ENOSPC, "No space left on device")
    network = NETWORKS["graph-based"](settings_of("graph-based"))
    with (
        mock.patch.object(torch, "save", side_effect=error),
        pytest.raises(CallError, match=r"vectors.pt: cannot be written: No space left"),
    ):
        network.train(Part(tmp_path), trees, trees[:8], ignored)


@pytest.mark.parametrize("size", [0, 1, 1000])
@pytest.mark.parametrize("name", MODELS)
def test_a_damaged_model_is_told(
    name: str, size: int, trees: list[DependencyTree], tmp_path: Path
) -> None:
    network = NETWORKS[name](settings_of(name))
    network.train(Part(tmp_path), trees, trees[:8], ignored)
    path = tmp_path / MODELS[name]
    path.write_bytes(path.read_bytes()[:size])
    told = rf"{tmp_path}: {MODELS[name]} cannot be read \(.*\); restore it, or remove"
    with pytest.raises(DataError, match=told):
        network.load(tmp_path)
    path.unlink()
    with pytest.raises(DataError, match=rf"^{tmp_path}: a file is missing: .*{MODELS[name]}"):
        network.load(tmp_path)


class InterruptionError(Exception):
    """Of a training."""


@pytest.mark.parametrize("name", ["graph-based", "mapped"])
def test_a_damaged_checkpoint_is_told(
    name: str, trees: list[DependencyTree], tmp_path: Path
) -> None:
    network = NETWORKS[name](settings_of(name))
    checkpoint = tmp_path / "parser_checkpoint.pt"

    def interrupt(_: str) -> None:
        if checkpoint.is_file():
            raise InterruptionError

    with pytest.raises(InterruptionError):
        network.train(Part(tmp_path), trees, trees[:8], interrupt)
    checkpoint.write_bytes(checkpoint.read_bytes()[:1000])
    told = rf"{tmp_path}: {checkpoint.name} cannot be read \(.*\); restore it"
    with pytest.raises(DataError, match=told):
        network.train(Part(tmp_path), trees, trees[:8], ignored)


def test_what_was_learnt_of_letters_and_is_missing_is_told(
    trees: list[DependencyTree], tmp_path: Path
) -> None:
    """Stanza would fetch models of characters, and without a reader words would be others."""
    settings = replace(settings_of("mapped"), spelling=4, letters=True, characters=8)
    settings = replace(settings, character_epochs=1)
    labeller, characters = tmp_path / "labeller", tmp_path / "characters"
    NETWORKS["labeller"](settings).train(made(labeller), trees, trees[:8], ignored)
    CharacterModels(settings, 1, "cpu").train(made(characters), trees, trees[:8], ignored)
    network = TreeParser("mapped", settings, 1, "cpu", labeller, characters)
    folder = tmp_path / "tree"
    network.train(made(folder), trees, trees[:8], ignored)
    for name in ("spelling.npz", "letters.pt", "characters/forward.pt", "characters/backward.pt"):
        network.load(folder)
        (folder / name).rename(tmp_path / "away")
        told = rf"^{(folder / name).parent}: {Path(name).name} is missing; restore it, or remove"
        with pytest.raises(DataError, match=told):
            network.load(folder)
        (tmp_path / "away").rename(folder / name)
    (characters / "forward.pt").unlink()
    with pytest.raises(DataError, match=rf"^{characters}: forward.pt is missing"):
        network.train(made(tmp_path / "another"), trees, trees[:8], ignored)


def made(folder: Path) -> Part:
    folder.mkdir()
    return Part(folder)


def test_what_is_no_fault_of_the_files_is_told_as_it_is(tmp_path: Path) -> None:
    torch.save({"weights": 1}, tmp_path / "parser.pt")
    for error in (RuntimeError("CUDA error: out of memory"), AttributeError("no attribute")):
        with pytest.raises(type(error), match=str(error)), reading_models(tmp_path):
            raise error
    (tmp_path / "spelling.npz").write_bytes(b"PK")
    with pytest.raises(DataError, match=r"spelling.npz cannot"), reading_models(tmp_path):
        raise error


def test_a_model_half_written_that_cannot_be_removed_ends_the_training_too(tmp_path: Path) -> None:
    """As on a disk that has become read-only."""
    error = OSError(errno.EROFS, "Read-only file system")
    with (
        mock.patch.object(torch, "save", side_effect=error),
        mock.patch.object(Path, "unlink", side_effect=error),
        replaced(saving_whole_files()),
        pytest.raises(CallError, match=r"parser.pt: cannot be written: Read-only") as raised,
    ):
        torch.save({}, tmp_path / "parser.pt")
    assert raised.value.__cause__ is error
