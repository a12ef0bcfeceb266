from __future__ import annotations

from collections.abc import Iterator
from itertools import count, pairwise

from hypothesis import given
from hypothesis import strategies as st

from arctree.parsing.batches import by_cost, in_groups, in_windows

costs_drawn = st.lists(st.integers(1, 60))


@given(costs_drawn, st.integers(1, 200))
def test_every_number_is_in_one_batch_costs_ascending_and_within_the_budget(
    costs: list[int], budget: int
) -> None:
    batches = by_cost(costs, budget)
    flat = [number for batch in batches for number in batch]
    assert sorted(flat) == list(range(len(costs)))
    assert [costs[number] for number in flat] == sorted(costs)
    for batch in batches:
        most = max(costs[number] for number in batch)
        assert len(batch) * most <= budget or len(batch) == 1


@given(costs_drawn, st.integers(1, 200))
def test_a_batch_ends_only_where_the_next_would_not_have_fitted(
    costs: list[int], budget: int
) -> None:
    for batch, following in pairwise(by_cost(costs, budget)):
        assert (len(batch) + 1) * costs[following[0]] > budget


@given(costs_drawn, st.integers(1, 200), st.integers(1, 300))
def test_groups_hold_the_batches_in_order_and_end_as_soon_as_they_are_full(
    costs: list[int], budget: int, most: int
) -> None:
    groups = list(in_groups(costs, costs, budget, most))
    assert [batch for group in groups for batch in group] == by_cost(costs, budget)

    def total(group: list[list[int]]) -> int:
        return sum(costs[number] for batch in group for number in batch)

    for place, group in enumerate(groups):
        assert total(group) >= most or place == len(groups) - 1
        assert total(group[:-1]) < most


def test_what_costs_the_same_stays_in_order() -> None:
    assert by_cost([2, 1, 2, 1, 2], 4) == [[1, 3], [0, 2], [4]]


def test_a_sentence_above_the_budget_is_a_batch_of_its_own() -> None:
    assert by_cost([50, 3, 50, 3], 10) == [[1, 3], [0], [2]]


def test_nothing_makes_no_batches() -> None:
    assert by_cost([], 10) == []
    assert list(in_windows([], 10)) == []


lists = st.lists(st.lists(st.none(), max_size=9))


@given(lists, st.integers(1, 30), st.integers(1, 8))
def test_windows_keep_the_order_and_end_as_soon_as_they_are_full(
    things: list[list[None]], sizes: int, most: int
) -> None:
    windows = list(in_windows(things, sizes, most))
    flat = [thing for window in windows for thing in window]
    assert [id(thing) for thing in flat] == [id(thing) for thing in things]
    for window in windows:
        assert 1 <= len(window) <= most
        assert sum(map(len, window[:-1])) < sizes
    for window in windows[:-1]:
        assert len(window) == most or sum(map(len, window)) >= sizes


def test_a_stream_without_end_is_read_no_further_than_the_window_that_is_asked_for() -> None:
    seen = []

    def stream() -> Iterator[str]:
        for number in count():
            seen.append(number)
            yield "abc"

    windows = in_windows(stream(), 7)
    assert len(next(windows)) == 3
    assert len(seen) == 3
    assert len(next(windows)) == 3
    assert len(seen) == 6


def test_a_stream_of_nothing_but_short_things_still_comes_in_windows() -> None:
    endless = (() for _ in count())
    assert len(next(in_windows(endless, 10))) == 4096
