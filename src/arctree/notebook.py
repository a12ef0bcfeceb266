"""Trees and derivations in a notebook, drawn where their value would be printed.

Jupyter asks a value for ``_repr_svg_`` and ``_repr_html_``, and shows the answer. A dependency
tree and a sentence answer with their arcs, an ordered tree with its branches, a derivation with
the paper's Table 2, or, where HTML is shown, with the explorer: to be stepped through, played,
and taken elsewhere (:mod:`arctree.web.page`). A document shows its sentences.

Drawing is upstairs of the values, which know nothing of it. So the two methods stand here, and
:func:`install` gives them to the classes when arctree is imported; ``arctree.load`` does so for
what a pipeline answers. Nothing else about the classes changes, no method that they have is
replaced, and no pen is imported before a picture is asked for.

A picture in HTML is an image, and the explorer a frame of its own: neither can touch the
notebook, nor the notebook's style them.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable
from html import escape
from typing import TYPE_CHECKING

from arctree.dependency import DependencyTree
from arctree.oracle import Derivation
from arctree.ordered import OrderedTree
from arctree.sentence import Sentence

if TYPE_CHECKING:
    from arctree.document import Document
    from arctree.parser import Parsed

_MOST_SENTENCES = 20
# What a frame shows without scrolling, in pixels: all of a short sentence, most of a long one.
_LOWEST_FRAME = 1110
_HIGHEST_FRAME = 1200


def install() -> None:
    """Let a notebook show trees, sentences and derivations."""
    _show(DependencyTree, svg=_arcs, html=lambda tree: _image(_arcs(tree)))
    _show(OrderedTree, svg=_branches, html=lambda tree: _image(_branches(tree)))
    _show(Sentence, svg=_sentence, html=lambda sentence: _image(_sentence(sentence)))
    _show(Derivation, svg=_table, html=_explorer)


def install_for_documents() -> None:
    """Let a notebook show what a parser and a pipeline answer."""
    from arctree.document import Document
    from arctree.parser import Parsed

    _show(Parsed, svg=_parsed, html=lambda parsed: _image(_parsed(parsed)))
    _show(Document, html=_document)


def _show(
    kind: type,
    *,
    svg: Callable[..., str | None] | None = None,
    html: Callable[..., str | None] | None = None,
) -> None:
    for name, method in (("_repr_svg_", svg), ("_repr_html_", html)):
        if method is not None:
            setattr(kind, name, method)


def _arcs(tree: DependencyTree) -> str:
    """The dependency arcs, as SVG."""
    from arctree.draw import svg

    return svg.draw_arcs(tree)


def _branches(tree: OrderedTree) -> str:
    """The ordered tree, as SVG."""
    from arctree.draw import svg

    return svg.draw_tree(tree)


def _table(derivation: Derivation) -> str:
    """The derivation as the paper's Table 2, as SVG."""
    from arctree.draw import svg

    return svg.draw_derivation(derivation)


def _sentence(sentence: Sentence) -> str | None:
    """The arcs of the sentence; nothing where it has none, and its text is printed then."""
    from arctree.web.exploration import tagged_tree

    return None if sentence.is_blind else _arcs(tagged_tree(sentence))


def _parsed(parsed: Parsed) -> str | None:
    """The arcs that the parser found."""
    return _sentence(parsed.sentence)


def _document(document: Document) -> str:
    """The sentences, one picture each; of a long text the first ones."""
    pictures = [_image(_parsed(sentence)) for sentence in document.sentences[:_MOST_SENTENCES]]
    left = len(document) - len(pictures)
    more = f"<p>… and {left:,} more</p>" if left else ""
    return "\n".join([*_those_that_are(pictures), more])


def _those_that_are(pictures: Iterable[str | None]) -> list[str]:
    return [picture for picture in pictures if picture is not None]


def _image(picture: str | None) -> str | None:
    """A picture as an image that scrolls where it is wide; it can neither run nor style."""
    if picture is None:
        return None
    data = b64encode(picture.encode("utf-8")).decode("ascii")
    title = picture.partition("<title>")[2].partition("</title>")[0]  # escaped already
    image = f'<img alt="{title}" style="max-width:none" src="data:image/svg+xml;base64,{data}">'
    return f'<div style="overflow-x:auto">{image}</div>'


def _explorer(derivation: Derivation) -> str:
    """The explorer with the derivation in it, in a frame of its own."""
    from arctree.draw.width import shorten, visible
    from arctree.transitions import letters_of
    from arctree.web.exploration import exploration
    from arctree.web.page import stand_alone

    tree = derivation.tree
    title = "Derivation of: " + shorten(visible(" ".join(tree.words)), 80)
    page = stand_alone(
        [exploration(tree, latex=True)], title=title, actions=letters_of(derivation.transitions)
    )
    height = min(_LOWEST_FRAME + 10 * len(tree), _HIGHEST_FRAME)
    return (
        f'<iframe title="{escape(title)}" sandbox="allow-scripts allow-downloads" '
        f'style="width:100%;height:{height}px;border:0" srcdoc="{escape(page)}"></iframe>'
    )
