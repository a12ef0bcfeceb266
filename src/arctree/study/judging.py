"""What a run's answers are worth: scores, accuracy by length, errors shared with other runs.

Scores are those of :mod:`arctree.evaluation`, over every word and full labels. A *spread* over
seeds is half the distance between the best and the worst.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arctree.errors import DataError
from arctree.evaluation import ARC_LENGTHS, evaluate
from arctree.scores import HEADLINE, Bucket, Evaluation, Score, compare
from arctree.sentence import Sentence

Flags = NDArray[np.bool_]
Numbers = NDArray[np.int64]
Json = dict[str, Any]
# What a score is called in arctree.evaluation, and in the report.
SCORES = {
    "uas": "UAS",
    "las": HEADLINE,
    "trees": "Trees (unlabelled)",
    "labelled_trees": "Trees (labelled)",
}


@dataclass(frozen=True)
class Judged:
    """The answers of a run beside gold: word by word what is right, and how long the arcs are.

    The arc of the root has length 0. ``evaluation`` has the scores.
    """

    evaluation: Evaluation
    right_heads: Flags
    right_arcs: Flags
    gold_lengths: Numbers
    lengths: Numbers

    @property
    def wrong(self) -> Flags:
        """The words whose head is wrong."""
        return ~self.right_heads

    @property
    def label_accuracy(self) -> float:
        """The share of right labels among the words whose head is right."""
        return _share(int(self.right_arcs.sum()), int(self.right_heads.sum()))

    def score(self, name: str) -> float:
        """One of :data:`SCORES`, or ``labels``."""
        return self.label_accuracy if name == "labels" else self.evaluation[SCORES[name]].f1


def judge(gold: Sequence[Sentence], parsed: Sequence[Sentence], name: str) -> Judged:
    """Compare answers with gold; both have the same sentences, and the same words."""
    if [sentence.forms for sentence in gold] != [sentence.forms for sentence in parsed]:
        raise DataError("not the sentences of the gold file", "remove the run's folder", file=name)
    gold_heads, heads = _heads(gold), _heads(parsed)
    places = np.concatenate([np.arange(1, len(sentence) + 1) for sentence in gold])
    right = gold_heads == heads
    labels = [
        was == now
        for asked, answered in zip(gold, parsed, strict=True)
        for was, now in zip(asked.deprels, answered.deprels, strict=True)
    ]
    return Judged(
        evaluate(gold, parsed, names=("gold", name)),
        right,
        right & np.array(labels),
        *(np.where(some == 0, 0, np.abs(some - places)) for some in (gold_heads, heads)),
    )


def spread(values: Sequence[float]) -> Json:
    """The mean over seeds, half the distance between the best and the worst, and all of them."""
    return {
        "mean": statistics.fmean(values),
        "spread": (max(values) - min(values)) / 2,
        "values": list(values),
    }


def by_sentence_length(seeds: Sequence[Judged]) -> list[Json]:
    """UAS and LAS of the words in sentences of so many words, means over seeds."""
    rows = zip(*(judged.evaluation.sentence_lengths for judged in seeds), strict=True)
    return [_bucket_row(row) for row in rows if row[0].words]


def by_arc_length(seeds: Sequence[Judged]) -> list[Json]:
    """Precision, recall and F1 of arcs of a length, with and without labels, means over seeds.

    Recall is the share of the gold arcs of this length that were found, precision that of the
    system's arcs of this length that are right; an arc that is right has its gold length.
    """
    found = []
    for first, last in ARC_LENGTHS:
        rows = []
        for judged in seeds:
            gold = _within(judged.gold_lengths, first, last)
            sizes = int(gold.sum()), int(_within(judged.lengths, first, last).sum())
            rows.append([Score(int(r[gold].sum()), *sizes) for r in _rights(judged)])
        if not any(score.gold for row in rows for score in row):
            continue
        names = ("uas", "las")
        found.append(
            {
                "first": first,
                "last": last,
                "gold": rows[0][0].gold,
                "system": statistics.fmean(row[0].system for row in rows),
                **{
                    name: {
                        part: statistics.fmean(getattr(row[place], part) for row in rows)
                        for part in ("precision", "recall", "f1")
                    }
                    for place, name in enumerate(names)
                },
            }
        )
    return found


def overlap(first: Flags, second: Flags) -> float | None:
    """The share of the first one's errors that the second one makes, too."""
    errors = int(first.sum())
    return int((first & second).sum()) / errors if errors else None


def mean_overlap(first: Sequence[Flags], second: Sequence[Flags]) -> float | None:
    """Over all pairs of a seed of one system and a seed of another; None if there is none.

    Of a system with itself: over all pairs of different seeds. That is the yardstick, for two
    systems cannot be expected to be more alike than one system is to itself.
    """
    is_same = first is second
    shares = [
        overlap(one, other)
        for (place, one), (other_place, other) in product(enumerate(first), enumerate(second))
        if not is_same or place != other_place
    ]
    known = [share for share in shares if share is not None]
    return statistics.fmean(known) if known else None


def differences(
    reference: Sequence[Judged], system: Sequence[Judged], *, resamples: int = 10_000
) -> Json:
    """By how much a system is better than another over the same seeds, and how sure that is.

    The counts of a sentence are summed over the seeds; intervals and p-values are then those
    of :func:`arctree.scores.compare`, over sentences.
    """
    first, second = ([judged.evaluation for judged in some] for some in (reference, system))
    compared = compare(_pooled(first), _pooled(second), resamples=resamples)
    return {
        name: {
            "delta": compared[score].delta,
            "interval": list(compared[score].interval),
            "p_value": compared[score].p_value,
        }
        for name, score in SCORES.items()
    }


def _pooled(evaluations: Sequence[Evaluation]) -> Evaluation:
    """One evaluation of all seeds' answers, of the scores that are reported."""
    counts, scores = {}, {}
    for name in SCORES.values():
        counts[name] = np.sum([found.sentence_counts[name] for found in evaluations], axis=0)
        scores[name] = Score(*(int(row.sum()) for row in counts[name]))
    return Evaluation(scores, {}, (), (), counts, evaluations[0].gold_digest)


def _bucket_row(row: Sequence[Bucket]) -> Json:
    return {
        "first": row[0].first,
        "last": row[0].last,
        "sentences": row[0].sentences,
        "words": row[0].words,
        "uas": statistics.fmean(bucket.uas for bucket in row),
        "las": statistics.fmean(bucket.las for bucket in row),
    }


def _rights(judged: Judged) -> tuple[Flags, Flags]:
    return judged.right_heads, judged.right_arcs


def _within(lengths: Numbers, first: int, last: int | None) -> Flags:
    chosen: Flags = lengths >= first
    return chosen if last is None else chosen & (lengths <= last)


def _heads(sentences: Sequence[Sentence]) -> Numbers:
    return np.array([head for sentence in sentences for head in sentence.heads or ()], np.int64)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
