from __future__ import annotations

import json

import pytest

from command_line import Arctree


def test_verify_prints_what_it_went_through(arctree: Arctree) -> None:
    result = arctree("verify", "--max-length", "4", "--random", "2", "--random-length", "30")
    assert result.status == 0
    rows = [line.split() for line in result.out.splitlines()[1:5]]
    assert [row[:4] for row in rows] == [
        ["1", "1", "1", "1"],
        ["2", "2", "2", "2"],
        ["3", "9", "7", "8"],
        ["4", "64", "30", "40"],
    ]
    form = json.loads(arctree("verify", "--max-length", "3", "--random", "0", "--json").out)
    assert form["holds"] is True
    assert [row["projective"] for row in form["exhaustive"]] == [1, 2, 7]


def test_verify_fails_with_status_1_and_the_case(
    arctree: Arctree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arctree.theorems.count_derivations", lambda heads: 1)
    result = arctree("verify", "--max-length", "3")
    assert result.status == 1
    assert "(2, 0, 2)" in result.err
    assert json.loads(arctree("verify", "--max-length", "3", "--json").out)["holds"] is False
