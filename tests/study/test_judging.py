from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arctree.conllu import read_text
from arctree.errors import DataError
from arctree.evaluation import evaluate
from arctree.scores import compare
from arctree.sentence import Sentence
from arctree.study.judging import (
    SCORES,
    Judged,
    by_arc_length,
    by_sentence_length,
    differences,
    judge,
    mean_overlap,
    overlap,
    spread,
)
from toy_language import toy_treebank


def sentence(*words: tuple[int, str]) -> Sentence:
    rows = [
        f"{place}\tw{place}\t_\t_\t_\t_\t{head}\t{label}\t_\t_\n"
        for place, (head, label) in enumerate(words, start=1)
    ]
    return next(read_text("".join(rows) + "\n"))


# Two sentences; the answer has one wrong label, and in the second one wrong head.
GOLD = [
    sentence((2, "det"), (0, "root"), (2, "obj")),
    sentence((0, "root"), (4, "det"), (4, "amod"), (1, "obj")),
]
ANSWER = [
    sentence((2, "det"), (0, "root"), (2, "iobj")),
    sentence((0, "root"), (1, "det"), (4, "amod"), (1, "obj")),
]


def test_scores_are_those_of_the_evaluation() -> None:
    judged = judge(GOLD, ANSWER, "answer")
    assert judged.score("uas") == pytest.approx(6 / 7)
    assert judged.score("las") == pytest.approx(5 / 7)
    assert judged.score("trees") == 0.5
    assert judged.score("labelled_trees") == 0
    assert judged.score("labels") == pytest.approx(5 / 6)
    assert judged.wrong.tolist() == [False] * 4 + [True] + [False] * 2
    assert judged.right_heads.mean() == judged.score("uas")
    assert judged.right_arcs.mean() == pytest.approx(judged.score("las"))


def test_other_sentences_are_refused() -> None:
    with pytest.raises(DataError, match=r"there: not the sentences of the gold file"):
        judge(GOLD, ANSWER[:1], "there")


def test_spread_is_half_the_distance_between_best_and_worst() -> None:
    found = spread([0.5, 0.9, 0.7])
    assert found["mean"] == pytest.approx(0.7)
    assert found["spread"] == pytest.approx(0.2)
    assert found["values"] == [0.5, 0.9, 0.7]
    assert spread([0.5])["spread"] == 0


def test_accuracy_by_sentence_length() -> None:
    [row] = by_sentence_length([judge(GOLD, ANSWER, "a"), judge(GOLD, GOLD, "b")])
    assert (row["first"], row["last"], row["words"], row["sentences"]) == (1, 5, 7, 2)
    assert row["uas"] == pytest.approx((6 / 7 + 1) / 2)
    assert row["las"] == pytest.approx((5 / 7 + 1) / 2)


def test_accuracy_by_arc_length_has_precision_and_recall() -> None:
    # Gold lengths 1 0 1 | 0 2 1 3, the answer's 1 0 1 | 0 1 1 3.
    found = {row["first"]: row for row in by_arc_length([judge(GOLD, ANSWER, "a")])}
    assert {first: (row["gold"], row["system"]) for first, row in found.items()} == {
        0: (2, 2),
        1: (3, 4),
        2: (1, 0),
        3: (1, 1),
    }
    assert found[1]["uas"] == {"precision": 0.75, "recall": 1, "f1": pytest.approx(6 / 7)}
    assert found[1]["las"]["recall"] == pytest.approx(2 / 3)
    assert found[2]["uas"] == {"precision": 0, "recall": 0, "f1": 0}
    assert found[3]["las"] == {"precision": 1, "recall": 1, "f1": 1}


def test_recall_by_arc_length_is_that_of_the_evaluation() -> None:
    gold, other = toy_treebank(40, 1), toy_treebank(40, 2)
    answers = [
        asked.with_arcs(_shifted(asked), said.deprels[: len(asked)])
        if len(said) >= len(asked)
        else asked
        for asked, said in zip(gold, other, strict=True)
    ]
    judged = judge(gold, answers, "a")
    for row in by_arc_length([judged]):
        [bucket] = [b for b in judged.evaluation.arc_lengths if b.first == row["first"]]
        assert row["uas"]["recall"] == pytest.approx(bucket.uas)
        assert row["las"]["recall"] == pytest.approx(bucket.las)


def _shifted(given: Sentence) -> list[int]:
    """A chain: every word hangs from the one before it."""
    return list(range(len(given)))


errors = st.lists(st.booleans(), min_size=12, max_size=12).map(np.array)


@given(errors, errors)
def test_overlap_is_a_share_and_whole_with_itself(
    first: np.ndarray[tuple[int], np.dtype[np.bool_]],
    second: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> None:
    share = overlap(first, second)
    if not first.any():
        assert share is None
        return
    assert share is not None
    assert 0 <= share <= 1
    assert overlap(first, first) == 1
    assert overlap(first, np.ones(12, bool)) == 1
    assert share * first.sum() == pytest.approx((first & second).sum())


def test_overlap_of_systems_is_the_mean_over_pairs_of_seeds() -> None:
    a1, a2, b = (np.array(bits, bool) for bits in ([1, 1, 0, 0], [0, 1, 1, 0], [1, 1, 1, 1]))
    first, second = [a1, a2], [b]
    assert mean_overlap(first, second) == 1
    assert mean_overlap(second, first) == 0.5
    assert mean_overlap(first, first) == 0.5  # each seed with the other one
    assert mean_overlap(second, second) is None  # one seed has no other
    assert mean_overlap([np.zeros(4, bool)], second) is None


def test_a_system_does_not_differ_from_itself() -> None:
    seeds = [judge(GOLD, ANSWER, "a"), judge(GOLD, GOLD, "b")]
    for found in differences(seeds, seeds, resamples=100).values():
        assert found["delta"] == 0
        assert found["interval"] == [0, 0]
        assert found["p_value"] == 1


def test_with_one_seed_differences_are_those_of_the_comparison() -> None:
    gold = toy_treebank(60, 1)
    answers = [
        asked.with_arcs(_shifted(asked), asked.deprels) if place % 7 == 0 else asked
        for place, asked in enumerate(gold)
    ]
    expected = compare(evaluate(gold, gold), evaluate(gold, answers), resamples=200)
    found = differences([judge(gold, gold, "a")], [judge(gold, answers, "b")], resamples=200)
    for name, score in SCORES.items():
        assert found[name]["delta"] == pytest.approx(expected[score].delta)
        assert found[name]["p_value"] == pytest.approx(expected[score].p_value, abs=0.05)
    assert found["uas"]["delta"] < 0


def test_differences_are_those_of_the_means_over_seeds() -> None:
    reference = [judge(GOLD, GOLD, "a"), judge(GOLD, ANSWER, "b")]
    system = [judge(GOLD, ANSWER, "a"), judge(GOLD, ANSWER, "b")]
    found = differences(reference, system, resamples=10)

    def mean(seeds: list[Judged], name: str) -> float:
        return sum(judged.score(name) for judged in seeds) / len(seeds)

    for name in SCORES:
        assert found[name]["delta"] == pytest.approx(mean(system, name) - mean(reference, name))
