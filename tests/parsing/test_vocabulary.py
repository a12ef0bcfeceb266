from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from arctree.parsing.vocabulary import Vocabulary

values_drawn = st.lists(st.sampled_from(["a", "b", "c", "", "é", "語", "_", "<unknown>"]))


@given(values_drawn, st.integers(1, 3), st.sampled_from([(), ("<unknown>",), ("b", "x")]))
def test_values_are_numbered_from_the_most_frequent_on_after_the_reserved(
    values: list[str], least: int, reserved: tuple[str, ...]
) -> None:
    vocabulary = Vocabulary.of(values, least=least, reserved=reserved)
    counts = Counter(values)
    kept = vocabulary.values[len(reserved) :]
    assert vocabulary.values[: len(reserved)] == reserved
    assert set(kept) == {value for value in values if counts[value] >= least} - set(reserved)
    assert len(set(vocabulary.values)) == len(vocabulary)
    for value, following in pairwise(kept):
        assert (-counts[value], value) < (-counts[following], following)


@given(values_drawn)
def test_the_order_in_which_values_come_makes_no_difference(values: list[str]) -> None:
    assert Vocabulary.of(values).values == Vocabulary.of(reversed(values)).values


@given(values_drawn, values_drawn, st.sampled_from([-1, 0]))
def test_a_value_has_its_place_as_its_number_and_an_unknown_one_the_number_given(
    values: list[str], others: list[str], unknown: int
) -> None:
    vocabulary = Vocabulary.of(values, unknown=unknown)
    for number, value in enumerate(vocabulary.values):
        assert vocabulary[value] == number
        assert value in vocabulary
    for value in others:
        assert (value in vocabulary) == (value in values)
        assert value in vocabulary or vocabulary[value] == unknown
    assert vocabulary.numbers(iter(others)) == [vocabulary[value] for value in others]


@given(values_drawn)
def test_a_vocabulary_survives_json(values: list[str]) -> None:
    vocabulary = Vocabulary.of(values)
    again = Vocabulary(json.loads(json.dumps(vocabulary.values)))
    assert again.values == vocabulary.values
    assert again.numbers(values) == vocabulary.numbers(values)
