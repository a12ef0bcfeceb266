"""Two processes do not write into one folder."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from arctree.errors import CallError, DataError
from arctree.study.configuring import Study
from arctree.study.locks import locked
from arctree.study.running import run_all, run_one
from arctree.study.runs import Run


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


def test_whoever_waited_for_a_lock_and_gets_none_goes_on(tmp_path: Path) -> None:
    error = OSError(errno.ENOLCK, "No locks available")
    said: list[str] = []
    with (
        mock.patch("fcntl.flock", side_effect=[BlockingIOError(), error]),
        locked(tmp_path, lambda: said.append("waiting")),
    ):
        assert said == ["waiting"]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    told = f"^{tmp_path}/file/run: cannot be written: Not a directory$"
    with pytest.raises(CallError, match=told), locked(tmp_path / "file" / "run", waits):
        pass


@pytest.fixture
def unfinished(results: Path, tmp_path: Path) -> Path:
    """The record of a run that has not come to its end, and beside it what it will be then."""
    shutil.copytree(results / "mapped" / "seed-1", tmp_path / "mapped" / "seed-1")
    file = tmp_path / "mapped" / "seed-1" / "run.json"
    finished = file.read_text("utf-8")
    file.write_text(finished.replace('"finished": true', '"finished": false'))
    file.with_suffix(".finished").write_text(finished)
    return file


def finishing(file: Path, was: str = "", now: str = "") -> Callable[..., dict[str, str]]:
    """What another process does between the first look at a run and its lock."""

    def finish(*_: object) -> dict[str, str]:
        file.write_text(file.with_suffix(".finished").read_text("utf-8").replace(was, now))
        return {}

    return finish


@pytest.mark.xdist_group("training")
def test_a_run_that_another_process_has_finished_meanwhile_is_left_as_it_is(
    study: Study, unfinished: Path, tmp_path: Path
) -> None:
    with mock.patch("arctree.study.running.hashes_of", finishing(unfinished)):
        run_one(study, tmp_path, "mapped", 1, print)
    assert unfinished.read_text("utf-8") == unfinished.with_suffix(".finished").read_text("utf-8")


@pytest.mark.xdist_group("training")
def test_another_run_that_another_process_has_finished_meanwhile_is_refused(
    study: Study, unfinished: Path, tmp_path: Path
) -> None:
    finish = finishing(unfinished, '"lifting": "head"', '"lifting": "path"')
    refused = "lifting was path and is head"
    with (
        mock.patch("arctree.study.running.hashes_of", finish),
        pytest.raises(DataError, match=refused),
    ):
        run_one(study, tmp_path, "mapped", 1, print)


@pytest.mark.xdist_group("training")
@pytest.mark.parametrize("was", ['"lifting": "head"', "{"])
def test_what_another_process_does_otherwise_or_damages_is_a_failure(
    was: str, study: Study, unfinished: Path, tmp_path: Path
) -> None:
    def say(run: Run, message: str) -> None:
        finishing(unfinished, was, '"lifting": "path"')()

    with locked(unfinished.parent, waits):
        assert len(run_all(study, tmp_path, ["mapped"], [1], say)) == 1


@pytest.mark.xdist_group("training")
def test_what_another_process_finishes_is_no_failure(
    study: Study, unfinished: Path, tmp_path: Path
) -> None:
    said: list[str] = []

    def say(run: Run, message: str) -> None:
        said.append(message)
        finishing(unfinished)()

    with locked(unfinished.parent, waits):
        assert run_all(study, tmp_path, ["mapped"], [1], say) == []
    assert "failed: " in said[0]


@pytest.mark.xdist_group("training")
def test_a_run_that_another_process_does_is_refused(study: Study, tmp_path: Path) -> None:
    told = "mapped/seed-1: another process does this run; let it come to its end"
    with locked(tmp_path / "mapped" / "seed-1", waits):
        with pytest.raises(DataError, match=told):
            run_one(study, tmp_path, "mapped", 1, print)
        [failure] = run_all(study, tmp_path, ["mapped"], [1], lambda run, message: None)
        assert "another process does this run" in failure.reason
    assert not (tmp_path / "mapped" / "seed-1" / "model").exists()
