"""What the explorer's server can be asked: JSON in, JSON out, version 1.

Each question is a function of a request's JSON object; :mod:`arctree.web.server` puts them behind
addresses. Every answer says ``"arctree": 1`` and its kind, an error too. ``docs/explorer-api.md``
tells each one with an example.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from arctree.errors import ArctreeError, DataError
from arctree.json_form import Json, heading
from arctree.lifting import Scheme, lift, unlift
from arctree.transitions import transitions_of
from arctree.web.converting import FORMATS, VIEWS, converted
from arctree.web.exploration import lifting, sentence_exploration, tagged_tree
from arctree.web.models import Models
from arctree.web.reading import (
    TREE_KEYS,
    Form,
    RequestError,
    TooLargeError,
    choice,
    one_sentence_of,
    read_form,
    sentences_of,
    text,
    words_of,
)


class Question(NamedTuple):
    """What can be asked: the keys of the request, the answer, and whether it may take long."""

    keys: tuple[str, ...]
    answer: Callable[[Form, Models], Json]
    is_long: bool = False


def answer(question: Question, body: bytes, models: Models) -> Json:
    """The answer to a request with this body; what is wrong with it is an ArctreeError."""
    return question.answer(read_form(body, question.keys), models)


def error_answer(error: ArctreeError) -> tuple[int, Json]:
    """The status and the JSON of an error: 400 a wrong request, 413 too much, 422 wrong trees."""
    status = 400 if isinstance(error, RequestError) else 422
    if isinstance(error, TooLargeError):
        status = 413
    if isinstance(error, DataError):
        return status, fault(error.fault, error.remedy, error.line, error.sentence)
    return status, fault(str(error))


def fault(
    said: str, remedy: str = "", line: int | None = None, sentence: str | None = None
) -> Json:
    """The JSON of an error."""
    told = {"fault": said, "remedy": remedy, "line": line, "sentence": sentence}
    return {**heading("error"), "error": told}


def _parse(form: Form, models: Models) -> Json:
    """Trees for a text, or for the words of one sentence."""
    model = text(form, "model") if "model" in form else None
    if ("text" in form) == ("words" in form):
        raise RequestError("one of 'text' and 'words' is needed", "send one of them")
    if "text" in form:
        explorations = models.parse_text(text(form, "text"), model)
    else:
        explorations = models.parse_words(words_of(form), model)
    if not explorations:
        raise DataError("no words in the text", "write a sentence")
    return {**heading("explorations"), "explorations": explorations}


def _derive(form: Form, _: Models) -> Json:
    """The derivations of given trees."""
    explorations = [sentence_exploration(sentence) for sentence in sentences_of(form)]
    return {**heading("explorations"), "explorations": explorations}


def _convert(form: Form, _: Models) -> Json:
    """Given trees in another form."""
    to = choice(form, "to", FORMATS)
    view = choice(form, "view", VIEWS, "arcs")
    derived = text(form, "actions") if "actions" in form else None
    content = converted(sentences_of(form), to, view, derived)
    return {**heading("converted"), "to": to, "content": content}


def _lift(form: Form, _: Models) -> Json:
    """A tree made projective, step by step, and what undoing it gives."""
    scheme = Scheme(choice(form, "scheme", [scheme.value for scheme in Scheme], "exact"))
    tree = tagged_tree(one_sentence_of(form))
    comes_back = unlift(lift(tree, scheme)).heads == tree.heads
    return {**heading("lifted"), **lifting(tree, scheme), "comes_back": comes_back}


def _score(form: Form, models: Models) -> Json:
    """A model's probability of each transition along the start of any derivation."""
    model = text(form, "model") if "model" in form else None
    transitions = transitions_of(text(form, "actions"))
    rows = models.score(words_of(form), transitions, model)
    probabilities = [[round(value, 6) for value in row] for row in rows]
    return {**heading("scores"), "probabilities": probabilities}


QUESTIONS = {
    "parse": Question(("text", "words", "model"), _parse, is_long=True),
    "derive": Question(TREE_KEYS, _derive),
    "convert": Question((*TREE_KEYS, "to", "view", "actions"), _convert),
    "lift": Question((*TREE_KEYS, "scheme"), _lift),
    "score": Question(("words", "actions", "model"), _score),
}
