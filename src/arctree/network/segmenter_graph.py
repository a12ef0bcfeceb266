"""The segmenter's network as a graph of ONNX, for a run time without torch.

Written by hand, operator for operator as :class:`arctree.network.segmenter.SegmenterNetwork`
computes when it does not learn. What depends on the symbol alone is a table.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from arctree.network.segmenter import SegmenterNetwork

OPERATORS = 17
# What onnxruntime has read for years.
FORMAT = 8


def to_onnx(network: SegmenterNetwork) -> bytes:
    """The graph, in the form of a file."""
    graph = _Graph()
    with torch.no_grad():
        symbols = network.symbols.weight
        graph.constant("symbol_table", symbols + symbols[network.categories])
    vectors = graph.add("Transpose", graph.add("Gather", "symbol_table", "symbols"), perm=[1, 0])
    batched = graph.add("Unsqueeze", vectors, graph.constant("batch", np.array([0])))
    near = graph.add("Relu", graph.convolution(batched, network.near))
    far = graph.add("Relu", graph.convolution(near, network.far))
    states = graph.rows(graph.add("Add", near, far))
    graph.add("Identity", graph.linear(states, network.character_scores), output="characters")
    graph.constant("word_table", network.words.weight)
    parts = [graph.add("Gather", states, "first"), graph.add("Gather", states, "last")]
    parts.append(graph.add("Gather", "word_table", "words"))
    unit = graph.linear(graph.add("Concat", *parts, axis=1), network.unit)
    columns = graph.add("Transpose", graph.add("Relu", unit), perm=[1, 0])
    state = graph.add("Unsqueeze", columns, "batch")
    for layer in network.context:
        assert isinstance(layer, nn.Conv1d)
        state = graph.add("Add", state, graph.add("Relu", graph.convolution(state, layer)))
    graph.add("Identity", graph.linear(graph.rows(state), network.unit_scores), output="units")
    return graph.serialised()


class _Graph:
    """Nodes and constants; names are given as they come."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, value: Any) -> str:
        array = value.detach().cpu().numpy() if isinstance(value, torch.Tensor) else value
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def add(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        output = output or f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def convolution(self, value: str, layer: nn.Conv1d) -> str:
        number = len(self.nodes)
        assert layer.bias is not None
        weights = self.constant(f"weights_{number}", layer.weight)
        bias = self.constant(f"bias_{number}", layer.bias)
        padding = layer.padding[0]
        assert isinstance(padding, int)
        return self.add(
            "Conv",
            value,
            weights,
            bias,
            dilations=[layer.dilation[0]],
            pads=[padding, padding],
        )

    def rows(self, value: str) -> str:
        """From one batch of columns to rows."""
        return self.add("Transpose", self.add("Squeeze", value, "batch"), perm=[1, 0])

    def linear(self, value: str, layer: nn.Linear) -> str:
        number = len(self.nodes)
        weights = self.constant(f"weights_{number}", layer.weight.T)
        bias = self.constant(f"bias_{number}", layer.bias)
        return self.add("Gemm", value, weights, bias)

    def serialised(self) -> bytes:
        graph = helper.make_graph(
            self.nodes,
            "segmenter",
            [
                helper.make_tensor_value_info("symbols", TensorProto.INT64, ["symbols"]),
                *(
                    helper.make_tensor_value_info(name, TensorProto.INT64, ["units"])
                    for name in ("first", "last", "words")
                ),
            ],
            [
                helper.make_tensor_value_info("characters", TensorProto.FLOAT, ["symbols", None]),
                helper.make_tensor_value_info("units", TensorProto.FLOAT, ["units", None]),
            ],
            self.constants,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPERATORS)])
        model.ir_version = FORMAT
        onnx.checker.check_model(model)
        found: bytes = model.SerializeToString()
        return found
