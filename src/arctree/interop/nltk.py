"""Ordered trees to and from ``nltk.Tree``.

The NLTK tree is the one that NLTK itself reads from our brackets:
``to_nltk(tree) == nltk.Tree.fromstring(format_tree(tree))``. So its labels and leaves are
escaped as in the brackets (:mod:`arctree.labels`), and printing it gives brackets again.
"""

from __future__ import annotations

import re
from typing import Any

from arctree.brackets import parse_tree
from arctree.errors import DataError, MissingExtraError
from arctree.labels import escape, print_label
from arctree.ordered import Leaf, OrderedTree


def to_nltk(tree: OrderedTree) -> Any:
    """The ordered tree as an ``nltk.Tree``; :func:`from_nltk` is the inverse."""
    make = _nltk_tree()
    top = make(print_label(tree.label), [])
    agenda = [(tree, top)]
    while agenda:
        node, made = agenda.pop()
        for child in node.children:
            if isinstance(child, Leaf):
                made.append(make(escape(child.tag), [escape(child.word)]))
            else:
                made.append(make(print_label(child.label), []))
                agenda.append((child, made[-1]))
    return top


def from_nltk(tree: Any) -> OrderedTree:
    """The ordered tree of an ``nltk.Tree``; an error names a node that has not one anchor."""
    make = _nltk_tree()
    parts: list[str] = []
    agenda: list[Any] = [tree]
    while agenda:
        item = agenda.pop()
        if item is _CLOSE:
            parts.append(")")
        elif isinstance(item, make):
            parts.append("(" + _atom(item.label()))
            agenda.append(_CLOSE)
            agenda.extend(reversed(item))
        else:
            parts.append(_atom(item))
    return parse_tree(" ".join(parts))


_CLOSE = object()


def _atom(text: object) -> str:
    if not isinstance(text, str) or re.search(r"[()\s]", text):
        raise DataError(
            f"{text!r} is no label or word of a tree from brackets",
            "escape it: arctree.labels.escape",
        )
    return text


def _nltk_tree() -> Any:
    try:
        from nltk.tree import Tree
    except ImportError as error:
        raise MissingExtraError("nltk trees need NLTK", "nltk") from error
    return Tree
