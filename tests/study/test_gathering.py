"""Whom a system is compared with, and over which seeds."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from arctree.study.configuring import Study, load_study
from arctree.study.gathering import gather

pytestmark = pytest.mark.xdist_group("training")


@pytest.fixture
def turned(study: Study, tmp_path: Path) -> Study:
    """The same study with the graph-based system above the mapped one, which has one seed more."""
    before, mapped, graph = Path(study.file).read_text("utf-8").split("[[systems]]")
    path = tmp_path / "turned.toml"
    graph = graph.replace("set = [", "seeds = [2]\nset = [")
    path.write_text("[[systems]]".join([before, graph, mapped]), "utf-8")
    return load_study(str(path))


def test_the_reference_is_the_mapped_system_wherever_it_stands(turned: Study) -> None:
    assert [turned.reference(entry).name for entry in turned.entries] == ["mapped", "mapped"]
    assert [entry.name for entry in turned.entries] == ["graph", "mapped"]


def test_systems_are_compared_over_the_seeds_that_both_have(
    turned: Study, results: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "results"
    shutil.copytree(results, folder, ignore=shutil.ignore_patterns("model"))
    for split in ("dev", "test"):  # so that the seeds differ
        answers = folder / "mapped" / "seed-1" / f"{split}.conllu"
        answers.write_text(answers.read_text("utf-8").replace("\tdet\t", "\twrong\t"), "utf-8")
    graph, mapped = gather(turned, folder, resamples=10)["systems"]
    assert (graph["seeds"], mapped["seeds"]) == ([2], [1, 2])
    assert (graph["reference"], mapped["differences"]) == ("mapped", None)
    assert graph["differences"]["seeds"] == [2]
    for split in ("dev", "test"):
        for name in ("uas", "las"):
            _, second = mapped["scores"][split][name]["values"]
            [own] = graph["scores"][split][name]["values"]
            assert graph["differences"][split][name]["delta"] == pytest.approx(own - second)
