from __future__ import annotations

from collections.abc import Sequence

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from arctree.dependency import check_heads
from arctree.network import graph
from arctree.network.decoded import Decoded
from arctree.network.graph import ArcScorer
from arctree.parsing.machine import row_starts
from arctree.theorems import all_heads
from tiny import SETTINGS, randomise

WIDTH = 8
sizes_drawn = st.lists(st.integers(1, 12), min_size=1, max_size=6)
seeds = st.integers(0, 1000)


def random_scorer(seed: int, temperature: float = 1.0) -> ArcScorer:
    scorer = ArcScorer(WIDTH, SETTINGS).eval()
    randomise(scorer, seed)
    scorer.temperature.fill_(temperature)
    return scorer


def random_vectors(sizes: Sequence[int], seed: int) -> Tensor:
    source = torch.Generator().manual_seed(seed)
    return 2 * torch.randn(sum(sizes) + len(sizes), WIDTH, generator=source)


def decode(scorer: ArcScorer, vectors: Tensor, sizes: Sequence[int]) -> Decoded:
    with torch.inference_mode():
        return scorer.decode(vectors, sizes)


def heads_of(decoded: Decoded, sizes: Sequence[int]) -> list[list[int]]:
    starts = row_starts(sizes)
    return [
        decoded.heads[starts[number] + 1 : starts[number + 1]].tolist()
        for number in range(len(sizes))
    ]


@given(sizes_drawn, seeds)
def test_a_pair_scores_minus_infinity_exactly_where_it_is_no_arc(
    sizes: list[int], seed: int
) -> None:
    with torch.inference_mode():
        scores = random_scorer(seed)(random_vectors(sizes, seed), sizes)
    longest = max(sizes) + 1
    assert scores.shape == (len(sizes), longest, longest)
    for size, table in zip(sizes, scores.tolist(), strict=True):
        for dependent, row in enumerate(table[: size + 1]):
            finite = [head for head, score in enumerate(row) if score > -torch.inf]
            assert finite == [head for head in range(size + 1) if head != dependent]


def test_a_score_is_the_biaffine_of_the_two_ends() -> None:
    sizes = [3, 5]
    scorer, vectors = random_scorer(1), random_vectors(sizes, 1)
    with torch.inference_mode():
        scores = scorer(vectors, sizes)
        for dependent in range(6):
            for head in range(6):
                if dependent != head:
                    left = torch.cat([scorer.as_dependent(vectors[4 + dependent]), torch.ones(1)])
                    expected = left @ scorer.pairs @ scorer.as_head(vectors[4 + head])
                    torch.testing.assert_close(scores[1, dependent, head], expected)


@given(sizes_drawn, seeds)
def test_random_weights_give_trees_and_no_transitions(sizes: list[int], seed: int) -> None:
    decoded = decode(random_scorer(seed), random_vectors(sizes, seed), sizes)
    assert len(decoded.heads) == len(decoded.head_probabilities) == sum(sizes) + len(sizes)
    assert len(decoded.transitions) == len(decoded.probabilities) == 0
    for heads in heads_of(decoded, sizes):
        check_heads(heads)


@pytest.mark.parametrize("size", range(1, 6))
def test_no_tree_is_likelier_by_going_through_all_of_them(size: int) -> None:
    sizes = [size, 7, size]
    trees = list(all_heads(size))
    for seed in range(10):
        scorer, vectors = random_scorer(seed), random_vectors(sizes, seed)
        with torch.inference_mode():
            likelihoods = scorer(vectors, sizes).log_softmax(-1)
        found = heads_of(decode(scorer, vectors, sizes), sizes)
        for sentence in (0, 2):
            rows = likelihoods[sentence, 1 : size + 1, : size + 1].tolist()
            totals = [sum(rows[word][heads[word]] for word in range(size)) for heads in trees]
            own = sum(rows[word][head] for word, head in enumerate(found[sentence]))
            assert own == pytest.approx(max(totals), abs=1e-4)


@settings(max_examples=40)
@given(sizes_drawn, seeds, st.sampled_from([0.5, 1.0, 3.0]))
def test_a_head_has_its_probability_among_all_heads_at_the_temperature(
    sizes: list[int], seed: int, temperature: float
) -> None:
    scorer, vectors = random_scorer(seed, temperature), random_vectors(sizes, seed)
    decoded = decode(scorer, vectors, sizes)
    assert torch.equal(decoded.heads, decode(random_scorer(seed), vectors, sizes).heads)
    with torch.inference_mode():
        scores = scorer(vectors, sizes) / temperature
    starts = row_starts(sizes)
    for number, heads in enumerate(heads_of(decoded, sizes)):
        for word, head in enumerate(heads, start=1):
            heads_there = scores[number, word, : len(heads) + 1]
            expected = float((heads_there[head] - heads_there.logsumexp(0)).exp())
            found = float(decoded.head_probabilities[starts[number] + word])
            assert found == pytest.approx(expected, abs=1e-5)
            assert 0 <= found <= 1


@settings(max_examples=40)
@given(sizes_drawn, seeds)
def test_a_sentence_is_decoded_alike_alone_and_in_a_batch(sizes: list[int], seed: int) -> None:
    scorer, vectors = random_scorer(seed), random_vectors(sizes, seed)
    together = decode(scorer, vectors, sizes)
    starts = row_starts(sizes)
    for number, size in enumerate(sizes):
        own = slice(starts[number], starts[number + 1])
        alone = decode(scorer, vectors[own], [size])
        assert torch.equal(alone.heads[1:], together.heads[own][1:])
        torch.testing.assert_close(
            alone.head_probabilities[1:], together.head_probabilities[own][1:], atol=1e-5, rtol=0
        )


def test_gradients_reach_every_weight_and_the_vectors() -> None:
    scorer, sizes = random_scorer(4).train(), [3, 1]
    vectors = random_vectors(sizes, 4).requires_grad_()
    scores = scorer(vectors, sizes)
    loss = torch.nn.functional.cross_entropy(scores[0, 1:4], torch.tensor([0, 1, 2]))
    torch.autograd.backward(loss)
    for gradient in [vectors.grad, *(parameter.grad for parameter in scorer.parameters())]:
        assert gradient is not None
        assert gradient.isfinite().all()
        assert gradient.any()


def test_a_long_sentence_among_short_ones_pads_none_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes = [1, 2, 60, 1, 3] * 20
    scorer, vectors = random_scorer(1), random_vectors(sizes, 1)
    expected = decode(scorer, vectors, sizes)
    monkeypatch.setattr(graph, "_SCORED_AT_ONCE", 4000)  # one sentence of 60 words has 61 x 61
    held: list[int] = []
    scorer.register_forward_hook(lambda *call: held.append(call[-1].numel()))
    found = decode(scorer, vectors, sizes)
    assert max(held) <= 4000
    assert len(held) < len(sizes)
    assert torch.equal(found.heads, expected.heads)
    torch.testing.assert_close(found.head_probabilities, expected.head_probabilities)
