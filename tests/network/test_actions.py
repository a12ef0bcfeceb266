from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from arctree.dependency import DependencyTree, check_heads
from arctree.network.actions import ActionScorer
from arctree.network.decoded import Decoded
from arctree.ordered import from_dependency
from arctree.parsing.machine import SLOTS, Machine, row_starts
from arctree.transitions import Configuration, Transition
from tiny import SETTINGS, randomise

WIDTH = 8
TRANSITIONS = tuple(Transition)
sizes_drawn = st.lists(st.integers(1, 12), min_size=1, max_size=6)
seeds = st.integers(0, 1000)


def random_scorer(seed: int, temperature: float = 1.0) -> ActionScorer:
    scorer = ActionScorer(WIDTH, SETTINGS).eval()
    randomise(scorer, seed)
    scorer.temperature.fill_(temperature)
    return scorer


def random_vectors(sizes: Sequence[int], seed: int) -> Tensor:
    source = torch.Generator().manual_seed(seed)
    return 4 * torch.randn(sum(sizes) + len(sizes), WIDTH, generator=source)


def decode(scorer: ActionScorer, vectors: Tensor, sizes: Sequence[int]) -> Decoded:
    with torch.inference_mode():
        return scorer.decode(vectors, sizes)


def by_sentence(decoded: Decoded, sizes: Sequence[int]) -> Iterator[tuple[list[float], ...]]:
    """Heads and their probabilities, transitions and theirs, sentence by sentence."""
    starts = row_starts(sizes)
    for number, size in enumerate(sizes):
        words = slice(starts[number] + 1, starts[number + 1])
        step = 2 * sum(sizes[:number])
        steps = slice(step, step + 2 * size)
        parts = [part[words] for part in decoded[:2]] + [part[steps] for part in decoded[2:]]
        yield tuple(part.tolist() for part in parts)


def replay(numbers: Sequence[float], size: int) -> list[Configuration]:
    """The configurations of a derivation, the last one included."""
    configurations = [Configuration.initial(size)]
    for number in numbers:
        configurations.append(TRANSITIONS[int(number)](configurations[-1]))
    return configurations


@settings(max_examples=40)
@given(sizes_drawn, seeds)
def test_random_weights_give_trees_whose_transitions_replayed_give_the_same_heads(
    sizes: list[int], seed: int
) -> None:
    decoded = decode(random_scorer(seed), random_vectors(sizes, seed), sizes)
    assert len(decoded.heads) == len(decoded.head_probabilities) == sum(sizes) + len(sizes)
    assert len(decoded.transitions) == len(decoded.probabilities) == 2 * sum(sizes)
    for size, (heads, _, numbers, _) in zip(sizes, by_sentence(decoded, sizes), strict=True):
        check_heads(heads)  # type: ignore[arg-type]
        last = replay(numbers, size)[-1]
        assert last.is_terminal
        assert last.arcs == {(head, word) for word, head in enumerate(heads, start=1)}


@settings(max_examples=40)
@given(sizes_drawn, seeds)
def test_random_weights_of_the_in_order_parser_give_ordered_trees(
    sizes: list[int], seed: int
) -> None:
    scorer = ActionScorer(WIDTH, replace(SETTINGS, kind="in-order")).eval()
    randomise(scorer, seed)
    decoded = decode(scorer, random_vectors(sizes, seed), sizes)
    assert len(decoded.transitions) == len(decoded.probabilities) == 0
    assert ((decoded.head_probabilities > 0) & (decoded.head_probabilities <= 1)).all()
    starts = row_starts(sizes)
    for number, size in enumerate(sizes):
        heads = tuple(decoded.heads[starts[number] + 1 : starts[number + 1]].tolist())
        tree = DependencyTree(("w",) * size, heads, ("x",) * size)
        assert from_dependency(tree).to_dependency() == tree  # which is refused if it is not one


def test_sentences_of_very_different_lengths_give_trees_in_one_batch() -> None:
    sizes = [1, 700, 2, 3]
    decoded = decode(random_scorer(3), random_vectors(sizes, 3), sizes)
    for heads, *_ in by_sentence(decoded, sizes):
        check_heads(heads)  # type: ignore[arg-type]


def test_random_weights_take_all_three_transitions_and_build_other_trees_than_chains() -> None:
    # What the laws here are tested on would else be of no interest.
    sizes = [12] * 20
    decoded = decode(random_scorer(0), random_vectors(sizes, 0), sizes)
    assert torch.bincount(decoded.transitions, minlength=3).min() > 20
    assert len({tuple(heads) for heads, *_ in by_sentence(decoded, sizes)}) == 20


@settings(max_examples=40)
@given(sizes_drawn, seeds)
def test_a_transition_has_a_probability_and_a_forced_one_has_probability_one(
    sizes: list[int], seed: int
) -> None:
    decoded = decode(random_scorer(seed), random_vectors(sizes, seed), sizes)
    assert ((decoded.probabilities > 0) & (decoded.probabilities <= 1)).all()
    for size, (_, _, numbers, probabilities) in zip(
        sizes, by_sentence(decoded, sizes), strict=True
    ):
        for configuration, probability in zip(replay(numbers, size), probabilities, strict=False):
            legal = sum(move.is_legal(configuration) for move in Transition)
            assert probability == 1 if legal == 1 else probability >= 1 / legal - 1e-6


@settings(max_examples=40)
@given(sizes_drawn, seeds)
def test_a_head_is_as_sure_as_the_least_sure_transition_while_its_word_was_among_the_two_topmost(
    sizes: list[int], seed: int
) -> None:
    decoded = decode(random_scorer(seed), random_vectors(sizes, seed), sizes)
    for size, (_, found, numbers, probabilities) in zip(
        sizes, by_sentence(decoded, sizes), strict=True
    ):
        least = dict.fromkeys(range(size + 1), 1.0)
        for configuration, probability in zip(replay(numbers, size), probabilities, strict=False):
            for word in islice(configuration.stack, 2):
                least[word] = min(least[word], probability)
        assert found == [least[word] for word in range(1, size + 1)]


def states_of(decoded: Decoded, sizes: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Rows and legalities of all states, each sentence walked alone along its derivation."""
    starts = row_starts(sizes)
    rows, legal = [], []
    for start, size, (_, _, numbers, _) in zip(
        starts, sizes, by_sentence(decoded, sizes), strict=False
    ):
        alone = Machine([size])
        for number in numbers:
            seen = alone.rows()
            rows.append(np.where(seen == alone.absent, starts[-1], seen + start))
            legal.append(alone.legal())
            alone.step(np.array([int(number)]))
    return torch.from_numpy(np.concatenate(rows)), torch.from_numpy(np.concatenate(legal))


@settings(max_examples=40)
@given(sizes_drawn, seeds, st.sampled_from([0.5, 1.0, 3.0]))
def test_decoding_takes_the_best_transition_of_the_scores_at_every_step(
    sizes: list[int], seed: int, temperature: float
) -> None:
    scorer, vectors = random_scorer(seed, temperature), random_vectors(sizes, seed)
    decoded = decode(scorer, vectors, sizes)
    with torch.inference_mode():
        scores = scorer(vectors, *states_of(decoded, sizes))
    assert torch.equal(scores.argmax(-1), decoded.transitions)
    expected = (scores / temperature).softmax(-1).max(-1).values
    torch.testing.assert_close(decoded.probabilities, expected)


@settings(max_examples=20)
@given(sizes_drawn, seeds)
def test_the_temperature_changes_probabilities_but_no_transition(
    sizes: list[int], seed: int
) -> None:
    vectors = random_vectors(sizes, seed)
    cold, plain, hot = (
        decode(random_scorer(seed, temperature), vectors, sizes) for temperature in (0.5, 1.0, 4.0)
    )
    for other in (cold, hot):
        assert torch.equal(other.transitions, plain.transitions)
        assert torch.equal(other.heads, plain.heads)
    assert (cold.probabilities >= plain.probabilities - 1e-6).all()
    assert (hot.probabilities <= plain.probabilities + 1e-6).all()


@settings(max_examples=40)
@given(sizes_drawn, seeds)
def test_a_sentence_is_decoded_alike_alone_and_in_a_batch(sizes: list[int], seed: int) -> None:
    scorer, vectors = random_scorer(seed), random_vectors(sizes, seed)
    together = by_sentence(decode(scorer, vectors, sizes), sizes)
    starts = row_starts(sizes)
    for number, (size, found) in enumerate(zip(sizes, together, strict=True)):
        own = vectors[starts[number] : starts[number + 1]]
        (alone,) = by_sentence(decode(scorer, own, [size]), [size])
        assert (alone[0], alone[2]) == (found[0], found[2])
        assert alone[1] == pytest.approx(found[1], abs=1e-5)
        assert alone[3] == pytest.approx(found[3], abs=1e-5)


def test_a_configuration_is_the_sum_of_what_each_slot_makes_of_its_word() -> None:
    scorer, vectors = random_scorer(1), random_vectors([3], 1)
    source = torch.Generator().manual_seed(1)
    rows = torch.randint(len(vectors) + 1, (50, len(SLOTS)), generator=source)
    hidden = SETTINGS.hidden
    expected = []
    with torch.inference_mode():
        for state in rows.tolist():
            summed = torch.zeros(hidden)
            for slot, row in enumerate(state):
                own = slice(slot * hidden, (slot + 1) * hidden)
                whole = scorer.absent if row == len(vectors) else scorer.project(vectors[row])
                summed += whole[own]
            expected.append(scorer.classify(summed))
        found = scorer(vectors, rows, torch.ones(50, 3, dtype=torch.bool))
    torch.testing.assert_close(found, torch.stack(expected))


def test_what_is_illegal_scores_minus_infinity_and_nothing_else_does() -> None:
    scorer, vectors = random_scorer(2), random_vectors([3], 2)
    legal = torch.tensor([[True, False, False], [True, True, True], [False, True, True]])
    rows = torch.zeros(3, len(SLOTS), dtype=torch.int64)
    scores = scorer(vectors, rows, legal)
    assert torch.equal(scores == -torch.inf, ~legal)
    assert torch.equal(scores.isfinite(), legal)


def test_gradients_reach_every_weight_and_the_vectors() -> None:
    scorer, sizes = random_scorer(4).train(), [3, 1]
    vectors = random_vectors(sizes, 4).requires_grad_()
    decoded = decode(scorer, vectors.detach(), sizes)
    scores = scorer(vectors, *states_of(decoded, sizes))
    loss = torch.nn.functional.cross_entropy(scores, decoded.transitions.clone())
    torch.autograd.backward(loss)
    gradients = [vectors.grad, *(parameter.grad for parameter in scorer.parameters())]
    for gradient in gradients:
        assert gradient is not None
        assert gradient.isfinite().all()
        assert gradient.any()
