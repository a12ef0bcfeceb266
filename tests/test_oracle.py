from __future__ import annotations

import random
from itertools import islice
from math import comb

import pytest
from hypothesis import given

from arctree.dependency import DependencyTree
from arctree.errors import DataError
from arctree.oracle import (
    Derivation,
    canonical_derivation,
    count_derivations,
    derivations,
    derive,
    random_derivation,
)
from arctree.ordered import from_dependency
from arctree.theorems import all_heads, has_crossing_arcs
from arctree.transitions import LEFTARC, RIGHTARC, SHIFT, IllegalTransitionError
from strategies import projective_trees


def tree_of(heads: tuple[int, ...]) -> DependencyTree:
    return DependencyTree(("w",) * len(heads), heads, ("x",) * len(heads))


def test_the_paper_s_sentence_has_one_derivation(book: DependencyTree) -> None:
    assert count_derivations(book.heads) == 1
    assert list(derivations(book)) == [canonical_derivation(book)]


def test_a_head_with_dependents_on_both_sides_has_several_the_canonical_one_first() -> None:
    tree = DependencyTree(("he", "sleeps", "well"), (2, 0, 2), ("nsubj", "root", "advmod"))
    assert list(derivations(tree)) == [
        (SHIFT, SHIFT, LEFTARC, SHIFT, RIGHTARC, RIGHTARC),
        (SHIFT, SHIFT, SHIFT, RIGHTARC, LEFTARC, RIGHTARC),
    ]
    assert count_derivations(tree.heads) == 2


@given(projective_trees)
def test_the_canonical_derivation_reduces_as_soon_as_it_can(tree: DependencyTree) -> None:
    """An arc of the tree whose dependent is complete is never left for later."""
    arcs = {(head, word) for word, head in enumerate(tree.heads, start=1)}
    for step in derive(tree):
        stack = [*step.configuration.stack, None][:2]
        attached = step.configuration.arcs

        def complete(word: int | None, attached: frozenset[tuple[int, int]] = attached) -> bool:
            return all(arc in attached for arc in arcs if arc[0] == word)

        if stack[1] is None:
            assert step.transition in (SHIFT, None)
        elif (stack[0], stack[1]) in arcs and complete(stack[1]):
            assert step.transition is LEFTARC
        elif (stack[1], stack[0]) in arcs and complete(stack[0]):
            assert step.transition is RIGHTARC
        else:
            assert step.transition is SHIFT


@given(projective_trees)
def test_every_derivation_builds_the_tree_of_algorithm_1(tree: DependencyTree) -> None:
    for way in islice(derivations(tree), 20):
        *_, last = derive(tree, way)
        assert last.mapped.finished == from_dependency(tree.unlabeled())
        assert last.configuration.arcs == {
            (head, word) for word, head in enumerate(tree.heads, start=1)
        }


def test_the_closed_form_counts_every_derivation_of_every_tree_up_to_six_words() -> None:
    for length in range(1, 7):
        total = 0
        for heads in all_heads(length):
            if not has_crossing_arcs(heads):
                ways = list(derivations(tree_of(heads)))
                assert len(ways) == len(set(ways)) == count_derivations(heads)
                total += len(ways)
        # All shift-reduce orders, each reduction to the left or to the right.
        assert total == comb(2 * length - 2, length - 1) // length * 2 ** (length - 1)


def test_derivations_are_listed_lazily() -> None:
    # Twenty dependents on each side: 137,846,528,820 derivations.
    heads = tuple(0 if word == 21 else 21 for word in range(1, 42))
    assert count_derivations(heads) == comb(40, 20)
    assert len(list(islice(derivations(tree_of(heads)), 3))) == 3


def test_a_random_derivation_is_one_of_them_and_they_vary() -> None:
    tree = tree_of((2, 0, 2, 2, 4))
    ways = set(derivations(tree))
    drawn = {random_derivation(tree, random.Random(seed)) for seed in range(50)}
    assert drawn <= ways
    assert len(drawn) > 1


def test_a_nonprojective_tree_has_no_derivation() -> None:
    with pytest.raises(DataError, match="passes over"):
        canonical_derivation(tree_of((3, 4, 0, 1)))


def test_a_derivation_is_gone_through_as_often_as_one_likes(book: DependencyTree) -> None:
    derivation = derive(book)
    assert derivation.tree is book
    assert derivation.transitions == canonical_derivation(book)
    assert list(derivation) == list(derivation)
    assert len(derivation) == len(list(derivation)) == 2 * len(book) + 1


def test_derivations_of_one_tree_are_equal_when_their_transitions_are() -> None:
    tree = tree_of((2, 0, 2))
    first, second = derivations(tree)
    assert derive(tree) == Derivation(tree, first) == derive(tree, list(first))
    assert derive(tree) != derive(tree, second)
    assert len({derive(tree), derive(tree, first), derive(tree, second)}) == 2


def test_a_derivation_knows_what_it_is_of(book: DependencyTree) -> None:
    assert repr(derive(book)) == "<Derivation of 'book me the morning flight', 10 transitions>"
    long = tree_of((0, *range(1, 1000)))
    assert len(repr(derive(long))) < 120


def test_an_illegal_transition_is_refused_before_the_first_step(book: DependencyTree) -> None:
    with pytest.raises(IllegalTransitionError, match="transition 2, LEFTARC, is not legal: the ro"):
        derive(book, (SHIFT, LEFTARC))


def test_a_derivation_may_be_a_beginning_or_lead_elsewhere(book: DependencyTree) -> None:
    assert len(list(derive(book, (SHIFT, SHIFT)))) == 3
    *_, last = derive(book, (SHIFT,) * 5 + (LEFTARC,) * 4 + (RIGHTARC,))
    assert last.configuration.is_terminal
