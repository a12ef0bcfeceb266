from __future__ import annotations

from pathlib import Path

import pytest

from arctree.parser import Parser
from command_line import Arctree
from trained import SMALL, write_toy_files

pytestmark = pytest.mark.xdist_group("training")


def small_options(*more: str) -> list[str]:
    return [option for change in (*SMALL, *more) for option in ("--set", change)]


def test_two_files_and_a_place_are_enough(arctree: Arctree, tmp_path: Path) -> None:
    write_toy_files(tmp_path, 30, 10)
    outcome = arctree(
        *("train", "--train", tmp_path / "train.conllu", "--dev", tmp_path / "dev.conllu"),
        *("-o", tmp_path / "model", *small_options("training.epochs=2")),
    )
    assert outcome.status == 0, outcome.err
    assert "30 sentences to learn from" in outcome.err
    assert "epoch 2/2  loss " in outcome.err
    assert "dev UAS" in outcome.err
    assert len(list(Parser.load(tmp_path / "model").parse([["the", "dog"]]))) == 1


def test_a_configuration_names_its_model(
    arctree: Arctree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_toy_files(tmp_path, 20, 10)
    monkeypatch.setenv("TOY", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.toml").write_text(
        '[data]\ntrain = "$TOY/train.conllu"\ndev = ["$TOY/dev.conllu"]\n'
        "[training]\nepochs = 1\n[tags]\nxpos = false\nlemmas = false\n"
    )
    outcome = arctree("train", "tiny.toml", *small_options("training.seed=3"))
    assert outcome.status == 0, outcome.err
    card = (tmp_path / "models" / "tiny" / "README.md").read_text("utf-8")
    assert "Seed 3" in card
    assert "Other columns it fills: upos, feats." in card
    told = {line.split(" | ")[0].strip("| ") for line in card.splitlines() if line[:1] == "|"}
    assert {"UPOS", "UFeats", "MLAS", "UAS"} <= told
    assert not {"XPOS", "Lemmas", "BLEX"} & told


@pytest.mark.parametrize(
    ("changes", "status", "said"),
    [
        (["training.epoch=3"], 1, "no key training.epoch; did you mean epochs? valid are: epochs"),
        (["trainin.epochs=3"], 1, "no section [trainin]; did you mean training? valid are: data"),
        (["training.epochs=many"], 1, "training.epochs is 'many'; it takes a whole number"),
        (["training.epochs=0"], 1, "training.epochs is 0; it goes from 1"),
        (["encoder.kind=huge"], 1, "encoder.kind is 'huge'; it is pretrained, recurrent or"),
        (["encoder.source=/nowhere"], 2, "the encoder '/nowhere' cannot be loaded"),
        (["encoder.vectors=/nowhere.txt"], 2, "/nowhere.txt: cannot be read"),
        (["data.lifting=high"], 1, "data.lifting is 'high'; it takes exact or head"),
        (["data.weights=[1, 2]"], 1, "1 training files but 2 weights"),
        (["epochs=3"], 2, "--set epochs=3: write it as section.key=value"),
    ],
)
def test_a_bad_configuration_is_told_before_anything_is_written(
    changes: list[str], status: int, said: str, arctree: Arctree, tmp_path: Path
) -> None:
    write_toy_files(tmp_path, 5, 5)
    outcome = arctree(
        *("train", "--train", tmp_path / "train.conllu", "--dev", tmp_path / "dev.conllu"),
        *("-o", tmp_path / "model"),
        *(option for change in changes for option in ("--set", change)),
    )
    assert outcome.status == status
    assert said in outcome.err
    assert not (tmp_path / "model").exists()


def test_missing_files_and_places_are_told(arctree: Arctree, tmp_path: Path) -> None:
    write_toy_files(tmp_path, 5, 5)
    train = str(tmp_path / "train.conllu")
    assert "data.dev is missing" in arctree("train", "--train", train, "-o", "x").err
    outcome = arctree("train", "--train", train, "--dev", train)
    assert outcome.status == 2
    assert "name a directory with -o" in outcome.err
    assert arctree("train", "nowhere.toml").status == 2
    (tmp_path / "bad.toml").write_text("[data\n")
    outcome = arctree("train", tmp_path / "bad.toml")
    assert outcome.status == 1
    assert "bad.toml: not TOML" in outcome.err
