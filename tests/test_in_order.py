from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arctree.dependency import DependencyTree
from arctree.errors import DataError
from arctree.in_order import (
    PROJECT,
    REDUCE,
    SHIFT,
    InOrder,
    InOrderConfiguration,
    derivation,
    derive,
    heads_of,
    ordered_tree,
)
from arctree.ordered import Leaf, OrderedTree, from_dependency
from arctree.theorems import all_ordered_trees
from arctree.transitions import IllegalTransitionError
from deep import CHAIN, DEEP, ORDERED_TREES
from strategies import projective_heads, projective_trees

# Stack, buffer and transition. The stack is that of Liu and Zhang: an open node, here its
# bracket, stands after its first child; a complete node is written as its words in brackets.
BOOK_ME_THE_MORNING_FLIGHT = [
    ("", "book me the morning flight", SHIFT),
    ("book", "me the morning flight", PROJECT),
    ("book [", "me the morning flight", SHIFT),
    ("book [ me", "the morning flight", PROJECT),
    ("book [ me [", "the morning flight", REDUCE),
    ("book [ (me)", "the morning flight", SHIFT),
    ("book [ (me) the", "morning flight", PROJECT),
    ("book [ (me) the [", "morning flight", REDUCE),
    ("book [ (me) (the)", "morning flight", PROJECT),
    ("book [ (me) (the) [", "morning flight", SHIFT),
    ("book [ (me) (the) [ morning", "flight", PROJECT),
    ("book [ (me) (the) [ morning [", "flight", REDUCE),
    ("book [ (me) (the) [ (morning)", "flight", SHIFT),
    ("book [ (me) (the) [ (morning) flight", "", REDUCE),
    ("book [ (me) (the morning flight)", "", REDUCE),
    ("(book me the morning flight)", "", None),
]


def written(item: OrderedTree | Leaf) -> str:
    if isinstance(item, Leaf):
        return item.word
    return "(" + " ".join(leaf.word for leaf in item.leaves()) + ")"


def stack_of(configuration: InOrderConfiguration) -> str:
    parts = []
    for node in reversed(tuple(configuration.nodes)):
        children: list[OrderedTree | Leaf] = [*reversed(tuple(node.left))]
        if node.anchor is not None:
            children.append(node.anchor)
        children += reversed(tuple(node.right))
        parts += [written(children[0]), "[", *map(written, children[1:])]
    if configuration.item is not None:
        parts.append(written(configuration.item))
    return " ".join(parts)


@pytest.mark.parametrize("row", range(16))
def test_the_paper_s_sentence_row_by_row(book: DependencyTree, row: int) -> None:
    stack, buffer, transition = BOOK_ME_THE_MORNING_FLIGHT[row]
    step = list(derive(from_dependency(book)))[row]
    assert stack_of(step.configuration) == stack
    assert " ".join(leaf.word for leaf in step.configuration.buffer) == buffer
    assert step.transition is transition


def test_the_last_row_holds_the_unlabelled_tree(book: DependencyTree) -> None:
    *_, last = derive(from_dependency(book))
    assert last.configuration.is_terminal
    assert last.configuration.item == from_dependency(book.unlabeled())


def walks(size: int) -> Iterator[tuple[tuple[InOrder, ...], InOrderConfiguration]]:
    """Every sequence of legal transitions, finished or not, with the configuration it leads to."""
    words = [f"w{position}" for position in range(1, size + 1)]
    agenda: list[tuple[tuple[InOrder, ...], InOrderConfiguration]] = [
        ((), InOrderConfiguration.initial(words))
    ]
    while agenda:
        done, configuration = agenda.pop()
        yield done, configuration
        agenda += [
            ((*done, transition), transition(configuration))
            for transition in InOrder
            if transition.is_legal(configuration)
        ]


@pytest.mark.parametrize("size", range(1, 7))
def test_a_transition_is_legal_exactly_if_some_ordered_tree_is_still_ahead(size: int) -> None:
    trees = {derivation(tree): tree for tree in all_ordered_trees(size)}
    assert len(trees) == ORDERED_TREES[size - 1]
    prefixes = {way[:length] for way in trees for length in range(3 * size + 1)}
    ends = set()
    for done, configuration in walks(size):
        for transition in InOrder:
            legal = (*done, transition) in prefixes
            assert transition.is_legal(configuration) == legal, (done, transition)
            if not legal:
                with pytest.raises(IllegalTransitionError, match=transition.name):
                    transition(configuration)
        assert configuration.is_terminal == (done in trees)
        if configuration.is_terminal:
            assert configuration.item == trees[done]
            assert ordered_tree(done, [leaf.word for leaf in configuration.leaves]) == trees[done]
            assert heads_of(done) == list(trees[done].to_dependency().heads)
            ends.add(done)
    assert ends == set(trees)


@pytest.mark.parametrize("size", range(1, 6))
def test_every_derivation_has_n_transitions_of_each_kind_and_there_are_no_dead_ends(
    size: int,
) -> None:
    for done, configuration in walks(size):
        legal = [transition for transition in InOrder if transition.is_legal(configuration)]
        assert bool(legal) != configuration.is_terminal
        if configuration.is_terminal:
            assert [done.count(transition) for transition in InOrder] == [size] * 3


@given(st.integers(1, 40), st.randoms(use_true_random=False))
def test_every_legal_walk_ends_in_an_ordered_tree_after_3n_steps(
    size: int, source: random.Random
) -> None:
    configuration = InOrderConfiguration.initial([f"w{place}" for place in range(size)])
    done = []
    for _ in range(3 * size):
        legal = [transition for transition in InOrder if transition.is_legal(configuration)]
        done.append(source.choice(legal))
        configuration = done[-1](configuration)
        nodes = tuple(configuration.nodes)
        assert configuration.anchorless == sum(node.anchor is None for node in nodes)
    tree = configuration.item
    assert configuration.is_terminal
    assert isinstance(tree, OrderedTree)
    dependency = tree.to_dependency()
    # Built anew with all that a tree has to be checked.
    checked = DependencyTree(dependency.words, dependency.heads, dependency.labels, dependency.tags)
    assert from_dependency(checked) == tree
    assert derivation(tree) == tuple(done)


@given(projective_trees)
def test_the_tree_comes_back_from_its_derivation_with_its_words_and_tags(
    tree: DependencyTree,
) -> None:
    way = derivation(from_dependency(tree))
    assert ordered_tree(way, tree.words, tree.tags) == from_dependency(tree.unlabeled())
    assert heads_of(way) == heads_of(list(map(int, way))) == list(tree.heads)


@given(projective_heads())
def test_a_part_of_a_tree_has_a_derivation_too(heads: tuple[int, ...]) -> None:
    size = len(heads)
    tree = from_dependency(DependencyTree(("w",) * size, heads, ("UA",) * size))
    for part in tree.nodes():
        *_, last = derive(part)
        assert last.configuration.item == part.with_label("root")


@pytest.mark.parametrize("heads", DEEP.values(), ids=DEEP.keys())
def test_ten_thousand_words_are_no_trouble(heads: tuple[int, ...]) -> None:
    dependency = DependencyTree(("w",) * CHAIN, heads, ("UA",) * CHAIN).unlabeled()
    tree = from_dependency(dependency)
    way = derivation(tree)
    assert len(way) == 3 * CHAIN
    assert heads_of(way) == list(heads)
    assert ordered_tree(way, dependency.words) == tree


def after(size: int, *transitions: InOrder) -> InOrderConfiguration:
    configuration = InOrderConfiguration.initial(["w"] * size)
    for transition in transitions:
        configuration = transition(configuration)
    return configuration


LEAF = (SHIFT, PROJECT, REDUCE)  # a word with a node of its own
OBSTACLES = [
    (SHIFT, 1, (SHIFT,), "the buffer is empty"),
    (SHIFT, 2, (SHIFT,), "the word on top needs a node of its own"),
    (SHIFT, 2, LEAF, "no node is open"),
    (SHIFT, 3, (*LEAF, PROJECT, SHIFT, PROJECT), "the words left are the anchors of open nodes"),
    (PROJECT, 1, (), "nothing on top is complete"),
    (PROJECT, 1, (SHIFT, PROJECT), "nothing on top is complete"),
    (PROJECT, 1, LEAF, "more open nodes would have no anchor than words are left"),
    (PROJECT, 2, (*LEAF, PROJECT, SHIFT), "more open nodes would have no anchor than words"),
    (REDUCE, 1, (), "no node is open"),
    (REDUCE, 2, (SHIFT, PROJECT, SHIFT), "the word on top needs a node of its own"),
    (REDUCE, 2, (*LEAF, PROJECT), "the innermost open node has no anchor"),
]


@pytest.mark.parametrize(("transition", "size", "done", "obstacle"), OBSTACLES)
def test_an_illegal_transition_says_why(
    transition: InOrder, size: int, done: tuple[InOrder, ...], obstacle: str
) -> None:
    configuration = after(size, *done)
    with pytest.raises(IllegalTransitionError, match=f"{transition.name} is not legal: {obstacle}"):
        transition(configuration)


def test_a_sequence_that_is_no_derivation_is_refused_with_the_place() -> None:
    with pytest.raises(DataError, match=r"transition 2 is REDUCE, but no node is open"):
        ordered_tree([SHIFT, REDUCE], ["a"])
    with pytest.raises(DataError, match=r"ends with 1 words in the buffer and 1 open nodes; 6 tr"):
        ordered_tree([SHIFT, PROJECT], ["a", "b"])
    with pytest.raises(DataError, match=r"transition 4 is PROJECT, but more open nodes"):
        ordered_tree([*LEAF, PROJECT], ["a"])
    with pytest.raises(DataError, match="1 words but 2 tags"):
        ordered_tree(LEAF, ["a"], ["X", "Y"])
    with pytest.raises(DataError, match="a sentence without words"):
        ordered_tree([], [])


def test_configurations_can_be_compared_and_share_their_stacks() -> None:
    one, other = after(3, *LEAF, PROJECT), after(3, *LEAF, PROJECT)
    assert one == other
    assert hash(one) == hash(other)
    assert SHIFT(one) != one
    assert SHIFT(one).nodes.below is one.nodes.below


def test_a_number_that_is_no_step_is_told_with_its_place() -> None:
    with pytest.raises(
        DataError, match="step 3 is 5; write 0 for SHIFT, 1 for PROJECT, 2 for REDUCE"
    ):
        ordered_tree([0, 1, 5], ["a"])
