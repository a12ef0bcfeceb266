r"""Segments: where the sentences, tokens and words of a text stand, to the character.

A *token* is a stretch of the text; a multiword token stands for several syntactic words
(*don't* → *do* *n't*). A sentence is a sequence of tokens that do not overlap. What lies
between two tokens is white space, so text and offsets together lose nothing, and neither does
the CoNLL-U that is made of them: every token says in MISC where it stands
(``TokenRange=3:7``, counted in characters of the text from 0 on, the end not included) and
what follows it, unless that is one space: ``SpaceAfter=No`` for nothing, or else
``SpacesAfter=`` and the white space, escaped as UDPipe does (``\s`` space, ``\t``, ``\n``,
``\r``, ``\p`` for ``|``, ``\\``, and ``\u{…}`` for any other). White space before the first
token of a text stands in ``SpacesBefore``.

A form cannot hold everything that a text can: white space inside a token becomes a space, a
lone surrogate U+FFFD. The offsets still point at the original.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from arctree.errors import DataError
from arctree.sentence import FORM, ID, MISC, WIDTH, Sentence


class Token(NamedTuple):
    """The characters [start, end) of a text; ``words`` if they are not one word as it stands."""

    start: int
    end: int
    words: tuple[str, ...] = ()


def to_sentence(
    text: str, tokens: Sequence[Token], *, begin: int, end: int, comments: Sequence[str] = ()
) -> Sentence:
    """The blind sentence of these tokens, which are all that text[begin:end] holds.

    White space before the first token is told only where ``begin`` is before it: give the
    beginning of the text for its first sentence, that of the first token for others.
    """
    if not tokens:
        raise DataError("a sentence without tokens", "leave it out")
    forms: list[str] = []
    miscs: list[str] = []
    others: list[tuple[int, str]] = []
    shown: list[str] = []
    is_clean = _UNFIT.search(text, begin, end) is None
    before = text[begin : tokens[0].start]
    nexts = [token.start for token in tokens[1:]] + [end]
    for (start, stop, words), following in zip(tokens, nexts, strict=True):
        surface = text[start:stop] if is_clean else clean(text[start:stop])
        misc = f"{_space_marks(text[stop:following], before)}TokenRange={start}:{stop}"
        before = ""
        if len(words) > 1:
            first = len(forms) + 1
            line = [f"{first}-{first + len(words) - 1}", surface, *"_" * (WIDTH - 3), misc]
            others.append((len(forms), "\t".join(line)))
            forms += map(clean, words)
            miscs += ["_"] * len(words)
        else:
            forms.append(clean(words[0]) if words else surface)
            miscs.append(misc)
        shown.append(surface if stop == following else surface + " ")
    size = len(forms)
    columns: list[tuple[str, ...]] = [("_",) * size] * WIDTH
    columns[ID] = tuple(map(str, range(1, size + 1)))
    columns[FORM] = tuple(forms)
    columns[MISC] = tuple(miscs)
    text_comment = "# text = " + "".join(shown).rstrip()
    return Sentence((*comments, text_comment), tuple(columns), None, tuple(others))


def token_ranges(sentence: Sentence) -> list[tuple[int, int] | None]:
    """For each word of a sentence the range of its token, if MISC tells it."""
    ranges = [_range_in(misc) for misc in sentence.misc]
    for first, last, columns in sentence.multiword_tokens:
        ranges[first - 1 : last] = [_range_in(columns[MISC])] * (last - first + 1)
    return ranges


def clean(form: str) -> str:
    """The form as a column of CoNLL-U can hold it."""
    return _UNFIT.sub(lambda found: " " if found.group().isspace() else "\ufffd", form)


def _space_marks(gap: str, before: str) -> str:
    """What MISC says of the white space after a token and before it, if anything."""
    if gap == " " and not before:
        return ""
    marks = "SpaceAfter=No|" if not gap else ""
    if gap and gap != " ":
        marks = f"SpacesAfter={_escaped(gap)}|"
    return f"{marks}SpacesBefore={_escaped(before)}|" if before else marks


def _escaped(space: str) -> str:
    return "".join(_ESCAPES.get(character) or f"\\u{{{ord(character):x}}}" for character in space)


def _range_in(misc: str) -> tuple[int, int] | None:
    found = _RANGE.search(misc)
    return (int(found.group(1)), int(found.group(2))) if found else None


_UNFIT = re.compile(r"[\ud800-\udfff]|[^\S ]")
_RANGE = re.compile(r"(?:^|\|)TokenRange=(\d+):(\d+)(?:\||$)")
_ESCAPES = {" ": r"\s", "\t": r"\t", "\n": r"\n", "\r": r"\r", "|": r"\p", "\\": r"\\"}
