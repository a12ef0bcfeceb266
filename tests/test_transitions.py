from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arctree.brackets import format_tree
from arctree.dependency import DependencyTree, check_heads
from arctree.oracle import derive
from arctree.ordered import OrderedTree, from_dependency
from arctree.transitions import (
    LEFTARC,
    RIGHTARC,
    SHIFT,
    Configuration,
    IllegalTransitionError,
    MappedConfiguration,
    RootItem,
    Stack,
    Transition,
    as_trees,
    broken_invariant,
)
from strategies import projective_trees

# Table 2 of the paper: stack, buffer, action, relation added. The root is 0.
TABLE_2 = [
    ([0], [1, 2, 3, 4, 5], SHIFT, None),
    ([0, 1], [2, 3, 4, 5], SHIFT, None),
    ([0, 1, 2], [3, 4, 5], RIGHTARC, (1, 2)),
    ([0, 1], [3, 4, 5], SHIFT, None),
    ([0, 1, 3], [4, 5], SHIFT, None),
    ([0, 1, 3, 4], [5], SHIFT, None),
    ([0, 1, 3, 4, 5], [], LEFTARC, (5, 4)),
    ([0, 1, 3, 5], [], LEFTARC, (5, 3)),
    ([0, 1, 5], [], RIGHTARC, (1, 5)),
    ([0, 1], [], RIGHTARC, (0, 1)),
    ([0], [], None, None),
]

# Figure 2: the tree that the action of a step leaves on top of the stack.
FIGURE_2 = {
    0: "(UA (_ book))",
    2: "(UA (_ book) (UA (_ me)))",
    6: "(UA (UA (_ morning)) (_ flight))",
    7: "(UA (UA (_ the)) (UA (_ morning)) (_ flight))",
    8: "(UA (_ book) (UA (_ me)) (UA (UA (_ the)) (UA (_ morning)) (_ flight)))",
    9: "(root (_ book) (UA (_ me)) (UA (UA (_ the)) (UA (_ morning)) (_ flight)))",
}


@pytest.mark.parametrize("row", range(11))
def test_table_2_row_by_row(book: DependencyTree, row: int) -> None:
    stack, buffer, action, relation = TABLE_2[row]
    step = list(derive(book))[row]
    assert list(step.configuration.stack)[::-1] == stack
    assert list(step.configuration.buffer) == buffer
    assert step.transition is action
    if action is not None:
        added = action(step.configuration).arcs - step.configuration.arcs
        assert added == ({relation} if relation else set())


@pytest.mark.parametrize("row", FIGURE_2)
def test_figure_2_snapshot_by_snapshot(row: int) -> None:
    words = ("book", "me", "the", "morning", "flight")
    configuration = MappedConfiguration.initial(words)
    for _, _, action, _ in TABLE_2[: row + 1]:
        assert action is not None
        configuration = action(configuration)
    tree = configuration.finished or configuration.stack.top
    assert isinstance(tree, OrderedTree)
    assert format_tree(tree) == FIGURE_2[row]


def test_the_root_stays_at_the_bottom_and_t_holds_the_finished_tree(book: DependencyTree) -> None:
    last = list(derive(book))[-1].mapped
    assert list(last.stack) == [RootItem.ROOT]
    assert last.trees == {from_dependency(book.unlabeled())}


def reachable(size: int) -> list[Configuration]:
    found = [Configuration.initial(size)]
    for configuration in found:
        found += [move(configuration) for move in Transition if move.is_legal(configuration)]
    return found


def test_a_transition_is_legal_exactly_where_the_definition_says() -> None:
    words = ("a", "b", "c", "d")
    for configuration in reachable(4):
        stack = list(configuration.stack)
        buffer = list(configuration.buffer)
        expected = {
            SHIFT: bool(buffer),
            LEFTARC: len(stack) >= 2 and stack[1] != 0,
            RIGHTARC: len(stack) >= 2 and (stack[1] != 0 or not buffer),
        }
        mapped = as_trees(configuration, words)
        for transition, legal in expected.items():
            for reading in (configuration, mapped):
                assert transition.is_legal(reading) == legal
                assert (transition.obstacle(reading) is None) == legal
                if not legal:
                    with pytest.raises(IllegalTransitionError, match=transition.name):
                        transition(reading)


def test_rightarc_from_the_root_waits_for_the_empty_buffer_and_leftarc_onto_it_never_comes() -> (
    None
):
    one_read = SHIFT(Configuration.initial(2))
    assert RIGHTARC.obstacle(one_read) == (
        "the root takes its one dependent last, when the buffer is empty"
    )
    assert LEFTARC.obstacle(one_read) == "the root cannot become a dependent"
    assert RIGHTARC.is_legal(SHIFT(Configuration.initial(1)))
    assert not LEFTARC.is_legal(SHIFT(Configuration.initial(1)))


@given(st.integers(1, 30), st.randoms(use_true_random=False))
def test_every_legal_walk_ends_in_one_tree_after_2n_steps(size: int, source: object) -> None:
    configuration = Configuration.initial(size)
    words = tuple(f"w{place}" for place in range(size))
    mapped = MappedConfiguration.initial(words)
    for _ in range(2 * size):
        legal = [move for move in Transition if move.is_legal(configuration)]
        move = source.choice(legal)  # type: ignore[attr-defined]
        configuration, mapped = move(configuration), move(mapped)
        assert broken_invariant(mapped) is None
        assert as_trees(configuration, words) == mapped
    assert configuration.is_terminal
    assert mapped.is_terminal
    assert not any(move.is_legal(configuration) for move in Transition)
    heads = {dependent: head for head, dependent in configuration.arcs}
    check_heads([heads[word] for word in range(1, size + 1)])


@given(projective_trees)
def test_f_commutes_with_every_transition_of_a_derivation(tree: DependencyTree) -> None:
    for step in derive(tree):
        assert as_trees(step.configuration, tree.words, tree.tags) == step.mapped
        if step.transition is not None:
            moved = step.transition(step.configuration)
            assert as_trees(moved, tree.words, tree.tags) == step.transition(step.mapped)


def test_configurations_with_the_same_arcs_are_equal_whatever_the_order_they_came_in() -> None:
    def after(*moves: Transition) -> Configuration:
        configuration = Configuration.initial(3)
        for move in moves:
            configuration = move(configuration)
        return configuration

    one = after(SHIFT, SHIFT, LEFTARC, SHIFT, RIGHTARC)
    other = after(SHIFT, SHIFT, SHIFT, RIGHTARC, LEFTARC)
    assert list(one.arcs_added) != list(other.arcs_added)
    assert one == other
    assert hash(one) == hash(other)
    assert one != after(SHIFT, SHIFT, LEFTARC)


def break_tree(tree: OrderedTree, **changes: object) -> MappedConfiguration:
    for name, value in changes.items():
        object.__setattr__(tree, name, value)
    start = MappedConfiguration.initial(("a", "b", "c"))
    return MappedConfiguration(start.stack.push(tree), start.leaves, len(tree))


def test_each_invariant_can_be_broken() -> None:
    leaves = MappedConfiguration.initial(("a", "b", "c")).leaves
    one, two = (OrderedTree("UA", (), leaf, ()) for leaf in leaves[:2])
    head = OrderedTree("UA", (), leaves[1], ())
    wrong_side = break_tree(OrderedTree.trusted("UA", (), leaves[1], ()), right=(one,), first=1)
    assert str(broken_invariant(wrong_side)).startswith("1:")
    gap = break_tree(OrderedTree.trusted("UA", (one,), leaves[2], ()))
    assert str(broken_invariant(gap)).startswith("1:")
    span = break_tree(head.attach_left(one), last=1, first=1)
    assert str(broken_invariant(span)).startswith("1: the tree over b carries a wrong span")
    unread = MappedConfiguration.initial(("a", "b", "c"))
    assert "were read" in str(
        broken_invariant(MappedConfiguration(unread.stack.push(two), unread.leaves, 1))
    )
    # Nested the wrong way round, the yield is contiguous, but an anchor is out of place.
    inner = OrderedTree("UA", (one,), leaves[1], ())
    outer = OrderedTree.trusted("UA", (), leaves[0], ())
    doubled = break_tree(outer, left=(inner,), right=(), first=1, last=2)
    assert broken_invariant(doubled) is not None
    no_root = MappedConfiguration(Stack(), leaves)
    with pytest.raises(IndexError):
        broken_invariant(no_root)


def test_a_stack_shares_what_lies_below() -> None:
    empty: Stack[str] = Stack()
    one = empty.push("a")
    two, other = one.push("b"), one.push("c")
    assert two.below is other.below is one
    assert list(two) == ["b", "a"]
    assert (len(empty), len(two)) == (0, 2)
    assert two.pop() == ("b", one)
    assert two == empty.push("a").push("b")
    assert hash(two) == hash(empty.push("a").push("b"))
    assert two != other
    with pytest.raises(IndexError):
        empty.pop()
