"""The linearisation parser: T(D) as a sequence of symbols, written by an attentive decoder.

After Vinyals et al. (2015), an LSTM reads the sentence's vectors through attention and writes
OPEN, WORD and CLOSE. It writes no words, but each prefix says which word is next and which
nodes are open, so the vectors of those words are part of its input (deterministic attention,
Ma et al. 2017). The automaton of :mod:`arctree.parsing.linear_machine` allows only symbols
after which the sequence can still become an ordered tree over exactly the words.

Decoding takes the likeliest symbol at every step, or searches with a beam
(:mod:`arctree.network.beam`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from arctree.network.beam import CHOICES, Found, longest_first, search
from arctree.network.decoded import Decoded
from arctree.network.graph import padded_rows
from arctree.network.slots import slot_sums, slot_table
from arctree.parsing.linear_machine import LinearMachine
from arctree.parsing.node_machine import STEPS
from arctree.parsing.settings import ATTENTION_HEADS, ParserSettings
from arctree.parsing.systems import SYSTEMS

_SYMBOLS = CHOICES


class _Memory(NamedTuple):
    """What attention looks at: for each sentence its words' keys and values, and which are none."""

    keys: Tensor
    values: Tensor
    is_none: Tensor

    def first(self, count: int) -> _Memory:
        return _Memory(self.keys[:count], self.values[:count], self.is_none[:count])


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
        found = self._search(vectors, sizes)
        # Reading the best sequences once more tells what they build.
        surest = torch.ones(machine.absent + 1, device=device)
        while count := machine.running:
            step = machine.steps_done
            for words in machine.rows()[:, : SYSTEMS["linearised"].at_stake].unbind(-1):
                chance = found.probabilities[:count, step]
                surest = surest.scatter_reduce(0, words, chance, "amin")
            machine.step(found.steps[:count, step])
        nothing = torch.zeros(0)
        return Decoded(machine.heads, surest[:-1], nothing, nothing)

    def _search(self, vectors: Tensor, sizes: Sequence[int]) -> Found:
        """The best sequences, by the beam; a beam of one is greedy."""
        lines = torch.from_numpy(longest_first(sizes, self.beam)).to(vectors.device)
        table = self._table(vectors)
        memory = _Memory(*(part[lines] for part in self._memory(vectors, sizes)))
        state = tuple(vectors.new_zeros(1, len(lines), self.hidden) for _ in range(2))
        before = torch.full_like(lines, _SYMBOLS)

        def likelihoods(rows: Tensor, legal: Tensor) -> Tensor:
            nonlocal state
            count = len(rows)
            seen = slot_sums(table, rows)[:, None]
            state = tuple(part[:, :count].contiguous() for part in state)
            written, state = self.decoder(seen + self.symbols(before[:count])[:, None], state)
            known = torch.cat([written, seen], -1)
            read = self._attend(known, memory.first(count))
            scores: Tensor = self.classify(torch.cat([known, read], -1)[:, 0])
            scores = scores.masked_fill(~legal, -torch.inf) / self.temperature
            return scores.log_softmax(-1)

        def follow(origins: Tensor, symbols: Tensor) -> None:
            nonlocal state, before
            before = symbols
            if self.beam > 1:
                state = tuple(part[:, origins] for part in state)

        return search(LinearMachine, sizes, self.beam, vectors.device, likelihoods, follow)


def _places(lengths: Sequence[int], device: torch.device) -> tuple[Tensor, Tensor]:
    """Line and step of each place in sequences laid end to end."""
    counts = torch.tensor(lengths, device=device)
    lines = torch.repeat_interleave(torch.arange(len(lengths), device=device), counts)
    starts = counts.cumsum(0) - counts
    return lines, torch.arange(len(lines), device=device) - starts[lines]
