r"""Raw text: the text that a treebank was made of, and where its tokens stand in it.

Inside a sentence the ``# text`` comment is the truth, where the tokens are found in it one
after the other with nothing but white space between them; otherwise the forms and SpaceAfter
are. Between two sentences stands what MISC says of the last token: nothing for
``SpaceAfter=No``, the white space of ``SpacesAfter=``, or a space. Paragraphs, which
``# newpar`` and ``# newdoc`` begin, are separated by a blank line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from arctree.segments import Token
from arctree.sentence import FORM, MISC, Sentence

PARAGRAPH_BREAK = "\n\n"


class RawText(NamedTuple):
    """A text, and its sentences as tokens."""

    text: str
    sentences: tuple[tuple[Token, ...], ...]


def raw_text(paragraphs: Iterable[Sequence[Sentence]]) -> RawText:
    """The text of these paragraphs."""
    pieces: list[str] = []
    found: list[tuple[Token, ...]] = []
    length = 0
    gap = ""
    for paragraph in paragraphs:
        for sentence in paragraph:
            text, tokens, after = sentence_text(sentence)
            begin = length + len(gap)
            found.append(
                tuple(Token(begin + start, begin + end, words) for start, end, words in tokens)
            )
            pieces += [gap, text]
            length = begin + len(text)
            gap = after
        gap = PARAGRAPH_BREAK if pieces else ""
    return RawText("".join(pieces), tuple(found))


def in_paragraphs(sentences: Iterable[Sentence]) -> list[list[Sentence]]:
    """The sentences by paragraphs; one paragraph where nothing tells where another begins."""
    found: list[list[Sentence]] = []
    for sentence in sentences:
        if not found or any(map(_NEW_PARAGRAPH.match, sentence.comments)):
            found.append([])
        found[-1].append(sentence)
    return found


def sentence_text(sentence: Sentence) -> tuple[str, list[Token], str]:
    """The text of a sentence, its tokens, and the white space after it."""
    tokens = surface_tokens(sentence)
    gaps = [_space_after(misc) for _, _, misc in tokens]
    text = sentence.text
    places = text is not None and _places([form for form, _, _ in tokens], text)
    if text is not None and places:
        starts = places
    else:
        starts, pieces, length = [], [], 0
        for (form, _, _), gap in zip(tokens, gaps, strict=True):
            starts.append(length)
            pieces += [form, gap]
            length += len(form) + len(gap)
        text = "".join(pieces[:-1])
    found = [
        Token(start, start + len(form), words)
        for start, (form, words, _) in zip(starts, tokens, strict=True)
    ]
    return text, found, gaps[-1]


def surface_tokens(sentence: Sentence) -> list[tuple[str, tuple[str, ...], str]]:
    """Form, words (of a multiword token only) and MISC of each token."""
    ranges = {first: (last, columns) for first, last, columns in sentence.multiword_tokens}
    found: list[tuple[str, tuple[str, ...], str]] = []
    word, size = 1, len(sentence)
    while word <= size:
        last, columns = ranges.get(word, (word, None))
        if columns is None:
            found.append((sentence.forms[word - 1], (), sentence.misc[word - 1]))
        else:
            words = sentence.forms[word - 1 : last]
            found.append((columns[FORM], words if len(words) > 1 else (), columns[MISC]))
        word = last + 1
    return found


def _places(forms: Sequence[str], text: str) -> list[int]:
    """Where the forms stand in the text, if they are all that is in it."""
    found = []
    place = 0
    for form in forms:
        while text[place : place + 1].isspace() and not text.startswith(form, place):
            place += 1
        if not text.startswith(form, place):
            return []
        found.append(place)
        place += len(form)
    return found if not text[place:].strip() else []


def _space_after(misc: str) -> str:
    for part in misc.split("|"):
        name, _, value = part.partition("=")
        if name == "SpaceAfter" and value == "No":
            return ""
        if name == "SpacesAfter":
            space = _ESCAPE.sub(lambda escape: _ESCAPES.get(escape[1]) or _point(escape[1]), value)
            return space if not space.strip() else " "
    return " "


def _point(escape: str) -> str:
    point = int(escape[2:-1], 16) if escape.startswith("u{") else 0
    return chr(point) if point < 0x110000 else ""


_NEW_PARAGRAPH = re.compile(r"#\s*(newpar|newdoc)(\b|_id)")
_ESCAPE = re.compile(r"\\(u\{[0-9a-f]+\}|.)")
_ESCAPES = {"s": " ", "t": "\t", "n": "\n", "r": "\r", "p": "|", "\\": "\\"}
