"""Picking sentences out of a file, and lifting them for show."""

from __future__ import annotations

from collections.abc import Iterator

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
    seen = 0

    def pass_over(error: DataError) -> None:
        nonlocal seen
        skipped(error)
        seen += 1

    for sentence in conllu.read(file, on_error=pass_over):
        seen += 1
        number = str(seen)
        name = sentence.id or number
        if choice is None:
            yield name, sentence
        elif choice in (sentence.id, number):
            yield name, sentence
            return
    if choice is not None:
        raise CallError(f"{file}: no sentence {choice!r}: give a sent_id or a number from 1 on")


def projective(command: str, tree: DependencyTree, name: str) -> DependencyTree:
    """The tree, lifted if need be; and then the person is told."""
    lifted = lift(tree)
    if lifted is not tree:
        moved = sum(was != now for was, now in zip(tree.heads, lifted.heads, strict=True))
        say(command, f"sentence {name} is not projective: {moved} of its arcs lifted")
    return lifted
