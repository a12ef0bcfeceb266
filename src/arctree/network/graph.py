"""The graph-based baseline: every word chooses its head, and the best tree is taken.

Biaffine scores of all pairs (Dozat and Manning 2017); the maximum spanning tree with one
root. It needs no lifting, and its cost is quadratic in the sentence.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from arctree.network.decoded import Decoded
from arctree.parsing.batches import by_cost
from arctree.parsing.machine import row_starts
from arctree.parsing.settings import ParserSettings
from arctree.parsing.spanning import maximum_spanning_tree

# Scores of pairs, padding included, that are held at once when decoding.
_SCORED_AT_ONCE = 4_000_000


class ArcScorer(nn.Module):
    """Scores of all heads of all words; ``temperature`` as in the action classifier."""

    temperature: Tensor

    def __init__(self, width: int, settings: ParserSettings) -> None:
        super().__init__()
        hidden = settings.hidden

        def side() -> nn.Module:
            return nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Dropout(settings.dropout))

        self.as_dependent, self.as_head = side(), side()
        self.pairs = nn.Parameter(torch.zeros(hidden + 1, hidden))
        nn.init.xavier_uniform_(self.pairs)
        self.register_buffer("temperature", torch.ones(()))

    def forward(self, vectors: Tensor, sizes: Sequence[int]) -> Tensor:
        """[sentence, dependent, head]: the scores of heads 0..n; what is no head is -∞."""
        padded, longest = padded_rows(sizes)
        rows = torch.from_numpy(padded).to(vectors.device)
        dependents = self.as_dependent(vectors)[rows]
        heads = self.as_head(vectors)[rows]
        ones = dependents.new_ones(*dependents.shape[:2], 1)
        halfway: Tensor = torch.cat([dependents, ones], -1) @ self.pairs
        scores: Tensor = halfway @ heads.transpose(1, 2)
        sizes_there = torch.tensor(sizes, device=vectors.device)
        places = torch.arange(longest, device=vectors.device)
        is_no_head = places > sizes_there[:, None]
        is_itself = torch.eye(longest, dtype=torch.bool, device=vectors.device)
        return scores.masked_fill(is_no_head[:, None] | is_itself, -torch.inf)

    def decode(self, vectors: Tensor, sizes: Sequence[int]) -> Decoded:
        """The maximum spanning trees of a batch; sentences of like length are scored together."""
        starts = row_starts(sizes)
        heads = torch.zeros(int(starts[-1]), dtype=torch.int64)
        found = torch.ones(int(starts[-1]))
        by_sentence = torch.split(vectors, [size + 1 for size in sizes])
        for batch in by_cost([(size + 1) ** 2 for size in sizes], _SCORED_AT_ONCE):
            lengths = [sizes[number] for number in batch]
            scores = self(torch.cat([by_sentence[number] for number in batch]), lengths)
            probabilities = (scores / self.temperature).softmax(-1).cpu()
            on_host = scores.log_softmax(-1).double().cpu().numpy()
            for place, (number, size) in enumerate(zip(batch, lengths, strict=True)):
                own = slice(int(starts[number]) + 1, int(starts[number]) + 1 + size)
                best = maximum_spanning_tree(on_host[place, 1 : size + 1, : size + 1])
                heads[own] = torch.as_tensor(best)
                chosen = heads[own, None]
                found[own] = probabilities[place, 1 : size + 1].gather(-1, chosen).squeeze(-1)
        nothing = torch.zeros(0)
        device = vectors.device
        return Decoded(heads.to(device), found.to(device), nothing, nothing)


def padded_rows(
    sizes: Sequence[int],
) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.int64]], int]:
    """For each sentence its rows, the root's first; padding repeats the root's."""
    starts = row_starts(sizes)[:-1]
    longest = max(sizes) + 1
    places = np.arange(longest)
    inside = places <= np.asarray(sizes)[:, None]
    return starts[:, None] + np.where(inside, places, 0), longest
