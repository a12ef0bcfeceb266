"""Worker processes that parse, with results in the order of what there was to do.

Each worker has one step at a time, so when one dies it is known what it was doing; every part of
the step is a :class:`Failure` then, and another worker takes its place. Only so many steps are
read ahead of the one whose results are awaited, so memory is bounded. A worker ends when this
process does, however that ends: its pipe closes.
"""

from __future__ import annotations

import signal
import traceback
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Self

from arctree.cli.steps import Failure, Outcome, Pages, Part, Step, Work, parts_of, with_results
from arctree.errors import ArctreeError, CallError, DataError

# Steps that are begun or done, and not written, for each worker.
_AHEAD = 4


class InThisProcess:
    """Does every step here, one after the other."""

    def __init__(self, work: Work) -> None:
        self.work = work

    def __enter__(self) -> Self:
        self.work.load()
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def outcomes(self, steps: Iterable[Step]) -> Iterator[Outcome]:
        """The steps, with the results of their parts in their place."""
        for step in steps:
            parts = parts_of(step)
            yield from with_results(step, self.work(parts) if parts else ())


class InWorkers:
    """Does the steps in other processes."""

    def __init__(self, work: Work, count: int) -> None:
        self.work = work
        self.count = count
        self.workers: list[_Worker] = []
        self._todo: deque[_Place] = deque()

    def __enter__(self) -> Self:
        try:
            self.workers = [_Worker(self.work) for _ in range(self.count)]
            for worker in self.workers:
                worker.await_model()
        except BaseException:
            self._stop(at_once=True)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._stop(at_once=kind is not None)

    def outcomes(self, steps: Iterable[Step]) -> Iterator[Outcome]:
        """The steps, with the results of their parts in their place."""
        steps = iter(steps)
        places: deque[_Place] = deque()
        is_over = False
        while places or not is_over:
            while not is_over and not self._todo and len(places) < _AHEAD * self.count:
                step = next(steps, None)
                if step is None:
                    is_over = True
                else:
                    places.append(_Place(step))
                    if places[-1].results is None:
                        self._todo.append(places[-1])
                        self._hand_out()
            while places and (results := places[0].results) is not None:
                yield from with_results(places.popleft().step, results)
            if places and (is_over or self._todo or len(places) >= _AHEAD * self.count):
                self._receive()
                self._hand_out()

    def _hand_out(self) -> None:
        for number, worker in enumerate(self.workers):
            while self._todo and worker.place is None:
                if worker.give(self._todo[0]):
                    self._todo.popleft()
                else:
                    self._replace(number)
                    worker = self.workers[number]

    def _receive(self) -> None:
        """Wait until a worker has something to say, or nothing to say any more."""
        ready = wait([worker.connection for worker in self.workers if worker.place is not None])
        for number, worker in enumerate(self.workers):
            if worker.connection in ready and worker.place is not None and not worker.take():
                self._replace(number)

    def _replace(self, number: int) -> None:
        """Another worker in the place of one that died."""
        dead = self.workers[number]
        if dead.place is not None:
            error = DataError(
                f"the worker process that parsed it {dead.ending()}",
                "if memory ran out, use fewer --workers",
            )
            dead.place.results = [Failure(error) for _ in dead.place.parts]
        self.workers[number] = _Worker(self.work)
        self.workers[number].await_model()

    def _stop(self, *, at_once: bool) -> None:
        for worker in self.workers:
            worker.connection.close()
            if at_once:
                worker.process.terminate()
        for worker in self.workers:
            worker.process.join(5)
            if worker.process.exitcode is None:
                worker.process.kill()
                worker.process.join()


@dataclass(slots=True, eq=False)
class _Place:
    """A step, its parts, and their results when they are there."""

    step: Step
    parts: list[Part] = field(init=False)
    results: Sequence[Pages | Failure] | None = None

    def __post_init__(self) -> None:
        self.parts = parts_of(self.step)
        if not self.parts:
            self.results = []


@dataclass(slots=True, eq=False)
class _Worker:
    """A process, the pipe to it, and the place of what it is doing."""

    work: Work
    process: SpawnProcess = field(init=False)
    connection: Connection = field(init=False)
    place: _Place | None = None

    def __post_init__(self) -> None:
        context = get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=_serve, args=(other, self.work), daemon=True)
        # At ctrl-C this process ends the others; they are not to speak up themselves.
        earlier = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            self.process.start()
        finally:
            signal.signal(signal.SIGINT, earlier)
        other.close()

    def await_model(self) -> None:
        """Wait until it has loaded the model; if it cannot, that is an error here."""
        try:
            error = self.connection.recv()
        except (EOFError, OSError):
            raise CallError(
                f"a worker process {self.ending()} while it loaded the model; use fewer --workers"
            ) from None
        if error is not None:
            raise error

    def give(self, place: _Place) -> bool:
        """Hand over what there is to parse; false if nobody is there."""
        try:
            self.connection.send(place.parts)
        except OSError:
            return False
        self.place = place
        return True

    def take(self) -> bool:
        """Take the results to their place; false if there are none and will be none."""
        assert self.place is not None
        try:
            results = self.connection.recv()
        except (EOFError, OSError):
            return False
        if isinstance(results, str):
            raise RuntimeError(f"in a worker process:\n{results}")
        self.place.results = results
        self.place = None
        return True

    def ending(self) -> str:
        """How it came to its end."""
        self.process.join()
        code = self.process.exitcode or 0
        return f"was killed by signal {-code}" if code < 0 else f"ended with status {code}"


def _serve(connection: Connection, work: Work) -> None:
    """What a worker does: load the model, say so, and parse until no more can come."""
    with suppress(EOFError, OSError):
        try:
            work.load()
        except ArctreeError as error:
            connection.send(_that_travels(error))
            return
        connection.send(None)
        while True:
            parts = connection.recv()
            results: list[Pages | Failure] | str
            try:
                results = [
                    Failure(_that_travels(result.error)) if isinstance(result, Failure) else result
                    for result in work(parts)
                ]
            except Exception:
                results = traceback.format_exc()
            connection.send(results)


def _that_travels(error: ArctreeError) -> ArctreeError:
    """The error as one that can be pickled."""
    return error if isinstance(error, DataError) else CallError(str(error))
