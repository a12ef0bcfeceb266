from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import BOOK, TREEBANK, Arctree


def test_evaluate_scores_one_system_and_compares_two(
    arctree: Arctree, treebank: Path, tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.conllu"
    wrong.write_text(TREEBANK.replace("obj", "iobj"), "utf-8")
    table = arctree("evaluate", treebank, wrong, "--tables")
    assert table.status == 0
    assert table.out.splitlines()[2].split()[3:4] == ["83.33"]
    assert "nmod" in table.out
    form = json.loads(arctree("evaluate", treebank, wrong, treebank, "--json").out)
    assert form["scores"]["UAS"]["f1"] == 1
    assert form["comparison"]["LAS"]["second"] == 1
    assert form["comparison"]["LAS"]["first"] == pytest.approx(5 / 6)


def test_evaluate_of_different_texts_is_an_error(arctree: Arctree, treebank: Path) -> None:
    result = arctree("evaluate", treebank, BOOK)
    assert result.status == 1
    assert "the text differs" in result.err


def test_gold_from_standard_input_serves_both_systems(arctree: Arctree, treebank: Path) -> None:
    result = arctree("evaluate", "-", treebank, treebank, stdin=TREEBANK.encode())
    assert result.status == 0
    assert "second against first" in result.out
