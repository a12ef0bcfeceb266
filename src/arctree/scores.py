"""Scores: what is correct among what gold has and what a system has, and how sure that is.

    precision = correct / system     recall = correct / gold     F1 = 2 correct / (gold + system)

:mod:`arctree.evaluation` counts; its table says what a correct unit of each score is. Every F1
has a confidence interval, and :func:`compare` tells whether two systems differ by more than
chance, both by drawing sentences anew (:mod:`arctree.resampling`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from arctree.alignment import Numbers
from arctree.errors import ArctreeError, DataError
from arctree.json_form import heading
from arctree.resampling import (
    Interval,
    Reals,
    bootstrap_sums,
    f1_of,
    generator_for,
    percentile_intervals,
    swap_sums,
)

HEADLINE = "LAS (full labels)"
OFFICIAL_METRICS = (
    *("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"),
    *("UAS", "LAS", "CLAS", "MLAS", "BLEX"),
)
OWN_METRICS = (
    HEADLINE,
    "UAS (no punctuation)",
    "LAS (no punctuation)",
    "LAS (full labels, no punctuation)",
    "Trees (unlabelled)",
    "Trees (labelled)",
)
METRICS = OFFICIAL_METRICS + OWN_METRICS


@dataclass(frozen=True, slots=True)
class Score:
    """What is correct among what gold has and what the system has.

    ``aligned`` counts the aligned words that were compared; segmentation has none.
    """

    correct: int
    gold: int
    system: int
    aligned: int | None = None

    @property
    def precision(self) -> float:
        return self.correct / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        total = self.gold + self.system
        return 2 * self.correct / total if total else 0.0

    @property
    def aligned_accuracy(self) -> float | None:
        """The share of the aligned words that is correct."""
        if self.aligned is None:
            return None
        return self.correct / self.aligned if self.aligned else 0.0

    def to_json(self) -> dict[str, object]:
        return {
            "correct": self.correct,
            "gold": self.gold,
            "system": self.system,
            "aligned": self.aligned,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "aligned_accuracy": self.aligned_accuracy,
        }


@dataclass(frozen=True, slots=True)
class Bucket:
    """Attachment among the gold words whose sentence or arc has ``first`` to ``last`` words.

    ``last`` is None when there is no upper end; an arc of length 0 is the root's. ``uas`` and
    ``las`` are shares of the gold words, and ``las`` is over full labels.
    """

    first: int
    last: int | None
    sentences: int
    words: int
    correct_heads: int
    correct_arcs: int

    @property
    def uas(self) -> float:
        return self.correct_heads / self.words if self.words else 0.0

    @property
    def las(self) -> float:
        return self.correct_arcs / self.words if self.words else 0.0

    def to_json(self) -> dict[str, object]:
        return {
            "first": self.first,
            "last": self.last,
            "sentences": self.sentences,
            "words": self.words,
            "correct_heads": self.correct_heads,
            "correct_arcs": self.correct_arcs,
            "uas": self.uas,
            "las": self.las,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """The scores of one system, by name, and the tables that explain them.

    ``labels`` has for each full label how many words bear it, and on how many the system has
    both head and label right; most frequent first. Without trees it is empty, and so are the
    tables by length.

    >>> from arctree.conllu import read_text
    >>> from arctree.evaluation import evaluate
    >>> gold = list(read_text("1\\tgo\\t_\\t_\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"))
    >>> evaluate(gold, gold)["LAS"].f1
    1.0
    """

    scores: Mapping[str, Score]
    labels: Mapping[str, Score]
    sentence_lengths: tuple[Bucket, ...]
    arc_lengths: tuple[Bucket, ...]
    # For each score the correct, gold and system counts of each gold sentence.
    sentence_counts: Mapping[str, Numbers] = field(repr=False)
    gold_digest: bytes = field(repr=False)

    def __getitem__(self, name: str) -> Score:
        if name in self.scores:
            return self.scores[name]
        if name in METRICS:
            raise DataError(
                f"there is no {name}: the sentences have no heads",
                "give heads on both sides to compare trees",
            )
        raise ArctreeError(f"there is no score {name!r}; the scores are {', '.join(METRICS)}")

    @property
    def has_trees(self) -> bool:
        """Whether heads were compared; blind sentences have none."""
        return HEADLINE in self.scores

    def intervals(self, *, resamples: int = 10_000, seed: int = 0) -> dict[str, Interval]:
        """The 95 % confidence interval of every F1, by bootstrap.

        The gold sentences are drawn anew with replacement, as many as there are; F1 comes from
        the summed counts of those drawn; the interval is what lies between the 2.5th and the
        97.5th percentile. A system word counts in the sentence of its gold word or, when it is
        not aligned, in the sentence where it begins.
        """
        generator = generator_for(seed, resamples)
        values = f1_of(bootstrap_sums(self._count_matrix(), resamples, generator))
        return dict(zip(self.scores, percentile_intervals(values), strict=True))

    def to_json(self, intervals: Mapping[str, Interval] | None = None) -> dict[str, object]:
        """All of it as plain values; a score that could not be computed is null."""
        scores: dict[str, object] = {}
        for name in METRICS:
            score = self.scores.get(name)
            scores[name] = None if score is None else score.to_json()
            if score is not None and intervals is not None and name in intervals:
                scores[name] = {**score.to_json(), "f1_interval": list(intervals[name])}
        return {
            **heading("scores"),
            "scores": scores,
            "labels": {label: score.to_json() for label, score in self.labels.items()},
            "sentence_lengths": [bucket.to_json() for bucket in self.sentence_lengths],
            "arc_lengths": [bucket.to_json() for bucket in self.arc_lengths],
        }

    def _count_matrix(self) -> Reals:
        """A row for each gold sentence; correct, gold and system for each score, side by side."""
        # Counts are whole numbers far below 2**53, so that sums of reals are exact.
        return np.concatenate(list(self.sentence_counts.values())).T.astype(np.float64)


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a second system fares against a first one, by one score's F1."""

    first: float
    second: float
    interval: Interval
    p_value: float

    @property
    def delta(self) -> float:
        """By how much the second system is better."""
        return self.second - self.first

    def to_json(self) -> dict[str, object]:
        return {
            "first": self.first,
            "second": self.second,
            "delta": self.delta,
            "delta_interval": list(self.interval),
            "p_value": self.p_value,
        }


def compare(
    first: Evaluation, second: Evaluation, *, resamples: int = 10_000, seed: int = 0
) -> dict[str, Comparison]:
    """For every score, whether two systems differ by more than chance on the same gold.

    The p-value is that of approximate randomisation (Noreen 1989), two-sided: if the systems
    were alike, swapping their outputs on any sentences would give as large a difference as
    the one seen. ``p = (k + 1) / (resamples + 1)``, where k of the random swaps did. It is
    chosen over a bootstrap p-value because it tests that very hypothesis without taking the
    sentences for a fair sample of anything, and suits scores that are no means over sentences,
    such as F1 (Yeh 2000; Riezler and Maxwell 2005 find the bootstrap to reject too readily).
    The interval of the difference, which needs a sample, is the paired bootstrap's.
    """
    if first.gold_digest != second.gold_digest or first.scores.keys() != second.scores.keys():
        raise DataError(
            "the two systems were not evaluated against the same gold sentences",
            "evaluate both against the same file",
        )
    generator = generator_for(seed, resamples)
    first_counts, second_counts = first._count_matrix(), second._count_matrix()
    width = first_counts.shape[1]
    both = np.hstack([first_counts, second_counts])
    sums = bootstrap_sums(both, resamples, generator)
    intervals = percentile_intervals(f1_of(sums[:, width:]) - f1_of(sums[:, :width]))

    observed = both.sum(axis=0, keepdims=True)
    first_f1, second_f1 = f1_of(observed[:, :width])[0], f1_of(observed[:, width:])[0]
    moved = swap_sums(second_counts - first_counts, resamples, generator)
    swapped = f1_of(observed[:, width:] - moved) - f1_of(observed[:, :width] + moved)
    # Differences that are equal on paper may differ in their last bits.
    as_large = np.abs(swapped) >= np.abs(second_f1 - first_f1) - 1e-12
    p_values = (as_large.sum(axis=0) + 1) / (resamples + 1)
    return {
        name: Comparison(first[name].f1, second[name].f1, interval, float(p_value))
        for name, interval, p_value in zip(first.scores, intervals, p_values, strict=True)
    }
