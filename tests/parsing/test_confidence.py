from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arctree.errors import DataError
from arctree.parsing.confidence import Confidence

probability = st.floats(0, 1)


def test_the_straight_curve_leaves_probabilities_as_they_are() -> None:
    probabilities = np.array([0.01, 0.25, 0.5, 0.9, 0.999])
    np.testing.assert_allclose(Confidence().of(probabilities), probabilities)


@given(st.floats(0, 100), st.floats(-100, 100), st.lists(probability, min_size=2, max_size=20))
def test_confidences_are_probabilities_in_the_order_of_what_they_are_made_of(
    slope: float, offset: float, drawn: list[float]
) -> None:
    found = Confidence(slope, offset).of(np.sort(np.array(drawn)))
    assert ((found >= 0) & (found <= 1)).all()
    assert (np.diff(found) >= 0).all()


@pytest.mark.parametrize(("slope", "offset"), [(0.6, 0.5), (1.0, 0.0), (2.0, -1.0)])
def test_the_curve_by_which_answers_came_about_is_found(slope: float, offset: float) -> None:
    source = np.random.default_rng(1)
    probabilities = source.beta(5, 1, 50_000)
    true = Confidence(slope, offset).of(probabilities)
    found = Confidence.fitted(probabilities, source.random(50_000) < true)
    assert (found.slope, found.offset) == pytest.approx((slope, offset), abs=0.1)


@given(st.lists(st.tuples(probability, st.booleans()), max_size=30))
def test_whatever_the_answers_a_rising_curve_is_found(drawn: list[tuple[float, bool]]) -> None:
    probabilities = np.array([each for each, _ in drawn], dtype=np.float64)
    is_right = np.array([right for _, right in drawn], dtype=np.bool_)
    found = Confidence.fitted(probabilities, is_right)
    assert found.slope >= 0
    assert np.isfinite(found.of(probabilities)).all()


def test_a_few_arcs_do_not_make_a_parser_certain() -> None:
    found = Confidence.fitted(np.full(5, 0.9), np.ones(5, dtype=np.bool_))
    assert found.of(np.array([0.9]))[0] < 0.99


def test_a_curve_that_falls_is_refused() -> None:
    with pytest.raises(DataError, match=r"confidence\.slope is -1"):
        Confidence.read({"slope": -1.0})
