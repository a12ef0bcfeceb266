"""Dependency trees: who is whose head (Section 3.1).

A dependency tree over the words 1..n and the artificial root 0 gives every word exactly
one head. ``heads[i - 1]`` is the head of word ``i``; exactly one word has head 0, and
following heads from any word leads to 0.

An arc (h, d) is *projective* when every word strictly between h and d is a descendant of
h; a tree is projective when all its arcs are. The root's own arc counts: an arc that
passes over the root word is non-projective, because the root word descends from nobody
but 0. Equivalently, no two arcs cross when all are drawn on one side of the sentence,
the root's arc from position 0 included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arctree.errors import DataError
from arctree.labels import Label

NO_TAG = "_"
ROOT = "root"
UNLABELED_ARC = "UA"


class Arc(NamedTuple):
    """One dependency: the head's position, the dependent's position, the label."""

    head: int
    dependent: int
    label: Label


@dataclass(frozen=True, slots=True)
class DependencyTree:
    """A labelled dependency tree over words; valid by construction.

    A word without a tag has the tag ``_``.

    >>> tree = DependencyTree(("book", "flights"), (0, 1), ("root", "obj"))
    >>> tree.is_projective()
    True
    """

    words: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[Label, ...]
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.tags:
            object.__setattr__(self, "tags", (NO_TAG,) * len(self.words))
        for name, column in (
            ("words", self.words),
            ("heads", self.heads),
            ("labels", self.labels),
            ("tags", self.tags),
        ):
            if len(column) != len(self.words):
                raise DataError(f"{len(self.words)} words but {len(column)} {name}")
            if "" in column:
                raise DataError(f"one of the {name} is empty, number {column.index('') + 1}")
        check_heads(self.heads)

    @classmethod
    def trusted(
        cls,
        words: tuple[str, ...],
        heads: tuple[int, ...],
        labels: tuple[Label, ...],
        tags: tuple[str, ...],
    ) -> DependencyTree:
        """Build from parts that are known to form a tree: by a reader, or by a theorem."""
        tree = object.__new__(cls)
        put = object.__setattr__
        put(tree, "words", words)
        put(tree, "heads", heads)
        put(tree, "labels", labels)
        put(tree, "tags", tags)
        return tree

    def __len__(self) -> int:
        return len(self.words)

    @property
    def root(self) -> int:
        """The position of the word whose head is 0."""
        return self.heads.index(0) + 1

    def arcs(self) -> list[Arc]:
        """All arcs, by dependent, the root's arc included."""
        return [
            Arc(head, dependent, label)
            for dependent, (head, label) in enumerate(
                zip(self.heads, self.labels, strict=True), start=1
            )
        ]

    def is_projective(self) -> bool:
        return is_projective(self.heads)

    def unlabeled(self) -> DependencyTree:
        """The same tree with ``root`` on the root's arc and ``UA`` on all others."""
        labels = tuple(UNLABELED_ARC if head else ROOT for head in self.heads)
        return DependencyTree.trusted(self.words, self.heads, labels, self.tags)

    def with_arcs(self, heads: Sequence[int], labels: Sequence[Label]) -> DependencyTree:
        """The same words and tags under other arcs."""
        return DependencyTree(self.words, tuple(heads), tuple(labels), self.tags)


def check_heads(heads: Sequence[int]) -> None:
    """Raise a :class:`DataError` unless ``heads`` is a tree with one root.

    The error's ``line`` is left open; its fault names the word.
    """
    size = len(heads)
    if not size:
        raise DataError("a sentence without words", "remove it")
    if min(heads) == 0 and max(heads) <= size and heads.count(0) == 1 and not find_cycle(heads):
        return
    for word, head in enumerate(heads, start=1):
        if not 0 <= head <= size:
            raise DataError(
                f"the head of word {word} is {head}, but the last word is {size}",
                f"heads go from 0 to {size}",
            )
    roots = [word for word, head in enumerate(heads, start=1) if head == 0]
    if len(roots) > 1:
        listed = ", ".join(map(str, roots[:8])) + (", …" if len(roots) > 8 else "")
        raise DataError(
            f"{len(roots)} roots: words {listed} have head 0",
            "keep one and attach the others to it",
        )
    cycle = find_cycle(heads)
    if cycle:
        shown = [*cycle[:8], "…"] if len(cycle) > 8 else [*cycle, cycle[0]]
        said = "a cycle: " + " -> ".join(map(str, shown)) + " (each word's head is the next)"
        raise DataError(
            said if roots else "no root: no word has head 0, so there is " + said,
            "give one of these words a head outside the cycle" if roots else "give one head 0",
        )


def find_cycle(heads: Sequence[int]) -> tuple[int, ...]:
    """The words of one cycle, each followed by its head; empty if there is none."""
    visit = [0] * (len(heads) + 1)
    visit[0] = -1
    for start in range(1, len(heads) + 1):
        word = start
        while not visit[word]:
            visit[word] = start
            word = heads[word - 1]
        if visit[word] == start:
            cycle = [word]
            while heads[cycle[-1] - 1] != word:
                cycle.append(heads[cycle[-1] - 1])
            return tuple(cycle)
    return ()


def dependents(heads: Sequence[int]) -> list[list[int]]:
    """For each position 0..n its dependents in surface order (the paper's ``dlookup``)."""
    lookup: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for dependent, head in enumerate(heads, start=1):
        lookup[head].append(dependent)
    return lookup


def is_projective(heads: Sequence[int]) -> bool:
    """Whether no two arcs cross, the root's arc included; linear in the sentence.

    ``heads`` must be a tree. The stack holds the words whose subtree is not yet attached,
    as in the canonical derivation, which reaches the root exactly when the tree is
    projective; ``missing`` counts the dependents a word still waits for.
    """
    missing = [0] * (len(heads) + 1)
    for head in heads:
        missing[head] += 1
    head_of = (0, *heads)
    stack = [0]
    for word in range(1, len(head_of)):
        below = stack[-1]
        while below and head_of[below] == word and not missing[below]:
            missing[word] -= 1
            stack.pop()
            below = stack[-1]
        stack.append(word)
        while word and not missing[word] and head_of[word] == stack[-2]:
            stack.pop()
            word = head_of[word]
            missing[word] -= 1
    return len(stack) == 1


def nonprojective_arcs(heads: Sequence[int]) -> list[tuple[int, int]]:
    """The (head, dependent) pairs of all non-projective arcs, by dependent.

    A word descends from h exactly when its preorder number lies in the interval that
    begins at h's number and is as long as h's subtree.
    """
    number, size = preorder_numbers(heads)
    arcs = []
    for dependent, head in enumerate(heads, start=1):
        first = number[head]
        last = first + size[head]
        between = number[head + 1 : dependent] if head < dependent else number[dependent + 1 : head]
        if between and not (first < min(between) and max(between) < last):
            arcs.append((head, dependent))
    return arcs


def check_projective(tree: DependencyTree, most: int = 3) -> None:
    """Raise a :class:`DataError` unless the tree is projective.

    It names the offending arcs, and the words in between that do not descend from the head.
    """
    if is_projective(tree.heads):
        return
    arcs = nonprojective_arcs(tree.heads)
    said = []
    for head, dependent in arcs[:most]:
        low, high = sorted((head, dependent))
        strangers = [
            f"{word} {tree.words[word - 1]}"
            for word in range(low + 1, high)
            if not _descends(word, head, tree.heads)
        ]
        shown = ", ".join(strangers[:5]) + (", …" if len(strangers) > 5 else "")
        said.append(
            f"the arc {head} {tree.words[head - 1]} -> {dependent} {tree.words[dependent - 1]} "
            f"passes over {shown}"
        )
    if len(arcs) > most:
        said.append(f"and {len(arcs) - most} more such arcs")
    raise DataError("not projective: " + "; ".join(said), "lift the tree first (--lift exact)")


def _descends(word: int, head: int, heads: Sequence[int]) -> bool:
    while word and word != head:
        word = heads[word - 1]
    return word == head


def preorder(lookup: Sequence[Sequence[int]]) -> list[int]:
    """All positions from 0 on, each head before its dependents, left to right.

    ``lookup`` is what :func:`dependents` gives.
    """
    order = []
    agenda = [0]
    while agenda:
        word = agenda.pop()
        order.append(word)
        below = lookup[word]
        if below:
            agenda.extend(reversed(below))
    return order


def preorder_numbers(heads: Sequence[int]) -> tuple[list[int], list[int]]:
    """For each position 0..n its place in preorder and the size of its subtree."""
    order = preorder(dependents(heads))
    number = [0] * len(order)
    size = [1] * len(order)
    for place, word in enumerate(order):
        number[word] = place
    for word in reversed(order[1:]):
        size[heads[word - 1]] += size[word]
    return number, size
