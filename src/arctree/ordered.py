"""Ordered dependency trees: T(D), its anchors, spans and arcs (Section 3.1).

An ordered tree has one internal node for every word. The node's *anchor* is the leaf of
that word; its other children are the nodes of the word's dependents, to the left of the
anchor those that precede it, to the right those that follow, all in surface order. So the
yield of every node is a contiguous span of the sentence.

:func:`from_dependency` is the paper's Algorithm 1, :meth:`OrderedTree.arcs` its Theorem 3.
A node carries the label of the arc to its head: the root arc's label at the top. In an
unlabelled tree that is ``root`` at the top and ``UA`` (unlabelled arc) elsewhere.

Nothing here recurses: a sentence of 10,000 words may be 10,000 nodes deep.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from typing import NamedTuple

from arctree.dependency import (
    NO_TAG,
    Arc,
    DependencyTree,
    check_projective,
    dependents,
    preorder,
)
from arctree.errors import DataError
from arctree.labels import Label


class Leaf(NamedTuple):
    """A word in its place: position from 1 on, form, and tag (``_`` if there is none)."""

    position: int
    word: str
    tag: str = NO_TAG


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OrderedTree:
    """A node with everything below it; valid by construction.

    ``left`` and ``right`` are the dependents before and after the ``anchor``, in surface
    order; ``first`` and ``last`` are the positions of the first and last word below.
    """

    label: Label
    left: tuple[OrderedTree, ...]
    anchor: Leaf
    right: tuple[OrderedTree, ...]
    first: int = field(init=False)
    last: int = field(init=False)

    def __post_init__(self) -> None:
        if not (self.label and self.anchor.word and self.anchor.tag):
            raise DataError("a node with an empty label, word or tag")
        children = self.children
        for before, after in pairwise(children):
            if _last(before) + 1 != _first(after):
                raise DataError(
                    f"the children of {self.label} anchored at {self.anchor.word} do not adjoin: "
                    f"word {_first(after)} comes after word {_last(before)}",
                    "the yield of a node is a contiguous span, its children are in surface order",
                )
        object.__setattr__(self, "first", _first(children[0]))
        object.__setattr__(self, "last", _last(children[-1]))

    @classmethod
    def trusted(
        cls,
        label: Label,
        left: tuple[OrderedTree, ...],
        anchor: Leaf,
        right: tuple[OrderedTree, ...],
    ) -> OrderedTree:
        """Build a node from children that are known to adjoin."""
        node = object.__new__(cls)
        _set_label(node, label)
        _set_left(node, left)
        _set_anchor(node, anchor)
        _set_right(node, right)
        _set_first(node, left[0].first if left else anchor[0])
        _set_last(node, right[-1].last if right else anchor[0])
        return node

    def __len__(self) -> int:
        """How many words the node spans."""
        return self.last - self.first + 1

    def __repr__(self) -> str:
        return (
            f"OrderedTree(label={str(self.label)!r}, anchor={self.anchor.word!r}, "
            f"first={self.first}, last={self.last})"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OrderedTree):
            return NotImplemented
        return self is other or all(
            mine == others for mine, others in zip_longest(self._shape(), other._shape())
        )

    def __hash__(self) -> int:
        return hash(tuple(self._shape()))

    def __reduce__(self) -> tuple[Callable[..., OrderedTree], tuple[object, ...]]:
        return _from_shape, (tuple(self._shape()),)

    def _shape(self) -> Iterator[_NodeShape]:
        """The tree as a flat sequence that determines it."""
        for node in self.nodes():
            yield node.label, node.anchor, len(node.left), len(node.right)

    @property
    def children(self) -> tuple[OrderedTree | Leaf, ...]:
        """Dependents and anchor, in surface order."""
        return (*self.left, self.anchor, *self.right)

    @property
    def dependents(self) -> tuple[OrderedTree, ...]:
        """The children that are not the anchor, in surface order."""
        return self.left + self.right

    def nodes(self) -> Iterator[OrderedTree]:
        """This node and all below it, in preorder."""
        agenda = [self]
        while agenda:
            node = agenda.pop()
            yield node
            agenda.extend(reversed(node.right))
            agenda.extend(reversed(node.left))

    def leaves(self) -> list[Leaf]:
        """The words below, in surface order."""
        leaves = []
        agenda: list[OrderedTree | Leaf] = [self]
        while agenda:
            item = agenda.pop()
            if isinstance(item, Leaf):
                leaves.append(item)
            else:
                agenda.extend(reversed(item.right))
                agenda.append(item.anchor)
                agenda.extend(reversed(item.left))
        return leaves

    def arcs(self) -> list[Arc]:
        """The dependency arcs that the tree determines (Theorem 3), the root's arc first.

        The anchor of a node is the head; the anchor of each other child is a dependent.
        """
        arcs = [Arc(0, self.anchor.position, self.label)]
        for node in self.nodes():
            head = node.anchor.position
            arcs += [Arc(head, child.anchor.position, child.label) for child in node.left]
            arcs += [Arc(head, child.anchor.position, child.label) for child in node.right]
        return arcs

    def to_dependency(self) -> DependencyTree:
        """The dependency tree D with T(D) equal to this tree; see :func:`from_dependency`."""
        if self.first != 1:
            raise DataError(f"the tree starts at word {self.first}: it is a part, not a sentence")
        heads = [0] * self.last
        labels: list[Label] = [""] * self.last
        words = [""] * self.last
        tags = [""] * self.last
        agenda = [(self, 0)]
        while agenda:
            node, head = agenda.pop()
            position, word, tag = node.anchor
            place = position - 1
            heads[place] = head
            labels[place] = node.label
            words[place] = word
            tags[place] = tag
            if node.left:
                agenda += [(child, position) for child in node.left]
            if node.right:
                agenda += [(child, position) for child in node.right]
        return DependencyTree.trusted(tuple(words), tuple(heads), tuple(labels), tuple(tags))

    def attach_left(self, dependent: OrderedTree) -> OrderedTree:
        """The same anchor with one more dependent, left of all others (LEFTARC)."""
        return OrderedTree.trusted(self.label, (dependent, *self.left), self.anchor, self.right)

    def attach_right(self, dependent: OrderedTree) -> OrderedTree:
        """The same anchor with one more dependent, right of all others (RIGHTARC)."""
        return OrderedTree.trusted(self.label, self.left, self.anchor, (*self.right, dependent))

    def with_label(self, label: Label) -> OrderedTree:
        """The same node under another label."""
        return OrderedTree.trusted(label, self.left, self.anchor, self.right)


_NodeShape = tuple[Label, Leaf, int, int]

# Setting slots directly makes trusted() three times as fast as object.__setattr__.
_set_label = OrderedTree.__dict__["label"].__set__
_set_left = OrderedTree.__dict__["left"].__set__
_set_anchor = OrderedTree.__dict__["anchor"].__set__
_set_right = OrderedTree.__dict__["right"].__set__
_set_first = OrderedTree.__dict__["first"].__set__
_set_last = OrderedTree.__dict__["last"].__set__


def from_dependency(tree: DependencyTree) -> OrderedTree:
    """T(D) by Algorithm 1; a :class:`DataError` names the arcs if D is not projective.

    The paper's BUILD is called here for each head after its dependents, in reverse
    preorder, rather than by recursion.
    """
    check_projective(tree)
    lookup = dependents(tree.heads)
    return _build(tree, lookup, preorder(lookup)[1:])


def _build(
    tree: DependencyTree, lookup: Sequence[Sequence[int]], words: Sequence[int]
) -> OrderedTree:
    """BUILD for the given words, each head before its dependents; the first one's tree."""
    texts, labels, tags = tree.words, tree.labels, tree.tags
    built: dict[int, OrderedTree] = {}
    node_of = built.__getitem__
    node = None
    for head in reversed(words):
        leaf = Leaf(head, texts[head - 1], tags[head - 1])
        left: tuple[OrderedTree, ...] = ()
        right: tuple[OrderedTree, ...] = ()
        row = lookup[head]
        if row:
            split = bisect(row, head)
            left = tuple(map(node_of, row[:split]))
            right = tuple(map(node_of, row[split:]))
        node = built[head] = OrderedTree.trusted(labels[head - 1], left, leaf, right)
    assert node is not None
    return node


def _from_shape(shape: Iterable[_NodeShape]) -> OrderedTree:
    """The tree of a flat preorder sequence: the inverse of ``_shape``."""
    finished: list[OrderedTree] = []  # in reverse preorder, so the next child is on top
    for label, anchor, left, right in reversed(tuple(shape)):
        first_right = len(finished) - left - right
        below = finished[first_right:][::-1]
        del finished[first_right:]
        finished.append(
            OrderedTree.trusted(label, tuple(below[:left]), Leaf(*anchor), tuple(below[left:]))
        )
    (tree,) = finished
    return tree


def _first(child: OrderedTree | Leaf) -> int:
    return child.position if isinstance(child, Leaf) else child.first


def _last(child: OrderedTree | Leaf) -> int:
    return child.position if isinstance(child, Leaf) else child.last
