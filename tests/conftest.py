"""Shared fixtures: the treebanks, the paper's sentence, the command line."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from arctree import DependencyTree
from arctree.cli import main
from command_line import Arctree, Outcome
from piped import with_segmenter
from trained import SMALL, Silent, write_toy_files

settings.register_profile(
    "arctree", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("arctree")


@pytest.fixture
def book() -> DependencyTree:
    """The paper's running example (Figure 1)."""
    return DependencyTree(
        ("book", "me", "the", "morning", "flight"),
        (0, 1, 5, 5, 1),
        ("root", "iobj", "det", "compound", "dobj"),
        ("VB", "PRP", "DT", "NN", "NN"),
    )


def treebank_files() -> list[Path]:
    folder = os.environ.get("ARCTREE_DATA")
    return sorted(Path(folder, "ud").glob("*/*.conllu")) if folder else []


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for ``whole_treebank`` runs on each file of the data folder."""
    if "whole_treebank" in metafunc.fixturenames:
        files = treebank_files()
        skip = pytest.mark.skip(reason="ARCTREE_DATA does not name the folder of the treebanks")
        metafunc.parametrize(
            "whole_treebank",
            [pytest.param(path, id=path.stem) for path in files]
            or [pytest.param(None, marks=skip)],
        )


@pytest.fixture
def ewt_train() -> Path:
    for path in treebank_files():
        if path.name == "en_ewt-ud-train.conllu":
            return path
    pytest.skip("ARCTREE_DATA does not name a folder with English-EWT")


@pytest.fixture(scope="session")
def toy_files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Files of the little language, as changes of a training configuration."""
    return write_toy_files(tmp_path_factory.mktemp("toy"))


@pytest.fixture(scope="session")
def toy_test(toy_files: list[str]) -> Path:
    return Path(toy_files[-1].partition("=")[2])


def trained_model(folder: Path, changes: list[str]) -> Path:
    from arctree.training.configuring import load_configuration
    from arctree.training.loop import train

    train(load_configuration(None, changes), folder, Silent())
    return folder


@pytest.fixture(scope="session")
def mapped_model(tmp_path_factory: pytest.TempPathFactory, toy_files: list[str]) -> Path:
    """A mapped parser of the little language, trained once."""
    changes = [*toy_files, *SMALL, "training.epochs=10"]
    return trained_model(tmp_path_factory.mktemp("models") / "mapped", changes)


@pytest.fixture(scope="session")
def graph_model(tmp_path_factory: pytest.TempPathFactory, toy_files: list[str]) -> Path:
    """The graph-based baseline on the same sentences."""
    changes = [*toy_files, *SMALL, "training.epochs=10", "parser.kind=graph"]
    return trained_model(tmp_path_factory.mktemp("models") / "graph", changes)


@pytest.fixture(scope="session")
def in_order_model(tmp_path_factory: pytest.TempPathFactory, toy_files: list[str]) -> Path:
    """The in-order parser on the same sentences."""
    changes = [*toy_files, *SMALL, "training.epochs=10", "parser.kind=in-order"]
    return trained_model(tmp_path_factory.mktemp("models") / "in-order", changes)


@pytest.fixture(scope="session")
def linearised_model(tmp_path_factory: pytest.TempPathFactory, toy_files: list[str]) -> Path:
    """The linearisation parser on the same sentences."""
    changes = [*toy_files, *SMALL, "training.epochs=15", "parser.kind=linearised"]
    return trained_model(tmp_path_factory.mktemp("models") / "linearised", changes)


@pytest.fixture(scope="session")
def pipeline_model(tmp_path_factory: pytest.TempPathFactory, mapped_model: Path) -> Path:
    """The mapped parser with a segmenter beside it: text in, trees out."""
    return with_segmenter(mapped_model, tmp_path_factory.mktemp("pipelines") / "toy")


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT that has learnt nothing."""
    from berts import write_bert

    folder = tmp_path_factory.mktemp("encoders") / "bert"
    write_bert(folder)
    return folder


@pytest.fixture(scope="session")
def toy_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another one, whose tokenizer knows the words of the little language."""
    from berts import TOY_PIECES, write_bert

    folder = tmp_path_factory.mktemp("encoders") / "toy"
    write_bert(folder, TOY_PIECES, hidden_size=48, intermediate_size=96, initializer_range=0.1)
    return folder


@pytest.fixture(scope="session")
def teacher(tmp_path_factory: pytest.TempPathFactory, toy_files: list[str], toy_bert: Path) -> Path:
    """A mapped parser of the little language on a BERT, trained once."""
    from berts import on_bert

    changes = [*toy_files, *on_bert(toy_bert), "training.epochs=6"]
    return trained_model(tmp_path_factory.mktemp("models") / "teacher", changes)


@pytest.fixture
def arctree(monkeypatch: pytest.MonkeyPatch) -> Arctree:
    """Run the command line in this process: ``arctree("convert", path, stdin=b"...")``."""

    def run(*arguments: str | Path, stdin: bytes = b"") -> Outcome:
        contents = [io.BytesIO(content) for content in (stdin, b"", b"")]
        streams = [io.TextIOWrapper(content, "utf-8") for content in contents]
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["arctree", *map(str, arguments)])
            for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
                patch.setattr(sys, name, stream)
            status = 0
            try:
                main()
            except SystemExit as ending:
                status = ending.code if isinstance(ending.code, int) else 0
        for stream in streams:
            stream.flush()
        return Outcome(status, *(content.getvalue().decode("utf-8") for content in contents[1:]))

    return run
