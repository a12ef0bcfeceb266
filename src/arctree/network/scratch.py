"""Encoders from scratch, for any language: words, spellings and static vectors, in context.

A word enters as the concatenation of

- a learnt vector, if the word, lowercased, occurs at least twice in the training data;
- its spelling: the last states of a BiLSTM over its characters;
- its static vectors, kept as they are and passed through one learnt layer, if there are any.

In training each of the three is now and then left out, so that none is relied upon alone. The
context is a BiLSTM with the same dropout mask at every position, or a small transformer,
which reads long sentences through overlapping windows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from arctree.network.encoder import Arrays, Encoder, Inputs
from arctree.parsing.settings import Scratch
from arctree.parsing.vocabulary import Vocabulary
from arctree.parsing.windows import overlapping_windows

UNKNOWN = "<unknown>"
# Of a longer word the beginning and the end are spelt.
_LONGEST_SPELLING = 64
_REACH = 512
_ATTENTION_HEADS = 8


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a sentence and their numbers in the vocabularies."""

    words: tuple[str, ...]
    known: np.ndarray[Any, np.dtype[np.int64]]
    static: np.ndarray[Any, np.dtype[np.int64]]

    @property
    def cost(self) -> int:
        return len(self.words) + 1


@dataclass(frozen=True)
class ScratchVocabularies:
    """Words and characters of the training data; the words that have a static vector."""

    words: Vocabulary
    characters: Vocabulary
    static: Vocabulary

    @classmethod
    def of(cls, sentences: Sequence[Sequence[str]], static: Sequence[str]) -> ScratchVocabularies:
        words = chain.from_iterable(sentences)
        return cls(
            Vocabulary.of((word.lower() for word in words), least=2, reserved=[UNKNOWN], unknown=0),
            Vocabulary.of(
                chain.from_iterable(chain.from_iterable(sentences)),
                reserved=[UNKNOWN],
                unknown=0,
            ),
            Vocabulary([UNKNOWN, *static], unknown=0),
        )


class ScratchEncoder(Encoder):
    """Words, spellings and static vectors in context."""

    def __init__(
        self, settings: Scratch, vocabularies: ScratchVocabularies, static_width: int
    ) -> None:
        super().__init__()
        self.settings = settings
        self.vocabularies = vocabularies
        self.static_width = static_width
        self.words = nn.Embedding(len(vocabularies.words), settings.word_width)
        self.spelling = _Spelling(settings, vocabularies.characters)
        width = settings.word_width + self.spelling.width
        self.static: nn.Embedding | None = None
        if static_width:
            # Half the precision halves the file, and these are never learnt.
            self.static = nn.Embedding(
                len(vocabularies.static), static_width, dtype=torch.float16
            ).requires_grad_(False)
            self.static_layer = nn.Linear(static_width, settings.word_width)
            width += settings.word_width
        self.root = nn.Parameter(torch.randn(width) / math.sqrt(width))
        self.context = (_Recurrent if settings.kind == "recurrent" else _Attentive)(width, settings)
        self.width = self.context.width
        nn.init.normal_(self.words.weight, std=1 / math.sqrt(settings.word_width))

    def set_static(self, vectors: np.ndarray[Any, np.dtype[np.float32]]) -> None:
        """Put the static vectors in their place, scaled to a common size."""
        assert self.static is not None
        scale = float(np.sqrt(np.mean(np.square(vectors)))) or 1.0
        with torch.no_grad():
            self.static.weight.zero_()
            self.static.weight[1:] = torch.from_numpy(vectors / scale)

    def prepare(self, sentences: Sequence[Sequence[str]]) -> list[_Words]:
        known, static = self.vocabularies.words, self.vocabularies.static
        return [
            _Words(
                tuple(words),
                np.array(known.numbers(word.lower() for word in words), dtype=np.int64),
                np.array([static[word] or static[word.lower()] for word in words], dtype=np.int64),
            )
            for words in sentences
        ]

    def lay_out(self, prepared: Sequence[_Words]) -> Arrays:
        forms: dict[str, int] = {}
        form_of = np.array(
            [forms.setdefault(word, len(forms)) for item in prepared for word in item.words],
            dtype=np.int64,
        )
        sizes = np.array([len(item.words) + 1 for item in prepared], dtype=np.int64)
        starts = np.cumsum(sizes) - sizes
        is_word = np.ones(int(sizes.sum()), dtype=np.bool_)
        is_word[starts] = False
        return {
            "known": np.concatenate([item.known for item in prepared]),
            "static": np.concatenate([item.static for item in prepared]),
            "form": form_of,
            **self.spelling.lay_out(list(forms)),
            "word_rows": np.flatnonzero(is_word),
            "roots": starts,
            **self.context.lay_out(sizes),
        }

    def forward(self, inputs: Inputs) -> Tensor:
        spelt = self.spelling(inputs["characters"], inputs["spelling_lengths"])
        parts = [self.words(inputs["known"]), spelt[inputs["form"]]]
        if self.static is not None:
            static = self.static(inputs["static"]).float()
            parts.append(torch.tanh(self.static_layer(static)))
        if self.training and self.settings.word_dropout:
            parts = [self._some_left_out(part) for part in parts]
        words = torch.cat(parts, dim=-1)
        rows = words.new_zeros(len(words) + len(inputs["roots"]), words.shape[-1])
        rows = rows.index_copy(0, inputs["word_rows"], words)
        rows = rows.index_copy(
            0, inputs["roots"], self.root.to(words.dtype).expand(len(inputs["roots"]), -1)
        )
        vectors: Tensor = self.context(rows, inputs)
        return vectors

    def _some_left_out(self, part: Tensor) -> Tensor:
        keep = torch.rand(len(part), 1, device=part.device) >= self.settings.word_dropout
        return part * keep


class _Spelling(nn.Module):
    """A vector for each word from its characters."""

    def __init__(self, settings: Scratch, characters: Vocabulary) -> None:
        super().__init__()
        half = settings.spelling_width // 2
        self.width = 2 * half
        self.characters = nn.Embedding(len(characters) + 1, settings.character_width)
        self.lstm = nn.LSTM(settings.character_width, half, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(settings.dropout)
        # Characters are found by binary search among the sorted code points.
        points = np.array([ord(value) for value in characters.values[1:]], dtype=np.int64)
        self._order = np.argsort(points)
        self._points = points[self._order]

    def lay_out(self, forms: Sequence[str]) -> Arrays:
        spelt = [_shortened(form) for form in forms]
        lengths = np.array([len(form) for form in spelt], dtype=np.int64)
        codes = np.frombuffer(
            "".join(spelt).encode("utf-32-le", "surrogatepass"), dtype=np.uint32
        ).astype(np.int64)
        numbers = np.ones(len(codes), dtype=np.int64)  # 0 pads, 1 is unknown
        if len(self._points):
            places = np.minimum(np.searchsorted(self._points, codes), len(self._points) - 1)
            found = self._points[places] == codes
            numbers[found] = self._order[places[found]] + 2
        table = np.zeros((len(spelt), int(lengths.max())), dtype=np.int64)
        table[np.arange(table.shape[1]) < lengths[:, None]] = numbers
        return {"characters": table, "spelling_lengths": lengths}

    def forward(self, characters: Tensor, lengths: Tensor) -> Tensor:
        embedded = self.dropout(self.characters(characters))
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        _, (last, _) = self.lstm(packed)
        return torch.cat([last[0], last[1]], dim=-1)


class _Recurrent(nn.Module):
    """Layers of BiLSTM over padded sentences."""

    def __init__(self, width: int, settings: Scratch) -> None:
        super().__init__()
        half = settings.width // 2
        self.width = 2 * half
        self.rate = settings.dropout
        self.layers = nn.ModuleList(
            nn.LSTM(width if not layer else self.width, half, batch_first=True, bidirectional=True)
            for layer in range(settings.layers)
        )

    def lay_out(self, sizes: np.ndarray[Any, Any]) -> Arrays:
        longest = int(sizes.max())
        taken = np.flatnonzero(np.arange(longest) < sizes[:, None])
        return {"lengths": sizes, "taken": taken, "longest": np.array(longest)}

    def forward(self, rows: Tensor, inputs: Inputs) -> Tensor:
        lengths, taken, longest = inputs["lengths"], inputs["taken"], int(inputs["longest"])
        padded = rows.new_zeros(len(lengths) * longest, rows.shape[-1])
        padded = padded.index_copy(0, taken, rows).view(len(lengths), longest, -1)
        for layer in self.layers:
            packed = pack_padded_sequence(
                self._dropped(padded), lengths, batch_first=True, enforce_sorted=False
            )
            padded, _ = pad_packed_sequence(layer(packed)[0], batch_first=True)
        return self._dropped(padded).flatten(0, 1)[taken]

    def _dropped(self, states: Tensor) -> Tensor:
        """The same mask at every position of a sentence."""
        if not self.training or not self.rate:
            return states
        keep = torch.rand(len(states), 1, states.shape[-1], device=states.device) >= self.rate
        return states * keep / (1 - self.rate)


class _Attentive(nn.Module):
    """A small transformer over windows of words."""

    places: Tensor

    def __init__(self, width: int, settings: Scratch) -> None:
        super().__init__()
        self.width = max(settings.width // _ATTENTION_HEADS, 1) * _ATTENTION_HEADS
        self.inward = nn.Linear(width, self.width)
        layer = nn.TransformerEncoderLayer(
            self.width,
            _ATTENTION_HEADS,
            dim_feedforward=4 * self.width,
            dropout=settings.dropout,
            activation="gelu",
            batch_first=True,
            norm_first=True,
        )
        self.layers = nn.TransformerEncoder(
            layer, settings.layers, nn.LayerNorm(self.width), enable_nested_tensor=False
        )
        self.register_buffer("places", _sinusoids(_REACH, self.width), persistent=False)

    def lay_out(self, sizes: np.ndarray[Any, Any]) -> Arrays:
        windows: list[np.ndarray[Any, Any]] = []
        window_of, place = [], []
        start = 0
        for size in sizes.tolist():
            for window in overlapping_windows(size, _REACH):
                taken = np.arange(window.first, window.last)
                window_of.append(np.full(len(taken), len(windows)))
                place.append(taken - window.start)
                windows.append(start + np.arange(window.start, window.stop))
            start += size
        longest = max(map(len, windows))
        gathered = np.zeros((len(windows), longest), dtype=np.int64)
        padding = np.ones((len(windows), longest), dtype=np.bool_)
        for number, rows in enumerate(windows):
            gathered[number, : len(rows)] = rows
            padding[number, : len(rows)] = False
        taken = np.concatenate(window_of) * longest + np.concatenate(place)
        return {"gathered": gathered, "padding": padding, "taken": taken}

    def forward(self, rows: Tensor, inputs: Inputs) -> Tensor:
        inward = self.inward(rows)[inputs["gathered"]]
        states = inward + self.places[: inward.shape[1]]
        states = self.layers(states, src_key_padding_mask=inputs["padding"])
        vectors: Tensor = states.flatten(0, 1)[inputs["taken"]]
        return vectors


def _sinusoids(length: int, width: int) -> Tensor:
    """Positions as waves of many lengths (Vaswani et al. 2017)."""
    angles = torch.arange(length)[:, None] * torch.exp(
        torch.arange(0, width, 2) * (-math.log(10_000) / width)
    )
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :width]


def _shortened(form: str) -> str:
    if len(form) <= _LONGEST_SPELLING:
        return form
    half = _LONGEST_SPELLING // 2
    return form[:half] + form[-half:]
