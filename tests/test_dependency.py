from __future__ import annotations

import pytest
from hypothesis import given

from arctree.dependency import (
    Arc,
    DependencyTree,
    check_heads,
    find_cycle,
    is_projective,
    nonprojective_arcs,
    preorder_numbers,
)
from arctree.errors import DataError
from arctree.theorems import all_heads, has_crossing_arcs
from strategies import any_heads


def ancestors(word: int, heads: tuple[int, ...]) -> list[int]:
    found = []
    while word:
        word = heads[word - 1]
        found.append(word)
    return found


def test_projectivity_agrees_with_crossing_arcs_on_every_tree_up_to_six_words() -> None:
    for length in range(1, 7):
        for heads in all_heads(length):
            assert is_projective(heads) != has_crossing_arcs(heads)


@given(any_heads(max_size=20))
def test_nonprojective_arcs_pass_over_a_word_that_does_not_descend_from_the_head(
    heads: tuple[int, ...],
) -> None:
    by_definition = [
        (head, word)
        for word, head in enumerate(heads, start=1)
        if any(
            head not in ancestors(between, heads)
            for between in range(min(head, word) + 1, max(head, word))
        )
    ]
    assert nonprojective_arcs(heads) == by_definition
    assert is_projective(heads) == (not by_definition)


def test_an_arc_over_the_root_word_is_not_projective() -> None:
    heads = (3, 0, 2)
    assert not is_projective(heads)
    assert nonprojective_arcs(heads) == [(3, 1)]


@given(any_heads())
def test_subtree_sizes_and_numbers_tell_descendants(heads: tuple[int, ...]) -> None:
    number, size = preorder_numbers(heads)
    for above in range(len(heads) + 1):
        for word in range(1, len(heads) + 1):
            inside = number[above] < number[word] < number[above] + size[above]
            assert inside == (above in ancestors(word, heads))


@pytest.mark.parametrize(
    ("heads", "cycle"),
    [((0, 1, 2), ()), ((1, 0), (1,)), ((2, 3, 1, 0), (1, 2, 3)), ((0, 3, 4, 2), (2, 3, 4))],
)
def test_a_cycle_is_told_word_by_word(heads: tuple[int, ...], cycle: tuple[int, ...]) -> None:
    assert find_cycle(heads) == cycle


@pytest.mark.parametrize(
    ("heads", "fault"),
    [
        ((), "without words"),
        ((2,), "the last word is 1"),
        ((-1,), "the last word is 1"),
        ((0, 0, 1), "2 roots: words 1, 2"),
        ((2, 1), "no root"),
        ((2, 1, 0), "a cycle: 1 -> 2 -> 1"),
    ],
)
def test_heads_that_are_no_tree_are_refused(heads: tuple[int, ...], fault: str) -> None:
    with pytest.raises(DataError, match=fault):
        check_heads(heads)
    if heads:
        with pytest.raises(DataError, match=fault):
            DependencyTree(("w",) * len(heads), heads, ("x",) * len(heads))


def test_columns_of_different_length_and_empty_texts_are_refused() -> None:
    for words, heads, labels, tags in (
        (("a",), (0, 1), ("x",), ()),
        (("a",), (0,), ("x", "y"), ()),
        (("a",), (0,), ("x",), ("t", "u")),
        (("",), (0,), ("x",), ()),
        (("a",), (0,), ("",), ()),
        (("a",), (0,), ("x",), ("",)),
    ):
        with pytest.raises(DataError):
            DependencyTree(words, heads, labels, tags)


def test_the_paper_s_graph(book: DependencyTree) -> None:
    assert book.root == 1
    assert book.is_projective()
    assert book.arcs() == [
        Arc(0, 1, "root"),
        Arc(1, 2, "iobj"),
        Arc(5, 3, "det"),
        Arc(5, 4, "compound"),
        Arc(1, 5, "dobj"),
    ]


def test_a_tree_cannot_be_changed(book: DependencyTree) -> None:
    with pytest.raises(AttributeError):
        book.heads = (0, 1, 1, 1, 1)  # type: ignore[misc]
