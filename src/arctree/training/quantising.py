"""Quantising: how the inputs of layers are rounded to bytes, found on sentences.

The network reads some sentences; of the input of every layer a few rows are kept. The 256
bytes are spread over all but one in ten thousand of their numbers: a few lie far out, and would
make every step coarse. (Measured against the least change of the numbers, and of the layers'
answers: this keeps the most trees as they are.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from arctree.network.inference import to_tensors
from arctree.network.network import Network
from arctree.parsing.batches import by_cost
from arctree.training.graphs import Range

# Batches that are read, sub-words in a batch, and rows kept of a batch by each layer.
_BATCHES, _AT_ONCE, _KEPT = 64, 2048, 64
# The share of the numbers that the bytes reach, in percent; the others are cut off.
INSIDE = 99.995

Array = np.ndarray[Any, Any]


@torch.inference_mode()
def find_ranges(network: Network, sentences: Sequence[Sequence[str]]) -> dict[str, Range]:
    """The range of each linear layer's input, by the layer's name."""
    network.eval()
    kept: dict[str, list[Array]] = {}
    source = torch.Generator().manual_seed(0)

    def watch(name: str) -> Any:
        def seen(module: nn.Module, inputs: tuple[Tensor, ...]) -> None:
            rows = inputs[0].detach().flatten(0, -2).float().cpu()
            chosen = torch.randint(len(rows), (_KEPT,), generator=source)
            kept.setdefault(name, []).append(rows[chosen].numpy())

        return seen

    layers = {
        name: module for name, module in network.named_modules() if isinstance(module, nn.Linear)
    }
    hooks = [layer.register_forward_pre_hook(watch(name)) for name, layer in layers.items()]
    try:
        encoder = network.encoder
        prepared = encoder.prepare(sentences)
        batches = by_cost([item.cost for item in prepared], _AT_ONCE)
        order = np.random.default_rng(0).permutation(len(batches))
        for number in order[:_BATCHES]:
            some = [prepared[place] for place in batches[number]]
            inputs = to_tensors(encoder.lay_out(some), network.device)
            network.analyse([inputs], [len(sentences[place]) for place in batches[number]])
    finally:
        for hook in hooks:
            hook.remove()
    return {name: best_range(np.concatenate(rows)) for name, rows in kept.items()}


def best_range(rows: Array) -> Range:
    """From the numbers that all but a few lie above to those that all but a few lie below."""
    low, high = np.percentile(rows, [100 - INSIDE, INSIDE])
    return range_of(min(float(low), 0.0), max(float(high), 1e-6))


def range_of(low: float, high: float) -> Range:
    """The 256 bytes spread from one number to another; zero is one of them."""
    scale = max(high - low, 1e-9) / 255
    return Range(float(np.float32(scale)), int(np.clip(np.round(-low / scale), 0, 255)))
