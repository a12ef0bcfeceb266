"""Decoding on the CPU, in numpy: trees and labels from what a network says of each word.

It answers as :mod:`arctree.network.actions` and :mod:`arctree.network.labeller` do, without
torch; a test holds the two equal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arctree.parsing.answers import ArcValues
from arctree.parsing.machine import SLOTS, Machine
from arctree.parsing.settings import ParserSettings

Array = np.ndarray[Any, Any]
Weights = Mapping[str, Array]

# Pairs that a biaffine labeller scores at once.
_PAIRS_AT_ONCE = 256


@dataclass(frozen=True)
class Derived:
    """What decoding finds: heads by row, and along the derivations transitions and how sure."""

    heads: Array
    head_probabilities: Array
    transitions: Array
    probabilities: Array


class ActionDecoder:
    """Greedy decoding: the likeliest legal transition, step by step, in all sentences at once."""

    def __init__(self, weights: Weights, settings: ParserSettings) -> None:
        self.hidden = settings.hidden
        self._activate = ACTIVATIONS[settings.activation]
        self._absent = weights["arcs.absent"]
        self._layers = [
            (np.ascontiguousarray(weights[f"arcs.classify.{place}.weight"].T), bias)
            for place in (2, 5)
            for bias in [weights[f"arcs.classify.{place}.bias"]]
        ]
        self._temperature = float(weights["arcs.temperature"])

    def decode(self, projected: Sequence[Array], sizes: Sequence[int]) -> Derived:
        """From every row's projection for all slots; arrays of some rows each, in their order."""
        machine = Machine(sizes)
        table = np.vstack([*projected, self._absent]).reshape(-1, self.hidden)
        ends = 2 * np.cumsum(machine.sizes)
        line = (ends - 2 * machine.sizes)[machine.order]
        scores = np.empty((int(ends[-1]), 3), np.float32)
        transitions = np.empty(int(ends[-1]), np.int64)
        tops, seconds = np.empty_like(transitions), np.empty_like(transitions)
        while count := machine.running:
            lines = line[:count] + machine.steps_done
            rows = machine.rows()
            found = self._scores(table, rows)
            found[~machine.legal()] = -np.inf
            best = found.argmax(-1)
            scores[lines], transitions[lines] = found, best
            tops[lines], seconds[lines] = rows[:, 0], rows[:, 1]
            machine.step(best)
        probability = softmax(scores / self._temperature)[np.arange(len(scores)), transitions]
        surest = np.ones(machine.absent + 1, np.float32)
        for rows_there in (tops, seconds):
            np.minimum.at(surest, rows_there, probability)
        return Derived(machine.heads, surest[:-1], transitions, probability)

    def probabilities(
        self,
        projected: Sequence[Array],
        sizes: Sequence[int],
        transitions: Sequence[Sequence[int]],
    ) -> list[Array]:
        """Those of the three transitions along given ones, by sentence and configuration."""
        seen = configurations_along(sizes, transitions)
        table = np.vstack([*projected, self._absent]).reshape(-1, self.hidden)
        scores = self._scores(table, seen.rows)
        scores[~seen.legal] = -np.inf
        return seen.by_sentence(softmax(scores / self._temperature))

    def _scores(self, table: Array, rows: Array) -> Array:
        lines = (rows * len(SLOTS) + np.arange(len(SLOTS))).T
        summed = table.take(lines[0], axis=0)
        for slot in lines[1:]:
            summed += table.take(slot, axis=0)
        (inner, inner_bias), (outer, outer_bias) = self._layers
        between = self._activate(summed) @ inner
        between += inner_bias
        scores: Array = self._activate(between) @ outer
        scores += outer_bias
        return scores


@dataclass(frozen=True)
class Along:
    """What a classifier sees of the configurations along derivations, sentence after sentence.

    ``rows`` are those in the machine's slots, ``legal`` says which transitions are legal, and
    ``ends`` where each sentence's configurations end.
    """

    rows: Array
    legal: Array
    ends: Array

    def by_sentence(self, values: Array) -> list[Array]:
        return np.split(values, self.ends[:-1])


def configurations_along(sizes: Sequence[int], transitions: Sequence[Sequence[int]]) -> Along:
    """The configurations that given transitions reach, the first included, the terminal one not.

    The transitions of a sentence may stop anywhere; the machine goes on with it as it likes, for
    every configuration leads to a tree, and what it does then is not looked at.
    """
    machine = Machine(sizes)
    counts = np.array(
        [min(len(row) + 1, 2 * size) for row, size in zip(transitions, sizes, strict=True)]
    )
    ends = np.cumsum(counts)
    rows = np.empty((int(ends[-1]), len(SLOTS)), np.int64)
    legal = np.empty((int(ends[-1]), 3), np.bool_)
    while machine.running and machine.steps_done < counts.max():
        step, sentences = machine.steps_done, machine.order[: machine.running]
        is_wanted = step < counts[sentences]
        lines = (ends - counts)[sentences[is_wanted]] + step
        allowed = machine.legal()
        rows[lines], legal[lines] = machine.rows()[is_wanted], allowed[is_wanted]
        chosen = allowed.argmax(-1)
        for place, sentence in enumerate(sentences):
            if step < len(transitions[sentence]):
                chosen[place] = transitions[sentence][step]
        if not allowed[np.arange(len(chosen)), chosen].all():
            raise ValueError(f"transition {step + 1} is not legal")
        machine.step(chosen)
    return Along(rows, legal, ends)


class ArcLabeller:
    """The labels of given arcs, from what was projected of each word."""

    def __init__(
        self, name: str, weights: Weights, settings: ParserSettings, values: ArcValues
    ) -> None:
        self._places = np.array([values.on_others, values.on_root])
        self._temperature = float(weights[f"{name}.temperature"])
        self._activate = ACTIVATIONS[settings.activation]
        self._pairs: Array | None = weights.get(f"{name}.pairs")
        if self._pairs is None:
            self._layer = np.ascontiguousarray(weights[f"{name}.classify.2.weight"].T)
            self._bias = weights[f"{name}.classify.2.bias"]

    def best(self, dependents: Array, heads: Array, is_root: Array) -> tuple[Array, Array]:
        """The probability of the best label of each arc, and its number."""
        if self._pairs is None:
            scores = self._activate(dependents + heads) @ self._layer + self._bias
        else:
            scores = self._biaffine(dependents, heads)
        scores[~self._places[is_root.astype(np.int64)]] = -np.inf
        probabilities = softmax(scores / self._temperature)
        labels = probabilities.argmax(-1)
        return probabilities[np.arange(len(labels)), labels], labels

    def _biaffine(self, dependents: Array, heads: Array) -> Array:
        assert self._pairs is not None
        count, left_width, right_width = self._pairs.shape
        pairs = self._pairs.transpose(1, 0, 2).reshape(left_width, -1)
        scores = np.empty((len(dependents), count), np.float32)
        for first in range(0, len(dependents), _PAIRS_AT_ONCE):
            some = slice(first, first + _PAIRS_AT_ONCE)
            left, right = _with_one(dependents[some]), _with_one(heads[some])
            products = (left @ pairs).reshape(len(left), count, right_width)
            scores[some] = np.matmul(products, right[:, :, None])[:, :, 0]
        return scores


def softmax(scores: Array) -> Array:
    """Probabilities; where a score is -∞ it is zero."""
    raised = np.exp(scores - scores.max(-1, keepdims=True))
    shares: Array = raised / raised.sum(-1, keepdims=True)
    return shares


def _relu(values: Array) -> Array:
    return np.maximum(values, 0, out=values)


def _gelu(values: Array) -> Array:
    """x Φ(x), with the error function of Abramowitz and Stegun (7.1.26; error below 2e-7)."""
    scaled = np.abs(values) * np.float32(np.sqrt(0.5))
    term = 1 / (1 + np.float32(0.3275911) * scaled)
    series = np.zeros_like(term)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = (series + np.float32(factor)) * term
    tail = series * np.exp(-scaled * scaled) / 2  # 1 - Φ(|x|)
    found: Array = values * np.where(values < 0, tail, 1 - tail)
    return found


ACTIVATIONS: dict[str, Callable[[Array], Array]] = {"relu": _relu, "gelu": _gelu}


def _with_one(values: Array) -> Array:
    return np.concatenate([values, np.ones((len(values), 1), np.float32)], -1)
