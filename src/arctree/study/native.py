"""The native systems: networks of our own, on one encoder, with one labeller.

They differ in how the unlabelled tree is found: by the mapped transitions, by in-order ones, as
a linearised tree, or, as the baseline, by a maximum spanning tree over scored arcs. The first
three should not answer with anything but an ordered tree; answers that are none are counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arctree.dependency import DependencyTree, check_heads, is_projective
from arctree.errors import DataError
from arctree.parser import Parser, missing_torch
from arctree.parsing.answers import Analysis
from arctree.parsing.model_files import CONFIG, read_json
from arctree.parsing.settings import Configuration
from arctree.parsing.systems import SYSTEMS
from arctree.sentence import Sentence
from arctree.study.system import Outputs, Parse, Trained


@dataclass(frozen=True)
class NativeSystem:
    """A system of :mod:`arctree.network`; with a ``beam``, if not the one of its models."""

    configuration: Configuration
    beam: int | None = None

    @property
    def kind(self) -> str:
        return self.configuration.parser.kind

    def check(self, folder: Path) -> None:
        """Raise an error if torch is not here, or not the device."""
        try:
            from arctree.network.model import device_named
        except ImportError as error:
            raise missing_torch(error) from error
        device_named(self.configuration.training.device)

    def train(self, folder: Path, say: Callable[[str], None]) -> Trained:
        """Train into the folder, unless that is done already."""
        if finished_record(folder) is None:
            try:
                from arctree.training.loop import train
            except ImportError as error:
                raise missing_torch(error) from error
            train(self.configuration, folder, _Teller(say, self.configuration.training.epochs))
        trained = self.trained(folder)
        assert trained is not None
        return trained

    def trained(self, folder: Path) -> Trained | None:
        """What the training of a finished model took; one of another kind is refused."""
        record = finished_record(folder)
        if record is None:
            return None
        try:
            from arctree.network.model import Model, device_named
        except ImportError as error:
            raise missing_torch(error) from error
        found = record["configuration"]["parser"]["kind"]
        if found != self.kind:
            raise DataError(
                f"the model is {found}, not {self.kind}", "name another one", file=str(folder)
            )
        network = Model.load(folder, device_named("cpu")).network
        learnt = sum(weights.numel() for weights in network.parameters() if weights.requires_grad)
        return Trained(learnt, float(record["seconds"]))

    def load(self, folder: Path) -> Parse:
        """The parser in the folder."""
        device = self.configuration.training.device
        parser = _Counting.load(folder, device=device, beam=self.beam)
        system = SYSTEMS.get(self.kind)
        # Every derivation of a sentence is as long as any other.
        steps_per_word = system.machine.steps_per_word if system else 0

        def parse(sentences: Sequence[Sentence]) -> Outputs:
            before = parser.ill_formed
            parsed = list(parser.parse(sentences))
            return Outputs(
                tuple(found.sentence for found in parsed),
                steps=steps_per_word * sum(map(len, sentences)),
                ill_formed=parser.ill_formed - before if system else 0,
                derivations=tuple(found.transitions for found in parsed)
                if self.kind == "mapped"
                else (),
            )

        return parse


class _Counting(Parser):
    """A parser that counts the trees that it built and that are no ordered trees."""

    ill_formed = 0

    def tree_of(self, words: Sequence[str], analysis: Analysis) -> DependencyTree:
        self.ill_formed += not _is_ordered(analysis.heads.tolist())
        return super().tree_of(words, analysis)


def _is_ordered(heads: Sequence[int]) -> bool:
    """Whether the arcs are those of an ordered tree: one root, no cycle, no crossing."""
    try:
        check_heads(heads)
    except DataError:
        return False
    return is_projective(heads)


def finished_record(folder: Path) -> Mapping[str, Any] | None:
    """What a model directory says of its training, if that has come to its end."""
    if not (folder / CONFIG).is_file():
        return None
    record = read_json(folder / CONFIG).get("record")
    return record if isinstance(record, dict) and record.get("finished") else None


class _Teller:
    """Tells of a training run in lines."""

    def __init__(self, say: Callable[[str], None], epochs: int) -> None:
        self.say = say
        self.epochs = epochs

    def said(self, message: str) -> None:
        self.say(message)

    def stepped(self, epoch: int, done: float, loss: float) -> None:
        """A line for each epoch is enough."""

    def scored(self, record: Mapping[str, Any]) -> None:
        took = time.strftime("%H:%M:%S", time.gmtime(record["seconds"]))
        self.say(
            f"epoch {record['epoch']}/{self.epochs}  dev UAS {100 * record['uas']:.2f} "
            f"LAS {100 * record['las']:.2f}  {took}{'  best so far' if record['best'] else ''}"
        )
