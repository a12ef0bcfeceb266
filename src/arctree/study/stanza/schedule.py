"""In which order the vectors of a batch of gold sequences can be computed, many at a time.

Stanza goes through a batch transition by transition. With gold sequences everything that will lie
on the stacks is known beforehand, and what has to wait for what is little:

* the vector of a tree waits for those of its children: trees of the same *level*, the number of
  compositions below them, can be composed at once;
* the state of the stack's LSTM waits for the state of what lies below: whatever is pushed at the
  same *depth* of a stack, at any time in any sentence, can be pushed at once.

A sentence of twenty words is sixty transitions in order, but seldom more than ten levels and ten
depths, and the whole batch goes through these together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from stanza.models.constituency import parse_transitions

from arctree.study.stanza.actions import LeftArc, RightArc

Numbers = NDArray[np.int64]


class Plan(NamedTuple):
    """What is pushed onto one sentence's stack, and what each of its transitions can see.

    Of a thing pushed: where its vector comes from (a place in the queue, from 1, for words; the
    label, as -1 - label, for opened nodes; 0 for composed trees), its label, level and depth, and
    the thing below it (-1: none). ``children`` are those of all composed trees, one after the
    other. Of a step: the next word, the topmost thing (-1: none) and the transition.
    """

    source: Numbers
    label: Numbers
    level: Numbers
    depth: Numbers
    below: Numbers
    children: Numbers
    counts: Numbers
    next_word: Numbers
    top: Numbers
    transition: Numbers


class _Stack:
    """A stack whose things are numbered in the order in which they are pushed."""

    def __init__(self) -> None:
        self.on: list[int] = []
        self.source: list[int] = []
        self.label: list[int] = []
        self.level: list[int] = []
        self.depth: list[int] = []
        self.below: list[int] = []
        self.children: list[int] = []
        self.counts: list[int] = []

    def push(self, source: int, label: int = 0, children: Sequence[int] = ()) -> None:
        self.source.append(source)
        self.label.append(label)
        self.level.append(1 + max(self.level[child] for child in children) if children else 0)
        self.below.append(self.on[-1] if self.on else -1)
        self.children.extend(children)
        self.counts.append(len(children))
        self.on.append(len(self.depth))
        self.depth.append(len(self.on))

    def close(self) -> None:
        """The nodes since the one last opened, and the one before it, become its children."""
        opened = max(place for place, thing in enumerate(self.on) if self.source[thing] < 0)
        label = self.label[self.on[opened]]
        children = [self.on[opened - 1], *self.on[opened + 1 :]]
        del self.on[opened - 1 :]
        self.push(0, label, children)


def plan(sequence: Sequence[Any], model: Any) -> Plan:
    """The plan of a gold sequence; its last transition is predicted, but not taken."""
    stack, word = _Stack(), 0
    labels = model.constituent_open_map
    seen: list[tuple[int, int]] = []
    for transition in sequence:
        seen.append((word, stack.on[-1] if stack.on else -1))
        if len(seen) == len(sequence):
            break
        if isinstance(transition, parse_transitions.Shift):
            word += 1
            stack.push(word)
        elif isinstance(transition, LeftArc | RightArc):
            pair = stack.on[-2:]
            del stack.on[-2:]
            stack.push(0, labels[(transition.short_name(),)], pair)
        elif isinstance(transition, parse_transitions.OpenConstituent):
            label = labels[transition.label]
            stack.push(-1 - label, label)
        else:
            assert isinstance(transition, parse_transitions.CloseConstituent)
            stack.close()
    next_word, top = zip(*seen, strict=True)
    fields = (stack.source, stack.label, stack.level, stack.depth, stack.below)
    taken = [model.transition_map[transition] for transition in sequence]
    more = (stack.children, stack.counts, next_word, top, taken)
    return Plan(*(np.array(field, dtype=np.int64) for field in (*fields, *more)))


class Composition(NamedTuple):
    """Trees that are composed together: their labels, and a row of children for each.

    Where there are fewer children than in the widest tree, the first is named again; unless all
    are to have the same number of children.
    """

    labels: Numbers
    children: Numbers


class Pushing(NamedTuple):
    """Things that are pushed together: the vectors, and the states below, among the last pushed."""

    vectors: Numbers
    below: Numbers


class Schedule(NamedTuple):
    """A batch's computations in order.

    The vectors are numbered: the words of the queues in order, with their two ends, then all
    labels, if any node is opened, then the composed trees in the order of the compositions. So
    are the states: the one of the empty stack, then those of the pushings in order.
    """

    compositions: list[Composition]
    pushings: list[Pushing]
    has_labels: bool
    next_words: Numbers
    tops: Numbers
    transitions: Numbers
    # In a rectangle of steps by sentences, padded with zeros: the transitions, and where the
    # steps, sentence by sentence, are in it when it is read row by row.
    history: Numbers
    places: Numbers


def schedule(plans: Sequence[Plan], labels: int, *, of_equal_numbers: bool = False) -> Schedule:
    """The schedule of a batch of plans, of a model with so many labels.

    Trees of one level are composed together; if asked for, only those with the same
    number of children.
    """
    sizes = np.array([len(plan.source) for plan in plans])
    steps = np.array([len(plan.transition) for plan in plans])
    queues = np.array([int(plan.next_word[-1]) + 2 for plan in plans])
    whole = Plan(*(np.concatenate(field) for field in zip(*plans, strict=True)))
    first = np.cumsum(sizes) - sizes
    first_word = np.cumsum(queues) - queues
    words = int(queues.sum())

    has_labels = bool((whole.source < 0).any())
    vectors = np.where(whole.source < 0, words - 1 - whole.source, 0)
    vectors += np.where(whole.source > 0, whole.source + np.repeat(first_word, sizes), 0)
    composed = np.lexsort((whole.counts, whole.level))[int((whole.level == 0).sum()) :]
    vectors[composed] = words + labels * has_labels + np.arange(len(composed))
    alike = [whole.level, whole.counts] if of_equal_numbers else [whole.level]
    together = _split(composed, np.stack(alike, axis=1)[composed])
    compositions = _compositions(whole, together, vectors, np.repeat(first, sizes))
    pushings, states = _pushings(whole, vectors, np.repeat(first, sizes))

    sentence = np.repeat(np.arange(len(plans)), steps)
    step = np.arange(len(sentence)) - np.repeat(np.cumsum(steps) - steps, steps)
    history = np.zeros((int(steps.max()), len(plans)), dtype=np.int64)
    history[step, sentence] = whole.transition
    top = np.where(whole.top < 0, 0, whole.top + np.repeat(first, steps))
    return Schedule(
        compositions,
        pushings,
        has_labels,
        whole.next_word + 1 + np.repeat(first_word, steps),
        np.where(whole.top < 0, 0, 1 + states[top]),
        whole.transition,
        history[:-1],
        step * len(plans) + sentence,
    )


def _split(things: Numbers, keys: Numbers) -> list[Numbers]:
    """The things, in runs whose keys are the same."""
    changes = np.flatnonzero((np.diff(keys, axis=0) != 0).any(axis=1)) + 1
    return np.split(things, changes) if len(things) else []


def _compositions(
    whole: Plan, together: Sequence[Numbers], vectors: Numbers, first: Numbers
) -> list[Composition]:
    starts = np.cumsum(whole.counts) - whole.counts
    parts = []
    for trees in together:
        counts = whole.counts[trees]
        place = np.arange(counts.max())[None]
        place = np.where(place < counts[:, None], place, 0)
        children = whole.children[starts[trees][:, None] + place] + first[trees][:, None]
        parts.append(Composition(whole.label[trees], vectors[children]))
    return parts


def _pushings(whole: Plan, vectors: Numbers, first: Numbers) -> tuple[list[Pushing], Numbers]:
    """The pushings, and the place of each thing among all that are pushed."""
    order = np.argsort(whole.depth, kind="stable")
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    parts: list[Pushing] = []
    start = 0
    for things in _split(order, whole.depth[order, None]):
        under = whole.below[things]
        below = np.where(under < 0, 0, places[np.maximum(under, 0) + first[things]] - start)
        parts.append(Pushing(vectors[things], below))
        start = int(places[things[0]])
    return parts, places
