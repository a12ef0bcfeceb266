"""A part of a system: one network, trained into a folder of its own.

A part that is finished is never trained again; one that was interrupted goes on from Stanza's
last checkpoint, and its time goes on being counted. Several systems may share a part, even while
they run side by side: the folder is locked while one of them trains it, and the others wait.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

from arctree.study.system import Trained


class Part:
    """A folder with a network in it, or with what there is of one so far."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._record = folder / "record.json"
        self._since = monotonic()

    @property
    def trained(self) -> Trained | None:
        """What the training took, once it is finished."""
        record = self._read()
        parameters = record.get("parameters")
        return None if parameters is None else Trained(int(parameters), record["seconds"])

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else trains the part meanwhile; the lock ends with the process at the latest."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "lock").open("w") as stream:
            _lock(stream.fileno())
            self._since = monotonic()
            yield

    def begin_again(self) -> None:
        """Forget the looks at dev of a training that cannot go on; its time stays counted."""
        if record := self._read():
            self._write({**record, "looks": 0})

    def scored(self) -> int:
        """Count a look at dev, and the time since the last one; how many looks there have been."""
        self.count_time()
        record = self._read()
        looks = int(record.get("looks", 0)) + 1
        self._write({**record, "looks": looks})
        return looks

    def finish(self, parameters: int, seconds: float = 0.0) -> None:
        """Say that the part is trained; and what was spent on it elsewhere, besides."""
        self.count_time()
        record = self._read()
        self._write({**record, "seconds": record["seconds"] + seconds, "parameters": parameters})

    def count_time(self) -> None:
        """Count the time since it was last counted."""
        now = monotonic()
        record = self._read()
        self._write({**record, "seconds": record.get("seconds", 0.0) + now - self._since})
        self._since = now

    def _read(self) -> dict[str, float]:
        try:
            record: dict[str, float] = json.loads(self._record.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        return record

    def _write(self, record: dict[str, float]) -> None:
        new = self._record.with_suffix(".new")
        new.write_text(json.dumps(record) + "\n", "utf-8")
        new.replace(self._record)


def parameters_of(network: Any) -> int:
    """The numbers that a network has learnt; those that it was told beforehand do not count."""
    return sum(weight.numel() for weight in network.parameters() if weight.requires_grad)


def _lock(descriptor: int) -> None:
    """Wait for the file and lock it, on systems that have such locks."""
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(descriptor, fcntl.LOCK_EX)
