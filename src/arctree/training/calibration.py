"""Calibration: is an arc with confidence 0.9 right nine times out of ten?

Before a model is finished, one number divides the scores of the transitions and one those of
the labels (temperature scaling, Guo et al. 2017), each fitted to the likelihood of the gold
trees of dev; and a curve makes confidences of what comes of them
(:mod:`arctree.parsing.confidence`). The *expected calibration error* then compares, in ten bins
of confidence, how sure the parser was with how often head and full label were right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from arctree.network.network import IGNORED, Network
from arctree.training.batching import to_batch
from arctree.training.corpus import Example

BINS = 10
_TEMPERATURES = np.geomspace(0.25, 8.0, 141)


class Bin(NamedTuple):
    """The arcs whose confidence lies in one tenth: how many, how sure, how right."""

    arcs: int
    confidence: float
    accuracy: float


def reliability(confidences: NDArray[np.float64], correct: NDArray[np.bool_]) -> list[Bin]:
    """The bins of confidence, from 0 to 1; an empty one is all zeros."""
    numbers = np.minimum((confidences * BINS).astype(np.int64), BINS - 1)
    bins = []
    for number in range(BINS):
        inside = numbers == number
        count = int(inside.sum())
        bins.append(
            Bin(count, float(confidences[inside].mean()), float(correct[inside].mean()))
            if count
            else Bin(0, 0.0, 0.0)
        )
    return bins


def calibration_error(bins: Sequence[Bin]) -> float:
    """The mean distance between confidence and accuracy, over all arcs."""
    total = sum(found.arcs for found in bins)
    return sum(found.arcs * abs(found.confidence - found.accuracy) for found in bins) / total


@torch.inference_mode()
def fit_temperatures(
    network: Network, examples: Sequence[Example], batches: list[list[int]]
) -> None:
    """Set the temperatures of the arcs, of the labels and of their marks."""
    scorers = {"arcs": network.arcs, "labels": network.labeller}
    if network.marker is not None:
        scorers["marks"] = network.marker
    collected: dict[str, list[tuple[Tensor, Tensor]]] = {name: [] for name in scorers}
    for numbers in batches:
        batch = to_batch([examples[number] for number in numbers], network.encoder, network.device)
        found = network.scores(batch)
        for name, parts in collected.items():
            scores, gold = found[name]
            assert isinstance(gold, Tensor), "dev is gold"
            parts.append((scores, gold))
    for name, scorer in scorers.items():
        scorer.temperature.fill_(_best_temperature(collected[name]))


def _best_temperature(parts: Sequence[tuple[Tensor, Tensor]]) -> float:
    """The one of a grid under which the gold answers are likeliest."""
    losses = np.zeros(len(_TEMPERATURES))
    for scores, gold in parts:
        possible = gold != IGNORED
        # A gold answer may be impossible: a label on the root arc, say, that training never saw.
        possible &= scores.gather(-1, gold.clamp(min=0)[:, None]).squeeze(-1).isfinite()
        for place, temperature in enumerate(_TEMPERATURES):
            losses[place] += float(
                functional.cross_entropy(
                    scores[possible] / float(temperature), gold[possible], reduction="sum"
                )
            )
    return float(_TEMPERATURES[int(losses.argmin())])
