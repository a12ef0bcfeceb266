"""The action classifier, and decoding with it: SHIFT, LEFTARC or RIGHTARC.

A configuration is seen through a few slots (:data:`arctree.parsing.machine.SLOTS`), each
filled with a word. The first layer is linear in the slots, so each word is projected once per
slot beforehand, and a configuration costs a gather, a sum and two small layers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from arctree.network.decoded import Decoded
from arctree.network.labeller import ACTIVATIONS
from arctree.parsing.machine import SLOTS, Machine
from arctree.parsing.settings import ParserSettings


class ActionScorer(nn.Module):
    """Scores of the three transitions in a configuration.

    ``temperature`` divides the scores before they become probabilities; it is fitted on dev
    when training is over, and never changes which transition is best.
    """

    temperature: Tensor

    def __init__(self, width: int, settings: ParserSettings) -> None:
        super().__init__()
        self.hidden = settings.hidden
        self.project = nn.Linear(width, len(SLOTS) * settings.hidden)
        self.absent = nn.Parameter(torch.zeros(len(SLOTS) * settings.hidden))
        self.classify = nn.Sequential(
            ACTIVATIONS[settings.activation](),
            nn.Dropout(settings.dropout),
            nn.Linear(settings.hidden, settings.hidden),
            ACTIVATIONS[settings.activation](),
            nn.Dropout(settings.dropout),
            nn.Linear(settings.hidden, 3),
        )
        self.register_buffer("temperature", torch.ones(()))

    def forward(self, vectors: Tensor, rows: Tensor, legal: Tensor) -> Tensor:
        """Scores for configurations given by the rows in their slots; illegal ones are -∞."""
        return self.table_scores(self.table(vectors), rows, legal)

    def table(self, vectors: Tensor) -> Tensor:
        """Every row, and the absent one, projected for every slot; a line for each pair."""
        table = torch.cat([self.project(vectors), self.absent[None]])
        return table.view(-1, self.hidden)

    def table_scores(self, table: Tensor, rows: Tensor, legal: Tensor) -> Tensor:
        slots = torch.arange(len(SLOTS), device=rows.device)
        summed = functional.embedding_bag(rows * len(SLOTS) + slots, table, mode="sum")
        scores: Tensor = self.classify(summed)
        return scores.masked_fill(~legal, -torch.inf)

    def decode(self, vectors: Tensor, sizes: Sequence[int]) -> Decoded:
        """Greedy decoding of a whole batch."""
        device = vectors.device
        machine = Machine(sizes, torch, lambda array: torch.from_numpy(array).to(device))
        table = self.table(vectors)
        ends = 2 * np.cumsum(machine.sizes)
        line = torch.from_numpy((ends - 2 * machine.sizes)[machine.order]).to(device)
        scores = torch.empty(int(ends[-1]), 3, device=device)
        transitions = torch.empty(int(ends[-1]), dtype=torch.int64, device=device)
        tops, seconds = torch.empty_like(transitions), torch.empty_like(transitions)
        while count := machine.running:
            lines = line[:count] + machine.steps_done
            rows = machine.rows()
            found = self.table_scores(table, rows, machine.legal())
            best = found.argmax(-1)
            scores[lines] = found
            transitions[lines] = best
            tops[lines], seconds[lines] = rows[:, 0], rows[:, 1]
            machine.step(best)
        probability = (scores / self.temperature).softmax(-1)
        probability = probability.gather(-1, transitions[:, None]).squeeze(-1)
        # A word is as sure of its head as the parser was at its least sure while the word was
        # one of the two topmost items, and could have got another one.
        surest = torch.ones(machine.absent + 1, device=device)
        for rows_there in (tops, seconds):
            surest = surest.scatter_reduce(0, rows_there, probability, "amin")
        return Decoded(machine.heads, surest[:-1], transitions, probability)
