from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from arctree.parsing.machine import SLOTS, row_starts
from arctree.training.batching import epoch_batches, to_batch
from tiny import CPU, learnable, vectors_of
from toy_language import toy_treebank

costs_drawn = st.lists(st.integers(1, 80), min_size=1, max_size=40)
seeds = st.integers(0, 2**31)


@given(costs_drawn, st.integers(1, 300), seeds, st.integers(0, 50))
def test_an_epoch_has_every_example_once_in_batches_near_the_budget(
    costs: list[int], budget: int, seed: int, epoch: int
) -> None:
    batches = epoch_batches(costs, [1.0] * len(costs), budget, seed, epoch)
    assert sorted(number for batch in batches for number in batch) == list(range(len(costs)))
    for batch in batches:
        # Lengths are blurred by a tenth, and what is left is rounded down.
        most = 0.9 * max(costs[number] for number in batch) - 1
        assert len(batch) == 1 or len(batch) * most <= budget


@given(costs_drawn, seeds, st.integers(0, 50))
def test_the_batches_are_a_function_of_seed_and_epoch(
    costs: list[int], seed: int, epoch: int
) -> None:
    weights = [0.5 + number % 3 for number in range(len(costs))]
    batches = epoch_batches(costs, weights, 100, seed, epoch)
    assert epoch_batches(costs, weights, 100, seed, epoch) == batches


def test_another_seed_or_epoch_gives_other_batches_in_another_order() -> None:
    costs = [5 + number % 40 for number in range(200)]
    found = [
        epoch_batches(costs, [1.0] * 200, 300, seed, epoch)
        for seed, epoch in ((1, 0), (1, 1), (2, 0), (0, 1))
    ]
    for place, batches in enumerate(found):
        for others in found[:place]:
            assert batches != others
            assert {frozenset(batch) for batch in batches} != {frozenset(b) for b in others}
        longest = [max(costs[number] for number in batch) for batch in batches]
        assert longest != sorted(longest)


def test_examples_of_similar_length_are_in_one_batch() -> None:
    costs = [5 + number % 40 for number in range(400)]
    for batch in epoch_batches(costs, [1.0] * 400, 300, 1, 1):
        lengths = [costs[number] for number in batch]
        assert 0.9 * max(lengths) <= 1.1 * min(lengths) + 3


def test_weights_say_how_often_an_example_occurs() -> None:
    weights = [0.5] * 50 + [1.0] * 50 + [2.0] * 50 + [2.25] * 50
    epochs = 40
    times: list[Counter[int]] = []
    for epoch in range(epochs):
        batches = epoch_batches([7] * 200, weights, 70, 3, epoch)
        times.append(Counter(number for batch in batches for number in batch))
    occurring = np.array([[seen[number] for number in range(200)] for seen in times])
    assert set(occurring[:, :50].ravel()) == {0, 1}
    assert set(occurring[:, 50:100].ravel()) == {1}
    assert set(occurring[:, 100:150].ravel()) == {2}
    assert set(occurring[:, 150:].ravel()) == {2, 3}
    # 2000 draws each: four standard deviations are 0.045.
    assert occurring[:, :50].mean() == pytest.approx(0.5, abs=0.045)
    assert occurring[:, 150:].mean() == pytest.approx(2.25, abs=0.045)
    # Every example has its chance in each epoch anew.
    assert 0 < occurring[:, :50].sum(axis=0).min() <= occurring[:, :50].sum(axis=0).max() < epochs


def test_an_epoch_in_which_no_example_is_drawn_has_no_batches() -> None:
    assert epoch_batches([3], [1e-9], 10, 1, 1) == []


def test_the_gold_trees_of_a_batch_are_those_of_its_examples_in_rows() -> None:
    sentences = toy_treebank(20, seed=2)
    network, examples = learnable(sentences)
    lifted = next(number for number, example in enumerate(examples) if example.marks.any())
    order = [3, lifted, 0, 4]
    batch = to_batch([examples[number] for number in order], network.encoder, CPU)
    gold = batch.gold
    assert list(batch.sizes) == [len(sentences[number]) for number in order]
    word = row = 0
    for number in order:
        example, size = examples[number], len(sentences[number])
        own = slice(word, word + size)
        assert gold.words[own].tolist() == list(range(row + 1, row + size + 1))
        assert (gold.heads[own] - row).tolist() == example.heads.tolist()
        assert gold.is_root[own].tolist() == [head == 0 for head in example.heads]
        assert gold.labels[own].tolist() == example.labels.tolist()
        assert gold.marks[own].tolist() == example.marks.tolist()
        assert set(gold.tags) == {"upos", "xpos", "feats"}
        for name, numbers in gold.tags.items():
            assert numbers[own].tolist() == example.tags[name].tolist()
        word += size
        row += size + 1
    assert len(gold.words) == word
    forms = [sentences[number].forms for number in order]
    with torch.inference_mode():
        assert torch.equal(network.encoder(batch.inputs), vectors_of(network.encoder, forms))


def test_the_states_of_a_batch_are_those_of_the_derivations() -> None:
    network, examples = learnable(toy_treebank(6, seed=2))
    batch = to_batch(examples, network.encoder, CPU)
    gold, starts = batch.gold, row_starts(batch.sizes)
    absent = int(starts[-1])
    assert gold.states.shape == (2 * sum(batch.sizes), len(SLOTS))
    step = 0
    for start, example in zip(starts, examples, strict=False):
        derivation = example.derivation
        assert derivation is not None
        own = slice(step, step + 2 * example.size)
        states = [
            [-1 if row == absent else row - start for row in state]
            for state in gold.states[own].tolist()
        ]
        assert states == derivation.rows.tolist()
        assert gold.legal[own].tolist() == derivation.legal.tolist()
        assert gold.transitions[own].tolist() == derivation.transitions.tolist()
        step += 2 * example.size
    assert (gold.states == absent).any()
    assert gold.legal.dtype is torch.bool


def test_the_graph_based_parser_learns_from_heads_and_has_no_states() -> None:
    sentences = toy_treebank(30, seed=4)
    assert not all(sentence.tree.is_projective() for sentence in sentences)
    network, examples = learnable(sentences, "graph")
    gold = to_batch(examples, network.encoder, CPU).gold
    assert len(gold.states) == len(gold.legal) == len(gold.transitions) == 0
    sizes = [len(sentence) for sentence in sentences]
    heads = [head for sentence in sentences for head in sentence.heads or ()]
    starts = np.repeat(row_starts(sizes)[:-1], sizes)
    assert (gold.heads.numpy() - starts).tolist() == heads
