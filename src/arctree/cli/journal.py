"""What a run over many documents has finished, kept in the folder that it writes to.

``.arctree-run.jsonl`` is a line with the settings of the run, then a line for each document
that is complete: the size and time of its input, and the size of its output. A line is added
when the output stands under its name. So whenever a run is killed, the next one finds each
document finished or not; one that was written but not noted is written again, to the same bytes.
A line that was cut short by the end of a run counts for nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from arctree.cli.inputs import Facts, Input, Source, facts_of
from arctree.cli.options import OnErrorChoice
from arctree.cli.writers import Writer
from arctree.errors import CallError
from arctree.parsing.model_files import CONFIG, SEGMENTER, file_hash
from arctree.pipeline import Pipeline

NAME = ".arctree-run.jsonl"
VERSION = 1


class Journal:
    """The documents that are done."""

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.path = folder / NAME
        self.head = {"arctree_run": VERSION, **settings}
        self.changed: list[str] = []
        self._done: dict[str, dict[str, Any]] = {}
        rows = self._rows()
        if rows and rows[0] == self.head:
            self._done = {row["document"]: row for row in rows[1:] if "document" in row}
        elif rows:
            keys = sorted({*rows[0], *self.head})
            self.changed = [key for key in keys if rows[0].get(key) != self.head.get(key)]
        self._start()

    def is_done(self, document: Input, output: Path) -> bool:
        """Whether the document was parsed as it is now, and the answer is there."""
        with suppress(OSError):
            facts = facts_of(document)
            row = self._done.get(document.name)
            return bool(facts) and output.is_file() and row == _row(document, facts, output)
        return False

    def has_changed(self, document: Input) -> bool:
        """Whether a document was done that is not what it was."""
        return document.name in self._done

    def add(self, document: Input, facts: Facts, output: Path) -> None:
        """Note that a document is complete."""
        self._append(_row(document, facts, output))

    def _rows(self) -> list[dict[str, Any]]:
        try:
            lines = self.path.read_bytes().splitlines(keepends=True)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise CallError(f"{self.path}: cannot be read: {error.strerror or error}") from error
        rows = []
        for line in lines:
            with suppress(ValueError):
                row = json.loads(line) if line.endswith(b"\n") else None
                if isinstance(row, dict):
                    rows.append(row)
        return rows

    def _start(self) -> None:
        """Write what counts; whoever reads it meanwhile finds the old journal or the new one."""
        partial = self.path.with_name(f"{NAME}.{os.getpid()}.partial")
        rows = [self.head, *self._done.values()]
        with _cannot_write(self.path):
            partial.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
            os.replace(partial, self.path)

    def _append(self, row: Mapping[str, Any]) -> None:
        with _cannot_write(self.path), self.path.open("ab") as stream:
            stream.write(json.dumps(row).encode() + b"\n")


def settings_of(
    pipeline: Pipeline, writer: Writer, *, source: Source | None, on_error: OnErrorChoice
) -> dict[str, Any]:
    """What an answer depends on, beside the document: the model by the hash of its settings."""
    from importlib.metadata import version  # a slow import that only this needs

    paths = [pipeline.folder / name for name in (CONFIG, SEGMENTER)]
    hashes = [file_hash(path) if path.is_file() else "" for path in paths]
    return {
        "version": version("arctree"),
        "model": ":".join(hashes),
        "device": pipeline.device,
        "from": source.value if source else "by name",
        "to": writer.form.value,
        "confidence": writer.confidence,
        "on_error": on_error.value,
    }


@contextmanager
def _cannot_write(path: Path) -> Iterator[None]:
    """Tell of a full disk by the name of the journal."""
    try:
        yield
    except OSError as error:
        raise CallError(f"{path}: cannot be written: {error.strerror or error}") from error


def _row(document: Input, facts: Facts, output: Path) -> dict[str, Any]:
    written = output.stat().st_size
    return {"document": document.name, **facts, "written": written}
