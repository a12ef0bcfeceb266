"""Trees as lines of CoNLL-U for Stanza's tagger and dependency parser, and tags in their columns.

A word's tags are the columns UPOS, XPOS and FEATS in one string, as such a line has them; a word
without any has the tag ``_``.
"""

from __future__ import annotations

import re

from arctree.dependency import NO_TAG, DependencyTree
from arctree.labels import print_label

_BLANK = f"{NO_TAG}\t{NO_TAG}\t{NO_TAG}"


def format_columns(tree: DependencyTree) -> str:
    """The tree in CoNLL-U, with nothing but words, tags, heads and labels."""
    rows = zip(tree.words, tree.tags, tree.heads, map(print_label, tree.labels), strict=True)
    lines = [
        f"{number}\t{word}\t_\t{_BLANK if tags == NO_TAG else tags}\t{head}\t{label}\t_\t_\n"
        for number, (word, tags, head, label) in enumerate(rows, start=1)
    ]
    return "".join(lines) + "\n"


def in_one_tag(tags: str) -> str:
    """A word's tags as one, for Stanza's tree parsers, which have room for no more.

    XPOS, or UPOS where there is none, and the values of the features. Stanza cuts tags at some
    characters, so there are none but letters and digits in it.
    """
    upos, xpos, features = tags.split("\t")
    values = [feature.partition("=")[2] for feature in features.split("|")]
    return _OTHER.sub("", (upos if xpos == NO_TAG else xpos) + "".join(values)) or "x"


_OTHER = re.compile(r"[^\w]|_")
