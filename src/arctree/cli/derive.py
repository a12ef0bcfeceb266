"""``arctree derive``: the arc-standard derivation of a tree, step by step."""

from __future__ import annotations

import json
import math
from enum import StrEnum
from itertools import islice
from typing import Annotated

import typer

from arctree.cli.options import (
    OnError,
    OnErrorChoice,
    Output,
    SentenceChoice,
    TagChoice,
    Tags,
    TreebankFile,
)
from arctree.cli.report import Skipped, plural
from arctree.cli.sentences import chosen, projective
from arctree.cli.terminal import terminal_width
from arctree.dependency import DependencyTree
from arctree.draw.width import visible
from arctree.errors import CallError
from arctree.files import display_name, open_output
from arctree.json_form import derivation_to_json
from arctree.oracle import count_derivations, derivations, derive
from arctree.ordered import from_dependency

EXAMPLES = """\b
Examples:
  arctree derive examples/book.conllu
  arctree derive examples/choice.conllu --derivation 2
  arctree derive treebank.conllu --sentence 7 --to latex
"""


class Form(StrEnum):
    """What to write."""

    TABLE = "table"
    JSON = "json"
    LATEX = "latex"


def run(
    file: TreebankFile,
    sentence: SentenceChoice = None,
    to: Annotated[Form, typer.Option("--to", help="The format to write.")] = Form.TABLE,
    derivation: Annotated[
        int,
        typer.Option(
            "--derivation", metavar="K", min=1, help="The K-th derivation; 1 is the canonical one."
        ),
    ] = 1,
    tags: TagChoice = Tags.XPOS,
    on_error: OnError = OnErrorChoice.STOP,
    output: Output = "-",
) -> None:
    """Show how SHIFT, LEFTARC and RIGHTARC build the ordered tree, as in the paper's Table 2."""
    skipped = Skipped("derive", on_error)
    width = terminal_width(output)
    with open_output(output) as stream:
        for name, item in chosen(file, sentence, skipped):
            with skipped.guard(file=display_name(file), line=item.line, sentence=item.id):
                tree = projective("derive", item.tree_with_tags(tags.column), name)
                text = _written(tree, item.id, name, to, derivation, width)
                stream.write(text.encode("utf-8"))
                stream.flush()
    skipped.conclude()


def _written(
    tree: DependencyTree, identifier: str | None, name: str, to: Form, which: int, width: int
) -> str:
    number = count_derivations(tree.heads)
    if which > number:
        raise CallError(
            f"sentence {name} has {plural(number, 'derivation')}; there is no number {which:,}"
        )
    steps = derive(tree, next(islice(derivations(tree), which - 1, None)))
    if to is Form.JSON:
        form = derivation_to_json(
            steps, from_dependency(tree), sentence_id=identifier, derivations=number
        )
        return json.dumps(form, ensure_ascii=False) + "\n"
    if to is Form.LATEX:
        from arctree.draw import latex

        title = f"{visible(name)}, derivation {which:,} of {_written_count(number)}"
        return f"% {title}\n{latex.draw_derivation(steps)}\n"
    from arctree.draw import text

    title = f"{visible(name)}, derivation {which:,} of {_written_count(number)}"
    title += " (canonical)" * (which == 1)
    return f"{title}\n{text.draw_derivation(steps, width=width)}\n\n"


def _written_count(number: int) -> str:
    """The number, or its magnitude where nobody would read the digits."""
    if number < 10**15:
        return f"{number:,}"
    return f"about 10^{math.floor(number.bit_length() * math.log10(2))}"
