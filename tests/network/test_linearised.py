from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from arctree.dependency import check_heads, is_projective
from arctree.network.decoded import Decoded
from arctree.network.linearised import SymbolScorer
from arctree.parsing.linear_machine import LinearMachine, linear_derivations, linear_steps
from arctree.parsing.machine import row_starts
from arctree.parsing.settings import ParserSettings
from arctree.theorems import all_heads
from tiny import randomise

WIDTH = 8
sizes_drawn = st.lists(st.integers(1, 10), min_size=1, max_size=5)
seeds = st.integers(0, 1000)


def random_scorer(seed: int, beam: int = 1, scale: float = 1.0) -> SymbolScorer:
    chosen = ParserSettings(kind="linearised", hidden=16, beam=beam, dropout=0.0)
    scorer = SymbolScorer(WIDTH, chosen).eval()
    randomise(scorer, seed)
    with torch.no_grad():
        for parameter in scorer.parameters():
            parameter.mul_(scale)
    return scorer


def random_vectors(sizes: Sequence[int], seed: int) -> Tensor:
    source = torch.Generator().manual_seed(seed)
    return 2 * torch.randn(sum(sizes) + len(sizes), WIDTH, generator=source)


def decode(scorer: SymbolScorer, vectors: Tensor, sizes: Sequence[int]) -> Decoded:
    with torch.inference_mode():
        return scorer.decode(vectors, sizes)


def trees_of(decoded: Decoded, sizes: Sequence[int]) -> list[tuple[int, ...]]:
    starts = row_starts(sizes)
    return [tuple(decoded.heads[starts[n] + 1 : starts[n + 1]].tolist()) for n in range(len(sizes))]


def forced(
    scorer: SymbolScorer, vectors: Tensor, trees: Sequence[Sequence[int]]
) -> tuple[Tensor, Tensor]:
    """The scores along the linearisations of trees, and the symbols."""
    sizes = [len(heads) for heads in trees]
    starts = row_starts(sizes)
    rows, legal, symbols = [], [], []
    for start, derivation in zip(starts, linear_derivations(trees), strict=False):
        found = torch.from_numpy(derivation.rows).long()
        rows.append(torch.where(found < 0, int(starts[-1]), found + int(start)))
        legal.append(torch.from_numpy(derivation.legal))
        symbols.append(torch.from_numpy(derivation.transitions).long())
    with torch.inference_mode():
        scores = scorer(vectors, torch.cat(rows), torch.cat(legal), sizes, torch.cat(symbols))
    return scores, torch.cat(symbols)


def likelihood(scorer: SymbolScorer, vectors: Tensor, heads: Sequence[int]) -> float:
    scores, symbols = forced(scorer, vectors, [heads])
    return float(scores.log_softmax(-1).gather(-1, symbols[:, None]).sum())


@settings(max_examples=40, deadline=None)
@given(sizes_drawn, seeds, st.sampled_from([1, 2, 5]))
def test_random_weights_give_projective_trees_greedily_and_with_a_beam(
    sizes: list[int], seed: int, beam: int
) -> None:
    decoded = decode(random_scorer(seed, beam), random_vectors(sizes, seed), sizes)
    assert len(decoded.heads) == len(decoded.head_probabilities) == sum(sizes) + len(sizes)
    assert len(decoded.transitions) == len(decoded.probabilities) == 0
    assert ((decoded.head_probabilities > 0) & (decoded.head_probabilities <= 1)).all()
    for heads in trees_of(decoded, sizes):
        check_heads(heads)
        assert is_projective(heads)


@settings(max_examples=30, deadline=None)
@given(sizes_drawn, seeds)
def test_greedy_decoding_takes_what_scores_best_when_its_own_tree_is_forced(
    sizes: list[int], seed: int
) -> None:
    scorer, vectors = random_scorer(seed), random_vectors(sizes, seed)
    trees = trees_of(decode(scorer, vectors, sizes), sizes)
    scores, symbols = forced(scorer, vectors, trees)
    assert (scores.argmax(-1) == symbols).all()


@pytest.mark.parametrize("beam", [1, 3])
def test_a_sentence_is_decoded_the_same_alone_and_in_a_batch(beam: int) -> None:
    sizes = [4, 9, 1, 9, 6]
    scorer, vectors = random_scorer(5, beam), random_vectors(sizes, 5)
    starts = row_starts(sizes)
    together = trees_of(decode(scorer, vectors, sizes), sizes)
    alone = [
        trees_of(decode(scorer, vectors[starts[n] : starts[n + 1]], [size]), [size])[0]
        for n, size in enumerate(sizes)
    ]
    assert together == alone


@pytest.mark.parametrize("seed", range(6))
def test_a_beam_that_holds_all_sequences_finds_the_likeliest_tree(seed: int) -> None:
    vectors = random_vectors([4], seed)
    trees = [heads for heads in all_heads(4) if is_projective(heads)]
    scorer = random_scorer(seed, beam=32)
    likelihoods = {tuple(heads): likelihood(scorer, vectors, heads) for heads in trees}
    assert len(likelihoods) == 30
    assert sum(torch.tensor(list(likelihoods.values())).exp()) == pytest.approx(1, abs=1e-4)
    (found,) = trees_of(decode(scorer, vectors, [4]), [4])
    assert likelihoods[found] == pytest.approx(max(likelihoods.values()), abs=1e-4)


def test_a_beam_is_as_sure_of_a_tree_as_forcing_the_tree_is() -> None:
    """A line that goes on from another one goes on from what the decoder had written there."""
    for seed in range(40):
        scorer, vectors = random_scorer(seed, beam=4, scale=1.5), random_vectors([8], seed)
        with torch.inference_mode():
            found = scorer._search(vectors, [8]).probabilities.log().sum()
        (heads,) = trees_of(decode(scorer, vectors, [8]), [8])
        assert float(found) == pytest.approx(likelihood(scorer, vectors, heads), abs=1e-3), seed


def test_a_beam_finds_likelier_trees_than_greedy_decoding() -> None:
    gains = []
    for seed in range(30):
        vectors = random_vectors([6], seed)
        found = [
            trees_of(decode(random_scorer(seed, beam), vectors, [6]), [6])[0] for beam in (1, 16)
        ]
        scorer = random_scorer(seed)
        greedy, wide = (likelihood(scorer, vectors, heads) for heads in found)
        gains.append(wide - greedy)
    assert min(gains) > -1e-3
    assert max(gains) > 0.05


def test_illegal_symbols_score_minus_infinity_and_a_forced_one_has_probability_one() -> None:
    trees = [heads for heads in all_heads(4) if is_projective(heads)]
    scores, _ = forced(random_scorer(1), random_vectors([4] * 30, 1), trees)
    legal = torch.cat([torch.from_numpy(found.legal) for found in linear_derivations(trees)])
    assert ((scores == -torch.inf) == ~legal).all()
    alone = legal.sum(-1) == 1
    assert (scores.softmax(-1)[alone].max(-1).values == 1).all()


def test_the_slots_tell_prefixes_apart_only_by_what_they_read() -> None:
    # Two trees with the same symbols so far are in the same state, whatever comes after.
    for first, second in product([[2, 0, 2], [2, 0, 2, 2]], repeat=2):
        one, other = LinearMachine([len(first)]), LinearMachine([len(second)])
        shared = 0
        for mine, others in zip(linear_steps(first), linear_steps(second), strict=False):
            if mine != others:
                break
            shared += 1
            positions = [machine.rows()[0] for machine in (one, other)]
            found = [
                [row if row < machine.absent else -1 for row in rows]
                for machine, rows in zip((one, other), positions, strict=True)
            ]
            assert found[0][1:] == found[1][1:]
            one.step(torch.tensor([mine]).numpy())
            other.step(torch.tensor([others]).numpy())
        assert shared > 0
