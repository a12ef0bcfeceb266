from __future__ import annotations

import json
from pathlib import Path

from command_line import BOOK, PROJECT, Arctree


def test_derive_shows_table_2(arctree: Arctree) -> None:
    result = arctree("derive", BOOK)
    assert result.out.startswith("book, derivation 1 of 1 (canonical)\n")
    assert [line for line in result.out.splitlines() if "DONE" in line]
    assert result.out.count("SHIFT") == 5
    assert "flight → morning" in result.out


def test_derive_shows_any_derivation_by_its_number(arctree: Arctree) -> None:
    both = PROJECT / "examples" / "choice.conllu"
    first = arctree("derive", both, "--to", "json")
    second = arctree("derive", both, "--to", "json", "--derivation", "2")
    forms = [json.loads(result.out) for result in (first, second)]
    assert [form["derivations"] for form in forms] == [2, 2]
    assert forms[0]["tree"] == forms[1]["tree"]
    assert forms[0]["steps"] != forms[1]["steps"]
    assert arctree("derive", both, "--derivation", "3").status == 2


def test_derive_and_draw_lift_first_and_say_so(arctree: Arctree, treebank: Path) -> None:
    derived = arctree("derive", treebank, "--sentence", "two")
    assert derived.status == 0
    assert "sentence two is not projective: 2 of its arcs lifted" in derived.err
    drawn = arctree("draw", treebank, "--sentence", "2", "--view", "tree")
    assert "sentence two is not projective: 2 of its arcs lifted" in drawn.err


def test_a_huge_number_of_derivations_is_told_by_its_magnitude(arctree: Arctree) -> None:
    size = 15_000
    middle = size // 2
    rows = [
        f"{word}\tw\t_\t_\t_\t_\t{0 if word == middle else middle}\tdep\t_\t_\n"
        for word in range(1, size + 1)
    ]
    text = ("".join(rows) + "\n").encode()
    assert "of about 10^4" in arctree("derive", "-", stdin=text).out[:100]
    assert json.loads(arctree("derive", "-", "--to", "json", stdin=text).out)["derivations"] is None
