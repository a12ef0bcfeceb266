from __future__ import annotations

import json
from pathlib import Path

import pytest

from arctree.errors import DataError
from arctree.study.configuring import load_study
from arctree.study.named_files import check_alike, hashes_of
from arctree.study.report import write_report
from arctree.study.running import run_all, run_one
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


def test_a_directory_is_known_by_its_files(tmp_path: Path) -> None:
    text = write_study(tmp_path).read_text("utf-8")
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "weights").write_text("a")
    start = f'set = ["training.start={tmp_path / "model"}"]'
    (tmp_path / "toy.toml").write_text(text.replace('set = ["training.epochs=2"]', start))
    mapped, graph = load_study(str(tmp_path / "toy.toml")).entries
    assert hashes_of(mapped) == {}
    assert list(hashes_of(graph)) == [str(tmp_path / "model")]


def test_files_of_other_names_may_differ() -> None:
    check_alike([("a", {"$ONE": "1", "$TWO": "2"}), ("b", {"$ONE": "1"}), ("c", {"$THREE": "3"})])
