"""``arctree convert``: from CoNLL-U to ordered trees."""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated

import typer

from arctree import conllu
from arctree.brackets import format_tree
from arctree.cli.options import Lift, OnError, OnErrorChoice, Output, TagChoice, Tags, TreebankFile
from arctree.cli.report import Skipped, plural, progress, say
from arctree.dependency import DependencyTree, check_projective
from arctree.files import display_name, open_output
from arctree.json_form import sentence_to_json, tree_to_json
from arctree.labels import print_label
from arctree.lifting import lift
from arctree.ordered import from_dependency
from arctree.sentence import Sentence

EXAMPLES = """\b
Examples:
  arctree convert treebank.conllu -o treebank.mrg
  arctree convert treebank.conllu.xz --tags upos --unlabeled
  arctree convert treebank.conllu --lift none --on-error skip
  arctree convert F | arctree recover - --onto F   gives F back
"""


class Form(StrEnum):
    """What to write."""

    BRACKETS = "brackets"
    CONLLU = "conllu"
    JSON = "json"


def run(
    file: TreebankFile,
    to: Annotated[Form, typer.Option("--to", help="The format to write.")] = Form.BRACKETS,
    lifting: Annotated[
        Lift,
        typer.Option("--lift", help="How to lift non-projective trees; none makes them errors."),
    ] = Lift.EXACT,
    unlabeled: Annotated[
        bool, typer.Option("--unlabeled", help="UA instead of labels, root at the top.")
    ] = False,
    tags: TagChoice = Tags.XPOS,
    on_error: OnError = OnErrorChoice.STOP,
    output: Output = "-",
) -> None:
    """Convert dependency trees to ordered trees, one a line, from which they come back exactly."""
    if lifting is Lift.BASELINE:
        say("convert", "--lift baseline leaves no trace: recover cannot undo the lifts")
    if unlabeled:
        say("convert", "--unlabeled drops the labels: recover cannot bring them back")
    skipped = Skipped("convert", on_error)
    sentences = lifted = 0
    with open_output(output) as stream:
        for sentence in progress(conllu.read(file, on_error=skipped), "sentences"):
            with skipped.guard(file=display_name(file), line=sentence.line, sentence=sentence.id):
                tree = sentence.tree_with_tags(tags.column)
                projective = _lifted(tree, lifting)
                if unlabeled:
                    projective = projective.unlabeled()
                stream.write(_WRITERS[to](sentence, projective).encode("utf-8"))
                sentences += 1
                lifted += projective.heads != tree.heads
    if lifted or output != "-":
        say("convert", f"{plural(sentences, 'sentence')} converted, {lifted:,} of them lifted")
    skipped.conclude()


def _lifted(tree: DependencyTree, choice: Lift) -> DependencyTree:
    return tree if choice.scheme is None else lift(tree, choice.scheme)


def _brackets(_: Sentence, tree: DependencyTree) -> str:
    return format_tree(from_dependency(tree)) + "\n"


def _conllu(sentence: Sentence, tree: DependencyTree) -> str:
    check_projective(tree)
    return sentence.with_arcs(tree.heads, [print_label(label) for label in tree.labels]).to_text()


def _json(sentence: Sentence, tree: DependencyTree) -> str:
    form = {**sentence_to_json(sentence), "tree": tree_to_json(from_dependency(tree))}
    return json.dumps(form, ensure_ascii=False) + "\n"


_WRITERS: dict[Form, Callable[[Sentence, DependencyTree], str]] = {
    Form.BRACKETS: _brackets,
    Form.CONLLU: _conllu,
    Form.JSON: _json,
}
