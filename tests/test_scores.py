from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from arctree import resampling
from arctree.errors import ArctreeError, DataError
from arctree.scores import (
    HEADLINE,
    METRICS,
    OFFICIAL_METRICS,
    OWN_METRICS,
    compare,
)
from scored import GOLD, changed, scored, treebank, word

SEGMENTATION_AND_TAGS = OFFICIAL_METRICS[: OFFICIAL_METRICS.index("UAS")]


def chains(errors: Sequence[int], size: int = 8) -> str:
    """A chain for each number, with that many words attached one word too far back."""
    return treebank(
        *([word("a", place - (place >= size - wrong)) for place in range(size)] for wrong in errors)
    )


PERFECT = chains([0] * 60)
GENERATOR = random.Random(5)
GOOD = chains([GENERATOR.choice([0, 0, 1, 2]) for _ in range(60)])
POOR = chains([GENERATOR.choice([0, 2, 3, 5]) for _ in range(60)])


def test_intervals_hold_the_score_and_are_the_same_for_the_same_seed() -> None:
    evaluation = scored(PERFECT, GOOD)
    intervals = evaluation.intervals(seed=3)
    assert tuple(intervals) == METRICS
    for name in ("UAS", "LAS", HEADLINE, "Trees (labelled)"):
        assert intervals[name].low < evaluation[name].f1 < intervals[name].high
    assert intervals == scored(PERFECT, GOOD).intervals(seed=3)
    assert intervals != evaluation.intervals(seed=4)


def test_a_perfect_score_has_the_interval_from_one_to_one() -> None:
    assert scored(PERFECT, PERFECT).intervals()[HEADLINE] == (1.0, 1.0)


def test_more_sentences_give_a_narrower_interval() -> None:
    few = scored(PERFECT, GOOD).intervals()["UAS"]
    many = scored(PERFECT * 16, GOOD * 16).intervals()["UAS"]
    ratio = (few.high - few.low) / (many.high - many.low)
    assert 3 < ratio < 5  # the square root of 16 is 4


def test_resampling_in_several_steps_draws_as_many_resamples() -> None:
    evaluation = scored(PERFECT, GOOD)
    matrix = evaluation._count_matrix()
    sums = resampling.bootstrap_sums(
        matrix, 40_000, resampling.generator_for(0, 1)
    )  # more than one step
    gold_sentences = list(evaluation.scores).index("Sentences") * 3 + 1
    assert sums.shape == (40_000, len(METRICS) * 3)
    assert set(sums[:, gold_sentences].tolist()) == {60.0}


def test_a_system_does_not_differ_from_itself() -> None:
    evaluation = scored(PERFECT, POOR)
    for name, comparison in compare(evaluation, scored(PERFECT, POOR)).items():
        assert (comparison.delta, comparison.p_value) == (0, 1), name
        assert comparison.interval == (0, 0)


def test_a_clearly_better_system_has_a_small_p_value_that_is_never_zero() -> None:
    poor, good = scored(PERFECT, POOR), scored(PERFECT, GOOD)
    comparison = compare(poor, good)["UAS"]
    assert comparison.p_value == 1 / 10_001
    assert 0 < comparison.interval.low < comparison.delta < comparison.interval.high
    assert comparison.delta == good["UAS"].f1 - poor["UAS"].f1
    opposite = compare(good, poor)["UAS"]
    assert opposite.delta == -comparison.delta
    assert opposite.p_value == comparison.p_value


def test_p_is_the_share_of_all_swaps_that_differ_as_much() -> None:
    # One sentence in three differs, by one word: swapped or not, the systems differ as much.
    first = scored(chains([0] * 3), chains([1, 0, 0]))
    second = scored(chains([0] * 3), chains([0] * 3))
    assert compare(first, second)["UAS"].p_value == 1
    # Three differ by one word each: 2 of the 8 swaps differ as much as the one seen.
    first = scored(chains([0] * 3), chains([1] * 3))
    assert compare(first, second, resamples=20_000)["UAS"].p_value == pytest.approx(0.25, abs=0.02)


def test_systems_alike_are_called_different_as_often_as_the_level_says() -> None:
    generator = random.Random(0)
    found = 0
    for seed in range(100):
        one, other = (
            scored(chains([0] * 20), chains([generator.choice([0, 1, 2, 3]) for _ in range(20)]))
            for _ in range(2)
        )
        found += compare(one, other, resamples=200, seed=seed)["UAS"].p_value <= 0.1
    assert 2 <= found <= 20


def test_systems_measured_on_different_gold_are_not_compared() -> None:
    other_gold = changed("advmod:emph", "advmod")
    with pytest.raises(DataError, match="not evaluated against the same gold"):
        compare(scored(GOLD, GOLD), scored(other_gold, GOLD))


@pytest.mark.parametrize(("resamples", "seed"), [(0, 0), (10, -1)])
def test_no_resamples_or_a_negative_seed_is_an_error(resamples: int, seed: int) -> None:
    evaluation = scored(GOLD, GOLD)
    with pytest.raises(ArctreeError, match="at least one, and no negative seed"):
        evaluation.intervals(resamples=resamples, seed=seed)
    with pytest.raises(ArctreeError, match="at least one, and no negative seed"):
        compare(evaluation, evaluation, resamples=resamples, seed=seed)


def test_own_scores_stand_beside_the_official_ones() -> None:
    assert METRICS == OFFICIAL_METRICS + OWN_METRICS
    assert len(OFFICIAL_METRICS) == 13
    assert tuple(scored(GOLD, GOLD).scores) == METRICS
