"""The batched automaton of linearisations: OPEN, WORD, CLOSE in many sentences at once.

It is the automaton of :mod:`arctree.linearisation`, which is the definition, made fast;
property tests hold the two equal. It accepts exactly the linearisations of ordered trees over
the words of the sentence, and never runs into a dead end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from arctree.parsing.machine import Array, GoldDerivation
from arctree.parsing.node_machine import NodeMachine, replayed, yields

OPEN, WORD, CLOSE = 0, 1, 2


class LinearMachine(NodeMachine):
    """The states of a batch.

    >>> machine = LinearMachine([2, 1])
    >>> while machine.running:
    ...     machine.step(machine.legal().argmax(-1))     # the first legal symbol
    >>> machine.heads_of_sentences()
    [[2, 0], [0]]
    """

    # The words that a prefix points to: the next one; the anchor and the first word of the
    # innermost open node, and of the one around it; the anchor of the third; the last word read.
    slots: ClassVar[tuple[str, ...]] = (
        *("next", "open_anchor", "open_first", "outer_anchor"),
        *("last", "outer_first", "third_anchor"),
    )

    def legal(self) -> Array:
        count = self.running
        lines, depth = self._lines[:count], self._depth[:count]
        is_open = depth > 0
        has_anchor = self._anchor[lines, self._stack[lines, depth]] > 0
        left = self._size[:count] - self._next[:count] + 1
        may_open = (is_open | (self._made[:count] == 0)) & (self._bare[:count] < left)
        may_close = is_open & has_anchor & ((depth > 1) | (left == 0))
        return self.arrays.stack((may_open, is_open & ~has_anchor, may_close), -1)

    def positions(self) -> Array:
        lines, depth = self._lines[: self.running], self._depth[: self.running]
        inner = self._stack[lines, depth]
        outer = self._stack[lines, (depth - 1) * (depth > 0)]
        third = self._stack[lines, (depth - 2) * (depth > 1)]
        return self.arrays.stack(
            (
                self._next_word(),
                self._anchor[lines, inner],
                self._first[lines, inner],
                self._anchor[lines, outer],
                self._next[: self.running] - 1,
                self._first[lines, outer],
                self._anchor[lines, third],
            ),
            -1,
        )

    def _take(self, steps: Array) -> None:
        count, where, unused = self.running, self.arrays.where, self._unused
        lines, depth = self._lines[:count], self._depth[:count]
        is_open, is_word, is_close = steps == OPEN, steps == WORD, steps == CLOSE
        node, word = self._stack[lines, depth], self._next[:count]
        made = self._made[:count] + is_open * 1
        new = where(is_open, made, unused)
        self._parent[lines, new] = node
        self._first[lines, new] = word
        self._anchor[lines, where(is_word, node, unused)] = word
        depth = depth + is_open * 1 - is_close * 1
        self._stack[lines, where(is_open, depth, unused)] = made
        self._bare[:count] += is_open * 1 - is_word * 1
        self._depth[:count], self._made[:count] = depth, made
        self._next[:count] = word + is_word * 1


def linear_derivations(heads_of_sentences: Sequence[Sequence[int]]) -> list[GoldDerivation]:
    """The linearisation of the ordered tree of each projective tree."""
    machine = LinearMachine([len(heads) for heads in heads_of_sentences])
    return replayed(machine, [linear_steps(heads) for heads in heads_of_sentences])


def linear_steps(heads: Sequence[int]) -> list[int]:
    """The numbers of the symbols of T(D), for a projective tree.

    >>> linear_steps([2, 0, 2])        # OPEN OPEN WORD CLOSE WORD OPEN WORD CLOSE CLOSE
    [0, 0, 1, 2, 1, 0, 1, 2, 2]
    """
    first, last = yields(heads)
    opened, closed = [0] * (len(heads) + 1), [0] * (len(heads) + 1)
    for word in range(1, len(heads) + 1):
        opened[first[word]] += 1
        closed[last[word]] += 1
    steps = []
    for word in range(1, len(heads) + 1):
        steps += [OPEN] * opened[word] + [WORD] + [CLOSE] * closed[word]
    return steps
