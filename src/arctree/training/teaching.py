"""Teaching: several parsers annotate sentences together, as silver for a smaller one.

The teachers step through one derivation: in every configuration their probabilities are
averaged, and the likeliest transition is taken. Labels and tags are averaged likewise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from arctree.errors import CallError
from arctree.network.actions import ActionScorer
from arctree.network.model import Model
from arctree.network.network import Network
from arctree.network.pretrained import PretrainedEncoder
from arctree.parsing.batches import by_cost
from arctree.parsing.machine import SLOTS, Machine, row_starts
from arctree.training.packing import PackedWords
from arctree.training.silver import KEPT, WHOLE, Answers, Silver

# Sub-words encoded at once, and words that step together.
_ENCODED_AT_ONCE = {"cpu": 2048, "cuda": 65_536}
_DECODED_AT_ONCE = {"cpu": 4096, "cuda": 65_536}
# Longer sentences are left out: the encoders have to take them whole.
LONGEST = 200

Array = np.ndarray[Any, Any]


def check_teachers(models: Sequence[Model]) -> None:
    """Teachers must give the same answers to average: labels, marks and tags in common."""
    first = models[0].outcomes
    for model in models:
        if model.parser.kind != "mapped":
            raise CallError(
                f"a teacher's parser is of kind {model.parser.kind}; teachers are mapped parsers"
            )
        if not isinstance(model.network.encoder, PretrainedEncoder):
            raise CallError("a teacher has no pretrained encoder")
        same = (
            model.outcomes.labels == first.labels
            and model.outcomes.marks == first.marks
            and model.outcomes.tags == first.tags
        )
        if not same:
            raise CallError("the teachers answer with different labels or tags; train them alike")


def teach(
    models: Sequence[Model],
    sentences: Iterable[Sequence[str]],
    record: Mapping[str, Any],
    watcher: Callable[[float], None] = lambda share: None,
) -> Silver:
    """The silver corpus of these sentences; those too long to be read whole are left out.

    The watcher is told again and again what share of the words is done.
    """
    check_teachers(models)
    forms: dict[str, int] = {}
    numbered = [
        np.array([forms.setdefault(word, len(forms)) for word in sentence], np.int32)
        for sentence in sentences
        if 0 < len(sentence) <= LONGEST
    ]
    networks = [model.network.eval() for model in models]
    numbered = _within_reach(numbered, list(forms), [_encoder(network) for network in networks])
    if not numbered:
        raise CallError(f"no sentence of 1 to {LONGEST} words to annotate")
    lengths = np.array([len(some) for some in numbered])
    order = np.argsort(lengths, kind="stable")
    words = np.concatenate([numbered[number] for number in order])
    starts = np.concatenate([[0], np.cumsum(lengths[order])])
    packed = PackedWords(_encoder(networks[0]), list(forms), words, starts, networks[0].device)
    texts = {network.encoder.files()[1] for network in networks}  # type: ignore[operator]
    if len(texts) > 1:
        raise CallError("the teachers cut words otherwise; give them the same tokenizer")
    kind = networks[0].device.type
    at_once = _DECODED_AT_ONCE.get(kind, _DECODED_AT_ONCE["cpu"])
    found: list[dict[str, Array]] = []
    first = 0
    while first < len(starts) - 1:
        last = max(int(np.searchsorted(starts, starts[first] + at_once)), first + 1)
        numbers = np.arange(first, min(last, len(starts) - 1))
        found.append(_answers(networks, packed, numbers))
        first = last
        watcher(starts[min(last, len(starts) - 1)] / starts[-1])
    arrays = {name: np.concatenate([some[name] for some in found]) for name in found[0]}
    return Silver(
        forms=list(forms),
        starts=starts,
        words=words,
        heads=arrays["heads"],
        states=arrays["states"],
        transitions=arrays["transitions"],
        answers={
            name: Answers(arrays[f"{name}.values"], arrays[f"{name}.shares"])
            for name in ("labels", "marks", *models[0].outcomes.tags)
            if f"{name}.values" in arrays
        },
        outcomes=models[0].outcomes,
        record=dict(record),
        lemmatiser=models[0].lemmatiser,
    )


def _within_reach(
    numbered: Sequence[Array], forms: Sequence[str], encoders: Sequence[PretrainedEncoder]
) -> list[Array]:
    """The sentences that all encoders can take in one window."""
    pieces = np.array([len(some.ids) for some in encoders[0].prepare([[form] for form in forms])])
    reach = min(encoder.reach for encoder in encoders)
    return [words for words in numbered if pieces[words].sum() <= reach]


def _encoder(network: Network) -> PretrainedEncoder:
    assert isinstance(network.encoder, PretrainedEncoder)
    return network.encoder


@torch.inference_mode()
def _answers(networks: Sequence[Network], packed: PackedWords, numbers: Array) -> dict[str, Array]:
    """What the teachers say together of some sentences."""
    sizes = packed.sizes[numbers]
    device = packed.device
    vectors = [_vectors(network, packed, numbers) for network in networks]
    states, transitions, heads = _derive(networks, vectors, sizes.tolist())
    starts = row_starts(sizes.tolist())
    words = torch.from_numpy(np.delete(np.arange(starts[-1]), starts[:-1])).to(device)
    head = heads[words]
    head_rows = torch.from_numpy(np.repeat(starts[:-1], sizes)).to(device) + head
    answers: dict[str, Tensor] = {"heads": head.to(torch.int16)}
    answers["states"], answers["transitions"] = states, transitions

    def averaged(name: str, scores: Iterable[Tensor]) -> None:
        shares = torch.stack([some.softmax(-1) for some in scores]).mean(0)
        best = shares.topk(min(KEPT, shares.shape[-1]))
        # What the others had is shared out among those that are kept.
        kept = (best.values / best.values.sum(-1, keepdim=True) * WHOLE).round().clamp(0, WHOLE)
        answers[f"{name}.values"] = best.indices.to(torch.int16)
        answers[f"{name}.shares"] = kept.to(torch.uint8)

    pairs = list(zip(networks, vectors, strict=True))
    averaged("labels", (n.labeller(v, words, head_rows, head == 0) for n, v in pairs))
    if networks[0].marker is not None:
        averaged("marks", (n.marker(v, words, head_rows, head == 0) for n, v in pairs if n.marker))
    for name in networks[0].taggers:
        averaged(name, (network.taggers[name](found[words]) for network, found in pairs))
    return {name: found.cpu().numpy() for name, found in answers.items()}


def _vectors(network: Network, packed: PackedWords, numbers: Array) -> Tensor:
    """One vector a row; sentences come sorted by length, so batches follow one another."""
    kind = packed.device.type
    budget = _ENCODED_AT_ONCE.get(kind, _ENCODED_AT_ONCE["cpu"])
    parts = []
    # Blocks in the order of the sentences: costs that only rise keep it.
    costs = np.maximum.accumulate(packed.pieces[numbers] + 2)
    for batch in by_cost(costs.tolist(), budget):
        with torch.autocast(kind, torch.bfloat16, enabled=kind == "cuda"):
            parts.append(network.encoder(packed.lay_out(numbers[batch])).float())
    return torch.cat(parts)


def _derive(
    networks: Sequence[Network], vectors: Sequence[Tensor], sizes: Sequence[int]
) -> tuple[Tensor, Tensor, Tensor]:
    """The configurations of the derivations, the shares of the transitions, and the heads."""
    device = vectors[0].device
    machine = Machine(sizes, torch, lambda array: torch.from_numpy(array).to(device))
    scorers = [network.arcs for network in networks]
    tables = [
        scorer.table(some)
        for scorer, some in zip(scorers, vectors, strict=True)
        if isinstance(scorer, ActionScorer)
    ]
    ends = 2 * np.cumsum(machine.sizes)
    line = torch.from_numpy((ends - 2 * machine.sizes)[machine.order]).to(device)
    start = torch.from_numpy(machine.starts[:-1][machine.order]).to(device)
    states = torch.empty(int(ends[-1]), len(SLOTS), dtype=torch.int16, device=device)
    shares = torch.empty(int(ends[-1]), 3, dtype=torch.uint8, device=device)
    while count := machine.running:
        lines = line[:count] + machine.steps_done
        rows, legal = machine.rows(), machine.legal()
        probabilities = torch.stack(
            [
                scorer.table_scores(table, rows, legal).softmax(-1)
                for scorer, table in zip(scorers, tables, strict=True)
                if isinstance(scorer, ActionScorer)
            ]
        ).mean(0)
        within = torch.where(rows == machine.absent, -1, rows - start[:count, None])
        states[lines] = within.to(torch.int16)
        shares[lines] = (probabilities * WHOLE).round().to(torch.uint8)
        machine.step(probabilities.argmax(-1))
    return states, shares, machine.heads
