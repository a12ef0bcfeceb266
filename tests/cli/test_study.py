from __future__ import annotations

import json
import re
from pathlib import Path
from unittest import mock

import pytest

from command_line import Arctree
from studied import write_study

pytestmark = pytest.mark.xdist_group("training")


def test_a_study_in_parts_and_then_whole(arctree: Arctree, tmp_path: Path) -> None:
    path = write_study(tmp_path, epochs=2, train=20, dev=8)
    out = tmp_path / "out"
    part = arctree("study", path, "-o", out, "--only", "mapped", "--seed", "2")
    assert part.status == 0, part.err
    assert "arctree study: mapped, seed 2: epoch 2/2  dev UAS" in part.err
    assert not (out / "report").exists()
    whole = arctree("study", path, "-o", out)
    assert whole.status == 0, whole.err
    assert "mapped, seed 2: finished before" in whole.err
    assert "graph, seed 1: finished" in whole.err
    assert f"{out / 'report' / 'README.md'} has the report\n" in whole.err
    heading, *rows = whole.out.splitlines()
    assert heading.split()[:3] == ["system", "encoder", "seeds"]
    page = (out / "report" / "README.md").read_text("utf-8").replace("\\_", "_")
    assert [row.split("  ")[0] for row in rows] == ["mapped", "graph-based"]
    for row in rows:
        assert len(row) == len(heading)
        assert f"| {' | '.join(re.split(' {2,}', row))} |" in page
    first = (out / "report" / "report.json").read_text("utf-8")
    again = arctree("study", path, "-o", out)
    assert again.err.count("finished before") == 4
    assert (out / "report" / "report.json").read_text("utf-8") == first
    told = arctree("study", path, "-o", out, "--speed", "cpu")
    assert told.status == 0, told.err
    assert "round 5 of 5" in told.err
    assert json.loads((out / "report" / "report.json").read_text("utf-8"))["speed"]


def test_results_have_the_configuration_s_name(
    arctree: Arctree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_study(tmp_path, epochs=1, train=10, dev=5)
    monkeypatch.chdir(tmp_path)
    assert arctree("study", path, "--only", "graph", "--seed", "1").status == 0
    assert (tmp_path / "studies" / "toy" / "graph" / "seed-1" / "run.json").is_file()
    outcome = arctree("study", path, "--report-only")
    assert outcome.status == 0, outcome.err
    assert "has the report; 3 runs missing" in outcome.err


def test_a_split_that_is_in_another_is_told_beforehand(arctree: Arctree, tmp_path: Path) -> None:
    path = write_study(tmp_path, epochs=1, train=10, dev=5)
    path.write_text(path.read_text("utf-8").replace("/test.conllu", "/dev.conllu"), "utf-8")
    outcome = arctree("study", path, "-o", tmp_path / "out", "--report-only")
    assert outcome.err.startswith("arctree study: dev.conllu of dev is in test, too: what is told")


def test_a_failed_run_is_told_at_the_end(arctree: Arctree, tmp_path: Path) -> None:
    path = write_study(tmp_path, train=10, dev=5)
    text = path.read_text("utf-8").replace("seeds = [1, 2]", "seeds = [1]")
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("the 1 2\n" * 200 + "no numbers\n")  # the first lines are looked at before
    path.write_text(text.replace('["training.epochs=2"]', f'["encoder.vectors={vectors}"]'))
    outcome = arctree("study", path, "-o", tmp_path / "out")
    assert outcome.status == 1
    assert f"graph, seed 1: failed: {vectors}:201: " in outcome.err
    assert "has the report; 1 run missing" in outcome.err
    assert outcome.err.endswith("arctree: 1 run failed: graph, seed 1\n")


def test_a_changed_configuration_is_refused(arctree: Arctree, tmp_path: Path) -> None:
    path = write_study(tmp_path, epochs=1, train=10, dev=5)
    out = tmp_path / "out"
    assert arctree("study", path, "-o", out, "--only", "mapped", "--seed", "1").status == 0
    path.write_text(path.read_text("utf-8").replace("batch = 250", "batch = 300"))
    for more in ((), ("--report-only",)):
        outcome = arctree("study", path, "-o", out, *more)
        assert outcome.status == 1
        assert "settings.training.batch was 250 and is 300" in outcome.err
        assert "give the system another name, or remove the folder" in outcome.err


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (("--only", "grave"), 2, "no system 'grave'; there are: mapped, graph"),
        (("--seed", "7"), 2, "no seed 7; there are: 1, 2"),
        (("--report-only",), 1, "holds no finished run of this study"),
        (("--report-only", "--only", "graph"), 2, "--report-only tells of all runs"),
        (("--speed", "cpu"), 2, "holds no models of finished runs"),
        (("--speed", "cpu", "--seed", "1"), 2, "--speed measures one seed"),
        (("--speed", "abacus"), 2, ""),
    ],
)
def test_wrong_calls_are_told(
    arctree: Arctree, tmp_path: Path, options: tuple[str, ...], status: int, said: str
) -> None:
    path = write_study(tmp_path, train=5, dev=3)
    outcome = arctree("study", path, "-o", tmp_path / "out", *options)
    assert outcome.status == status
    assert said in outcome.err
    assert not (tmp_path / "out").exists()


def test_missing_files_are_told(arctree: Arctree, tmp_path: Path) -> None:
    path = write_study(tmp_path, train=5, dev=3)
    (tmp_path / "test.conllu").unlink()
    outcome = arctree("study", path, "-o", tmp_path / "out")
    assert outcome.status == 2
    assert "test.conllu: cannot be read" in outcome.err
    assert arctree("study", tmp_path / "absent.toml").status == 2


def test_an_interrupted_study_says_that_it_can_go_on(arctree: Arctree, tmp_path: Path) -> None:
    path = write_study(tmp_path, epochs=1, train=10, dev=5)
    with mock.patch("arctree.study.running.run_all", side_effect=SystemExit(143)):
        outcome = arctree("study", path, "-o", tmp_path / "out")
    assert outcome.status == 143
    assert outcome.err.endswith(
        "arctree study: interrupted; the same command goes on where this one stopped\n"
    )


def test_systems_that_a_report_tells_of_and_the_study_has_not_are_told(
    arctree: Arctree, tmp_path: Path
) -> None:
    path = write_study(tmp_path, epochs=1, train=10, dev=5)
    out = tmp_path / "out"
    assert arctree("study", path, "-o", out, "--only", "graph", "--seed", "1").status == 0
    assert arctree("study", path, "-o", out, "--report-only").status == 0
    path.write_text(path.read_text("utf-8").replace('name = "mapped"', 'name = "trees"'))
    outcome = arctree("study", path, "-o", out, "--report-only")
    assert outcome.status == 0, outcome.err
    assert f"{out / 'report'} tells of mapped, too: not in {path}" in outcome.err
