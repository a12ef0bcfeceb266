"""What a run was made on, in words."""

from __future__ import annotations

import platform
from pathlib import Path


def processor() -> str:
    """The name of the CPU, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    for line in lines:
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
