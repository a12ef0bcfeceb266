"""CoNLL-U in and out, without loss.

``write(read(f))`` gives back ``f`` byte for byte for every valid file: comments, multiword
tokens, empty nodes, enhanced dependencies, MISC and line endings are kept. Reading streams;
memory holds a piece of the file, not the file.

Every :class:`Sentence` that reading gives is valid: ten columns in every line, ids in sequence,
no empty column, and heads that form a tree with one root, or no heads at all. Anything else is
a :class:`DataError` that names file, line, sentence, fault and remedy.

How it is fast: a sentence is accepted by a few whole-column tests; only one that fails them
is walked line by line, to say what is wrong with it.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Iterator
from typing import IO, NamedTuple

from arctree.conllu_faults import OTHER_ID, explain, other_lines_fault
from arctree.dependency import find_cycle
from arctree.errors import DataError
from arctree.files import display_name, not_utf_8, open_output, read_chunks
from arctree.sentence import DEPREL, HEAD, WIDTH, Sentence

OnError = Callable[[DataError], None]


def read(path: str, *, on_error: OnError | None = None, blind: bool = False) -> Iterator[Sentence]:
    """The sentences of a file (``-`` is standard input), one after the other.

    A bad sentence raises its :class:`DataError`; with ``on_error``, that is called with the
    error instead, and reading goes on with the next sentence. With ``blind``, HEAD and DEPREL
    are not looked at, whatever they hold, and every sentence comes without them.
    """
    return _sentences(read_chunks(path), display_name(path), on_error, blind=blind)


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


class _Block(NamedTuple):
    """The bytes of one sentence, without the blank lines that close it."""

    content: bytes
    line: int
    blank_lines: int
    line_break: str = "\n"


def _sentences(
    chunks: Iterator[bytes], name: str, on_error: OnError | None, *, blind: bool = False
) -> Iterator[Sentence]:
    for block in _blocks(chunks):
        try:
            if isinstance(block, DataError):
                raise block
            sentence = _parse(block, blind=blind)
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


def _parse(block: _Block, *, blind: bool) -> Sentence:
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
    if columns and blind:
        nothing = ("_",) * len(columns[HEAD])
        columns = (*columns[:HEAD], nothing, nothing, *columns[DEPREL + 1 :])
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
