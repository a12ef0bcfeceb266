"""T(φ(D)) as Stanza's constituency parser reads and builds it, and the way back to heads.

Stanza reads Penn Treebank brackets, one tree a line, under a node ``ROOT`` that holds nothing
else. That node is the artificial root of the paper: it has no word of its own and takes exactly
one dependent. Every other node holds one preterminal, its anchor, among the nodes of its
dependents. Its label is ``UA``, where trees are learnt without relations, or that of its word:

    (ROOT (UA (_ book) (UA (_ me)) (UA (UA (_ the)) (UA (_ morning)) (_ flight))))
    (ROOT (root (_ book) (iobj (_ me)) (dobj (det (_ the)) (compound (_ morning)) (_ flight))))

The parser reads no tag of the treebank: the tag of a preterminal is ``_``, the ending of its word,
or what a tagger makes of it.

A tree that Stanza's own in-order system predicts may have nodes without an anchor or with
several. :func:`read_heads` mends it by the rules of :mod:`arctree.repair`, which are the same
every time and move no word, and says that it did.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from arctree.brackets import parse_tree
from arctree.dependency import NO_TAG, UNLABELED_ARC, dependents
from arctree.errors import DataError
from arctree.repair import repair

ROOT_LABEL = "ROOT"


def format_for_stanza(
    words: Sequence[str],
    heads: Sequence[int],
    tags: Sequence[str],
    relations: Sequence[str] | None = None,
) -> str:
    """T(D) of a projective tree as a line that Stanza's reader takes, with a tag for each word."""
    lookup = dependents(heads)
    relations = relations or (UNLABELED_ARC,) * len(words)
    parts: list[str] = []
    agenda: list[int | str] = [")", *lookup[0], f"({ROOT_LABEL}"]
    while agenda:
        item = agenda.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        word = _as_written(as_read(words[item - 1]))
        inside: list[int | str] = [
            *(below for below in lookup[item] if below < item),
            f"({tags[item - 1]} {word})",
            *(below for below in lookup[item] if below > item),
        ]
        agenda += [")", *reversed(inside), f"({relations[item - 1]}"]
    return " ".join(parts).replace(" )", ")")


def as_read(form: str) -> str:
    """A word as it is once Stanza's reader has read it, so that parsing sees what training saw.

    The reader turns any white space into one space, takes ``-LRB-`` for a bracket, and drops
    what some treebanks write for empty elements.
    """
    written = _as_written(" ".join(form.split()))  # in which a bracket may complete a -LRB-
    word = written.replace("-LRB-", "(").replace("-RRB-", ")")
    return _DROPPED if word in _EMPTY_ELEMENTS else word


def _as_written(word: str) -> str:
    return word.replace("(", "-LRB-").replace(")", "-RRB-")


_EMPTY_ELEMENTS = ("", "*E*", "*T*", "*O*")
_DROPPED = "*"


def ending(form: str) -> str:
    """The last three characters of a word, and whether it begins with a capital.

    Stanza cuts tags at some characters, so there are none but letters and digits in it.
    """
    plain = _OTHER.sub("x", _DIGIT.sub("0", form.lower()[-3:])) or "x"
    return ("A" if form[:1].isupper() else "a") + plain


_DIGIT = re.compile(r"\d")
_OTHER = re.compile(r"[^\w]|_")


def as_relation(label: str) -> str:
    """A label as one that Stanza's reader leaves whole, and that is no root's.

    It is learnt and not read back, so two labels may come to be the same.
    """
    return "root" if label == ROOT_LABEL else _CUT.sub("+", label)


# Where Stanza cuts labels, and what ends a label in brackets.
_CUT = re.compile(r"[-=#*()\s]")


def read_heads(tree: Any) -> tuple[tuple[int, ...], bool]:
    """The heads that a tree of Stanza's determines, and whether it had to be mended for that."""
    text = _numbered(tree)
    try:
        return parse_tree(text).to_dependency().heads, False
    except DataError:
        return repair(text)[0].to_dependency().heads, True


def read_relations(tree: Any) -> list[str]:
    """The labels of the nodes of T(D), in the order of their words."""
    found: list[str] = []
    agenda: list[tuple[Any, str]] = [(tree, ROOT_LABEL)]
    while agenda:
        node, above = agenda.pop()
        if node.is_preterminal():
            found.append(above)
        else:
            agenda.extend((child, node.label) for child in reversed(node.children))
    return found


def _numbered(tree: Any) -> str:
    """The brackets with the number of each word in its place, without the root if it has none."""
    is_wrapped = len(tree.children) == 1 and not tree.children[0].is_preterminal()
    parts: list[str] = []
    count = 0
    agenda: list[Any] = [tree.children[0] if is_wrapped else tree]
    while agenda:
        node = agenda.pop()
        if node is None:
            parts.append(")")
        elif node.is_preterminal():
            count += 1
            parts.append(f"({NO_TAG} {count})")
        else:
            parts.append(f"({UNLABELED_ARC}")
            agenda.append(None)
            agenda.extend(reversed(node.children))
    return " ".join(parts)
