"""What a classifier sees of a configuration: words in slots, each projected once per slot.

The first layer over the slots is linear, so it is a sum: every word is projected for every slot
beforehand, and a configuration costs a gather and a sum.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


def slot_table(project: nn.Linear, absent: Tensor, vectors: Tensor, slots: int) -> Tensor:
    """Every row, and the absent one, projected for every slot; a line for each pair."""
    return torch.cat([project(vectors), absent[None]]).view((len(vectors) + 1) * slots, -1)


def slot_sums(table: Tensor, rows: Tensor) -> Tensor:
    """For configurations given by the rows in their slots the sum of what was projected."""
    count = rows.shape[-1]
    places = torch.arange(count, device=rows.device)
    return functional.embedding_bag(rows * count + places, table, mode="sum")
