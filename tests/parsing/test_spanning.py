from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from arctree.dependency import check_heads
from arctree.errors import DataError
from arctree.parsing.spanning import maximum_spanning_tree
from arctree.theorems import all_heads

Scores = NDArray[np.float64]
FORBIDDEN = -np.inf


def total(scores: Scores, heads: tuple[int, ...]) -> Fraction | float:
    """The exact sum, or minus infinity."""
    chosen = [float(row[head]) for row, head in zip(scores, heads, strict=True)]
    return FORBIDDEN if FORBIDDEN in chosen else sum(map(Fraction, chosen), start=Fraction(0))


def best_total(scores: Scores) -> Fraction | float:
    return max(total(scores, heads) for heads in all_heads(len(scores)))


def spanning(scores: Scores) -> tuple[int, ...]:
    return tuple(maximum_spanning_tree(scores).tolist())


def square(values: st.SearchStrategy[float], largest: int) -> st.SearchStrategy[Scores]:
    return st.integers(1, largest).flatmap(
        lambda size: arrays(np.float64, (size, size + 1), elements=values)
    )


# Whole numbers add up without rounding, and a few of them give many ties.
few = st.integers(-2, 2).map(float)
whole = st.integers(-1000, 1000).map(float)


@pytest.mark.parametrize("size", range(1, 6))
def test_no_tree_scores_higher_by_going_through_all_of_them(size: int) -> None:
    source = np.random.default_rng(size)
    trees = list(all_heads(size))
    words = range(size)
    for spread in [1, 2, 1000] * (20 if size == 5 else 100):
        scores = source.integers(-spread, spread + 1, (size, size + 1)).astype(float)
        best = max(sum(scores[word, heads[word]] for word in words) for heads in trees)
        found = spanning(scores)
        check_heads(found)
        assert sum(scores[word, found[word]] for word in words) == best


@given(square(few | st.just(FORBIDDEN), 4) | square(whole | st.just(FORBIDDEN), 4))
def test_with_forbidden_arcs_the_tree_is_the_best_of_those_allowed_or_there_is_none(
    scores: Scores,
) -> None:
    best = best_total(scores)
    if best == FORBIDDEN:
        with pytest.raises(DataError, match="no tree"):
            maximum_spanning_tree(scores)
    else:
        found = spanning(scores)
        check_heads(found)
        assert total(scores, found) == best


@pytest.mark.parametrize("size", [1, 2, 3])
def test_every_pattern_of_forbidden_arcs_leaves_the_best_tree_or_none(size: int) -> None:
    scores = np.arange(size * (size + 1), dtype=float).reshape(size, -1) ** 2
    places = [(word, head) for word in range(size) for head in range(size + 1) if head != word + 1]
    for pattern in range(1 << len(places)):
        allowed = scores.copy()
        for bit, place in enumerate(places):
            if pattern >> bit & 1:
                allowed[place] = FORBIDDEN
        best = best_total(allowed)
        if best == FORBIDDEN:
            with pytest.raises(DataError, match="no tree"):
                maximum_spanning_tree(allowed)
        else:
            assert total(allowed, spanning(allowed)) == best


@given(square(st.floats(allow_nan=False, allow_infinity=False), 12))
def test_any_finite_scores_give_a_tree_with_one_root(scores: Scores) -> None:
    check_heads(spanning(scores))


@given(square(st.floats(-1e3, 1e3), 4))
def test_scores_with_fractions_give_the_best_tree_up_to_rounding(scores: Scores) -> None:
    found = total(scores, spanning(scores))
    assert float(best_total(scores) - found) <= 1e-9


@given(square(whole, 8), st.floats(0, 1e6))
def test_a_constant_on_every_root_arc_changes_nothing(scores: Scores, constant: float) -> None:
    raised = scores.copy()
    raised[:, 0] += round(constant)
    assert total(scores, spanning(raised)) == total(scores, spanning(scores))


@given(square(few, 10))
def test_the_scores_are_left_as_they_were(scores: Scores) -> None:
    before = scores.copy()
    maximum_spanning_tree(scores)
    assert (scores == before).all()


def test_one_word_hangs_from_the_root() -> None:
    assert spanning(np.array([[-5.0, 100.0]])) == (0,)


def test_no_words_have_no_heads() -> None:
    assert spanning(np.zeros((0, 1))) == ()


def test_the_best_heads_are_taken_where_they_make_a_tree() -> None:
    for heads in all_heads(5):
        scores = np.zeros((5, 6))
        scores[range(5), heads] = 1
        assert spanning(scores) == heads


def test_a_second_root_is_avoided_at_any_price() -> None:
    scores = np.array([[1e9, 0, -1e9], [1e9, -2e9, 0]])
    assert spanning(scores) == (2, 0)


def test_one_root_costs_no_precision() -> None:
    # Constants of 1e20 on the root arcs would swallow the difference of 0.001 between them.
    scores = np.zeros((3, 4))
    scores[0] = [0.001, 0, 0, -1e20]
    scores[1] = [0, 0, 0, -1e20]
    scores[2] = [-1e20, 0, -1e20, 0]
    assert spanning(scores) == (0, 1, 1)


def test_a_word_is_never_its_own_head_whatever_its_score() -> None:
    plain = np.array([[3.0, 0.0, 1.0], [2.0, 5.0, 0.0]])
    for value in (1e300, FORBIDDEN, np.inf, np.nan):
        scores = plain.copy()
        scores[0, 1] = scores[1, 2] = value
        assert spanning(scores) == (0, 1)


def test_scores_at_the_edge_of_the_number_range_do_not_overflow() -> None:
    edge = np.finfo(np.float64).max
    scores = np.full((3, 4), -edge)
    scores[0, 2] = scores[1, 1] = scores[2, 0] = edge  # a cycle of 1 and 2, and 3 below the root
    assert spanning(scores) in [(3, 1, 0), (2, 3, 0)]


def test_scores_may_have_single_precision() -> None:
    scores = np.array([[0, 0, 2], [1, 1.5, 0]], dtype=np.float32)
    assert maximum_spanning_tree(scores).tolist() == [2, 0]


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_score_that_is_no_score_is_refused(value: float) -> None:
    scores = np.zeros((3, 4))
    scores[1, 3] = value
    with pytest.raises(DataError, match="NaN"):
        maximum_spanning_tree(scores)


@pytest.mark.parametrize("shape", [(3, 3), (4, 3), (4,), (2, 2, 3)])
def test_scores_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(DataError, match="shape"):
        maximum_spanning_tree(np.zeros(shape))


def test_three_hundred_words_in_nested_cycles_become_a_tree() -> None:
    # Neighbours want each other most, and pairs of pairs after that: cycles in cycles in cycles.
    places = np.arange(300)
    scores = -np.log2(1.0 + (places[:, None] ^ places[None, :]))
    found = spanning(np.column_stack([np.zeros(300), scores]))
    check_heads(found)
    assert sum(head == 0 for head in found) == 1


def test_a_thousand_words_with_random_scores_become_a_tree() -> None:
    scores = np.random.default_rng(0).normal(size=(1000, 1001))
    check_heads(spanning(scores))
