"""What goes wrong, told so that a person can mend it.

Every error that input can cause is an :class:`ArctreeError`. A :class:`DataError` names
the file, the line, the sentence, the fault and the remedy; whoever knows one of these
places fills it in with :meth:`DataError.at`.
"""

from __future__ import annotations

from typing import Self


class ArctreeError(Exception):
    """Something arctree was asked to do cannot be done; the message says why."""


class CallError(ArctreeError):
    """What was asked for cannot be done as asked: a missing file, say, or a missing extra."""


class MissingExtraError(CallError):
    """An optional dependency is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what}: install it with  pip install 'arctree[{extra}]'")


class DataError(ArctreeError, ValueError):
    """A file, a sentence or a tree is not what it should be."""

    def __init__(
        self,
        fault: str,
        remedy: str = "",
        *,
        file: str | None = None,
        line: int | None = None,
        sentence: str | None = None,
    ) -> None:
        super().__init__(fault)
        self.fault = fault
        self.remedy = remedy
        self.file = file
        self.line = line
        self.sentence = sentence

    def at(
        self,
        *,
        file: str | None = None,
        line: int | None = None,
        sentence: str | None = None,
    ) -> Self:
        """Fill in the places that are not known yet, and return the same error."""
        self.file = self.file if self.file is not None else file
        self.line = self.line if self.line is not None else line
        self.sentence = self.sentence if self.sentence is not None else sentence
        return self

    def __str__(self) -> str:
        place = self.file or ""
        if self.line is not None:
            place = f"{place}:{self.line}" if place else f"line {self.line}"
        parts = [place] if place else []
        if self.sentence is not None:
            parts.append(f"sentence {self.sentence}")
        parts.append(self.fault + (f"; {self.remedy}" if self.remedy else ""))
        return ": ".join(parts)
