"""Analysing many sentences: encoded in small batches of similar length, decoded together.

Small batches stay in a processor's cache; decoding takes few steps when many sentences step
together. What comes out is in the order of what went in.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import torch
from torch import Tensor

from arctree.network.actions import ActionScorer
from arctree.network.encoder import Arrays, Inputs
from arctree.network.network import Network
from arctree.parsing.answers import Analysis
from arctree.parsing.batches import in_groups

# Sub-words or words, padding included, that are encoded at once; words decoded at once.
ENCODED_AT_ONCE = {"cpu": 1024, "cuda": 32_768}
DECODED_AT_ONCE = {"cpu": 4096, "cuda": 65_536}


def analyse(network: Network, prepared: Sequence[Any], sizes: Sequence[int]) -> list[Analysis]:
    """The analyses of prepared sentences."""
    device = network.device
    encoded = ENCODED_AT_ONCE.get(device.type, ENCODED_AT_ONCE["cpu"])
    decoded = DECODED_AT_ONCE.get(device.type, DECODED_AT_ONCE["cpu"])
    analyses: dict[int, Analysis] = {}
    for group in in_groups([item.cost for item in prepared], sizes, encoded, decoded):
        numbers = list(chain.from_iterable(group))
        inputs = [network.encoder.lay_out([prepared[n] for n in batch]) for batch in group]
        found = network.analyse(
            [to_tensors(arrays, device) for arrays in inputs],
            [sizes[number] for number in numbers],
        )
        analyses.update(zip(numbers, found, strict=True))
    return [analyses[number] for number in range(len(prepared))]


def score(
    network: Network, prepared: Sequence[Any], transitions: Sequence[Sequence[int]]
) -> list[np.ndarray[Any, Any]] | None:
    """The probabilities of the three transitions along given ones; none but of a mapped parser."""
    scorer = network.arcs
    if not isinstance(scorer, ActionScorer) or not scorer.is_mapped:
        return None
    found = []
    with torch.inference_mode():
        for item, row in zip(prepared, transitions, strict=True):
            vectors = network.encoder(to_tensors(network.encoder.lay_out([item]), network.device))
            found += scorer.probabilities(vectors, [len(vectors) - 1], [row])
    return found


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
