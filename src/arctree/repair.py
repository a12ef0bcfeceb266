"""Making an ordered tree of any bracketed tree.

A constituency parser trained on our brackets may print a tree that is no ordered dependency
tree. The rule below makes one of it, the same one every time, and never moves a word. It is
applied to every node, children before parents:

1. A node over no words is removed.
2. A node with no anchor and one child is removed; the child takes its place and keeps its
   label.
3. A node with no anchor and several children takes over the anchor and the children of the
   child that spans most words, the first of equals, and keeps its own label.
4. A node with several anchors keeps the first; each of the others becomes a dependent of its
   own, labelled ``dep``.

A bare word is the anchor of the node it stands in, like a preterminal without a tag. A node
whose label is missing or cannot be read is labelled ``dep``, at the top ``root``.
"""

from __future__ import annotations

from collections.abc import Callable

from arctree.brackets import Node, ordered, parse_node
from arctree.dependency import ROOT
from arctree.errors import DataError
from arctree.labels import parse_label
from arctree.ordered import Leaf, OrderedTree

DEPENDENT = "dep"


def repair(text: str) -> tuple[OrderedTree, list[str]]:
    """The ordered tree made of a bracketed text, and what was done to it, node by node."""
    top = parse_node(text)
    repairs: list[str] = []
    replaced: dict[Node, Node | None] = {}
    for node in top.post_order():
        _take_children(node, replaced)
        replaced[node] = _repaired(node, repairs.append, is_top=node is top)
    tree = replaced[top]
    if tree is None:
        raise DataError("a tree over no words", "remove it")
    return ordered(tree), repairs


def _take_children(node: Node, replaced: dict[Node, Node | None]) -> None:
    children: list[Node | Leaf] = []
    for child in node.children:
        kept = replaced[child] if isinstance(child, Node) else child
        if kept is not None:
            children.append(kept)
    node.children = children


def _repaired(node: Node, report: Callable[[str], None], *, is_top: bool) -> Node | None:
    """What takes the node's place: a node with one anchor and a label, or nothing."""
    if not node.children:
        report(f"removed {node.describe()}")
        return None
    anchors = [child for child in node.children if isinstance(child, Leaf)]
    if not anchors:
        nodes = [child for child in node.children if isinstance(child, Node)]
        if len(nodes) == 1:
            report(f"removed {node.describe()}: it has no anchor and one child")
            return nodes[0]
        chosen = max(nodes, key=len)
        report(f"gave {node.describe()} the anchor of its child {chosen.label}")
        place = node.children.index(chosen)
        node.children[place : place + 1] = chosen.children
    for extra in anchors[1:]:
        report(f"made {extra.word} a dependent of {anchors[0].word} in {node.describe()}")
        node.children[node.children.index(extra)] = _dependent(extra, node)
    if not _is_label(node.label):
        label = ROOT if is_top else DEPENDENT
        report(f"labelled {node.describe()} {label}")
        node.label = label
    return node


def _dependent(leaf: Leaf, parent: Node) -> Node:
    return Node(DEPENDENT, parent.words, [leaf], leaf.position, leaf.position)


def _is_label(printed: str) -> bool:
    try:
        return bool(printed) and bool(parse_label(printed))
    except DataError:
        return False
