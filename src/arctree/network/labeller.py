"""The labeller: which relation holds between a word and its head, the heads being given.

It looks at (dependent, head) pairs: n of them, not n². A *biaffine* one scores a label by
every product of a number of the dependent and a number of the head; an *additive* one adds the
two, and passes the sum through one layer. Labels that training showed on root arcs only are
reserved for the root arc, and the root arc takes no other. The marks that lifting writes on
labels are answered by a labeller of their own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from arctree.parsing.settings import ParserSettings

ACTIVATIONS: dict[str, type[nn.Module]] = {"gelu": nn.GELU, "relu": nn.ReLU}
# Pairs scored at once: one takes labels x width numbers on the way, which should fit the cache.
_AT_ONCE = {"cpu": 256, "cuda": 16_384}


class Labeller(nn.Module, ABC):
    """Scores of all labels of given arcs; ``temperature`` as in the action classifier."""

    temperature: Tensor
    on_root: Tensor
    on_others: Tensor
    as_dependent: nn.Module
    as_head: nn.Module

    def __init__(self, on_root: Tensor, on_others: Tensor) -> None:
        super().__init__()
        self.register_buffer("on_root", on_root, persistent=False)
        self.register_buffer("on_others", on_others, persistent=False)
        self.register_buffer("temperature", torch.ones(()))

    def forward(self, vectors: Tensor, words: Tensor, heads: Tensor, is_root: Tensor) -> Tensor:
        """Scores for arcs given by the rows of their ends; labels that cannot be are -∞."""
        dependents, governors = self.as_dependent(vectors), self.as_head(vectors)
        at_once = len(words)
        if not torch.is_grad_enabled():
            at_once = _AT_ONCE.get(words.device.type, _AT_ONCE["cpu"])
        scores = torch.cat(
            [
                self._pair_scores(dependents[some_words], governors[some_heads])
                for some_words, some_heads in zip(
                    torch.split(words, at_once), torch.split(heads, at_once), strict=True
                )
            ]
        )
        allowed = torch.where(is_root[:, None], self.on_root, self.on_others)
        return scores.masked_fill(~allowed, -torch.inf)

    def best(
        self, vectors: Tensor, words: Tensor, heads: Tensor, is_root: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The probability of the best label of each arc, and its number."""
        scores = self(vectors, words, heads, is_root) / self.temperature
        probabilities, labels = scores.softmax(-1).max(-1)
        return probabilities, labels

    @abstractmethod
    def _pair_scores(self, dependents: Tensor, heads: Tensor) -> Tensor: ...


class BiaffineLabeller(Labeller):
    """Every number of the dependent times every number of the head."""

    def __init__(
        self, width: int, size: int, settings: ParserSettings, on_root: Tensor, on_others: Tensor
    ) -> None:
        super().__init__(on_root, on_others)

        def side() -> nn.Module:
            return nn.Sequential(
                nn.Linear(width, size),
                ACTIVATIONS[settings.activation](),
                nn.Dropout(settings.dropout),
            )

        self.as_dependent, self.as_head = side(), side()
        self.pairs = nn.Parameter(torch.zeros(len(on_root), size + 1, size + 1))

    def _pair_scores(self, dependents: Tensor, heads: Tensor) -> Tensor:
        ones = dependents.new_ones(len(dependents), 1)
        left = torch.cat([dependents, ones], -1)
        right = torch.cat([heads, ones], -1)
        return torch.einsum("nd,lde,ne->nl", left, self.pairs, right)


class AdditiveLabeller(Labeller):
    """Dependent and head are projected once per word; a pair costs a sum and one small layer."""

    def __init__(
        self, width: int, size: int, settings: ParserSettings, on_root: Tensor, on_others: Tensor
    ) -> None:
        super().__init__(on_root, on_others)
        self.as_dependent, self.as_head = nn.Linear(width, size), nn.Linear(width, size)
        self.classify = nn.Sequential(
            ACTIVATIONS[settings.activation](),
            nn.Dropout(settings.dropout),
            nn.Linear(size, len(on_root)),
        )

    def _pair_scores(self, dependents: Tensor, heads: Tensor) -> Tensor:
        scores: Tensor = self.classify(dependents + heads)
        return scores


LABELLERS: dict[str, type[BiaffineLabeller] | type[AdditiveLabeller]] = {
    "biaffine": BiaffineLabeller,
    "additive": AdditiveLabeller,
}
