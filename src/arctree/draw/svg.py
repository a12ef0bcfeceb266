"""Pictures as SVG, for a page, a notebook or a slide.

Text is measured, so words stand as close as they can and no closer. Arcs rise by levels,
not by their length. A sentence that would be too wide to read is turned: its words stand in
a column, its arcs or branches at the left of it. A sentence that runs right to left is
mirrored. An arc that is not projective is dashed and has a colour of its own; in a tree, the
branch to each node's anchor stands out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain

from arctree.brackets import format_tree
from arctree.dependency import NO_TAG, DependencyTree
from arctree.draw.layout import (
    ArcLayout,
    PlacedArc,
    PlacedNode,
    TreeLayout,
    lay_out_arcs,
    lay_out_tree,
)
from arctree.draw.markup import (
    SMALL_SIZE,
    WORD_SIZE,
    document,
    group,
    line_of_text,
    named_tree,
    path,
    rectangle,
    text,
)
from arctree.draw.table import HEADINGS, BufferEntry, Elision, Room, Row, StackEntry, TreeName, rows
from arctree.draw.width import is_right_to_left, pixels, shorten, visible
from arctree.oracle import Step
from arctree.ordered import Leaf, OrderedTree

_WIDEST = 1200
_MARGIN = 20
_RADIUS = 10
_HEAD_LENGTH = 8
_LEVEL = 26
_ROW = 28


def draw_arcs(tree: DependencyTree, *, width: int = _WIDEST) -> str:
    """The words in a line and arcs above them; in a column, if a line is wider than ``width``."""
    layout = lay_out_arcs(
        tree,
        [
            max(_word_size(word), _tag_size(tag))
            for word, tag in zip(tree.words, tree.tags, strict=True)
        ],
        [_small_size(str(label)) + 2 * _RADIUS + 6 for label in tree.labels],
        gap=16,
        slot=9,
    )
    if layout.extent + 2 * _MARGIN > width:
        return _arcs_in_a_column(tree)
    return _arcs_in_a_line(tree, layout)


def _arcs_in_a_line(tree: DependencyTree, layout: ArcLayout) -> str:
    root_label = str(tree.labels[tree.root - 1])
    # The root's label may be wider than what stands below it.
    half = _small_size(root_label) // 2
    before = max(0, half - layout.root_place)
    after = max(0, layout.root_place + half - layout.extent)
    width = before + layout.extent + after + 2 * _MARGIN
    is_mirrored = is_right_to_left(tree.words)

    def across(place: float) -> float:
        place += before + _MARGIN
        return width - place if is_mirrored else place

    has_tags = set(tree.tags) != {NO_TAG}
    foot = _MARGIN + SMALL_SIZE + (layout.levels + 1) * _LEVEL  # where the arcs stand
    elements = [_arc(tree, arc, across, foot) for arc in layout.arcs]
    root = across(layout.root_place)
    top = foot - (layout.levels + 1) * _LEVEL
    elements += [
        path("arc", "M", root, top + 6, "V", foot - _HEAD_LENGTH),
        _arrow_head(root, foot, "head"),
        text(root, top, root_label, "small label"),
    ]
    for arc in layout.arcs:  # above all lines, so that nothing runs through a label
        kind = "label" if arc.is_projective else "crossing-label"
        middle = across((arc.start + arc.end) / 2)
        size = _small_size(str(arc.arc.label)) + 6
        level = foot - arc.level * _LEVEL
        elements += [
            rectangle(middle - size / 2, level - 7, size, 14, "back"),
            text(middle, level + 4, str(arc.arc.label), f"small {kind}"),
        ]
    for place, word, tag in zip(layout.places, tree.words, tree.tags, strict=True):
        elements.append(text(across(place), foot + WORD_SIZE + 4, word, "word"))
        if tag != NO_TAG:
            elements.append(text(across(place), foot + WORD_SIZE + 22, tag, "small tag"))
    height = foot + WORD_SIZE + (22 if has_tags else 4) + _MARGIN
    return _arcs_document(tree, elements, width, height)


def _arc(
    tree: DependencyTree, arc: PlacedArc, across: Callable[[float], float], foot: float
) -> str:
    """Up from the head, across, and down to the dependent."""
    start, end = across(arc.start), across(arc.end)
    level = foot - arc.level * _LEVEL
    turn = min(_RADIUS, abs(end - start) / 2)
    step = turn if end > start else -turn
    up = ("M", start, foot - 1, "V", level + turn, "Q", start, level, start + step, level)
    down = ("H", end - step, "Q", end, level, end, level + turn, "V", foot - _HEAD_LENGTH)
    line = path("arc" if arc.is_projective else "crossing", *up, *down)
    head = _arrow_head(end, foot, "head" if arc.is_projective else "crossing-head")
    return group([line, head], tooltip=_relation(tree, arc))


def _arrow_head(x: float, y: float, kind: str) -> str:
    return path(kind, "M", x, y, "L", x - 4, y - _HEAD_LENGTH, "H", x + 4, "Z")


def _arcs_in_a_column(tree: DependencyTree) -> str:
    nothing = [0] * len(tree)
    layout = lay_out_arcs(tree, [_ROW] * len(tree), nothing, gap=0, slot=5)
    # Deeply nested arcs move closer together, so that the words stay in sight.
    pitch = max(3.0, min(14.0, 420 / max(layout.levels, 1)))
    foot = _MARGIN + (layout.levels + 1.5) * pitch  # where the arcs stand
    elements = []
    for arc in layout.arcs:
        start, end = arc.start + _MARGIN, arc.end + _MARGIN
        level = foot - (arc.level + 0.5) * pitch
        turn = min(6.0, abs(end - start) / 2)
        step = turn if end > start else -turn
        out = ("M", foot, start, "H", level + turn, "Q", level, start, level, start + step)
        back = ("V", end - step, "Q", level, end, level + turn, end, "H", foot - _HEAD_LENGTH)
        line = path("arc" if arc.is_projective else "crossing", *out, *back)
        head = _side_head(foot, end, "head" if arc.is_projective else "crossing-head")
        elements.append(group([line, head], tooltip=_relation(tree, arc)))
    root = layout.root_place + _MARGIN
    elements += [
        path("arc", "M", _MARGIN, root, "H", foot - _HEAD_LENGTH),
        _side_head(foot, root, "head"),
    ]
    crossing = {arc.arc.dependent for arc in layout.arcs if not arc.is_projective}
    tags = ["" if tag == NO_TAG else tag for tag in tree.tags]
    word_start = foot + 8
    tag_start = word_start + max(map(_word_size, tree.words)) + 16
    label_start = tag_start + (max(map(_small_size, tags)) + 16 if any(tags) else 0)
    width = label_start + max(_small_size(str(label)) for label in tree.labels) + _MARGIN
    for number, (place, word) in enumerate(zip(layout.places, tree.words, strict=True), start=1):
        y = place + _MARGIN + 5
        kind = "crossing-label" if number in crossing else "label"
        elements.append(text(word_start, y, word, "word start"))
        if tags[number - 1]:
            elements.append(text(tag_start, y, tags[number - 1], "small tag start"))
        elements.append(text(label_start, y, str(tree.labels[number - 1]), f"small start {kind}"))
    return _arcs_document(tree, elements, round(width), layout.extent + 2 * _MARGIN)


def _side_head(x: float, y: float, kind: str) -> str:
    return path(kind, "M", x, y, "L", x - _HEAD_LENGTH, y - 3.5, "V", y + 3.5, "Z")


def _relation(tree: DependencyTree, arc: PlacedArc) -> str:
    head, dependent, label = arc.arc
    return f"{tree.words[head - 1]} → {tree.words[dependent - 1]}: {label}"


def _arcs_document(tree: DependencyTree, elements: Iterable[str], width: int, height: int) -> str:
    arcs = [
        f"{tree.words[arc.head - 1] if arc.head else 'root'} → {tree.words[arc.dependent - 1]}: "
        f"{arc.label}"
        for arc in tree.arcs()
    ]
    return document(
        elements,
        width=width,
        height=height,
        title="Dependency arcs of: " + _beginning(tree.words),
        description="; ".join(arcs),
    )


def draw_tree(tree: OrderedTree, *, width: int = _WIDEST) -> str:
    """The root on top and words below; the root at the left, if that is wider than ``width``."""
    # Even sizes have exact middles, so that lines that should be upright are.
    layout = lay_out_tree(tree, lambda item: _node_size(item) // 2 * 2 + 2, gap=20)
    leaves = [leaf.word for leaf in tree.leaves()]
    if layout.extent + 2 * _MARGIN > width:
        elements, size = _tree_from_the_left(tree)
    else:
        elements, size = _tree_from_the_top(layout, is_mirrored=is_right_to_left(leaves))
    return document(
        elements,
        width=size[0],
        height=size[1],
        title="Ordered tree of: " + _beginning(leaves),
        description=format_tree(tree),
    )


_Drawn = tuple[list[str], tuple[int, int]]


def _tree_from_the_top(layout: TreeLayout, *, is_mirrored: bool) -> _Drawn:
    pitch = 64
    width = layout.extent + 2 * _MARGIN

    def across(node: PlacedNode) -> float:
        place = node.place + _MARGIN
        return width - place if is_mirrored else place

    branches = []
    captions = []
    for node in layout.nodes:
        y = _MARGIN + SMALL_SIZE + node.depth * pitch
        x = across(node)
        captions += _node_captions(node.item, x, y)
        if node.parent >= 0:
            parent = layout.nodes[node.parent]
            kind = "anchor" if isinstance(node.item, Leaf) else "branch"
            upper = y - pitch + 7
            branches.append(path(kind, "M", across(parent), upper, "L", x, y - 14))
    height = _MARGIN + SMALL_SIZE + layout.depth * pitch + 18 + _MARGIN
    return branches + captions, (width, height)


def _node_captions(item: OrderedTree | Leaf, x: float, y: float) -> list[str]:
    if isinstance(item, OrderedTree):
        return [text(x, y, str(item.label), "small label")]
    captions = [text(x, y + 3, item.word, "word")]
    if item.tag != NO_TAG:
        captions.append(text(x, y + 20, item.tag, "small tag"))
    return captions


def _tree_from_the_left(tree: OrderedTree) -> _Drawn:
    layout = lay_out_tree(tree, lambda item: _ROW if isinstance(item, Leaf) else 0, gap=0)
    leaves = tree.leaves()
    # Each depth has a column, as wide as its widest label.
    columns = [0] * (layout.depth + 1)
    for node in layout.nodes:
        if isinstance(node.item, OrderedTree):
            columns[node.depth] = max(columns[node.depth], _small_size(str(node.item.label)) + 30)
    starts = list(accumulate(columns, initial=_MARGIN))
    word_start = starts[-1]
    tag_start = word_start + max(_word_size(leaf.word) for leaf in leaves) + 8
    width = tag_start + max(_tag_size(leaf.tag) for leaf in leaves) + _MARGIN
    lines = []
    captions = []
    for node in layout.nodes:
        y = node.place + _MARGIN
        if isinstance(node.item, OrderedTree):
            x = starts[node.depth]
            captions.append(text(x, y + 4, str(node.item.label), "small label start"))
        else:
            lines.append(path("guide", "M", starts[node.depth], y, "H", word_start - 6))
            captions.append(text(word_start, y + 5, node.item.word, "word start"))
            if node.item.tag != NO_TAG:
                captions.append(text(tag_start, y + 5, node.item.tag, "small tag start"))
        if node.parent >= 0:
            lines.append(_side_branch(layout.nodes[node.parent], node, starts))
    return lines + captions, (width, layout.extent + 2 * _MARGIN)


def _side_branch(parent: PlacedNode, node: PlacedNode, starts: Sequence[int]) -> str:
    """A curve from the end of the parent's label to the next column."""
    assert isinstance(parent.item, OrderedTree)
    start = starts[parent.depth] + _small_size(str(parent.item.label)) + 4
    end = starts[node.depth] - 4
    above, below = parent.place + _MARGIN, node.place + _MARGIN
    middle = (start + end) / 2
    kind = "anchor" if isinstance(node.item, Leaf) else "branch"
    return path(kind, "M", start, above, "C", middle, above, middle, below, end, below)


def draw_derivation(steps: Iterable[Step]) -> str:
    """The paper's Table 2.

    The stack grows from the left, the buffer shrinks to the right, and both share the space
    between.
    """
    steps = iter(steps)
    first = next(steps)
    room = Room(size=720, separator=_CHIP, word=160, measure=_entry_size, shorten=_shorten)
    table = list(rows(chain([first], steps), room))
    shared = max(_stack_size(row) + _line_size(_waiting(row)) for row in table) + 24
    added = max(_small_size(HEADINGS[4]), *(_line_size(_added(row)) for row in table))
    step_end = _MARGIN + 40
    stack_start = step_end + 20
    buffer_end = stack_start + max(shared, 160)
    action_start = buffer_end + 32
    added_start = action_start + 92
    width = added_start + added + _MARGIN
    top = _MARGIN + SMALL_SIZE
    elements = [
        text(step_end, top, HEADINGS[0], "small heading end"),
        text(stack_start + 2, top, HEADINGS[1], "small heading start"),
        text(buffer_end, top, HEADINGS[2], "small heading end"),
        text(action_start, top, HEADINGS[3], "small heading start"),
        text(added_start, top, HEADINGS[4], "small heading start"),
        path("rule", "M", _MARGIN, top + 10, "H", width - _MARGIN),
    ]
    y = top + 32
    for row in table:
        elements.append(text(step_end, y, str(row.step), "small faint end"))
        elements += _chips(row.stack, stack_start, y)
        elements.append(line_of_text(buffer_end, y, _waiting(row), "small end"))
        elements.append(text(action_start, y, row.action, f"small strong start {row.action}"))
        if row.relation:
            elements.append(line_of_text(added_start, y, _added(row), "small start"))
        kind = "rule" if row is table[-1] else "hairline"
        elements.append(path(kind, "M", _MARGIN, y + 12, "H", width - _MARGIN))
        y += _TABLE_ROW
    return document(
        elements,
        width=width,
        height=y - _TABLE_ROW + 12 + _MARGIN,
        title="Derivation of: " + _beginning([leaf.word for leaf in first.mapped.leaves]),
        description=", ".join(row.action for row in table),
    )


_TABLE_ROW = 32
_CHIP = 16  # what a box takes around its text, the space to the next one included


def _chips(entries: Sequence[StackEntry], start: float, y: float) -> list[str]:
    """Each tree on the stack in a box of its own, the top at the end."""
    elements = []
    for entry in entries:
        size = _entry_size(entry) + _CHIP
        middle = start + size / 2
        if not isinstance(entry, Elision):
            kind = "chip" if isinstance(entry, TreeName) else "root-chip"
            elements.append(rectangle(start + 2, y - 16, size - 4, 23, kind, radius=6))
        if isinstance(entry, TreeName):
            elements.append(named_tree(middle, y, "t" + entry.marks, entry.word))
        else:
            elements.append(text(middle, y, str(entry), "small"))
        start += size
    return elements


def _stack_size(row: Row) -> int:
    return sum(_entry_size(entry) + _CHIP for entry in row.stack)


def _waiting(row: Row) -> list[str]:
    return [str(entry) for entry in row.buffer]


def _added(row: Row) -> list[str]:
    return [row.relation[0], "→", row.relation[1]] if row.relation else []


def _line_size(pieces: Iterable[str]) -> int:
    return _small_size("\N{EN SPACE}".join(pieces))


def _entry_size(entry: StackEntry | BufferEntry) -> int:
    if isinstance(entry, TreeName):
        return pixels("t" + entry.marks, WORD_SIZE) + _small_size(entry.word)
    if isinstance(entry, str):  # words of the buffer have no boxes, and stand closer
        return _small_size(entry) + 8 - _CHIP
    return _small_size(str(entry))


def _shorten(word: str, size: int) -> str:
    """A word cut to about so many pixels."""
    return shorten(word, max(size // 9, 2))


def _node_size(item: OrderedTree | Leaf) -> int:
    if isinstance(item, OrderedTree):
        return _small_size(str(item.label))
    return max(_word_size(item.word), _tag_size(item.tag))


def _tag_size(tag: str) -> int:
    return 0 if tag == NO_TAG else _small_size(tag)


def _word_size(word: str) -> int:
    return pixels(visible(word), WORD_SIZE)


def _small_size(label: str) -> int:
    return pixels(visible(label), SMALL_SIZE)


def _beginning(words: Sequence[str]) -> str:
    return shorten(" ".join(visible(word) for word in words[:40]), 100)
