"""What running the command line in a test gives; the fixture ``arctree`` runs it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Outcome:
    status: int
    out: str
    err: str


Arctree = Callable[..., Outcome]
