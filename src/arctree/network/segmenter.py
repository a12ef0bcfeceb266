"""The segmenter's network: convolutions over characters, and over the units made of them.

A character's vector is made of the seven symbols around it and, by a second layer, of those
around these. From it follows what ends with the character, as far as spelling can tell. A
unit's vector is made of those of its first and last character and of that of its word, if
that is known; layers of convolution, each of which looks twice as far as the one before, let
it see the units around it. From it follows whether a sentence ends with the unit, and it has
a say in whether a token does.

All of it has a finite reach (:attr:`SegmenterNetwork.padding`), so a text may be read in
pieces; and nothing is recurrent, so a piece is read at once.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from arctree.parsing.characters import NO_WORD, UNKNOWN_WORD, Alphabet
from arctree.parsing.settings import SegmenterSettings

SYMBOL_WIDTH = 16
NEIGHBOURS = 3
# The shares of words and symbols that are hidden in training, so that it learns to do without.
WORDS_HIDDEN, SYMBOLS_HIDDEN = 0.3, 0.025
# What a character is scored for: that nothing, a token, or a multiword token ends with it.
CHARACTER_CLASSES = 3


class Scored(NamedTuple):
    """For each symbol the scores of its classes; for each unit more of them, and of an end.

    Those of a unit are added to those of its last symbol; the last says that a sentence ends.
    """

    characters: Tensor
    units: Tensor


class SegmenterNetwork(nn.Module):
    """Scores for the symbols and units of a piece of text."""

    categories: Tensor

    def __init__(self, settings: SegmenterSettings, alphabet: Alphabet) -> None:
        super().__init__()
        width, unit_width = settings.width, settings.unit_width
        self.register_buffer("categories", torch.tensor(alphabet.categories()), persistent=False)
        self.symbols = nn.Embedding(alphabet.symbol_count, SYMBOL_WIDTH)
        self.words = nn.Embedding(alphabet.word_count, settings.word_width)
        self.near = nn.Conv1d(SYMBOL_WIDTH, width, 2 * NEIGHBOURS + 1, padding=NEIGHBOURS)
        self.far = nn.Conv1d(width, width, 3, padding=1)
        self.character_scores = nn.Linear(width, CHARACTER_CLASSES)
        self.unit = nn.Linear(2 * width + settings.word_width, unit_width)
        self.context = nn.ModuleList(
            nn.Conv1d(unit_width, unit_width, 3, padding=1 << number, dilation=1 << number)
            for number in range(settings.layers)
        )
        self.unit_scores = nn.Linear(unit_width, CHARACTER_CLASSES + 1)
        self.dropout = nn.Dropout(settings.dropout)
        for table in (self.symbols, self.words):
            nn.init.normal_(table.weight, std=0.1)

    @property
    def padding(self) -> int:
        """How many symbols, each a unit, separate what must not see each other."""
        return NEIGHBOURS + 1 + sum(1 << number for number in range(len(self.context)))

    def forward(self, symbols: Tensor, first: Tensor, last: Tensor, words: Tensor) -> Scored:
        """The scores of one piece; in training some symbols and words are hidden."""
        if self.training:
            hidden = _chance(symbols, SYMBOLS_HIDDEN)
            symbols = torch.where(hidden, self.categories[symbols], symbols)
            hidden = _chance(words, WORDS_HIDDEN) & (words != NO_WORD)
            words = torch.where(hidden, UNKNOWN_WORD, words)
        vectors = self.symbols(symbols) + self.symbols(self.categories[symbols])
        near = torch.relu(self.near(vectors.T[None]))
        characters = self.dropout(near + torch.relu(self.far(near)))[0].T
        unit = torch.cat((characters[first], characters[last], self.words(words)), dim=1)
        state = self.dropout(torch.relu(self.unit(unit))).T[None]
        for layer in self.context:
            state = state + self.dropout(torch.relu(layer(state)))
        return Scored(self.character_scores(characters), self.unit_scores(state[0].T))


def _chance(values: Tensor, share: float) -> Tensor:
    """True for about this share of the values."""
    return torch.rand(values.shape, device=values.device) < share
