"""Parts of Stanza's dependency parser that compute the same with fewer operations.

For each step of the training Stanza makes a tensor of each word's characters and copies it into
that of the batch, thousands of them; it copies what it has read of characters sentence by sentence
to where the LSTM over words wants it, and the gradient of the whole batch is copied for each of
them on the way back; and it scores every label of every pair of words, to look at those of the
gold arcs alone. Here the batch's numbers are written at once, so are sentences, and the labels of
the gold arcs are scored, no others. Random choices stay what they are, and numbers but for
rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import chain
from typing import Any

import numpy as np

from arctree.study.stanza.replacing import Replacement

# From rows of numbers, how many rows, and the number of a place with nothing, to a tensor.
Pad = Callable[..., Any]


def lighter_training() -> list[Replacement]:
    """Stanza's dependency parser pads and packs at once, and scores labels of gold arcs only."""
    model = import_module("stanza.models.depparse.model").GraphParser
    characters = import_module("stanza.models.common.char_model")
    return [
        padding_at_once(),
        Replacement(characters, "pack_sequence", packed(characters.pack_sequence)),
        Replacement(model, "forward", _of_gold_arcs(model.forward)),
    ]


def padding_at_once() -> Replacement:
    """Stanza's dependency parser pads rows of numbers by one operation."""
    data = import_module("stanza.models.depparse.data")
    return Replacement(data, "get_long_tensor", padded(data.get_long_tensor))


def padded(pad: Pad) -> Pad:
    """What ``pad`` does, faster if the rows are numbers; rows of lists are left to ``pad``."""
    torch = import_module("torch")

    def pad_rows(rows: Sequence[Sequence[Any]], size: int, *options: Any, **named: Any) -> Any:
        if options or named or len(rows) != size or not all(rows) or isinstance(rows[0][0], list):
            return pad(rows, size, *options, **named)
        lengths = np.fromiter(map(len, rows), np.int64, size)
        table = np.zeros((size, lengths.max()), np.int64)  # Stanza's number of nothing is 0
        numbers = chain.from_iterable(rows)
        table[np.arange(table.shape[1]) < lengths[:, None]] = np.fromiter(numbers, np.int64)
        return torch.from_numpy(table)

    return pad_rows


def packed(pack: Callable[..., Any]) -> Callable[..., Any]:
    """What torch's ``pack`` does, by one choice of rows if the longest sentences come first."""
    torch = import_module("torch")

    def pack_rows(sentences: Sequence[Any], enforce_sorted: bool = True) -> Any:
        lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
        if (
            not enforce_sorted
            or not lengths.size
            or not lengths[-1]
            or (np.diff(lengths) > 0).any()
        ):
            return pack(sentences, enforce_sorted)
        places = np.arange(lengths[0])
        is_there = places[:, None] < lengths
        rows = (places[:, None] + np.cumsum(lengths) - lengths)[is_there]
        words = torch.cat(tuple(sentences))
        chosen = words.index_select(0, torch.from_numpy(rows).to(words.device))
        return torch.nn.utils.rnn.PackedSequence(chosen, torch.from_numpy(is_there.sum(1)))

    return pack_rows


# Where the heads are among what Stanza's network is given.
_HEADS = 9


def _of_gold_arcs(forward: Callable[..., Any]) -> Callable[..., Any]:
    """Stanza's ``forward``, of which the scorer of labels is told the gold heads in training."""

    def told(self: Any, *inputs: Any) -> Any:
        if not self.training or self.args.get("use_arc_embedding"):
            return forward(self, *inputs)
        heads = inputs[_HEADS]
        self.deprel.forward = lambda first, second: _score(self.deprel, first, second, heads)
        try:
            return forward(self, *inputs)
        finally:
            del self.deprel.forward  # and its class's is back

    return told


def _score(scorer: Any, first: Any, second: Any, heads: Any) -> Any:
    """As :func:`score_at_heads`: [sentence, word, any word, label].

    Stanza picks those at the head, out of as many as there are words; here all are the same.
    """
    scores = score_at_heads(scorer, first, second, heads)[:, :, None]
    return scores.expand(-1, -1, scores.shape[1], -1)


def score_at_heads(scorer: Any, first: Any, second: Any, heads: Any) -> Any:
    """The labels' scores at the words' heads, the root first among the words."""
    torch = import_module("torch")
    functional = torch.nn.functional
    weight, bias = scorer.scorer.W_bilin.weight, scorer.scorer.W_bilin.bias
    dependents = scorer.dropout(scorer.hidden_func(scorer.W1(first)))
    vectors = scorer.dropout(scorer.hidden_func(scorer.W2(second)))
    places = functional.pad(heads, (1, 0))[..., None]  # the root's own is the root
    above = vectors.gather(1, places.expand(-1, -1, vectors.shape[-1]))
    dependents, above = (functional.pad(side, (0, 1), value=1.0) for side in (dependents, above))
    halfway = (dependents @ weight.flatten(1)).unflatten(-1, weight.shape[1:])
    return (above[..., None, :] @ halfway).squeeze(-2) + bias
