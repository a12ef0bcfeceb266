"""Names of modules and classes that mean something else for a while."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple


class Replacement(NamedTuple):
    """A name of a module or a class, and what it is to mean."""

    owner: Any
    name: str
    value: Any


@contextmanager
def replaced(replacements: Iterable[Replacement]) -> Iterator[None]:
    """These names mean what is said, and what they meant before once the context ends."""
    before: list[Replacement] = []
    try:
        for owner, name, value in replacements:
            # From the dictionary: a static method comes back as one.
            before.append(Replacement(owner, name, vars(owner)[name]))
            setattr(owner, name, value)
        yield
    finally:
        for owner, name, value in reversed(before):
            setattr(owner, name, value)
