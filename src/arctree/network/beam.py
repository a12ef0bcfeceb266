"""Beam search over the steps of a batched machine, for many sentences at once.

Each sentence has as many *lines* as the beam is wide: sequences of steps that were the likeliest
so far. At every step the best continuations of all its lines go on. A beam of one is greedy. All
sequences of a sentence are equally long, so their probabilities can be compared as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from arctree.parsing.in_order_machine import InOrderMachine
from arctree.parsing.linear_machine import LinearMachine
from arctree.parsing.machine import Machine, row_starts

CHOICES = 3  # at every step, in every system


class Found(NamedTuple):
    """The best steps by sentence, the longest sentence first, and how likely each step was."""

    steps: Tensor
    probabilities: Tensor


def search(
    machine_type: type[Machine] | type[InOrderMachine] | type[LinearMachine],
    sizes: Sequence[int],
    beam: int,
    device: torch.device,
    likelihoods: Callable[[Tensor, Tensor], Tensor],
    follow: Callable[[Tensor, Tensor], None] = lambda lines, steps: None,
) -> Found:
    """The best sequences of steps of a batch.

    ``likelihoods`` takes the rows in the slots of the lines that still run and which steps are
    legal there, and gives the logarithms of the steps' probabilities. ``follow`` is told from
    which line each goes on, and by which step.
    """
    order = longest_first(sizes, beam)
    ordered = [sizes[int(number)] for number in order]
    machine = machine_type(ordered, torch, lambda array: torch.from_numpy(array).to(device))
    starts = row_starts(sizes)
    # From the machine's rows, in which each line has a sentence of its own, to those of the batch.
    shift = torch.from_numpy(starts[order] - machine.starts[:-1]).to(device)
    absent = int(starts[-1])
    history = _History(len(ordered), machine.steps_per_word * max(sizes), beam, device)
    while count := machine.running:
        rows = machine.rows()
        rows = torch.where(rows == machine.absent, absent, rows + shift[:count, None])
        lines, steps = history.extend(likelihoods(rows, machine.legal()), machine.steps_done)
        if beam > 1:
            machine.select(lines)
        follow(lines, steps)
        machine.step(steps)
    return history.best()


def longest_first(sizes: Sequence[int], beam: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The sentence of each line."""
    return np.repeat(np.argsort(-np.asarray(sizes), kind="stable"), beam)


class _History:
    """Which step each line took, and from which line it came."""

    def __init__(self, lines: int, length: int, beam: int, device: torch.device) -> None:
        self.beam = beam
        self.steps = torch.zeros(lines, length, dtype=torch.int64, device=device)
        self.chances = torch.ones(lines, length, device=device)
        self.origins = torch.arange(lines, device=device)[:, None].repeat(1, length)
        self.totals = torch.full((lines,), -torch.inf, device=device)
        self.totals[::beam] = 0.0  # at first all lines of a sentence would be the same

    def extend(self, likelihoods: Tensor, number: int) -> tuple[Tensor, Tensor]:
        """The best lines of each sentence after one more step: where from, and which."""
        count, beam = len(likelihoods), self.beam
        if beam == 1:
            lines = torch.arange(count, device=likelihoods.device)
            best, steps = likelihoods.max(-1)
            self.totals[:count] += best
        else:
            totals = (self.totals[:count, None] + likelihoods).view(-1, beam * CHOICES)
            best_totals, taken = totals.topk(beam, -1)
            # A line that cannot be is a copy of the best one, and never better than it.
            taken = torch.where(best_totals.isfinite(), taken, taken[:, :1])
            first = torch.arange(0, count, beam, device=totals.device)[:, None]
            lines, steps = (first + taken // CHOICES).flatten(), (taken % CHOICES).flatten()
            self.totals[:count] = best_totals.flatten()
        self.steps[:count, number] = steps
        self.chances[:count, number] = likelihoods[lines, steps].exp()
        self.origins[:count, number] = lines
        return lines, steps

    def best(self) -> Found:
        """The best sequence of each sentence, traced back from its end."""
        if self.beam == 1:
            return Found(self.steps, self.chances)
        first = torch.arange(0, len(self.steps), self.beam, device=self.steps.device)
        line = first + self.totals.view(-1, self.beam).argmax(-1)
        found = []
        for number in reversed(range(self.steps.shape[1])):
            found.append((self.steps[line, number], self.chances[line, number]))
            line = self.origins[line, number]
        steps, chances = (torch.stack(part[::-1], -1) for part in zip(*found, strict=True))
        return Found(steps, chances)
