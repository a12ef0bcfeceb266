"""Bracketed text to and from ordered trees.

    (root (VB book) (iobj (PRP me)) (dobj (det (DT the)) (compound (NN morning)) (NN flight)))

Every internal node carries the relation to its parent; its one preterminal child, written
``(tag word)``, is its anchor; all other children are dependents in surface order. A word
without a tag is ``(_ word)``. Words, tags and labels are escaped as :mod:`arctree.labels`
says, so any reader of Penn Treebank brackets can read the text and all of it comes back.

Reading takes a tree on one line or spread over several, as treebank tools print them, and
an outermost pair of brackets without a label. A tree that is no ordered dependency tree is
a :class:`DataError` that names the node; :mod:`arctree.repair` makes one of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO

from arctree.dependency import NO_TAG
from arctree.errors import DataError
from arctree.files import display_name, not_utf_8, read_lines
from arctree.labels import escape, parse_label, print_label, unescape
from arctree.ordered import Leaf, OrderedTree


def format_tree(tree: OrderedTree) -> str:
    """The tree as one line of bracketed text; :func:`parse_tree` is the inverse."""
    parts: list[str] = []
    agenda: list[OrderedTree | str] = [tree]
    while agenda:
        item = agenda.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        _, word, tag = item.anchor
        anchor = f" ({_escape_tag(tag)} {escape(word)})"
        label = print_label(item.label)
        if not item.left and not item.right:
            parts.append(f" ({label}{anchor})")
            continue
        parts.append(" (" + label)
        agenda.append(")")
        agenda.extend(reversed(item.right))
        agenda.append(anchor)
        agenda.extend(reversed(item.left))
    return "".join(parts)[1:]


def parse_tree(text: str) -> OrderedTree:
    """The ordered tree of a bracketed text; :func:`format_tree` is the inverse."""
    tree = _parse_quickly(text)
    return tree if tree is not None else ordered(parse_node(text))


@dataclass(frozen=True, slots=True)
class BracketedTree:
    """A piece of bracketed text that holds one tree, and the line it starts on."""

    text: str
    line: int
    file: str | None

    def parse(self) -> OrderedTree:
        try:
            return parse_tree(self.text)
        except DataError as error:
            raise error.at(file=self.file, line=self.line) from None


def read(path: str) -> Iterator[BracketedTree | DataError]:
    """The trees of a file (``-`` is standard input), cut apart but not parsed.

    A tree ends with the line on which its brackets are closed. What cannot be cut is handed
    on as an error, and cutting goes on with the next line that starts with a bracket.
    """
    return _cut(read_lines(path), display_name(path))


def read_text(text: str) -> Iterator[BracketedTree | DataError]:
    """The trees of a text, as :func:`read` cuts those of a file."""
    return _cut(BytesIO(text.encode("utf-8")), None)


def _cut(lines: Iterable[bytes], name: str | None) -> Iterator[BracketedTree | DataError]:
    held: list[str] = []
    held_line = depth = 0
    for number, raw in enumerate(lines, start=1):
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            yield not_utf_8(raw[error.start], error.start + 1).at(file=name, line=number)
            held, depth = [], 0
            continue
        if not line.strip():
            continue
        if held and line.startswith("("):
            yield _unclosed(name, held_line)
            held, depth = [], 0
        if not held:
            held_line = number
        held.append(line)
        depth += line.count("(") - line.count(")")
        if depth <= 0:  # below 0, parsing the tree will say what is wrong
            yield BracketedTree("".join(held), held_line, name)
            held, depth = [], 0
    if held:
        yield _unclosed(name, held_line)


def _unclosed(name: str | None, line: int) -> DataError:
    return DataError(
        "the tree that starts here is not closed",
        "close its brackets; a new tree starts with a bracket at the start of a line",
        file=name,
        line=line,
    )


_ATOM = r"([^\s()]+)"
_PRETERMINAL = rf"\(\s*{_ATOM}\s+{_ATOM}\s*\)"
# A preterminal, an opening bracket with its label, a closing bracket, a word on its own.
_TOKEN = re.compile(rf"{_PRETERMINAL}|\(\s*([^\s()]*)|(\))|{_ATOM}")
# The same with whole nodes of a single word, which most nodes are. The number of the last group
# that matched tells which it is.
_QUICK_TOKEN = re.compile(
    rf"\(\s*{_ATOM}\s*{_PRETERMINAL}\s*\)|{_PRETERMINAL}|\(\s*{_ATOM}|(\))|\(|[^\s()]"
)
_SINGLE_WORD, _ANCHOR, _OPENING, _CLOSING = 3, 5, 6, 7


def _parse_quickly(text: str) -> OrderedTree | None:
    """The ordered tree, or nothing if the text holds anything unusual."""
    top: list[OrderedTree] = []
    # The node that is open, and those around it: label, left dependents, anchor, right ones.
    label = ""
    left: list[OrderedTree] = top
    right: list[OrderedTree] = []
    anchor: Leaf | None = None
    around: list[tuple[str, list[OrderedTree], Leaf | None, list[OrderedTree]]] = []
    position = 0
    for match in _QUICK_TOKEN.finditer(text):
        kind = match.lastindex
        if kind == _SINGLE_WORD:
            position += 1
            name, tag, word = match.group(1, 2, 3)
            leaf = Leaf(position, unescape(word), _tag(tag))
            node = OrderedTree.trusted(parse_label(name), (), leaf, ())
        elif kind == _ANCHOR and anchor is None and around:
            position += 1
            tag, word = match.group(4, 5)
            anchor = Leaf(position, unescape(word), _tag(tag))
            continue
        elif kind == _OPENING:
            around.append((label, left, anchor, right))
            label, left, anchor, right = match[6], [], None, []
            continue
        elif kind == _CLOSING and anchor is not None:
            node = OrderedTree.trusted(parse_label(label), tuple(left), anchor, tuple(right))
            label, left, anchor, right = around.pop()
        else:
            return None
        if anchor is None:
            left.append(node)
        else:
            right.append(node)
    return top[0] if len(top) == 1 and not around else None


@dataclass(slots=True, eq=False)
class Node:
    """A node of bracketed text as it stands, whether or not an ordered tree.

    A child is a node, or a leaf: a preterminal, or a bare word. ``first`` and ``last`` are
    positions in ``words``, which is the whole sentence; ``last`` is 0 over no words.
    """

    label: str
    words: list[str] = field(repr=False)
    children: list[Node | Leaf] = field(default_factory=list, repr=False)
    first: int = 1
    last: int = 0

    def describe(self, most: int = 6) -> str:
        """What messages call the node: its label and the words it spans."""
        name = f"the node {self.label or '()'}"
        if self.first > self.last:
            return f"{name} over no words"
        words = " ".join(self.words[self.first - 1 : self.last][:most])
        more = " …" if len(self) > most else ""
        if len(self) == 1:
            return f"{name} over word {self.first} ({words})"
        return f"{name} over words {self.first}-{self.last} ({words}{more})"

    def __len__(self) -> int:
        return self.last - self.first + 1

    def post_order(self) -> list[Node]:
        """This node and all below it, children before parents, left to right."""
        nodes = []
        agenda = [self]
        while agenda:
            node = agenda.pop()
            nodes.append(node)
            agenda.extend(child for child in node.children if isinstance(child, Node))
        return nodes[::-1]


def parse_node(text: str) -> Node:
    """Bracketed text as it stands; an error only where the brackets do not balance."""
    words: list[str] = []
    top = Node("", words)
    path = [top]
    for match in _TOKEN.finditer(text):
        tag, word, label, closing, bare = match.groups()
        if word is not None or bare is not None:
            if len(path) == 1 and bare is not None:
                raise DataError(f"{bare!r} stands outside the brackets", "remove it")
            words.append(unescape(word or bare))
            path[-1].children.append(Leaf(len(words), words[-1], _tag(tag) if tag else NO_TAG))
        elif closing is None:
            path.append(Node(label, words, first=len(words) + 1))
            path[-2].children.append(path[-1])
        elif len(path) == 1:
            raise DataError(
                f"a closing bracket too many after {len(words)} words",
                "each tree is one balanced pair of brackets",
            )
        else:
            path.pop().last = len(words)
    if len(path) > 1:
        count = len(path) - 1
        raise DataError(
            f"{count} brackets are not closed" if count > 1 else "a bracket is not closed",
            "close what is opened",
        )
    if len(top.children) != 1:
        raise DataError(
            f"{len(top.children)} trees, where one should be", "put each tree on its own line"
        )
    top.last = len(words)
    return _without_wrapping(top)


def _without_wrapping(node: Node) -> Node:
    """The node inside the brackets that bear no label and hold nothing else."""
    while not node.label and len(node.children) == 1 and isinstance(node.children[0], Node):
        node = node.children[0]
    return node


def ordered(top: Node) -> OrderedTree:
    """The ordered tree that a node is; a :class:`DataError` names the node that is not."""
    finished: dict[Node, OrderedTree] = {}
    for node in top.post_order():
        anchors = [child for child in node.children if isinstance(child, Leaf)]
        if len(anchors) != 1:
            found = ", ".join(leaf.word for leaf in anchors[:6])
            count = f"{len(anchors)} anchors ({found}) instead of one" if anchors else "no anchor"
            raise DataError(
                f"{node.describe()} has {count}",
                "each node has exactly one child of the form (tag word); "
                "recover --repair mends such trees",
            )
        place = node.children.index(anchors[0])
        below = [finished[child] for child in node.children if isinstance(child, Node)]
        finished[node] = OrderedTree.trusted(
            parse_label(node.label) if node.label else _no_label(node),
            tuple(below[:place]),
            anchors[0],
            tuple(below[place:]),
        )
    return finished[top]


def _no_label(node: Node) -> str:
    raise DataError(
        f"{node.describe()} has no label",
        "write the relation after the bracket; recover --repair mends such trees",
    )


@lru_cache(maxsize=4096)
def _escape_tag(tag: str) -> str:
    return escape(tag)


@lru_cache(maxsize=4096)
def _tag(printed: str) -> str:
    return unescape(printed)
