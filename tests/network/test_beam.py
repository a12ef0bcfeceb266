"""Beam search in the systems whose classifier sees a configuration: mapped and in-order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from arctree.dependency import check_heads, is_projective
from arctree.network.actions import ActionScorer
from arctree.parsing.machine import row_starts
from arctree.parsing.settings import ParserSettings
from arctree.parsing.systems import SYSTEMS
from tiny import randomise

WIDTH = 8
KINDS = ("mapped", "in-order")
kinds = st.sampled_from(KINDS)


def random_scorer(kind: Any, seed: int, beam: int = 1) -> ActionScorer:
    chosen = ParserSettings(kind=kind, hidden=16, beam=beam, dropout=0.0)
    scorer = ActionScorer(WIDTH, chosen).eval()
    randomise(scorer, seed)
    return scorer


def random_vectors(sizes: Sequence[int], seed: int) -> Tensor:
    source = torch.Generator().manual_seed(seed)
    return 4 * torch.randn(sum(sizes) + len(sizes), WIDTH, generator=source)


@torch.inference_mode()
def trees(scorer: ActionScorer, vectors: Tensor, sizes: Sequence[int]) -> list[tuple[int, ...]]:
    heads, starts = scorer.decode(vectors, sizes).heads, row_starts(sizes)
    return [tuple(heads[starts[n] + 1 : starts[n + 1]].tolist()) for n in range(len(sizes))]


@torch.inference_mode()
def all_derivations(
    scorer: ActionScorer, vectors: Tensor, size: int
) -> Iterator[tuple[float, tuple[int, ...]]]:
    """The likelihood of every sequence of steps, and the tree that it builds."""
    table = scorer.table(vectors)
    agenda: list[tuple[int, ...]] = [()]
    while agenda:
        taken = agenda.pop()
        machine: Any = scorer.system.machine([size], torch, torch.from_numpy)
        total = 0.0
        for step in taken:
            scores = scorer.table_scores(table, machine.rows(), machine.legal())
            total += float(scores.log_softmax(-1)[0, step])
            machine.step(torch.tensor([step]))
        if machine.running:
            agenda += [(*taken, step) for step in range(3) if machine.legal()[0, step]]
        else:
            yield total, tuple(machine.heads_of_sentences()[0])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("kind", "derivations"), [("mapped", 40), ("in-order", 30)])
def test_a_beam_that_holds_all_sequences_finds_the_likeliest(
    kind: str, derivations: int, seed: int
) -> None:
    vectors = random_vectors([4], seed)
    every = list(all_derivations(random_scorer(kind, seed), vectors, 4))
    assert len(every) == derivations
    assert sum(torch.tensor([total for total, _ in every]).exp()) == pytest.approx(1, abs=1e-4)
    assert trees(random_scorer(kind, seed, beam=64), vectors, [4]) == [max(every)[1]]


@settings(max_examples=40, deadline=None)
@given(kinds, st.lists(st.integers(1, 10), min_size=1, max_size=5), st.integers(0, 1000))
def test_a_beam_gives_projective_trees_the_same_alone_and_in_a_batch(
    kind: str, sizes: list[int], seed: int
) -> None:
    scorer, vectors = random_scorer(kind, seed, beam=3), random_vectors(sizes, seed)
    found, starts = trees(scorer, vectors, sizes), row_starts(sizes)
    for number, (heads, size) in enumerate(zip(found, sizes, strict=True)):
        check_heads(heads)
        assert is_projective(heads)
        alone = vectors[starts[number] : starts[number + 1]]
        assert trees(scorer, alone, [size]) == [heads]


@settings(max_examples=30, deadline=None)
@given(
    kinds,
    st.lists(st.integers(1, 8), min_size=2, max_size=5),
    st.integers(0, 1000),
    st.integers(1, 14),
)
def test_a_line_that_goes_on_from_another_is_where_that_one_was(
    kind: str, sizes: list[int], seed: int, steps: int
) -> None:
    """Lines of equal length, walked at random; some of them then change places."""
    machine_type = SYSTEMS[kind].machine
    repeated = sorted([size for size in sizes for _ in range(3)], reverse=True)
    machine = machine_type(repeated, torch, torch.from_numpy)
    source = torch.Generator().manual_seed(seed)
    for _ in range(steps):
        if machine.running:
            machine.step(
                torch.where(
                    machine.legal(), torch.rand(machine.running, 3, generator=source), -1.0
                ).argmax(-1)
            )
    count = machine.running
    if not count:
        return
    lines = torch.tensor(
        [3 * (line // 3) + int(torch.randint(3, (), generator=source)) for line in range(count)]
    )
    starts = torch.from_numpy(machine.starts[:-1][machine.order])[:count, None]
    before, legal = machine.rows(), machine.legal()
    is_there = before != machine.absent
    machine.select(lines)
    after = machine.rows()
    assert torch.equal(machine.legal(), legal[lines])
    assert torch.equal(after != machine.absent, is_there[lines])
    assert torch.equal((after - starts)[is_there[lines]], (before - starts)[lines][is_there[lines]])
    while machine.running:
        machine.step(machine.legal().long().argmax(-1))
    for heads in machine.heads_of_sentences():
        check_heads(heads)


@pytest.mark.parametrize("kind", KINDS)
def test_a_beam_tells_how_sure_it_is_of_what_it_found(kind: str) -> None:
    sizes = [5, 3, 7]
    vectors = random_vectors(sizes, 3)
    with torch.inference_mode():
        decoded = random_scorer(kind, 3, beam=4).decode(vectors, sizes)
    assert ((decoded.head_probabilities > 0) & (decoded.head_probabilities <= 1)).all()
    assert len(decoded.transitions) == (2 * sum(sizes) if kind == "mapped" else 0)
