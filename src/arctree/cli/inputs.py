"""The documents that a call of ``arctree parse`` names: files, folders, standard input, a text."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from arctree.cli.options import check_standard_input
from arctree.errors import CallError
from arctree.files import STANDARD, display_name

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
READ = (".txt", ".conllu")
Facts = dict[str, int]


class Source(StrEnum):
    """What is read."""

    TEXT = "text"
    LINES = "lines"
    TOKENS = "tokens"
    CONLLU = "conllu"


@dataclass(frozen=True, slots=True)
class Input:
    """A document to read: its path, or its text; what it is called, and how it is written.

    ``name`` is its path below the folder that was named, without extensions; parts are
    separated by ``/``.
    """

    path: str
    name: str
    source: Source
    text: str | None = None

    @property
    def shown(self) -> str:
        """What messages call it."""
        return "<text>" if self.text is not None else display_name(self.path)

    @property
    def compression(self) -> str:
        suffix = Path(self.path).suffix
        return suffix if suffix in COMPRESSED else ""


def find_inputs(
    files: Sequence[str], text: str | None, source: Source | None, *, leave_out: Path | None
) -> list[Input]:
    """The documents of a call, in a settled order; folders are gone through to the bottom.

    What lies in ``leave_out``, where the answers go, is no input.
    """
    if text is not None:
        if files:
            raise CallError("--text and files: give one or the other")
        if source is Source.CONLLU:
            raise CallError("--text takes text; CoNLL-U is read from a file or standard input")
        return [Input("", "text", source or Source.TEXT, text)]
    if not files:
        raise CallError("nothing to parse: name a file, a folder, - or --text")
    check_standard_input(*files)
    inputs: list[Input] = []
    for file in files:
        path = Path(file)
        if file == STANDARD:
            inputs.append(Input(file, "stdin", source or Source.TEXT))
        elif path.is_dir():
            inputs += _in_folder(path, source, leave_out)
        elif not path.exists():
            raise CallError(f"{file}: cannot be read: no such file or folder")
        else:
            inputs.append(_input(file, path.name, source))
    return inputs


def with_own_names(inputs: Iterable[Input]) -> list[Input]:
    """The documents, each under a name that no other has: a second ``a`` becomes ``a~2``."""
    taken: set[str] = set()
    named = []
    for item in inputs:
        name, number = item.name, 1
        while name in taken:
            number += 1
            name = f"{item.name}~{number}"
        taken.add(name)
        named.append(replace(item, name=name))
    return named


def facts_of(document: Input) -> Facts:
    """What tells whether a document has changed; of one that is no file nothing can be told."""
    if document.text is not None or document.path == STANDARD:
        return {}
    with suppress(OSError):
        found = os.stat(document.path)
        return {"bytes": found.st_size, "modified": found.st_mtime_ns}
    return {}


def bundled(inputs: Iterable[Input]) -> Iterator[list[Input]]:
    """The documents in bundles that are parsed together: small ones with their neighbours.

    What is bundled depends on the documents' sizes and order alone.
    """
    bundle: list[Input] = []
    total = 0
    for item in inputs:
        size = _size(item)
        if bundle and (total + size > _BUNDLE or len(bundle) == _MOST):
            yield bundle
            bundle, total = [], 0
        bundle.append(item)
        total += size
    if bundle:
        yield bundle


def most_passages(inputs: Iterable[Input]) -> int:
    """How many passages there may be in these documents, roughly."""
    return sum(1 + _size(item) // _BUNDLE for item in inputs)


def _size(item: Input) -> int:
    """Bytes, where they are known; what is not a file is taken to be large."""
    if item.text is not None:
        return len(item.text)
    if not os.path.isfile(item.path):
        return _LARGE
    return os.path.getsize(item.path) * (_COMPRESSION if item.compression else 1)


# Bytes and documents of a bundle at most; how many times larger a file was before compression.
_BUNDLE = 1 << 16
_MOST = 256
_LARGE = 1 << 40
_COMPRESSION = 4


def identifier(name: str) -> str:
    """The name as a part of a ``sent_id``: no white space and no slash; no two give the same."""
    return "".join(map(_in_identifier, unicodedata.normalize("NFC", name)))


def _in_identifier(character: str) -> str:
    if character == "/":
        return ":"
    if not _ESCAPED.match(character):
        return character
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))


_ESCAPED = re.compile(r"[\s:%\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def _in_folder(folder: Path, source: Source | None, leave_out: Path | None) -> Iterator[Input]:
    found = False
    for place, folders, names in os.walk(folder):
        here = Path(place)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and not _is_same(here / name, leave_out)
        )
        for name in sorted(names):
            if not name.startswith(".") and _extension(name) in READ:
                found = True
                path = here / name
                yield _input(str(path), path.relative_to(folder).as_posix(), source)
    if not found:
        wanted = " or ".join(READ)
        raise CallError(f"{folder}: no {wanted} file in it (compressed or not); name files instead")


def _is_same(folder: Path, other: Path | None) -> bool:
    return other is not None and folder.resolve() == other.resolve()


def _input(file: str, name: str, source: Source | None) -> Input:
    extension = _extension(name)
    if source is None:
        source = Source.CONLLU if extension == ".conllu" else Source.TEXT
    stem = _without_compression(name)
    return Input(file, (stem.removesuffix(extension) if extension else stem) or name, source)


def _extension(name: str) -> str:
    return Path(_without_compression(name)).suffix


def _without_compression(name: str) -> str:
    path = Path(name)
    return str(path.with_suffix("")) if path.suffix in COMPRESSED else name
