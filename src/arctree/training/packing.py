"""Packed sentences: a corpus lies on the device as numbers, and batches are gathered there.

Laying out a batch sentence by sentence keeps a GPU waiting. Here the sub-words of each form
are found once; a sentence is a row of numbers of forms; and a batch is a few gathers, however
many sentences it has. Sentences are short enough for one window of the encoder.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from arctree.network.encoder import Inputs
from arctree.network.network import Batch, Gold, Shares
from arctree.network.pretrained import PretrainedEncoder
from arctree.parsing.casing import Casing, casing_of
from arctree.training.silver import WHOLE, Silver

Array = np.ndarray[Any, Any]


class PackedWords:
    """Sentences on a device, as an encoder wants them."""

    def __init__(
        self,
        encoder: PretrainedEncoder,
        forms: Sequence[str],
        words: Array,
        starts: Array,
        device: torch.device,
    ) -> None:
        pieces = [some.ids for some in encoder.prepare([[form] for form in forms])]
        counts = np.array([len(some) for some in pieces])
        self.encoder = encoder
        self.device = device
        self.sizes: Array = np.diff(starts)
        self.pieces: Array = np.add.reduceat(counts[words], starts[:-1])
        ends = np.cumsum(counts)
        self._ids = _to(np.concatenate(pieces), device, torch.int32)
        self._first = _to(ends - counts, device)
        self._count = _to(counts, device)
        self._casing = _to(np.array([casing_of(form) for form in forms]), device)
        self._words = _to(words, device, torch.int32)
        self.starts = _to(starts, device)

    @property
    def costs(self) -> list[int]:
        """What each sentence adds to a batch."""
        costs: list[int] = (self.pieces + 2).tolist()
        return costs

    def lay_out(self, numbers: Array) -> Inputs:
        """A batch of sentences."""
        opening, closing, padding = self.encoder.special
        device, batch = self.device, len(numbers)
        sizes, pieces = self.sizes[numbers], self.pieces[numbers]
        chosen = _to(numbers, device)
        size, length = _to(sizes, device), _to(pieces, device)
        words, sentence, position = ragged(self.starts[chosen], size, int(sizes.sum()))
        forms = self._words[words].long()
        places, word, _ = ragged(self._first[forms], self._count[forms], int(pieces.sum()))
        owner = sentence[word]
        place = torch.arange(len(places), device=device) - (length.cumsum(0) - length)[owner]
        longest = int(pieces.max()) + 2
        tokens = torch.full((batch, longest), padding, device=device)
        tokens[:, 0] = opening
        tokens[owner, place + 1] = self._ids[places].long()
        tokens[torch.arange(batch, device=device), length + 1] = closing
        casing = torch.full_like(tokens, Casing.NO_WORD)
        casing[owner, place + 1] = self._casing[forms][word]
        mask = (torch.arange(longest, device=device) < length[:, None] + 2).long()
        roots = (size + 1).cumsum(0) - size - 1
        of_words = self._count[forms]
        row = torch.cat([roots, roots[owner] + position[word] + 1])
        source = torch.cat(
            [torch.arange(batch, device=device) * longest, owner * longest + place + 1]
        )
        share = torch.cat([torch.ones(batch, device=device), 1 / of_words[word]])
        return {
            "tokens": tokens,
            "mask": mask,
            "casing": casing,
            "source": source,
            "row": row,
            "share": share[:, None],
            "roots": roots,
            "rows": torch.tensor(int(sizes.sum()) + batch),
        }


class PackedSilver:
    """A silver corpus on a device, to learn from."""

    def __init__(
        self, silver: Silver, encoder: PretrainedEncoder, device: torch.device, most: int = 250
    ) -> None:
        self.words = PackedWords(encoder, silver.forms, silver.words, silver.starts, device)
        self.costs = self.words.costs
        self.sizes: list[int] = silver.sizes.tolist()
        # A sentence beyond one window is left out.
        self.weights = (self.words.pieces <= min(most, encoder.reach)).astype(float).tolist()
        self._heads = _to(silver.heads, device, torch.int16)
        self._states = _to(silver.states, device, torch.int16)
        self._transitions = _to(silver.transitions, device, torch.uint8)
        self._answers = {
            name: (
                _to(answers.values, device, torch.int16),
                _to(answers.shares, device, torch.uint8),
            )
            for name, answers in silver.answers.items()
        }
        self._tags = silver.outcomes.tags

    def batch(self, numbers: Sequence[int]) -> Batch:
        """The sentences as one batch."""
        chosen = np.asarray(numbers)
        sizes = self.words.sizes[chosen]
        total, batch, device = int(sizes.sum()), len(chosen), self.words.device
        size = _to(sizes, device)
        start = self.words.starts[_to(chosen, device)]
        words, sentence, position = ragged(start, size, total)
        roots = (size + 1).cumsum(0) - size - 1
        heads = self._heads[words].long()
        steps, of_step, _ = ragged(2 * start, 2 * size, 2 * total)
        seen = self._states[steps].long()
        absent = total + batch
        answers = {
            name: Shares(values[words].long(), shares[words].float() / WHOLE)
            for name, (values, shares) in self._answers.items()
        }
        three = torch.arange(3, device=device).expand(2 * total, 3)
        gold = Gold(
            words=roots[sentence] + position + 1,
            heads=roots[sentence] + heads,
            is_root=heads == 0,
            labels=answers["labels"],
            marks=answers.get("marks", answers["labels"]),
            tags={name: answers[name] for name in self._tags},
            states=torch.where(seen < 0, absent, seen + roots[of_step][:, None]),
            legal=_legal(seen),
            transitions=Shares(three, self._transitions[steps].float() / WHOLE),
        )
        return Batch(self.words.lay_out(chosen), sizes.tolist(), gold)


def ragged(starts: Tensor, lengths: Tensor, total: int) -> tuple[Tensor, Tensor, Tensor]:
    """All places from each start on, so many; for each its number, and how far it is in."""
    device = starts.device
    owner = torch.repeat_interleave(
        torch.arange(len(starts), device=device), lengths, output_size=total
    )
    within = torch.arange(total, device=device) - (lengths.cumsum(0) - lengths)[owner]
    return starts[owner] + within, owner, within


def _legal(states: Tensor) -> Tensor:
    """The legal transitions, told by which slots are filled (:data:`machine.SLOTS`)."""
    has_second, has_third, has_next = (states[:, slot] >= 0 for slot in (1, 2, 3))
    return torch.stack([has_next, has_third, has_third | (has_second & ~has_next)], -1)


def _to(array: Array, device: torch.device, kind: torch.dtype = torch.int64) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(array)).to(device).to(kind)
