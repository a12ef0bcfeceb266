"""The geometry that all pens share.

Words stand along one axis. Arcs rise from it by *levels*, and the nodes of a tree by
*depth*: both are small numbers, and a pen decides what they are worth. A layout knows
nothing of units: it is given sizes, which are cells in a terminal and pixels elsewhere,
and it is the same whether the words run across the page or down.

Nothing here recurses, and no arc costs more than a search in a sorted list.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from arctree.dependency import Arc, DependencyTree, is_projective, nonprojective_arcs
from arctree.ordered import Leaf, OrderedTree


class PlacedArc(NamedTuple):
    """An arc from word to word: its level, and where it leaves and where it arrives."""

    arc: Arc
    level: int
    start: int
    end: int
    is_projective: bool


class ArcLayout(NamedTuple):
    """The middles of the words, the arcs between them, and where the root's arc arrives."""

    places: list[int]
    arcs: list[PlacedArc]
    root_place: int
    extent: int
    levels: int


def lay_out_arcs(
    tree: DependencyTree,
    word_sizes: Sequence[int],
    label_sizes: Sequence[int],
    *,
    gap: int,
    slot: int,
) -> ArcLayout:
    """Place words so that none touches another and every arc is as long as its label needs.

    Arcs that share a word meet it in slots, so that their ends stay apart.
    """
    offsets, root_offset, slot_counts = _slots(tree, slot)
    sizes = [
        max(size, min(count, _MOST_SLOTS) * slot)
        for size, count in zip(word_sizes, slot_counts, strict=True)
    ]
    arriving: list[list[int]] = [[] for _ in tree.words]  # dependents, by the arc's later end
    for dependent, head in enumerate(tree.heads, start=1):
        if head:
            arriving[max(head, dependent) - 1].append(dependent)
    places: list[int] = []
    for word, size in enumerate(sizes, start=1):
        place = places[-1] + (sizes[word - 2] + size + 1) // 2 + gap if places else (size + 1) // 2
        for dependent in arriving[word - 1]:
            earlier = min(tree.heads[dependent - 1], dependent)
            start, end = offsets[dependent]
            slack = end - start if word == dependent else start - end
            place = max(place, places[earlier - 1] + label_sizes[dependent - 1] - slack)
        places.append(place)
    crossing = crossing_dependents(tree)
    arcs = [arc for arc in tree.arcs() if arc.head]
    levels = arc_levels([(min(arc[:2]), max(arc[:2])) for arc in arcs])
    placed = [
        PlacedArc(
            arc,
            level,
            places[arc.head - 1] + offsets[arc.dependent][0],
            places[arc.dependent - 1] + offsets[arc.dependent][1],
            arc.dependent not in crossing,
        )
        for arc, level in zip(arcs, levels, strict=True)
    ]
    return ArcLayout(
        places,
        placed,
        places[tree.root - 1] + root_offset,
        places[-1] + (sizes[-1] + 1) // 2,
        max(levels, default=0),
    )


def arc_levels(spans: Sequence[tuple[int, int]]) -> list[int]:
    """The lowest levels at which each arc lies above all arcs that it covers.

    Arcs that cross are kept apart as well: of two arcs that pass over the same gap between
    neighbouring words, the longer one is higher. Shorter arcs are placed first, each above
    the highest one so far over any of its gaps. Over that whole stretch it is then the
    highest, so stretches of equal height merge, and all of them together cost no more than
    the arcs.
    """
    starts = [min((low for low, _ in spans), default=0)]  # of the stretches, in order
    heights = [0]
    levels = [0] * len(spans)
    for index in sorted(range(len(spans)), key=lambda index: spans[index][1] - spans[index][0]):
        low, high = spans[index]
        first = bisect_right(starts, low) - 1
        last = bisect_left(starts, high)
        level = levels[index] = 1 + max(heights[first:last])
        new_starts, new_heights = [low], [level]
        if starts[first] < low:
            new_starts.insert(0, starts[first])
            new_heights.insert(0, heights[first])
        if last == len(starts) or starts[last] > high:
            new_starts.append(high)
            new_heights.append(heights[last - 1])
        starts[first:last] = new_starts
        heights[first:last] = new_heights
    return levels


def crossing_dependents(tree: DependencyTree) -> set[int]:
    """The words whose arc is not projective."""
    if is_projective(tree.heads):
        return set()
    return {dependent for _, dependent in nonprojective_arcs(tree.heads)}


# A head of many dependents does not grow for ever: beyond so many, its slots move closer.
_MOST_SLOTS = 6


def _slots(tree: DependencyTree, slot: int) -> tuple[dict[int, tuple[int, int]], int, list[int]]:
    """Where arcs meet their words, as distances from the words' middles.

    For each dependent the ends of its arc, at the head and at itself; then the root's; then
    how many slots each word has. At a word, arcs to the left come first, the shortest
    outermost; then those to the right, the longest innermost: so nested arcs do not cut each
    other's ends.
    """
    size = len(tree)
    meeting: list[list[tuple[int, int]]] = [[] for _ in range(size + 1)]  # (other end, arc)
    for dependent, head in enumerate(tree.heads, start=1):
        meeting[dependent].append((head if head else dependent, dependent))
        if head:
            meeting[head].append((dependent, dependent))
    ends = {dependent: [0, 0] for dependent in range(1, size + 1)}
    for word in range(1, size + 1):
        # To the left by falling position, the word itself (the root's arc), then to the right
        # by falling position.
        order = sorted(meeting[word], key=lambda end: ((end[0] > word) - (end[0] < word), -end[0]))
        spread = min(slot * (len(order) - 1), slot * (_MOST_SLOTS - 1))
        for rank, (_, dependent) in enumerate(order):
            distance = round(spread * rank / max(len(order) - 1, 1) - spread / 2)
            ends[dependent][1 if dependent == word else 0] = distance
    offsets = {dependent: (start, end) for dependent, (start, end) in ends.items()}
    return offsets, offsets[tree.root][1], [len(meeting[word]) for word in range(1, size + 1)]


class PlacedNode(NamedTuple):
    """A node or a leaf: its parent's index in the layout, its depth, its middle."""

    item: OrderedTree | Leaf
    parent: int
    depth: int
    place: int


class TreeLayout(NamedTuple):
    """The nodes in preorder, leaves in surface order; the root's parent is -1."""

    nodes: list[PlacedNode]
    extent: int
    depth: int


def lay_out_tree(
    tree: OrderedTree, measure: Callable[[OrderedTree | Leaf], int], *, gap: int
) -> TreeLayout:
    """Place every node above the middle of its children.

    Each subtree has a stretch of the word axis to itself, as wide as its node or its
    children need, so that nothing in it can touch its neighbours.
    """
    items, parents, depths = _preorder(tree)
    sizes = [measure(item) for item in items]
    below = [-gap] * len(items)  # what the children take together
    stretches = list(sizes)
    for index in range(len(items) - 1, 0, -1):
        stretches[index] = max(sizes[index], below[index])
        below[parents[index]] += stretches[index] + gap
    stretches[0] = max(sizes[0], below[0])
    lefts = [0] * len(items)
    free = [0] * len(items)  # where the next child begins
    for index, parent in enumerate(parents):
        if parent >= 0:
            lefts[index] = free[parent]
            free[parent] += stretches[index] + gap
        free[index] = lefts[index] + (stretches[index] - below[index]) // 2
    places = [left + stretch // 2 for left, stretch in zip(lefts, stretches, strict=True)]
    outermost: dict[int, tuple[int, int]] = {}
    for index in range(len(items) - 1, -1, -1):
        if index in outermost:
            middle = sum(outermost[index]) // 2
            lowest = lefts[index] + sizes[index] // 2
            highest = lefts[index] + stretches[index] - (sizes[index] + 1) // 2
            places[index] = min(max(middle, lowest), highest)
        last = outermost.get(parents[index], (0, places[index]))[1]
        outermost[parents[index]] = (places[index], last)
    nodes = [
        PlacedNode(item, parent, depth, place)
        for item, parent, depth, place in zip(items, parents, depths, places, strict=True)
    ]
    return TreeLayout(nodes, stretches[0], max(depths))


def _preorder(tree: OrderedTree) -> tuple[list[OrderedTree | Leaf], list[int], list[int]]:
    """Nodes and leaves, each with its parent's index and its depth."""
    items: list[OrderedTree | Leaf] = []
    parents: list[int] = []
    depths: list[int] = []
    agenda: list[tuple[OrderedTree | Leaf, int, int]] = [(tree, -1, 0)]
    while agenda:
        item, parent, depth = agenda.pop()
        index = len(items)
        items.append(item)
        parents.append(parent)
        depths.append(depth)
        if not isinstance(item, Leaf):
            agenda.extend((child, index, depth + 1) for child in reversed(item.children))
    return items, parents, depths
