"""Pictures in plain text, for a terminal.

Arcs stand at the left of a column of words::

    ╭───┬──  1  book     VB   root
    │   ╰─►  2  me       PRP  iobj      ← book
    │ ╭───►  3  the      DT   det       ← flight
    │ │ ╭─►  4  morning  NN   compound  ← flight
    ╰─┴─┴─►  5  flight   NN   dobj      ← book

An arrow head points at every dependent. An arc that is not projective is drawn as a double
line, and where two arcs cross, the one that runs across is interrupted.

Every picture is linear in the sentence: arcs have a bounded number of lanes, trees a bounded
number of guides, and what goes beyond them is told in numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from arctree.dependency import NO_TAG, DependencyTree
from arctree.draw.layout import TreeLayout, arc_levels, crossing_dependents, lay_out_tree
from arctree.draw.table import HEADINGS, BufferEntry, Room, Row, StackEntry, TreeName, rows
from arctree.draw.width import cells, isolated, pad, shorten, visible
from arctree.oracle import Step
from arctree.ordered import Leaf, OrderedTree

_MOST_LANES = 12
_GAP = "  "


def draw_arcs(
    tree: DependencyTree,
    *,
    width: int = 100,
    of_words: Sequence[Sequence[str]] = (),
    of_arcs: Sequence[Sequence[str]] = (),
) -> str:
    """One word a row, its arcs at the left; then its number, tag, label and head.

    ``of_words`` are more columns to show after the tags, ``of_arcs`` after the heads.
    """
    crossing = crossing_dependents(tree)
    lanes = _lanes(tree, most=max(1, min(_MOST_LANES, width // 8)))
    margins = _lane_rows(tree, lanes, crossing)
    numbers = range(1, len(tree) + 1)
    heads = [tree.words[head - 1] if head else "" for head in tree.heads]
    columns = [
        _Column([str(number) for number in numbers], align_right=True),
        _Column(tree.words),
        _Column(["" if tag == NO_TAG else tag for tag in tree.tags]),
        *map(_Column, of_words),
        _Column([str(label) for label in tree.labels]),
        _Column(heads, prefix="← "),
        *map(_Column, of_arcs),
        _Column(["non-projective" if number in crossing else "" for number in numbers]),
    ]
    columns = [column for column in columns if any(column.texts)]
    room = width - cells(margins[0]) - sum(len(_GAP) + len(column.prefix) for column in columns)
    shares = _shares([column.need() for column in columns], room)
    cut = [column.cut(share) for column, share in zip(columns, shares, strict=True)]
    return "\n".join(_GAP.join(line).rstrip() for line in zip(margins, *cut, strict=True))


class _Column:
    """A column of texts, each after the same prefix unless it is empty."""

    def __init__(
        self, texts: Iterable[str], *, prefix: str = "", align_right: bool = False
    ) -> None:
        self.texts = [visible(text) for text in texts]
        self.prefix = prefix
        self.align_right = align_right

    def need(self) -> int:
        return max(map(cells, self.texts))

    def cut(self, size: int) -> list[str]:
        """The texts shortened and padded to a common size."""
        if self.align_right:
            return [shorten(text, size).rjust(size) for text in self.texts]
        shown = (self.prefix + isolated(shorten(text, size)) if text else "" for text in self.texts)
        return [pad(text, len(self.prefix) + size) for text in shown]


def _lanes(tree: DependencyTree, most: int) -> list[int]:
    """For each word the lane of its arc, 1 next to the words; 0 for the root's arc and for
    arcs beyond the last lane, which are the longest ones."""
    spans = [(min(arc[:2]), max(arc[:2])) for arc in tree.arcs() if arc.head]
    levels = iter(arc_levels(spans))
    lanes = [next(levels) if head else 0 for head in tree.heads]
    return [lane if lane <= most else 0 for lane in lanes]


def _lane_rows(tree: DependencyTree, lanes: Sequence[int], crossing: set[int]) -> list[str]:
    """The arcs of each row, from the outermost lane to the arrow head."""
    count = max(lanes)
    starting: list[list[int]] = [[] for _ in range(len(tree) + 1)]  # arcs, by their upper end
    for dependent, (head, lane) in enumerate(zip(tree.heads, lanes, strict=True), start=1):
        if lane:
            starting[min(head, dependent)].append(dependent)
    has_far_heads = any(head and not lane for head, lane in zip(tree.heads, lanes, strict=True))
    digits = len(str(len(tree))) if has_far_heads else 0
    running = [0] * (count + 1)  # for each lane the arc in it, named by its dependent
    lines = []
    for word, (head, own_lane) in enumerate(zip(tree.heads, lanes, strict=True), start=1):
        ending = {
            lane
            for lane, dependent in enumerate(running)
            if dependent and max(dependent, tree.heads[dependent - 1]) == word
        }
        passing = list(running)
        for lane in ending:
            running[lane] = 0
        beginning = {lanes[dependent - 1] for dependent in starting[word]}
        for dependent in starting[word]:
            running[lanes[dependent - 1]] = dependent
        is_far = bool(head) and not own_lane
        reach = count + 1 if is_far else max(ending | beginning, default=0)
        line = f"{head:>{digits}} ⋯─" if is_far else " " * (digits + 3) if digits else ""
        for lane in range(count, 0, -1):
            is_double = bool({passing[lane], running[lane]} & crossing)
            line += _crossing_sign(
                up=passing[lane] > 0,
                down=running[lane] > 0,
                meets=lane in ending or lane in beginning,
                left=lane < reach,
                is_double=is_double,
            )
            line += "─" if lane <= reach else " "
        lines.append(line + ("►" if head else "─" if reach else " "))
    return lines


def _crossing_sign(*, up: bool, down: bool, meets: bool, left: bool, is_double: bool) -> str:
    """What stands where a lane and a row meet."""
    if not (up or down):
        return "─" if left else " "
    if not meets:
        return "║" if is_double else "│"
    signs = ("╓╙╟", "╥╨╫") if is_double else ("╭╰├", "┬┴┼")
    return signs[left][2 if up and down else 1 if up else 0]


def _shares(needs: Sequence[int], room: int) -> list[int]:
    """What each column gets: what it needs, but the widest no more than there is room for."""
    shares = list(needs)
    excess = sum(needs) - room
    while excess > 0 and max(shares) > _NARROWEST:
        widest = max(shares)
        others = [share for share in shares if share < widest]
        goal = max(max(others, default=0), _NARROWEST)
        count = len(shares) - len(others)
        goal = max(goal, widest - -(-excess // count))
        shares = [min(share, goal) for share in shares]
        excess = sum(shares) - room
    return shares


_NARROWEST = 6


def draw_tree(tree: OrderedTree, *, width: int = 100) -> str:
    """The tree with its root on top if it fits in the width, else as an outline."""
    # A word takes at least two cells with the gap after it.
    if 2 * len(tree) - 1 <= width:
        layout = lay_out_tree(tree, lambda item: cells(_caption(item)), gap=2)
        if layout.extent <= width:
            return _picture(layout)
    return _outline(tree, width)


def _caption(item: OrderedTree | Leaf, most: int | None = None) -> str:
    """What stands at a node or a leaf, in at most so many cells."""
    texts = [item.label] if isinstance(item, OrderedTree) else [item.word, item.tag]
    shown = [visible(str(text)) for text in texts if text != NO_TAG or text is texts[0]]
    if most is not None:
        shares = _shares([cells(text) for text in shown], most - len(shown) + 1)
        shown = [shorten(text, share) for text, share in zip(shown, shares, strict=True)]
    return "/".join(map(isolated, shown))


def _picture(layout: TreeLayout) -> str:
    """Captions and branches in turn, a line of each for every depth."""
    captions: list[list[tuple[int, str]]] = [[] for _ in range(layout.depth + 1)]
    children: dict[int, list[int]] = {}
    for node in layout.nodes:
        caption = _caption(node.item)
        captions[node.depth].append((node.place - cells(caption) // 2, caption))
        children.setdefault(node.parent, []).append(node.place)
    branches: list[list[tuple[int, str]]] = [[] for _ in range(layout.depth + 1)]
    for index, places in children.items():
        if index >= 0:
            parent = layout.nodes[index]
            branches[parent.depth].append((places[0], _branches(parent.place, places)))
    lines = []
    for depth in range(layout.depth + 1):
        lines += [_line(captions[depth]), _line(branches[depth])]
    return "\n".join(lines[:-1])


def _branches(parent: int, children: Sequence[int]) -> str:
    """The line from the first child to the last, with the parent above it."""
    first, last = children[0], children[-1]
    if first == last:
        return "│"
    signs = dict.fromkeys(range(first, last + 1), "─")
    signs.update(dict.fromkeys(children, "┬"))
    signs[parent] = "┼" if parent in children else "┴"
    signs[first] = "├" if parent == first else "╭"
    signs[last] = "┤" if parent == last else "╮"
    return "".join(signs.values())


def _line(pieces: Iterable[tuple[int, str]]) -> str:
    """Pieces of text, each put at its place."""
    line = ""
    end = 0
    for place, piece in pieces:
        line += " " * (place - end) + piece
        end = place + cells(piece)
    return line


def _outline(tree: OrderedTree, width: int) -> str:
    """One node a line, indented by its depth; a node without dependents holds its word.

    Beyond the deepest level that has room, a line shows only the last guides, after its depth.
    """
    most = max(2, min(16, (width - 40) // 4))
    lines: list[str] = []
    guides: list[str] = []  # for each depth, what the lines below show of it
    agenda: list[tuple[OrderedTree | Leaf, int, bool]] = [(tree, 0, True)]
    while agenda:
        item, depth, is_last = agenda.pop()
        del guides[max(depth - 1, 0) :]
        shown = guides if depth <= most else guides[len(guides) - most + 2 :]
        number = "" if depth <= most else f"{depth:<5} ⋯ "
        turn = "" if not depth else "└── " if is_last else "├── "
        start = number + "".join(shown) + turn
        room = width - cells(start)
        if isinstance(item, OrderedTree) and not item.dependents:
            start += f"{_caption(item, room // 3)} ── "
            item = item.anchor
            room = width - cells(start)
        lines.append(start + _caption(item, room))
        if depth:
            guides.append("    " if is_last else "│   ")
        if isinstance(item, OrderedTree) and item.dependents:
            *earlier, last = item.children
            agenda.append((last, depth + 1, True))
            agenda.extend((child, depth + 1, False) for child in reversed(earlier))
    return "\n".join(lines)


def draw_derivation(steps: Iterable[Step], *, width: int = 100) -> str:
    """The paper's Table 2.

    The stack grows from the left, the buffer shrinks to the right, and both share the space
    between. Below some 75 cells there is not enough of it, and lines become longer than asked.
    """
    steps = iter(steps)
    first = next(steps)
    leaves = first.mapped.leaves
    most = max(4, width // 8)
    words = sorted(cells(shorten(visible(leaf.word), most)) for leaf in leaves)
    digits = max(len(HEADINGS[0]), len(str(2 * len(leaves))))
    relation = max(len(HEADINGS[4]), sum(words[-2:]) + 3, words[-1] + len("root → "))
    action = len("RIGHTARC")
    room = Room(
        size=max(width - digits - action - relation - 3 * len(_GAP) - 1, 30),
        separator=2,
        word=most,
        measure=lambda entry: cells(str(entry)),
        shorten=shorten,
    )
    table = [_texts(row) for row in rows(chain([first], steps), room)]
    shared = max(cells(stack) + cells(buffer) for _, stack, buffer, _, _ in [HEADINGS, *table])
    spare = width - digits - action - relation - 3 * len(_GAP) - shared
    shared += min(max(spare, 1), len(_GAP))
    lines = []
    for number, stack, buffer, done, added in [HEADINGS, *table]:
        between = " " * (shared - cells(stack) - cells(buffer))
        columns = (number.rjust(digits), stack + between + buffer, done.ljust(action), added)
        lines.append(_GAP.join(columns).rstrip())
    lines.insert(1, "─" * max(map(cells, lines)))
    return "\n".join(lines)


def _texts(row: Row) -> tuple[str, str, str, str, str]:
    stack = ", ".join(map(_entry, row.stack))
    buffer = ", ".join(map(_entry, row.buffer))
    relation = " → ".join(map(isolated, row.relation)) if row.relation else ""
    return str(row.step), f"[{stack}]", f"[{buffer}]", row.action, relation


def _entry(entry: StackEntry | BufferEntry) -> str:
    if isinstance(entry, TreeName):
        entry = entry._replace(word=isolated(entry.word))
    return isolated(entry) if isinstance(entry, str) else str(entry)
