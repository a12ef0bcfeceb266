"""Folders that one process at a time may write into; the lock ends with the process at the latest.

On systems without such locks there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

LOCK = "lock"


@contextmanager
def locked(folder: Path, when_taken: Callable[[], None]) -> Iterator[None]:
    """Nobody else has the folder meanwhile.

    If somebody has it now, ``when_taken`` is called, and unless that is an error they are waited
    for.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("w") as stream:
        try:
            import fcntl
        except ImportError:
            yield
            return
        try:
            fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            when_taken()
            fcntl.flock(stream.fileno(), fcntl.LOCK_EX)
        yield
