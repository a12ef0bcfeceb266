"""The batched in-order machine: SHIFT, PROJECT, REDUCE in many sentences at once.

It is the system of :mod:`arctree.in_order`, which is the definition, made fast; property tests
hold the two equal on every tree and on every sequence of legal transitions.

On top of the stack lies an *item*: a word just shifted, a node just reduced, or nothing, after
PROJECT. A word under an open node that has no anchor is its anchor as soon as anything but
PROJECT follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from arctree.parsing.machine import Array, GoldDerivation
from arctree.parsing.node_machine import NodeMachine, replayed, yields

SHIFT, PROJECT, REDUCE = 0, 1, 2
_NOTHING, _WORD, _NODE = 0, 1, 2


class InOrderMachine(NodeMachine):
    """The configurations of a batch.

    >>> machine = InOrderMachine([2, 1])
    >>> while machine.running:
    ...     machine.step(machine.legal().argmax(-1))     # the first legal transition
    >>> machine.heads_of_sentences()
    [[0, 1], [0]]
    """

    # What the classifier sees: the item on top, as a word or as the anchor of a node; of the
    # innermost open node and of the one around it the anchor and that of the first child; and
    # the next word.
    slots: ClassVar[tuple[str, ...]] = (
        *("word", "node", "open_anchor", "open_first", "outer_anchor", "outer_first", "next"),
    )

    _state: ClassVar[tuple[str, ...]] = (*NodeMachine._state, "_item", "_kind")

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._item, self._kind = self._made * 0, self._made * 0

    def legal(self) -> Array:
        count = self.running
        kind, depth = self._kind[:count], self._depth[:count]
        node = self._stack[self._lines[:count], depth]
        is_word, is_open = kind == _WORD, depth > 0
        has_anchor = self._anchor[self._lines[:count], node] > 0
        # The word on top will be the anchor of the open node if it is not projected.
        anchors = is_word & is_open & ~has_anchor
        left = self._size[:count] - self._next[:count] + 1
        bare = self._bare[:count] - anchors * 1
        # Under a node that has its anchor a word needs a node of its own.
        needed = bare + (has_anchor | anchors) * 1
        is_stuck = is_word & ~anchors
        may_shift = (is_open & ~is_stuck & (needed <= left)) | (~is_open & (kind == _NOTHING))
        may_project = (kind != _NOTHING) & (self._bare[:count] + (kind == _NODE) * 1 <= left)
        may_reduce = is_open & (has_anchor | anchors) & ~is_stuck
        return self.arrays.stack((may_shift & (left > 0), may_project, may_reduce), -1)

    def positions(self) -> Array:
        count = self.running
        lines, depth = self._lines[:count], self._depth[:count]
        item, kind = self._item[:count], self._kind[:count]
        inner = self._stack[lines, depth]
        outer = self._stack[lines, (depth - 1) * (depth > 0)]
        return self.arrays.stack(
            (
                item * (kind == _WORD),
                self._anchor[lines, item * (kind == _NODE)],
                self._anchor[lines, inner],
                self._first[lines, inner],
                self._anchor[lines, outer],
                self._first[lines, outer],
                self._next_word(),
            ),
            -1,
        )

    def _take(self, steps: Array) -> None:
        count, where, unused = self.running, self.arrays.where, self._unused
        lines, depth = self._lines[:count], self._depth[:count]
        item, kind = self._item[:count], self._kind[:count]
        is_shift, is_project, is_reduce = steps == SHIFT, steps == PROJECT, steps == REDUCE
        is_word, is_node = kind == _WORD, kind == _NODE
        node = self._stack[lines, depth]
        made = self._made[:count] + is_project * 1
        # A word that is not projected is the anchor of the open node, a node is its child.
        anchors = is_word & ~is_project
        self._anchor[lines, where(anchors, node, unused)] = item
        self._parent[lines, where(is_node, item, unused)] = where(is_project, made, node)
        # A new node has the item as its first child, and as its anchor if it is a word.
        new = where(is_project, made, unused)
        self._first[lines, new] = where(is_word, item, self._anchor[lines, item * is_node])
        self._anchor[lines, new] = item * is_word
        depth = depth + is_project * 1 - is_reduce * 1
        self._stack[lines, where(is_project, depth, unused)] = made
        self._bare[:count] += (is_project & is_node) * 1 - anchors * 1
        self._depth[:count], self._made[:count] = depth, made
        self._item[:count] = where(is_shift, self._next[:count], node * is_reduce)
        self._kind[:count] = is_shift * _WORD + is_reduce * _NODE
        self._next[:count] += is_shift * 1


def in_order_derivations(heads_of_sentences: Sequence[Sequence[int]]) -> list[GoldDerivation]:
    """The one in-order derivation of each projective tree."""
    machine = InOrderMachine([len(heads) for heads in heads_of_sentences])
    return replayed(machine, [in_order_steps(heads) for heads in heads_of_sentences])


def in_order_steps(heads: Sequence[int]) -> list[int]:
    """The numbers of the transitions that build a projective tree in order.

    >>> in_order_steps([2, 0, 2])      # SHIFT PROJECT REDUCE PROJECT, SHIFT, SHIFT PROJECT ...
    [0, 1, 2, 1, 0, 0, 1, 2, 2]
    """
    first, last = yields(heads)
    steps = []
    for word in range(1, len(heads) + 1):
        steps.append(SHIFT)
        if first[word] == word:
            steps.append(PROJECT)
        # The nodes that end with this word, from the inside out.
        node = word
        while node and last[node] == word:
            steps.append(REDUCE)
            node, below = heads[node - 1], node
            if node > below and first[node] == first[below]:
                steps.append(PROJECT)  # its head's first dependent
    return steps
