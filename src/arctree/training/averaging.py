"""An average of the weights over the last steps, which parses better than the last weights do.

The average forgets exponentially (Polyak averaging): what counts is about the last
``horizon`` steps, and in the beginning all steps there are. Dev is scored with the average,
and the average is what is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class Average:
    """The average of a network's learnt weights."""

    def __init__(self, network: nn.Module, horizon: float) -> None:
        self.horizon = horizon
        self.weights = {
            name: parameter
            for name, parameter in network.named_parameters()
            if parameter.requires_grad
        }
        self.averages = {
            name: parameter.detach().clone() for name, parameter in self.weights.items()
        }

    @torch.no_grad()
    def update(self, step: int) -> None:
        """Take in the weights after a step, counted from 1."""
        share = max(1 / step, 1 / (1 + self.horizon))
        torch._foreach_lerp_(list(self.averages.values()), list(self.weights.values()), share)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """The network has the averages for weights, until the block ends."""
        self._exchange()
        try:
            yield
        finally:
            self._exchange()

    @torch.no_grad()
    def _exchange(self) -> None:
        for name, parameter in self.weights.items():
            parameter.data, self.averages[name] = self.averages[name], parameter.data

    def load(self, averages: Mapping[str, Tensor]) -> None:
        """Go on from averages that were saved."""
        for name, average in self.averages.items():
            average.copy_(averages[name])
