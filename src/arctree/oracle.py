"""Derivations of a tree: the canonical one, every one, and how many there are.

A derivation is a sequence of transitions that leads from the initial configuration to the
tree. The *canonical* one reduces as soon as possible: LEFTARC or RIGHTARC whenever the tree
has that arc and the dependent is complete, SHIFT otherwise.

A head may take its left and its right dependents in any interleaving, each side from the
inside out, and nothing else is free. So a tree whose head h has l_h dependents on the left
and r_h on the right has ∏_h C(l_h + r_h, l_h) derivations. "Book me the morning flight" has
one; "he sleeps well" has two:

    SHIFT SHIFT LEFTARC SHIFT RIGHTARC RIGHTARC     he is attached before well is read
    SHIFT SHIFT SHIFT RIGHTARC LEFTARC RIGHTARC     and after
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import comb, prod
from random import Random
from typing import NamedTuple

from arctree.dependency import DependencyTree, check_projective, dependents
from arctree.transitions import (
    LEFTARC,
    RIGHTARC,
    SHIFT,
    Configuration,
    IllegalTransitionError,
    MappedConfiguration,
    Stack,
    Transition,
)


class Step(NamedTuple):
    """One row of a derivation: both readings of a configuration, and what is done next.

    The last row's transition is None: DONE in the paper's Table 2.
    """

    configuration: Configuration
    mapped: MappedConfiguration
    transition: Transition | None

    @property
    def arc(self) -> tuple[int, int] | None:
        """The (head, dependent) pair that the transition adds, if it adds one."""
        if self.transition is None or self.transition is SHIFT:
            return None
        top, below = self.configuration.stack.pop()
        second, _ = below.pop()
        return (top, second) if self.transition is LEFTARC else (second, top)


@dataclass(frozen=True, slots=True, repr=False)
class Derivation:
    """Transitions over the words of a tree, and the steps that they go through.

    Going through it gives its steps, as often as one likes; its length is their number, one
    more than there are transitions. Every transition is legal, by construction; that they
    lead to the tree is not asked, so that a parser's transitions can be held against it.
    """

    tree: DependencyTree
    transitions: tuple[Transition, ...]

    def __post_init__(self) -> None:
        configuration = Configuration.initial(len(self.tree))
        for number, transition in enumerate(self.transitions, start=1):
            obstacle = transition.obstacle(configuration)
            if obstacle is not None:
                raise IllegalTransitionError(
                    f"transition {number}, {transition.value}, is not legal: {obstacle}"
                )
            configuration = transition(configuration)

    def __iter__(self) -> Iterator[Step]:
        configuration = Configuration.initial(len(self.tree))
        mapped = MappedConfiguration.initial(self.tree.words, self.tree.tags)
        for transition in self.transitions:
            yield Step(configuration, mapped, transition)
            configuration = transition(configuration)
            mapped = transition(mapped)
        yield Step(configuration, mapped, None)

    def __len__(self) -> int:
        """How many steps there are, the last one, DONE, included."""
        return len(self.transitions) + 1

    def __repr__(self) -> str:
        words = " ".join(self.tree.words)
        shown = words if len(words) <= _SHOWN else words[: _SHOWN - 1] + "…"
        return f"<Derivation of {shown!r}, {len(self.transitions)} transitions>"


_SHOWN = 60


def derive(tree: DependencyTree, transitions: Sequence[Transition] | None = None) -> Derivation:
    """A derivation, step by step; the canonical one unless another is given."""
    return Derivation(
        tree, canonical_derivation(tree) if transitions is None else tuple(transitions)
    )


def canonical_derivation(tree: DependencyTree) -> tuple[Transition, ...]:
    """The derivation that reduces as soon as possible; linear in the sentence."""
    return next(derivations(tree))


def derivations(tree: DependencyTree) -> Iterator[tuple[Transition, ...]]:
    """Every derivation of a projective tree, one at a time, the canonical one first."""
    return walk(tree, lambda choices: choices)


def random_derivation(tree: DependencyTree, source: Random) -> tuple[Transition, ...]:
    """One derivation, with each choice made at random."""
    return next(walk(tree, lambda choices: source.sample(choices, len(choices))))


def walk(
    tree: DependencyTree, preference: Callable[[Sequence[Transition]], Sequence[Transition]]
) -> Iterator[tuple[Transition, ...]]:
    """Every derivation; at each choice the transitions are tried in the preferred order."""
    check_projective(tree)
    last_dependents = [row[-1] if row else 0 for row in dependents(tree.heads)]
    nothing: Stack[Transition] = Stack()
    agenda = [(Configuration.initial(len(tree)), nothing)]
    while agenda:
        configuration, done = agenda.pop()
        if configuration.is_terminal:
            yield tuple(done)[::-1]
            continue
        choices = preference(_choices(configuration, tree.heads, last_dependents))
        agenda.extend(
            (transition(configuration), done.push(transition)) for transition in reversed(choices)
        )


def count_derivations(heads: Sequence[int]) -> int:
    """How many derivations a projective tree has: ∏ C(l + r, l) over all heads."""
    return prod(
        comb(len(row), sum(dependent < head for dependent in row))
        for head, row in enumerate(dependents(heads))
    )


def _choices(
    configuration: Configuration, heads: Sequence[int], last_dependents: Sequence[int]
) -> tuple[Transition, ...]:
    """The transitions after which the tree can still be reached, the canonical one first.

    What lies below the top of the stack can get no more dependents but the top itself. So a
    word must have its left dependents before anything is shifted onto it, unless some of its
    right dependents are still to come: that is the only choice there is.
    """
    top, below = configuration.stack.pop()
    second = below.top
    is_waiting = last_dependents[top] >= configuration.buffer.start
    if second and heads[second - 1] == top:
        return (LEFTARC, SHIFT) if is_waiting else (LEFTARC,)
    if top and heads[top - 1] == second and not is_waiting:
        return (RIGHTARC,)
    return (SHIFT,)
