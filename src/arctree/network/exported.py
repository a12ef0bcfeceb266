"""The weights of an exported model, for torch: whole numbers times their scales.

:mod:`arctree.training.graphs` names every constant of a graph after the weights that it holds.
So a model that ships for onnxruntime alone can still run on a GPU.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.numpy import load_file
from torch import Tensor

from arctree.errors import MissingExtraError
from arctree.parsing import model_files

Array = np.ndarray[Any, Any]

_EMBEDDINGS = "encoder.transformer.embeddings."


def exported_weights(folder: Path) -> dict[str, Tensor]:
    """All weights of the network, by their names in it."""
    constants: dict[str, Array] = {}
    for name in (model_files.ENCODER_GRAPH, model_files.HEADS_GRAPH):
        constants |= _constants(folder / name)
    weights = dict(load_file(folder / model_files.DECODER))
    for name, array in constants.items():
        title, _, part = name.rpartition(".")
        if part in ("whole", "weight", "bias"):
            weights |= _named(title, part, array, constants)
    # The first type's vector was added to all positions.
    positions = constants["positions"]
    weights[f"{_EMBEDDINGS}position_embeddings.weight"] = positions
    types = np.zeros((2, positions.shape[1]), np.float32)
    weights[f"{_EMBEDDINGS}token_type_embeddings.weight"] = types
    return {name: torch.from_numpy(np.array(array)) for name, array in weights.items()}


def _named(title: str, part: str, array: Array, constants: Mapping[str, Array]) -> dict[str, Array]:
    """What a constant holds; layers that stand side by side are of equal width."""
    is_table = "embedding" in title or title == "encoder.casing"
    if part == "whole":
        array = array.astype(np.float32) * constants[f"{title}.scales"]
    if part != "bias" and array.ndim == 2 and not is_table:
        array = array.T
    names = title.split("+")
    kind = "bias" if part == "bias" else "weight"
    return {
        f"{name}.{kind}": piece
        for name, piece in zip(names, np.split(array, len(names)), strict=True)
    }


def _constants(path: Path) -> dict[str, Array]:
    try:
        from onnx import load, numpy_helper
    except ImportError as error:
        raise MissingExtraError(
            "reading an exported model with torch needs onnx", "train"
        ) from error
    graph = load(path, load_external_data=False).graph
    return {constant.name: numpy_helper.to_array(constant) for constant in graph.initializer}
