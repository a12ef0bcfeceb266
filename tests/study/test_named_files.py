from __future__ import annotations

import json
from pathlib import Path

import pytest

from arctree.errors import DataError
from arctree.parsing.model_files import file_hash
from arctree.study.configuring import load_study
from arctree.study.identity import shared_folders
from arctree.study.named_files import check_alike, hashes_of
from arctree.study.report import write_report
from arctree.study.running import run_all, run_one
from arctree.study.runs import runs_of
from studied import write_study

pytestmark = pytest.mark.xdist_group("training")


def with_vectors(folder: Path) -> Path:
    """A study whose second system reads the file that ``$VECTORS_HERE`` names."""
    path = write_study(folder, train=20, dev=5)
    change = 'set = ["training.epochs=1", "encoder.vectors=$VECTORS_HERE"]'
    path.write_text(path.read_text("utf-8").replace('set = ["training.epochs=2"]', change))
    return path


def test_a_table_holds_no_runs_with_other_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are called alike, but were another file when the second seed was trained."""
    study, out = load_study(str(with_vectors(tmp_path))), tmp_path / "out"
    for seed in (1, 2):
        (tmp_path / f"{seed}.txt").write_text(f"the {seed} 2\ndog 3 4\n")
    monkeypatch.setenv("VECTORS_HERE", str(tmp_path / "1.txt"))
    first = run_one(study, out, "graph", 1, lambda message: None)
    assert list(first.named_files) == ["$VECTORS_HERE"]
    monkeypatch.setenv("VECTORS_HERE", str(tmp_path / "2.txt"))
    with pytest.raises(DataError, match=r"\$VECTORS_HERE is another file than it was for .*seed-1"):
        run_all(study, out, ["graph"], [2], lambda run, message: None)
    assert not (out / "graph" / "seed-2").exists()
    second = run_one(study, out, "graph", 2, lambda message: None)  # as on another machine
    assert first.named_files != second.named_files
    with pytest.raises(
        DataError, match=r"seed-2: \$VECTORS_HERE is another file .*; name the same"
    ):
        write_report(study, out)
    facts = json.loads(second.file.read_text("utf-8"))
    del facts["named_files"]  # as an earlier arctree has left it
    second.file.write_text(json.dumps(facts))
    assert write_report(study, out)["systems"][1]["seeds"] == [1, 2]


HOSTED = """
[settings.hosted.stanza]
vectors = "$VECTORS_HERE"
epochs = 2
epoch_size = 10
steps = {steps}
word_batch = 100
tree_options = ["--hidden_size", "8"]
graph_options = ["--hidden_dim", "8", "--char_hidden_dim", "8"]

[[systems]]
name = "hosted"
kind = "stanza-graph"
settings = "hosted"
"""


@pytest.mark.parametrize("name", ["graph", "hosted"])
def test_a_run_that_failed_before_it_learnt_anything_may_be_mended(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file in its place, and a setting besides."""
    path, vectors = with_vectors(tmp_path), tmp_path / "vectors.txt"
    text = path.read_text("utf-8")
    path.write_text(text + HOSTED.format(steps=4))
    monkeypatch.setenv("VECTORS_HERE", str(vectors))
    vectors.write_text("the 1 2\n" * 200 + "no numbers\n")  # the first lines are looked at before
    failures = run_all(load_study(str(path)), tmp_path / "out", [name], [1], lambda run, told: None)
    assert "vectors.txt" in failures[0].reason
    vectors.write_text("the 1 2\ndog 3 4\n")
    mended = text.replace("training.epochs=1", "training.epochs=2") + HOSTED.format(steps=6)
    path.write_text(mended)
    run = run_one(load_study(str(path)), tmp_path / "out", name, 1, lambda message: None)
    assert run.is_finished
    assert run.named_files == {"$VECTORS_HERE": file_hash(vectors)}


def test_an_interrupted_run_does_not_go_on_with_other_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stanza would read them anew."""
    path, vectors = with_vectors(tmp_path), tmp_path / "vectors.txt"
    path.write_text(path.read_text("utf-8") + HOSTED.format(steps=40))
    monkeypatch.setenv("VECTORS_HERE", str(vectors))
    vectors.write_text("the 1 2\ndog 3 4\n")
    study, out = load_study(str(path)), tmp_path / "out"

    def stop(message: str) -> None:
        if ", look " in message:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_one(study, out, "hosted", 1, stop)
    vectors.write_text("the 5 2\ndog 3 4\n")
    told = r"seed-1: \$VECTORS_HERE is another file than it was before"
    with pytest.raises(DataError, match=told):
        run_one(study, out, "hosted", 1, lambda message: None)
    with pytest.raises(DataError, match=told):
        run_all(study, out, ["hosted"], [1], lambda run, message: None)


def test_networks_that_read_other_vectors_are_not_shared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, vectors = with_vectors(tmp_path), tmp_path / "vectors.txt"
    hosted = HOSTED.replace("stanza-graph", "stanza-mapped")
    path.write_text(path.read_text("utf-8") + hosted.format(steps=4))
    monkeypatch.setenv("VECTORS_HERE", str(vectors))
    study = load_study(str(path))
    [run] = runs_of(study, tmp_path / "out", ["hosted"], [1])
    places = []
    for number in (1, 2):
        vectors.write_text(f"the {number} 2\n")
        places.append(shared_folders(study, run))
    assert places[0].labeller != places[1].labeller
    assert places[0].tagger != places[1].tagger
    assert places[0].characters == places[1].characters
    vectors.write_text("the 1 2\n")
    assert shared_folders(study, run) == places[0]
    run_one(study, tmp_path / "out", "hosted", 1, lambda message: None)
    vectors.unlink()  # whose hash the run has noted
    assert shared_folders(study, run) == places[0]
    assert places[0].labeller is not None
    assert places[0].labeller.is_dir()


def test_a_directory_is_known_by_what_makes_a_model(tmp_path: Path) -> None:
    text = write_study(tmp_path).read_text("utf-8")
    model = tmp_path / "model"
    model.mkdir()
    start = f'set = ["training.start={model}"]'
    (tmp_path / "toy.toml").write_text(text.replace('set = ["training.epochs=2"]', start))
    mapped, graph = load_study(str(tmp_path / "toy.toml")).entries
    assert hashes_of(mapped) == hashes_of(graph) == {}
    found = []
    for name, content in (("config.json", "a"), ("README.md", "b"), ("model.safetensors", "c")):
        (model / name).write_text(content)
        found.append(hashes_of(graph)[str(model)])
    assert found[0] == found[1] != found[2]


def test_a_model_of_the_hub_is_known_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_study(tmp_path)
    text = path.read_text("utf-8")
    path.write_text(
        f'{text}[settings.hub.encoder]\nsource = "$ENCODER_HERE"\n'
        '[[systems]]\nname = "hub"\nkind = "mapped"\nsettings = "hub"\n'
    )
    entry = load_study(str(path)).entry("hub")
    monkeypatch.setenv("ENCODER_HERE", "some/encoder")
    assert hashes_of(entry) == {"$ENCODER_HERE, of the hub": "some/encoder"}
    monkeypatch.setenv("ENCODER_HERE", "")
    assert hashes_of(entry) == {}


def test_files_of_other_names_may_differ() -> None:
    check_alike([("a", {"$ONE": "1", "$TWO": "2"}), ("b", {"$ONE": "1"}), ("c", {"$THREE": "3"})])
