"""The linearisation parser: T(D) as a sequence of symbols, written by an attentive decoder.

After Vinyals et al. (2015), an LSTM reads the sentence's vectors through attention and writes
OPEN, WORD and CLOSE. It writes no words, but each prefix says which word is next and which
nodes are open, so the vectors of those words are part of its input (deterministic attention,
Ma et al. 2017). The automaton of :mod:`arctree.parsing.linear_machine` allows only symbols
after which the sequence can still become an ordered tree over exactly the words.

Decoding takes the likeliest symbol at every step, or searches with a beam. All sequences of a
sentence are equally long, so their probabilities can be compared as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from arctree.network.decoded import Decoded
from arctree.network.graph import padded_rows
from arctree.network.slots import slot_sums, slot_table
from arctree.parsing.linear_machine import LinearMachine
from arctree.parsing.machine import row_starts
from arctree.parsing.node_machine import STEPS
from arctree.parsing.settings import ATTENTION_HEADS, ParserSettings

_SYMBOLS = 3


class _Memory(NamedTuple):
    """What attention looks at: for each sentence its words' keys and values, and which are none."""

    keys: Tensor
    values: Tensor
    is_none: Tensor

    def first(self, count: int) -> _Memory:
        return _Memory(self.keys[:count], self.values[:count], self.is_none[:count])


class _Found(NamedTuple):
    """The best sequences by line and step, and how likely each symbol was."""

    symbols: Tensor
    probabilities: Tensor


class SymbolScorer(nn.Module):
    """Scores of the three symbols after a prefix; ``temperature`` as in the action classifier."""

    temperature: Tensor

    def __init__(self, width: int, settings: ParserSettings) -> None:
        super().__init__()
        self.hidden = settings.hidden
        self.beam = settings.beam
        slots = len(LinearMachine.slots)
        self.project = nn.Linear(width, slots * self.hidden)
        self.absent = nn.Parameter(torch.zeros(slots * self.hidden))
        # The last one stands before the first symbol.
        self.symbols = nn.Embedding(_SYMBOLS + 1, self.hidden)
        self.decoder = nn.LSTM(self.hidden, self.hidden, batch_first=True)
        self.ask = nn.Linear(2 * self.hidden, self.hidden)
        self.answer = nn.Linear(width, 2 * self.hidden)
        self.classify = nn.Sequential(
            nn.Dropout(settings.dropout),
            nn.Linear(3 * self.hidden, self.hidden),
            nn.GELU(),
            nn.Dropout(settings.dropout),
            nn.Linear(self.hidden, _SYMBOLS),
        )
        self.dropout = nn.Dropout(settings.dropout)
        self.register_buffer("temperature", torch.ones(()))

    def forward(
        self, vectors: Tensor, rows: Tensor, legal: Tensor, sizes: Sequence[int], symbols: Tensor
    ) -> Tensor:
        """Teacher forcing: scores after every prefix of the given sequences, those laid end to end.

        Illegal symbols are -∞.
        """
        lengths = [STEPS * size for size in sizes]
        places = _places(lengths, vectors.device)
        before = torch.full((len(sizes), max(lengths)), _SYMBOLS, device=vectors.device)
        before[places] = symbols
        before = functional.pad(before, (1, -1), value=_SYMBOLS)
        seen = slot_sums(self._table(vectors), rows)
        given = seen.new_zeros(*before.shape, self.hidden).index_put(places, seen)
        written, _ = self.decoder(self.dropout(given + self.symbols(before)))
        known = torch.cat([written, given], -1)
        read = self._attend(known, self._memory(vectors, sizes))
        scores: Tensor = self.classify(torch.cat([known, read], -1)[places])
        return scores.masked_fill(~legal, -torch.inf)

    def _table(self, vectors: Tensor) -> Tensor:
        return slot_table(self.project, self.absent, vectors, len(LinearMachine.slots))

    def _memory(self, vectors: Tensor, sizes: Sequence[int]) -> _Memory:
        padded, longest = padded_rows(sizes)
        pairs = self.answer(vectors)[torch.from_numpy(padded).to(vectors.device)]
        keys, values = pairs.unflatten(-1, (2, ATTENTION_HEADS, -1)).permute(2, 0, 3, 1, 4)
        lengths = torch.tensor(sizes, device=vectors.device)
        is_none = torch.arange(longest, device=vectors.device) > lengths[:, None]
        return _Memory(keys, values, is_none)

    def _attend(self, known: Tensor, memory: _Memory) -> Tensor:
        """What each prefix reads from the whole sentence, by what is known: [line, step, width]."""
        asked = self.ask(known).unflatten(-1, (ATTENTION_HEADS, -1)).transpose(1, 2)
        may = ~memory.is_none[:, None, None]
        read = functional.scaled_dot_product_attention(asked, memory.keys, memory.values, may)
        return read.transpose(1, 2).flatten(2)

    def decode(self, vectors: Tensor, sizes: Sequence[int]) -> Decoded:
        """The best sequences of a batch, as trees."""
        device = vectors.device
        machine = LinearMachine(sizes, torch, lambda array: torch.from_numpy(array).to(device))
        found = self._search(vectors, sizes, machine.order)
        # Reading the best sequences once more tells what they build.
        surest = torch.ones(machine.absent + 1, device=device)
        while count := machine.running:
            step = machine.steps_done
            for at_stake in machine.rows()[:, :2].unbind(-1):
                chance = found.probabilities[:count, step]
                surest = surest.scatter_reduce(0, at_stake, chance, "amin")
            machine.step(found.symbols[:count, step])
        nothing = torch.zeros(0)
        return Decoded(machine.heads, surest[:-1], nothing, nothing)

    def _search(
        self,
        vectors: Tensor,
        sizes: Sequence[int],
        order: np.ndarray[tuple[int], np.dtype[np.int64]],
    ) -> _Found:
        """Beam search; a beam of one is greedy. Sentences are kept longest first."""
        device, beam = vectors.device, self.beam
        repeated = np.repeat(order, beam)  # each sentence has as many lines as the beam is wide
        ordered = [sizes[int(number)] for number in repeated]
        machine = LinearMachine(ordered, torch, lambda array: torch.from_numpy(array).to(device))
        start = torch.from_numpy(row_starts(sizes)[repeated]).to(device)
        table = self._table(vectors)
        chosen = torch.from_numpy(repeated).to(device)
        memory = _Memory(*(part[chosen] for part in self._memory(vectors, sizes)))
        steps = STEPS * max(sizes)
        history = _History(len(ordered), steps, beam, device)
        state = tuple(vectors.new_zeros(1, len(ordered), self.hidden) for _ in range(2))
        before = torch.full((len(ordered),), _SYMBOLS, device=device)
        while count := machine.running:
            words = machine.positions()
            rows = torch.where(words > 0, words + start[:count, None], len(vectors))
            seen = slot_sums(table, rows)[:, None]
            state = tuple(part[:, :count].contiguous() for part in state)
            written, state = self.decoder(seen + self.symbols(before[:count])[:, None], state)
            known = torch.cat([written, seen], -1)
            read = self._attend(known, memory.first(count))
            scores = self.classify(torch.cat([known, read], -1)[:, 0])
            scores = scores.masked_fill(~machine.legal(), -torch.inf) / self.temperature
            lines, before = history.extend(scores.log_softmax(-1), machine.steps_done)
            if beam > 1:
                machine.select(lines)
                state = tuple(part[:, lines] for part in state)
            machine.step(before)
        return history.best(steps)


class _History:
    """The sequences of a beam search: which symbol each line took, and from which line it came."""

    def __init__(self, lines: int, steps: int, beam: int, device: torch.device) -> None:
        self.beam = beam
        self.symbols = torch.zeros(lines, steps, dtype=torch.int64, device=device)
        self.chances = torch.ones(lines, steps, device=device)
        self.origins = torch.arange(lines, device=device)[:, None].repeat(1, steps)
        self.totals = torch.full((lines,), -torch.inf, device=device)
        self.totals[::beam] = 0.0  # at first all lines of a sentence would be the same

    def extend(self, likelihoods: Tensor, step: int) -> tuple[Tensor, Tensor]:
        """The best lines of each sentence after one more symbol: where from, and which."""
        count, beam = len(likelihoods), self.beam
        if beam == 1:
            lines = torch.arange(count, device=likelihoods.device)
            best, symbols = likelihoods.max(-1)
            self.totals[:count] += best
        else:
            totals = (self.totals[:count, None] + likelihoods).view(-1, beam * _SYMBOLS)
            best_totals, taken = totals.topk(beam, -1)
            # A line that cannot be is a copy of the best one, and never better than it.
            taken = torch.where(best_totals.isfinite(), taken, taken[:, :1])
            first = torch.arange(0, count, beam, device=totals.device)[:, None]
            lines, symbols = (first + taken // _SYMBOLS).flatten(), (taken % _SYMBOLS).flatten()
            self.totals[:count] = best_totals.flatten()
        self.symbols[:count, step] = symbols
        self.chances[:count, step] = likelihoods[lines, symbols].exp()
        self.origins[:count, step] = lines
        return lines, symbols

    def best(self, steps: int) -> _Found:
        """The best sequence of each sentence, traced back from its end."""
        if self.beam == 1:
            return _Found(self.symbols, self.chances)
        first = torch.arange(0, len(self.symbols), self.beam, device=self.symbols.device)
        line = first + self.totals.view(-1, self.beam).argmax(-1)
        found = []
        for step in reversed(range(steps)):
            found.append((self.symbols[line, step], self.chances[line, step]))
            line = self.origins[line, step]
        symbols, chances = (torch.stack(part[::-1], -1) for part in zip(*found, strict=True))
        return _Found(symbols, chances)


def _places(lengths: Sequence[int], device: torch.device) -> tuple[Tensor, Tensor]:
    """Line and step of each place in sequences laid end to end."""
    counts = torch.tensor(lengths, device=device)
    lines = torch.repeat_interleave(torch.arange(len(lengths), device=device), counts)
    starts = counts.cumsum(0) - counts
    return lines, torch.arange(len(lines), device=device) - starts[lines]
