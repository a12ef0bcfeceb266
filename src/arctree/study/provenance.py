"""Where a result comes from: the machine, the versions of what it depends on, the commit."""

from __future__ import annotations

import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from arctree.training.hardware import processor


def hardware(device: str) -> str:
    """What this machine is, as far as it matters to a run."""
    import torch

    if device != "cpu" and torch.cuda.is_available():
        return str(torch.cuda.get_device_name())
    return processor()


def versions() -> dict[str, str]:
    """Of what a result may depend on."""
    found = {"python": platform.python_version()}
    for name in ("arctree", "numpy", "stanza", "torch", "transformers"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    if commit := _commit():
        found["commit"] = commit
    return found


def _commit() -> str:
    """The commit of the checkout that arctree runs from; nothing of an installed package."""
    place = Path(__file__).parents[3]
    if not (place / ".git").exists():
        return ""
    command = ["git", "-C", str(place), "describe", "--always", "--dirty", "--exclude=*"]
    try:
        told = subprocess.run(command, capture_output=True, check=True, timeout=60)  # noqa: S603
        return told.stdout.decode("ascii").strip()
    except (OSError, subprocess.SubprocessError):
        return ""
