"""A part of a system: one network, trained into a folder of its own.

A part that is finished is never trained again; one that was interrupted goes on from Stanza's
last checkpoint, which is removed at the end, and its time goes on being counted. Several systems
may share a part, even while they run side by side: the folder is locked while one of them trains
it, and the others wait.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any

from arctree.errors import DataError
from arctree.parsing.model_files import read_json
from arctree.study.locks import locked
from arctree.study.stanza.model_files import ANEW
from arctree.study.system import Trained

_LEFT_OVER = ("*_checkpoint.pt", "*.pt.new")


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
    def locked(self, say: Callable[[str], None]) -> Iterator[None]:
        """Nobody else trains the part meanwhile; if somebody does now, that is said."""
        with locked(self.folder, lambda: say(f"another process trains {self.folder}; waiting")):
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
        """Say that the part is trained; and what was spent on it elsewhere, besides.

        Stanza's checkpoints, several times as large as the model, are of no more use then.
        """
        self.count_time()
        record = self._read()
        self._write({**record, "seconds": record["seconds"] + seconds, "parameters": parameters})
        for pattern in _LEFT_OVER:
            for path in self.folder.glob(pattern):
                path.unlink()

    def count_time(self) -> None:
        """Count the time since it was last counted."""
        now = monotonic()
        record = self._read()
        self._write({**record, "seconds": record.get("seconds", 0.0) + now - self._since})
        self._since = now

    def _read(self) -> dict[str, float]:
        if not self._record.is_file():
            return {}
        record: dict[str, float] = {}
        with suppress(DataError):  # whatever it is, it is not ours
            record = read_json(self._record)
        if not isinstance(record.get("seconds"), int | float):
            raise DataError(
                "not what this arctree writes of a training", ANEW, file=str(self._record)
            )
        return record

    def _write(self, record: dict[str, float]) -> None:
        new = self._record.with_suffix(".new")
        new.write_text(json.dumps(record) + "\n", "utf-8")
        new.replace(self._record)


def parameters_of(network: Any) -> int:
    """The numbers that a network has learnt; those that it was told beforehand do not count."""
    return sum(weight.numel() for weight in network.parameters() if weight.requires_grad)
