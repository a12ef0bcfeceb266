from __future__ import annotations

import doctest
import random
from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arctree import linearisation
from arctree.dependency import DependencyTree
from arctree.errors import DataError
from arctree.linearisation import (
    CLOSE,
    OPEN,
    WORD,
    Automaton,
    Symbol,
    delinearise,
    heads_of,
    linearise,
)
from arctree.ordered import from_dependency
from arctree.theorems import all_ordered_trees
from deep import CHAIN, DEEP, ORDERED_TREES
from strategies import projective_trees

LETTERS = {"(": OPEN, "w": WORD, ")": CLOSE}


def symbols_of(text: str) -> tuple[Symbol, ...]:
    return tuple(LETTERS[letter] for letter in text)


def words_of(size: int) -> list[str]:
    return [f"w{position}" for position in range(1, size + 1)]


def test_the_paper_s_sentence_symbol_by_symbol(book: DependencyTree) -> None:
    tree = from_dependency(book)
    assert linearise(tree) == symbols_of("(w(w)((w)(w)w))")
    said = " ".join(symbol.name for symbol in linearise(tree))
    assert said in str(linearisation.__doc__)
    assert delinearise(linearise(tree), book.words, book.tags) == from_dependency(book.unlabeled())
    assert heads_of(linearise(tree)) == list(book.heads)


def readings(size: int) -> Iterator[tuple[tuple[Symbol, ...], Automaton]]:
    """Every sequence of legal symbols, finished or not, with the state it leads to."""
    agenda: list[tuple[tuple[Symbol, ...], Automaton]] = [((), Automaton.initial(size))]
    while agenda:
        done, state = agenda.pop()
        yield done, state
        agenda += [((*done, symbol), state.read(symbol)) for symbol in state.legal]


@pytest.mark.parametrize("size", range(1, 7))
def test_the_automaton_accepts_exactly_the_linearisations_of_ordered_trees(size: int) -> None:
    trees = {linearise(tree): tree for tree in all_ordered_trees(size)}
    assert len(trees) == ORDERED_TREES[size - 1]
    accepted = [done for done, state in readings(size) if state.is_accepting]
    assert len(accepted) == len(trees)
    assert set(accepted) == set(trees)
    for symbols, tree in trees.items():
        assert delinearise(symbols, words_of(size)) == tree
        assert heads_of(symbols) == list(tree.to_dependency().heads)


@pytest.mark.parametrize("size", range(1, 7))
def test_a_symbol_is_legal_exactly_if_some_ordered_tree_is_still_ahead(size: int) -> None:
    gold = [linearise(tree) for tree in all_ordered_trees(size)]
    prefixes = {symbols[:length] for symbols in gold for length in range(3 * size + 1)}
    for done, state in readings(size):
        for symbol in Symbol:
            legal = (*done, symbol) in prefixes
            assert (symbol in state.legal) == legal, (done, symbol)
            assert (state.obstacle(symbol) is None) == legal
            if not legal:
                with pytest.raises(DataError, match=f"{symbol.name} may not come next"):
                    state.read(symbol)
        # There are no dead ends: either the tree is complete or it can go on.
        assert bool(state.legal) != state.is_accepting


@pytest.mark.parametrize("size", range(1, 4))
def test_of_all_sequences_whatever_only_linearisations_are_delinearised(size: int) -> None:
    gold = {linearise(tree) for tree in all_ordered_trees(size)}
    for length in range(3 * size + 1):
        for symbols in product(Symbol, repeat=length):
            if symbols in gold:
                assert linearise(delinearise(symbols, words_of(size))) == symbols
            else:
                with pytest.raises(DataError, match=r"symbol \d is|the symbols end"):
                    delinearise(symbols, words_of(size))


@given(projective_trees)
def test_the_tree_comes_back_with_its_words_and_tags(tree: DependencyTree) -> None:
    symbols = linearise(from_dependency(tree))
    assert len(symbols) == 3 * len(tree)
    assert delinearise(symbols, tree.words, tree.tags) == from_dependency(tree.unlabeled())
    assert heads_of(symbols) == heads_of(list(map(int, symbols))) == list(tree.heads)


@given(projective_trees)
def test_a_part_of_a_tree_is_the_part_of_its_linearisation(tree: DependencyTree) -> None:
    ordered = from_dependency(tree)
    symbols = linearise(ordered)
    starts = [place for place, symbol in enumerate(symbols) if symbol is OPEN]
    for start, node in zip(starts, ordered.nodes(), strict=True):
        assert symbols[start : start + 3 * len(node)] == linearise(node)


@given(st.integers(1, 40), st.randoms(use_true_random=False))
def test_every_legal_walk_is_a_linearisation_after_3n_symbols(
    size: int, source: random.Random
) -> None:
    state = Automaton.initial(size)
    done = []
    for _ in range(3 * size):
        done.append(source.choice(state.legal))
        state = state.read(done[-1])
        assert state.anchorless == sum(not is_anchored for is_anchored in state.nodes)
    assert state.is_accepting
    assert linearise(delinearise(done, words_of(size))) == tuple(done)


@pytest.mark.parametrize("heads", DEEP.values(), ids=DEEP.keys())
def test_ten_thousand_words_are_no_trouble(heads: tuple[int, ...]) -> None:
    dependency = DependencyTree(("w",) * CHAIN, heads, ("UA",) * CHAIN).unlabeled()
    tree = from_dependency(dependency)
    symbols = linearise(tree)
    assert len(symbols) == 3 * CHAIN
    assert heads_of(symbols) == list(heads)
    assert delinearise(symbols, dependency.words) == tree


FAULTS = [
    ("w", 1, "symbol 1 is WORD, but no node is open"),
    (")", 1, "symbol 1 is CLOSE, but no node is open"),
    ("()", 1, "symbol 2 is CLOSE, but the innermost open node has no anchor"),
    ("(ww", 2, "symbol 3 is WORD, but the innermost open node has its anchor"),
    ("((", 1, "symbol 2 is OPEN, but more open nodes would have no anchor than words are left"),
    ("(w)", 2, "symbol 3 is CLOSE, but words are left that would be outside the tree"),
    ("(w)(w)", 1, "symbol 4 is OPEN, but the tree is complete"),
    ("(w", 1, "the symbols end with 0 words left and 1 open nodes; 3 symbols make a tree of 1"),
    ("", 2, "the symbols end with 2 words left and 0 open nodes; 6 symbols make a tree of 2 words"),
]


@pytest.mark.parametrize(("text", "size", "fault"), FAULTS)
def test_a_sequence_that_is_no_linearisation_is_refused_with_the_place(
    text: str, size: int, fault: str
) -> None:
    with pytest.raises(DataError, match=fault):
        delinearise(symbols_of(text), words_of(size))


def test_words_and_tags_have_to_be_as_many() -> None:
    with pytest.raises(DataError, match="1 words but 2 tags"):
        delinearise(symbols_of("(w)"), ["a"], ["X", "Y"])
    with pytest.raises(DataError, match="a sentence without words"):
        delinearise((), ())


def test_states_can_be_compared_and_share_their_stacks() -> None:
    one, other = (Automaton.initial(2).read(OPEN).read(WORD) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert one.read(OPEN).nodes.below is one.nodes
    assert one.read(OPEN) != one


def test_the_example_in_the_docstring_holds() -> None:
    assert doctest.testmod(linearisation) == doctest.TestResults(0, 2)


def test_a_number_that_is_no_step_is_told_with_its_place() -> None:
    with pytest.raises(DataError, match="step 3 is 5; write 0 for OPEN, 1 for WORD, 2 for CLOSE"):
        delinearise([0, 1, 5], ["a"])
