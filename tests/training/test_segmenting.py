"""A segmenter of a little language is trained, killed, trained on, and used."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from arctree import conllu
from arctree.errors import CallError, DataError
from arctree.parsing import model_files
from arctree.parsing.settings import Configuration
from arctree.segmenter import Segmenter
from arctree.training import segmenting
from arctree.training.configuring import load_configuration
from arctree.training.segmenting import add_segmenter, train_segmenter
from command_line import Arctree
from toy_text import toy_text
from trained import SMALL, Silent

SETTINGS = (
    "segmenter.width=24",
    "segmenter.word_width=8",
    "segmenter.unit_width=24",
    "segmenter.layers=2",
    "segmenter.batch=600",
    "segmenter.epochs=8",
    "segmenter.rate=1e-2",
    "training.device=cpu",
)


@pytest.fixture(scope="module")
def treebanks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    folder = tmp_path_factory.mktemp("text")
    found = {}
    for seed, (name, size) in enumerate({"train": 240, "dev": 60, "test": 60}.items()):
        path = str(folder / f"{name}.conllu")
        conllu.write(toy_text(size, seed), path)
        found[name] = [path]
    return found


def configured(treebanks: dict[str, list[str]], *changes: str) -> Configuration:
    return load_configuration(None, [*SETTINGS, *changes], treebanks=treebanks)


@pytest.fixture(scope="module")
def trained(
    treebanks: dict[str, list[str]], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, dict[str, float]]]:
    folder = tmp_path_factory.mktemp("trained")
    record = train_segmenter(configured(treebanks), folder, Silent())
    return folder, record["scores"]


def weights(folder: Path) -> bytes:
    return (folder / model_files.SEGMENTER_WEIGHTS).read_bytes()


def test_the_little_language_is_learnt(trained: tuple[Path, dict[str, dict[str, float]]]) -> None:
    _, scores = trained
    assert set(scores) == {"dev", "test"}
    for found in scores.values():
        assert found["Words"] > 0.99
        assert found["Sentences"] > 0.95


def test_it_finds_what_a_person_would(trained: tuple[Path, dict[str, dict[str, float]]]) -> None:
    segmenter = Segmenter.load(trained[0])
    text = "Dog seen't the tree. Cat Dr. river see www.house.org road!\n\nChild want bird"
    found = [
        [word for token in tokens for word in token.words or (text[token.start : token.end],)]
        for tokens in segmenter.segment(text)
    ]
    assert found == [
        ["Dog", "see", "n't", "the", "tree", "."],
        ["Cat", "Dr.", "river", "see", "www.house.org", "road", "!"],
        ["Child", "want", "bird"],
    ]


class Killed(Exception):  # noqa: N818
    """The run is over before its time."""


def test_a_run_that_was_killed_ends_with_the_same_weights(
    treebanks: dict[str, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configuration = configured(treebanks, "segmenter.epochs=3")
    whole = tmp_path / "whole"
    train_segmenter(configuration, whole, Silent())
    killed = tmp_path / "killed"
    step = segmenting._Run._step
    steps = 0

    def dying(run: segmenting._Run, *arguments: object) -> object:
        nonlocal steps
        steps += 1
        if run.epoch == 2:
            raise Killed
        return step(run, *arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(segmenting._Run, "_step", dying)
        with pytest.raises(Killed):
            train_segmenter(configuration, killed, Silent())
    other = configured(treebanks, "segmenter.epochs=4")
    with pytest.raises(CallError, match="another configuration"):
        train_segmenter(other, killed, Silent())
    train_segmenter(configuration, killed, Silent())
    assert weights(killed) == weights(whole)
    assert not list(killed.rglob("checkpoint-*"))


def test_a_run_that_has_ended_is_not_run_again(
    trained: tuple[Path, dict[str, dict[str, float]]],
    treebanks: dict[str, list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder, scores = trained
    monkeypatch.delattr(segmenting._Run, "train")
    assert train_segmenter(configured(treebanks), folder, Silent())["scores"] == scores


def test_a_finished_model_can_be_given_a_segmenter(
    mapped_model: Path, toy_files: list[str], tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(mapped_model, folder)
    configuration = load_configuration(None, [*toy_files, *SETTINGS, "segmenter.epochs=2"])
    for _ in range(2):
        record = add_segmenter(configuration, folder, Silent())
        assert (folder / model_files.CARD).read_text("utf-8").count("## Segmenter") == 1
    config = model_files.read_config(folder)
    assert config["record"]["segmenter"] == record
    assert config["record"]["finished"]
    assert {model_files.SEGMENTER, model_files.SEGMENTER_GRAPH} <= set(config["files"])
    (folder / model_files.SEGMENTER_GRAPH).write_bytes(b"")
    with pytest.raises(DataError, match="0 bytes"):
        model_files.read_config(folder)


def test_a_parser_is_trained_with_its_segmenter(toy_files: list[str], tmp_path: Path) -> None:
    from arctree.training.loop import train

    changes = [*toy_files, *SMALL, *SETTINGS, "training.epochs=1", "segmenter.epochs=1"]
    changes += ["segmenter.train=true"]
    train(load_configuration(None, changes), tmp_path / "model", Silent())
    config = model_files.read_config(tmp_path / "model")
    assert set(config["record"]["segmenter"]["scores"]) == {"dev", "test"}
    assert model_files.SEGMENTER_GRAPH in config["files"]
    assert "## Segmenter" in (tmp_path / "model" / model_files.CARD).read_text("utf-8")
    assert list(Segmenter.load(tmp_path / "model").segment("the dog sees the cat ."))


def test_the_command_line_trains_only_a_segmenter(
    arctree: Arctree, treebanks: dict[str, list[str]], tmp_path: Path
) -> None:
    changes = [option for change in SETTINGS for option in ("--set", change)]
    files = ["--train", *treebanks["train"], "--dev", *treebanks["dev"]]
    folder = tmp_path / "model"
    command = ["train", *files, *changes, "--set", "segmenter.epochs=1", "--segmenter-only"]
    found = arctree(*command, "-o", folder)
    assert found.status == 0, found.err
    assert "epoch 1/1" in found.err
    assert sorted(path.name for path in folder.iterdir()) == [
        "segmenter.json",
        "segmenter.onnx",
        "segmenter.safetensors",
        "training",
    ]
