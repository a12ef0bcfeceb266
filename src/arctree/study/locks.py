"""Folders that one process at a time may write into; the lock ends with the process at the latest.

On systems and file systems without such locks there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from arctree.errors import CallError

_LOCK = "lock"


@contextmanager
def locked(folder: Path, when_taken: Callable[[], None]) -> Iterator[None]:
    """Nobody else has the folder meanwhile.

    If somebody has it now, ``when_taken`` is called, and unless that is an error they are waited
    for.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        stream = (folder / _LOCK).open("w")
    except OSError as error:
        raise CallError(f"{folder}: cannot be written: {error.strerror}") from error
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
    except BlockingIOError:
        when_taken()
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except OSError:  # the file system has none
        return
