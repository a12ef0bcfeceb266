"""What is wrong with a sentence of CoNLL-U, said line by line.

A sentence has ten columns in every line, ids in sequence, no empty column, and heads that form a
tree with one root. Multiword tokens (7-8) stand before their first word, empty nodes (7.1) after
the word whose number they bear.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from arctree.dependency import check_heads, find_cycle
from arctree.errors import DataError
from arctree.sentence import COLUMNS, HEAD, ID, WIDTH

OTHER_ID = re.compile(r"[0-9]+[-.]")  # of a line that is not a word


def explain(text: str, first_line: int) -> DataError:
    """Walk through the lines of a bad sentence and say what is wrong with the first bad one."""
    if not text:
        return DataError("a sentence without words", "remove it", line=first_line)
    words: list[list[str]] = []
    word_lines: list[int] = []
    other_lines: list[tuple[int, str]] = []
    for line, row in enumerate(text.split("\n"), start=first_line):
        columns = row.split("\t")
        if row.startswith("#") and len(columns) == 1:
            return DataError(
                "a comment inside the sentence", "move it before the first word", line=line
            )
        if len(columns) != WIDTH or "" in columns or row.startswith("\ufeff") or "\r" in row:
            return DataError(*_columns_fault(row), line=line)
        if OTHER_ID.match(row):
            other_lines.append((len(words), row))
            continue
        if columns[ID] != str(len(words) + 1):
            return DataError(
                f"the id {columns[ID]!r} is out of sequence",
                f"here comes word {len(words) + 1}",
                line=line,
            )
        words.append(columns)
        word_lines.append(line)
    if not words:
        return DataError("a sentence without words", "remove it", line=first_line)
    fault = other_lines_fault(other_lines, len(words))
    if fault is not None:
        place, said, remedy = fault
        before = other_lines[place][0]
        return DataError(said, remedy, line=first_line + before + place)
    return _explain_heads(words, word_lines)


def _columns_fault(row: str) -> tuple[str, str]:
    columns = row.split("\t")
    if not row.strip():
        return "a line of nothing but white space", "a sentence is closed by an empty line"
    if "\r" in row:
        return "a carriage return inside the line", "end lines in LF or in CR LF throughout"
    if row.startswith("\ufeff"):
        return "a byte order mark", "remove it: save the file as UTF-8 without BOM"
    if len(columns) != WIDTH:
        remedy = "columns are separated by single tabs"
        count = "1 column" if len(columns) == 1 else f"{len(columns)} columns"
        if len(columns) == 1 and len(row.split()) == WIDTH:
            remedy += ", not by spaces"
        return f"{count} instead of {WIDTH}", remedy
    return f"the column {COLUMNS[columns.index('')]} is empty", "write _ where there is no value"


def _explain_heads(words: list[list[str]], lines: list[int]) -> DataError:
    heads = []
    for columns, line in zip(words, lines, strict=True):
        written = columns[HEAD]
        remedy = f"write 0 for the root or the head's id, up to {len(words)}"
        said = f"the head of word {columns[ID]} is {written!r}"
        if not re.fullmatch(r"-?[0-9]+", written):
            return DataError(f"{said}, which is no number", remedy, line=line)
        if not re.fullmatch(r"0|[1-9][0-9]*", written):
            return DataError(f"{said}, which is no id of a word", remedy, line=line)
        if len(written) > 9 or int(written) > len(words):
            return DataError(f"{said}, but the last word is {len(words)}", remedy, line=line)
        heads.append(int(written))
    try:
        check_heads(heads)
    except DataError as error:
        roots = [place for place, head in enumerate(heads) if head == 0]
        where = roots[1] if len(roots) > 1 else find_cycle(heads)[0] - 1
        return error.at(line=lines[where])
    # Every test that the reader makes has its counterpart above; fuzzing holds them equal.
    raise AssertionError("a sound sentence was not recognised")


def other_lines_fault(
    other_lines: Sequence[tuple[int, str]], size: int
) -> tuple[int, str, str] | None:
    """The place, fault and remedy of the first bad multiword token or empty node."""
    covered = 0
    last_empty = (-1, 0)
    for place, (before, row) in enumerate(other_lines):
        columns = row.split("\t")
        identifier = columns[ID]
        if len(columns) != WIDTH or "" in columns:
            return place, *_columns_fault(row)
        if multiword := _MULTIWORD.fullmatch(identifier):
            first, last = map(int, multiword.groups())
            if first != before + 1 or first <= covered or not first <= last <= size:
                return (
                    place,
                    f"the multiword token {identifier} does not fit here",
                    f"it stands before its first word, here {before + 1}, ends at one of the "
                    f"{size} words, and overlaps no other",
                )
            covered = last
        elif empty := _EMPTY_NODE.fullmatch(identifier):
            node = (int(empty[1]), int(empty[2]))
            expected = (before, last_empty[1] + 1 if last_empty[0] == before else 1)
            if node != expected:
                return (
                    place,
                    f"the empty node {identifier} is out of sequence",
                    f"here comes {expected[0]}.{expected[1]}",
                )
            last_empty = node
        else:
            return (
                place,
                f"the id {identifier!r} is no id",
                "ids read 7 for a word, 7-8 for a multiword token, 7.1 for an empty node",
            )
    return None


_MULTIWORD = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})")
_EMPTY_NODE = re.compile(r"(0|[1-9][0-9]{0,8})\.([1-9][0-9]{0,8})")
