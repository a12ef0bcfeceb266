"""Passages: a text of any length in pieces that can be segmented on their own, one by one.

A passage ends where a paragraph ends, at the first one after so many characters; paragraph
breaks end sentences, so nothing is lost by the cut. Only a paragraph of more than a quarter of a
million characters is cut inside: at the end of a line that ends like a sentence, or else after
what looks like the end of a sentence, at the end of a line, at white space, or, where there is
none of these, anywhere. Where the cuts are depends on the text alone, not on how it arrives. So a
file of any size is read in bounded memory, and many processes that each take a passage find
what one process finds.

:func:`blind_sentences` makes the sentences of a passage, once its tokens are known.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from arctree.files import not_utf_8
from arctree.segments import Token, to_sentence
from arctree.sentence import FORM, MISC, Sentence

SIZE = 1 << 16
MOST = 1 << 18


class Passage(NamedTuple):
    """A piece of a text, and where in it the piece begins, counted in characters."""

    text: str
    start: int = 0
    begins_paragraph: bool = True
    is_last: bool = True


def passages(
    pieces: Iterable[str], *, by_line: bool = False, size: int = SIZE, most: int = MOST
) -> Iterator[Passage]:
    """The passages of a text that comes in pieces; ``by_line``, any line break ends one."""
    held = ""
    start = 0
    begins_paragraph = True
    for piece in pieces:
        held += piece
        while found := _cut(held, by_line=by_line, size=size, most=most):
            place, ends_paragraph = found
            yield Passage(held[:place], start, begins_paragraph, is_last=False)
            held = held[place:]
            start += place
            begins_paragraph = ends_paragraph
    if held:
        yield Passage(held, start, begins_paragraph, is_last=True)


def pieces_of(text: str) -> Iterator[str]:
    """A text that is in memory, piece by piece."""
    return (text[place : place + SIZE] for place in range(0, len(text), SIZE))


def decoded(chunks: Iterable[bytes], file: str) -> Iterator[str]:
    """The text in UTF-8, without its byte order mark; what is not UTF-8 is told by its line."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    line, column = 1, 0  # of the first byte that is not decoded yet
    is_first = True
    for chunk in _and_last(chunks):
        waiting = decoder.getstate()[0]
        whole = waiting + (chunk or b"")
        try:
            text = decoder.decode(chunk or b"", final=chunk is None)
        except UnicodeDecodeError as error:
            before = whole[: error.start]
            line += before.count(b"\n")
            column = len(before) - before.rfind(b"\n") - 1 + (b"\n" not in before) * column
            raise not_utf_8(whole[error.start], column + 1).at(file=file, line=line) from error
        done = whole[: len(whole) - len(decoder.getstate()[0])]
        line += done.count(b"\n")
        column = len(done) - done.rfind(b"\n") - 1 + (b"\n" not in done) * column
        if text and is_first:
            text, is_first = text.removeprefix("\ufeff"), False
        if text:
            yield text


def blind_sentences(
    passage: Passage,
    segmented: Iterable[Sequence[Token]],
    identify: Callable[[], str],
    heading: Sequence[str] = (),
) -> Iterator[Sentence]:
    """The sentences of a passage, without trees, as a CoNLL-U file has them.

    Each has its ``sent_id``, which ``identify`` gives, its ``text``, and ``newpar`` where a
    paragraph begins; the first one has the ``heading`` too. The last word of the whole text
    does not say ``SpaceAfter=No``: another text may follow in the file.
    """
    text = passage.text
    is_normal = unicodedata.is_normalized("NFC", text)
    comments = [*heading, *["# newpar"] * passage.begins_paragraph]
    begin = 0
    held: Sequence[Token] = ()

    def made(end: int) -> Sentence:
        named = [*comments, f"# sent_id = {identify()}"]
        sentence = to_sentence(text, held, begin=begin, end=end, comments=named)
        sentence = sentence if is_normal else _normalised(sentence)
        return _moved(sentence, passage.start) if passage.start else sentence

    for tokens in segmented:
        if not tokens:
            continue
        if held:
            yield made(tokens[0].start)
            gap = text[held[-1].end : tokens[0].start]
            comments = ["# newpar"] if is_paragraph_break(gap) else []
            begin = tokens[0].start
        held = tokens
    if held:
        last = made(len(text))
        yield with_open_end(last) if passage.is_last else last


def is_paragraph_break(space: str) -> bool:
    """Whether white space holds an empty line."""
    return _EMPTY_LINE.search(space) is not None


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a text, each with the place where it begins."""
    start = 0
    for line in text.split("\n"):
        yield start, line
        start += len(line) + 1


def with_open_end(sentence: Sentence) -> Sentence:
    """The sentence without a word on what follows its last token, if that is nothing."""
    if sentence.other_lines:
        before, line = sentence.other_lines[-1]
        _, dash, last = line.partition("\t")[0].partition("-")
        if dash and int(last) == len(sentence):
            head, _, misc = line.rpartition("\t")
            changed = (before, f"{head}\t{_without_space_mark(misc)}")
            return replace(sentence, other_lines=(*sentence.other_lines[:-1], changed))
    *earlier, last_misc = sentence.misc
    return _with_column(sentence, MISC, (*earlier, _without_space_mark(last_misc)))


def _without_space_mark(misc: str) -> str:
    return "|".join(item for item in misc.split("|") if item != "SpaceAfter=No") or "_"


def _moved(sentence: Sentence, by: int) -> Sentence:
    """The sentence of a passage, told by its place in the whole text."""

    def moved(misc: str) -> str:
        return _RANGE.sub(lambda f: f"TokenRange={int(f[1]) + by}:{int(f[2]) + by}", misc)

    others = tuple((before, moved(line)) for before, line in sentence.other_lines)
    sentence = replace(sentence, other_lines=others)
    return _with_column(sentence, MISC, tuple(map(moved, sentence.misc)))


_RANGE = re.compile(r"(?<![^\t|])TokenRange=(\d+):(\d+)(?![^|])")


def _normalised(sentence: Sentence) -> Sentence:
    """In normal form C, as UD wants it; the offsets still point at the original."""

    def normal(text: str) -> str:
        return unicodedata.normalize("NFC", text)

    others = tuple((before, normal(line)) for before, line in sentence.other_lines)
    comments = tuple(map(normal, sentence.comments))
    sentence = replace(sentence, comments=comments, other_lines=others)
    return _with_column(sentence, FORM, tuple(map(normal, sentence.forms)))


def _with_column(sentence: Sentence, place: int, column: tuple[str, ...]) -> Sentence:
    columns = (*sentence.columns[:place], column, *sentence.columns[place + 1 :])
    return replace(sentence, columns=columns)


def _cut(text: str, *, by_line: bool, size: int, most: int) -> tuple[int, bool] | None:
    """Where the next passage begins, and whether a paragraph does; nothing if it is not known."""
    found = (_LINE_BREAK if by_line else _EMPTY_LINE).search(text, size, most)
    if found:
        space = _SPACE.match(text, found.start(), most)
        assert space is not None
        if space.end() < len(text):  # or else more white space may follow
            return space.end(), is_paragraph_break(space.group())
    return (_cut_inside(text, most), False) if len(text) > most else None


def _cut_inside(text: str, most: int) -> int:
    """The best place to cut a paragraph without end, and of equally good ones the last."""
    best = (0, most)
    for space in _SPACE.finditer(text, most // 2, most):
        near = max(0, space.start() - 8)
        ends_sentence = _SENTENCE_END.search(text, near, space.start()) is not None
        best = max(best, (1 + 2 * ends_sentence + ("\n" in space.group()), space.end()))
    return best[1]


_SPACE = re.compile(r"\s+")
_LINE_BREAK = re.compile(r"\n")
# As a segmenter sees it (arctree.parsing.characters, which needs numpy).
_LINE_BREAKS = "\n\r\v\f\x85\u2028\u2029"
_EMPTY_LINE = re.compile(rf"(?>\r\n|[{_LINE_BREAKS}])[^\S{_LINE_BREAKS}]*+[{_LINE_BREAKS}]")
_SENTENCE_END = re.compile(r"[.!?…。！？؟।][\"'”’»)\]]*\Z")


def _and_last(chunks: Iterable[bytes]) -> Iterator[bytes | None]:
    yield from chunks
    yield None
