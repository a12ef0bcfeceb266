"""Reading what a request asks for: strictly, and with an answer that names what is wrong.

A request is one JSON object. A key that nobody reads is named, for it is more often misspelt than
superfluous. Trees come as CoNLL-U, as brackets, or as lists of words and heads; all of them become
sentences of CoNLL-U, and an error names the line of what was sent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, takewhile
from typing import Any

from arctree import conllu
from arctree.brackets import read_text
from arctree.dependency import ROOT, UNLABELED_ARC, DependencyTree
from arctree.errors import DataError
from arctree.labels import parse_label
from arctree.lifting import unlift
from arctree.sentence import Sentence, from_tree

# What one request may hold: bytes; characters of text to parse; sentences, and words.
MOST_BYTES = 1_000_000
MOST_CHARACTERS = 50_000
MOST_SENTENCES = 200
MOST_WORDS_OF_A_SENTENCE = 500
MOST_WORDS = 10_000

TREE_KEYS = ("conllu", "brackets", "words", "heads", "labels", "tags")

Form = Mapping[str, Any]


class RequestError(DataError):
    """The request is not what it should be, whatever its trees are."""


class TooLargeError(DataError):
    """More is asked for than one request may hold."""


def read_form(body: bytes, known: Collection[str]) -> Form:
    """The JSON object that a request's body holds, with no other keys than those known."""
    if len(body) > MOST_BYTES:
        raise too_many("bytes", MOST_BYTES)
    try:
        form = json.loads(body, parse_constant=_no_number, object_pairs_hook=_object)
    except RequestError:
        raise
    except (ValueError, RecursionError) as error:
        said = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise RequestError(f"the request is not JSON: {said}", "send one JSON object") from None
    if not isinstance(form, dict):
        raise RequestError("the request is no JSON object", 'send one, {"text": "…"} say')
    for key in form:
        if key not in known:
            raise RequestError(f"unknown key {key!r}", f"known are {', '.join(known)}")
    return form


def sentences_of(form: Form) -> list[Sentence]:
    """The sentences whose trees a form holds, in whichever way, within the limits."""
    given = [key for key in ("conllu", "brackets", "words") if key in form]
    if len(given) != 1:
        found = " and ".join(map(repr, given)) or "none of them"
        raise RequestError(
            f"one of 'conllu', 'brackets' and 'words' is needed, but there is {found}",
            "send the trees in one way",
        )
    if given != ["words"] and (stray := [key for key in TREE_KEYS[3:] if key in form]):
        raise RequestError(f"{stray[0]!r} goes with 'words'", f"leave it out beside {given[0]!r}")
    readers = {
        "conllu": lambda: _columned(text(form, "conllu")),
        "brackets": lambda: _bracketed(text(form, "brackets")),
        "words": lambda: iter([_listed(form)]),
    }
    sentences = list(within_limits(readers[given[0]]()))
    if not sentences:
        raise DataError("no sentence in what was sent", "send at least one")
    return sentences


def one_sentence_of(form: Form) -> Sentence:
    """The one sentence that a form holds."""
    sentences = sentences_of(form)
    if len(sentences) > 1:
        raise RequestError(
            f"{len(sentences)} sentences, where one is asked for", "send them one by one"
        )
    return sentences[0]


def within_limits(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """The sentences, none too long and not too many."""
    words = 0
    for number, sentence in enumerate(sentences, start=1):
        if number > MOST_SENTENCES:
            raise too_many("sentences", MOST_SENTENCES)
        if len(sentence) > MOST_WORDS_OF_A_SENTENCE:
            raise too_many("words in a sentence", MOST_WORDS_OF_A_SENTENCE, len(sentence)).at(
                line=sentence.line, sentence=sentence.id or str(number)
            )
        words += len(sentence)
        if words > MOST_WORDS:
            raise too_many("words", MOST_WORDS)
        yield sentence


def too_many(what: str, most: int, found: int | None = None) -> TooLargeError:
    """What to say where a limit is passed."""
    count = f"{found:,} {what}" if found else f"more than {most:,} {what}"
    return TooLargeError(count, f"the explorer takes {most:,} at most; send less at once")


def text(form: Form, key: str, default: str | None = None) -> str:
    """The text under a key."""
    found = form.get(key, default)
    if not isinstance(found, str):
        raise RequestError(f"{key!r} is missing or no text", "send a text")
    return _of_characters(found, key)


def choice(form: Form, key: str, choices: Sequence[str], default: str | None = None) -> str:
    """The text under a key, which is one of a few."""
    found = text(form, key, default)
    if found not in choices:
        raise RequestError(f"{key!r} is {found!r}", f"it is one of {', '.join(choices)}")
    return found


def texts(form: Form, key: str) -> list[str]:
    """The list of texts under a key."""
    found = form.get(key)
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise RequestError(f"{key!r} is missing or no list of texts", "send a list of texts")
    return [_of_characters(item, key) for item in found]


def words_of(form: Form) -> list[str]:
    """The words of one sentence, within the limits."""
    words = texts(form, "words")
    if len(words) > MOST_WORDS_OF_A_SENTENCE:
        raise too_many("words in a sentence", MOST_WORDS_OF_A_SENTENCE, len(words))
    if not words:
        raise DataError("a sentence without words", "send at least one word")
    return words


def _listed(form: Form) -> Sentence:
    """The sentence of lists of words, heads, and perhaps labels and tags."""
    words = words_of(form)
    heads = form.get("heads")
    if not isinstance(heads, list) or not all(type(head) is int for head in heads):
        raise RequestError(
            "'heads' is missing or no list of whole numbers", "send a head for each word; 0 is root"
        )
    labels = [UNLABELED_ARC if head else ROOT for head in heads]
    if "labels" in form:
        labels = texts(form, "labels")
    tags = texts(form, "tags") if "tags" in form else []
    read = tuple(map(parse_label, labels))
    return from_tree(unlift(DependencyTree(tuple(words), tuple(heads), read, tuple(tags))))


def _columned(pasted: str) -> Iterator[Sentence]:
    """The sentences of CoNLL-U; what gets lost or added at the ends of a paste does not matter."""
    lines = pasted.removeprefix("\ufeff").split("\n")
    before = sum(1 for _ in takewhile(lambda line: not line.strip(), lines))
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        return
    line_break = "\r\n" if lines[-2:-1] and lines[-2].endswith("\r") else "\n"
    content = "\n".join(lines[before:]).removesuffix("\r") + 2 * line_break
    try:
        for sentence in conllu.read_text(content):
            yield replace(sentence, line=sentence.line + before)
    except DataError as error:
        error.line = error.line and error.line + before
        raise


def _bracketed(brackets: str) -> Iterator[Sentence]:
    """The sentences of bracketed trees, the lifts undone that their labels tell of."""
    for tree in read_text(brackets):
        if isinstance(tree, DataError):
            raise tree
        try:
            sentence = from_tree(unlift(tree.parse().to_dependency()))
        except DataError as error:
            # Whoever reads this is not at the command line.
            command = "the command arctree recover --repair"
            error.remedy = error.remedy.replace("recover --repair", command)
            raise error.at(line=tree.line) from None
        yield replace(sentence, line=tree.line)


def _of_characters(found: str, key: str) -> str:
    if _SURROGATE.search(found):
        raise RequestError(f"{key!r} holds half a character", "send valid Unicode")
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    form = dict(pairs)
    if len(form) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for place, name in enumerate(names) if name in islice(names, place))
        raise RequestError(f"the key {twice!r} is there twice", "send it once")
    return form


def _no_number(constant: str) -> None:
    raise RequestError(f"{constant} is no number of JSON", "leave it out")


_SURROGATE = re.compile("[\ud800-\udfff]")
