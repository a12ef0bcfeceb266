"""Trees as lines of CoNLL-U for Stanza's tagger and dependency parser, and tags in their columns.

A word's tags are the columns UPOS, XPOS and FEATS in one string, as such a line has them; a word
without any has the tag ``_``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from arctree.dependency import NO_TAG, DependencyTree
from arctree.errors import DataError
from arctree.labels import print_label
from arctree.sentence import FEATS, UPOS, XPOS, Sentence

_BLANK = f"{NO_TAG}\t{NO_TAG}\t{NO_TAG}"


def format_columns(tree: DependencyTree) -> str:
    """The tree in CoNLL-U, with nothing but words, tags, heads and labels."""
    rows = zip(tree.words, tree.tags, tree.heads, map(print_label, tree.labels), strict=True)
    lines = [
        f"{number}\t{word}\t_\t{_BLANK if tags == NO_TAG else tags}\t{head}\t{label}\t_\t_\n"
        for number, (word, tags, head, label) in enumerate(rows, start=1)
    ]
    return "".join(lines) + "\n"


def write_columns(path: Path, trees: Iterable[DependencyTree]) -> None:
    """Trees as a file of such lines."""
    path.write_text("".join(map(format_columns, trees)), "utf-8")


def tree_with_columns(sentence: Sentence, path: str) -> DependencyTree:
    """The tree of a file's sentence with the tags that it has there, for a tagger to learn."""
    upos, xpos, feats = (sentence.columns[column] for column in (UPOS, XPOS, FEATS))
    for word, (tag, features) in enumerate(zip(upos, feats, strict=True), start=1):
        if tag == NO_TAG or not _FEATURES.fullmatch(features):
            odd = f"the FEATS {features}, which are no names and values"
            fault = "no UPOS" if tag == NO_TAG else odd
            raise DataError(
                f"word {word} has {fault}, and a tagger is to learn from it",
                "mend the column, or learn no tags: stanza.tag_steps = 0",
                file=path,
                line=sentence.line,
                sentence=sentence.id,
            )
    tree = sentence.tree
    tags = tuple(map("\t".join, zip(upos, xpos, feats, strict=True)))
    return DependencyTree.trusted(tree.words, tree.heads, tree.labels, tags)


_FEATURES = re.compile(r"_|[^=|]+=[^=|]+(\|[^=|]+=[^=|]+)*")


def in_one_tag(tags: str) -> str:
    """A word's tags as one, for Stanza's tree parsers, which have room for no more.

    XPOS, or UPOS where there is none, and the features. What means something to Stanza's reader,
    or cuts a tag in two, is written full width.
    """
    upos, xpos, features = tags.split("\t")
    parts = [upos if xpos == NO_TAG else xpos, *([] if features == NO_TAG else [features])]
    return "_".join("|".join(parts).split()).translate(_FULL_WIDTH)


_FULL_WIDTH = {ord(sign): ord(sign) + 0xFEE0 for sign in "-=#*()"}
