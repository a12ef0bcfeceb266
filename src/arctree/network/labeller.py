"""The labeller: which relation holds between a word and its head, the heads being given.

Biaffine over (dependent, head) pairs: n of them, not n². Labels that training showed on root
arcs only are reserved for the root arc, and the root arc takes no other. The marks that lifting
writes on labels are answered by a labeller of their own.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from arctree.parsing.settings import ParserSettings

# Pairs scored at once: one takes labels x width numbers on the way, which should fit the cache.
_AT_ONCE = {"cpu": 256, "cuda": 16_384}


class Labeller(nn.Module):
    """Scores of all labels of given arcs; ``temperature`` as in the action classifier."""

    temperature: Tensor
    on_root: Tensor
    on_others: Tensor

    def __init__(
        self, width: int, settings: ParserSettings, on_root: Tensor, on_others: Tensor
    ) -> None:
        super().__init__()
        size = settings.label_width

        def side() -> nn.Module:
            return nn.Sequential(nn.Linear(width, size), nn.GELU(), nn.Dropout(settings.dropout))

        self.as_dependent, self.as_head = side(), side()
        self.pairs = nn.Parameter(torch.zeros(len(on_root), size + 1, size + 1))
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

    def _pair_scores(self, dependents: Tensor, heads: Tensor) -> Tensor:
        ones = dependents.new_ones(len(dependents), 1)
        left = torch.cat([dependents, ones], -1)
        right = torch.cat([heads, ones], -1)
        return torch.einsum("nd,lde,ne->nl", left, self.pairs, right)
