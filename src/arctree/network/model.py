"""A model: the network, what its answers mean, and how it is kept in a directory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from arctree.errors import CallError, DataError
from arctree.network.encoder import Encoder
from arctree.network.network import ArcValues, Network, Outcomes
from arctree.network.pretrained import PretrainedEncoder
from arctree.network.scratch import ScratchEncoder, ScratchVocabularies
from arctree.parsing import model_files
from arctree.parsing.confidence import Confidence
from arctree.parsing.settings import TAG_NAMES, ParserSettings, Pretrained, read_encoder
from arctree.parsing.vocabulary import Vocabulary


@dataclass(frozen=True)
class Model:
    """A network with its settings. ``record`` tells how it was trained; only people read it."""

    network: Network
    outcomes: Outcomes
    parser: ParserSettings
    confidence: Confidence = field(default_factory=Confidence)
    record: Mapping[str, Any] = field(default_factory=dict)

    def save(self, folder: Path) -> None:
        """Write the model directory."""
        encoder = self.network.encoder
        vocabularies: dict[str, Any] = {
            "labels": _to_json(self.outcomes.labels),
            "marks": _to_json(self.outcomes.marks),
            "tags": {name: values.values for name, values in self.outcomes.tags.items()},
        }
        texts = {}
        if isinstance(encoder, PretrainedEncoder):
            texts[model_files.ENCODER], texts[model_files.TOKENIZER] = encoder.files()
        else:
            assert isinstance(encoder, ScratchEncoder)
            for name in _SCRATCH_VOCABULARIES:
                vocabularies[name] = getattr(encoder.vocabularies, name).values
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

        model_files.write_model(folder, config, texts, write_weights)

    @classmethod
    def load(cls, folder: Path, device: torch.device) -> Model:
        """Read a model directory; every file is checked first."""
        config = model_files.read_config(folder)
        path = folder / model_files.VOCABULARIES
        vocabularies = model_files.read_json(path)
        try:
            outcomes = Outcomes(
                _arc_values(vocabularies["labels"]),
                _arc_values(vocabularies["marks"]),
                {
                    name: Vocabulary(_texts(vocabularies["tags"], name))
                    for name in vocabularies["tags"]
                },
            )
            if foreign := set(outcomes.tags) - set(TAG_NAMES):
                raise TypeError(f"no column {min(foreign)}")
            parser = ParserSettings.read(config["parser"])
            confidence = Confidence.read(config["confidence"])
            network = Network(_encoder(folder, config, vocabularies), parser, outcomes)
        except DataError as error:
            raise error.at(file=str(folder)) from error
        except Exception as error:  # whatever settings that nobody checked make of torch
            raise DataError(
                f"the model's settings are damaged: {error!r}", "fetch it again", file=str(folder)
            ) from error
        _load_weights(network, folder / model_files.WEIGHTS)
        record = config.get("record", {})
        return cls(network.to(device).eval(), outcomes, parser, confidence, record)


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
        *(Vocabulary(_texts(vocabularies, name), unknown=0) for name in _SCRATCH_VOCABULARIES)
    )
    return ScratchEncoder(settings, known, int(config["static_width"]))


def _load_weights(network: Network, path: Path) -> None:
    try:
        weights = load_file(path)
        network.load_state_dict(weights)
        for name, tensor in weights.items():
            if not tensor.isfinite().all():
                raise RuntimeError(f"{name} is not finite")
    except (SafetensorError, RuntimeError, OSError) as error:
        said = " ".join(line.strip() for line in str(error).splitlines()[:2])
        raise DataError(
            f"the weights do not fit the model: {said}",
            "fetch the model again",
            file=str(path),
        ) from error


def _to_json(found: ArcValues) -> dict[str, Any]:
    return {
        "values": found.values.values,
        "on_root": found.on_root,
        "on_others": found.on_others,
    }


def _arc_values(form: Mapping[str, Any]) -> ArcValues:
    values = _texts(form, "values")
    places = tuple(form["on_root"]), tuple(form["on_others"])
    for flags in places:
        if len(flags) != len(values) or not all(isinstance(flag, bool) for flag in flags):
            raise TypeError("where the labels may stand is not told for each")
        if not any(flags):
            raise TypeError("no label may stand on an arc")
    return ArcValues(Vocabulary(values), *places)


def _texts(values: Mapping[str, Any], key: str) -> Sequence[str]:
    found = values[key]
    if not isinstance(found, list) or not all(isinstance(value, str) for value in found):
        raise TypeError(f"{key} is not a list of texts")
    return found
