"""A sentence: its words in ten columns, and everything else that CoNLL-U says of it.

:mod:`arctree.conllu` reads and writes sentences; every one that it reads is valid: ids in
sequence, no empty column, and heads that form a tree with one root, or no heads at all (a
*blind* sentence, HEAD and DEPREL ``_`` throughout).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from arctree.dependency import NO_TAG, DependencyTree, check_heads
from arctree.errors import DataError

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)
# The columns of tags, by what settings call them.
TAG_COLUMNS = {"upos": UPOS, "xpos": XPOS, "feats": FEATS}
WIDTH = len(COLUMNS)


@dataclass(frozen=True, slots=True, eq=False)
class Sentence:
    """One sentence of a CoNLL-U file.

    ``columns`` holds the ten columns of the words, each from the first word to the last; most
    have a property of their own. Lines that are not words (multiword tokens, empty nodes) stand in
    ``other_lines``, each with the number of words before it. Two sentences are equal when
    they print the same.
    """

    comments: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...] = field(repr=False)
    heads: tuple[int, ...] | None
    other_lines: tuple[tuple[int, str], ...] = ()
    line_break: str = "\n"
    blank_lines: int = 1
    line: int = 1

    def __len__(self) -> int:
        return len(self.columns[ID])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sentence):
            return NotImplemented
        return self.to_text() == other.to_text()

    def __hash__(self) -> int:
        return hash(self.to_text())

    @property
    def forms(self) -> tuple[str, ...]:
        return self.columns[FORM]

    @property
    def lemmas(self) -> tuple[str, ...]:
        return self.columns[LEMMA]

    @property
    def upos(self) -> tuple[str, ...]:
        return self.columns[UPOS]

    @property
    def xpos(self) -> tuple[str, ...]:
        return self.columns[XPOS]

    @property
    def feats(self) -> tuple[str, ...]:
        return self.columns[FEATS]

    @property
    def deprels(self) -> tuple[str, ...]:
        return self.columns[DEPREL]

    @property
    def deps(self) -> tuple[str, ...]:
        return self.columns[DEPS]

    @property
    def misc(self) -> tuple[str, ...]:
        return self.columns[MISC]

    @property
    def is_blind(self) -> bool:
        """Whether HEAD and DEPREL are ``_`` throughout."""
        return self.heads is None

    @property
    def id(self) -> str | None:
        """The sentence id, from its ``# sent_id`` comment."""
        return self.metadata("sent_id") or None

    @property
    def text(self) -> str | None:
        """The raw text, from the ``# text`` comment."""
        return self.metadata("text")

    def metadata(self, key: str) -> str | None:
        """The value of the first comment ``# key = value``."""
        for comment in self.comments:
            name, equals, value = comment[1:].partition("=")
            if equals and name.strip() == key:
                return value.strip()
        return None

    def line_of(self, word: int) -> int:
        """The number of the line on which a word stands in the file."""
        others = sum(before < word for before, _ in self.other_lines)
        return self.line + len(self.comments) + others + word - 1

    @property
    def multiword_tokens(self) -> list[tuple[int, int, tuple[str, ...]]]:
        """First word, last word and the ten columns of each multiword token."""
        tokens = []
        for _, line in self.other_lines:
            columns = tuple(line.split("\t"))
            first, dash, last = columns[ID].partition("-")
            if dash:
                tokens.append((int(first), int(last), columns))
        return tokens

    @property
    def tree(self) -> DependencyTree:
        """The dependency tree, without tags."""
        return self.tree_with_tags(None)

    def tree_with_tags(self, column: int | None) -> DependencyTree:
        """The dependency tree with the tags of a column: ``XPOS``, ``UPOS`` or none."""
        if self.heads is None:
            raise DataError(
                "a sentence without heads, where a tree is needed",
                "fill HEAD and DEPREL, or parse it first",
                line=self.line,
                sentence=self.id,
            )
        tags = (NO_TAG,) * len(self) if column is None else self.columns[column]
        return DependencyTree.trusted(self.forms, self.heads, self.deprels, tags)

    def with_arcs(self, heads: Sequence[int], labels: Sequence[str]) -> Sentence:
        """The same sentence under other heads and labels, all other columns intact."""
        if not len(heads) == len(labels) == len(self):
            raise DataError(
                f"{len(self)} words, {len(heads)} heads, {len(labels)} labels",
                "give each word one head and one label",
            )
        check_heads(heads)
        for label in set(labels):
            _column_text(label)
        columns = list(self.columns)
        columns[HEAD] = tuple(map(str, heads))
        columns[DEPREL] = tuple(labels)
        return Sentence(
            self.comments,
            tuple(columns),
            tuple(heads),
            self.other_lines,
            self.line_break,
            self.blank_lines,
            self.line,
        )

    def to_text(self) -> str:
        """The sentence as it stands in a file, its closing blank lines included."""
        rows = list(map("\t".join, zip(*self.columns, strict=True)))
        for before, line in reversed(self.other_lines):
            rows.insert(before, line)
        text = "\n".join([*self.comments, *rows]) + "\n" * (1 + self.blank_lines)
        return text if self.line_break == "\n" else text.replace("\n", self.line_break)


def from_tree(tree: DependencyTree, *, tag_column: int | None = XPOS) -> Sentence:
    """A sentence with the tree's words, heads and labels, its tags in a column if one is given."""
    for label in tree.labels:
        if not isinstance(label, str):
            raise DataError(f"the label {label} is lifted", "unlift the tree first")
    columns = [("_",) * len(tree)] * WIDTH
    columns[ID] = tuple(map(str, range(1, len(tree) + 1)))
    columns[FORM] = tuple(map(_column_text, tree.words))
    columns[HEAD] = tuple(map(str, tree.heads))
    columns[DEPREL] = tuple(map(_column_text, map(str, tree.labels)))
    if tag_column is not None:
        columns[tag_column] = tuple(map(_column_text, tree.tags))
    return Sentence((), tuple(columns), tree.heads)


def _column_text(text: str) -> str:
    """The text, if a column can hold it."""
    if not text or _UNFIT.search(text):
        raise DataError(
            f"{text!r} cannot stand in a column of CoNLL-U",
            "a column holds at least one character, and no tab, line break or lone surrogate",
        )
    return text


_UNFIT = re.compile(r"[\t\n\r\ud800-\udfff]")
