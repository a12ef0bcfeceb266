"""Folders that one process at a time may write into; the lock ends with the process at the latest.

On systems and file systems without such locks there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arctree.files import cannot_write

_LOCK = "lock"


@contextmanager
def locked(folder: Path, when_taken: Callable[[], None]) -> Iterator[None]:
    """Nobody else has the folder meanwhile.

    If somebody has it now, ``when_taken`` is called, and unless that is an error they are waited
    for.
    """
    with cannot_write(str(folder)):
        folder.mkdir(parents=True, exist_ok=True)
        stream = (folder / _LOCK).open("w")
    with stream:
        _lock(stream.fileno(), when_taken)
        yield


def _lock(descriptor: int, when_taken: Callable[[], None]) -> None:
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    except BlockingIOError:
        when_taken()
    except OSError:  # the file system has no locks
        return
    with suppress(OSError):  # nor has it any more
        fcntl.flock(descriptor, fcntl.LOCK_EX)
