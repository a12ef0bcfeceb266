"""A small run of training, for the tests that need a trained parser."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from arctree import conllu
from toy_language import toy_treebank

SMALL = (
    "encoder.word_width=24",
    "encoder.character_width=12",
    "encoder.spelling_width=24",
    "encoder.width=64",
    "encoder.layers=1",
    "encoder.dropout=0.1",
    "parser.hidden=48",
    "parser.label_width=24",
    "parser.dropout=0.1",
    "tags.weight=1",
    "training.batch=250",
    "training.rate=8e-3",
    "training.device=cpu",
    "segmenter.train=false",
)
# One thread, as results are compared bit for bit.
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}


class Silent:
    """Somebody who watches a run and says nothing."""

    def said(self, message: str) -> None:
        pass

    def stepped(self, epoch: int, done: float, loss: float) -> None:
        pass

    def scored(self, record: Mapping[str, Any]) -> None:
        pass


def write_toy_files(folder: Path, train: int = 300, dev: int = 60) -> list[str]:
    """Training, dev and test files; what to set so that they are used."""
    changes = []
    for seed, (name, size) in enumerate({"train": train, "dev": dev, "test": dev}.items()):
        path = folder / f"{name}.conllu"
        conllu.write(toy_treebank(size, seed), str(path))
        changes.append(f"data.{name}={path}")
    return changes


def train_command(output: Path, changes: Sequence[str], *, processes: int = 1) -> list[str]:
    """The command that trains, to be run in a process of its own."""
    program = [sys.executable, "-m", "arctree"]
    if processes > 1:
        program = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
        program += [f"--nproc-per-node={processes}", "-m", "arctree"]
    options = [option for change in changes for option in ("--set", change)]
    return [*program, "train", "-o", str(output), *options]


def run_training(output: Path, changes: Sequence[str], *, processes: int = 1) -> str:
    """Train in other processes to the end; what they said."""
    command = train_command(output, changes, processes=processes)
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


def kill_training(output: Path, changes: Sequence[str], after_checkpoints: int) -> None:
    """Start training, and kill it without warning once it has written so many checkpoints."""
    with subprocess.Popen(
        train_command(output, changes), env=ENVIRONMENT, stderr=subprocess.DEVNULL
    ) as process:
        seen: set[str] = set()
        while len(seen) < after_checkpoints:
            assert process.poll() is None, "the run was over before it could be killed"
            seen |= {path.name for path in (output / "training").glob("checkpoint-*")}
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
