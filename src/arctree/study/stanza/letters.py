"""Vectors of words by their letters, as Stanza's dependency parser has learnt to read them.

The labeller of a tree system is Stanza's dependency parser, and reads words with an LSTM over
their characters. What that makes of a word depends on the word alone, and was learnt on the trees
of the same treebank. Here it is taken out of the labeller as a vector for each word, also for one
that was never seen, and the tree parser is given it beside its other vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from stanza.models.common.char_model import CharacterModel
from stanza.models.common.vocab import UNK_ID

from arctree.study.stanza.spelling import SPREAD, Floats

_AT_ONCE = 1000


class Letters:
    """The part of a labeller that reads characters."""

    def __init__(self, state: dict[str, Any]) -> None:
        self._state = state
        self._places = {unit: number for number, unit in enumerate(state["characters"])}
        self._reader = CharacterModel(state["options"], {"char": state["characters"]}).eval()
        self._reader.load_state_dict(state["reader"])
        self.width = len(state["directions"])

    @classmethod
    def of(cls, labeller: Any, words: Sequence[str]) -> Letters:
        """Of a trained network of Stanza's; over these words the numbers vary as in others."""
        model, vocabulary = labeller.model, labeller.vocab["char"]
        names = ("char_emb_dim", "char_hidden_dim", "char_num_layers", "char_rec_dropout")
        state = {
            "options": {**{name: model.args[name] for name in names}, "dropout": 0.0},
            "characters": list(vocabulary._id2unit),
            "reader": {name: part.cpu() for name, part in model.charmodel.state_dict().items()},
            "directions": model.trans_char.weight.detach().cpu().clone(),
        }
        spread = float(cls(state).vectors(sorted(set(words))).std())
        state["directions"] *= SPREAD / max(spread, 1e-6)
        return cls(state)

    @torch.no_grad()
    def vectors(self, words: Sequence[str]) -> Floats:
        """A row for each word."""
        found = np.zeros((len(words), self.width), np.float32)
        order = sorted(range(len(words)), key=lambda number: -len(words[number]))
        for start in range(0, len(order), _AT_ONCE):
            numbers = order[start : start + _AT_ONCE]
            rows = [[self._places.get(unit, UNK_ID) for unit in words[n]] for n in numbers]
            lengths = list(map(len, rows))
            table = torch.zeros(len(rows), lengths[0], dtype=torch.long)
            for row, units in enumerate(rows):
                table[row, : len(units)] = torch.tensor(units)
            alone = [1] * len(rows)
            read = self._reader(table, table == 0, range(len(rows)), alone, lengths)
            found[numbers] = (read.data @ self._state["directions"].T).numpy()
        return found

    def save(self, path: Path) -> None:
        """Within the adapter's context, where ``torch.save`` writes whole files."""
        torch.save(self._state, path)

    @classmethod
    def load(cls, path: Path) -> Letters:
        return cls(torch.load(path, weights_only=True))
