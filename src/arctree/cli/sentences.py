"""Picking sentences out of a file, and lifting them for show."""

from __future__ import annotations

from collections.abc import Iterator

from arctree import conllu
from arctree.cli.report import Skipped, say
from arctree.conllu import Sentence
from arctree.dependency import DependencyTree
from arctree.errors import CallError
from arctree.lifting import lift


def chosen(file: str, choice: str | None, skipped: Skipped) -> Iterator[Sentence]:
    """All sentences, or the first whose sent_id or number is the choice.

    Sentences that are skipped count, so that numbers are those of the file.
    """
    for number, sentence in enumerate(conllu.read(file, on_error=skipped), start=1):
        if choice is None:
            yield sentence
        elif choice in (sentence.id, str(number + skipped.count)):
            yield sentence
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
