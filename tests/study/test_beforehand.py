"""What can be told before anything is trained is told then, and nothing is written."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from arctree.errors import ArctreeError, DataError
from arctree.study.configuring import load_study
from arctree.study.running import run_all, run_one
from arctree.study.stanza import adapter
from studied import GRAPH, write_study

pytestmark = pytest.mark.xdist_group("training")
HOSTED = """
[settings.hosted.stanza]
steps = 5

[[systems]]
name = "hosted"
kind = "stanza-mapped"
settings = "hosted"
"""


def refused(path: Path, out: Path, told: str) -> None:
    """A study that no run of is begun."""
    with pytest.raises(ArctreeError, match=told):
        run_all(load_study(str(path)), out, [], [], lambda run, message: None)
    assert not out.exists()


def test_a_variable_that_is_not_set_is_told_before_anything_is_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VECTORS_HERE", raising=False)
    path = write_study(tmp_path)
    change = 'set = ["encoder.vectors=$VECTORS_HERE"]'
    path.write_text(path.read_text("utf-8").replace('set = ["training.epochs=2"]', change))
    study = load_study(str(path))
    told = r"toy\.toml: system graph: VECTORS_HERE is not set; set the env"
    with pytest.raises(DataError, match=told):
        run_all(study, tmp_path / "out", [], [], lambda run, message: None)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        (
            'kind = "graph"\nset = ["encoder.vectors=/nowhere"]',
            "encoder.vectors has /nowhere, which is no file",
        ),
        (
            'kind = "graph"\nset = ["encoder.source=/nowhere"]',
            "encoder.source is /nowhere, which is no directory",
        ),
        (
            'kind = "graph"\nset = ["encoder.source=./nowhere"]',
            "encoder.source is ./nowhere, which is no directory",
        ),
        (
            'kind = "graph"\nset = ["training.start=nowhere"]',
            "training.start is nowhere, which is no directory",
        ),
        (
            'kind = "graph"\nmodels = ["/nowhere", "/nowhere"]',
            "models has /nowhere, which is no directory",
        ),
        (
            'kind = "graph"\nset = ["encoder.vectors=$NOTHING_HERE"]',
            "encoder.vectors has , which is no file",
        ),
        (
            'kind = "stanza-graph"\nset = ["stanza.vectors=/nowhere"]',
            "stanza.vectors has /nowhere, which is no file",
        ),
    ],
)
def test_files_that_are_not_there_are_told_before_anything_is_trained(
    entry: str, fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTHING_HERE", "")
    path = write_study(tmp_path)
    text = path.read_text("utf-8")
    assert GRAPH in text
    path.write_text(text.replace(GRAPH, entry))
    study = load_study(str(path))
    with pytest.raises(DataError, match=rf"toy\.toml: system graph: {fault}; name"):
        run_all(study, tmp_path / "out", [], [], lambda run, message: None)
    assert not (tmp_path / "out").exists()


def test_a_file_that_holds_no_vectors_is_told(tmp_path: Path) -> None:
    path, vectors = write_study(tmp_path), tmp_path / "vectors.txt"
    vectors.write_text("the 1 2\nno numbers\n")
    change = f'set = ["encoder.vectors={vectors}"]'
    path.write_text(path.read_text("utf-8").replace('set = ["training.epochs=2"]', change))
    told = rf"toy\.toml: system graph: {vectors}:2: has 2 fields where"
    refused(path, tmp_path / "out", told)
    text = path.read_text("utf-8")
    path.write_text(text.replace(change, f'{change[:-1]}, "encoder.vector_limit=1"]'))
    vectors.write_text("the 1 2\nno numbers\n")  # of which the second line is never read
    failures = run_all(load_study(str(path)), tmp_path / "out", ["graph"], [1], lambda run, _: None)
    assert failures == []


@pytest.mark.parametrize("kind", ["graph", "stanza-graph", "stanza-mapped"])
def test_models_that_were_not_trained_to_the_end_are_told(kind: str, tmp_path: Path) -> None:
    path = write_study(tmp_path)
    (tmp_path / "begun").mkdir()
    models = f'kind = "{kind}"\nmodels = ["{tmp_path / "begun"}", "{tmp_path / "begun"}"]'
    path.write_text(path.read_text("utf-8").replace(GRAPH, models))
    refused(path, tmp_path / "out", rf"system graph: {tmp_path / 'begun'}: no finished model; name")


def test_models_that_are_still_to_be_trained_are_told(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    more = '[[systems]]\nname = "wide"\nkind = "mapped"\nmodels_of = "mapped"\n'
    path.write_text(f'{path.read_text("utf-8")}\n{more}set = ["parser.beam=2"]\n', "utf-8")
    study = load_study(str(path))
    told = "no finished model; train it first, with --only mapped --seed 2"
    with pytest.raises(DataError, match=told):
        run_one(study, tmp_path / "out", "wide", 2, print)
    with pytest.raises(DataError, match=told):  # and before anything else is trained
        run_all(study, tmp_path / "out", ["graph", "wide"], [2], lambda run, message: None)
    assert not (tmp_path / "out").exists()
    (tmp_path / "out" / "mapped" / "seed-2" / "model").mkdir(parents=True)  # as if interrupted
    with pytest.raises(DataError, match=told):
        run_one(study, tmp_path / "out", "wide", 2, print)


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("graph_options=['--nonsense']", "unrecognized arguments: --nonsense; change graph_opt"),
        ("tree_options=['--seed', '5']", "tree_options gives seed as 5, and it is 1 by .*; leave"),
        ("graph_options=['--device', 'cuda']", "graph_options gives device as cuda, and it is cpu"),
        ("tree_options=['--transition_sch', 'TOP_DOWN']", "tree_options gives transition_scheme"),
        (
            "graph_options=['--mode', 'predict']",
            "graph_options gives mode as predict, and it is tr",
        ),
        ("tree_options=['--silver_file', 'more']", "tree_options gives silver_file as more"),
    ],
)
def test_options_of_stanzas_programs(option: str, told: str, tmp_path: Path) -> None:
    """Those that they do not take, and those that the study itself says."""
    path = write_study(tmp_path)
    hosted = f'{HOSTED}set = ["stanza.{option}"]\n'
    path.write_text(path.read_text("utf-8") + hosted, "utf-8")
    refused(path, tmp_path / "out", rf"toy\.toml: system hosted: .*{told}")


def test_another_release_of_stanza(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_study(tmp_path)
    path.write_text(path.read_text("utf-8") + HOSTED, "utf-8")
    monkeypatch.setattr(adapter, "TESTED", "0.1")
    refused(path, tmp_path / "out", r"Stanza .* is installed, and .* tested with 0\.1 only")


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_a_gpu_that_is_not_there(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    path.write_text(path.read_text("utf-8").replace('device = "cpu"', 'device = "cuda"'), "utf-8")
    refused(path, tmp_path / "out", "torch finds no GPU here")


WITHOUT_TORCH = (
    "import sys; sys.modules['torch'] = sys.modules['stanza'] = None; sys.argv[0] = 'arctree';"
    "from arctree.cli import main; main()"
)


def test_the_report_needs_neither_torch_nor_stanza(results: Path, tmp_path: Path) -> None:
    """Not even where there are systems in Stanza; what trains says what it lacks."""
    path = write_study(tmp_path)
    path.write_text(path.read_text("utf-8") + HOSTED, "utf-8")
    out = tmp_path / "out"
    shutil.copytree(results, out)
    command = [sys.executable, "-c", WITHOUT_TORCH, "study", str(path), "-o", str(out)]
    subprocess.run([*command, "--report-only"], check=True, capture_output=True)
    page = (out / "report" / "README.md").read_text("utf-8")
    assert "| mapped | Bi\\_LSTM & more | 2 |" in page
    assert "- hosted: 0 of 2 seeds" in page
    for name in ("mapped", "hosted"):
        shutil.rmtree(out / name, ignore_errors=True)
        done = subprocess.run(
            [*command, "--only", name], check=False, capture_output=True, text=True
        )
        assert done.returncode == 2
        assert "pip install 'arctree[train]'" in done.stderr
        assert "Traceback" not in done.stderr
