"""What a command tells the person beside its output, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from arctree.cli.options import OnErrorChoice
from arctree.draw.width import visible
from arctree.errors import DataError

Thing = TypeVar("Thing")


def say(command: str, message: str) -> None:
    """One line to the person, safe for a terminal whatever the data holds."""
    print(f"arctree {command}: {visible(message)}", file=sys.stderr)


def plural(count: int, noun: str) -> str:
    """A count with its noun."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


class Skipped:
    """Bad sentences: raised, or with ``--on-error skip`` reported one by one and counted."""

    def __init__(self, command: str, choice: OnErrorChoice) -> None:
        self.command = command
        self.choice = choice
        self.count = 0

    def __call__(self, error: DataError) -> None:
        if self.choice is OnErrorChoice.STOP:
            raise error
        self.count += 1
        say(self.command, f"skipped: {error}")

    @contextmanager
    def guard(self, file: str, line: int, sentence: str | None = None) -> Iterator[None]:
        """Treat an error inside the block like a bad sentence at this place."""
        try:
            yield
        except DataError as error:
            self(error.at(file=file, line=line, sentence=sentence))

    def conclude(self) -> None:
        """The final count, said even when it is zero."""
        if self.choice is OnErrorChoice.SKIP:
            say(self.command, f"{plural(self.count, 'bad sentence')} skipped")


def progress(things: Iterable[Thing], what: str) -> Iterator[Thing]:
    """Count things on a terminal while they pass by; elsewhere just pass them on."""
    if not sys.stderr.isatty() or sys.stdout.isatty():
        yield from things
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.completed:,} {task.description}"))
    with Progress(
        *columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True
    ) as bar:
        task = bar.add_task(what, total=None)
        for thing in things:
            yield thing
            bar.advance(task)
