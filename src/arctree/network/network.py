"""The whole network: an encoder, a parser on it, a labeller, and taggers.

Given gold trees it returns losses; given words alone it returns trees, first unlabelled, then
labelled with the heads fixed, and the other columns that it has learnt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from arctree.network.actions import ActionScorer
from arctree.network.encoder import Encoder, Inputs
from arctree.network.graph import ArcScorer
from arctree.network.labeller import ACTIVATIONS, LABELLERS, Labeller
from arctree.network.linearised import SymbolScorer
from arctree.parsing.answers import Analysis, ArcValues, Outcomes
from arctree.parsing.machine import row_starts
from arctree.parsing.settings import ParserSettings

# The number of a gold value that the vocabulary does not have: nothing is learnt from it.
IGNORED = -100


class Shares(NamedTuple):
    """Answers of which several are right, each in part: their numbers, and the share of each."""

    values: Tensor
    shares: Tensor


Target = Tensor | Shares


@dataclass(frozen=True)
class Gold:
    """What a batch is to be parsed as, as tensors.

    States are those of the derivations: rows in their slots, legality, the transition taken.
    The graph-based parser learns from ``heads`` alone. Words lie sentence after sentence;
    ``heads`` and ``words`` hold rows.
    """

    words: Tensor
    heads: Tensor
    is_root: Tensor
    labels: Target
    marks: Target
    tags: Mapping[str, Target]
    states: Tensor
    legal: Tensor
    transitions: Target


@dataclass(frozen=True)
class Batch:
    """Sentences laid out for the encoder, with their gold trees."""

    inputs: Inputs
    sizes: Sequence[int]
    gold: Gold


class Network(nn.Module):
    """The network of a parser."""

    def __init__(self, encoder: Encoder, settings: ParserSettings, outcomes: Outcomes) -> None:
        super().__init__()
        self.encoder = encoder
        # Whether the encoder is trained in bfloat16, as GPUs like it.
        self.half_precision = False
        self.dropout = nn.Dropout(settings.dropout)
        self.arcs: ActionScorer | SymbolScorer | ArcScorer
        if settings.kind == "graph":
            self.arcs = ArcScorer(encoder.width, settings)
        elif settings.kind == "linearised":
            self.arcs = SymbolScorer(encoder.width, settings)
        else:
            self.arcs = ActionScorer(encoder.width, settings)
        labeller, width = LABELLERS[settings.labels], encoder.width
        self.labeller: Labeller = labeller(
            width, settings.label_width, settings, *_places(outcomes.labels)
        )
        # Where no tree was lifted there is nothing to mark.
        self.marker: Labeller | None = None
        if len(outcomes.marks) > 1:
            self.marker = labeller(width, settings.mark_width, settings, *_places(outcomes.marks))
        self.taggers = nn.ModuleDict(
            {
                name: nn.Sequential(
                    nn.Linear(encoder.width, settings.label_width),
                    ACTIVATIONS[settings.activation](),
                    nn.Dropout(settings.dropout),
                    nn.Linear(settings.label_width, len(values)),
                )
                for name, values in outcomes.tags.items()
            }
        )

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    def forward(self, batch: Batch) -> dict[str, Tensor]:
        """The loss of each part, summed over the batch."""
        return {
            name: _cross_entropy(scores, target)
            for name, (scores, target) in self.scores(batch).items()
        }

    def scores(self, batch: Batch) -> dict[str, tuple[Tensor, Target]]:
        """The scores of each part along the gold trees, and what is right."""
        gold = batch.gold
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.half_precision):
            encoded = self.encoder(batch.inputs)
        vectors = self.dropout(encoded.float())
        scores: dict[str, tuple[Tensor, Target]] = {
            "arcs": self._arc_scores(vectors, batch),
            "labels": (
                self.labeller(vectors, gold.words, gold.heads, gold.is_root),
                gold.labels,
            ),
        }
        if self.marker is not None:
            marks = self.marker(vectors, gold.words, gold.heads, gold.is_root)
            scores["marks"] = (marks, gold.marks)
        words = vectors[gold.words]
        for name, tagger in self.taggers.items():
            scores[name] = (tagger(words), gold.tags[name])
        return scores

    def _arc_scores(self, vectors: Tensor, batch: Batch) -> tuple[Tensor, Target]:
        gold = batch.gold
        if isinstance(self.arcs, ActionScorer):
            return self.arcs(vectors, gold.states, gold.legal), gold.transitions
        if isinstance(self.arcs, SymbolScorer):
            symbols = gold.transitions
            assert isinstance(symbols, Tensor), "only gold trees are linearised"
            return self.arcs(vectors, gold.states, gold.legal, batch.sizes, symbols), symbols
        starts = row_starts(batch.sizes)[:-1]
        sentence = np.repeat(np.arange(len(batch.sizes)), batch.sizes)
        start = _there(starts[sentence], vectors)
        scores = self.arcs(vectors, batch.sizes)
        return scores[_there(sentence, vectors), gold.words - start], gold.heads - start

    @torch.inference_mode()
    def analyse(self, inputs: Sequence[Inputs], lengths: Sequence[int]) -> list[Analysis]:
        """Trees and tags of each sentence; they may come laid out in several batches."""
        vectors = torch.cat([self.encoder(some) for some in inputs])
        sizes = np.asarray(lengths)
        starts = row_starts(lengths)
        decoded = self.arcs.decode(vectors, lengths)
        words = _there(np.delete(np.arange(starts[-1]), starts[:-1]), vectors)
        heads = decoded.heads[words]
        head_rows = _there(np.repeat(starts[:-1], sizes), vectors) + heads
        sure, labels = self.labeller.best(vectors, words, head_rows, heads == 0)
        marks = torch.zeros_like(labels)
        if self.marker is not None:
            sure_of_mark, marks = self.marker.best(vectors, words, head_rows, heads == 0)
            sure = sure * sure_of_mark
        tags = {name: tagger(vectors[words]).argmax(-1) for name, tagger in self.taggers.items()}
        ends = np.cumsum(sizes)[:-1]

        def by_sentence(values: Tensor, ends: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
            return np.split(values.cpu().numpy(), ends if len(values) else ends * 0)

        tags_by_sentence = {name: by_sentence(values, ends) for name, values in tags.items()}
        by_word = (heads, decoded.head_probabilities[words], labels, marks, sure)
        by_step = (decoded.transitions, decoded.probabilities)
        columns = [by_sentence(values, ends) for values in by_word]
        columns += [by_sentence(values, 2 * ends) for values in by_step]
        return [
            Analysis({name: found[n] for name, found in tags_by_sentence.items()}, *parts)
            for n, parts in enumerate(zip(*columns, strict=True))
        ]


def _cross_entropy(scores: Tensor, target: Target) -> Tensor:
    """Summed over the answers; what the vocabulary does not have counts nothing."""
    if isinstance(target, Tensor):
        return functional.cross_entropy(scores, target, ignore_index=IGNORED, reduction="sum")
    likelihood = scores.log_softmax(-1).gather(-1, target.values)
    # A share of nothing times the logarithm of nothing is nothing.
    return -torch.where(target.shares > 0, target.shares * likelihood, 0.0).sum()


def _places(values: ArcValues) -> tuple[Tensor, Tensor]:
    return torch.tensor(values.on_root), torch.tensor(values.on_others)


def _there(array: np.ndarray[Any, Any], like: Tensor) -> Tensor:
    return torch.from_numpy(array).to(like.device)
