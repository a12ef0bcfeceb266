"""The exploration of a tree: all that a view of its derivation is made of, as JSON.

It holds the sentence and its arcs, the canonical derivation as a string of letters, one for each
transition (``S``, ``L``, ``R``), and how many derivations there are. Configurations are not in
it: whoever replays the letters has them (Table 2 of the paper), and space stays in proportion to
the sentence.

A tree that is not projective has no ordered tree with contiguous yields (Theorem 1). Then the
exploration tells which arcs are to blame and why, each lift in its order, and how each arc comes
back; and the derivation is that of the lifted tree. ``exploration-schema.json`` beside this file
is the schema; ``docs/explorer-api.md`` tells it in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from arctree.dependency import DependencyTree, nonprojective_arcs, preorder_numbers
from arctree.draw import latex as latex_drawings
from arctree.draw.width import is_right_to_left, visible
from arctree.errors import DataError
from arctree.json_form import Json, heading
from arctree.labels import Label, print_label
from arctree.lifting import Move, Scheme, lift, lifts, returns
from arctree.oracle import canonical_derivation, count_derivations, derive
from arctree.ordered import from_dependency
from arctree.sentence import UPOS, XPOS, Sentence
from arctree.transitions import (
    Configuration,
    IllegalTransitionError,
    Transition,
    letters_of,
)


class Scores(NamedTuple):
    """A model's name, and its probability of each transition along the derivation."""

    name: str
    probabilities: Sequence[Sequence[float]]


def exploration(
    tree: DependencyTree,
    *,
    id: str | None = None,  # noqa: A002  (the name it has in the JSON form)
    text: str | None = None,
    scores: Scores | None = None,
    latex: bool = False,
) -> Json:
    """What a view of the tree's derivation is made of.

    With ``latex`` it holds the pictures in LaTeX as well, for a page without a server to draw them.
    """
    lifted = lift(tree, Scheme.EXACT)
    return {
        **heading("exploration"),
        "id": id,
        "text": text,
        "rtl": is_right_to_left(tree.words),
        "words": [_word(*word) for word in zip(tree.words, tree.tags, strict=True)],
        "heads": list(tree.heads),
        "labels": printed_labels(tree),
        "projective": lifted is tree,
        "crossings": crossings(tree.heads),
        "lifting": None if lifted is tree else lifting(tree, Scheme.EXACT),
        "transitions": letters_of(canonical_derivation(lifted)),
        "derivations": str(count_derivations(lifted.heads)),
        "model": None if scores is None else _scores(scores),
        "latex": _latex(tree, lifted) if latex else None,
    }


def sentence_exploration(
    sentence: Sentence, *, scores: Scores | None = None, latex: bool = False
) -> Json:
    """The exploration of a sentence of CoNLL-U; its tags are XPOS, or UPOS where there is none."""
    tree = tagged_tree(sentence)
    return exploration(tree, id=sentence.id, text=sentence.text, scores=scores, latex=latex)


def tagged_tree(sentence: Sentence) -> DependencyTree:
    """The tree of a sentence with the words' XPOS, or their UPOS where it has no XPOS."""
    has_xpos = any(tag != "_" for tag in sentence.xpos)
    return sentence.tree_with_tags(XPOS if has_xpos else UPOS)


def configuration_after(transitions: Sequence[Transition], size: int) -> Configuration:
    """The configuration that transitions over so many words lead to; each must be legal."""
    configuration = Configuration.initial(size)
    for number, transition in enumerate(transitions, start=1):
        try:
            configuration = transition(configuration)
        except IllegalTransitionError as error:
            raise DataError(f"action {number}: {error}", "leave it out") from None
    return configuration


def printed_labels(tree: DependencyTree) -> list[str]:
    """The labels as they are printed, marks of lifting included."""
    labels: Sequence[Label] = tree.labels
    return [print_label(label) for label in labels]


def crossings(heads: Sequence[int]) -> list[Json]:
    """Each non-projective arc, what is below its head, what it passes over, what it crosses.

    The arc h -> d is not projective because of the words *between* them that are not in the
    *yield* of h: no tree with a contiguous yield has h above d. The words descend from h whose
    preorder number lies in the interval of h's subtree.
    """
    arcs = nonprojective_arcs(heads)
    if not arcs:
        return []
    number, size = preorder_numbers(heads)
    found = []
    for head, dependent in arcs:
        below = range(number[head], number[head] + size[head])
        low, high = sorted((head, dependent))
        found.append(
            {
                "head": head,
                "dependent": dependent,
                "yield": [word for word in range(1, len(number)) if number[word] in below],
                "between": [word for word in range(low + 1, high) if number[word] not in below],
                "with": [
                    [other, word]
                    for word, other in enumerate(heads, start=1)
                    if (low < word < high) != (low < other < high)
                    and not {word, other} & {low, high}
                ],
            }
        )
    return found


def lifting(tree: DependencyTree, scheme: Scheme) -> Json:
    """The tree lifted by a scheme, the lifts in their order, and the arcs' returns in theirs."""
    lifted = lift(tree, scheme)
    return {
        "scheme": scheme.value,
        "heads": list(lifted.heads),
        "labels": printed_labels(lifted),
        "lifts": [_move(move) for move in lifts(tree.heads)],
        "returns": [_move(move) for move in returns(lifted)],
    }


def _word(form: str, tag: str) -> Json:
    shown = visible(form)
    return {"form": form, "tag": tag} | ({} if shown == form else {"shown": shown})


def _move(move: Move) -> Json:
    return {"word": move.word, "from": move.old, "to": move.new}


def _scores(scores: Scores) -> Json:
    rows = [[round(float(value), 6) for value in row] for row in scores.probabilities]
    return {"name": scores.name, "probabilities": rows}


def _latex(tree: DependencyTree, lifted: DependencyTree) -> Json:
    return {
        "arcs": latex_drawings.draw_arcs(tree),
        "tree": latex_drawings.draw_tree(from_dependency(lifted)),
        "derivation": latex_drawings.draw_derivation(derive(lifted)),
    }
