"""Ordered trees as sequences of symbols (Vinyals et al. 2015), and the automaton of them.

T(D) is written from left to right: OPEN where a node begins, WORD where its anchor stands,
CLOSE where it ends. The words themselves are known, so one symbol does for all of them, and 3n
symbols make a tree of n words. "Book me the morning flight" is

    OPEN WORD OPEN WORD CLOSE OPEN OPEN WORD CLOSE OPEN WORD CLOSE WORD CLOSE CLOSE
    (    book (    me   )     (    (    the  )     (    morning )  flight )   )

Which sequences are ordered trees over n words, a pushdown automaton decides. What it has to
remember of an open node is whether it has its anchor.

    ======  ==================================================================
    symbol  legal when
    ======  ==================================================================
    OPEN    nothing is read yet, or a node is open; and afterwards not more
            open nodes have no anchor than words are left
    WORD    the innermost open node has no anchor
    CLOSE   the innermost open node has its anchor; and if it is the only open
            node, no words are left
    ======  ==================================================================

There are no dead ends: an open node without an anchor takes one of the words left, and the
rule for OPEN sees to it that there are enough. So every sequence of legal symbols goes on to
an ordered tree, and the sequences that do are exactly the linearisations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from arctree.dependency import NO_TAG, UNLABELED_ARC, DependencyTree
from arctree.errors import DataError
from arctree.ordered import OrderedTree, from_dependency
from arctree.transitions import Stack, steps_of


class Symbol(IntEnum):
    """What a linearisation is made of; the numbers are those that a parser predicts."""

    OPEN = 0
    WORD = 1
    CLOSE = 2


OPEN, WORD, CLOSE = Symbol


def linearise(tree: OrderedTree) -> tuple[Symbol, ...]:
    """The symbols of an ordered tree; labels play no part in them.

    Between two words all nodes that end there are closed, and then all that begin are opened.
    """
    opened = [0] * len(tree)
    closed = [0] * len(tree)
    for node in tree.nodes():
        opened[node.first - tree.first] += 1
        closed[node.last - tree.first] += 1
    symbols: list[Symbol] = []
    for begin, end in zip(opened, closed, strict=True):
        symbols += [OPEN] * begin
        symbols.append(WORD)
        symbols += [CLOSE] * end
    return tuple(symbols)


def delinearise(
    symbols: Iterable[int], words: Sequence[str], tags: Sequence[str] = ()
) -> OrderedTree:
    """The unlabelled ordered tree of a linearisation: the inverse of :func:`linearise`.

    A :class:`DataError` says which symbol is wrong if it is none, and why.
    """
    sequence = steps_of(Symbol, symbols)
    state = Automaton.initial(len(words))
    for number, symbol in enumerate(sequence, start=1):
        obstacle = state.obstacle(symbol)
        if obstacle is not None:
            raise DataError(f"symbol {number} is {symbol.name}, but {obstacle}")
        state = state.read(symbol)
    if not state.is_accepting:
        raise DataError(
            f"the symbols end with {state.words_left} words left "
            f"and {state.nodes.depth} open nodes",
            f"{3 * len(words)} symbols make a tree of {len(words)} words",
        )
    heads = tuple(heads_of(sequence))
    labels = (UNLABELED_ARC,) * len(heads)
    tags = tuple(tags) or (NO_TAG,) * len(heads)
    return from_dependency(DependencyTree(tuple(words), heads, labels, tags).unlabeled())


@dataclass(frozen=True, slots=True)
class Automaton:
    """A state of the automaton: what it has read, and so what it may read next.

    ``nodes`` tells for each open node whether it has its anchor, the innermost on top;
    ``anchorless`` counts those that do not. States are immutable and share their stacks.

    >>> state = Automaton.initial(2).read(OPEN)
    >>> [symbol.name for symbol in state.legal]
    ['OPEN', 'WORD']
    """

    nodes: Stack[bool]
    words_left: int
    anchorless: int = 0
    has_begun: bool = False

    @classmethod
    def initial(cls, size: int) -> Automaton:
        """Nothing is read of a tree over so many words."""
        if size < 1:
            raise DataError("a sentence without words", "remove it")
        return cls(Stack(), size)

    @property
    def is_accepting(self) -> bool:
        """Whether what was read is the linearisation of an ordered tree over all words."""
        return self.has_begun and not self.nodes.depth

    @property
    def legal(self) -> tuple[Symbol, ...]:
        """The symbols that may come next."""
        return tuple(symbol for symbol in Symbol if self.obstacle(symbol) is None)

    def obstacle(self, symbol: Symbol) -> str | None:
        """Why the symbol may not come next; nothing if it may."""
        is_anchored = self.nodes.top
        if is_anchored is None and self.has_begun:
            return "the tree is complete"
        if symbol is OPEN:
            if self.anchorless >= self.words_left:
                return "more open nodes would have no anchor than words are left"
            return None
        if is_anchored is None:
            return "no node is open"
        if symbol is WORD:
            return "the innermost open node has its anchor" if is_anchored else None
        if not is_anchored:
            return "the innermost open node has no anchor"
        if self.nodes.depth == 1 and self.words_left:
            return "words are left that would be outside the tree"
        return None

    def read(self, symbol: Symbol) -> Automaton:
        """The state after the symbol; a :class:`DataError` if it may not come next."""
        obstacle = self.obstacle(symbol)
        if obstacle is not None:
            raise DataError(f"{symbol.name} may not come next: {obstacle}")
        if symbol is OPEN:
            return Automaton(self.nodes.push(False), self.words_left, self.anchorless + 1, True)
        _, below = self.nodes.pop()
        if symbol is WORD:
            return Automaton(below.push(True), self.words_left - 1, self.anchorless - 1, True)
        return Automaton(below, self.words_left, self.anchorless, True)


def heads_of(symbols: Iterable[int]) -> list[int]:
    """The heads of the words, 0 for the root, read off a linearisation; linear in the sentence.

    For a parser that the automaton has kept on its way: nothing is checked. Nodes are numbered
    in the order in which they are opened, from 1 on; node 0 stands for the artificial root.
    """
    anchors, parents = [0], [0]
    open_nodes = [0]
    word = 0
    for symbol in symbols:
        if symbol == WORD:
            word += 1
            anchors[open_nodes[-1]] = word
        elif symbol == OPEN:
            parents.append(open_nodes[-1])
            open_nodes.append(len(anchors))
            anchors.append(0)
        else:
            open_nodes.pop()
    heads = [0] * word
    for anchor, parent in zip(anchors[1:], parents[1:], strict=True):
        heads[anchor - 1] = anchors[parent]
    return heads
