from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import Tensor

from arctree.network.actions import ActionScorer
from arctree.network.labeller import BiaffineLabeller
from arctree.network.network import IGNORED, Network
from arctree.training.batching import to_batch
from arctree.training.calibration import (
    BINS,
    Bin,
    calibration_error,
    fit_temperatures,
    reliability,
)
from arctree.training.corpus import Example
from tiny import CPU, learnable
from toy_language import toy_treebank

answers = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1)


def arrays(drawn: list[tuple[float, bool]]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    confidences, correct = zip(*drawn, strict=True)
    return np.array(confidences, dtype=np.float64), np.array(correct, dtype=np.bool_)


@given(answers)
def test_every_arc_is_in_the_bin_of_its_confidence(drawn: list[tuple[float, bool]]) -> None:
    bins = reliability(*arrays(drawn))
    assert len(bins) == BINS == 10
    assert sum(found.arcs for found in bins) == len(drawn)
    for number, found in enumerate(bins):
        inside = [
            (confidence, right)
            for confidence, right in drawn
            if number == min(int(confidence * 10), 9)
        ]
        assert found.arcs == len(inside)
        if not inside:
            assert found == Bin(0, 0.0, 0.0)
            continue
        assert found.confidence == pytest.approx(np.mean([sure for sure, _ in inside]))
        assert found.accuracy == pytest.approx(np.mean([right for _, right in inside]))
        assert number / 10 - 1e-9 <= found.confidence <= (number + 1) / 10 + 1e-9


@given(answers)
def test_the_error_is_the_mean_distance_over_arcs_between_confidence_and_accuracy(
    drawn: list[tuple[float, bool]],
) -> None:
    bins = reliability(*arrays(drawn))
    weighted = [abs(found.confidence - found.accuracy) for found in bins for _ in range(found.arcs)]
    assert calibration_error(bins) == pytest.approx(np.mean(weighted))
    assert 0 <= calibration_error(bins) <= 1


def test_nine_right_of_ten_at_nine_tenths_is_no_error() -> None:
    right = np.array([True] * 9 + [False])
    assert calibration_error(reliability(np.full(10, 0.9), right)) == pytest.approx(0)
    assert calibration_error(reliability(np.full(10, 0.6), right)) == pytest.approx(0.3)
    assert calibration_error(reliability(np.ones(10), right)) == pytest.approx(0.1)


def test_full_confidence_is_in_the_last_bin_and_none_in_the_first() -> None:
    bins = reliability(np.array([0.0, 1.0]), np.array([False, True]))
    assert bins[0] == Bin(1, 0.0, 0.0)
    assert bins[-1] == Bin(1, 1.0, 1.0)


def drawn_from(scores: Tensor, temperature: float, seed: int) -> Tensor:
    """Answers as they would be if the probabilities at this temperature were true."""
    source = torch.Generator().manual_seed(seed)
    return torch.multinomial((scores / temperature).softmax(-1), 1, generator=source).squeeze(-1)


def answered_at(
    network: Network, examples: Sequence[Example], arcs: float, labels: float, marks: float = 1.0
) -> list[Example]:
    """The examples with other transitions, labels and marks, drawn at these temperatures."""
    answered = []
    for number, example in enumerate(examples):
        with torch.inference_mode():
            scores = network.scores(to_batch([example], network.encoder, CPU))
        transitions = drawn_from(scores["arcs"][0], arcs, number).numpy().astype(np.int8)
        assert example.derivation is not None
        answered.append(
            replace(
                example,
                labels=drawn_from(scores["labels"][0], labels, number).numpy(),
                marks=drawn_from(scores["marks"][0], marks, number).numpy(),
                derivation=example.derivation._replace(transitions=transitions),
            )
        )
    return answered


def in_tens(examples: Sequence[Example]) -> list[list[int]]:
    numbers = list(range(len(examples)))
    return [numbers[start : start + 10] for start in range(0, len(numbers), 10)]


@pytest.fixture(scope="module")
def learnt() -> tuple[Network, list[Example]]:
    network, examples = learnable(toy_treebank(120, seed=1))
    with torch.no_grad():
        # Scores of some size, as those of a network that has learnt something.
        for labeller in (network.labeller, network.marker):
            assert isinstance(labeller, BiaffineLabeller)
            labeller.pairs.mul_(3)
        assert isinstance(network.arcs, ActionScorer)
        for parameter in network.arcs.classify[-1].parameters():
            parameter.mul_(6)
    return network, examples


def temperatures(network: Network) -> tuple[float, ...]:
    assert network.marker is not None
    scorers = (network.arcs, network.labeller, network.marker)
    return tuple(float(scorer.temperature) for scorer in scorers)


@pytest.mark.parametrize(
    ("arcs", "labels", "marks"), [(0.5, 2.0, 1.0), (2.0, 1.0, 0.5), (1.0, 0.5, 2.0)]
)
def test_the_temperatures_under_which_the_gold_answers_come_about_are_found(
    learnt: tuple[Network, list[Example]], arcs: float, labels: float, marks: float
) -> None:
    network, examples = learnt
    answered = answered_at(network, examples, arcs, labels, marks)
    fit_temperatures(network, answered, in_tens(answered))
    assert temperatures(network) == pytest.approx((arcs, labels, marks), rel=0.2)


def test_the_batches_make_no_difference(learnt: tuple[Network, list[Example]]) -> None:
    network, examples = learnt
    answered = answered_at(network, examples[:30], 2.0, 0.5)
    fit_temperatures(network, answered, in_tens(answered))
    before = temperatures(network)
    network.arcs.temperature.fill_(7)  # what it was does not count
    fit_temperatures(network, answered, [[number] for number in reversed(range(30))])
    assert temperatures(network) == pytest.approx(before)


def test_answers_that_are_not_known_or_cannot_be_do_not_count(
    learnt: tuple[Network, list[Example]],
) -> None:
    network, examples = learnt
    answered = answered_at(network, examples[:20], 1.0, 2.0)
    fit_temperatures(network, answered, in_tens(answered))
    before = temperatures(network)
    # On root arcs a label that training never saw, on others one that stands on root arcs only.
    impossible = network.labeller.on_others.tolist().index(False)
    spoilt = [
        replace(example, labels=np.where(example.heads == 0, IGNORED, impossible))
        for example in answered
    ]
    together = [*answered, *spoilt]
    fit_temperatures(network, together, in_tens(together))
    assert temperatures(network) == pytest.approx(before)


def test_the_fitted_temperatures_change_no_tree(learnt: tuple[Network, list[Example]]) -> None:
    network, examples = learnt
    batch = to_batch(examples[:10], network.encoder, CPU)
    sizes = list(batch.sizes)
    network.arcs.temperature.fill_(1)
    network.labeller.temperature.fill_(1)
    before = network.analyse([batch.inputs], sizes)
    fit_temperatures(network, examples[:10], [list(range(10))])
    after = network.analyse([batch.inputs], sizes)
    assert temperatures(network)[:2] != (1, 1)
    for one, other in zip(before, after, strict=True):
        assert one.heads.tolist() == other.heads.tolist()
        assert one.labels.tolist() == other.labels.tolist()
