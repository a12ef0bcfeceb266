"""Two processes do not write into one folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from arctree.errors import DataError
from arctree.study.configuring import Study
from arctree.study.locks import locked
from arctree.study.running import run_all, run_one


class WaitingError(Exception):
    """Told in place of waiting."""


def waits() -> None:
    raise WaitingError


def test_a_folder_is_one_process_s_at_a_time(tmp_path: Path) -> None:
    with locked(tmp_path / "one", waits):
        with locked(tmp_path / "other", waits):
            pass
        with pytest.raises(WaitingError), locked(tmp_path / "one", waits):
            pass
    with locked(tmp_path / "one", waits):
        pass


@pytest.mark.xdist_group("training")
def test_a_run_that_another_process_does_is_refused(study: Study, tmp_path: Path) -> None:
    told = "mapped/seed-1: another process does this run; let it come to its end"
    with locked(tmp_path / "mapped" / "seed-1", waits):
        with pytest.raises(DataError, match=told):
            run_one(study, tmp_path, "mapped", 1, print)
        [failure] = run_all(study, tmp_path, ["mapped"], [1], lambda run, message: None)
        assert "another process does this run" in failure.reason
    assert not (tmp_path / "mapped" / "seed-1" / "model").exists()
