"""Along the parser's own derivation its scores are what it did; both backends score alike."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import arctree
from arctree.network.actions import ActionScorer
from arctree.network.model import Model
from arctree.parser import Parsed, Parser
from arctree.parsing.decoding import ActionDecoder, configurations_along
from arctree.parsing.machine import row_starts
from arctree.parsing.runtime import Runtime
from arctree.parsing.settings import ParserSettings
from arctree.transitions import Configuration, Transition
from arctree.web.scoring import probabilities
from berts import LONG, load_encoder, random_model
from tiny import OUTCOMES, SETTINGS, randomise, tiny_network

WIDTH = 12
SENTENCES = [["the", "old", "dog", "sees", "a", "bird"], ["dog"], LONG[:40], ["Book", "é", "語"]]


def some_transitions(size: int, length: int, source: Random) -> list[Transition]:
    """Legal transitions from the initial configuration on, taken at random."""
    configuration = Configuration.initial(size)
    taken: list[Transition] = []
    while len(taken) < length and not configuration.is_terminal:
        legal = [transition for transition in Transition if transition.is_legal(configuration)]
        taken.append(source.choice(legal))
        configuration = taken[-1](configuration)
    return taken


def numbered(transitions: Sequence[Transition]) -> list[int]:
    return [list(Transition).index(transition) for transition in transitions]


@settings(max_examples=60)
@given(
    st.lists(st.integers(1, 20), min_size=1, max_size=6),
    st.integers(0, 1000),
    st.floats(0.3, 3),
)
def test_both_decoders_score_any_start_of_a_derivation_alike(
    sizes: list[int], seed: int, temperature: float
) -> None:
    parser = ParserSettings(hidden=16, dropout=0.0)
    scorer = ActionScorer(WIDTH, parser).eval()
    randomise(scorer, seed)
    scorer.temperature.fill_(temperature)
    vectors = torch.randn(
        int(row_starts(sizes)[-1]), WIDTH, generator=torch.Generator().manual_seed(seed)
    )
    source = Random(seed)
    taken = [
        numbered(some_transitions(size, source.randint(0, 2 * size), source)) for size in sizes
    ]
    weights = {f"arcs.{key}": value.numpy() for key, value in scorer.state_dict().items()}
    decoder = ActionDecoder(weights, parser)
    with torch.inference_mode():
        projected = [scorer.project(vectors).numpy()]
        expected = scorer.probabilities(vectors, sizes, taken)
        decoded = scorer.decode(vectors, sizes)
    found = decoder.probabilities(projected, sizes, taken)
    for rows, others, size, row in zip(found, expected, sizes, taken, strict=True):
        assert len(rows) == min(len(row) + 1, 2 * size)
        np.testing.assert_allclose(rows, others, atol=1e-5)
        np.testing.assert_allclose(rows.sum(-1), 1, atol=1e-5)
    ends = 2 * np.cumsum(sizes)[:-1]
    own = [row.tolist() for row in np.split(decoded.transitions.numpy(), ends)]
    along_own = np.concatenate(decoder.probabilities(projected, sizes, own))
    assert along_own.argmax(-1).tolist() == decoded.transitions.tolist()
    np.testing.assert_allclose(along_own.max(-1), decoded.probabilities, atol=1e-5)


@given(st.integers(1, 8), st.integers(0, 16), st.randoms(use_true_random=False))
def test_what_is_legal_along_a_derivation_is_what_the_definition_says(
    size: int, length: int, source: Random
) -> None:
    taken = some_transitions(size, length, source)
    along = configurations_along([size], [numbered(taken)])
    configuration = Configuration.initial(size)
    for number, legal in enumerate(along.legal.tolist()):
        assert legal == [transition.is_legal(configuration) for transition in Transition]
        top = [position for position, _ in zip(configuration.stack, range(3), strict=False)]
        assert along.rows[number, : len(top)].tolist() == top
        if number < len(taken):
            configuration = taken[number](configuration)


def test_an_illegal_transition_is_not_scored() -> None:
    with pytest.raises(ValueError, match="transition 2 is not legal"):
        configurations_along([2], [[0, 1]])


def assert_own_derivation(parser: Parser, parsed: Sequence[Parsed]) -> None:
    words = [item.sentence.forms for item in parsed]
    found = probabilities(parser, words, [item.transitions for item in parsed])
    assert found is not None
    for item, rows in zip(parsed, found, strict=True):
        assert len(rows) == 2 * len(item.sentence)
        for row, transition, sure in zip(rows, item.transitions, item.probabilities, strict=True):
            place = list(Transition).index(transition)
            assert row[place] == pytest.approx(sure, abs=1e-4)
            assert max(row) <= row[place] + 1e-4


def test_the_english_model_scores_its_own_derivations_as_it_took_them() -> None:
    nlp = arctree.load("en")
    text = "Book me the morning flight. The man who you met yesterday has, I think, left. Why?"
    assert_own_derivation(nlp.parser, list(nlp.stream(text)))


@pytest.mark.xdist_group("bert")
def test_a_model_scores_alike_in_torch_and_in_onnxruntime(bert: Path, tmp_path: Path) -> None:
    from arctree.training.exporting import export

    model = random_model(load_encoder(bert), seed=3)
    export(model, tmp_path / "exported")
    parsers = [Parser(model), Parser(Runtime(tmp_path / "exported"))]
    source = Random(5)
    taken = [some_transitions(len(words), len(words), source) for words in SENTENCES]
    scored: list[Any] = []
    for parser in parsers:
        assert_own_derivation(parser, list(parser.parse(SENTENCES)))
        scored.append(probabilities(parser, SENTENCES, taken))
    for one, other in zip(*scored, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-4)


@pytest.mark.parametrize("kind", ["graph", "in-order", "linearised"])
def test_a_parser_without_these_transitions_scores_none(kind: Any) -> None:
    model = Model(tiny_network(kind), OUTCOMES, SETTINGS)
    assert probabilities(Parser(model), [["dog"]], [[Transition.SHIFT]]) is None
