"""Encoders: words in, one vector for the root and one for each word out.

Rows lie sentence after sentence without padding: the root's, then the words', as in
:mod:`arctree.parsing.machine`. Preparing a sentence (sub-words, numbers) needs no network and
is done once; a batch is laid out anew each time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from torch import Tensor, nn

Arrays = Mapping[str, np.ndarray[Any, Any]]
Inputs = Mapping[str, Tensor]


class Prepared(Protocol):
    """One sentence as an encoder wants it; ``cost`` is what it adds to a batch."""

    @property
    def cost(self) -> int: ...


class Encoder(nn.Module, ABC):
    """What every encoder can do. ``width`` is that of its vectors."""

    width: int

    @abstractmethod
    def prepare(self, sentences: Sequence[Sequence[str]]) -> list[Any]:
        """The sentences, given as their words, as this encoder wants them."""

    @abstractmethod
    def lay_out(self, prepared: Sequence[Any]) -> Arrays:
        """A batch of prepared sentences as arrays."""

    @abstractmethod
    def forward(self, inputs: Inputs) -> Tensor:
        """One vector a row."""
