"""CoNLL-U in and out, without loss.

``write(read(f))`` gives back ``f`` byte for byte for every valid file: comments, multiword
tokens, empty nodes, enhanced dependencies, MISC and line endings are kept. Reading streams;
memory holds a piece of the file, not the file.

Every :class:`Sentence` that reading gives is valid: ten columns in every line, ids in sequence,
no empty column, and heads that form a tree with one root, or no heads at all (a *blind*
sentence, HEAD and DEPREL ``_`` throughout). Anything else is a :class:`DataError` that
names file, line, sentence, fault and remedy.

How it is fast: a sentence is accepted by a few whole-column tests; only one that fails them
is walked line by line, to say what is wrong with it.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, NamedTuple

from arctree.conllu_faults import (
    COLUMNS,
    DEPREL,
    DEPS,
    FEATS,
    FORM,
    HEAD,
    ID,
    LEMMA,
    MISC,
    OTHER_ID,
    UPOS,
    WIDTH,
    XPOS,
    explain,
    other_lines_fault,
)
from arctree.dependency import NO_TAG, DependencyTree, check_heads, find_cycle
from arctree.errors import DataError
from arctree.files import display_name, not_utf_8, open_output, read_chunks

__all__ = [
    "COLUMNS",
    "DEPREL",
    "DEPS",
    "FEATS",
    "FORM",
    "HEAD",
    "ID",
    "LEMMA",
    "MISC",
    "UPOS",
    "WIDTH",
    "XPOS",
    "OnError",
    "Sentence",
    "from_tree",
    "read",
    "read_text",
    "write",
    "write_to",
]

OnError = Callable[[DataError], None]


def read(path: str, *, on_error: OnError | None = None) -> Iterator[Sentence]:
    """The sentences of a file (``-`` is standard input), one after the other.

    A bad sentence raises its :class:`DataError`; with ``on_error``, that is called with the
    error instead, and reading goes on with the next sentence.
    """
    return _sentences(read_chunks(path), display_name(path), on_error)


def read_text(
    text: str | bytes, *, name: str = "<text>", on_error: OnError | None = None
) -> Iterator[Sentence]:
    """The sentences of a text that is already in memory."""
    content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return _sentences(iter([content] if content else []), name, on_error)


def write(sentences: Iterable[Sentence], path: str) -> None:
    """Write sentences to a file; compressed by its extension, ``-`` is standard output."""
    with open_output(path) as stream:
        write_to(sentences, stream)


def write_to(sentences: Iterable[Sentence], stream: IO[bytes]) -> None:
    """Write sentences to an open binary stream."""
    for sentence in sentences:
        stream.write(sentence.to_text().encode("utf-8"))


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
        return self.metadata("sent_id")

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


class _Block(NamedTuple):
    """The bytes of one sentence, without the blank lines that close it."""

    content: bytes
    line: int
    blank_lines: int
    line_break: str = "\n"


def _sentences(chunks: Iterator[bytes], name: str, on_error: OnError | None) -> Iterator[Sentence]:
    for block in _blocks(chunks):
        try:
            if isinstance(block, DataError):
                raise block
            sentence = _parse(block)
        except DataError as error:
            error.at(file=name)
            if on_error is None:
                raise
            on_error(error)
        else:
            yield sentence


def _blocks(chunks: Iterator[bytes]) -> Iterator[_Block | DataError]:
    """Cut the file into sentences. What cannot be cut is handed on as an error."""
    line = 1
    for piece in _whole_sentences(chunks):
        if isinstance(piece, DataError):
            yield piece.at(line=line)
            return
        if line == 1 and (blank := _LEADING_BLANK_LINES.match(piece)):
            yield DataError("a blank line before the first sentence", "remove it", line=1)
            line += blank.group().count(b"\n")
            piece = piece[blank.end() :]
        *contents, rest = piece.split(b"\n\n")
        # An empty content, or one that starts with a line feed, shows that a blank line too
        # many stood before it.
        if b"\r" not in piece and all(contents) and not any(map(_starts_blank, (*contents, rest))):
            for content in contents:
                yield _Block(content, line, 1)
                line += content.count(b"\n") + 2
        else:
            start = 0
            for match in _BLANK_LINES.finditer(piece):
                yield _unusual_block(piece[start : match.start()], match.group(), line)
                line += piece.count(b"\n", start, match.end())
                start = match.end()
            rest = piece[start:]
        if rest:
            yield DataError(
                "the file ends without the blank line that closes its last sentence"
                if rest.endswith(b"\n")
                else "the file ends in the middle of a line",
                "it may be cut short; if it is complete, end it with an empty line",
                line=line + rest.rstrip(b"\n").count(b"\n"),
                sentence=_sentence_id(rest),
            )


def _whole_sentences(chunks: Iterator[bytes]) -> Iterator[bytes | DataError]:
    """The file in pieces that end with the blank lines of a sentence; the last may not.

    Where the file turns out to be damaged, what is whole comes first, then the error.
    """
    held: list[bytes] = []
    tail = b""  # of what is held, for blank lines that two chunks share
    try:
        for chunk in chunks:
            held.append(chunk)
            found = _BLANK_LINES.search(tail + chunk)
            tail = (tail + chunk)[-2:]
            if not found:
                continue
            text = b"".join(held)
            # More blank lines may follow at the end, so the cut is before the last sentence.
            content = text.rstrip(b"\r\n")
            cut = content.rfind(b"\n\n") + 2
            if b"\r" in content:
                cut = max(cut, content.rfind(b"\n\r\n") + 3)
            if cut > 2:
                yield text[:cut]
                held = [text[cut:]]
    except DataError as damage:
        text = b"".join(held)
        ends = [match.end() for match in _BLANK_LINES.finditer(text)]
        if ends:
            yield text[: ends[-1]]
        yield damage
        return
    if any(held):
        yield b"".join(held)


_LEADING_BLANK_LINES = re.compile(rb"(?:\r?\n)+")
_starts_blank = operator.methodcaller("startswith", b"\n")
_BLANK_LINES = re.compile(rb"\n(?:\r?\n)+")


def _unusual_block(content: bytes, gap: bytes, line: int) -> _Block | DataError:
    """A sentence with more than one blank line after it, or with carriage returns."""
    whole = content + gap
    returns = whole.count(b"\r\n")
    if not returns:
        return _Block(content, line, len(gap) - 1)
    if returns == whole.count(b"\n"):
        plain = content.replace(b"\r\n", b"\n").removesuffix(b"\r")
        return _Block(plain, line, gap.count(b"\n") - 1, "\r\n")
    return DataError(
        "some lines end in CR LF, others in LF",
        "use one of them throughout the sentence",
        line=line,
        sentence=_sentence_id(content),
    )


def _parse(block: _Block) -> Sentence:
    try:
        text = block.content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = block.content[: error.start]
        place = len(before) - before.rfind(b"\n")
        raise not_utf_8(block.content[error.start], place).at(
            line=block.line + before.count(b"\n"), sentence=_sentence_id(block.content)
        ) from error
    comments: tuple[str, ...] = ()
    if text.startswith("#"):
        match = _COMMENTS.match(text)
        assert match is not None
        comments = tuple(match.group().removesuffix("\n").split("\n"))
        text = text[match.end() :]
    columns, other_lines = _columns(text)
    heads = _tree_heads(columns[HEAD]) if columns else None
    if not columns or (heads is None and not _is_blind(columns)):
        raise explain(text, block.line + len(comments)).at(sentence=_sentence_id(block.content))
    return Sentence(
        comments,
        columns,
        heads,
        other_lines,
        block.line_break,
        block.blank_lines,
        block.line,
    )


_COMMENTS = re.compile(r"(?:#[^\n]*(?:\n|\Z))+")


def _columns(text: str) -> tuple[_Columns, _OtherLines]:
    """The columns of the words, and the lines that are not words; nothing if a line is bad.

    Every line break begins a field, so the ids \\n1, \\n2, ... at each tenth place, as many as
    there are lines, say at once that each line has ten columns and the ids are in sequence.
    """
    fields = text.replace("\n", "\t\n").split("\t")
    fields[0] = "\n" + fields[0]
    size, rest = divmod(len(fields), WIDTH)
    if rest or text.count("\n") != size - 1 or "" in fields or "\r" in text:
        return (), ()
    other_lines: list[tuple[int, str]] = []
    if fields[0::WIDTH] != _NUMBERS.line_starts(size):
        fields, other_lines = _without_other_lines(fields)
        size = len(fields) // WIDTH
        if fields[0::WIDTH] != _NUMBERS.line_starts(size) or other_lines_fault(other_lines, size):
            return (), ()
    flat = tuple(fields)
    columns = (_NUMBERS.written(size), *[flat[place::WIDTH] for place in range(1, WIDTH)])
    return columns, tuple(other_lines)


def _without_other_lines(fields: list[str]) -> tuple[list[str], list[tuple[int, str]]]:
    places = [
        place
        for place, start in enumerate(fields[0::WIDTH])
        if start.startswith("\n") and OTHER_ID.match(start, 1)
    ]
    rows = [slice(place * WIDTH, (place + 1) * WIDTH) for place in places]
    other_lines = [
        (place - index, "\t".join(fields[row])[1:])
        for index, (place, row) in enumerate(zip(places, rows, strict=True))
    ]
    words = list(fields)
    for row in reversed(rows):
        del words[row]
    return words, other_lines


_Columns = tuple[tuple[str, ...], ...]
_OtherLines = tuple[tuple[int, str], ...]


def _is_blind(columns: _Columns) -> bool:
    return columns[HEAD] == columns[DEPREL] == ("_",) * len(columns[HEAD])


def _tree_heads(written: tuple[str, ...]) -> tuple[int, ...] | None:
    """The heads, or nothing if they are not those of a tree."""
    values = _NUMBERS.values(len(written))
    try:
        heads = tuple(map(values.__getitem__, written))
    except KeyError:
        return None
    if max(heads) > len(heads) or heads.count(0) != 1 or find_cycle(heads):
        return None
    return heads


class _Numbers:
    """The numbers 0, 1, ... as they are written, so that reading one is a look-up."""

    def __init__(self) -> None:
        self._values = {"0": 0}
        self._written: tuple[str, ...] = ()
        self._line_starts: list[str] = []

    def values(self, size: int) -> dict[str, int]:
        """From what is written to the number, for 0 to ``size`` at least."""
        self._grow(size)
        return self._values

    def written(self, size: int) -> tuple[str, ...]:
        """The ids of ``size`` words."""
        self._grow(size)
        return self._written[:size]

    def line_starts(self, size: int) -> list[str]:
        """The ids of ``size`` words, each with the line break before it."""
        self._grow(size)
        return self._line_starts[:size]

    def _grow(self, size: int) -> None:
        if size > len(self._written):
            self._written = tuple(map(str, range(1, 2 * size + 1)))
            self._line_starts = ["\n" + written for written in self._written]
            self._values = {text: number for number, text in enumerate(("0", *self._written))}


_NUMBERS = _Numbers()


def _sentence_id(content: bytes) -> str | None:
    match = re.search(rb"^#[ \t]*sent_id[ \t]*=[ \t]*([^\r\n]*)", content, re.MULTILINE)
    return match[1].decode("utf-8", "replace").strip() or None if match else None
