"""The rows of a derivation, as in the paper's Table 2.

    ====  =======================  =======================  ========  ==============
    Step  Stack                    Buffer                   Action    Relation added
    ====  =======================  =======================  ========  ==============
    2     [root, t_book, t_me]     [the, morning, flight]   RIGHTARC  book → me
    3     [root, t'_book]          [the, morning, flight]   SHIFT
    ====  =======================  =======================  ========  ==============

A tree on the stack is named after its anchor and has a prime for each dependent it has
taken. A long stack or buffer is elided where nothing happens: the stack below its top, the
buffer behind its front. A row never looks at more of them than it shows, so the table of a
long sentence takes linear time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from arctree.dependency import ROOT
from arctree.draw.width import visible
from arctree.oracle import Step
from arctree.ordered import Leaf, OrderedTree
from arctree.transitions import MappedConfiguration, RootItem

HEADINGS = ("Step", "Stack", "Buffer", "Action", "Relation added")
DONE = "DONE"

MOST_PRIMES = 3
_RAISED = str.maketrans("()0123456789", "⁽⁾⁰¹²³⁴⁵⁶⁷⁸⁹")
_ALWAYS_SHOWN = 2  # what a transition works on: the two topmost items


class TreeName(NamedTuple):
    """The name of a tree on the stack: its anchor's word, a prime for each dependent."""

    word: str
    primes: int

    @property
    def marks(self) -> str:
        """The primes; many of them as a raised number, like the order of a high derivative."""
        if self.primes <= MOST_PRIMES:
            return "'" * self.primes
        return f"({self.primes})".translate(_RAISED)

    def __str__(self) -> str:
        return f"t{self.marks}_{self.word}"


class RootName(NamedTuple):
    """The artificial root on the stack."""

    def __str__(self) -> str:
        return ROOT


class Elision(NamedTuple):
    """So many items that are not shown; ``is_inner`` if some are shown on both sides."""

    hidden: int
    is_inner: bool

    def __str__(self) -> str:
        return f"… {self.hidden} more" + (" …" if self.is_inner else "")


StackEntry = TreeName | RootName | Elision
BufferEntry = str | Elision
Entry = TypeVar("Entry", bound=StackEntry | str)


class Row(NamedTuple):
    """One row of the table. The relation is (head, dependent); words are visible text."""

    step: int
    stack: list[StackEntry]
    buffer: list[BufferEntry]
    action: str
    relation: tuple[str, str] | None


class Room(NamedTuple):
    """How much a stack and a buffer may take together, and how that is measured.

    ``separator`` is what an entry takes beside its own text, ``word`` the most that a word
    may take; ``shorten`` cuts a word to a size.
    """

    size: int
    separator: int
    word: int
    measure: Callable[[StackEntry | BufferEntry], int]
    shorten: Callable[[str, int], str]


def rows(steps: Iterable[Step], room: Room) -> Iterator[Row]:
    """The rows of the table, with stacks and buffers that fit in the room."""
    for number, step in enumerate(steps):
        mapped = step.mapped
        names = _fitting((_name(item, room) for item in mapped.stack), room, room.size)
        words = _fitting((_word(leaf.word, room) for leaf in _unread(mapped)), room, room.size)
        share = _buffer_share(mapped, names, words, room)
        yield Row(
            number,
            _stack(mapped.stack.depth, names, room, room.size - share),
            _buffer(len(mapped.buffer), words, room, share),
            DONE if step.transition is None else step.transition.value,
            _relation(step, room),
        )


def _unread(mapped: MappedConfiguration) -> Iterator[Leaf]:
    return (mapped.leaves[position - 1] for position in mapped.buffer)


def _fitting(entries: Iterable[Entry], room: Room, size: int) -> list[Entry]:
    """As many entries as fit in the size, and one more if there are more.

    At least two, if there are two: a transition works on that many.
    """
    shown: list[Entry] = []
    taken = 0
    for entry in entries:
        shown.append(entry)
        taken += _size([entry], room)
        if taken > size and len(shown) >= _ALWAYS_SHOWN:
            break
    return shown


def _size(entries: Sequence[StackEntry | BufferEntry], room: Room) -> int:
    return sum(room.measure(entry) + room.separator for entry in entries)


def _buffer_share(
    mapped: MappedConfiguration, names: list[StackEntry], words: list[str], room: Room
) -> int:
    """What the buffer gets: a third, but either gets what the other one does not need.

    The top of the stack, on which transitions work, comes before the front of the buffer.
    """
    need = max(_size(words, room), room.separator)
    share = min(need, max(room.size // 3, room.size - _size(names, room)))
    elision = Elision(mapped.stack.depth, is_inner=True)
    elided = _size([RootName(), elision, *names[:_ALWAYS_SHOWN]], room)
    stack_need = min(_size(names, room), elided)
    least = min(need, _size([Elision(len(mapped.buffer), is_inner=False)], room))
    return min(share, max(least, room.size - stack_need))


def _stack(depth: int, names: list[StackEntry], room: Room, size: int) -> list[StackEntry]:
    """The bottom, an elision if there is no room for everything, and the top.

    The two topmost items are always there. If that is too much, the root is elided as well;
    if it still is, the two are shortened.
    """
    if len(names) == depth and _size(names, room) <= size:
        return names[::-1]
    left = size - _size([RootName(), Elision(depth, is_inner=True)], room)
    fitting = _fitting(names, room, left)
    if len(fitting) > _ALWAYS_SHOWN and _size(fitting, room) > left:
        fitting.pop()
    shown = [name for name in fitting if isinstance(name, TreeName)]
    hidden = depth - len(shown) - 1
    if hidden and _size(shown, room) <= left:
        return [RootName(), Elision(hidden, is_inner=True), *shown[::-1]]
    left = size - _size([Elision(depth, is_inner=False)], room)
    shown = _shortened(shown, room, left)
    bottom: StackEntry = Elision(hidden + 1, is_inner=False) if hidden else RootName()
    return [bottom, *shown[::-1]]


def _shortened(names: Sequence[TreeName], room: Room, size: int) -> list[TreeName]:
    """The names with their words cut to fit, the longest first."""
    shortened: dict[int, TreeName] = {}
    for index in sorted(range(len(names)), key=lambda index: room.measure(names[index].word)):
        name = names[index]
        share = size // (len(names) - len(shortened))
        most = share - _size([name._replace(word="")], room)
        shortened[index] = name._replace(word=room.shorten(name.word, most))
        size -= _size([shortened[index]], room)
    return [shortened[index] for index in range(len(names))]


def _buffer(count: int, words: list[str], room: Room, size: int) -> list[BufferEntry]:
    """The front, and an elision if there is no room for everything."""
    if len(words) == count and _size(words, room) <= size:
        return [*words]
    if count == 1:
        return [room.shorten(words[0], size - room.separator)]
    left = size - _size([Elision(count, is_inner=False)], room)
    shown: list[BufferEntry] = []
    for word in words:
        left -= _size([word], room)
        if left < 0:
            break
        shown.append(word)
    return [*shown, Elision(count - len(shown), is_inner=False)]


def _relation(step: Step, room: Room) -> tuple[str, str] | None:
    if step.arc is None:
        return None
    leaves = step.mapped.leaves
    head, dependent = (_word(leaves[place - 1].word, room) if place else ROOT for place in step.arc)
    return head, dependent


def _name(item: OrderedTree | RootItem, room: Room) -> StackEntry:
    if isinstance(item, RootItem):
        return RootName()
    return TreeName(_word(item.anchor.word, room), len(item.left) + len(item.right))


def _word(word: str, room: Room) -> str:
    return room.shorten(visible(word), room.word)
