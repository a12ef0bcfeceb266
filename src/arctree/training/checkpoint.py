"""Checkpoints: all that a run needs to go on as if it had never stopped.

Weights, the optimiser's moments and a few numbers; no state of random generators, for every
step draws its own from the seed (:mod:`arctree.training.loop`). A checkpoint is a folder that
appears under its name when it is complete; the one before is removed after that. So whenever
a run is killed, one whole checkpoint is there.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from arctree.errors import CallError, DataError

_PREFIX = "checkpoint-"


def save_checkpoint(
    folder: Path, network: nn.Module, optimizer: torch.optim.Optimizer, progress: Mapping[str, Any]
) -> None:
    """Write a checkpoint; ``progress`` is whatever JSON can hold."""
    tensors = {f"weights.{name}": tensor for name, tensor in network.state_dict().items()}
    for name, state in _moments(network, optimizer):
        tensors |= {f"{kind}.{name}": torch.as_tensor(value) for kind, value in state.items()}
    at_home = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    partial = folder / ".partial"
    old = _checkpoints(folder)
    number = int(old[-1].name.removeprefix(_PREFIX)) + 1 if old else 1
    try:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        save_file(at_home, partial / "state.safetensors")
        (partial / "progress.json").write_text(json.dumps(progress) + "\n", "utf-8")
        os.replace(partial, folder / f"{_PREFIX}{number:09d}")
    except (OSError, SafetensorError) as error:
        raise CallError(f"{folder}: a checkpoint cannot be written: {error}") from error
    for path in old:
        shutil.rmtree(path, ignore_errors=True)


def read_progress(folder: Path) -> dict[str, Any]:
    """The progress in the newest checkpoint."""
    path = _checkpoints(folder)[-1]
    try:
        return dict(json.loads((path / "progress.json").read_text("utf-8")))
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise _damaged(path, error) from error


def progress_to_resume(folder: Path, fingerprint: str) -> dict[str, Any] | None:
    """The progress of the run that was interrupted here, if there is one; it has to be the same."""
    if not has_checkpoint(folder):
        return None
    progress = read_progress(folder)
    if progress.get("fingerprint") != fingerprint:
        raise CallError(
            f"{folder} holds an interrupted run with another configuration or other data; name "
            "another folder, or remove it"
        )
    return progress


def load_checkpoint(folder: Path, network: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """Put the newest checkpoint into the network and the optimiser."""
    path = _checkpoints(folder)[-1]
    try:
        tensors = load_file(path / "state.safetensors")
        network.load_state_dict(_under("weights", tensors))
    except Exception as error:  # whatever a damaged file makes these libraries raise
        raise _damaged(path, error) from error
    for name, parameter in network.named_parameters():
        state = {
            kind: tensors[f"{kind}.{name}"]
            for kind in ("step", "exp_avg", "exp_avg_sq")
            if f"{kind}.{name}" in tensors
        }
        if state:
            optimizer.state[parameter] = {
                kind: value
                if kind == "step" and not optimizer.defaults.get("fused")
                else value.to(parameter.device)
                for kind, value in state.items()
            }


def _damaged(path: Path, error: Exception) -> DataError:
    return DataError(
        f"the checkpoint cannot be read: {(str(error) or type(error).__name__).splitlines()[0]}",
        "remove the folder to start anew",
        file=str(path),
    )


def has_checkpoint(folder: Path) -> bool:
    """Whether a run was interrupted or ended here."""
    return bool(_checkpoints(folder))


def remove_checkpoints(folder: Path) -> None:
    """Forget what only an interrupted run needs."""
    for path in _checkpoints(folder):
        shutil.rmtree(path, ignore_errors=True)


def _checkpoints(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob(f"{_PREFIX}{'[0-9]' * 9}") if path.is_dir())


def _moments(
    network: nn.Module, optimizer: torch.optim.Optimizer
) -> list[tuple[str, Mapping[str, Tensor]]]:
    return [
        (name, optimizer.state[parameter])
        for name, parameter in network.named_parameters()
        if parameter in optimizer.state
    ]


def _under(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    start = f"{prefix}."
    return {
        name.removeprefix(start): tensor
        for name, tensor in tensors.items()
        if name.startswith(start)
    }
