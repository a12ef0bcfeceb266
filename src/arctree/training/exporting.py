"""Exporting: a trained model as onnxruntime runs it, without torch, whole numbers if asked for."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from onnx import ModelProto
from safetensors.numpy import save_file

from arctree.errors import CallError
from arctree.network.model import Model
from arctree.network.pretrained import PretrainedEncoder
from arctree.parsing import model_files
from arctree.parsing.answers import outcomes_to_json
from arctree.parsing.lemmatiser import lemmas_text
from arctree.training.graphs import bert_graph, heads_graph
from arctree.training.quantising import find_ranges

# What the decoder needs of the network.
_DECODED = ("encoder.root", "arcs.absent", "arcs.classify.", "arcs.temperature")
_LABELLED = tuple(
    f"{part}.{name}"
    for part in ("labeller", "marker")
    for name in ("temperature", "classify.", "pairs")
)


def export(
    model: Model,
    folder: Path,
    sentences: Sequence[Sequence[str]] = (),
    segmenter: Path | None = None,
) -> None:
    """Write the model for onnxruntime; with sentences it is quantised to suit them.

    ``segmenter`` is the folder of one that goes along.
    """
    network, encoder = model.network, _exportable_encoder(model)
    weights = {name: tensor.detach().cpu().numpy() for name, tensor in network.state_dict().items()}
    ranges = find_ranges(network, sentences) if sentences else None
    text, tokenizer = encoder.files()
    config = without_folders(json.loads(text))
    graphs = {
        model_files.ENCODER_GRAPH: bert_graph(weights, config, ranges),
        model_files.HEADS_GRAPH: heads_graph(
            weights, model.parser.activation, list(model.outcomes.tags), ranges
        ),
    }
    if segmenter is not None:
        _copy_segmenter(segmenter, folder)
    decoded = {
        name: array for name, array in weights.items() if name.startswith((*_DECODED, *_LABELLED))
    }
    model_files.write_model(
        folder,
        _description(model, encoder),
        _texts(model, config, tokenizer),
        {name: _writer(graph) for name, graph in graphs.items()}
        | {model_files.DECODER: partial(save_file, decoded)},
    )


def _exportable_encoder(model: Model) -> PretrainedEncoder:
    """The model's encoder; an error if there is no way yet to export the model."""
    encoder = model.network.encoder
    if not isinstance(encoder, PretrainedEncoder) or encoder.configuration.model_type != "bert":
        raise CallError("only parsers on a BERT can be exported so far; parse with torch instead")
    if model.parser.kind != "mapped":
        raise CallError(
            f"a parser of kind {model.parser.kind} is not exported; parse with torch instead"
        )
    if model.parser.beam > 1:
        raise CallError(
            f"an exported parser is greedy, and this one has a beam of {model.parser.beam}; "
            "parse with torch instead"
        )
    if (activation := encoder.configuration.hidden_act) != "gelu":
        raise CallError(f"its BERT has {activation}, not gelu; parse with torch instead")
    _ = encoder.special  # the root's vector is that of the one token that opens the input
    return encoder


def _description(model: Model, encoder: PretrainedEncoder) -> dict[str, Any]:
    """What the model's file of settings says."""
    return {
        "encoder": without_folders(asdict(encoder.settings)),
        "static_width": 0,
        "parser": asdict(model.parser),
        "confidence": asdict(model.confidence),
        "record": without_folders(model.record),
    }


def _texts(model: Model, config: Mapping[str, Any], tokenizer: str) -> dict[str, str]:
    """The model's files that are text, by their names."""
    vocabularies = json.dumps(outcomes_to_json(model.outcomes), ensure_ascii=False)
    texts = {
        model_files.ENCODER: json.dumps(config, indent=1) + "\n",
        model_files.TOKENIZER: tokenizer,
        model_files.VOCABULARIES: vocabularies + "\n",
    }
    if model.lemmatiser:
        texts[model_files.LEMMAS] = lemmas_text(model.lemmatiser)
    return texts


def _copy_segmenter(source: Path, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in (model_files.SEGMENTER, model_files.SEGMENTER_GRAPH):
            shutil.copyfile(source / name, folder / name)
    except OSError as error:
        raise CallError(f"the segmenter cannot be copied: {error}") from error


def without_folders(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with every path cut down to its name: where files lay is nobody's business."""
    cleaned: dict[str, Any] = json.loads(_PATH.sub(r'"\1"', json.dumps(values)))
    return cleaned


_PATH = re.compile(r'"\.{0,2}/(?:[^"]*/)?([^"/]+)/?"')


def _writer(graph: ModelProto) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(graph.SerializeToString())

    return write
