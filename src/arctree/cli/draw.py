"""``arctree draw``: pictures of trees and derivations."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
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
from arctree.cli.report import Skipped, say
from arctree.cli.sentences import chosen, projective
from arctree.cli.terminal import terminal_width
from arctree.dependency import DependencyTree
from arctree.draw.width import shorten, visible
from arctree.errors import CallError, DataError
from arctree.files import display_name, open_output
from arctree.json_form import Json
from arctree.oracle import derive
from arctree.ordered import from_dependency

EXAMPLES = """\b
Examples:
  arctree draw examples/book.conllu --view tree
  arctree draw treebank.conllu --sentence 12 --view arcs --to svg -o arcs.svg
  arctree draw examples/book.conllu --view derivation --to latex --document -o table.tex
  arctree draw examples/book.conllu --to html -o page.html
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
    HTML = "html"


def run(
    file: TreebankFile,
    view: Annotated[
        View | None, typer.Option("--view", help="What to draw.", show_default=View.ARCS.value)
    ] = None,
    to: Annotated[Form, typer.Option("--to", help="The format to write.")] = Form.TEXT,
    sentence: SentenceChoice = None,
    document: Annotated[
        bool, typer.Option("--document", help="A whole LaTeX document, not just the picture.")
    ] = False,
    tags: TagChoice = Tags.XPOS,
    on_error: OnError = OnErrorChoice.STOP,
    output: Output = "-",
) -> None:
    """Draw dependency arcs, the ordered tree, or the derivation; for a terminal, page or paper.

    With --to html, one page in which the derivations can be stepped through, with no network.
    """
    if document and to is not Form.LATEX:
        raise CallError("--document goes with --to latex")
    skipped = Skipped("draw", on_error)
    if to is Form.HTML:
        if view is not None:
            say("draw", "--view decides nothing with --to html: the page shows all views")
        _write_page(file, sentence, tags, skipped, output)
        return
    view = view or View.ARCS
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


def _write_page(file: str, sentence: str | None, tags: Tags, skipped: Skipped, output: str) -> None:
    """All chosen sentences in one page, projective or not: the page shows how they are lifted."""
    from arctree.web.exploration import exploration
    from arctree.web.page import stand_alone

    explorations = []
    with open_output(output) as stream:
        for _, item in chosen(file, sentence, skipped):
            with skipped.guard(file=display_name(file), line=item.line, sentence=item.id):
                tree = item.tree_with_tags(tags.column)
                explorations.append(exploration(tree, id=item.id, text=item.text, latex=True))
        if not explorations:
            raise DataError("no sentence to draw", "name a file that holds one", file=file)
        title = _title(explorations[0]) if len(explorations) == 1 else Path(display_name(file)).name
        stream.write(stand_alone(explorations, title=title).encode("utf-8"))
    skipped.conclude()


def _title(exploration: Json) -> str:
    """The beginning of a sentence."""
    text = exploration["text"] or " ".join(word["form"] for word in exploration["words"])
    return shorten(visible(text), 80)


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
