"""Word vectors that somebody else has trained: GloVe, word2vec, fastText.

A vector file says a word and its numbers on each line. Two forms are common as text, each of
them perhaps compressed (.gz .bz2 .xz .zst), and one as binary:

    ==============  ===================================================================
    GloVe           ``word number number …`` on every line
    word2vec text   the same after a first line ``words dimensions``; fastText's ``.vec``
    ``name.npy``    the numbers as a matrix; the words in ``name.txt``, one a line, or
                    in ``name.json``, a list
    ==============  ===================================================================

A word may contain spaces, as some in GloVe do: the numbers are the last fields of the line. How
many they are the first line says; without ``words dimensions`` its word has no space. The same
word may come again, and then its first vector counts.

Files of several gigabytes begin with the most frequent words, so no more than the first of them
need be read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arctree.errors import CallError, DataError
from arctree.files import display_name, not_utf_8, read_chunks, read_lines

Vectors = tuple[list[str], NDArray[np.float32]]


def read_vectors(path: str, limit: int | None = None) -> Vectors:
    """The words of a file, in its order, and their vectors as the rows of a matrix.

    With ``limit`` no more than the first so many words of the file are looked at.
    """
    return (_read_matrix if Path(path).suffix == ".npy" else _read_text)(path, limit)


def _read_text(path: str, limit: int | None) -> Vectors:
    name = display_name(path)
    lines = read_lines(path)
    first = next(lines, b"")
    header = _HEADER.fullmatch(first)
    if header is None:
        lines = chain([first], lines)
    size = int(header[2]) if header else first.rstrip(_BLANK).count(b" ")
    if not size:
        raise DataError("has no word with numbers", "name a file of vectors", file=name, line=1)
    rows = _Rows(name, size)
    for number, line in enumerate(islice(lines, limit), start=2 if header else 1):
        rows.add(number, line)
    is_whole = limit is None or rows.looked_at < limit
    if header and is_whole and rows.looked_at != int(header[1]):
        raise DataError(
            f"has {rows.looked_at} words, and its first line says {int(header[1])}",
            "it is cut short or the line is wrong; fetch it again",
            file=name,
        )
    return rows.finish()


_HEADER = re.compile(rb"([0-9]{1,9}) ([0-9]{1,9}) ?\r?\n?")
_BLANK = b" \r\n"


class _Rows:
    """Lines as words and numbers; the numbers are parsed many lines at a time.

    Of what numpy and Python offer, ``numpy.loadtxt`` on a list of lines is the fastest by a
    factor of two, and it accepts plain decimal numbers only.
    """

    _TOGETHER = 4096

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self.size = size
        self.looked_at = 0
        self.seen: set[bytes] = set()
        self.words: list[str] = []
        self.numbers = bytearray()  # grows in place: a list of blocks would be held twice
        self.waiting: list[tuple[int, str]] = []

    def add(self, number: int, line: bytes) -> None:
        self.looked_at += 1
        line = line.rstrip(_BLANK)
        spaces = line.count(b" ")
        # As many spaces as numbers: no need to split at every one of them.
        pieces = line.split(b" ", 1) if spaces == self.size else line.rsplit(b" ", self.size)
        word = pieces[0]
        if spaces < self.size or not word:
            fault = f"has {spaces + 1} fields where a word and {self.size} numbers should be"
            raise self._error(number, fault)
        if word in self.seen:
            return
        self.seen.add(word)
        self.words.append(_decode(word, self.name, number))
        self.waiting.append((number, line[len(word) + 1 :].decode("latin-1")))
        if len(self.waiting) == self._TOGETHER:
            self._parse()

    def finish(self) -> Vectors:
        if self.waiting:
            self._parse()
        matrix = np.frombuffer(self.numbers, dtype=np.float32)
        return self.words, matrix.reshape(len(self.words), self.size)

    def _parse(self) -> None:
        try:
            block = _numbers([text for _, text in self.waiting])
        except ValueError as error:
            number = next(number for number, text in self.waiting if not _are_numbers(text))
            raise self._error(number, "has a field after its word that is no number") from error
        is_finite = np.isfinite(block).all(axis=1)
        if not is_finite.all():
            number, _ = self.waiting[int(is_finite.argmin())]
            raise self._error(number, "has a number that is not finite")
        self.numbers += block.tobytes()
        self.waiting.clear()

    def _error(self, number: int, fault: str) -> DataError:
        return DataError(fault, "mend or delete the line", file=self.name, line=number)


def _numbers(lines: list[str]) -> NDArray[np.float32]:
    return np.loadtxt(lines, dtype=np.float32, comments=None, delimiter=" ", ndmin=2)


def _are_numbers(line: str) -> bool:
    try:
        return bool(_numbers([line]).size)
    except ValueError:
        return False


def _read_matrix(path: str, limit: int | None) -> Vectors:
    try:
        # What numpy.load does for a memory map; it never unpickles.
        matrix = np.lib.format.open_memmap(path, mode="r")
    except OSError as error:
        raise CallError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (ValueError, EOFError) as error:
        raise DataError(f"is no matrix of numbers: {error}", file=path) from error
    if matrix.ndim != 2 or not np.issubdtype(matrix.dtype, np.floating):
        fault = f"has shape {matrix.shape} and type {matrix.dtype}"
        raise DataError(fault, "save a row of floating-point numbers for each word", file=path)
    words = list(_word_list(path))
    if len(words) != len(matrix):
        fault = f"has {len(matrix)} rows, and the list beside it has {len(words)} words"
        raise DataError(fault, file=path)
    places: dict[str, int] = {}
    for place, word in enumerate(words[:limit]):
        places.setdefault(word, place)
    with np.errstate(over="ignore"):
        rows = np.array(matrix[list(places.values())], dtype=np.float32)
    is_finite = np.isfinite(rows).all(axis=1)
    if not is_finite.all():
        word = list(places)[int(is_finite.argmin())]
        fault = f"row {places[word] + 1}, of {word!r}, has a number that is not finite"
        raise DataError(fault, file=path)
    return list(places), rows


def _word_list(path: str) -> Iterator[str]:
    text, listing = (Path(path).with_suffix(suffix) for suffix in (".txt", ".json"))
    if text.exists():
        for number, line in enumerate(read_lines(str(text)), start=1):
            yield _decode(line.rstrip(b"\r\n"), str(text), number)
    elif listing.exists():
        content = b"".join(read_chunks(str(listing)))
        try:
            words = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise DataError(f"is no JSON: {error}", file=str(listing)) from error
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise DataError("is no list of words", file=str(listing))
        yield from words
    else:
        raise CallError(f"{path}: has no words beside it: put them into {text.name}, one a line")


def _decode(word: bytes, name: str, number: int) -> str:
    try:
        return word.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf_8(word[error.start], error.start + 1).at(file=name, line=number) from error
