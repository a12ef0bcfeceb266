"""The study in small that ``make study`` does."""

from __future__ import annotations

from pathlib import Path

import pytest

from arctree.study.configuring import HOSTED, NATIVE, load_study
from arctree.study.running import system_for
from arctree.study.runs import runs_of
from command_line import PROJECT
from trained import write_toy_files

FOLDER = PROJECT / "examples" / "study"


def test_its_treebank_is_the_little_language(tmp_path: Path) -> None:
    write_toy_files(tmp_path, 300, 60)
    for split in ("train", "dev", "test"):
        written = (tmp_path / f"{split}.conllu").read_bytes()
        assert (FOLDER / f"{split}.conllu").read_bytes() == written


def test_it_has_every_kind_and_nothing_is_wrong_with_it_beforehand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(PROJECT)
    study = load_study("examples/study/toy.toml")
    runs = runs_of(study, tmp_path)
    assert [run.entry.kind for run in runs] == [*NATIVE, *HOSTED]
    for run in runs:
        system_for(study, run).check(run.folder)
