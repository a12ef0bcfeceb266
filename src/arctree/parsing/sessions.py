"""What runs on the CPU: onnxruntime sessions, and how many threads all of it may take."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from arctree.errors import CallError, DataError


def session(path: Path, threads: int) -> Any:
    """The graph in a file, ready to run on so many threads.

    It is read here and handed over as bytes, so that it can name no other files.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(checked_threads(threads), os.cpu_count() or 1)
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # no two batches have the same shape
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(
            path.read_bytes(), options, providers=["CPUExecutionProvider"]
        )
    except OSError as error:
        raise CallError(f"{path}: cannot be read: {error.strerror or error}") from error
    except Exception as error:  # its errors have no common type
        raise DataError(
            f"no graph that onnxruntime can run: {str(error).splitlines()[0]}",
            "fetch it again",
            file=str(path),
        ) from error


def checked_threads(threads: object) -> int:
    """The number, if it is one of threads."""
    if not isinstance(threads, int) or isinstance(threads, bool) or threads < 1:
        raise CallError(f"{threads!r} threads; give one or more")
    return threads


class BoundedThreads:
    """Bounds the threads of numpy's matrix products while any block of ours is running.

    Left alone they take every core. The library that computes them has one bound for the whole
    process; it is set when the first block begins, and put back when the last one ends.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._controller: Any = None
        self._bound: Any = None

    @contextmanager
    def at_most(self, threads: int) -> Iterator[None]:
        """A block in which at most so many are used."""
        with self._lock:
            if self._controller is None:
                from threadpoolctl import ThreadpoolController

                self._controller = ThreadpoolController()
            if not self._inside:
                self._bound = self._controller.limit(limits=threads, user_api="blas")
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if not self._inside:
                    self._bound.restore_original_limits()


BOUNDED = BoundedThreads()
