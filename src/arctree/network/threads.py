"""How many threads torch may take on the CPU while we compute."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

import torch


class BoundedThreads:
    """Bounds torch's threads while a block of ours is running.

    Torch has a bound for each thread that calls it, and one from which new threads start. What
    held when the first of several blocks began is put back by each of them.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._before = 0

    @contextmanager
    def at_most(self, threads: int | None) -> Iterator[None]:
        """A block in which at most so many are used; as many as before if none is given."""
        if threads is None:
            yield
            return
        with self._lock:
            if not self._inside:
                self._before = torch.get_num_threads()
            self._inside += 1
        torch.set_num_threads(min(threads, os.cpu_count() or 1))
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                torch.set_num_threads(self._before)


BOUNDED = BoundedThreads()
