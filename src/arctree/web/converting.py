"""The forms in which a tree can be taken away from the explorer."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from arctree.brackets import format_tree
from arctree.dependency import DependencyTree
from arctree.draw import latex, svg
from arctree.errors import DataError
from arctree.json_form import sentence_to_json, tree_to_json
from arctree.lifting import lift
from arctree.oracle import derive
from arctree.ordered import from_dependency
from arctree.sentence import Sentence
from arctree.transitions import Transition, transitions_of
from arctree.web.exploration import configuration_after, sentence_exploration, tagged_tree
from arctree.web.reading import RequestError

FORMATS = ("conllu", "brackets", "json", "latex", "svg", "html")
VIEWS = ("arcs", "tree", "derivation")


def converted(sentences: Sequence[Sentence], to: str, view: str, actions: str | None = None) -> str:
    """The sentences in a format; ``view`` says what a picture shows of them.

    Where an ordered tree is needed, a tree that is not projective is lifted. Where a derivation
    is shown, of one sentence, it may be another than the canonical one: ``actions``, its letters.
    """
    transitions = None if actions is None else _derivation(sentences, to, view, actions)
    match to:
        case "conllu":
            return "".join(sentence.to_text() for sentence in sentences)
        case "brackets":
            return "".join(_brackets(sentence) + "\n" for sentence in sentences)
        case "json":
            return "".join(_json(sentence) + "\n" for sentence in sentences)
        case "latex":
            pictures = [_LATEX[view](tagged_tree(sentence), transitions) for sentence in sentences]
            return "\n\n".join(pictures) + "\n"
        case "svg":
            if len(sentences) > 1:
                raise RequestError(
                    f"{len(sentences)} sentences, but an SVG picture holds one",
                    "send them one by one",
                )
            return _SVG[view](tagged_tree(sentences[0]), transitions) + "\n"
    return _html(sentences, actions)


def _derivation(
    sentences: Sequence[Sentence], to: str, view: str, actions: str
) -> tuple[Transition, ...]:
    """The transitions of a whole derivation, legal ones, for what shows the one of one sentence."""
    if to != "html" and (to not in ("latex", "svg") or view != "derivation"):
        raise RequestError(
            "'actions' goes with what shows a derivation",
            "leave it out, or ask for html, or for the view derivation in latex or svg",
        )
    if len(sentences) > 1:
        raise RequestError(
            f"{len(sentences)} sentences, but 'actions' are those of one", "send them one by one"
        )
    transitions = transitions_of(actions)
    (sentence,) = sentences
    if not configuration_after(transitions, len(sentence)).is_terminal:
        raise DataError(
            f"the derivation breaks off after {len(actions)} actions",
            f"send all {2 * len(sentence)} of a sentence of {len(sentence)} words",
        )
    return transitions


def _brackets(sentence: Sentence) -> str:
    return format_tree(from_dependency(lift(tagged_tree(sentence))))


def _json(sentence: Sentence) -> str:
    tree = from_dependency(lift(tagged_tree(sentence)))
    form = {**sentence_to_json(sentence), "tree": tree_to_json(tree)}
    return json.dumps(form, ensure_ascii=False)


def _html(sentences: Sequence[Sentence], actions: str | None) -> str:
    from arctree.web.page import stand_alone

    explorations = [sentence_exploration(sentence, latex=True) for sentence in sentences]
    first = sentences[0]
    return stand_alone(explorations, title=first.text or " ".join(first.forms), actions=actions)


_Pen = Callable[[DependencyTree, tuple[Transition, ...] | None], str]

_LATEX: dict[str, _Pen] = {
    "arcs": lambda tree, _: latex.draw_arcs(tree),
    "tree": lambda tree, _: latex.draw_tree(from_dependency(lift(tree))),
    "derivation": lambda tree, transitions: latex.draw_derivation(derive(lift(tree), transitions)),
}
_SVG: dict[str, _Pen] = {
    "arcs": lambda tree, _: svg.draw_arcs(tree),
    "tree": lambda tree, _: svg.draw_tree(from_dependency(lift(tree))),
    "derivation": lambda tree, transitions: svg.draw_derivation(derive(lift(tree), transitions)),
}
