"""Training a segmenter: epochs over paragraphs of text; dev chooses the best.

Like the parser's (:mod:`arctree.training.loop`), a run can be killed and started again: it
goes on after the last epoch that it ended, and on a CPU ends with the same weights.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from safetensors.torch import load_file, save, save_file
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from arctree.errors import ArctreeError
from arctree.evaluation import evaluate
from arctree.files import cannot_write, open_output
from arctree.network.model import device_named
from arctree.network.segmenter import CHARACTER_CLASSES, SegmenterNetwork
from arctree.network.segmenter_graph import to_onnx
from arctree.parsing import model_files
from arctree.parsing.characters import Alphabet, Reading
from arctree.parsing.raw_text import PARAGRAPH_BREAK, RawText, in_paragraphs, raw_text
from arctree.parsing.segmentation import SENTENCE, Labels, Scores
from arctree.parsing.settings import Configuration
from arctree.segmenter import Answer, Knowledge, Segmenter
from arctree.segments import Token, to_sentence
from arctree.sentence import Sentence
from arctree.training import checkpoint
from arctree.training.building import rate_at
from arctree.training.card import with_segmenter
from arctree.training.corpus import content_hash
from arctree.training.paragraphs import (
    epoch_paragraphs,
    has_inner_spaces,
    multiword_tokens,
    read_sentences,
    source_of,
)
from arctree.training.varying import Labelled

RUN_FOLDER = Path("training") / "segmenter"
RECORD = "record.json"
WARMUP, CLIP, DECAY = 0.05, 1.0, 0.01
# What the score of a sentence's end may be asked to exceed; dev chooses.
THRESHOLDS = (0.0, -0.5, 0.5, -1.0, 1.0, -1.5, 1.5, -2.0)
SHOWN = ("Tokens", "Words", "Sentences")
# Of a character that is not there: padding and white space.
_NONE = -1


class Listener(Protocol):
    """Whoever wants to know how the run is going."""

    def said(self, message: str) -> None:
        """Something a person may want to know."""


def train_segmenter(
    configuration: Configuration, folder: Path, listener: Listener
) -> dict[str, Any]:
    """Train a segmenter into a folder; what a model card can tell of it."""
    run = _Run(configuration, folder, listener)
    if (record := run.finished()) is None:
        run.resume()
        run.train()
        record = run.finish()
    return record


def add_segmenter(configuration: Configuration, folder: Path, listener: Listener) -> dict[str, Any]:
    """Train a segmenter into a folder; if that holds a model, it then lists the segmenter."""
    record = train_segmenter(configuration, folder, listener)
    if (folder / model_files.CONFIG).is_file():
        model_files.list_segmenter(folder, record)
        card = folder / model_files.CARD
        told = card.read_text("utf-8") if card.is_file() else ""
        with open_output(str(card)) as stream:
            stream.write(with_segmenter(told, record).encode("utf-8"))
    return record


class _Run:
    """A run: what it trains, on what, and how far it has come."""

    def __init__(self, configuration: Configuration, folder: Path, listener: Listener) -> None:
        self.configuration = configuration
        self.settings = configuration.segmenter
        self.seed = configuration.training.seed
        self.device = device_named(configuration.training.device)
        self.folder = folder
        self.run_folder = folder / RUN_FOLDER
        self.listener = listener
        data = configuration.data
        files = [read_sentences(path) for path in data.train]
        weights = data.weights or (1.0,) * len(files)
        self.sources = list(map(source_of, files, weights))
        self.dev = _Gold.read(data.dev)
        alphabet = Alphabet.of(text for source in self.sources for text in source.texts)
        torch.manual_seed(self.seed)
        self.network = SegmenterNetwork(self.settings, alphabet).to(self.device)
        # The mean of the weights over about the last epoch is steadier than the last weights,
        # so that is what is scored and kept.
        self.mean = deepcopy(self.network).requires_grad_(False)
        self.both = nn.ModuleDict({"network": self.network, "mean": self.mean})
        self.knowledge = Knowledge(
            alphabet,
            multiword_tokens(chain.from_iterable(files)),
            self.network.padding,
            has_inner_spaces(chain.from_iterable(files)),
        )
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), lr=self.settings.rate, betas=(0.9, 0.99), weight_decay=DECAY
        )
        self.epoch = self.step = 0
        self.best: dict[str, Any] = {
            "epoch": 0,
            "score": -1.0,
            "words": -1.0,
            "threshold": 0.0,
        }
        self.seconds = 0.0
        self.parameters = sum(p.numel() for p in self.network.parameters())
        self.listener.said(
            f"a segmenter of {self.parameters / 1e6:.2f}M parameters, which knows "
            f"{len(alphabet.characters):,} characters and {len(alphabet.words):,} words"
        )

    def finished(self) -> dict[str, Any] | None:
        """What is known of the segmenter, if this very run has ended before."""
        path = self.run_folder / RECORD
        if not path.is_file() or not (self.folder / model_files.SEGMENTER_GRAPH).is_file():
            return None
        form = model_files.read_json(path)
        return dict(form["record"]) if form["fingerprint"] == self._fingerprint() else None

    def resume(self) -> None:
        """Go on after the last epoch that ended, if there is one."""
        progress = checkpoint.progress_to_resume(self.run_folder, self._fingerprint())
        if progress is None:
            return
        checkpoint.load_checkpoint(self.run_folder, self.both, self.optimizer)
        for key in _PROGRESS:
            setattr(self, key, progress[key])
        self.listener.said(f"segmenter: going on after epoch {self.epoch}")

    def train(self) -> None:
        """All epochs."""
        self._make_folder()
        settings = self.settings
        while self.epoch < settings.epochs:
            began = time.monotonic()
            paragraphs = epoch_paragraphs(self.sources, settings.variation, self.seed, self.epoch)
            batches = list(_batches(paragraphs, settings.batch))
            losses = []
            for number, batch in enumerate(batches):
                done = (self.epoch + number / len(batches)) / settings.epochs
                losses.append(self._step(batch, done))
                self._average(1 / min(self.step, len(batches)))
            self.epoch += 1
            self._score(float(torch.stack(losses).mean()), began)

    def _step(self, paragraphs: Sequence[Labelled], done: float) -> Tensor:
        """One step of the optimiser; the loss a symbol."""
        seeds = [self.seed, self.step]
        torch.manual_seed(int(np.random.SeedSequence(seeds).generate_state(1)[0]))
        for group in self.optimizer.param_groups:
            group["lr"] = self.settings.rate * max(rate_at(done, WARMUP), 1e-3)
        self.network.train()
        loss = _loss(self.network, *_example(paragraphs, self.knowledge, self.device))
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(self.network.parameters(), CLIP)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.step += 1
        return loss.detach()

    def _average(self, share: float) -> None:
        """Let the present weights have this share in the mean."""
        pairs = zip(self.mean.parameters(), self.network.parameters(), strict=True)
        with torch.no_grad():
            for mean, weights in pairs:
                mean.lerp_(weights, share)

    def _score(self, loss: float, began: float) -> None:
        """Score dev; keep the weights if they are the best so far; write everything down."""
        if not math.isfinite(loss):
            raise ArctreeError(
                f"the segmenter's loss is no longer a number in epoch {self.epoch}; lower "
                "segmenter.rate"
            )
        scores, threshold = self._dev_scores()
        score = scores["Words"] * scores["Sentences"]
        # While no sentence is right yet, words decide.
        is_best = (score, scores["Words"]) > (self.best["score"], self.best["words"])
        if is_best:
            self.best = {
                "epoch": self.epoch,
                "score": score,
                "words": scores["Words"],
                "threshold": threshold,
            }
            save_file(_at_home(self.mean), self.run_folder / model_files.SEGMENTER_WEIGHTS)
        self.seconds += time.monotonic() - began
        progress = {key: getattr(self, key) for key in _PROGRESS}
        progress["fingerprint"] = self._fingerprint()
        checkpoint.save_checkpoint(self.run_folder, self.both, self.optimizer, progress)
        told = "  ".join(f"{name} {100 * scores[name]:.2f}" for name in SHOWN)
        self.listener.said(
            f"segmenter: epoch {self.epoch}/{self.settings.epochs}  loss {loss:.4f}  dev {told}"
            + ("  best so far" if is_best else "")
        )

    def _make_folder(self) -> None:
        with cannot_write(str(self.folder)):
            self.run_folder.mkdir(parents=True, exist_ok=True)

    def _dev_scores(self) -> tuple[dict[str, float], float]:
        """The scores under the best threshold, and that one."""
        remembered = _Remembered(answer_of(self.mean))
        found = []
        for threshold in THRESHOLDS:
            knowledge = replace(self.knowledge, threshold=threshold)
            remembered.place = 0
            found.append((self.dev.scores(Segmenter(knowledge, remembered)), threshold))
        return max(found, key=lambda pair: pair[0]["Sentences"])

    def _fingerprint(self) -> str:
        """What must be the same for a run to go on, as text."""
        data = self.configuration.data
        files = [content_hash(path) for path in (*data.train, *data.dev)]
        settings = self.configuration.to_json()["segmenter"]
        return json.dumps([settings, self.seed, data.weights, files], sort_keys=True)

    def finish(self) -> dict[str, Any]:
        """Take the best weights, score them, write them in every form; what is known of them."""
        path = self.run_folder / model_files.SEGMENTER_WEIGHTS
        self.mean.load_state_dict(load_file(path))
        knowledge = replace(self.knowledge, threshold=self.best["threshold"])
        write_segmenter(self.folder, knowledge, self.mean)
        segmenter = Segmenter.load(self.folder)
        splits = {"dev": self.dev}
        if self.configuration.data.test:
            splits["test"] = _Gold.read(self.configuration.data.test)
        record = {
            "best_epoch": self.best["epoch"],
            "seconds": round(self.seconds, 1),
            "parameters": self.parameters,
            "scores": {
                name: {key: round(value, 6) for key, value in gold.scores(segmenter).items()}
                for name, gold in splits.items()
            },
        }
        with open_output(str(self.run_folder / RECORD)) as stream:
            form = {"fingerprint": self._fingerprint(), "record": record}
            stream.write((json.dumps(form, indent=1) + "\n").encode("utf-8"))
        checkpoint.remove_checkpoints(self.run_folder)
        path.unlink()
        return record


# What a checkpoint remembers of a run beside weights and moments.
_PROGRESS = ("epoch", "step", "best", "seconds")


def write_segmenter(folder: Path, knowledge: Knowledge, network: SegmenterNetwork) -> None:
    """Write a segmenter's files; each is there whole or not at all."""
    described = json.dumps(knowledge.to_json(), ensure_ascii=False) + "\n"
    contents = {
        model_files.SEGMENTER_WEIGHTS: save(_at_home(network)),
        model_files.SEGMENTER_GRAPH: to_onnx(network),
        model_files.SEGMENTER: described.encode("utf-8"),
    }
    for name, content in contents.items():
        with open_output(str(folder / name)) as stream:
            stream.write(content)


def answer_of(network: SegmenterNetwork) -> Answer:
    """The network as a segmenter asks it."""
    device = network.categories.device

    def answer(reading: Reading) -> tuple[Scores, Scores]:
        network.eval()
        with torch.no_grad():
            scored = network(*_tensors(reading, device))
        return scored.characters.cpu().numpy(), scored.units.cpu().numpy()

    return answer


class _Remembered:
    """Answers that are asked for again and again, in the same order."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.answers: list[tuple[Scores, Scores]] = []
        self.place = 0

    def __call__(self, reading: Reading) -> tuple[Scores, Scores]:
        if self.place == len(self.answers):
            self.answers.append(self.answer(reading))
        characters, units = self.answers[self.place]
        self.place += 1
        return characters.copy(), units


class _Gold:
    """What is to be found in a text."""

    def __init__(self, gold: RawText) -> None:
        self.text = gold.text
        self.sentences = _blind(gold.text, gold.sentences)

    @classmethod
    def read(cls, paths: Sequence[str]) -> _Gold:
        """The text of files, each of which begins a paragraph."""
        return cls(
            raw_text(
                paragraph for path in paths for paragraph in in_paragraphs(read_sentences(path))
            )
        )

    def scores(self, segmenter: Segmenter) -> dict[str, float]:
        found = _blind(self.text, segmenter.segment(self.text))
        scores = evaluate(self.sentences, found).scores
        return {name: scores[name].f1 for name in SHOWN}


def _blind(text: str, sentences: Any) -> list[Sentence]:
    def one(tokens: Sequence[Token]) -> Sentence:
        return to_sentence(text, tokens, begin=tokens[0].start, end=tokens[-1].end)

    return [one(tokens) for tokens in sentences]


def _batches(paragraphs: Sequence[Labelled], size: int) -> Iterator[list[Labelled]]:
    batch: list[Labelled] = []
    for paragraph in paragraphs:
        batch.append(paragraph)
        if sum(len(some.text) for some in batch) >= size:
            yield batch
            batch = []
    if batch:
        yield batch


def _example(
    paragraphs: Sequence[Labelled], knowledge: Knowledge, device: torch.device
) -> tuple[list[Tensor], Tensor]:
    """What the network reads, and the label of each symbol."""
    text = PARAGRAPH_BREAK.join(paragraph.text for paragraph in paragraphs)
    between = np.zeros(len(PARAGRAPH_BREAK), np.uint8)
    pieces: list[Labels] = []
    for paragraph in paragraphs:
        pieces += [paragraph.labels, between]
    labels = np.concatenate(pieces).astype(np.int64)
    reading = knowledge.alphabet.read(text, knowledge.padding)
    targets = np.where(reading.places >= 0, labels[reading.places], _NONE)
    return _tensors(reading, device), torch.from_numpy(targets).to(device)


def _tensors(reading: Reading, device: torch.device) -> list[Tensor]:
    arrays = (reading.symbols, reading.first, reading.last, reading.words)
    return [torch.from_numpy(array).to(device) for array in arrays]


def _loss(network: SegmenterNetwork, inputs: list[Tensor], labels: Tensor) -> Tensor:
    scored = network(*inputs)
    last = inputs[2]
    characters = scored.characters.index_add(0, last, scored.units[:, :CHARACTER_CLASSES])
    real = labels != _NONE
    tokens = cross_entropy(characters[real], labels[real] & ~SENTENCE, reduction="sum")
    units = labels[last]
    real = units != _NONE
    sentences = binary_cross_entropy_with_logits(
        scored.units[real, CHARACTER_CLASSES],
        ((units[real] & SENTENCE) > 0).float(),
        reduction="sum",
    )
    loss: Tensor = (tokens + sentences) / len(labels)
    return loss


def _at_home(network: nn.Module) -> dict[str, Tensor]:
    return {
        name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()
    }
