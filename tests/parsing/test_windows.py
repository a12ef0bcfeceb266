from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from arctree.parsing.windows import Window, overlapping_windows


def shorter_side(window: Window, position: int) -> int:
    """How many neighbours a position has in a window on the side where it has fewer."""
    return min(position - window.start, window.stop - 1 - position)


def assert_windows(length: int, reach: int) -> None:
    windows = overlapping_windows(length, reach)
    taken = [position for window in windows for position in range(window.first, window.last)]
    assert taken == list(range(length))
    for window in windows:
        assert window.start <= window.first < window.last <= window.stop
        assert window.stop - window.start == min(length, reach)
        for position in range(window.first, window.last):
            elsewhere = [
                shorter_side(other, position)
                for other in windows
                if other.start <= position < other.stop
            ]
            assert shorter_side(window, position) == max(elsewhere)


def test_every_position_is_taken_once_where_it_has_the_most_context_on_its_shorter_side() -> None:
    for length in range(1, 41):
        for reach in range(1, 41):
            assert_windows(length, reach)


@given(st.integers(1, 500), st.integers(1, 100))
def test_the_same_holds_for_longer_inputs(length: int, reach: int) -> None:
    assert_windows(length, reach)


def test_what_the_encoder_reaches_is_one_window() -> None:
    assert overlapping_windows(6, 6) == [Window(0, 6, 0, 6)]
    assert overlapping_windows(0, 6) == [Window(0, 0, 0, 0)]
    assert len(overlapping_windows(7, 6)) == 2


def test_neighbouring_windows_share_at_least_half_of_their_width() -> None:
    for length in range(1, 100):
        for reach in (2, 3, 10, 17):
            windows = overlapping_windows(length, reach)
            for window, following in pairwise(windows):
                assert 2 * (window.stop - following.start) >= reach


def test_positions_at_a_border_have_a_quarter_of_the_width_on_either_side() -> None:
    # Half the width is shared, and the border lies in the middle of that.
    windows = overlapping_windows(10_000, 512)
    for window in windows[1:]:
        assert shorter_side(window, window.first) >= 127
    for window in windows[:-1]:
        assert shorter_side(window, window.last - 1) >= 127


def test_the_windows_of_ten_positions_are_those_of_the_docstring() -> None:
    assert overlapping_windows(10, 6) == [(0, 6, 0, 4), (3, 9, 4, 6), (4, 10, 6, 10)]
