"""Harder text: what people write, and treebanks seldom have.

A paragraph that a segmenter learns from is varied now and then, and its labels with it: it is
set in capitals, in small letters or in those of another script, with quotes as in print or
with spaces doubled; its lines are wrapped; a final stop goes missing; an emoji is put behind a
word, or an address in place of one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import NamedTuple

import numpy as np

from arctree.parsing.segmentation import CONTINUES, MULTIWORD, SENTENCE, TOKEN, Labels


class Labelled(NamedTuple):
    """A text and the labels of its characters (:mod:`arctree.parsing.segmentation`)."""

    text: str
    labels: Labels


def varied(paragraph: Labelled, source: Random) -> Labelled:
    """The paragraph in another form."""
    return source.choice(_VARIATIONS)(paragraph, source)


def in_capitals(paragraph: Labelled, source: Random) -> Labelled:
    """All letters that have a capital in it."""
    return paragraph._replace(text=_each(str.upper, paragraph.text))


def in_small_letters(paragraph: Labelled, source: Random) -> Labelled:
    """No capitals."""
    return paragraph._replace(text=_each(str.lower, paragraph.text))


def in_foreign_letters(paragraph: Labelled, source: Random) -> Labelled:
    """Letters of a script without capitals, in which no token is known to stand for words."""
    letters = {
        ord(character): chr(_FOREIGN + ord(character) % _FOREIGN_COUNT)
        for character in set(paragraph.text)
        if character.isalpha()
    }
    labels = paragraph.labels.copy()
    labels[(labels & MULTIWORD) > 0] ^= TOKEN | MULTIWORD
    return Labelled(paragraph.text.translate(letters), labels)


def in_print(paragraph: Labelled, source: Random) -> Labelled:
    """Quotation marks and apostrophes as printers set them."""
    text = _OPENING.sub(lambda mark: _PRINTED[mark.group()][0], paragraph.text)
    return paragraph._replace(text=_CLOSING.sub(lambda mark: _PRINTED[mark.group()][1], text))


def in_wrapped_lines(paragraph: Labelled, source: Random) -> Labelled:
    """A line break in place of the last space before each margin."""
    width = source.randint(30, 90)
    characters = list(paragraph.text)
    start = 0
    while (place := paragraph.text.rfind(" ", start + 1, start + width)) > 0:
        characters[place] = "\n"
        start = place
    return paragraph._replace(text="".join(characters))


def in_wide_spaces(paragraph: Labelled, source: Random) -> Labelled:
    """Two spaces in place of each."""
    places = [place for place, character in enumerate(paragraph.text) if character == " "]
    for place in reversed(places):
        paragraph = _spliced(paragraph, place, place, " ", CONTINUES)
    return paragraph


def without_stop(paragraph: Labelled, source: Random) -> Labelled:
    """One sentence, most often the last, without the stop that is its last token."""
    ends = np.flatnonzero(paragraph.labels & SENTENCE).tolist()
    place = ends[-1] if source.random() < 0.7 else source.choice(ends)
    before = place - 1
    if paragraph.text[place] not in _STOPS or before < 0 or not paragraph.labels[before]:
        return paragraph
    found = _spliced(paragraph, place, place + 1, "", CONTINUES)
    found.labels[before] |= SENTENCE
    return found


def with_emoji(paragraph: Labelled, source: Random) -> Labelled:
    """An emoji behind a token, with or without a space between them."""
    wanted = SENTENCE if source.random() < 0.7 else SENTENCE | TOKEN | MULTIWORD
    places = np.flatnonzero(paragraph.labels & wanted).tolist()
    place = source.choice(places)
    label = int(paragraph.labels[place])
    emoji = source.choice(_EMOJI)
    found = _spliced(paragraph, place + 1, place + 1, emoji, TOKEN | label & SENTENCE)
    found.labels[place] = label & ~SENTENCE
    return _spliced(found, place + 1, place + 1, " ", CONTINUES) if source.random() < 0.5 else found


def with_address(paragraph: Labelled, source: Random) -> Labelled:
    """Something for machines in place of a word between spaces."""
    text, labels = paragraph
    ends = np.flatnonzero(labels).tolist()
    starts = [0, *(end + 1 for end in ends)]
    words = [
        (end - len(text[start : end + 1].strip()) + 1, end + 1)
        for start, end in zip(starts, ends, strict=False)
        if labels[end] == TOKEN and text[start : end + 1].strip().isalpha()
    ]
    if not words:
        return paragraph
    start, end = source.choice(words)
    return _spliced(paragraph, start, end, _address(source), TOKEN)


# A wrapped text is the most frequent of these outside of treebanks.
_VARIATIONS: tuple[Callable[[Labelled, Random], Labelled], ...] = (
    *(in_capitals, in_small_letters, in_foreign_letters, in_print),
    *(
        in_wrapped_lines,
        in_wrapped_lines,
        in_wide_spaces,
        without_stop,
        with_emoji,
        with_address,
        with_address,
    ),
)
_PRINTED = {"'": "‘’", '"': "“”"}
_OPENING, _CLOSING = re.compile(r"(?<!\S)['\"](?=\S)"), re.compile(r"['\"]")
_STOPS = ".!?…。！？।؟۔"
_EMOJI = (
    *("😀", "😂", "❤️", "👍", "👍🏽", "🎉", "😢😢", "👩‍👧", "🇧🇷", "🔥🔥🔥", "✅", "🤷‍♀️"),
    *(":)", ":-)", ":(", ";-)", ":D", "<3"),
)
# Hebrew, since no treebank that is not Hebrew has learnt it.
_FOREIGN, _FOREIGN_COUNT = ord("א"), 27
_SYLLABLES = [
    "ba",
    "co",
    "du",
    "fe",
    "gi",
    "lo",
    "ma",
    "net",
    "or",
    "pu",
    "ra",
    "si",
    "tek",
    "un",
    "vo",
    "web",
    "xi",
    "yo",
    "zen",
]
_DOMAINS = ["com", "org", "net", "edu", "de", "co.uk", "com.br", "info", "gov", "io", "hu", "vn"]


def _address(source: Random) -> str:
    def name() -> str:
        found = "".join(source.choices(_SYLLABLES, k=source.randint(1, 4)))
        found += str(source.randint(1, 2099)) if source.random() < 0.2 else ""
        return found.title() if source.random() < 0.2 else found

    domain = f"{name()}.{source.choice(_DOMAINS)}"
    kind = source.randrange(6)
    if kind == 0:
        return f"{name()}{source.choice(['.', '_', '-', '', '...'])}{name()}@{domain}"
    if kind == 1:
        return f"www.{domain}"
    if kind == 2:
        return domain
    if kind == 3:
        return f"{source.choice('#@')}{name()}{name()}"
    parts = [name() for _ in range(source.randint(0, 4))]
    path = source.choice(["/", "/", "-", "_"]).join(parts)
    end = source.choice(["", "", "/", ".html", ".htm", f"?{name()}={name()}", f"#{name()}"])
    return f"{source.choice(['http', 'https'])}://{source.choice(['', 'www.'])}{domain}/{path}{end}"


def _each(change: Callable[[str], str], text: str) -> str:
    """The text with each character changed, but for those that would become several."""
    changed = change(text)
    if len(changed) == len(text):
        return changed
    return "".join(
        found if len(found := change(character)) == 1 else character for character in text
    )


def _spliced(paragraph: Labelled, start: int, end: int, text: str, label: int) -> Labelled:
    """With other characters in a place, the last of which has this label."""
    between = np.full(len(text), CONTINUES, np.uint8)
    between[-1:] = label
    old, labels = paragraph
    return Labelled(
        old[:start] + text + old[end:], np.concatenate((labels[:start], between, labels[end:]))
    )
