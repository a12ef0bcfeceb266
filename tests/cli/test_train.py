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


@pytest.mark.parametrize("name", ["README.md", "config.json", "model.safetensors"])
def test_what_is_in_the_folder_already_is_not_overwritten(
    arctree: Arctree, tmp_path: Path, name: str
) -> None:
    write_toy_files(tmp_path, 5, 5)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / name).write_text('{"record": null}')
    call = ("train", "--train", tmp_path / "train.conllu", "--dev", tmp_path / "dev.conllu")
    outcome = arctree(*call, "-o", tmp_path / "mine", *small_options())
    assert outcome.status == 2
    assert f"holds a {name} that no run of training left there" in outcome.err
    assert [path.name for path in (tmp_path / "mine").iterdir()] == [name]
    assert (tmp_path / "mine" / name).read_text() == '{"record": null}'


def test_a_place_that_cannot_be_written_is_told_before_anything_is_read(
    arctree: Arctree, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    outcome = arctree("train", "--train", "absent", "--dev", "absent", "-o", tmp_path / "file")
    assert outcome.status == 2
    assert "file: cannot be written" in outcome.err


def test_files_are_named_as_they_are(arctree: Arctree, tmp_path: Path) -> None:
    write_toy_files(tmp_path, 5, 5)
    names = [tmp_path / "a$b \U0001f600.conllu", tmp_path / "'[1]'"]
    for name, path in zip(("train", "dev"), names, strict=True):
        (tmp_path / f"{name}.conllu").rename(path)
    call = ("train", "--train", names[0], "--dev", names[1], "-o", tmp_path / "model")
    outcome = arctree(*call, *small_options("training.epochs=1"))
    assert outcome.status == 0, outcome.err


def test_missing_files_and_places_are_told(arctree: Arctree, tmp_path: Path) -> None:
    write_toy_files(tmp_path, 5, 5)
    train = str(tmp_path / "train.conllu")
    assert "data.dev is empty" in arctree("train", "--train", train, "-o", "x").err
    outcome = arctree("train", "--train", train, "--dev", train)
    assert outcome.status == 2
    assert "name a directory with -o" in outcome.err
    assert arctree("train", "nowhere.toml").status == 2
    (tmp_path / "odd.toml").write_text("data = 3\n")
    outcome = arctree("train", tmp_path / "odd.toml", "--train", train, "-o", "x")
    assert outcome.status == 1
    assert "data is 3; write it as a section [data]" in outcome.err
    (tmp_path / "bad.toml").write_text("[data\n")
    outcome = arctree("train", tmp_path / "bad.toml")
    assert outcome.status == 1
    assert "bad.toml: not TOML" in outcome.err
