"""Batched machines that build T(D) node by node: what the in-order and the linear one share.

A sentence of n words has n nodes, numbered as they are opened. A *line* of the arrays is a
sentence; its columns are nodes, or depths of its stack of open nodes. Positions and nodes
count from 1, and 0 stands for what is not there. The last column takes what is written for
sentences in which nothing is to be written. Rows are numbered as in
:mod:`arctree.parsing.machine`, and as there the code runs over numpy and over torch.

Both systems take 3n steps, so that sentences kept longest first are a prefix of all arrays for
as long as they run.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from arctree.dependency import dependents, preorder
from arctree.parsing.machine import Array, Batched, GoldDerivation

STEPS = 3


class NodeMachine(Batched):
    """The configurations of a batch."""

    steps_per_word: ClassVar[int] = STEPS
    # What a configuration consists of.
    _state: ClassVar[tuple[str, ...]] = (
        *("_stack", "_depth", "_bare", "_anchor", "_first", "_parent", "_made", "_next"),
    )

    def __init__(
        self,
        sizes: Sequence[int],
        arrays: ModuleType = np,
        place: Callable[[np.ndarray[Any, Any]], Array] = lambda array: array,
    ) -> None:
        super().__init__(sizes, arrays, place)
        count, longest = len(sizes), max(sizes, default=0)
        self._unused = longest + 1
        self._lines = place(np.arange(count))
        self._start = place(self.starts[:-1][self.order])
        self._size = place(self.sizes[self.order])

        def nothing(*columns: int) -> Array:
            return place(np.zeros((count, *columns), dtype=np.int64))

        # The open nodes, the outermost at depth 1; how many they are, and how many lack an anchor.
        self._stack = nothing(longest + 2)
        self._depth, self._bare = nothing(), nothing()
        # Of each node its anchor, the anchor of its first child or its first word, its parent.
        self._anchor, self._first = nothing(longest + 2), nothing(longest + 2)
        self._parent = nothing(longest + 2)
        # How many nodes have been opened, and the next word to be read.
        self._made, self._next = nothing(), nothing() + 1
        self._heads = place(np.zeros(self.absent + 1, dtype=np.int64))

    @abstractmethod
    def legal(self) -> Array:
        """For each running sentence which of the three steps are legal."""

    @abstractmethod
    def positions(self) -> Array:
        """For each running sentence and each of the slots the word that fills it."""

    def rows(self) -> Array:
        """The rows of those words, the absent one for what is not there."""
        found = self.positions()
        return self.arrays.where(found > 0, found + self._start[: self.running, None], self.absent)

    @abstractmethod
    def _take(self, steps: Array) -> None: ...

    def step(self, steps: Array) -> None:
        """Take one legal step in each running sentence."""
        self._take(steps)
        self._count_step()

    def select(self, lines: Array) -> None:
        """Let each running line go on from where another one, of the same sentence, is."""
        for name in self._state:
            array = getattr(self, name)
            array[: self.running] = array[lines]

    def _next_word(self) -> Array:
        """Of each running sentence the next word to be read, if there is one."""
        word = self._next[: self.running]
        return word * (word <= self._size[: self.running])

    @property
    def heads(self) -> Array:
        """The heads of all words when all steps are done, by row."""
        words = self._anchor[:, 1 : self._unused]
        heads = self._anchor[self._lines[:, None], self._parent[:, 1 : self._unused]]
        rows = self.arrays.where(words > 0, words + self._start[:, None], self.absent)
        self._heads[rows] = heads
        return self._heads[: self.absent]


def replayed(machine: NodeMachine, sequences: Sequence[Sequence[int]]) -> list[GoldDerivation]:
    """What the machine shows along sequences of steps, one for each of its sentences."""
    length = STEPS * int(machine.sizes.max(initial=0))
    count = len(sequences)
    rows = np.zeros((count, length, len(machine.slots)), dtype=np.int32)
    legal = np.zeros((count, length, 3), dtype=np.bool_)
    steps = np.zeros((count, length), dtype=np.int8)
    for line, sequence in zip(steps, sequences, strict=True):
        line[: len(sequence)] = sequence
    while machine.running:
        step, running = machine.steps_done, machine.order[: machine.running]
        seen = machine.positions()
        rows[running, step] = np.where(seen > 0, seen, -1)
        legal[running, step] = machine.legal()
        machine.step(steps[running, step])
    return [
        GoldDerivation(rows[place, :taken], legal[place, :taken], steps[place, :taken])
        for place, taken in enumerate(map(len, sequences))
    ]


def yields(heads: Sequence[int]) -> tuple[list[int], list[int]]:
    """The first and the last word below each word of a projective tree, itself included; by word.

    >>> yields([2, 0, 2])
    ([0, 1, 1, 3], [0, 1, 3, 3])
    """
    first, last = list(range(len(heads) + 1)), list(range(len(heads) + 1))
    for word in reversed(preorder(dependents(heads))[1:]):
        head = heads[word - 1]
        if head:
            first[head] = min(first[head], first[word])
            last[head] = max(last[head], last[word])
    return first, last
