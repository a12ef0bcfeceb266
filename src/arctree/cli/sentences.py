"""Picking sentences out of a file, and lifting them for show."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat

from arctree import conllu
from arctree.cli.report import Skipped, say
from arctree.dependency import DependencyTree
from arctree.errors import CallError, DataError
from arctree.lifting import lift
from arctree.sentence import Sentence


def chosen(file: str, choice: str | None, skipped: Skipped) -> Iterator[tuple[str, Sentence]]:
    """All sentences, or the first whose sent_id or number is the choice, each with its name.

    That is the sent_id, or else the number. Sentences that are skipped count, so that numbers
    are those of the file.
    """
    for number, sentence in enumerate(with_gaps(file, skipped), start=1):
        if sentence is None:
            continue
        name = sentence.id or str(number)
        if choice is None:
            yield name, sentence
        elif choice in (sentence.id, str(number)):
            yield name, sentence
            return
    if choice is not None:
        raise CallError(f"{file}: no sentence {choice!r}: give a sent_id or a number from 1 on")


def with_gaps(file: str, skipped: Skipped) -> Iterator[Sentence | None]:
    """The sentences of a file, and nothing in the place of each one that is skipped."""
    gaps = 0

    def leave_gap(error: DataError) -> None:
        nonlocal gaps
        skipped(error)
        gaps += 1

    for sentence in conllu.read(file, on_error=leave_gap):
        yield from repeat(None, gaps)
        gaps = 0
        yield sentence
    yield from repeat(None, gaps)


def projective(command: str, tree: DependencyTree, name: str) -> DependencyTree:
    """The tree, lifted if need be; and then the person is told."""
    lifted = lift(tree)
    if lifted is not tree:
        moved = sum(was != now for was, now in zip(tree.heads, lifted.heads, strict=True))
        say(command, f"sentence {name} is not projective: {moved} of its arcs lifted")
    return lifted
