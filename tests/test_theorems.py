from __future__ import annotations

from collections.abc import Callable

import pytest

from arctree import oracle, theorems, transitions
from arctree.dependency import Arc, DependencyTree
from arctree.ordered import OrderedTree
from arctree.theorems import (
    ViolationError,
    all_heads,
    all_ordered_trees,
    has_crossing_arcs,
    verify_length,
    verify_random,
)
from arctree.transitions import MappedConfiguration


@pytest.mark.parametrize(
    ("length", "projective", "derivations"),
    [(1, 1, 1), (2, 2, 2), (3, 7, 8), (4, 30, 40), (5, 143, 224)],
)
def test_the_theorems_hold_on_everything_of_a_length(
    length: int, projective: int, derivations: int
) -> None:
    stages: list[str] = []
    checked = verify_length(length, stages.append)
    assert checked.trees == length ** (length - 1)
    assert checked.projective == projective
    assert checked.derivations == derivations
    assert len(stages) == 4


def test_the_theorems_hold_on_a_random_tree_of_two_hundred_words() -> None:
    checked = verify_random(200, seed=3)
    assert checked.configurations == 2 * 401


def test_the_enumerations_are_complete_and_without_repetition() -> None:
    for length in range(1, 7):
        heads = list(all_heads(length))
        assert len(set(heads)) == len(heads) == length ** (length - 1)
        trees = all_ordered_trees(length)
        assert len(set(trees)) == len(trees) == sum(not has_crossing_arcs(each) for each in heads)


def verify_up_to(longest: int) -> None:
    for length in range(1, longest + 1):
        verify_length(length)


LeftArc = Callable[[MappedConfiguration], MappedConfiguration]


def broken(combine: Callable[[OrderedTree, OrderedTree], OrderedTree]) -> LeftArc:
    """A LEFTARC that combines the dependent and the head in some other way."""

    def left_arc(self: MappedConfiguration) -> MappedConfiguration:
        head, stack = self.stack.pop()
        dependent, stack = stack.pop()
        assert isinstance(head, OrderedTree)
        assert isinstance(dependent, OrderedTree)
        return MappedConfiguration(stack.push(combine(dependent, head)), self.leaves, self.read)

    return left_arc


BROKEN = {
    "takes the wrong head": broken(lambda dependent, head: dependent.attach_right(head)),
    "attaches on the wrong side": broken(lambda dependent, head: head.attach_right(dependent)),
    "inserts next to the anchor": broken(
        lambda dependent, head: OrderedTree.trusted(
            head.label, (*head.left, dependent), head.anchor, head.right
        )
    ),
    "loses the dependent": broken(lambda dependent, head: head),
    "attaches it twice": broken(
        lambda dependent, head: head.attach_left(dependent).attach_left(dependent)
    ),
    "flattens the dependent": broken(
        lambda dependent, head: OrderedTree.trusted(
            head.label,
            (*dependent.left, dependent.attach_right(dependent).right[-1], *head.left),
            head.anchor,
            head.right,
        )
    ),
    "relabels the head": broken(
        lambda dependent, head: head.attach_left(dependent).with_label("x")
    ),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_leftarc_is_caught(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    monkeypatch.setattr(MappedConfiguration, "left_arc", BROKEN[fault])
    with pytest.raises(ViolationError, match="Theorem 2"):
        verify_up_to(5)
    with pytest.raises(ViolationError, match="Theorem 2"):
        verify_random(40, seed=1)


def permit(monkeypatch: pytest.MonkeyPatch, objection: str) -> None:
    """Let transitions be legal although this is to be said against them."""
    legal = transitions.Transition.obstacle

    def lenient(self: transitions.Transition, configuration: object) -> str | None:
        said = legal(self, configuration)  # type: ignore[arg-type]
        return None if said and objection in said else said

    monkeypatch.setattr(transitions.Transition, "obstacle", lenient)


@pytest.mark.parametrize(
    "objection", ["takes its one dependent last", "the root cannot become a dependent"]
)
def test_a_root_that_takes_its_dependent_too_early_or_becomes_one_is_caught(
    monkeypatch: pytest.MonkeyPatch, objection: str
) -> None:
    permit(monkeypatch, objection)
    with pytest.raises(ViolationError):
        verify_up_to(3)


def test_an_algorithm_1_that_forgets_projectivity_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(theorems, "is_projective", lambda heads: True)
    with pytest.raises(ViolationError, match="Theorem 1"):
        verify_length(4)


def test_arcs_that_confuse_head_and_dependent_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = OrderedTree.arcs
    monkeypatch.setattr(
        OrderedTree,
        "arcs",
        lambda self: [
            arc if arc.head == 0 else Arc(arc.dependent, arc.head, arc.label) for arc in right(self)
        ],
    )
    with pytest.raises(ViolationError, match=r"Theorem [13]"):
        verify_up_to(4)


def mirrored(tree: DependencyTree) -> DependencyTree:
    size = len(tree)
    heads = tuple(head and size + 1 - head for head in reversed(tree.heads))
    return tree.with_arcs(heads, tree.labels)


@pytest.mark.parametrize("where", ["walk", "derivations", "canonical_derivation"])
def test_an_oracle_that_derives_another_tree_is_caught(
    monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    right = getattr(oracle, where)
    for module in (oracle, theorems):
        if hasattr(module, where):
            monkeypatch.setattr(module, where, lambda tree, *more: right(mirrored(tree), *more))
    with pytest.raises(ViolationError, match="the oracle"):
        verify_up_to(4)
    if where != "derivations":
        with pytest.raises(ViolationError, match="ends in another tree"):
            verify_random(10, seed=1)


def test_a_canonical_derivation_that_waits_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        theorems, "canonical_derivation", lambda tree: list(oracle.derivations(tree))[-1]
    )
    with pytest.raises(ViolationError, match="does not reduce at once"):
        verify_up_to(3)


def test_a_transition_that_only_one_reading_refuses_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    legal = transitions.Transition.obstacle

    def one_sided(self: transitions.Transition, configuration: object) -> str | None:
        if self is transitions.LEFTARC and isinstance(configuration, MappedConfiguration):
            return "no"
        return legal(self, configuration)  # type: ignore[arg-type]

    monkeypatch.setattr(transitions.Transition, "obstacle", one_sided)
    with pytest.raises(ViolationError, match="not in both readings"):
        verify_up_to(3)


def test_a_wrong_closed_form_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theorems, "count_derivations", lambda heads: 1)
    with pytest.raises(ViolationError, match="closed form"):
        verify_length(3)
