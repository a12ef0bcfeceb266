"""The batched in-order machine and the batched automaton, against their definitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from arctree import in_order, linearisation
from arctree.dependency import DependencyTree, check_heads, is_projective
from arctree.in_order import InOrder, InOrderConfiguration
from arctree.linearisation import Automaton, Symbol
from arctree.ordered import Leaf, OrderedTree, from_dependency
from arctree.parsing import in_order_machine, linear_machine
from arctree.parsing.in_order_machine import InOrderMachine, in_order_derivations, in_order_steps
from arctree.parsing.linear_machine import LinearMachine, linear_derivations, linear_steps
from arctree.parsing.machine import GoldDerivation
from arctree.parsing.node_machine import NodeMachine, yields
from arctree.theorems import all_heads
from strategies import projective_heads


class ReadableInOrder:
    """A sentence of the batch as the definition has it, and what the machine should say of it."""

    def __init__(self, size: int) -> None:
        self.configuration = InOrderConfiguration.initial(["w"] * size)

    def legal(self) -> list[bool]:
        return [transition.is_legal(self.configuration) for transition in InOrder]

    def positions(self) -> list[int]:
        """The words in the slots, 0 where there is none."""
        item, nodes = self.configuration.item, [*self.configuration.nodes][:2]
        found = [
            item.position if isinstance(item, Leaf) else 0,
            item.anchor.position if isinstance(item, OrderedTree) else 0,
        ]
        for node in nodes:
            left = [*node.left]
            anchor = node.anchor.position if node.anchor else 0
            found += [anchor, left[-1].anchor.position if left else anchor]
        found += [0] * (6 - len(found))
        return [*found, self.configuration.read + 1 if self.configuration.words_left else 0]

    def take(self, number: int) -> None:
        self.configuration = InOrder(number)(self.configuration)

    def is_done(self) -> bool:
        return self.configuration.is_terminal


class ReadableLinear:
    """The same for the automaton."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.state = Automaton.initial(size)
        # Of the open nodes, the outermost first, anchor and first word.
        self.nodes: list[list[int]] = []

    def legal(self) -> list[bool]:
        return [symbol in self.state.legal for symbol in Symbol]

    def positions(self) -> list[int]:
        third, outer, inner = ([[0, 0]] * 3 + self.nodes)[-3:]
        word = self.size - self.state.words_left + 1
        following = word if word <= self.size else 0
        return [following, *inner, outer[0], word - 1, outer[1], third[0]]

    def take(self, number: int) -> None:
        word = self.size - self.state.words_left + 1
        self.state = self.state.read(Symbol(number))
        if number == Symbol.OPEN:
            self.nodes.append([0, word])
        elif number == Symbol.WORD:
            self.nodes[-1][0] = word
        else:
            self.nodes.pop()

    def is_done(self) -> bool:
        return self.state.is_accepting


@dataclass(frozen=True)
class Case:
    """A system: its batched machine, its definition, and its gold sequences."""

    machine: type[NodeMachine]
    readable: type[ReadableInOrder] | type[ReadableLinear]
    steps: Callable[[Sequence[int]], list[int]]
    derivations: Callable[[Sequence[Sequence[int]]], list[GoldDerivation]]
    of_tree: Callable[[OrderedTree], Sequence[int]]
    heads: Callable[[Sequence[int]], list[int]]


IN_ORDER = Case(
    InOrderMachine,
    ReadableInOrder,
    in_order_steps,
    in_order_derivations,
    in_order.derivation,
    in_order.heads_of,
)
LINEAR = Case(
    LinearMachine,
    ReadableLinear,
    linear_steps,
    linear_derivations,
    linearisation.linearise,
    linearisation.heads_of,
)
both = pytest.mark.parametrize("case", [IN_ORDER, LINEAR], ids=["in-order", "linear"])
either = pytest.mark.parametrize("library", [np, torch], ids=["numpy", "torch"])
# Which step to take in a sentence, given its number and what is legal there.
Choose = Callable[[int, list[bool]], int]


def build(case: Case, sizes: Sequence[int], library: Any) -> NodeMachine:
    return case.machine(sizes, library, torch.from_numpy if library is torch else lambda a: a)


def assert_same_walk(case: Case, sizes: Sequence[int], library: Any, choose: Choose) -> None:
    """Walk both systems through a batch, and compare all there is to see at every step."""
    machine = build(case, sizes, library)
    starts = [sum(sizes[:number]) + number for number in range(len(sizes))]
    absent = sum(sizes) + len(sizes)
    readables = [case.readable(size) for size in sizes]
    taken: list[list[int]] = [[] for _ in sizes]
    for step in range(3 * max(sizes)):
        assert machine.steps_done == step
        running = machine.order[: machine.running].tolist()
        assert sorted(running) == [n for n, found in enumerate(readables) if not found.is_done()]
        assert machine.legal().tolist() == [readables[n].legal() for n in running]
        assert machine.rows().tolist() == [
            [starts[n] + word if word else absent for word in readables[n].positions()]
            for n in running
        ]
        chosen = [choose(n, readables[n].legal()) for n in running]
        for n, number in zip(running, chosen, strict=True):
            readables[n].take(number)
            taken[n].append(number)
        machine.step(np.array(chosen) if library is np else torch.tensor(chosen))
    assert machine.running == 0
    assert all(readable.is_done() for readable in readables)
    found = machine.heads_of_sentences()
    assert found == [case.heads(sequence) for sequence in taken]
    for heads, size in zip(found, sizes, strict=True):
        check_heads(heads)
        assert is_projective(heads)
        assert len(heads) == size


def at_random(seed: int, eagerness: float) -> Choose:
    """Any legal step; so often it is the first one of those that are legal."""
    source = Random(seed)

    def choose(_: int, legal: list[bool]) -> int:
        numbers = [number for number, is_legal in enumerate(legal) if is_legal]
        return numbers[0] if source.random() < eagerness else source.choice(numbers)

    return choose


def test_the_numbers_of_the_steps_are_those_of_the_definitions() -> None:
    assert [*InOrder] == [in_order_machine.SHIFT, in_order_machine.PROJECT, in_order_machine.REDUCE]
    assert [*Symbol] == [linear_machine.OPEN, linear_machine.WORD, linear_machine.CLOSE]


@both
@either
@given(
    sizes=st.lists(st.integers(1, 12), min_size=1, max_size=6),
    seed=st.integers(0, 2**32),
    eagerness=st.sampled_from([0.0, 0.5, 0.9]),
)
def test_every_legal_walk_of_a_batch_is_that_of_the_definition_sentence_by_sentence(
    case: Case, library: Any, sizes: list[int], seed: int, eagerness: float
) -> None:
    assert_same_walk(case, sizes, library, at_random(seed, eagerness))


@both
@either
def test_long_sentences_beside_short_ones_walk_as_by_the_definition(
    case: Case, library: Any
) -> None:
    assert_same_walk(case, [1, 2, 300, 400, 3], library, at_random(0, 0.7))


@both
def test_all_legal_walks_up_to_five_words_build_each_tree_once(case: Case) -> None:
    for size, count in enumerate([1, 2, 7, 30, 143], start=1):
        walks: list[tuple[int, ...]] = [()]
        for done in range(3 * size):
            machine = case.machine([size] * len(walks))
            for step in range(done):
                machine.step(np.array([walk[step] for walk in walks]))
            legal = machine.legal()
            assert legal.any(-1).all(), "no dead ends"
            walks = [
                (*walk, number)
                for walk, allowed in zip(walks, legal, strict=True)
                for number in np.flatnonzero(allowed).tolist()
            ]
        machine = case.machine([size] * len(walks))
        for step in range(3 * size):
            machine.step(np.array([walk[step] for walk in walks]))
        found = {tuple(heads) for heads in machine.heads_of_sentences()}
        assert len(walks) == len(found) == count
        assert found == {tuple(heads) for heads in all_heads(size) if is_projective(heads)}


@both
@pytest.mark.parametrize("sizes", [[0], [3, 0, 2], [-1]])
def test_a_sentence_without_words_is_refused(case: Case, sizes: list[int]) -> None:
    with pytest.raises(ValueError, match="at least one word"):
        case.machine(sizes)


@both
def test_a_batch_without_sentences_is_done(case: Case) -> None:
    assert case.machine([]).running == 0
    assert case.machine([]).heads_of_sentences() == []
    assert case.derivations([]) == []


def ordered_tree(heads: Sequence[int]) -> OrderedTree:
    size = len(heads)
    return from_dependency(DependencyTree(("w",) * size, tuple(heads), ("x",) * size))


def assert_gold(case: Case, trees: Sequence[Sequence[int]]) -> None:
    """The gold sequences are the definition's, and the states those of the machine."""
    derivations = case.derivations(trees)
    assert len(derivations) == len(trees)
    for heads, derivation in zip(trees, derivations, strict=True):
        assert derivation.transitions.tolist() == [*case.of_tree(ordered_tree(heads))]
        alone = case.machine([len(heads)])
        for rows, legal, taken in zip(*derivation, strict=True):
            seen = alone.rows()[0]
            assert rows.tolist() == np.where(seen == alone.absent, -1, seen).tolist()
            assert legal.tolist() == alone.legal()[0].tolist()
            assert legal[taken]
            alone.step(np.array([taken]))
        assert alone.heads_of_sentences() == [list(heads)]


@both
def test_the_gold_sequences_of_all_projective_trees_up_to_five_words(case: Case) -> None:
    trees = [heads for size in range(1, 6) for heads in all_heads(size) if is_projective(heads)]
    Random(0).shuffle(trees)
    assert_gold(case, trees)


@both
@given(st.lists(projective_heads(max_size=20), min_size=1, max_size=4))
def test_the_gold_sequences_of_a_batch(case: Case, trees: list[tuple[int, ...]]) -> None:
    assert_gold(case, trees)


@given(projective_heads(max_size=20))
def test_yields_are_the_spans_of_the_nodes(heads: tuple[int, ...]) -> None:
    first, last = yields(heads)
    for node in ordered_tree(heads).nodes():
        assert (first[node.anchor.position], last[node.anchor.position]) == (node.first, node.last)


def test_a_line_goes_on_from_what_another_has_read() -> None:
    machine = LinearMachine([3, 3])
    for numbers in ([0, 0], [0, 1], [1, 0]):
        machine.step(np.array(numbers))
    machine.select(np.array([1, 1]))
    assert machine.legal().tolist() == [[True, True, False]] * 2
    for number in (1, 2, 0, 1, 2, 2):
        machine.step(np.array([number, number]))
    assert machine.heads_of_sentences() == [[0, 1, 1]] * 2
