"""``arctree recover``: from ordered trees back to CoNLL-U."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice
from typing import Annotated

import typer

from arctree import brackets, conllu
from arctree.cli.options import (
    OnError,
    OnErrorChoice,
    Output,
    Tags,
    check_standard_input,
)
from arctree.cli.report import Skipped, plural, progress, say
from arctree.cli.sentences import with_gaps
from arctree.dependency import UNLABELED_ARC, DependencyTree
from arctree.errors import CallError, DataError
from arctree.files import display_name, open_output, read_lines
from arctree.json_form import sentence_from_json, tree_from_json
from arctree.labels import parse_label
from arctree.lifting import unlift
from arctree.ordered import OrderedTree
from arctree.repair import repair as repaired
from arctree.sentence import Sentence, from_tree

EXAMPLES = """\b
Examples:
  arctree recover treebank.mrg -o treebank.conllu
  arctree recover parsed.mrg --onto original.conllu -o parsed.conllu
  arctree recover parser-output.mrg --repair --on-error skip
"""


class Form(StrEnum):
    """What to read."""

    BRACKETS = "brackets"
    CONLLU = "conllu"
    JSON = "json"


def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Trees; - is standard input.")],
    onto: Annotated[
        str | None,
        typer.Option(
            "--onto",
            metavar="ORIGINAL.conllu",
            help="Write the heads and labels into this file, all other columns intact.",
        ),
    ] = None,
    source: Annotated[Form, typer.Option("--from", help="The format to read.")] = Form.BRACKETS,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="Turn other trees into ordered trees by a fixed rule; each repair is reported.",
        ),
    ] = False,
    tags: Annotated[
        Tags, typer.Option("--tags", help="The column to write the words' tags to.")
    ] = Tags.XPOS,
    on_error: OnError = OnErrorChoice.STOP,
    output: Output = "-",
) -> None:
    """Recover the dependency trees from ordered trees, undoing the lifts that labels tell of."""
    check_standard_input(file, onto)
    if repair and source is not Form.BRACKETS:
        raise CallError("--repair goes with --from brackets")
    skipped = Skipped("recover", on_error)
    match source:
        case Form.BRACKETS:
            readings = _from_brackets(file, skipped, repair=repair)
        case Form.CONLLU:
            readings = _from_conllu(file, skipped)
        case Form.JSON:
            readings = _from_json(file, skipped)
    recovered = (
        (reading for reading in readings if isinstance(reading, Recovered))
        if onto is None
        else _written_onto(readings, display_name(file), onto, skipped)
    )
    sentences = unlabeled = 0
    with open_output(output) as stream:
        for item in progress(recovered, "sentences"):
            with skipped.guard(file=display_name(file), line=item.line):
                stream.write(item.to_text(tags.column).encode("utf-8"))
                sentences += 1
                unlabeled += UNLABELED_ARC in item.tree.labels
    if unlabeled:
        say("recover", f"{plural(unlabeled, 'tree')} without labels: DEPREL is {UNLABELED_ARC}")
    if output != "-":
        say("recover", f"{plural(sentences, 'sentence')} recovered")
    skipped.conclude()


@dataclass(frozen=True, slots=True)
class Recovered:
    """A tree whose lifts are undone, where it stood, and the sentence to write it into."""

    tree: DependencyTree
    line: int
    sentence: Sentence | None = None

    def to_text(self, tag_column: int | None) -> str:
        if self.sentence is None:
            return from_tree(self.tree, tag_column=tag_column).to_text()
        # The lifts are undone, so every label is a plain string.
        return self.sentence.with_arcs(self.tree.heads, list(map(str, self.tree.labels))).to_text()


@dataclass(frozen=True, slots=True)
class Unusable:
    """What stands in the place of a tree that was skipped: its words, if they could be read.

    With them, the original sentence can still be matched with it.
    """

    words: tuple[str, ...] = ()


Readings = Iterator[Recovered | Unusable]


def _from_brackets(file: str, skipped: Skipped, *, repair: bool) -> Readings:
    for piece in brackets.read(file):
        try:
            if isinstance(piece, DataError):
                raise piece
            tree = _repaired(piece) if repair else piece.parse()
        except DataError as error:
            skipped(error)
            yield Unusable(() if isinstance(piece, DataError) else _words_of(piece.text))
        else:
            yield Recovered(unlift(tree.to_dependency()), piece.line)


def _repaired(piece: brackets.BracketedTree) -> OrderedTree:
    try:
        tree, repairs = repaired(piece.text)
    except DataError as error:
        raise error.at(file=piece.file, line=piece.line) from None
    for done in repairs:
        say("recover", f"{piece.file}:{piece.line}: {done}")
    return tree


def _words_of(text: str) -> tuple[str, ...]:
    try:
        return tuple(brackets.parse_node(text).words)
    except DataError:
        return ()


def _from_conllu(file: str, skipped: Skipped) -> Readings:
    for sentence in with_gaps(file, skipped):
        if sentence is None:
            yield Unusable()
            continue
        try:
            lifted = sentence.tree
            labels = [parse_label(label) for label in sentence.deprels]
            tree = unlift(lifted.with_arcs(lifted.heads, labels))
        except DataError as error:
            skipped(error.at(file=display_name(file), line=sentence.line, sentence=sentence.id))
            yield Unusable(sentence.forms)
        else:
            yield Recovered(tree, sentence.line, sentence)


def _from_json(file: str, skipped: Skipped) -> Readings:
    for number, line in enumerate(read_lines(file), start=1):
        if not line.strip():
            continue
        try:
            tree, sentence = _read_json(line)
        except DataError as error:
            skipped(error.at(file=display_name(file), line=number))
            yield Unusable()
        else:
            yield Recovered(unlift(tree), number, sentence)


def _read_json(line: bytes) -> tuple[DependencyTree, Sentence | None]:
    """A tree, and the sentence around it if there is one."""
    try:
        form = json.loads(line)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise DataError(f"no JSON: {reason}", "each line holds one JSON object") from error
    if not isinstance(form, dict) or form.get("kind") != "sentence":
        return tree_from_json(form).to_dependency(), None
    tree = tree_from_json(form.get("tree")).to_dependency()
    sentence = sentence_from_json(form)
    if sentence.forms != tree.words:
        raise DataError("the words of the tree are not those of the sentence", "convert it again")
    return tree, sentence


def _written_onto(
    readings: Readings, name: str, onto: str, skipped: Skipped
) -> Iterator[Recovered]:
    """Give each tree the original sentence that has its words.

    They come in the same order. When bad sentences are skipped, some originals may have no
    tree; they are passed over, and reported, if one of the next hundred fits.
    """
    originals = conllu.read(onto, on_error=skipped)
    ahead: deque[Sentence] = deque()
    unplaced = 0  # unusable trees whose sentence has not been found
    for item in readings:
        if not ahead:
            ahead.extend(islice(originals, 1))
        if isinstance(item, Unusable):
            if ahead and ahead[0].forms == item.words:
                ahead.popleft()
            else:
                unplaced += 1
            continue
        if not ahead or ahead[0].forms != item.tree.words:
            mismatch = _mismatch(item, ahead[0] if ahead else None, onto).at(file=name)
            if skipped.choice is OnErrorChoice.STOP:
                raise mismatch
            ahead.extend(islice(originals, _LOOK_AHEAD))
            if all(sentence.forms != item.tree.words for sentence in ahead):
                skipped(mismatch)
                continue
            while ahead[0].forms != item.tree.words:
                unplaced = _pass_over(ahead.popleft(), onto, skipped, unplaced)
        yield Recovered(item.tree, item.line, ahead.popleft())
    for sentence in chain(ahead, originals):
        unplaced = _pass_over(sentence, onto, skipped, unplaced)


def _pass_over(sentence: Sentence, onto: str, skipped: Skipped, unplaced: int) -> int:
    """Report a sentence without a tree; it counts unless its unusable tree has counted."""
    error = DataError(
        "no tree for this sentence",
        "give a tree for each sentence, in the same order",
        file=onto,
        line=sentence.line,
        sentence=sentence.id,
    )
    if not unplaced:
        skipped(error)
        return 0
    say("recover", f"skipped: {error}")
    return unplaced - 1


_LOOK_AHEAD = 100


def _mismatch(item: Recovered, original: Sentence | None, onto: str) -> DataError:
    words = " ".join(item.tree.words[:8])
    if original is None:
        fault = f"a tree ({words}) after the last sentence of {onto}"
    else:
        fault = (
            f"the tree's words ({words}) are not those of the sentence at "
            f"{onto}:{original.line} ({' '.join(original.forms[:8])})"
        )
    remedy = "give the file that was converted, its sentences in the same order"
    return DataError(fault, remedy, line=item.line)
