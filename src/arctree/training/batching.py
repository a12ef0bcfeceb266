"""Batches for training: what each epoch sees, in which order, and as tensors.

Everything random here is drawn from the seed and the epoch alone, so that a run that is
resumed sees what it would have seen.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from arctree.network.encoder import Encoder
from arctree.network.inference import to_tensors
from arctree.network.network import Batch, Gold
from arctree.parsing.batches import by_cost
from arctree.parsing.machine import row_starts
from arctree.training.corpus import Example


def epoch_batches(
    costs: Sequence[int], weights: Sequence[float], budget: int, seed: int, epoch: int
) -> list[list[int]]:
    """The batches of an epoch, in order; an example of weight w occurs w times.

    What remains of a weight beyond its whole part is the chance of one more time. Lengths are
    blurred before they are sorted, so that batches differ from epoch to epoch.
    """
    source = np.random.default_rng([seed, epoch])
    times = np.floor(np.asarray(weights) + source.random(len(weights))).astype(np.int64)
    chosen = np.repeat(np.arange(len(costs)), times)
    blurred = np.asarray(costs)[chosen] * source.uniform(0.9, 1.1, len(chosen))
    batches = by_cost(np.maximum(blurred.astype(np.int64), 1).tolist(), budget)
    source.shuffle(batches)
    return [chosen[batch].tolist() for batch in batches]


def to_batch(examples: Sequence[Example], encoder: Encoder, device: torch.device) -> Batch:
    """The examples as one batch on the device."""
    sizes = [example.size for example in examples]
    starts = row_starts(sizes)
    absent = int(starts[-1])
    start_of_word = np.repeat(starts[:-1], sizes)
    heads = np.concatenate([example.heads for example in examples])
    arrays = {
        "words": np.delete(np.arange(absent), starts[:-1]),
        "heads": start_of_word + heads,
        "is_root": heads == 0,
        "labels": np.concatenate([example.labels for example in examples]),
        "marks": np.concatenate([example.marks for example in examples]),
    }
    derivations = [example.derivation for example in examples if example.derivation is not None]
    if derivations:
        rows = np.concatenate([derivation.rows for derivation in derivations]).astype(np.int64)
        steps = [len(derivation.transitions) for derivation in derivations]
        start_of_state = np.repeat(starts[:-1], steps)[:, None]
        arrays["states"] = np.where(rows < 0, absent, rows + start_of_state)
        arrays["legal"] = np.concatenate([derivation.legal for derivation in derivations])
        arrays["transitions"] = np.concatenate(
            [derivation.transitions for derivation in derivations]
        ).astype(np.int64)
    else:
        arrays |= {name: np.zeros((0, 1), np.int64) for name in ("states", "legal", "transitions")}
    tags = {
        name: np.concatenate([example.tags[name] for example in examples])
        for name in examples[0].tags
    }
    gold = Gold(**to_tensors(arrays, device), tags=to_tensors(tags, device))
    inputs = to_tensors(encoder.lay_out([example.prepared for example in examples]), device)
    return Batch(inputs, sizes, gold)
