from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from random import Random

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from arctree.dependency import DependencyTree, check_heads, is_projective
from arctree.oracle import canonical_derivation
from arctree.ordered import OrderedTree
from arctree.parsing import machine as numbers
from arctree.parsing.machine import SLOTS, GoldDerivation, Machine, canonical_derivations
from arctree.theorems import all_heads
from arctree.transitions import Configuration, MappedConfiguration, RootItem, Transition
from strategies import projective_heads

TRANSITIONS = tuple(Transition)
Build = Callable[[Sequence[int]], Machine]


def on_torch(sizes: Sequence[int]) -> Machine:
    return Machine(sizes, torch, torch.from_numpy)


either = pytest.mark.parametrize("build", [Machine, on_torch])


class Readable:
    """A sentence of the batch as the definition has it, and what the machine should say of it."""

    def __init__(self, size: int, start: int, absent: int) -> None:
        self.size, self.start, self.absent = size, start, absent
        self.configuration = Configuration.initial(size)
        self.mapped = MappedConfiguration.initial(["w"] * size)

    def legal(self) -> list[bool]:
        return [transition.is_legal(self.configuration) for transition in TRANSITIONS]

    def rows(self) -> list[int]:
        stack = [self.anchor_row(item) for item in islice(self.mapped.stack, 3)]
        buffer = self.configuration.buffer
        nothing = [self.absent]
        return [
            *(stack + nothing * 3)[:3],
            self.start + buffer[0] if buffer else self.absent,
        ]

    def anchor_row(self, item: OrderedTree | RootItem) -> int:
        """The root has no anchor; its own row stands for it."""
        return self.start + (item.anchor.position if isinstance(item, OrderedTree) else 0)

    def items(self) -> tuple[int, int, int]:
        stack = [self.start + item for item in islice(self.configuration.stack, 2)]
        return stack[0], stack[-1], self.size - len(self.configuration.buffer)

    def take(self, transition: Transition) -> int:
        """The row of the word that gets its head, or the absent one."""
        before = len(self.configuration.arcs_added)
        self.configuration = transition(self.configuration)
        self.mapped = transition(self.mapped)
        arcs = self.configuration.arcs_added
        if len(arcs) == before:
            return self.absent
        assert arcs.top is not None
        return self.start + arcs.top[1]

    def heads(self) -> list[int]:
        heads = {dependent: head for head, dependent in self.configuration.arcs}
        return [heads[word] for word in range(1, self.size + 1)]


# Which transition to take in a sentence, given its number and what is legal there.
Choose = Callable[[int, Readable], Transition]


def assert_same_walk(machine: Machine, sizes: Sequence[int], choose: Choose) -> None:
    """Walk both systems through a batch, and compare all there is to see at every step."""
    starts = [sum(sizes[:number]) + number for number in range(len(sizes))]
    absent = sum(sizes) + len(sizes)
    assert machine.starts.tolist() == [*starts, absent]
    assert machine.absent == absent
    readables = [Readable(*facts, absent) for facts in zip(sizes, starts, strict=True)]
    for step in range(2 * max(sizes)):
        assert machine.steps_done == step
        running = machine.order[: machine.running].tolist()
        unfinished = [
            number
            for number, readable in enumerate(readables)
            if not readable.configuration.is_terminal
        ]
        assert sorted(running) == unfinished
        there = [readables[number] for number in running]
        assert machine.legal().tolist() == [readable.legal() for readable in there]
        assert machine.rows().tolist() == [readable.rows() for readable in there]
        items = [part.tolist() for part in machine.items()]
        assert list(zip(*items, strict=True)) == [readable.items() for readable in there]
        chosen = [choose(number, readables[number]) for number in running]
        taken = np.array([TRANSITIONS.index(transition) for transition in chosen])
        attached = machine.step(taken if machine.arrays is np else torch.from_numpy(taken))
        assert attached.tolist() == [
            readable.take(transition) for readable, transition in zip(there, chosen, strict=True)
        ]
    assert machine.running == 0
    assert all(readable.configuration.is_terminal for readable in readables)
    heads = machine.heads_of_sentences()
    assert heads == [readable.heads() for readable in readables]
    for number, found in enumerate(heads):
        check_heads(found)
        assert len(found) == sizes[number]
        first = starts[number] + 1
        assert machine.heads[first : first + len(found)].tolist() == found


def at_random(seed: int, eagerness: float) -> Choose:
    """Any legal transition; so often it is SHIFT wherever that is legal."""
    source = Random(seed)

    def choose(_: int, readable: Readable) -> Transition:
        legal = [
            move for move, is_legal in zip(Transition, readable.legal(), strict=True) if is_legal
        ]
        return legal[0] if source.random() < eagerness else source.choice(legal)

    return choose


def test_the_numbers_of_the_transitions_are_their_places() -> None:
    assert (numbers.SHIFT, numbers.LEFTARC, numbers.RIGHTARC) == (0, 1, 2)
    assert [move.name for move in Transition] == ["SHIFT", "LEFTARC", "RIGHTARC"]


@either
@given(
    sizes=st.lists(st.integers(1, 12), min_size=1, max_size=6),
    seed=st.integers(0, 2**32),
    eagerness=st.sampled_from([0.0, 0.5, 0.9]),
)
def test_every_legal_walk_of_a_batch_is_that_of_the_definition_sentence_by_sentence(
    build: Build, sizes: list[int], seed: int, eagerness: float
) -> None:
    assert_same_walk(build(sizes), sizes, at_random(seed, eagerness))


@either
@pytest.mark.parametrize("eagerness", [0.0, 0.99])
def test_very_long_sentences_beside_very_short_ones_walk_as_by_the_definition(
    build: Build, eagerness: float
) -> None:
    sizes = [1, 2, 1000, 1500, 3]
    assert_same_walk(build(sizes), sizes, at_random(0, eagerness))


def all_walks(size: int) -> list[tuple[Transition, ...]]:
    """Every sequence of legal transitions from the beginning to the end."""
    unfinished: list[tuple[Configuration, tuple[Transition, ...]]] = [
        (Configuration.initial(size), ())
    ]
    for _ in range(2 * size):
        unfinished = [
            (move(configuration), (*done, move))
            for configuration, done in unfinished
            for move in Transition
            if move.is_legal(configuration)
        ]
    return [done for _, done in unfinished]


@either
@pytest.mark.parametrize("longest", [1, 2, 5])
def test_all_legal_walks_up_to_five_words_are_one_batch(build: Build, longest: int) -> None:
    walks = [walk for size in range(1, longest + 1) for walk in all_walks(size)]
    Random(longest).shuffle(walks)
    # Catalan(n - 1) orders to join neighbours in, each of the n - 1 arcs drawn left or right.
    assert len(walks) == sum([1, 2, 8, 40, 224][:longest])
    sizes = [len(walk) // 2 for walk in walks]
    machine = build(sizes)
    assert_same_walk(machine, sizes, lambda number, _: walks[number][machine.steps_done])


@pytest.mark.parametrize("sizes", [[0], [3, 0, 2], [-1]])
def test_a_sentence_without_words_is_refused(sizes: list[int]) -> None:
    with pytest.raises(ValueError, match="at least one word"):
        Machine(sizes)
    with pytest.raises(ValueError, match="at least one word"):
        canonical_derivations([[0] * max(size, 0) for size in sizes])


@either
def test_a_batch_without_sentences_is_done(build: Build) -> None:
    machine = build([])
    assert machine.running == 0
    assert machine.heads_of_sentences() == []
    assert canonical_derivations([]) == []


def assert_canonical(heads_of_sentences: Sequence[Sequence[int]]) -> None:
    derivations = canonical_derivations(heads_of_sentences)
    assert len(derivations) == len(heads_of_sentences)
    for heads, derivation in zip(heads_of_sentences, derivations, strict=True):
        tree = DependencyTree(("w",) * len(heads), tuple(heads), ("x",) * len(heads))
        canonical = canonical_derivation(tree)
        assert [TRANSITIONS[number] for number in derivation.transitions] == list(canonical)
        assert_seen_by_the_machine(derivation, len(heads))


def assert_seen_by_the_machine(derivation: GoldDerivation, size: int) -> None:
    """The rows and legalities are those of the machine on this sentence alone."""
    assert derivation.rows.shape == (2 * size, len(SLOTS))
    assert derivation.legal.shape == (2 * size, 3)
    alone = Machine([size])
    for rows, legal, transition in zip(*derivation, strict=True):
        seen = alone.rows()[0]
        assert rows.tolist() == np.where(seen == alone.absent, -1, seen).tolist()
        assert legal.tolist() == alone.legal()[0].tolist()
        assert legal[transition]
        alone.step(np.array([transition]))
    assert alone.running == 0


def test_the_canonical_derivations_of_all_projective_trees_up_to_six_words_are_the_oracle_s() -> (
    None
):
    trees = [heads for size in range(1, 7) for heads in all_heads(size) if is_projective(heads)]
    assert len(trees) == 1 + 2 + 7 + 30 + 143 + 728
    Random(0).shuffle(trees)
    assert_canonical(trees)


@given(st.lists(projective_heads(max_size=20), min_size=1, max_size=4))
def test_the_canonical_derivations_of_a_batch_are_the_oracle_s(
    heads_of_sentences: list[tuple[int, ...]],
) -> None:
    assert_canonical(heads_of_sentences)
