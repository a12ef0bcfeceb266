"""What a model thinks of any derivation: the probability of each transition at each step.

The parser takes the likeliest legal transition (:mod:`arctree.parsing.decoding`). Here it is made
to follow given ones, gold or of somebody's own choice, and asked what it would have done: along
its own derivation the likeliest transition is the one that it took, with the same probability.
"""

from __future__ import annotations

from collections.abc import Sequence

from arctree.parser import Analyser, Parser
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
    return _scored(parser.model, sentences, numbers)


def _scored(
    model: Analyser, sentences: Sequence[Sequence[str]], numbers: Sequence[Sequence[int]]
) -> list[list[list[float]]] | None:
    from arctree.parsing.runtime import Runtime

    if isinstance(model, Runtime):
        return [rows.tolist() for rows in model.score(sentences, numbers)]
    import torch

    from arctree.network.actions import ActionScorer
    from arctree.network.inference import to_tensors
    from arctree.network.model import Model

    assert isinstance(model, Model)
    network, scorer = model.network, model.network.arcs
    if not isinstance(scorer, ActionScorer) or not scorer.is_mapped:
        return None
    found = []
    with torch.inference_mode():
        prepared = network.encoder.prepare(sentences)
        for item, row in zip(prepared, numbers, strict=True):
            inputs = to_tensors(network.encoder.lay_out([item]), network.device)
            vectors = network.encoder(inputs)
            found += scorer.probabilities(vectors, [len(vectors) - 1], [row])
    return [rows.tolist() for rows in found]
