"""Tests that share what is slow to make are run by one process: it is made once."""

from __future__ import annotations

import pytest


@pytest.mark.xdist_group("training")
def test_a_test_of_a_group_is_known_as_such(request: pytest.FixtureRequest) -> None:
    """A release of pytest once made pytest-xdist lose the groups, and said nothing."""
    is_grouped = request.config.getoption("loadgroup", default=False)
    assert request.node.nodeid.endswith("@training") == is_grouped
