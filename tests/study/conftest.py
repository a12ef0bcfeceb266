"""One small study, run once."""

from __future__ import annotations

from pathlib import Path

import pytest

from arctree.study.configuring import Study, load_study
from arctree.study.running import run_all
from studied import write_study


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return load_study(str(write_study(tmp_path_factory.mktemp("study"))))


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory, study: Study) -> Path:
    """The folder of its finished runs; tests only read it."""
    folder = tmp_path_factory.mktemp("results")
    assert run_all(study, folder, [], [], lambda run, message: None) == []
    return folder
