"""A model: the network, what its answers mean, and how it is kept in a directory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from arctree.errors import CallError, DataError
from arctree.network.actions import ActionScorer
from arctree.network.encoder import Encoder
from arctree.network.exported import exported_weights
from arctree.network.inference import analyse, score
from arctree.network.linearised import SymbolScorer
from arctree.network.network import Network
from arctree.network.pretrained import PretrainedEncoder
from arctree.network.scratch import ScratchEncoder, ScratchVocabularies
from arctree.network.threads import BOUNDED
from arctree.parsing import model_files
from arctree.parsing.answers import (
    Analysis,
    Outcomes,
    outcomes_from_json,
    outcomes_to_json,
    texts,
)
from arctree.parsing.confidence import Confidence
from arctree.parsing.lemmatiser import Lemmatiser, lemmas_text, read_lemmatiser
from arctree.parsing.settings import ParserSettings, Pretrained, read_encoder
from arctree.parsing.vocabulary import Vocabulary

# Words in a window: enough for batches of similar length, few enough to forget.
_WINDOW = {"cpu": 16_384, "cuda": 262_144}


@dataclass(frozen=True)
class Model:
    """A network with its settings. ``record`` tells how it was trained; only people read it.

    ``threads`` bounds the CPU's while it analyses, and not what comes after.
    """

    network: Network
    outcomes: Outcomes
    parser: ParserSettings
    confidence: Confidence = field(default_factory=Confidence)
    lemmatiser: Lemmatiser | None = None
    record: Mapping[str, Any] = field(default_factory=dict)
    threads: int | None = None

    def save(self, folder: Path) -> None:
        """Write the model directory."""
        encoder = self.network.encoder
        vocabularies = outcomes_to_json(self.outcomes)
        texts = {}
        if isinstance(encoder, PretrainedEncoder):
            texts[model_files.ENCODER], texts[model_files.TOKENIZER] = encoder.files()
        else:
            assert isinstance(encoder, ScratchEncoder)
            for name in _SCRATCH_VOCABULARIES:
                vocabularies[name] = getattr(encoder.vocabularies, name).values
        if self.lemmatiser is not None:
            texts[model_files.LEMMAS] = lemmas_text(self.lemmatiser)
        texts[model_files.VOCABULARIES] = json.dumps(vocabularies, ensure_ascii=False) + "\n"
        config = {
            "encoder": asdict(encoder.settings),
            "static_width": getattr(encoder, "static_width", 0),
            "parser": asdict(self.parser),
            "confidence": asdict(self.confidence),
            "record": self.record,
        }
        weights = {
            name: tensor.detach().cpu().contiguous()
            for name, tensor in self.network.state_dict().items()
        }

        def write_weights(path: Path) -> None:
            try:
                save_file(weights, path)
            except SafetensorError as error:
                raise OSError(f"the weights: {error}") from error

        model_files.write_model(folder, config, texts, {model_files.WEIGHTS: write_weights})

    @classmethod
    def load(cls, folder: Path, device: torch.device, threads: int | None = None) -> Model:
        """Read a model directory; every file is checked first."""
        config = model_files.read_config(folder)
        path = folder / model_files.VOCABULARIES
        vocabularies = model_files.read_json(path)
        try:
            outcomes = outcomes_from_json(vocabularies)
            parser = ParserSettings.read(config["parser"])
            confidence = Confidence.read(config["confidence"])
            network = Network(_encoder(folder, config, vocabularies), parser, outcomes)
        except DataError as error:
            raise error.at(file=str(folder)) from error
        except Exception as error:  # whatever settings that nobody checked make of torch
            raise DataError(
                f"the model's settings are damaged: {error!r}", "fetch it again", file=str(folder)
            ) from error
        _load_weights(network, folder)
        record = config.get("record", {})
        lemmatiser = read_lemmatiser(folder, config)
        network = network.to(device).eval()
        return cls(network, outcomes, parser, confidence, lemmatiser, record, threads)

    def with_beam(self, beam: int) -> Model:
        """The same model searching with another beam; one of 1 is greedy.

        Both have the network in common, so this one searches with that beam from now on, too.
        """
        parser = replace(self.parser, beam=beam)
        arcs = self.network.arcs
        if not isinstance(arcs, ActionScorer | SymbolScorer):
            raise CallError(f"a beam, but the parser is of kind {self.parser.kind}; leave it out")
        arcs.beam = parser.beam
        return replace(self, parser=parser)

    @property
    def window(self) -> int:
        """How many words are best analysed at once."""
        return _WINDOW.get(self.network.device.type, _WINDOW["cpu"])

    def analyse(self, sentences: Sequence[Sequence[str]]) -> list[Analysis]:
        """The analyses of sentences, given as their words."""
        prepared = self.network.encoder.prepare(sentences)
        with BOUNDED.at_most(self.threads):
            return analyse(self.network, prepared, [len(words) for words in sentences])

    def score(
        self, sentences: Sequence[Sequence[str]], transitions: Sequence[Sequence[int]]
    ) -> list[np.ndarray[Any, Any]] | None:
        """The probabilities of the three transitions in each configuration along given ones."""
        prepared = self.network.encoder.prepare(sentences)
        with BOUNDED.at_most(self.threads):
            return score(self.network, prepared, transitions)


def device_named(name: str) -> torch.device:
    """The device of this name; ``auto`` is a GPU if there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name == "cuda" and not torch.cuda.is_available():
        raise CallError("CUDA was asked for, but torch finds no GPU here; use the device cpu")
    return torch.device(name)


_SCRATCH_VOCABULARIES = ("words", "characters", "static")


def _encoder(folder: Path, config: Mapping[str, Any], vocabularies: Mapping[str, Any]) -> Encoder:
    settings = read_encoder(config["encoder"])
    if isinstance(settings, Pretrained):
        return PretrainedEncoder.from_files(
            (folder / model_files.ENCODER).read_text("utf-8"),
            (folder / model_files.TOKENIZER).read_text("utf-8"),
            settings,
        )
    known = ScratchVocabularies(
        *(Vocabulary(texts(vocabularies, name), unknown=0) for name in _SCRATCH_VOCABULARIES)
    )
    return ScratchEncoder(settings, known, int(config["static_width"]))


def _load_weights(network: Network, folder: Path) -> None:
    path = folder / model_files.WEIGHTS
    try:
        weights = load_file(path) if path.is_file() else exported_weights(folder)
        network.load_state_dict(weights)
        for name, tensor in weights.items():
            if not tensor.isfinite().all():
                raise RuntimeError(f"{name} is not finite")
    except (SafetensorError, RuntimeError, OSError, KeyError, ValueError, TypeError) as error:
        said = " ".join(line.strip() for line in str(error).splitlines()[:2])
        raise DataError(
            f"the weights do not fit the model: {said}",
            "fetch the model again",
            file=str(path),
        ) from error
