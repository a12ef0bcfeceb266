from __future__ import annotations

import doctest
import random
from collections.abc import Iterator
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arctree import head_ordered as module
from arctree.dependency import DependencyTree, dependents, is_projective
from arctree.errors import DataError
from arctree.head_ordered import (
    HeadOrderedTree,
    constituents,
    derivation_of,
    differences,
    head_ordered,
)
from arctree.labels import escape
from arctree.oracle import (
    canonical_derivation,
    count_derivations,
    derivations,
    derive,
    random_derivation,
)
from arctree.ordered import Leaf, OrderedTree, from_dependency
from arctree.theorems import all_heads
from arctree.transitions import LEFTARC, RIGHTARC, SHIFT
from deep import CHAIN, DEEP
from strategies import projective_trees

HE_SLEEPS_WELL = DependencyTree(
    ("he", "sleeps", "well"), (2, 0, 2), ("nsubj", "root", "advmod")
).unlabeled()


def tree_of(heads: tuple[int, ...]) -> DependencyTree:
    words = tuple(f"w{position}" for position in range(1, len(heads) + 1))
    return DependencyTree(words, heads, ("UA",) * len(heads)).unlabeled()


def test_the_two_derivations_of_he_sleeps_well_differ_in_the_order_at_sleeps() -> None:
    early, late = map(head_ordered, derivations(HE_SLEEPS_WELL))
    assert early == HeadOrderedTree((2, 0, 2), (1, 1, 2))
    assert late == HeadOrderedTree((2, 0, 2), (2, 1, 1))
    assert differences(early, late) == (2,)
    assert differences(early, early) == ()
    words = HE_SLEEPS_WELL.words
    assert constituents(early, words) == "(sleeps (sleeps he sleeps) well)"
    assert constituents(late, words) == "(sleeps he (sleeps sleeps well))"
    assert early.tied() == late.tied()
    assert constituents(early.tied(), words) == "(sleeps he sleeps well)"


def test_the_paper_s_sentence_attaches_each_side_inside_out(book: DependencyTree) -> None:
    tree = head_ordered(canonical_derivation(book))
    assert tree == HeadOrderedTree(book.heads, (1, 1, 2, 1, 2))
    assert tree.levels() == [[[1]], [[2], [5]], [], [], [], [[4], [3]]]
    assert constituents(tree, book.words) == (
        "(book (book book me) (flight the (flight morning flight)))"
    )
    assert constituents(tree.tied(), book.words) == "(book book me (flight the morning flight))"


def all_ranks(heads: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Every way of giving the dependents of each head the ranks 1 to k, nested or not."""
    rows = dependents(heads)
    for orders in product(*(permutations(range(1, len(row) + 1)) for row in rows)):
        ranks = [0] * len(heads)
        for row, order in zip(rows, orders, strict=True):
            for word, rank in zip(row, order, strict=True):
                ranks[word - 1] = rank
        yield tuple(ranks)


def is_nested(heads: tuple[int, ...], ranks: tuple[int, ...]) -> bool:
    """By the definition: of two dependents on one side the closer one comes first."""
    words = range(1, len(heads) + 1)
    return all(
        ranks[closer - 1] < ranks[farther - 1]
        for closer, farther in permutations(words, 2)
        if heads[closer - 1] == heads[farther - 1]
        and (farther < closer < heads[closer - 1] or heads[closer - 1] < closer < farther)
    )


@pytest.mark.parametrize("length", range(1, 7))
def test_derivations_and_strict_nested_orders_are_the_same_thing(length: int) -> None:
    for heads in filter(is_projective, all_heads(length)):
        orders = []
        for ranks in all_ranks(heads):
            if is_nested(heads, ranks):
                orders.append(HeadOrderedTree(heads, ranks))
            else:
                with pytest.raises(DataError, match="closer on the same side"):
                    HeadOrderedTree(heads, ranks)
        ways = list(derivations(tree_of(heads)))
        assert {head_ordered(way) for way in ways} == set(orders)
        assert len(ways) == len(orders) == count_derivations(heads)
        for way in ways:
            assert derivation_of(head_ordered(way)) == way
        for order in orders:
            assert order.is_strict
            assert head_ordered(derivation_of(order)) == order


@pytest.mark.parametrize("length", range(1, 7))
def test_derivations_of_one_tree_differ_in_the_order_and_never_in_the_ordered_tree(
    length: int,
) -> None:
    for heads in filter(is_projective, all_heads(length)):
        tree = tree_of(heads)
        orders, built = [], set()
        for way in derivations(tree):
            *_, last = derive(tree, way)
            built.add(last.mapped.finished)
            orders.append(head_ordered(way))
        assert built == {from_dependency(tree)}
        assert len({order.tied() for order in orders}) == 1
        for first, second in permutations(orders, 2):
            found = differences(first, second)
            assert found
            levels = zip(first.levels(), second.levels(), strict=True)
            assert found == tuple(head for head, (one, other) in enumerate(levels) if one != other)
            # A head can be ordered in several ways only if it has dependents on both sides.
            for head in found:
                row = dependents(heads)[head]
                assert row[0] < head < row[-1]


def without_nodes_over_single_words(tree: OrderedTree) -> str:
    """T(D) in brackets, its nodes named after their anchors, those with one child left out."""
    parts: list[str] = []
    agenda: list[OrderedTree | Leaf | str] = [tree]
    while agenda:
        item = agenda.pop()
        if isinstance(item, str):
            parts.append(item)
        elif isinstance(item, Leaf):
            parts.append(f" {escape(item.word)}")
        elif len(item.children) == 1:
            agenda.append(item.anchor)
        else:
            parts.append(f" ({escape(item.anchor.word)}")
            agenda += [")", *reversed(item.children)]
    return "".join(parts)[1:]


@given(projective_trees, st.randoms(use_true_random=False))
def test_with_all_dependents_of_a_head_at_one_level_the_constituents_are_those_of_the_ordered_tree(
    tree: DependencyTree, source: random.Random
) -> None:
    order = head_ordered(random_derivation(tree, source))
    printed = constituents(order.tied(), tree.words)
    assert printed == without_nodes_over_single_words(from_dependency(tree))


@given(projective_trees, st.randoms(use_true_random=False))
def test_the_constituents_of_a_strict_order_are_binary_and_as_many_as_the_attachments(
    tree: DependencyTree, source: random.Random
) -> None:
    plain = tuple(f"w{position}" for position in range(1, len(tree) + 1))
    printed = constituents(head_ordered(random_derivation(tree, source)), plain)
    assert printed.count("(") == len(tree) - 1
    # One name for each node, and each word once.
    assert len(printed.split()) == 2 * len(tree) - 1


@given(projective_trees, st.randoms(use_true_random=False))
def test_a_derivation_comes_back_from_its_order(
    tree: DependencyTree, source: random.Random
) -> None:
    way = random_derivation(tree, source)
    order = head_ordered(way)
    assert order.heads == tree.heads
    assert derivation_of(order) == way


@pytest.mark.parametrize("heads", DEEP.values(), ids=DEEP.keys())
def test_ten_thousand_words_are_no_trouble(heads: tuple[int, ...]) -> None:
    tree = tree_of(heads)
    way = random_derivation(tree, random.Random(7))
    order = head_ordered(way)
    assert order.heads == heads
    assert derivation_of(order) == way
    assert constituents(order, tree.words).count("(") == CHAIN - 1
    assert constituents(order.tied(), tree.words) == without_nodes_over_single_words(
        from_dependency(tree)
    )


def test_a_weak_order_has_no_derivation_of_its_own() -> None:
    weak = HeadOrderedTree((2, 0, 2), (1, 1, 1))
    assert not weak.is_strict
    assert weak == weak.tied()
    with pytest.raises(DataError, match="share a rank, but a derivation attaches one at a time"):
        derivation_of(weak)


FAULTS = [
    ((2, 0, 2), (1, 1), "3 heads but 2 ranks"),
    ((2, 0, 2), (1, 1, 3), "the dependents of word 2 have the ranks 1, 3; ranks go from 1 on"),
    ((2, 0, 2), (1, 2, 2), "the dependents of word 0 have the ranks 2"),
    ((2, 0, 2), (0, 1, 1), "the dependents of word 2 have the ranks 0, 1"),
    ((3, 3, 0), (1, 2, 1), "word 3 attaches word 1 before word 2, which is closer on the same"),
    ((0, 1, 1), (1, 2, 1), "word 1 attaches word 3 before word 2, .*; each side .* inside out"),
    ((3, 4, 0, 1), (1, 1, 1, 1), "not projective: the arc 4 -> 2 passes over words"),
    ((0, 0), (1, 1), "2 roots"),
    ((), (), "a sentence without words"),
]


@pytest.mark.parametrize(("heads", "ranks", "fault"), FAULTS)
def test_what_is_no_head_ordered_tree_is_refused_with_the_reason(
    heads: tuple[int, ...], ranks: tuple[int, ...], fault: str
) -> None:
    with pytest.raises(DataError, match=fault):
        HeadOrderedTree(heads, ranks)


def test_dependents_on_one_side_may_share_a_level_and_one_farther_out_may_be_later() -> None:
    tree = HeadOrderedTree((0, 1, 1, 1), (1, 1, 1, 2))
    assert constituents(tree, "abcd") == "(a (a a b c) d)"


def test_orders_of_two_trees_are_not_compared() -> None:
    with pytest.raises(DataError, match="two dependency trees, not two orders of one"):
        differences(HeadOrderedTree((0, 1), (1, 1)), HeadOrderedTree((2, 0), (1, 1)))


def test_a_sequence_that_is_no_derivation_is_refused_with_the_place() -> None:
    with pytest.raises(DataError, match="transition 2 of the derivation: LEFTARC is not legal"):
        head_ordered((SHIFT, LEFTARC))
    with pytest.raises(DataError, match="ends before every word has a head"):
        head_ordered((SHIFT, SHIFT, RIGHTARC))
    with pytest.raises(DataError, match="2 heads but 1 words"):
        constituents(HeadOrderedTree((0, 1), (1, 1)), ("a",))


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(module) == doctest.TestResults(0, 2)
