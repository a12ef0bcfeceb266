"""What the races share: one thread, the files of a treebank, who can take part, and tables."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from arctree.errors import ArctreeError
from peers import Trainable

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"), "1"
)


class Loadable(Protocol):
    """What has a name and can be loaded from the folder of the models."""

    @property
    def name(self) -> str: ...

    def load(self, folder: Path) -> None: ...


System = TypeVar("System", bound=Loadable)


def on_one_thread() -> None:
    """Start anew on one thread: libraries read it when they are loaded, and some are by now."""
    if any(os.environ.get(name) != "1" for name in ONE_THREAD):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ONE_THREAD})


def train_missing(peers: Sequence[Trainable], treebank: Path, models: Path) -> None:
    """Train those whose models are not in the folder yet."""
    models.mkdir(parents=True, exist_ok=True)
    for peer in peers:
        try:
            peer.load(models)
        except FileNotFoundError:
            print(f"training {peer.name}", file=sys.stderr)
            peer.train(part(treebank, "train"), part(treebank, "dev"), models)
        except ImportError as error:
            print(f"{peer.name} cannot be trained: {error}", file=sys.stderr)


def loaded(systems: Iterable[System], models: Path) -> list[System]:
    """Those that are installed and have a model; the others are named."""
    ready = []
    for system in systems:
        try:
            system.load(models)
        except (ArctreeError, FileNotFoundError, ImportError) as error:
            print(f"left out: {system.name}: {error}", file=sys.stderr)
        else:
            ready.append(system)
    return ready


def default_treebank() -> Path:
    folder = os.environ.get("ARCTREE_DATA")
    if not folder:
        raise SystemExit("give --treebank, or set ARCTREE_DATA to the folder of the treebanks")
    return Path(folder, "ud", "English-EWT")


def part(treebank: Path, name: str) -> Path:
    found = sorted(treebank.glob(f"*-{name}.conllu"))
    if len(found) != 1:
        raise SystemExit(f"{treebank} has {len(found)} files *-{name}.conllu, but needs one")
    return found[0]


def print_table(rows: Sequence[Sequence[str]], texts: int) -> None:
    """Rows of equal length, headings first; so many columns of text, the others of numbers."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if place < texts else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())
