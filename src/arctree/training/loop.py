"""The training loop.

Read the treebanks, number them, build the network; then, epoch by epoch, step through the
batches, score dev, keep the best model, and write down where we are.

A run can be killed at any time and started again with the same command: it goes on from its
last checkpoint, and on a CPU ends with the same weights, bit for bit. For every step seeds
its random numbers from the run's seed and its own number, and the batches of an epoch depend
on the seed and the epoch alone; so a checkpoint holds no state but weights and moments.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from arctree.errors import ArctreeError, CallError
from arctree.files import cannot_write, open_output
from arctree.network.model import Model, device_named
from arctree.network.pretrained import PretrainedEncoder
from arctree.parser import Parser
from arctree.parsing import model_files
from arctree.parsing.settings import Configuration
from arctree.training import checkpoint
from arctree.training.batching import epoch_batches
from arctree.training.building import build_optimizer, rate_at
from arctree.training.corpus import read_treebank
from arctree.training.curves import draw_curves
from arctree.training.distributed import Processes
from arctree.training.finishing import finish
from arctree.training.lessons import prepare
from arctree.training.scoring import Scored
from arctree.training.segmenting import train_segmenter

# Beside the model: checkpoints, the log, the picture of the run, what dev and test were
# parsed as.
RUN_FOLDER = "training"
LOG = "log.jsonl"
CURVES = "curves.svg"


class Watcher(Protocol):
    """Whoever wants to know how the run is going."""

    def said(self, message: str) -> None:
        """Something a person may want to know."""

    def stepped(self, epoch: int, done: float, loss: float) -> None:
        """``done`` is the share of the whole run."""

    def scored(self, record: Mapping[str, Any]) -> None:
        """An epoch is over."""


def train(configuration: Configuration, folder: Path, watcher: Watcher) -> None:
    """Train a model into a folder, or go on with a run that was interrupted there."""
    device = device_named(configuration.training.device)
    processes = Processes.join(device)
    precision = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        _train(_Run(configuration, folder, watcher, device, processes))
    finally:
        torch.set_float32_matmul_precision(precision)  # what runs next may want it otherwise
        processes.leave()


def _train(run: _Run) -> None:
    """From wherever the run is to its end; afterwards nobody holds it, nor its processes."""
    run.resume()
    run.train()
    if run.processes.is_first:
        run.finish()
    run.processes.wait()


class _Run:
    """A run: what it trains, on what, and how far it has come."""

    def __init__(
        self,
        configuration: Configuration,
        folder: Path,
        watcher: Watcher,
        device: torch.device,
        processes: Processes,
    ) -> None:
        self.configuration = configuration
        self.settings = configuration.training
        self.folder = folder
        self.run_folder = folder / RUN_FOLDER
        self.watcher = watcher
        self.processes = processes
        self._check_folder()
        torch.manual_seed(self.settings.seed)
        self._read(device)
        self.optimizer = build_optimizer(self.network, self.settings)
        # Epochs that are over, and batches of the one that is not; the loss of those.
        self.epoch = self.batch = self.step = 0
        self.loss = 0.0
        self.best: dict[str, float] = {"las": -1.0, "epoch": 0}
        self.log: list[dict[str, Any]] = []
        self.seconds = 0.0

    def _check_folder(self) -> None:
        """Nothing that is there already is overwritten, but for a run that was interrupted."""
        if not self.run_folder.is_dir():
            for name in model_files.NAMES:
                if (self.folder / name).exists():
                    raise CallError(
                        f"{self.folder} holds a {name} that no run of training left there; "
                        "name another folder"
                    )
        config = self.folder / model_files.CONFIG
        if config.is_file():
            record = model_files.read_json(config).get("record")
            if isinstance(record, dict) and record.get("finished"):
                raise CallError(
                    f"{self.folder} holds a finished model; name another folder, or remove it"
                )
        if self.processes.is_first:
            # Whether it can be made is tried now, not after an epoch.
            missing = [p for p in (self.run_folder, *self.run_folder.parents) if not p.exists()]
            self._make_folder()
            for path in missing:
                path.rmdir()

    def _make_folder(self) -> None:
        with cannot_write(str(self.folder)):
            self.run_folder.mkdir(parents=True, exist_ok=True)

    def _read(self, device: torch.device) -> None:
        """Treebanks, network, examples."""
        configuration = self.configuration
        prepared = prepare(configuration, device)
        dev = read_treebank(configuration.data.dev)
        self.files = {"train": prepared.files, "dev": [facts.to_json() for facts in dev.files]}
        self.network, self.lessons = prepared.network, prepared.lessons
        encoder = self.network.encoder
        self.network.half_precision = device.type == "cuda" and isinstance(
            encoder, PretrainedEncoder
        )
        self.model = Model(
            self.network,
            prepared.outcomes,
            configuration.parser,
            lemmatiser=prepared.lemmatiser,
        )
        self.parser = Parser(self.model)
        self.dev_sentences = dev.sentences
        self.dev = Scored(dev.sentences, encoder)
        learnt = sum(p.numel() for p in self.network.parameters() if p.requires_grad)
        self.watcher.said(
            f"{prepared.summary}, and {len(dev.sentences):,} to choose by; "
            f"{len(prepared.outcomes.labels)} labels; "
            f"{learnt / 1e6:.1f}M parameters to learn on {device.type}"
        )

    def resume(self) -> None:
        """Go on from the last checkpoint, if there is one."""
        progress = checkpoint.progress_to_resume(self.run_folder, self._fingerprint())
        if progress is None:
            return
        checkpoint.load_checkpoint(self.run_folder, self.network, self.optimizer)
        for key in _PROGRESS:
            setattr(self, key, progress[key])
        self.watcher.said(f"going on after epoch {self.epoch}, step {self.step:,}")

    def train(self) -> None:
        """All epochs."""
        settings = self.settings
        self._make_folder()
        network = self.processes.wrap(self.network)
        while self.epoch < settings.epochs and not self._is_stuck():
            batches = epoch_batches(
                self.lessons.costs, self.lessons.weights, settings.batch, settings.seed, self.epoch
            )
            began = saved = time.monotonic()
            loss = torch.tensor(self.loss, dtype=torch.float64, device=self.network.device)
            while self.batch < len(batches):
                done = (self.epoch + self.batch / len(batches)) / settings.epochs
                loss += self._step(network, batches[self.batch], done)
                self.batch += 1
                self.step += 1
                if self.step % 10 == 0:
                    self.watcher.stepped(self.epoch + 1, done, float(loss) / self.batch)
                if time.monotonic() - saved >= 60 * settings.checkpoint_minutes:
                    self.loss = float(loss)
                    self._checkpoint()
                    saved = time.monotonic()
            self.epoch, self.batch, self.loss = self.epoch + 1, 0, 0.0
            self._score(float(loss) / max(len(batches), 1), began)

    def _step(self, network: nn.Module, batch: list[int], done: float) -> Tensor:
        """One step of the optimiser; the loss a word."""
        seeds = [self.settings.seed, self.step, self.processes.rank]
        torch.manual_seed(int(np.random.SeedSequence(seeds).generate_state(1)[0]))
        for group in self.optimizer.param_groups:
            group["lr"] = group["full_rate"] * rate_at(done, self.settings.warmup)
        words = sum(self.lessons.sizes[number] for number in batch)
        mine = self.processes.share(batch)
        self.network.train()
        losses = network(self.lessons.batch(mine or batch[:1]))
        tag_weight = self.configuration.tags.weight
        trees = [losses.pop(name) for name in ("arcs", "labels", "marks") if name in losses]
        loss: Tensor = (torch.stack(trees).sum() + tag_weight * sum(losses.values())) / words
        # The processes' gradients are averaged, but their losses are shares of one sum.
        loss = loss * bool(mine)
        torch.autograd.backward(loss * self.processes.count)
        if self.settings.clip:
            nn.utils.clip_grad_norm_(self.network.parameters(), self.settings.clip)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss.detach()

    def _is_stuck(self) -> bool:
        patience = self.settings.patience
        return bool(patience) and self.epoch - self.best["epoch"] >= patience

    def _score(self, loss: float, began: float) -> None:
        """Score dev; keep the model if it is the best so far; write everything down."""
        las = uas = 0.0
        if self.processes.is_first:
            attachment = self.dev.attachment(self.parser, self.network)
            las, uas = attachment.las, attachment.uas
        las, uas, loss = (self.processes.total(value) for value in (las, uas, loss))
        self.seconds += time.monotonic() - began
        is_best = las > self.best["las"]
        if is_best:
            self.best = {"las": las, "epoch": self.epoch}
        record = {
            "epoch": self.epoch,
            "step": self.step,
            "loss": loss if math.isfinite(loss) else None,
            "uas": uas,
            "las": las,
            "best": is_best,
            "seconds": round(self.seconds, 3),
        }
        self.log.append(record)
        if self.processes.is_first:
            if is_best:
                self._described({}).save(self.folder)
            self._checkpoint()
            self._write(LOG, "".join(json.dumps(line) + "\n" for line in self.log))
            self._write(CURVES, draw_curves(self.log))
            self.watcher.scored(record)
        self.processes.wait()
        if not math.isfinite(loss):
            raise ArctreeError(
                f"the loss is no longer a number in epoch {self.epoch}; lower training.rate, "
                "and begin in another folder"
            )

    def _checkpoint(self) -> None:
        if self.processes.is_first:
            progress = {key: getattr(self, key) for key in _PROGRESS}
            progress["fingerprint"] = self._fingerprint()
            checkpoint.save_checkpoint(self.run_folder, self.network, self.optimizer, progress)

    def _fingerprint(self) -> str:
        """What must be the same for a run to go on, as text."""
        configuration = self.configuration.to_json()
        for key in ("device", "checkpoint_minutes"):
            del configuration["training"][key]
        files = {name: [facts["sha256"] for facts in some] for name, some in self.files.items()}
        return json.dumps([configuration, files, self.processes.count], sort_keys=True)

    def _described(self, more: Mapping[str, Any]) -> Model:
        """The model with what is known of it so far."""
        record = {
            "configuration": self.configuration.to_json(),
            "files": self.files,
            "best_epoch": self.best["epoch"],
            "seconds": round(self.seconds, 1),
            "processes": self.processes.count,
            **more,
        }
        return replace(self.model, record=record)

    def finish(self) -> None:
        """Take the best model, calibrate it, score it, describe it; a segmenter goes with it."""
        best = Model.load(self.folder, self.network.device)
        self.network.load_state_dict(best.network.state_dict())
        self.watcher.said(f"the best epoch was {self.best['epoch']}; calibrating and scoring it")
        more = {}
        if self.configuration.segmenter.train and self.configuration.data.train:
            more["segmenter"] = train_segmenter(self.configuration, self.folder, self.watcher)
        finish(self._described(more), self.dev_sentences, self.folder, self.run_folder)
        checkpoint.remove_checkpoints(self.run_folder)

    def _write(self, name: str, text: str) -> None:
        with open_output(str(self.run_folder / name)) as stream:
            stream.write(text.encode("utf-8"))


# What a checkpoint remembers of a run beside weights and moments.
_PROGRESS = ("epoch", "batch", "step", "loss", "best", "log", "seconds")
