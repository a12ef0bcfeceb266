"""The batched arc-standard machine: many sentences step together, as integer arrays.

It is the system of :mod:`arctree.transitions`, which is the definition, made fast; property
tests hold the two equal on every tree and on every sequence of legal transitions. The same
code runs over numpy and over torch, on any device: it indexes, compares and calls ``where``.

Sentences of any lengths lie one after the other without padding. A sentence of n words has
n + 1 *rows*: its root, then its words. One more row, the last, stands for what is *absent*: a
second item that the stack does not have, a word after the last. The stacks lie one after the
other, too. The stack of a sentence never holds more than n + 1 items, and below them twice what
is absent, so that the three topmost items are there in every stack.

Every derivation of n words takes 2n transitions. So the sentences that still run after a
number of steps are known beforehand; kept longest first they are a prefix of all arrays, and
no step spends anything on those that are done.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, ClassVar, NamedTuple

import numpy as np

# An array of numpy or of torch.
Array = Any

# The numbers of the transitions, in the order of arctree.transitions.Transition.
SHIFT, LEFTARC, RIGHTARC = 0, 1, 2

# What the classifier sees of a configuration: the anchors of the three topmost trees, and the next
# word. Where the yields begin and end adds nothing once the vectors are contextual.
SLOTS = ("s0", "s1", "s2", "b0")


def row_starts(sizes: Sequence[int]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """For each sentence the row of its root; and last the number of all rows."""
    return np.concatenate([[0], np.cumsum(np.asarray(sizes, dtype=np.int64) + 1)])


class Batched(ABC):
    """Sentences of a batch that step together, those that still run being a prefix of all arrays.

    ``place`` puts a numpy array where the machine shall run.
    """

    slots: ClassVar[tuple[str, ...]]
    steps_per_word: ClassVar[int]

    @property
    @abstractmethod
    def heads(self) -> Array:
        """The heads found so far, by row; what stands in the roots' rows means nothing."""

    def __init__(
        self,
        sizes: Sequence[int],
        arrays: ModuleType = np,
        place: Callable[[np.ndarray[Any, Any]], Array] = lambda array: array,
    ) -> None:
        if len(sizes) and min(sizes) < 1:
            raise ValueError("every sentence has at least one word")
        self.arrays = arrays
        self.sizes = np.asarray(sizes, dtype=np.int64)
        self.starts = row_starts(sizes)
        self.absent = int(self.starts[-1])
        self.steps_done = 0
        # From here on sentences are ordered from the longest to the shortest.
        self.order = np.argsort(-self.sizes, kind="stable")
        self._endings: list[int] = (self.steps_per_word * self.sizes[self.order]).tolist()
        self._running = len(self._endings)

    @property
    def running(self) -> int:
        """How many sentences still have steps to take."""
        return self._running

    def _count_step(self) -> None:
        self.steps_done += 1
        while self._running and self._endings[self._running - 1] == self.steps_done:
            self._running -= 1

    def heads_of_sentences(self) -> list[list[int]]:
        """The heads of each sentence, in the order in which the sentences were given."""
        flat: list[int] = self.heads.tolist()
        bounds = zip(self.starts[:-1] + 1, self.starts[1:], strict=True)
        return [flat[first:last] for first, last in bounds]


class Machine(Batched):
    """The arc-standard configurations of a batch.

    >>> machine = Machine([2, 1])
    >>> while machine.running:
    ...     machine.step(machine.legal().argmax(-1))     # the first legal transition
    >>> machine.heads_of_sentences()
    [[2, 0], [0]]
    """

    slots: ClassVar[tuple[str, ...]] = SLOTS
    steps_per_word: ClassVar[int] = 2

    def __init__(
        self,
        sizes: Sequence[int],
        arrays: ModuleType = np,
        place: Callable[[np.ndarray[Any, Any]], Array] = lambda array: array,
    ) -> None:
        super().__init__(sizes, arrays, place)
        start = self.starts[:-1][self.order]
        bottom = start + 2 * self.order + 2
        stack = np.full(self.absent + 2 * len(sizes) + 1, self.absent)
        stack[bottom] = start
        self._start = place(start)
        # The row of the last word, and that of the next one to be read.
        self._last = place(start + self.sizes[self.order])
        self._next = place(start + 1)
        # The stacks, and in them the places of their roots and of their topmost items.
        self._stack = place(stack)
        self._bottom = place(bottom)
        self._top = place(bottom.copy())
        self._columns = place(np.arange(int(self.sizes.max(initial=0)) + 3))
        # Word by word the head; SHIFT, which attaches nothing, writes to the absent row.
        self._heads = place(np.zeros(self.absent + 1, dtype=np.int64))

    def legal(self) -> Array:
        """For each running sentence which of the three transitions are legal."""
        count = self.running
        can_shift = self._next[:count] <= self._last[:count]
        height = self._top[:count] - self._bottom[:count]
        # The last arc is one to the root: it has to wait until all words are read.
        return self.arrays.stack((can_shift, height > 1, height > can_shift), -1)

    def rows(self) -> Array:
        """For each running sentence and each of the :data:`SLOTS` the row that fills it."""
        count = self.running
        top, word = self._top[:count], self._next[:count]
        word = self.arrays.where(word <= self._last[:count], word, self.absent)
        stack = self._stack
        return self.arrays.stack((stack[top], stack[top - 1], stack[top - 2], word), -1)

    def items(self) -> tuple[Array, Array, Array]:
        """For each running sentence the row of s0, that of s1 if there is one, and the words read.

        Where the stack holds the root only, the second is the root too.
        """
        count = self.running
        top = self._top[:count]
        second = top - (top > self._bottom[:count]) * 1
        read = self._next[:count] - self._start[:count] - 1
        return self._stack[top], self._stack[second], read

    def step(self, transitions: Array) -> Array:
        """Take one legal transition in each running sentence.

        Returned is the row of the word that got its head, the absent row where it was SHIFT.
        """
        count = self.running
        top, word = self._top[:count], self._next[:count]
        where = self.arrays.where
        is_shift, is_left = transitions == SHIFT, transitions == LEFTARC
        item, below = self._stack[top], self._stack[top - 1]
        head = where(is_left, item, below)
        attached = where(is_shift, self.absent, where(is_left, below, item))
        self._heads[attached] = head - self._start[:count]
        shifted = is_shift * 1
        top = top + 2 * shifted - 1
        self._stack[top] = where(is_shift, word, head)
        self._top[:count] = top
        self._next[:count] = word + shifted
        self._count_step()
        return attached

    def select(self, lines: Array) -> None:
        """Let each running line go on from where another one, of the same sentence, is."""
        count, where = self.running, self.arrays.where
        start, bottom = self._start[:count], self._bottom[:count]
        moved = start - start[lines]
        size = self._last[:count] - start
        columns = self._columns
        # The stacks, with what is absent at their bottoms; they name rows, which move along.
        place = bottom[:, None] - 2 + columns
        items = self._stack[place[lines] * (columns < size[:, None] + 3)]
        items = where(items == self.absent, items, items + moved[:, None])
        spare = len(self._stack) - 1
        self._stack[where(columns < size[:, None] + 3, place, spare)] = items
        self._stack[spare] = self.absent
        row = start[:, None] + columns
        is_row = columns <= size[:, None]
        heads = self._heads[row[lines] * is_row]
        self._heads[where(is_row, row, self.absent)] = heads
        self._top[:count] = self._top[lines] - bottom[lines] + bottom
        self._next[:count] = self._next[lines] + moved

    @property
    def heads(self) -> Array:
        return self._heads[: self.absent]


class GoldDerivation(NamedTuple):
    """What a classifier learns from, for each step of each sentence, sentence after sentence.

    ``rows`` counts within the sentence; what is absent is -1.
    """

    rows: np.ndarray[Any, np.dtype[np.int32]]
    legal: np.ndarray[Any, np.dtype[np.bool_]]
    transitions: np.ndarray[Any, np.dtype[np.int8]]


def canonical_derivations(heads_of_sentences: Sequence[Sequence[int]]) -> list[GoldDerivation]:
    """The canonical derivation of each projective tree, all trees at once.

    It reduces as soon as possible, as :func:`arctree.oracle.canonical_derivation` does.
    """
    sizes = [len(heads) for heads in heads_of_sentences]
    machine = Machine(sizes)
    head_row, last_dependent = _gold_rows(heads_of_sentences, machine.starts)
    length = 2 * max(sizes, default=0)
    rows = np.zeros((len(sizes), length, len(SLOTS)), dtype=np.int32)
    legal = np.zeros((len(sizes), length, 3), dtype=np.bool_)
    transitions = np.zeros((len(sizes), length), dtype=np.int8)
    while machine.running:
        step, running = machine.steps_done, machine.order[: machine.running]
        start = machine.starts[running]
        top, second, read = machine.items()
        is_waiting = last_dependent[top] > read
        left = (second != start) & (second != top) & (head_row[second] == top)
        right = ~left & (top != start) & (head_row[top] == second) & ~is_waiting
        chosen = np.where(left, LEFTARC, np.where(right, RIGHTARC, SHIFT))
        seen = machine.rows()
        rows[running, step] = np.where(seen == machine.absent, -1, seen - start[:, None])
        legal[running, step] = machine.legal()
        transitions[running, step] = chosen
        machine.step(chosen)
    return [
        GoldDerivation(rows[place, : 2 * size], legal[place, : 2 * size], taken[: 2 * size])
        for place, (size, taken) in enumerate(zip(sizes, transitions, strict=True))
    ]


def _gold_rows(
    heads_of_sentences: Sequence[Sequence[int]], starts: np.ndarray[Any, Any]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """For each row the row of its head, and the position of its last dependent (0 if none)."""
    head_row = np.full(starts[-1], -1, dtype=np.int64)
    last_dependent = np.zeros(starts[-1], dtype=np.int64)
    for start, heads in zip(starts, heads_of_sentences, strict=False):
        rows = start + np.asarray(heads, dtype=np.int64)
        head_row[start + 1 : start + 1 + len(heads)] = rows
        last_dependent[rows] = np.arange(1, len(heads) + 1)  # of equal rows the last one stays
    return head_row, last_dependent
