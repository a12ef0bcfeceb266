"""Every pen draws every tree, whatever its shape and whatever its words."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from arctree.dependency import DependencyTree
from arctree.draw import latex, svg, text
from arctree.draw.width import cells
from arctree.lifting import lift
from arctree.oracle import derive
from arctree.ordered import from_dependency
from strategies import any_heads, labels, projective_heads, trees

# Unlike words from a treebank, these may hold controls and lone surrogates.
wild = st.text(st.characters(), min_size=1, max_size=6)


@st.composite
def wild_trees(draw: st.DrawFn) -> DependencyTree:
    heads = draw(any_heads())
    words = draw(st.lists(wild, min_size=len(heads), max_size=len(heads)))
    return DependencyTree(tuple(words), heads, tuple(words[::-1]), tuple(words))


every_tree = trees() | trees(projective_heads(), labels) | wild_trees()


@given(every_tree, st.integers(1, 160))
def test_text(tree: DependencyTree, width: int) -> None:
    lifted = lift(tree)
    assert len(text.draw_arcs(tree, width=width).split("\n")) == len(tree)
    assert text.draw_tree(from_dependency(lifted), width=width)
    heading, rule, *rows = text.draw_derivation(derive(lifted), width=width).split("\n")
    assert heading.endswith("added")
    assert cells(rule) == max(map(cells, [heading, *rows]))
    assert len(rows) == 2 * len(tree) + 1


@given(every_tree, st.integers(1, 2000))
def test_svg(tree: DependencyTree, width: int) -> None:
    lifted = lift(tree)
    for drawing in (
        svg.draw_arcs(tree, width=width),
        svg.draw_tree(from_dependency(lifted), width=width),
        svg.draw_derivation(derive(lifted)),
    ):
        ElementTree.fromstring(drawing.encode("utf-8"))


@given(every_tree)
def test_latex(tree: DependencyTree) -> None:
    lifted = lift(tree)
    bodies = [
        latex.draw_arcs(tree),
        latex.draw_tree(from_dependency(lifted)),
        latex.draw_derivation(derive(lifted)),
    ]
    document = latex.document("\n\n".join(bodies))
    document.encode("utf-8")
    assert document.count("{") - document.count(r"\{") == document.count("}") - document.count(
        r"\}"
    )
