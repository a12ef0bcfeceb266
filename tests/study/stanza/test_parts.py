"""Parts of systems: finished ones stay, and only one process trains one."""

from __future__ import annotations

import threading
from pathlib import Path

from arctree.study.stanza.parts import Part


def test_a_part_is_trained_once_it_is_finished(tmp_path: Path) -> None:
    part = Part(tmp_path / "part")
    with part.locked():
        assert part.trained is None
        assert [part.scored(), part.scored()] == [1, 2]
        assert part.trained is None
        part.finish(17)
    trained = Part(tmp_path / "part").trained
    assert trained is not None
    assert trained.parameters == 17


def test_time_and_looks_go_on_being_counted(tmp_path: Path) -> None:
    first, second = Part(tmp_path), Part(tmp_path)
    with first.locked():
        first.scored()
    with second.locked():
        assert second.scored() == 2
        second.finish(1)
    before = second.trained
    with first.locked():
        first.finish(1)
    after = first.trained
    assert before is not None
    assert after is not None
    assert after.seconds >= before.seconds > 0


def test_others_wait_until_the_part_is_finished(tmp_path: Path) -> None:
    seen: list[bool] = []
    entered = threading.Event()

    def wait_for_it() -> None:
        entered.set()
        with Part(tmp_path).locked():
            seen.append(Part(tmp_path).trained is not None)

    with Part(tmp_path).locked():
        other = threading.Thread(target=wait_for_it)
        other.start()
        entered.wait()
        Part(tmp_path).finish(1)
    other.join()
    assert seen == [True]
