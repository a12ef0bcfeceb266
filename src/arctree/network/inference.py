"""Analysing many sentences: encoded in small batches of similar length, decoded together.

Small batches stay in a processor's cache; decoding takes few steps when many sentences step
together. What comes out is in the order of what went in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from arctree.network.encoder import Arrays, Inputs
from arctree.network.network import Network
from arctree.parsing.answers import Analysis
from arctree.parsing.batches import by_cost

# Sub-words or words, padding included, that are encoded at once; words decoded at once.
ENCODED_AT_ONCE = {"cpu": 1024, "cuda": 32_768}
DECODED_AT_ONCE = {"cpu": 4096, "cuda": 65_536}


def analyse(network: Network, prepared: Sequence[Any], sizes: Sequence[int]) -> list[Analysis]:
    """The analyses of prepared sentences."""
    device = network.device
    analyses: list[Analysis | None] = [None] * len(prepared)
    costs = [item.cost for item in prepared]
    group: list[list[int]] = []
    words = 0
    batches = by_cost(costs, ENCODED_AT_ONCE.get(device.type, ENCODED_AT_ONCE["cpu"]))
    for batch in batches:
        group.append(batch)
        words += sum(sizes[number] for number in batch)
        if (
            words >= DECODED_AT_ONCE.get(device.type, DECODED_AT_ONCE["cpu"])
            or batch is batches[-1]
        ):
            numbers = [number for some in group for number in some]
            found = network.analyse(
                [
                    to_tensors(network.encoder.lay_out([prepared[n] for n in b]), device)
                    for b in group
                ],
                [sizes[number] for number in numbers],
            )
            for number, analysis in zip(numbers, found, strict=True):
                analyses[number] = analysis
            group, words = [], 0
    return [analysis for analysis in analyses if analysis is not None]


def to_tensors(arrays: Arrays, device: torch.device) -> Inputs:
    """The arrays as tensors on the device; those of one number, and lengths, stay at home."""
    return {
        name: _at(torch.from_numpy(np.ascontiguousarray(array)), device)
        if array.ndim and name not in _AT_HOME
        else torch.from_numpy(array)
        for name, array in arrays.items()
    }


_AT_HOME = ("lengths", "spelling_lengths")


def _at(tensor: Tensor, device: torch.device) -> Tensor:
    if device.type == "cpu":
        return tensor
    return tensor.pin_memory().to(device, non_blocking=True)
