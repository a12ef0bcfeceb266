"""Batches by cost: sentences of similar length together, within a budget.

A batch costs its number of sentences times its most expensive one, padding included.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

Thing = TypeVar("Thing")


def by_cost(costs: Sequence[int], budget: int) -> list[list[int]]:
    """Every number 0..n-1 in exactly one batch, costs ascending, each batch within the budget.

    A single sentence above the budget is a batch of its own.
    """
    batches: list[list[int]] = []
    for number in sorted(range(len(costs)), key=lambda number: costs[number]):
        if batches and (len(batches[-1]) + 1) * costs[number] <= budget:
            batches[-1].append(number)
        else:
            batches.append([number])
    return batches


def in_groups(
    costs: Sequence[int], sizes: Sequence[int], budget: int, most: int
) -> Iterator[list[list[int]]]:
    """The batches of :func:`by_cost`, in groups that are full at a total size of ``most``.

    What is encoded batch by batch is decoded group by group.
    """
    group: list[list[int]] = []
    total = 0
    for batch in by_cost(costs, budget):
        group.append(batch)
        total += sum(sizes[number] for number in batch)
        if total >= most:
            yield group
            group, total = [], 0
    if group:
        yield group


def in_windows(things: Iterable[Thing], sizes: int, most: int = 1 << 12) -> Iterator[list[Thing]]:
    """The things in order, in lists of a total length of about ``sizes``, at most so many each.

    This is what bounds memory on a stream: a window ends as soon as it is full.
    """
    window: list[Thing] = []
    total = 0
    for thing in things:
        window.append(thing)
        total += len(thing)  # type: ignore[arg-type]
        if total >= sizes or len(window) >= most:
            yield window
            window, total = [], 0
    if window:
        yield window
