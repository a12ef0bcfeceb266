"""The arguments that several commands share, spelt and explained once."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from arctree.errors import CallError
from arctree.files import STANDARD
from arctree.lifting import Scheme
from arctree.sentence import UPOS, XPOS

TreebankFile = Annotated[
    str, typer.Argument(metavar="FILE", help="CoNLL-U; - is standard input; .gz .bz2 .xz .zst.")
]
Output = Annotated[
    str, typer.Option("-o", metavar="PATH", help="Where to write; - is standard output.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
SentenceChoice = Annotated[
    str | None,
    typer.Option(
        "--sentence", metavar="ID|N", help="Only this one: its sent_id, or its number from 1 on."
    ),
]


def check_standard_output() -> None:
    """A command that prints needs somewhere to print to."""
    if sys.stdout is None:
        raise CallError("standard output is closed")


def check_standard_input(*files: str | None) -> None:
    """Standard input can be read once only."""
    if files.count(STANDARD) > 1:
        raise CallError("standard input (-) is given twice, and can be read only once")


class OnErrorChoice(StrEnum):
    """What to do with a bad sentence."""

    STOP = "stop"
    SKIP = "skip"


OnError = Annotated[
    OnErrorChoice,
    typer.Option("--on-error", help="At a bad sentence: stop, or report it, skip it and go on."),
]


class Tags(StrEnum):
    """Which column the tags of a tree stand in."""

    XPOS = "xpos"
    UPOS = "upos"
    NONE = "none"

    @property
    def column(self) -> int | None:
        return {Tags.XPOS: XPOS, Tags.UPOS: UPOS, Tags.NONE: None}[self]


TagChoice = Annotated[Tags, typer.Option("--tags", help="The column of the words' tags.")]


class Lift(StrEnum):
    """What to do with a non-projective tree."""

    EXACT = "exact"
    NONE = "none"
    BASELINE = "baseline"
    HEAD = "head"
    PATH = "path"
    HEAD_PATH = "head+path"

    @property
    def scheme(self) -> Scheme | None:
        return None if self is Lift.NONE else Scheme(self.value)


class Device(StrEnum):
    """Where the network runs."""

    CPU = "cpu"
    CUDA = "cuda"
