"""Graphs for onnxruntime, written by hand, with whole-number weights if asked for.

A general exporter writes dozens of small operations where a few large ones will do; here every
operation is one that onnxruntime runs in a single kernel. Weights bear the names that they
have in the network, so that the network can be had back from them.

A *quantised* layer holds its weights as whole numbers from -63 to 63, with a scale for each
output, and rounds its input to a byte with a scale and a zero that were found beforehand
(:mod:`arctree.training.quantising`). Sums of such products fit into what every processor adds
up in, those without the newest instructions too; and what comes out for a sentence does not
depend on the others in its batch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper

Array = np.ndarray[Any, Any]
Weights = Mapping[str, Array]

# Of onnx and of its file format: old enough for every onnxruntime that we support.
OPSET, IR_VERSION = 17, 8
LARGEST_WEIGHT = 63
_MICROSOFT = "com.microsoft"


class Range(NamedTuple):
    """How the input of a layer is rounded to a byte: byte = input / scale + zero."""

    scale: float
    zero: int


class Graph:
    """A graph under construction. Values are known by name."""

    def __init__(self, weights: Weights, ranges: Mapping[str, Range] | None = None) -> None:
        self.weights = weights
        self.ranges = ranges
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        self._quantised: dict[tuple[str, Range], str] = {}

    def input(self, name: str, kind: int, shape: Sequence[str | int]) -> str:
        self._inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, value: str, name: str, width: int) -> None:
        self._nodes.append(helper.make_node("Identity", [value], [name]))
        shape: list[str | int] = ["row", width]
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def constant(self, name: str, array: Array) -> str:
        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def run(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """The one value that an operation makes of others."""
        return self.run_for(1, kind, *inputs, domain=domain, **attributes)[0]

    def run_for(
        self, count: int, kind: str, *inputs: str, domain: str = "", **attributes: Any
    ) -> list[str]:
        """The values that an operation makes of others."""
        names = [f"{kind}_{len(self._nodes)}_{place}" for place in range(count)]
        self._nodes.append(helper.make_node(kind, inputs, names, domain=domain, **attributes))
        return names

    def linear(self, value: str, *names: str) -> str:
        """One or more linear layers of the same input, side by side."""
        weight = np.concatenate([self.weights[f"{name}.weight"] for name in names]).T
        bias = np.concatenate([self.weights[f"{name}.bias"] for name in names])
        title = "+".join(names)
        bias_name = self.constant(f"{title}.bias", bias.astype(np.float32))
        if self.ranges is None:
            product = self.run(
                "MatMul", value, self.constant(f"{title}.weight", weight.astype(np.float32))
            )
            return self.run("Add", product, bias_name)
        whole, scales = rounded(weight, axis=0)
        found = self.ranges[names[0]]
        scale = self.constant(f"{title}.input_scale", np.array(found.scale, np.float32))
        zero = self.constant(f"{title}.input_zero", np.array(found.zero, np.uint8))
        key = (value, found)
        if key not in self._quantised:
            self._quantised[key] = self.run("QuantizeLinear", value, scale, zero)
        return self.run(
            "MatMulIntegerToFloat",
            self._quantised[key],
            self.constant(f"{title}.whole", whole),
            scale,
            self.constant(f"{title}.scales", scales.astype(np.float32)),
            zero,
            "",
            bias_name,
            domain=_MICROSOFT,
        )

    def embedding(self, numbers: str, name: str) -> str:
        """The rows of a table."""
        table = self.weights[f"{name}.weight"].astype(np.float32)
        if self.ranges is None:
            return self.run("Gather", self.constant(f"{name}.weight", table), numbers)
        whole, scales = rounded(table, axis=1, largest=127)
        found = self.run("Gather", self.constant(f"{name}.whole", whole), numbers)
        scale = self.run(
            "Gather", self.constant(f"{name}.scales", scales.astype(np.float32)[:, None]), numbers
        )
        return self.run("Mul", self.run("Cast", found, to=TensorProto.FLOAT), scale)

    def normalised(self, value: str, name: str, epsilon: float) -> str:
        return self.run(
            "LayerNormalization",
            value,
            self.constant(f"{name}.weight", self.weights[f"{name}.weight"].astype(np.float32)),
            self.constant(f"{name}.bias", self.weights[f"{name}.bias"].astype(np.float32)),
            axis=-1,
            epsilon=epsilon,
        )

    def activated(self, value: str, activation: str) -> str:
        if activation == "relu":
            return self.run("Relu", value)
        return self.run("Gelu", value, domain=_MICROSOFT)

    def model(self) -> ModelProto:
        """The finished graph."""
        graph = helper.make_graph(
            self._nodes, "arctree", self._inputs, self._outputs, list(self._constants.values())
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(_MICROSOFT, 1)]
        model = helper.make_model(graph, opset_imports=opsets, producer_name="arctree")
        model.ir_version = IR_VERSION
        return model


def rounded(weights: Array, axis: int, largest: int = LARGEST_WEIGHT) -> tuple[Array, Array]:
    """Weights as whole numbers, and their scales, one for each place across the axis."""
    scales = np.maximum(np.abs(weights).max(axis), 1e-12) / largest
    shaped = np.expand_dims(scales, axis)
    return np.round(weights / shaped).astype(np.int8), scales


def bert_graph(
    weights: Weights, config: Mapping[str, Any], ranges: Mapping[str, Range] | None
) -> ModelProto:
    """The encoder, a BERT: tokens, their casing and how many there are in; vectors out."""
    graph = Graph(weights, ranges)
    tokens = graph.input("tokens", TensorProto.INT32, ["sentence", "token"])
    lengths = graph.input("lengths", TensorProto.INT32, ["sentence"])
    base, epsilon = "encoder.transformer.", float(config["layer_norm_eps"])
    inner = graph.embedding(tokens, f"{base}embeddings.word_embeddings")
    if "encoder.casing.weight" in weights:
        casing = graph.input("casing", TensorProto.INT32, ["sentence", "token"])
        table = graph.constant("encoder.casing.weight", weights["encoder.casing.weight"])
        inner = graph.run("Add", inner, graph.run("Gather", table, casing))
    # All tokens are of the first type.
    positions = (
        weights[f"{base}embeddings.position_embeddings.weight"]
        + weights[f"{base}embeddings.token_type_embeddings.weight"][0]
    ).astype(np.float32)
    count = graph.run("Shape", tokens, start=1, end=2)
    zero = graph.constant("zero", np.array([0]))
    taken = graph.run("Slice", graph.constant("positions", positions), zero, count)
    inner = graph.run("Add", inner, taken)
    inner = graph.normalised(inner, f"{base}embeddings.LayerNorm", epsilon)
    mask = _mask(graph, count, lengths)
    heads, width = int(config["num_attention_heads"]), int(config["hidden_size"])
    for number in range(int(config["num_hidden_layers"])):
        layer = f"{base}encoder.layer.{number}."
        mixed = _attention(graph, inner, layer, mask, heads, width)
        inner = graph.normalised(
            graph.run("Add", graph.linear(mixed, f"{layer}attention.output.dense"), inner),
            f"{layer}attention.output.LayerNorm",
            epsilon,
        )
        wide = graph.activated(graph.linear(inner, f"{layer}intermediate.dense"), "gelu")
        inner = graph.normalised(
            graph.run("Add", graph.linear(wide, f"{layer}output.dense"), inner),
            f"{layer}output.LayerNorm",
            epsilon,
        )
    rows = graph.run("Reshape", inner, graph.constant("rows", np.array([-1, width])))
    graph.output(rows, "vectors", width)
    return graph.model()


def _mask(graph: Graph, count: str, lengths: str) -> str:
    """0 where a token is, and far below where padding is."""
    one, of_tokens = graph.constant("one", np.array(1)), graph.constant("axes", np.array([1, 2, 3]))
    places = graph.run(
        "Range", graph.constant("first", np.array(0)), graph.run("Squeeze", count), one
    )
    long = graph.run("Cast", lengths, to=TensorProto.INT64)
    is_token = graph.run("Less", places, graph.run("Unsqueeze", long, of_tokens))
    shown = graph.constant("shown", np.array(0, np.float32))
    return graph.run("Where", is_token, shown, graph.constant("hidden", np.array(-1e9, np.float32)))


def _attention(graph: Graph, inner: str, layer: str, mask: str, heads: int, width: int) -> str:
    names = [f"{layer}attention.self.{part}" for part in ("query", "key", "value")]
    three = graph.linear(inner, *names)
    size = width // heads
    by_head = graph.run(
        "Reshape", three, graph.constant("by_head", np.array([0, 0, 3, heads, size]))
    )
    turned = graph.run("Transpose", by_head, perm=[2, 0, 3, 1, 4])
    first = graph.constant("first_axis", np.array([0]))
    query, key, value = (
        graph.run("Squeeze", part, first) for part in graph.run_for(3, "Split", turned, axis=0)
    )
    scores = graph.run("FusedMatMul", query, key, domain=_MICROSOFT, transB=1, alpha=size**-0.5)
    shares = graph.run("Softmax", graph.run("Add", scores, mask), axis=-1)
    mixed = graph.run("Transpose", graph.run("MatMul", shares, value), perm=[0, 2, 1, 3])
    return graph.run("Reshape", mixed, graph.constant("joined", np.array([0, 0, width])))


def heads_graph(
    weights: Weights,
    activation: str,
    tags: Sequence[str],
    ranges: Mapping[str, Range] | None,
) -> ModelProto:
    """What every row is projected to for transitions and labels, and the scores of its tags."""
    graph = Graph(weights, ranges)
    width = weights["arcs.project.weight"].shape[1]
    rows = graph.input("vectors", TensorProto.FLOAT, ["row", width])
    names = {"arcs": "arcs.project"}
    is_biaffine = "labeller.pairs" in weights
    for part in ("labeller", "marker"):
        for side in ("as_dependent", "as_head"):
            layer = f"{part}.{side}" + (".0" if is_biaffine else "")
            if f"{layer}.weight" in weights:
                names[f"{part}.{side}"] = layer
    for name, layer in names.items():
        found = graph.linear(rows, layer)
        if is_biaffine and name != "arcs":
            found = graph.activated(found, activation)
        graph.output(found, name, weights[f"{layer}.bias"].shape[0])
    for tag in tags:
        inner = graph.activated(graph.linear(rows, f"taggers.{tag}.0"), activation)
        found = graph.linear(inner, f"taggers.{tag}.3")
        graph.output(found, f"tags.{tag}", weights[f"taggers.{tag}.3.bias"].shape[0])
    return graph.model()
