from __future__ import annotations

import pytest
from hypothesis import given

from arctree.conllu import read_text
from arctree.dependency import DependencyTree
from arctree.study.judging import judge
from arctree.study.sides import SIDES, by_side, sides_of
from strategies import trees

GOLD = "".join(
    f"{number}\tw{number}\t_\t_\t_\t_\t{head}\t{'root' if head == 0 else 'dep'}\t_\t_\n"
    for number, head in enumerate([3, 3, 0, 5, 3], start=1)
)


@given(trees())
def test_every_word_has_one_side(tree: DependencyTree) -> None:
    for word, (head, side) in enumerate(zip(tree.heads, sides_of(tree.heads), strict=True), 1):
        fellows = [w for w, h in enumerate(tree.heads, 1) if h == head and w < h and w != word]
        assert (SIDES[side] == "root") == (head == 0)
        assert (SIDES[side] == "right") == (0 < head < word)
        if word < head:
            assert (SIDES[side] == "left, with others") == bool(fellows)


def test_accuracy_is_counted_on_each_side_over_seeds() -> None:
    gold = list(read_text(GOLD + "\n"))
    first = list(read_text(GOLD.replace("1\tw1\t_\t_\t_\t_\t3", "1\tw1\t_\t_\t_\t_\t2") + "\n"))
    other_label = GOLD.replace("5\tw5\t_\t_\t_\t_\t3\tdep", "5\tw5\t_\t_\t_\t_\t3\tx")
    second = list(read_text(other_label + "\n"))
    rows = by_side(gold, [judge(gold, answers, "toy") for answers in (first, second)])
    assert [(row["side"], row["words"]) for row in rows] == [
        ("root", 1),
        ("left, alone", 1),
        ("left, with others", 2),
        ("right", 1),
    ]
    assert [row["uas"] for row in rows] == [1, 1, pytest.approx(0.75), 1]
    assert [row["las"] for row in rows] == [1, 1, pytest.approx(0.75), pytest.approx(0.5)]
