from __future__ import annotations

import pytest
from hypothesis import given

from arctree.conllu import read_text
from arctree.dependency import DependencyTree
from arctree.lifting import Scheme, lift
from arctree.study.groups import SIDES, by_frequency, by_lifting, by_side, sides_of
from arctree.study.judging import judge
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
    rows = by_side(gold).rows([judge(gold, answers, "toy") for answers in (first, second)])
    assert [(row["group"], row["words"]) for row in rows] == [
        ("root", 1),
        ("left, alone", 1),
        ("left, with others", 2),
        ("right", 1),
    ]
    assert [row["uas"] for row in rows] == [1, 1, pytest.approx(0.75), 1]
    assert [row["las"] for row in rows] == [1, 1, pytest.approx(0.75), pytest.approx(0.5)]


def spoken(words: str, heads: list[int]) -> str:
    return (
        "".join(
            f"{number}\t{word}\t_\t_\t_\t_\t{head}\t{'dep' if head else 'root'}\t_\t_\n"
            for number, (word, head) in enumerate(zip(words.split(), heads, strict=True), start=1)
        )
        + "\n"
    )


def test_accuracy_is_counted_by_how_often_a_word_was_seen_as_it_is_spelt() -> None:
    often = " ".join(["many"] * 51 + ["some"] * 50 + ["few"] * 5 + ["The"])
    train = list(read_text(spoken(often, [*range(107)])))
    gold = list(read_text(spoken("many some few The the new", [0, 1, 2, 3, 4, 5])))
    answers = list(read_text(spoken("many some few The the new", [0, 1, 1, 3, 4, 4])))
    rows = by_frequency(train, gold).rows([judge(gold, answers, "toy")])
    assert [(row["group"], row["words"], row["uas"]) for row in rows] == [
        ("never", 2, 0.5),
        ("1 to 5 times", 2, 0.5),
        ("6 to 50", 1, 1),
        ("more than 50", 1, 1),
    ]


@given(trees())
def test_lifted_words_are_those_whose_head_the_lifting_changes(tree: DependencyTree) -> None:
    gold = list(read_text(spoken(" ".join(["w"] * len(tree)), list(tree.heads))))
    for scheme in Scheme:
        moved = [a != b for a, b in zip(tree.heads, lift(tree, scheme).heads, strict=True)]
        rows = by_lifting(gold).rows([judge(gold, gold, "toy")])
        counted = {row["group"]: row["words"] for row in rows}
        assert counted.get("lifted", 0) == sum(moved)
        assert sum(counted.values()) == len(tree)


def test_lifted_words_are_scored_by_their_heads_in_gold() -> None:
    gold = list(read_text(spoken("a b c d", [3, 4, 0, 3])))  # 4 -> 2 is crossed by 3 -> 1
    answers = list(read_text(spoken("a b c d", [3, 3, 0, 3])))
    rows = by_lifting(gold).rows([judge(gold, answers, "toy")])
    assert [(row["group"], row["words"], row["uas"]) for row in rows] == [
        ("not lifted", 3, 1),
        ("lifted", 1, 0),
    ]
