"""``arctree train``: a parser from CoNLL-U."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Self

import typer

from arctree.cli.report import say
from arctree.errors import CallError
from arctree.parser import missing_torch

EXAMPLES = """\b
Examples:
  arctree train --train train.conllu --dev dev.conllu -o models/mine
  arctree train ewt.toml --set training.seed=2 -o models/ewt-2
  arctree train ewt.toml --set encoder.source=./all-mpnet-base-v2
  arctree train ewt.toml --segmenter-only -o models/ewt
  torchrun --nproc-per-node 2 -m arctree train ewt.toml
  Run the same command again to go on with a run that was interrupted.
"""


def run(
    config: Annotated[
        str | None, typer.Argument(metavar="[CONFIG.toml]", help="The training configuration.")
    ] = None,
    train: Annotated[
        list[str] | None,
        typer.Option("--train", metavar="FILE", help="CoNLL-U to learn from; may be repeated."),
    ] = None,
    dev: Annotated[
        list[str] | None,
        typer.Option("--dev", metavar="FILE", help="CoNLL-U to choose the best epoch by."),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Change the configuration."),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("-o", metavar="DIR", help="The model directory; models/CONFIG if not given."),
    ] = None,
    segmenter_only: Annotated[
        bool,
        typer.Option("--segmenter-only", help="Only the segmenter, for a model that is there."),
    ] = False,
) -> None:
    """Train a parser on CoNLL-U, on one CPU or GPU, or on several with torchrun."""
    try:
        from arctree.training.configuring import load_configuration
        from arctree.training.loop import train as train_model
        from arctree.training.segmenting import add_segmenter
    except ImportError as error:
        raise missing_torch(error) from error
    treebanks = {key: some for key, some in (("train", train), ("dev", dev)) if some}
    configuration = load_configuration(config, changes or [], treebanks=treebanks)
    if output is None:
        if config is None:
            raise CallError("no place for the model: name a directory with -o")
        output = str(Path("models") / Path(config).stem)
    with _Bar(configuration.training.epochs) as bar:
        if segmenter_only:
            add_segmenter(configuration, Path(output), bar)
            say("train", f"done: {output} holds the segmenter")
            return
        train_model(configuration, Path(output), bar)
    if _is_first():
        say("train", f"done: {output} holds the model, {Path(output) / 'README.md'} its card")


def _is_first() -> bool:
    return os.environ.get("RANK", "0") == "0"


class _Bar:
    """A progress bar on a terminal, a line an epoch elsewhere."""

    def __init__(self, epochs: int) -> None:
        self.epochs = epochs
        self.scores = ""
        self.bar: Any = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty() and _is_first():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self.bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f} %"),
                TimeRemainingColumn(elapsed_when_finished=True),
                console=Console(stderr=True),
                transient=True,
            )
            self.bar.start()
            self.task = self.bar.add_task("reading", total=1.0)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.bar is not None:
            self.bar.stop()

    def said(self, message: str) -> None:
        """Say it above the bar."""
        if _is_first():
            say("train", message)

    def stepped(self, epoch: int, done: float, loss: float) -> None:
        """Move the bar."""
        if self.bar is not None:
            described = f"epoch {epoch}/{self.epochs}  loss {loss:.3f}{self.scores}"
            self.bar.update(self.task, completed=done, description=described)

    def scored(self, record: Mapping[str, Any]) -> None:
        """A line for the epoch."""
        self.scores = f"  dev UAS {100 * record['uas']:.2f} LAS {100 * record['las']:.2f}"
        loss = "not a number" if record["loss"] is None else f"{record['loss']:.3f}"
        took = time.strftime("%H:%M:%S", time.gmtime(record["seconds"]))
        best = "  best so far" if record["best"] else ""
        epoch = f"epoch {record['epoch']}/{self.epochs}"
        say("train", f"{epoch}  loss {loss}{self.scores}  {took}{best}")
