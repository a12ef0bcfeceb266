"""What a system's settings name beside the treebank: vectors, an encoder, a model to begin with.

It is looked for before anything is trained. And a run notes what it was trained with, by the names
that the configuration has for it: ``$VECTORS`` may be one file on this machine and another one on
the next, and what is made there would not belong into one table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from arctree.errors import DataError
from arctree.parsing.model_files import file_hash
from arctree.study.configuring import Entry
from arctree.training.configuring import expand_sections


class Named(NamedTuple):
    """A place in the settings, what is written there, and what that is on this machine."""

    place: str
    written: str
    path: str


def check_named_files(entry: Entry) -> None:
    """Raise an error if a file or a directory is not there that the settings name."""
    for place, _, path in _named(entry):
        if place.endswith(".vectors") and not Path(path).is_file():
            raise DataError(f"{place} has {path}, which is no file", "name one that is")
        if place.endswith(".vectors") or Path(path).is_dir():
            continue
        fault = f"{place} is {path}, which is no directory"
        if place.endswith(".start"):
            raise DataError(fault, "name that of a model")
        if path.startswith((".", "/")):  # what begins otherwise may be the name of one of the hub
            raise DataError(fault, "name one that is, or a model of the hub")


def hashes_of(entry: Entry) -> Mapping[str, str]:
    """The SHA-256 of all of them that are here, by what is written in the configuration."""
    return {written: _hash_of(path) for _, written, path in _named(entry) if Path(path).exists()}


def check_alike(runs: Iterable[tuple[str, Mapping[str, str]]]) -> None:
    """Raise an error if two runs, told by their folders, have other files of one name."""
    seen: dict[str, tuple[str, str]] = {}
    for folder, hashes in runs:
        for written, digest in hashes.items():
            known, other = seen.setdefault(written, (digest, folder))
            if known != digest:
                raise DataError(
                    f"{written} is another file than it was for {other}",
                    "name the same one, or remove one of the folders",
                    file=folder,
                )


def _named(entry: Entry) -> Iterator[Named]:
    if entry.is_loaded:  # whoever trained it knows
        return
    expanded = expand_sections(entry.sections)
    for section, key in _PLACES:
        texts = (_texts(sections, section, key) for sections in (entry.sections, expanded))
        for written, path in zip(*texts, strict=True):
            yield Named(f"{section}.{key}", written, path)


_PLACES = (
    ("encoder", "vectors"),
    ("encoder", "source"),
    ("stanza", "vectors"),
    ("training", "start"),
)


def _texts(sections: Mapping[str, Any], section: str, key: str) -> list[str]:
    """What is written there, once or several times; nothing if it is empty."""
    value = sections.get(section, {}).get(key, ())
    return [text for text in ([value] if isinstance(value, str) else value) if text]


@cache
def _hash_of(path: str) -> str:
    """Of a file, or of the files of a directory, with their names."""
    place = Path(path)
    if place.is_file():
        return file_hash(place)
    files = sorted(file for file in place.iterdir() if file.is_file())
    told = "".join(f"{file.name} {file_hash(file)}\n" for file in files)
    return hashlib.sha256(told.encode("utf-8")).hexdigest()
