"""Two processes do not write into one folder."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path
from unittest import mock

import pytest

from arctree.errors import CallError, DataError
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


def test_where_there_are_no_locks_there_is_none(tmp_path: Path) -> None:
    error = OSError(errno.ENOLCK, "No locks available")
    with mock.patch("fcntl.flock", side_effect=error), locked(tmp_path, waits):
        pass


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    told = f"^{tmp_path}/file/run: cannot be written: Not a directory$"
    with pytest.raises(CallError, match=told), locked(tmp_path / "file" / "run", waits):
        pass


@pytest.mark.xdist_group("training")
def test_a_run_that_another_process_has_finished_meanwhile_is_left_as_it_is(
    study: Study, results: Path, tmp_path: Path
) -> None:
    shutil.copytree(results / "mapped" / "seed-1", tmp_path / "mapped" / "seed-1")
    file = tmp_path / "mapped" / "seed-1" / "run.json"
    finished = file.read_text("utf-8")
    file.write_text(finished.replace('"finished": true', '"finished": false'))

    def finish(*_: object) -> dict[str, str]:
        file.write_text(finished)
        return {}

    with mock.patch("arctree.study.running.hashes_of", finish):
        run_one(study, tmp_path, "mapped", 1, print)
    assert file.read_text("utf-8") == finished


@pytest.mark.xdist_group("training")
def test_a_run_that_another_process_does_is_refused(study: Study, tmp_path: Path) -> None:
    told = "mapped/seed-1: another process does this run; let it come to its end"
    with locked(tmp_path / "mapped" / "seed-1", waits):
        with pytest.raises(DataError, match=told):
            run_one(study, tmp_path, "mapped", 1, print)
        [failure] = run_all(study, tmp_path, ["mapped"], [1], lambda run, message: None)
        assert "another process does this run" in failure.reason
    assert not (tmp_path / "mapped" / "seed-1" / "model").exists()
