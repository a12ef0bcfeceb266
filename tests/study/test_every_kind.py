"""A study with a system of every kind, from training to the report."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from arctree.study import report as report_module
from arctree.study.configuring import HOSTED, load_study
from arctree.study.report import write_report
from arctree.study.running import run_all
from arctree.study.speed import measure_speed
from studied import write_study

pytestmark = pytest.mark.xdist_group("stanza")

MORE = """
[[systems]]
name = "in-order"
kind = "in-order"
settings = "small"
encoder = "Bi_LSTM & more"

[[systems]]
name = "linearised"
kind = "linearised"
settings = "small"
encoder = "Bi_LSTM & more"

[[systems]]
name = "linearised-beam"
kind = "linearised"
encoder = "Bi_LSTM & more"
set = ["parser.beam=3"]
models_of = "linearised"

[settings.hosted.stanza]
epochs = 2
epoch_size = 10
batch = 10
steps = 2
word_batch = 100
tree_options = ["--hidden_size", "8"]
graph_options = ["--hidden_dim", "8", "--char_hidden_dim", "8"]
"""
SCHEMA = Path(report_module.__file__).with_name("report-schema.json")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], str]:
    """The report, as its file has it, and its page."""
    folder = tmp_path_factory.mktemp("every-kind")
    path = write_study(folder, epochs=1, train=20, dev=6)
    text = path.read_text("utf-8").replace("seeds = [1, 2]", "seeds = [1]") + MORE
    for kind in HOSTED:
        text += f'\n[[systems]]\nname = "{kind}"\nkind = "{kind}"\nsettings = "hosted"\n'
    path.write_text(text, "utf-8")
    results = folder / "results"
    study = load_study(str(path))
    assert run_all(study, results, [], [], lambda run, message: None) == []
    measure_speed(study, results, "cpu", lambda message: None)
    write_report(study, results)
    report: dict[str, Any] = json.loads((results / "report" / "report.json").read_text("utf-8"))
    page = (results / "report" / "README.md").read_text("utf-8")
    labellers = sorted(place.name for place in (results / "labellers").iterdir())
    for kind in ("stanza-mapped", "stanza-in-order"):
        run = json.loads((results / kind / "seed-1" / "run.json").read_text("utf-8"))
        assert [run["shared"]] == [{"labeller": f"labellers/{name}"} for name in labellers]
    run = json.loads((results / "stanza-graph" / "seed-1" / "run.json").read_text("utf-8"))
    assert "shared" not in run
    shutil.rmtree(results)
    return report, page


@pytest.fixture
def told(written: tuple[dict[str, Any], str]) -> dict[str, Any]:
    return written[0]


def test_every_kind_is_in_the_report(written: tuple[dict[str, Any], str]) -> None:
    told, page = written
    Draft202012Validator(json.loads(SCHEMA.read_text("utf-8"))).validate(told)
    names = [system["name"] for system in told["systems"]]
    assert names == ["mapped", "graph", "in-order", "linearised", "linearised-beam", *HOSTED]
    for system in told["systems"]:
        assert not system["missing"]
        assert system["parameters"] > 1000
        assert (
            0 <= system["scores"]["test"]["las"]["mean"] <= system["scores"]["test"]["uas"]["mean"]
        )
    assert "in-order of Stanza" in page
    assert "words/s, CPU" in page
    assert "†" not in page


def test_steps_and_ill_formed_answers(told: dict[str, Any]) -> None:
    found = {system["name"]: system for system in told["systems"]}
    steps = {name: system["steps_per_word"] for name, system in found.items()}
    assert steps["mapped"] == steps["stanza-mapped"] == 2
    assert steps["in-order"] == steps["linearised"] == steps["linearised-beam"] == 3
    for name in ("mapped", "in-order", "linearised", "linearised-beam", "stanza-mapped"):
        assert set(found[name]["ill_formed"].values()) == {0}


def test_what_systems_know_of_tags(written: tuple[dict[str, Any], str]) -> None:
    told, page = written
    tags = {system["name"]: system["tags"] for system in told["systems"]}
    assert tags["mapped"] == tags["linearised-beam"] == "learnt"
    assert {tags[kind] for kind in HOSTED} == {"none"}
    assert "With the encoder Bi\\_LSTM & more, all learn the tags of the training file" in page
    assert "a tagger" not in page


def test_every_kind_has_a_speed(told: dict[str, Any]) -> None:
    [speed] = told["speed"]
    assert set(speed["systems"]) == {system["name"] for system in told["systems"]}
    assert all(found["is_of_these_runs"] for found in speed["systems"].values())
