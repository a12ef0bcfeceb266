"""Several processes train one model: each takes its share of every batch (data parallel).

``torchrun`` starts the processes and tells each who it is by environment variables; without
it there is one process, and nothing here does anything.
"""

from __future__ import annotations

import gc
import os
from dataclasses import dataclass

import torch
import torch.distributed
from torch import nn
from torch.nn.parallel import DistributedDataParallel


@dataclass(frozen=True)
class Processes:
    """This process among all."""

    rank: int = 0
    count: int = 1
    local_rank: int = 0

    @classmethod
    def join(cls, device: torch.device) -> Processes:
        """Meet the other processes, if ``torchrun`` has started some."""
        count = int(os.environ.get("WORLD_SIZE", "1"))
        if count == 1:
            return cls()
        local = int(os.environ.get("LOCAL_RANK", "0"))
        if device.type == "cuda":
            torch.cuda.set_device(local)
        torch.distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
        return cls(int(os.environ["RANK"]), count, local)

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def share(self, batch: list[int]) -> list[int]:
        """This process's part of a batch; empty when there are more processes than sentences."""
        return batch[self.rank :: self.count]

    def wrap(self, network: nn.Module) -> nn.Module:
        """The network with its gradients averaged over all processes."""
        if self.count == 1:
            return network
        return DistributedDataParallel(network, find_unused_parameters=True)

    def wait(self) -> None:
        """Until all processes are here."""
        if self.count > 1:
            torch.distributed.barrier()

    def total(self, value: float) -> float:
        """The sum of all processes' values, everywhere."""
        if self.count == 1:
            return value
        device = "cuda" if torch.distributed.get_backend() == "nccl" else "cpu"
        tensor = torch.tensor(value, dtype=torch.float64, device=device)
        torch.distributed.all_reduce(tensor)
        return float(tensor)

    def leave(self) -> None:
        """Part from the other processes; whoever trained has let go of the network by then.

        A network that was wrapped holds the group. If that were left until Python ends, a thread
        of the group might still run, and torch would abort.
        """
        if self.count > 1:
            gc.collect()
            torch.distributed.destroy_process_group()
