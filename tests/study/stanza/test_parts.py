"""Parts of systems: finished ones stay, and only one process trains one."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from arctree.errors import DataError
from arctree.study.stanza.parts import Part


def ignored(_: str) -> None:
    """Somebody who does not listen."""


def test_a_part_is_trained_once_it_is_finished(tmp_path: Path) -> None:
    part = Part(tmp_path / "part")
    with part.locked(ignored):
        assert part.trained is None
        assert [part.scored(), part.scored()] == [1, 2]
        assert part.trained is None
        part.finish(17)
    trained = Part(tmp_path / "part").trained
    assert trained is not None
    assert trained.parameters == 17


def test_time_and_looks_go_on_being_counted(tmp_path: Path) -> None:
    first, second = Part(tmp_path), Part(tmp_path)
    with first.locked(ignored):
        first.scored()
    with second.locked(ignored):
        assert second.scored() == 2
        second.finish(1)
    before = second.trained
    with first.locked(ignored):
        first.finish(1)
    after = first.trained
    assert before is not None
    assert after is not None
    assert after.seconds >= before.seconds > 0


def test_others_wait_until_the_part_is_finished(tmp_path: Path) -> None:
    seen: list[bool] = []
    said: list[str] = []
    entered = threading.Event()

    def waits(message: str) -> None:
        said.append(message)
        entered.set()

    def wait_for_it() -> None:
        with Part(tmp_path).locked(waits):
            seen.append(Part(tmp_path).trained is not None)

    with Part(tmp_path).locked(ignored):
        other = threading.Thread(target=wait_for_it)
        other.start()
        assert entered.wait(60)
        Part(tmp_path).finish(1)
    other.join()
    assert seen == [True]
    assert said == [f"another process trains {tmp_path}; waiting"]


def test_of_a_finished_part_no_checkpoint_is_left(tmp_path: Path) -> None:
    for name in ("parser.pt", "parser_checkpoint.pt", "parser.pt.new"):
        (tmp_path / name).write_bytes(b"weights")
    part = Part(tmp_path)
    part.scored()
    assert (tmp_path / "parser_checkpoint.pt").is_file()
    part.finish(1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["parser.pt", "record.json"]


def test_a_damaged_record_is_told(tmp_path: Path) -> None:
    for text in ('{"seconds": 1', "[]", '{"parameters": 5}'):
        (tmp_path / "record.json").write_text(text, "utf-8")
        with pytest.raises(DataError, match=r"record.json: not what .*; restore it, or remove"):
            _ = Part(tmp_path).trained
