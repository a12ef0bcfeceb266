"""The arc-standard transitions, over arcs and over trees, and the map between (Section 3.2).

The system is the stack-based arc-standard system (Nivre 2004, as in Table 2 of the paper):
arcs are drawn between the two topmost items of the stack; a word is attached once it has all
its dependents; the artificial root 0 lies at the bottom of the stack from the start and takes
exactly one dependent, last of all. (The variant of Nivre 2008 draws arcs between the stack and
the buffer; others keep the root at the end of the buffer.)

    ==========  ==============================================  =============================
    transition  over arcs, (σ, β, A)                            legal when
    ==========  ==============================================  =============================
    SHIFT       (σ, i|β, A)    -> (σ|i, β, A)                   the buffer is not empty
    LEFTARC     (σ|i|j, β, A)  -> (σ|j, β, A ∪ {j -> i})        i exists and is not the root
    RIGHTARC    (σ|i|j, β, A)  -> (σ|i, β, A ∪ {i -> j})        i exists; if it is the root,
                                                                the buffer is empty
    ==========  ==============================================  =============================

Over trees, (σ, β, T), the same transitions build: SHIFT pushes the singleton tree of the next
word; LEFTARC makes t_i the leftmost dependent in t_j; RIGHTARC makes t_j the rightmost
dependent in t_i. T holds the partial trees; it is what the stack holds above the root, and at
the end the finished tree, labelled ``root``. The root is a stack item with an empty yield and
no anchor.

Legality never looks at a gold tree, and there are no dead ends: every sequence of legal
transitions goes on to a single tree after 2n steps.

:func:`as_trees` is the paper's f. It commutes with every transition:
``as_trees(t(c)) == t(as_trees(c))``. The three invariants of the mapped system are checked by
:func:`broken_invariant`.

Configurations are immutable and share what they have in common: a step copies nothing but the
head's own tuple of dependents, and a derivation can be branched and undone at any step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Generic, TypeVar, overload

from arctree.dependency import NO_TAG, ROOT, UNLABELED_ARC
from arctree.errors import ArctreeError, DataError
from arctree.ordered import Leaf, OrderedTree

Item = TypeVar("Item")
Step = TypeVar("Step", bound=IntEnum)


class IllegalTransitionError(ArctreeError):
    """A transition was applied to a configuration in which it is not legal."""


class Transition(Enum):
    """A transition is a value that can be called: ``SHIFT(configuration)``."""

    SHIFT = "SHIFT"
    LEFTARC = "LEFTARC"
    RIGHTARC = "RIGHTARC"

    def is_legal(self, configuration: Configuration | MappedConfiguration) -> bool:
        return self.obstacle(configuration) is None

    def obstacle(self, configuration: Configuration | MappedConfiguration) -> str | None:
        """Why the transition is not legal here; nothing if it is."""
        if self is Transition.SHIFT:
            return None if configuration.buffer else "the buffer is empty"
        if configuration.stack.depth < 2:
            return "the stack holds fewer than two items"
        root_is_second = configuration.stack.depth == 2
        if self is Transition.LEFTARC and root_is_second:
            return "the root cannot become a dependent"
        if self is Transition.RIGHTARC and root_is_second and configuration.buffer:
            return "the root takes its one dependent last, when the buffer is empty"
        return None

    @overload
    def __call__(self, configuration: Configuration) -> Configuration: ...
    @overload
    def __call__(self, configuration: MappedConfiguration) -> MappedConfiguration: ...
    def __call__(
        self, configuration: Configuration | MappedConfiguration
    ) -> Configuration | MappedConfiguration:
        """The next configuration."""
        obstacle = self.obstacle(configuration)
        if obstacle is not None:
            raise IllegalTransitionError(f"{self.value} is not legal: {obstacle}")
        if self is Transition.SHIFT:
            return configuration.shift()
        if self is Transition.LEFTARC:
            return configuration.left_arc()
        return configuration.right_arc()


SHIFT, LEFTARC, RIGHTARC = Transition

_BY_LETTER = {transition.value[0]: transition for transition in Transition}


def letters_of(transitions: Iterable[Transition]) -> str:
    """Transitions in short, a letter each: S, L or R."""
    return "".join(transition.value[0] for transition in transitions)


def transitions_of(letters: str) -> tuple[Transition, ...]:
    """The inverse of :func:`letters_of`."""
    for place, letter in enumerate(letters, start=1):
        if letter not in _BY_LETTER:
            raise DataError(
                f"action {place} is {letter!r}", "write S, L or R: SHIFT, LEFTARC, RIGHTARC"
            )
    return tuple(_BY_LETTER[letter] for letter in letters)


def steps_of(kind: type[Step], numbers: Iterable[int]) -> tuple[Step, ...]:
    """Numbers that a parser has predicted, as steps of a kind: in-order transitions, say."""
    steps = []
    for place, number in enumerate(numbers, start=1):
        try:
            steps.append(kind(number))
        except ValueError:
            known = ", ".join(f"{step.value} for {step.name}" for step in kind)
            raise DataError(f"step {place} is {number!r}", f"write {known}") from None
    return tuple(steps)


@dataclass(frozen=True, slots=True, eq=False)
class Stack(Generic[Item]):
    """A stack that is never changed: pushing and popping give other stacks.

    Each stack is its top item and the stack below it, so configurations share their stacks
    and none is ever copied. The empty stack has no top.
    """

    top: Item | None = None
    below: Stack[Item] | None = field(default=None, repr=False)
    depth: int = 0

    def push(self, item: Item) -> Stack[Item]:
        return Stack(item, self, self.depth + 1)

    def pop(self) -> tuple[Item, Stack[Item]]:
        if self.below is None or self.top is None:
            raise IndexError("the stack is empty")
        return self.top, self.below

    def __iter__(self) -> Iterator[Item]:
        """The items from the top down."""
        stack = self
        while stack.below is not None and stack.top is not None:
            yield stack.top
            stack = stack.below

    def __len__(self) -> int:
        return self.depth

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Stack):
            return NotImplemented
        return self.depth == other.depth and all(
            mine == others for mine, others in zip(self, other, strict=True)
        )

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __reduce__(self) -> tuple[Callable[..., Stack[Item]], tuple[object, ...]]:
        return _stack_of, (tuple(self)[::-1],)


def _stack_of(items: Iterable[Item]) -> Stack[Item]:
    """The stack of these items, the last one on top."""
    stack: Stack[Item] = Stack()
    for item in items:
        stack = stack.push(item)
    return stack


@dataclass(frozen=True, slots=True, eq=False)
class Configuration:
    """(σ, β, A): a stack of positions, the words not yet read, the arcs (head, dependent).

    Position 0 is the root. The buffer is a range, since words are read in order. The arcs
    stand in the order in which they were added, which does not count when configurations
    are compared: A is a set.
    """

    stack: Stack[int]
    buffer: range
    arcs_added: Stack[tuple[int, int]]

    @classmethod
    def initial(cls, size: int) -> Configuration:
        """([root], [1, ..., n], {})."""
        bottom: Stack[int] = Stack()
        return cls(bottom.push(0), range(1, size + 1), Stack())

    @property
    def arcs(self) -> frozenset[tuple[int, int]]:
        """A, the set of (head, dependent) pairs."""
        return frozenset(self.arcs_added)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Configuration):
            return NotImplemented
        return (self.stack, self.buffer, self.arcs) == (other.stack, other.buffer, other.arcs)

    def __hash__(self) -> int:
        return hash((self.stack, self.buffer, self.arcs))

    @property
    def is_terminal(self) -> bool:
        """Whether only the root is left, and has its dependent."""
        return self.stack.depth == 1 and not self.buffer

    def shift(self) -> Configuration:
        return Configuration(self.stack.push(self.buffer[0]), self.buffer[1:], self.arcs_added)

    def left_arc(self) -> Configuration:
        head, stack = self.stack.pop()
        dependent, stack = stack.pop()
        return self._attach(stack, head, dependent)

    def right_arc(self) -> Configuration:
        dependent, stack = self.stack.pop()
        head, stack = stack.pop()
        return self._attach(stack, head, dependent)

    def _attach(self, stack: Stack[int], head: int, dependent: int) -> Configuration:
        return Configuration(stack.push(head), self.buffer, self.arcs_added.push((head, dependent)))


class RootItem(Enum):
    """The artificial root as it lies on the stack of trees: no yield, no anchor."""

    ROOT = 0


@dataclass(frozen=True, slots=True)
class MappedConfiguration:
    """(σ, β, T): a stack of partial trees above the root, the leaves not yet read, the trees.

    ``leaves`` is the whole sentence, of which the buffer is the unread end. ``finished`` is
    the tree that the root has taken.
    """

    stack: Stack[OrderedTree | RootItem]
    leaves: tuple[Leaf, ...] = field(repr=False)
    read: int = 0
    finished: OrderedTree | None = None

    @classmethod
    def initial(cls, words: Sequence[str], tags: Sequence[str] = ()) -> MappedConfiguration:
        """([root], [w_1, ..., w_n], {})."""
        tags = tags or (NO_TAG,) * len(words)
        leaves = tuple(
            Leaf(position, word, tag)
            for position, (word, tag) in enumerate(zip(words, tags, strict=True), start=1)
        )
        bottom: Stack[OrderedTree | RootItem] = Stack()
        return cls(bottom.push(RootItem.ROOT), leaves)

    @property
    def buffer(self) -> range:
        """The positions of the words not yet read."""
        return range(self.read + 1, len(self.leaves) + 1)

    @property
    def trees(self) -> frozenset[OrderedTree]:
        """T, the set of partial trees."""
        trees = {item for item in self.stack if isinstance(item, OrderedTree)}
        return frozenset(trees if self.finished is None else {*trees, self.finished})

    @property
    def is_terminal(self) -> bool:
        """Whether the root has taken the finished tree."""
        return self.finished is not None

    def shift(self) -> MappedConfiguration:
        tree = OrderedTree.trusted(UNLABELED_ARC, (), self.leaves[self.read], ())
        return MappedConfiguration(self.stack.push(tree), self.leaves, self.read + 1)

    def left_arc(self) -> MappedConfiguration:
        head, stack = self.stack.pop()
        dependent, stack = stack.pop()
        assert isinstance(head, OrderedTree)
        assert isinstance(dependent, OrderedTree)
        return MappedConfiguration(stack.push(head.attach_left(dependent)), self.leaves, self.read)

    def right_arc(self) -> MappedConfiguration:
        dependent, stack = self.stack.pop()
        head, below = stack.pop()
        assert isinstance(dependent, OrderedTree)
        if head is RootItem.ROOT:
            return MappedConfiguration(stack, self.leaves, self.read, dependent.with_label(ROOT))
        return MappedConfiguration(below.push(head.attach_right(dependent)), self.leaves, self.read)


def as_trees(
    configuration: Configuration, words: Sequence[str], tags: Sequence[str] = ()
) -> MappedConfiguration:
    """f: each stack item becomes the tree that the arcs build over it.

    A word's dependents are taken from A alone, so this knows nothing of how the transitions
    build trees.
    """
    start = MappedConfiguration.initial(words, tags)
    dependents: dict[int, list[int]] = {}
    for head, dependent in configuration.arcs:
        dependents.setdefault(head, []).append(dependent)
    stack = start.stack
    for position in reversed(tuple(configuration.stack)[:-1]):
        stack = stack.push(_tree_over(position, dependents, start.leaves))
    finished = [
        _tree_over(position, dependents, start.leaves) for position in dependents.get(0, [])
    ]
    return MappedConfiguration(
        stack,
        start.leaves,
        configuration.buffer.start - 1,
        finished[0].with_label(ROOT) if finished else None,
    )


def _tree_over(top: int, dependents: dict[int, list[int]], leaves: Sequence[Leaf]) -> OrderedTree:
    """The unlabelled tree over a word, its dependents' trees sorted by their anchors."""
    order = [top]
    for position in order:
        order.extend(dependents.get(position, ()))
    built: dict[int, OrderedTree] = {}
    for position in reversed(order):
        below = sorted(dependents.get(position, ()))
        built[position] = OrderedTree(
            UNLABELED_ARC,
            tuple(built[dependent] for dependent in below if dependent < position),
            leaves[position - 1],
            tuple(built[dependent] for dependent in below if dependent > position),
        )
    return built[top]


def broken_invariant(configuration: MappedConfiguration) -> str | None:
    """The first of the three invariants that does not hold, in words; nothing if all hold.

    1. Each partial tree has a contiguous yield; and the yields, in the order of the stack,
       are the words read so far.
    2. Each partial tree has a unique lexical anchor: every word read is the anchor of exactly
       one node.
    3. Each attachment is on the licensed side: in every node the dependents' anchors are in
       surface order, those on the left before the node's anchor, those on the right after it.

    The root, which has no yield, is exempt. All of it is worked out from the leaves; the
    spans that the trees carry must agree.
    """
    items = list(reversed(tuple(configuration.stack)))
    if items[0] is not RootItem.ROOT:
        return "the root is not at the bottom of the stack"
    trees = [item for item in items if isinstance(item, OrderedTree)]
    if configuration.finished is not None:
        trees.append(configuration.finished)
    read = []
    for tree in trees:
        positions = [leaf.position for leaf in tree.leaves()]
        if positions != list(range(positions[0], positions[0] + len(positions))):
            return f"1: the yield {positions} of the tree over {tree.anchor.word} is not contiguous"
        if (tree.first, tree.last) != (positions[0], positions[-1]):
            return f"1: the tree over {tree.anchor.word} carries a wrong span"
        read += positions
        anchors = [node.anchor.position for node in tree.nodes()]
        if sorted(anchors) != positions:
            return f"2: the anchors {sorted(anchors)} are not the words {positions}, one each"
        for node in tree.nodes():
            places = [
                *(child.anchor.position for child in node.left),
                node.anchor.position,
                *(child.anchor.position for child in node.right),
            ]
            if places != sorted(places):
                return f"3: the children of {node.anchor.word} stand at {places}, out of order"
    if read != list(range(1, configuration.read + 1)):
        return f"1: the stack holds the words {read}, but {configuration.read} were read"
    return None
