"""The end of a run: the best model is calibrated, scored on dev and test, and described."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from arctree import conllu
from arctree.evaluation import evaluate
from arctree.files import open_output
from arctree.network.model import Model
from arctree.parser import Parser
from arctree.parsing.batches import by_cost
from arctree.parsing.confidence import Confidence
from arctree.parsing.model_files import CARD
from arctree.parsing.settings import Configuration
from arctree.sentence import Sentence
from arctree.training.calibration import calibration_error, fit_temperatures, reliability
from arctree.training.card import model_card
from arctree.training.corpus import examples_of, read_treebank, trees_to_learn
from arctree.training.hardware import processor
from arctree.training.scoring import Scored

_CALIBRATED_AT_ONCE = 4096
# Scores that tell of columns beside the tree: they are a model's only if it fills those.
_COLUMNS_SCORED = {
    "UPOS": {"upos"},
    "XPOS": {"xpos"},
    "UFeats": {"feats"},
    "AllTags": {"upos", "xpos", "feats"},
    "Lemmas": {"lemmas"},
    "MLAS": {"upos", "feats"},
    "BLEX": {"lemmas"},
}


def finish(model: Model, dev: Sequence[Sentence], folder: Path, run_folder: Path) -> None:
    """Write the finished model and its card, and beside the log what it parses.

    The test files, if any are configured, are looked at here for the first time.
    """
    configuration = Configuration.read(model.record["configuration"])
    model = _calibrated(model, dev, configuration)
    record: dict[str, Any] = {**model.record, "scores": {}, "files": {**model.record["files"]}}
    record["calibration"] = {}
    splits = {"dev": dev}
    if configuration.data.test:
        test = read_treebank(configuration.data.test)
        splits["test"] = test.sentences
        record["files"]["test"] = [facts.to_json() for facts in test.files]
    parser = Parser(model)
    for name, gold in splits.items():
        parsed = list(parser.parse(gold))
        conllu.write((found.sentence for found in parsed), str(run_folder / f"{name}.conllu"))
        scores = evaluate(gold, [found.sentence for found in parsed]).scores
        record["scores"][name] = {
            key: round(score.f1, 6)
            for key, score in scores.items()
            if _COLUMNS_SCORED.get(key, set()) <= _columns(model)
        }
        correct = [
            (was, label) == (now, found_label)
            for sentence, found in zip(gold, parsed, strict=True)
            for was, label, now, found_label in zip(
                sentence.heads or (),
                sentence.deprels,
                found.sentence.heads or (),
                found.sentence.deprels,
                strict=True,
            )
        ]
        confidences = np.concatenate([found.confidences for found in parsed])
        bins = reliability(confidences, np.array(correct))
        record["calibration"][name] = {
            "error": round(calibration_error(bins), 6),
            "bins": [[found.arcs, *(round(value, 4) for value in found[1:])] for found in bins],
        }
    record["hardware"] = _hardware(model.network.device)
    record["finished"] = True
    with open_output(str(folder / CARD)) as stream:
        stream.write(model_card(record, model).encode("utf-8"))
    # Last, since it says that the run is over.
    replace(model, record=record).save(folder)


def _columns(model: Model) -> set[str]:
    """The columns beside the tree that a model fills."""
    return {*model.outcomes.tags, *(["lemmas"] if model.lemmatiser else [])}


def _calibrated(model: Model, dev: Sequence[Sentence], configuration: Configuration) -> Model:
    """The model, as sure of its answers as dev says it should be."""
    network = model.network.eval()
    examples = examples_of(
        dev,
        trees_to_learn(dev, configuration),
        model.outcomes,
        network.encoder,
        configuration.parser.kind,
    )
    batches = by_cost([example.prepared.cost for example in examples], _CALIBRATED_AT_ONCE)
    fit_temperatures(network, examples, batches)
    found = Scored(dev, network.encoder).attachment(Parser(model), network)
    return replace(model, confidence=Confidence.fitted(found.probabilities, found.arcs))


def _hardware(device: torch.device) -> str:
    """What the run was made on, in words."""
    software = f"torch {torch.__version__}, Python {platform.python_version()}"
    if device.type == "cuda":
        return f"{torch.cuda.get_device_name(device)}, {software}"
    return f"{processor()}, {torch.get_num_threads()} threads, {software}"
