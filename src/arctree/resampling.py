"""Chance: confidence intervals and tests over sentences drawn anew.

Counts are a matrix with a row for each sentence and three neighbouring columns for each score:
what is correct, what gold has, what the system has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arctree.errors import CallError

Reals = NDArray[np.float64]


class Interval(NamedTuple):
    """Where 95 % of the resampled values lie."""

    low: float
    high: float


def generator_for(seed: int, resamples: int) -> np.random.Generator:
    """A generator of random numbers, if the arguments make sense."""
    if resamples < 1 or seed < 0:
        raise CallError(
            f"{resamples} resamples with seed {seed}: give at least one, and no negative seed"
        )
    return np.random.default_rng(seed)


def bootstrap_sums(counts: Reals, resamples: int, generator: np.random.Generator) -> Reals:
    """The column sums of rows drawn with replacement, one row of sums for each resample."""
    size = len(counts)

    def times_drawn(rows: int) -> Reals:
        drawn = generator.integers(0, size, (rows, size))
        drawn += np.arange(0, rows * size, size)[:, np.newaxis]
        times = np.bincount(drawn.ravel(), minlength=rows * size)
        return times.reshape(rows, size).astype(np.float64)

    return _weighted_sums(counts, resamples, times_drawn)


def swap_sums(differences: Reals, resamples: int, generator: np.random.Generator) -> Reals:
    """The column sums of rows chosen by the toss of a coin each."""
    size = len(differences)

    def is_swapped(rows: int) -> Reals:
        return generator.integers(0, 2, (rows, size), dtype=np.int8).astype(np.float64)

    return _weighted_sums(differences, resamples, is_swapped)


def _weighted_sums(counts: Reals, resamples: int, weights: Callable[[int], Reals]) -> Reals:
    """``weights @ counts``, a few resamples at a time, so that memory stays small."""
    size, width = counts.shape
    sums = np.zeros((resamples, width))
    step = max(1, 2_000_000 // max(1, size))
    for start in range(0, resamples if size else 0, step):
        rows = min(step, resamples - start)
        sums[start : start + rows] = weights(rows) @ counts
    return sums


def f1_of(sums: Reals) -> Reals:
    """The F1 of each score from its three neighbouring sums."""
    correct, total = sums[:, 0::3], sums[:, 1::3] + sums[:, 2::3]
    return np.divide(2 * correct, total, out=np.zeros_like(correct), where=total > 0)


def percentile_intervals(values: Reals) -> list[Interval]:
    """For each column the interval that holds 95 % of its values."""
    low, high = np.percentile(values, [2.5, 97.5], axis=0)
    return [Interval(*ends) for ends in zip(low.tolist(), high.tolist(), strict=True)]
