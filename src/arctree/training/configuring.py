"""Training configurations: a TOML file, under changes such as ``training.seed=2``.

In names of files ``$NAME`` stands for an environment variable, so that a recipe can say
``$ARCTREE_DATA/ud/…`` and work wherever the data are.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from arctree.errors import CallError, DataError
from arctree.parsing.settings import Configuration


def load_configuration(
    path: str | None,
    changes: Sequence[str] = (),
    *,
    treebanks: Mapping[str, Sequence[str]] | None = None,
) -> Configuration:
    """The configuration of a file, or of none, with each ``section.key=value`` changed.

    ``treebanks`` are the files of ``data.train`` and so on, named as they are.
    """
    sections: dict[str, Any] = {} if path is None else read_sections(path)
    change_sections(sections, changes)
    try:
        sections = expand_sections(sections)
        data = sections.setdefault("data", {})
        if isinstance(data, dict):  # anything else is refused below
            data.update(treebanks or {})
        return Configuration.read(sections)
    except DataError as error:
        raise error.at(file=path) from error


def read_sections(path: str) -> dict[str, Any]:
    """What a TOML file says, as it stands there."""
    try:
        with open(path, "rb") as stream:
            return tomllib.load(stream)
    except OSError as error:
        raise CallError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"not TOML: {error}", file=path) from error


def change_sections(sections: dict[str, Any], changes: Sequence[str]) -> None:
    """Make each change, ``section.key=value``."""
    for change in changes:
        place, equals, written = change.partition("=")
        section, dot, key = place.strip().partition(".")
        if not equals or not dot:
            raise CallError(f"--set {change}: write it as section.key=value")
        values = sections.setdefault(section, {})
        if not isinstance(values, dict):
            raise DataError(f"{section} is {values!r}", f"write it as a section [{section}]")
        values[key] = _value(written)


def expand_sections(sections: Mapping[str, Any]) -> dict[str, Any]:
    """The sections with the values of environment variables in place of their names."""
    return {name: _expanded(section) for name, section in sections.items()}


def _value(written: str) -> Any:
    """A value as TOML writes it; what is none is a text."""
    try:
        return tomllib.loads(f"value = {written}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return written


def _expanded(section: Any) -> Any:
    if not isinstance(section, dict):
        return section
    return {
        key: [_filled(item) for item in value] if isinstance(value, list) else _filled(value)
        for key, value in section.items()
    }


def _filled(value: Any) -> Any:
    return _VARIABLE.sub(_variable, value) if isinstance(value, str) else value


_VARIABLE = re.compile(r"\$(\w+)")


def _variable(match: re.Match[str]) -> str:
    name = match.group(1)
    if name not in os.environ:
        raise DataError(f"{name} is not set", f"set the environment variable {name}")
    return os.environ[name]
