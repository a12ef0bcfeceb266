"""The in-order transitions over ordered trees (Liu and Zhang 2017), unlabelled.

A node is opened after its first child, and closed after its last: the order in which a reader
who goes from left to right meets the first child, the node, and its other children. In T(D)
every node has one anchor, a leaf, and all its other children are nodes. The stack holds the
open nodes with their children so far, and on top of them at most one *item*, a leaf or a node
that is complete. PROJECT makes the item the first child of a new node. If another transition
comes next, the item is a child of the innermost open node: a leaf is its anchor.

    ==========  ======================================  ==================================
    transition  over (σ, β)                             legal when
    ==========  ======================================  ==================================
    SHIFT       (σ, w|β)       -> (σ|w, β)              the buffer is not empty; no leaf on
                                                        top needs a node of its own; a node
                                                        is open, or σ is empty; and if the
                                                        innermost open node has an anchor,
                                                        more words are left than open nodes
                                                        have none
    PROJECT     (σ|c, β)       -> (σ|[c, β)             an item is on top; afterwards not
                                                        more open nodes have no anchor than
                                                        words are left
    REDUCE      (σ|[c … d, β)  -> (σ|t, β)              the innermost open node has an
                                                        anchor; no leaf on top needs a node
                                                        of its own
    ==========  ======================================  ==================================

A leaf needs a node of its own where it cannot be an anchor: no node is open, or the innermost
one has its anchor. So every node gets exactly one. The two rules that count see to it that
there are words enough: an open node without an anchor takes one of the words left, and no two
of them the same; and a word that is shifted onto a node with an anchor is itself the anchor of
a new one.

Legality never looks at a gold tree, and there are no dead ends: every sequence of legal
transitions goes on to an ordered tree after 3n steps, n of each kind. Every ordered tree has
exactly one derivation.

Configurations are immutable and share their stacks: a step copies nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from arctree.dependency import NO_TAG, ROOT, UNLABELED_ARC
from arctree.errors import DataError
from arctree.ordered import Leaf, OrderedTree
from arctree.transitions import IllegalTransitionError, Stack, steps_of


class InOrder(IntEnum):
    """A transition is a value that can be called, ``SHIFT(configuration)``, and a number."""

    SHIFT = 0
    PROJECT = 1
    REDUCE = 2

    def is_legal(self, configuration: InOrderConfiguration) -> bool:
        return self.obstacle(configuration) is None

    def obstacle(self, configuration: InOrderConfiguration) -> str | None:
        """Why the transition is not legal here; nothing if it is."""
        if self is InOrder.SHIFT:
            return _obstacle_to_shift(configuration)
        if self is InOrder.PROJECT:
            return _obstacle_to_project(configuration)
        return _obstacle_to_reduce(configuration)

    def __call__(self, configuration: InOrderConfiguration) -> InOrderConfiguration:
        """The next configuration."""
        obstacle = self.obstacle(configuration)
        if obstacle is not None:
            raise IllegalTransitionError(f"{self.name} is not legal: {obstacle}")
        if self is InOrder.SHIFT:
            return configuration.shift()
        if self is InOrder.PROJECT:
            return configuration.project()
        return configuration.reduce()


SHIFT, PROJECT, REDUCE = InOrder


def _obstacle_to_shift(configuration: InOrderConfiguration) -> str | None:
    if not configuration.words_left:
        return "the buffer is empty"
    if configuration.needs_node:
        return "the word on top needs a node of its own"
    innermost = configuration.nodes.top
    if innermost is None:
        return None if configuration.item is None else "no node is open"
    is_anchored = innermost.anchor is not None or configuration.holds_anchor
    waiting = configuration.anchorless - configuration.holds_anchor
    if is_anchored and waiting >= configuration.words_left:
        return "the words left are the anchors of open nodes"
    return None


def _obstacle_to_project(configuration: InOrderConfiguration) -> str | None:
    if configuration.item is None:
        return "nothing on top is complete"
    waiting = configuration.anchorless + isinstance(configuration.item, OrderedTree)
    if waiting > configuration.words_left:
        return "more open nodes would have no anchor than words are left"
    return None


def _obstacle_to_reduce(configuration: InOrderConfiguration) -> str | None:
    innermost = configuration.nodes.top
    if innermost is None:
        return "no node is open"
    if configuration.needs_node:
        return "the word on top needs a node of its own"
    if innermost.anchor is None and not configuration.holds_anchor:
        return "the innermost open node has no anchor"
    return None


@dataclass(frozen=True, slots=True)
class OpenNode:
    """A node that may get more children: the dependents so far, and the anchor if it has one."""

    left: Stack[OrderedTree] = field(default_factory=Stack)
    anchor: Leaf | None = None
    right: Stack[OrderedTree] = field(default_factory=Stack)

    def take(self, child: OrderedTree | Leaf) -> OpenNode:
        """The same node with one more child, the last one."""
        if isinstance(child, Leaf):
            return OpenNode(self.left, child, self.right)
        if self.anchor is None:
            return OpenNode(self.left.push(child), None, self.right)
        return OpenNode(self.left, self.anchor, self.right.push(child))

    def close(self, label: str) -> OrderedTree:
        """The ordered tree of the node and its children."""
        assert self.anchor is not None
        left, right = tuple(self.left)[::-1], tuple(self.right)[::-1]
        return OrderedTree.trusted(label, left, self.anchor, right)


@dataclass(frozen=True, slots=True)
class InOrderConfiguration:
    """(σ, β): the open nodes, the innermost on top, with the item; and the words not yet read.

    ``leaves`` is the whole sentence, of which the buffer is the unread end. ``anchorless``
    counts the open nodes that have no anchor; the item is in none of them yet.
    """

    nodes: Stack[OpenNode]
    item: OrderedTree | Leaf | None
    leaves: tuple[Leaf, ...] = field(repr=False)
    read: int = 0
    anchorless: int = 0

    @classmethod
    def initial(cls, words: Sequence[str], tags: Sequence[str] = ()) -> InOrderConfiguration:
        """([], [w_1, ..., w_n])."""
        tags = tags or (NO_TAG,) * len(words)
        if len(tags) != len(words):
            raise DataError(f"{len(words)} words but {len(tags)} tags")
        return cls.over(map(Leaf, range(1, len(words) + 1), words, tags))

    @classmethod
    def over(cls, leaves: Iterable[Leaf]) -> InOrderConfiguration:
        """The initial configuration over these leaves."""
        sentence = tuple(leaves)
        if not sentence:
            raise DataError("a sentence without words", "remove it")
        return cls(Stack(), None, sentence)

    @property
    def words_left(self) -> int:
        """How many words the buffer holds."""
        return len(self.leaves) - self.read

    @property
    def buffer(self) -> tuple[Leaf, ...]:
        """The words not yet read."""
        return self.leaves[self.read :]

    @property
    def needs_node(self) -> bool:
        """Whether the item is a leaf that can be the anchor of no open node."""
        return isinstance(self.item, Leaf) and (
            self.nodes.top is None or self.nodes.top.anchor is not None
        )

    @property
    def holds_anchor(self) -> bool:
        """Whether the item is a leaf that is the anchor of the innermost node, unless projected."""
        return isinstance(self.item, Leaf) and not self.needs_node

    @property
    def is_terminal(self) -> bool:
        """Whether one node is left, complete, over all words."""
        return not self.words_left and not self.nodes.depth and isinstance(self.item, OrderedTree)

    def shift(self) -> InOrderConfiguration:
        leaf = self.leaves[self.read]
        waiting = self.anchorless - self.holds_anchor
        return InOrderConfiguration(self._settled(), leaf, self.leaves, self.read + 1, waiting)

    def project(self) -> InOrderConfiguration:
        assert self.item is not None
        node = OpenNode().take(self.item)
        waiting = self.anchorless + (node.anchor is None)
        return InOrderConfiguration(self.nodes.push(node), None, self.leaves, self.read, waiting)

    def reduce(self) -> InOrderConfiguration:
        innermost, below = self._settled().pop()
        label = UNLABELED_ARC if below.depth or self.words_left else ROOT
        waiting = self.anchorless - self.holds_anchor
        return InOrderConfiguration(below, innermost.close(label), self.leaves, self.read, waiting)

    def _settled(self) -> Stack[OpenNode]:
        """The open nodes, of which the innermost has taken the item."""
        if self.item is None:
            return self.nodes
        innermost, below = self.nodes.pop()
        return below.push(innermost.take(self.item))


class Step(NamedTuple):
    """One row of a derivation: a configuration, and what is done next (None in the last row)."""

    configuration: InOrderConfiguration
    transition: InOrder | None


def derive(tree: OrderedTree) -> Iterator[Step]:
    """The steps of the derivation of an ordered tree."""
    configuration = InOrderConfiguration.over(tree.leaves())
    for transition in derivation(tree):
        yield Step(configuration, transition)
        configuration = transition(configuration)
    yield Step(configuration, None)


def derivation(tree: OrderedTree) -> tuple[InOrder, ...]:
    """The one derivation of an ordered tree; labels play no part in it."""
    done: list[InOrder] = []
    agenda: list[OrderedTree | Leaf | InOrder] = [tree]
    while agenda:
        item = agenda.pop()
        if isinstance(item, OrderedTree):
            first, *rest = item.children
            agenda += [REDUCE, *reversed(rest), PROJECT, first]
        else:
            done.append(SHIFT if isinstance(item, Leaf) else item)
    return tuple(done)


def ordered_tree(
    transitions: Iterable[int], words: Sequence[str], tags: Sequence[str] = ()
) -> OrderedTree:
    """The unlabelled ordered tree of a derivation: the inverse of :func:`derivation`.

    A :class:`DataError` says which transition is wrong if it is none, and why.
    """
    configuration = InOrderConfiguration.initial(words, tags)
    for number, transition in enumerate(steps_of(InOrder, transitions), start=1):
        obstacle = transition.obstacle(configuration)
        if obstacle is not None:
            raise DataError(f"transition {number} is {transition.name}, but {obstacle}")
        configuration = transition(configuration)
    tree = configuration.item
    if not configuration.is_terminal or not isinstance(tree, OrderedTree):
        raise DataError(
            f"the derivation ends with {configuration.words_left} words in the buffer "
            f"and {configuration.nodes.depth} open nodes",
            f"{3 * len(words)} transitions make a tree of {len(words)} words",
        )
    return tree


def heads_of(transitions: Iterable[int]) -> list[int]:
    """The heads of the words, 0 for the root, read off a derivation; linear in the sentence.

    For a parser that has taken legal transitions: nothing is checked. Nodes are numbered in
    the order in which they are opened, from 1 on; node 0 stands for the artificial root.
    """
    anchors, parents = [0], [0]
    open_nodes = [0]
    word = leaf = closed = 0
    for transition in transitions:
        if transition == PROJECT:
            if not leaf:
                parents[closed] = len(anchors)
            parents.append(open_nodes[-1])
            open_nodes.append(len(anchors))
            anchors.append(leaf)
            leaf = 0
            continue
        if leaf:
            anchors[open_nodes[-1]] = leaf
            leaf = 0
        if transition == SHIFT:
            word += 1
            leaf = word
        else:
            closed = open_nodes.pop()
    heads = [0] * word
    for anchor, parent in zip(anchors[1:], parents[1:], strict=True):
        heads[anchor - 1] = anchors[parent]
    return heads
