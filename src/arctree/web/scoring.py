"""What a model thinks of any derivation: the probability of each transition at each step.

The parser takes the likeliest legal transition (:mod:`arctree.parsing.decoding`). Here it is made
to follow given ones, gold or of somebody's own choice, and asked what it would have done: along
its own derivation the likeliest transition is the one that it took, with the same probability.
"""

from __future__ import annotations

from collections.abc import Sequence

from arctree.parser import Parser
from arctree.transitions import Transition

_NUMBERS = {transition: number for number, transition in enumerate(Transition)}


def probabilities(
    parser: Parser,
    sentences: Sequence[Sequence[str]],
    derivations: Sequence[Sequence[Transition]],
) -> list[list[list[float]]] | None:
    """For each sentence and each of its configurations the three transitions' probabilities.

    A derivation may stop early; each configuration that it reaches has its row, the first one
    too, but for the terminal one. What is illegal has the probability 0. A parser of another kind
    than the mapped one scores no such transitions, and then there is no answer.
    """
    numbers = [[_NUMBERS[transition] for transition in row] for row in derivations]
    found = parser.model.score(sentences, numbers)
    return None if found is None else [rows.tolist() for rows in found]
