"""``arctree draw``: pictures of trees and derivations."""

from __future__ import annotations

from enum import StrEnum
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
from arctree.cli.report import Skipped
from arctree.cli.sentences import chosen, projective
from arctree.cli.terminal import terminal_width
from arctree.dependency import DependencyTree
from arctree.draw.width import visible
from arctree.errors import CallError, DataError
from arctree.files import display_name, open_output
from arctree.oracle import derive
from arctree.ordered import from_dependency

EXAMPLES = """\b
Examples:
  arctree draw examples/book.conllu --view tree
  arctree draw treebank.conllu --sentence 12 --view arcs --to svg -o arcs.svg
  arctree draw examples/book.conllu --view derivation --to latex --document -o table.tex
"""


class View(StrEnum):
    """What to draw."""

    ARCS = "arcs"
    TREE = "tree"
    DERIVATION = "derivation"


class Form(StrEnum):
    """How to draw it."""

    TEXT = "text"
    SVG = "svg"
    LATEX = "latex"


def run(
    file: TreebankFile,
    view: Annotated[View, typer.Option("--view", help="What to draw.")] = View.ARCS,
    to: Annotated[Form, typer.Option("--to", help="The format to write.")] = Form.TEXT,
    sentence: SentenceChoice = None,
    document: Annotated[
        bool, typer.Option("--document", help="A whole LaTeX document, not just the picture.")
    ] = False,
    tags: TagChoice = Tags.XPOS,
    on_error: OnError = OnErrorChoice.STOP,
    output: Output = "-",
) -> None:
    """Draw dependency arcs, the ordered tree, or the derivation; for a terminal, page or paper."""
    if document and to is not Form.LATEX:
        raise CallError("--document goes with --to latex")
    skipped = Skipped("draw", on_error)
    width = terminal_width(output)
    drawn: list[str] = []
    with open_output(output) as stream:
        for name, item in chosen(file, sentence, skipped):
            with skipped.guard(file=display_name(file), line=item.line, sentence=item.id):
                if to is Form.SVG and drawn:
                    raise CallError(f"{file}: an SVG file holds one sentence: choose --sentence")
                picture = _picture(item.tree_with_tags(tags.column), view, to, name, width)
                if to is Form.SVG or document:
                    drawn.append(picture)
                    continue
                stream.write(picture.encode("utf-8"))
                stream.flush()
        if document:
            from arctree.draw import latex

            drawn = [latex.document("\n\n".join(drawn))]
        if to is Form.SVG and not drawn:
            raise DataError("no sentence to draw", "name a file that holds one", file=file)
        stream.write("".join(drawn).encode("utf-8"))
    skipped.conclude()


def _picture(tree: DependencyTree, view: View, to: Form, name: str, width: int) -> str:
    from arctree.draw import latex, svg, text

    if view is not View.ARCS:
        tree = projective("draw", tree, name)
    match to, view:
        case Form.TEXT, View.ARCS:
            picture = text.draw_arcs(tree, width=width)
        case Form.TEXT, View.TREE:
            picture = text.draw_tree(from_dependency(tree), width=width)
        case Form.TEXT, View.DERIVATION:
            picture = text.draw_derivation(derive(tree), width=width)
        case Form.SVG, View.ARCS:
            picture = svg.draw_arcs(tree)
        case Form.SVG, View.TREE:
            picture = svg.draw_tree(from_dependency(tree))
        case Form.SVG, View.DERIVATION:
            picture = svg.draw_derivation(derive(tree))
        case Form.LATEX, View.ARCS:
            picture = latex.draw_arcs(tree)
        case Form.LATEX, View.TREE:
            picture = latex.draw_tree(from_dependency(tree))
        case Form.LATEX, View.DERIVATION:
            picture = latex.draw_derivation(derive(tree))
    return f"{visible(name)}\n{picture}\n\n" if to is Form.TEXT else picture + "\n"
