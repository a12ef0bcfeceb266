"""What a system's settings name beside the treebank: vectors, an encoder, a model to begin with.

It is looked for before anything is trained. And a run notes what it was trained with, by what the
configuration calls it: ``$VECTORS`` may be one file on this machine and another one on the next,
and what is made there would not belong into one table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from arctree.errors import CallError, DataError
from arctree.parsing.model_files import CONFIG, TOKENIZER, WEIGHTS, file_hash
from arctree.study.configuring import Entry
from arctree.study.runs import Run
from arctree.training.configuring import expand_sections
from arctree.training.vectors import read_vectors

# Of a file of vectors, how many are read before anything is trained.
_LOOKED_AT = 100


class Named(NamedTuple):
    """A place in the settings, what is written there, and what that is on this machine."""

    place: str
    written: str
    path: str


def check_named_files(entry: Entry) -> None:
    """Raise an error if a file or a directory is not there that the settings name.

    Or if the first lines of a file of vectors are none.
    """
    for place, _, path in _named(entry):
        if place.endswith(".vectors"):
            if not Path(path).is_file():
                raise DataError(f"{place} has {path}, which is no file", "name one that is")
            read_vectors(path, min(_LOOKED_AT, _limit(entry, place)))
        elif not _is_directory(path):
            fault = f"{place} is {path}, which is no directory"
            if place.endswith(".start"):
                raise DataError(fault, "name that of a model")
            if not _may_be_of_the_hub(path):
                raise DataError(fault, "name one that is, or a model of the hub")


def _limit(entry: Entry, place: str) -> int:
    """How many vectors of a file are read at all, if its section says it."""
    section = entry.sections.get(place.partition(".")[0], {})
    return int(section.get("vector_limit", _LOOKED_AT))


def hashes_of(entry: Entry) -> dict[str, str]:
    """The SHA-256 of all of them that are here, by what is written in the configuration.

    Of a directory that of its configuration, its weights and its tokenizer counts; what is fetched
    by a name is told by that name.
    """
    told = {}
    for place, written, path in _named(entry):
        if Path(path).is_file() or _is_directory(path):
            told[written] = _hash_of(path)
        elif place.endswith(".source") and _may_be_of_the_hub(path):
            told[f"{written}, of the hub"] = path
    return {written: digest for written, digest in told.items() if digest}


def hashes_for(run: Run) -> dict[str, str]:
    """What a run was begun with, as it noted it, or will be begun with."""
    return run.named_files if run.has_begun else hashes_of(run.entry)


def check_alike(runs: Iterable[tuple[str, Mapping[str, str]]]) -> None:
    """Raise an error if two runs, told by their folders, have other files of one name."""
    seen: dict[str, tuple[str, str]] = {}
    for folder, hashes in runs:
        for written, digest in hashes.items():
            known, other = seen.setdefault(written, (digest, folder))
            if known != digest:
                there = "before" if other == folder else f"for {other}"
                raise DataError(
                    f"{written} is another file than it was {there}",
                    "name the same one, or remove that folder",
                    file=folder,
                )


_PLACES = (
    ("encoder", "vectors"),
    ("encoder", "source"),
    ("stanza", "vectors"),
    ("training", "start"),
)


def _named(entry: Entry) -> Iterator[Named]:
    if entry.is_loaded:  # whoever trained it knows
        return
    for section, key in _PLACES:
        value = entry.sections.get(section, {}).get(key, ())
        for written in [value] if isinstance(value, str) else value:
            if written:
                path = expand_sections({section: {key: written}})[section][key]
                yield Named(f"{section}.{key}", written, path)


def _is_directory(path: str) -> bool:
    return bool(path) and Path(path).is_dir()


def _may_be_of_the_hub(path: str) -> bool:
    return bool(path) and not path.startswith((".", "/"))


def _hash_of(path: str) -> str:
    """Of a file, or of the files of a model; nothing if a directory holds none."""
    place = Path(path)
    try:
        if place.is_file():
            return _file_hash(place, place.stat().st_mtime_ns)
        files = [place / name for name in (CONFIG, WEIGHTS, TOKENIZER)]
        told = "".join(
            f"{file.name} {_file_hash(file, file.stat().st_mtime_ns)}\n"
            for file in files
            if file.is_file()
        )
    except OSError as error:
        raise CallError(f"{path}: cannot be read: {error.strerror}") from error
    return hashlib.sha256(told.encode("utf-8")).hexdigest() if told else ""


@cache
def _file_hash(path: Path, changed: int) -> str:
    """Of a file as it is since then, which is read once."""
    return file_hash(path)
