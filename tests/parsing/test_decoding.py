"""Decoding in numpy answers as decoding in torch does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from arctree.network.actions import ActionScorer
from arctree.network.labeller import LABELLERS
from arctree.parsing.answers import ArcValues
from arctree.parsing.decoding import ACTIVATIONS, ActionDecoder, ArcLabeller, softmax
from arctree.parsing.machine import row_starts
from arctree.parsing.settings import ParserSettings
from tiny import LABELS, MARKS, ON_OTHERS, ON_ROOT, OUTCOMES, randomise

WIDTH = 12
Array = np.ndarray[Any, Any]

activations = st.sampled_from(["gelu", "relu"])
sizes_drawn = st.lists(st.integers(1, 25), min_size=1, max_size=9)
seeds = st.integers(0, 1000)


def weights_of(name: str, module: torch.nn.Module) -> dict[str, Array]:
    return {f"{name}.{key}": value.numpy() for key, value in module.state_dict().items()}


def some_vectors(rows: int, seed: int) -> torch.Tensor:
    return torch.randn(rows, WIDTH, generator=torch.Generator().manual_seed(seed))


@settings(max_examples=60)
@given(activations, sizes_drawn, seeds, st.floats(0.3, 3))
def test_derivations_and_how_sure_they_are_equal_those_of_torch(
    activation: Any, sizes: list[int], seed: int, temperature: float
) -> None:
    parser = ParserSettings(hidden=16, activation=activation, dropout=0.0)
    scorer = ActionScorer(WIDTH, parser).eval()
    randomise(scorer, seed)
    scorer.temperature.fill_(temperature)
    vectors = some_vectors(int(row_starts(sizes)[-1]), seed)
    with torch.inference_mode():
        expected = scorer.decode(vectors, sizes)
        projected = scorer.project(vectors).numpy()
    # Rows may come in several parts.
    parts = np.split(projected, [len(projected) // 3])
    found = ActionDecoder(weights_of("arcs", scorer), parser).decode(parts, sizes)
    assert found.heads.tolist() == expected.heads.tolist()
    assert found.transitions.tolist() == expected.transitions.tolist()
    np.testing.assert_allclose(found.probabilities, expected.probabilities, atol=1e-5)
    np.testing.assert_allclose(found.head_probabilities, expected.head_probabilities, atol=1e-5)


@settings(max_examples=60)
@given(
    st.sampled_from(["biaffine", "additive"]),
    activations,
    st.sampled_from([OUTCOMES.labels, MARKS]),
    st.sampled_from([1, 2, 7, 255, 256, 257, 600]),
    seeds,
    st.floats(0.3, 3),
)
def test_labels_and_how_sure_they_are_equal_those_of_torch(
    kind: Any, activation: Any, values: ArcValues, arcs: int, seed: int, temperature: float
) -> None:
    parser = ParserSettings(labels=kind, activation=activation, dropout=0.0)
    places = torch.tensor(values.on_root), torch.tensor(values.on_others)
    labeller = LABELLERS[kind](WIDTH, 6, parser, *places).eval()
    randomise(labeller, seed)
    labeller.temperature.fill_(temperature)
    vectors, source = some_vectors(2 * arcs, seed), torch.Generator().manual_seed(seed)
    words, heads = (torch.randint(2 * arcs, (arcs,), generator=source) for _ in range(2))
    is_root = torch.rand(arcs, generator=source) < 0.2
    with torch.inference_mode():
        sure, expected = labeller.best(vectors, words, heads, is_root)
        dependents = labeller.as_dependent(vectors)[words].numpy()
        governors = labeller.as_head(vectors)[heads].numpy()
    decoder = ArcLabeller("labeller", weights_of("labeller", labeller), parser, values)
    probabilities, labels = decoder.best(dependents, governors, is_root.numpy())
    assert labels.tolist() == expected.tolist()
    np.testing.assert_allclose(probabilities, sure, atol=1e-5)


def test_a_root_arc_takes_only_labels_of_root_arcs_and_others_only_theirs() -> None:
    parser = ParserSettings(labels="additive")
    labeller = LABELLERS["additive"](
        WIDTH, 6, parser, torch.tensor(ON_ROOT), torch.tensor(ON_OTHERS)
    )
    randomise(labeller, 1)
    decoder = ArcLabeller("l", weights_of("l", labeller), parser, OUTCOMES.labels)
    dependents, heads = np.random.default_rng(0).normal(0, 3, (2, 400, 6)).astype(np.float32)
    is_root = np.arange(400) % 2 == 0
    _, labels = decoder.best(dependents, heads, is_root)
    assert {LABELS[number] for number in labels[is_root]} == {"root", "both"}
    assert {LABELS[number] for number in labels[~is_root]} == {"both", "nsubj", "obj", "det"}


numbers = arrays.arrays(
    np.float32, st.integers(1, 50), elements=st.floats(-40, 40, width=32, allow_nan=False)
)


@given(numbers)
def test_gelu_is_that_of_torch_to_a_millionth(values: Array) -> None:
    expected = torch.nn.functional.gelu(torch.from_numpy(values).double()).numpy()
    found = ACTIVATIONS["gelu"](values.copy())
    assert found.dtype == np.float32
    # Where numbers are large a millionth is less than the last digit.
    np.testing.assert_allclose(found, expected, atol=1e-6, rtol=1e-6)


@given(numbers)
def test_relu_is_that_of_torch(values: Array) -> None:
    expected = torch.relu(torch.from_numpy(values)).numpy()
    np.testing.assert_array_equal(ACTIVATIONS["relu"](values.copy()), expected)


@given(
    arrays.arrays(
        np.float32,
        st.tuples(st.integers(1, 6), st.integers(1, 5)),
        elements=st.one_of(st.floats(-1e4, 1e4, width=32), st.just(-np.inf)),
    )
)
def test_softmax_is_that_of_torch_and_nothing_where_a_score_is_minus_infinity(
    scores: Array,
) -> None:
    scores[:, 0] = np.maximum(scores[:, 0], -1e4)  # something is always legal
    found = softmax(scores)
    assert (found[np.isneginf(scores)] == 0).all()
    np.testing.assert_allclose(found.sum(-1), 1, rtol=1e-5)
    np.testing.assert_allclose(found, torch.from_numpy(scores).softmax(-1), atol=1e-6)


@pytest.mark.parametrize("size", [1, 300])
def test_a_sentence_is_derived_alike_alone_and_among_others(size: int) -> None:
    parser = ParserSettings(hidden=16)
    scorer = ActionScorer(WIDTH, parser)
    randomise(scorer, 3)
    decoder = ActionDecoder(weights_of("arcs", scorer), parser)
    rows = some_vectors(size + 1, 1)
    with torch.inference_mode():
        own, others = (scorer.project(v).numpy() for v in (rows, some_vectors(60, 2)))
    alone = decoder.decode([own], [size])
    among = decoder.decode([others[:30], own, others[30:]], [29, size, 14, 14])
    assert among.heads[30 : 31 + size].tolist() == alone.heads.tolist()
    assert among.transitions[58 : 58 + 2 * size].tolist() == alone.transitions.tolist()
