"""Where ``arctree parse`` writes: everything to one place, or each document to its own file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Self

from arctree.cli.inputs import Facts, Input
from arctree.cli.journal import Journal
from arctree.errors import CallError
from arctree.files import STANDARD, open_output

# Bytes of a document that are held in memory until it is complete.
_HELD = 1 << 23


class Joined:
    """All documents one after the other, in a file or on standard output.

    Where there are several, one that fails leaves nothing behind.
    """

    def __init__(self, path: str, *, several: bool) -> None:
        self.path = path
        self.is_standard_output = path == STANDARD
        self.several = several
        self._stack = ExitStack()
        self._held: IO[bytes] | None = None

    def __enter__(self) -> Self:
        self._stream = self._stack.enter_context(open_output(self.path))
        return self

    def __exit__(self, *error: Any) -> bool | None:
        return self._stack.__exit__(*error)

    def begin(self, document: Input, facts: Facts) -> bool:
        """Make room for a document; it is always wanted."""
        self._held = SpooledTemporaryFile(_HELD) if self.several else None  # noqa: SIM115
        return True

    def write(self, text: str) -> None:
        """Add to the document."""
        stream = self._held or self._stream
        stream.write(text.encode("utf-8"))
        if not self._held:
            stream.flush()

    def end(self, *, is_complete: bool) -> None:
        """Close the document."""
        if self._held is None:
            return
        with self._held as held:
            if is_complete:
                held.seek(0)
                while piece := held.read(1 << 20):
                    self._stream.write(piece)
                self._stream.flush()
        self._held = None


class Mirrored:
    """Each document in a file of its own, in a folder, under its own name.

    A file appears under its name when it is complete, and is then noted in the journal.
    """

    is_standard_output = False

    def __init__(self, folder: Path, extension: str, settings: Mapping[str, Any]) -> None:
        self.folder = folder
        self.extension = extension
        self.settings = settings
        self._stack = ExitStack()
        self._done: set[str] = set()
        self._tidied: set[Path] = set()
        self._document: Input | None = None
        self._facts: Facts = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> bool | None:
        return self._stack.__exit__(*error)

    def path_of(self, document: Input) -> Path:
        """The file that a document is written to."""
        return self.folder / f"{document.name}{self.extension}{document.compression}"

    def find_done(self, documents: Sequence[Input]) -> None:
        """Find out what an earlier run has finished; all else comes after this."""
        self._check(documents)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CallError(f"{self.folder}: cannot be made: {error.strerror or error}") from error
        self.journal = Journal(self.folder, self.settings)
        self._done = {
            document.name
            for document in documents
            if self.journal.is_done(document, self.path_of(document))
        }

    def is_done(self, document: Input) -> bool:
        """Whether an earlier run has finished the document."""
        return document.name in self._done

    def begin(self, document: Input, facts: Facts) -> bool:
        """Open the file of a document, under another name; false if it is done already."""
        if self.is_done(document):
            return False
        output = self.path_of(document)
        try:
            output.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CallError(f"{output.parent}: {error.strerror or error}") from error
        if output.parent not in self._tidied:
            _remove_leftovers(output.parent)
            self._tidied.add(output.parent)
        self._document, self._facts = document, facts
        self._stream = self._stack.enter_context(open_output(str(output)))
        return True

    def write(self, text: str) -> None:
        """Add to the document."""
        self._stream.write(text.encode("utf-8"))

    def end(self, *, is_complete: bool) -> None:
        """Give the file its name and note it, or remove what there is of it."""
        assert self._document is not None
        if is_complete:
            self._stack.close()
            self.journal.add(self._document, self._facts, self.path_of(self._document))
            return
        with suppress(_GivenUpError), self._stack:
            raise _GivenUpError

    def _check(self, documents: Iterable[Input]) -> None:
        """No two documents may have the same name, and no output may be an input."""
        seen: dict[str, Input] = {}
        for document in documents:
            if document.name in seen:
                raise CallError(
                    f"{seen[document.name].path} and {document.path} would both be written as "
                    f"{document.name}{self.extension}; parse them to folders of their own"
                )
            seen[document.name] = document
            output = self.path_of(document)
            if output.exists() and os.path.exists(document.path) and output.samefile(document.path):
                raise CallError(f"{document.path} would be overwritten; name another folder")


class _GivenUpError(Exception):
    """A document will not be complete."""


def _remove_leftovers(folder: Path) -> None:
    """Remove what runs that were killed have left half-written."""
    with suppress(OSError):
        for path in folder.glob(".arctree-*.partial"):
            found = re.search(r"[.-](\d+)(?:-\d+)?\.partial$", path.name)
            if found and not _is_running(int(found[1])):
                path.unlink()


def _is_running(process: int) -> bool:
    if os.name != "posix":
        return True  # elsewhere to ask is to kill
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
