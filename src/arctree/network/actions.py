"""The action classifier, and decoding with it: SHIFT, LEFTARC or RIGHTARC.

The in-order system, whose transitions are SHIFT, PROJECT and REDUCE, is decoded in the same
way. A configuration is seen through the words in the machine's slots
(:mod:`arctree.network.slots`), and costs a gather, a sum and two small layers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from arctree.network.beam import CHOICES, search
from arctree.network.decoded import Decoded
from arctree.network.labeller import ACTIVATIONS
from arctree.network.slots import slot_sums, slot_table
from arctree.parsing.decoding import configurations_along
from arctree.parsing.settings import ParserSettings
from arctree.parsing.systems import SYSTEMS


class ActionScorer(nn.Module):
    """Scores of the three transitions in a configuration.

    ``temperature`` divides the scores before they become probabilities; it is fitted on dev
    when training is over. Which transition is best it never changes; which sequence a beam
    finds it may.
    """

    temperature: Tensor

    def __init__(self, width: int, settings: ParserSettings) -> None:
        super().__init__()
        self.hidden = settings.hidden
        self.system = SYSTEMS[settings.kind]
        self.is_mapped = settings.kind == "mapped"
        self.beam = settings.beam
        slots = len(self.system.machine.slots)
        self.project = nn.Linear(width, slots * settings.hidden)
        self.absent = nn.Parameter(torch.zeros(slots * settings.hidden))
        self.classify = nn.Sequential(
            ACTIVATIONS[settings.activation](),
            nn.Dropout(settings.dropout),
            nn.Linear(settings.hidden, settings.hidden),
            ACTIVATIONS[settings.activation](),
            nn.Dropout(settings.dropout),
            nn.Linear(settings.hidden, CHOICES),
        )
        self.register_buffer("temperature", torch.ones(()))

    def forward(self, vectors: Tensor, rows: Tensor, legal: Tensor) -> Tensor:
        """Scores for configurations given by the rows in their slots; illegal ones are -∞."""
        return self.table_scores(self.table(vectors), rows, legal)

    def table(self, vectors: Tensor) -> Tensor:
        """The words of the batch, ready to be seen in any slot."""
        return slot_table(self.project, self.absent, vectors, len(self.system.machine.slots))

    def table_scores(self, table: Tensor, rows: Tensor, legal: Tensor) -> Tensor:
        scores: Tensor = self.classify(slot_sums(table, rows))
        return scores.masked_fill(~legal, -torch.inf)

    def probabilities(
        self, vectors: Tensor, sizes: Sequence[int], transitions: Sequence[Sequence[int]]
    ) -> list[np.ndarray[Any, Any]]:
        """Those of the three transitions along given ones, by sentence and configuration.

        Only the mapped system has such transitions.
        """
        seen = configurations_along(sizes, transitions)
        rows, legal = (
            torch.from_numpy(array).to(vectors.device) for array in (seen.rows, seen.legal)
        )
        found = (self(vectors, rows, legal) / self.temperature).softmax(-1)
        return seen.by_sentence(found.cpu().numpy())

    def decode(self, vectors: Tensor, sizes: Sequence[int]) -> Decoded:
        """The likeliest legal transition, step by step, or the sequence that a beam finds."""
        device = vectors.device
        at_stake = self.system.at_stake
        machine = self.system.machine(
            sizes, torch, lambda array: torch.from_numpy(array).to(device)
        )
        table = self.table(vectors)
        searched = self._searched(table, sizes) if self.beam > 1 else None
        lengths = machine.steps_per_word * machine.sizes
        ends = np.cumsum(lengths)
        line = torch.from_numpy((ends - lengths)[machine.order]).to(device)
        scores = torch.empty(int(ends[-1]), CHOICES, device=device)
        transitions = torch.empty(int(ends[-1]), dtype=torch.int64, device=device)
        words_at_stake = transitions.new_empty(at_stake, len(transitions))
        while count := machine.running:
            lines = line[:count] + machine.steps_done
            rows = machine.rows()
            found = self.table_scores(table, rows, machine.legal())
            best = found.argmax(-1)
            if searched is not None:
                best = searched[:count, machine.steps_done]
            scores[lines] = found
            transitions[lines] = best
            words_at_stake[:, lines] = rows[:, :at_stake].T
            machine.step(best)
        probability = (scores / self.temperature).softmax(-1)
        probability = probability.gather(-1, transitions[:, None]).squeeze(-1)
        # A word is as sure of its head as the parser was at its least sure while the word could
        # have got another one: in the mapped system, while it was one of the two topmost items.
        surest = torch.ones(machine.absent + 1, device=device)
        for rows_there in words_at_stake:
            surest = surest.scatter_reduce(0, rows_there, probability, "amin")
        if not self.is_mapped:
            transitions = probability = torch.zeros(0)
        return Decoded(machine.heads, surest[:-1], transitions, probability)

    def _searched(self, table: Tensor, sizes: Sequence[int]) -> Tensor:
        """The transitions that a beam finds, by sentence, the longest first."""

        def likelihoods(rows: Tensor, legal: Tensor) -> Tensor:
            return (self.table_scores(table, rows, legal) / self.temperature).log_softmax(-1)

        return search(self.system.machine, sizes, self.beam, table.device, likelihoods).steps
