"""A run of ``arctree parse``: writes what comes, counts it, and tells the person."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copy import copy

from arctree.cli.inputs import Input
from arctree.cli.outputs import Joined, Mirrored
from arctree.cli.report import plural, say
from arctree.cli.steps import Begin, End, Failure, Outcome, Pages
from arctree.errors import ArctreeError, DataError


class Run:
    """What a run has done so far.

    A document that fails is told of and counted; if ``raises``, its error ends the run.
    """

    def __init__(self, total: int, place: Joined | Mirrored, *, raises: bool) -> None:
        self.total = total
        self.place = place
        self.raises = raises
        self.documents = self.failed = self.sentences = self.words = 0
        self._began = time.monotonic()
        self._took = 0.0
        self._number = 0  # of the last sentence that was written, in its document
        self._words = 0  # of the present document
        self._error: ArctreeError | None = None
        self._is_wanted = True

    def go_through(self, outcomes: Iterable[Outcome]) -> None:
        """Write everything that comes, document by document."""
        self._began = time.monotonic()
        with self._progress() as show:
            for outcome in outcomes:
                match outcome:
                    case Begin():
                        self._number = self._words = 0
                        self._error = None
                        self._is_wanted = self.place.begin(outcome.document, outcome.facts)
                    case Pages():
                        if self._is_wanted and self._error is None:
                            self._write(outcome)
                    case Failure():
                        self._error = self._error or outcome.error
                    case End():
                        if self._is_wanted:
                            self._end(outcome.document, self._error or outcome.error)
                show()
        self._took = time.monotonic() - self._began

    def conclude(self) -> None:
        """Say what was done."""
        speed = self.words / max(self._took, 1e-9)
        parts = [plural(self.documents, "document")] if self.total != 1 else []
        parts += [plural(self.sentences, "sentence"), f"{plural(self.words, 'word')} parsed"]
        if self.words:
            parts.append(f"{speed:,.0f} words/s")
        say("parse", ", ".join(parts))
        if self.failed:
            say("parse", f"{plural(self.failed, 'document')} failed, of {self.total:,}")

    def _write(self, pages: Pages) -> None:
        written = []
        for text in pages.sentences:
            self._number += 1
            written.append(text.replace(pages.mark, str(self._number)) if pages.mark else text)
        self.place.write("".join(written))
        self._words += pages.words

    def _end(self, document: Input, error: ArctreeError | None) -> None:
        if isinstance(error, DataError):
            error = copy(error).at(file=document.shown)  # it may be that of several documents
        if error is not None and self.raises:
            raise error
        self.place.end(is_complete=error is None)
        if error is None:
            self.documents += 1
            self.sentences += self._number
            self.words += self._words
        else:
            self.failed += 1
            say("parse", f"failed: {error}")
        self._words = 0

    @contextmanager
    def _progress(self) -> Iterator[Callable[[], None]]:
        """A bar on a terminal that nothing else is written to; elsewhere nothing."""
        shares_terminal = self.place.is_standard_output and sys.stdout.isatty()
        if not sys.stderr.isatty() or shares_terminal:
            yield lambda: None
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (
            BarColumn(),
            TextColumn("{task.completed:,}/{task.total:,} documents, {task.description}"),
            TimeElapsedColumn(),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=self.total)

            def show() -> None:
                words = self.words + self._words
                speed = words / max(time.monotonic() - self._began, 1e-9)
                description = f"{words:,} words, {speed:,.0f} words/s"
                done = self.documents + self.failed
                bar.update(task, completed=done, description=description)

            yield show
