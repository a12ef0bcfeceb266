"""Rounding to whole numbers: by half a step at most, but for the few numbers far out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from onnx import numpy_helper

from arctree.network.network import Network
from arctree.training.graphs import LARGEST_WEIGHT, Range, bert_graph, heads_graph, rounded
from arctree.training.quantising import best_range, find_ranges, range_of
from berts import LONG, load_encoder, random_model

Array = np.ndarray[Any, Any]
samples = arrays.arrays(
    np.float32,
    st.integers(1, 200),
    elements=st.floats(-1000, 1000, width=32, allow_subnormal=False),
)


def round_trip(values: Array, found: Range) -> Array:
    """The values, rounded to bytes and back, as a quantised layer sees them."""
    whole = np.clip(np.round(values / found.scale) + found.zero, 0, 255)
    back: Array = (whole - found.zero) * found.scale
    return back


@given(samples)
def test_what_lies_inside_the_range_is_rounded_by_half_a_step_and_what_does_not_is_cut_off(
    sample: Array,
) -> None:
    found = best_range(sample)
    assert found.scale > 0
    assert 0 <= found.zero <= 255
    step = found.scale
    low, high = -found.zero * step, (255 - found.zero) * step
    inside = np.clip(sample.astype(np.float64), low, high)
    assert (np.abs(round_trip(sample.astype(np.float64), found) - inside) <= 0.5001 * step).all()


@given(samples)
def test_the_range_of_a_few_numbers_holds_them_all_and_is_no_wider(sample: Array) -> None:
    found = best_range(sample)
    low, high = min(float(sample.min()), 0.0), max(float(sample.max()), 1e-6)
    # Of so few, the percentile lies close to the outermost one.
    assert 255 * found.scale <= (high - low) * (1 + 1e-6)
    assert 255 * found.scale >= 0.98 * (high - low)


def test_a_number_far_out_does_not_make_all_others_coarse() -> None:
    rows = np.random.default_rng(0).normal(size=(200, 1000)).astype(np.float32)
    plain = best_range(rows)
    rows[7, 7] = 1000
    found = best_range(rows)
    assert found.scale == pytest.approx(plain.scale, rel=0.05)
    assert np.abs(round_trip(rows, found) - rows).max() > 900  # it is cut off
    others = np.delete(rows, 7, 0)
    assert (np.abs(round_trip(others, found) - others) > found.scale).mean() < 1.5e-4


@given(samples)
def test_nothing_stays_nothing(sample: Array) -> None:
    assert round_trip(np.zeros(1), best_range(sample)) == 0


@given(st.floats(-1e4, 0), st.floats(1e-6, 1e4))
def test_the_bytes_are_spread_from_the_one_end_to_the_other(low: float, high: float) -> None:
    found = range_of(low, high)
    ends = round_trip(np.array([low, high]), found)
    np.testing.assert_allclose(ends, [low, high], atol=0.51 * found.scale)


tables = arrays.arrays(
    np.float32,
    st.tuples(st.integers(1, 9), st.integers(1, 9)),
    elements=st.floats(-1e6, 1e6, width=32, allow_subnormal=False),
)


@given(tables, st.sampled_from([0, 1]), st.sampled_from([LARGEST_WEIGHT, 127]))
def test_rounded_weights_are_within_half_a_step_of_the_weights(
    weights: Array, axis: int, largest: int
) -> None:
    whole, scales = rounded(weights, axis, largest)
    assert whole.dtype == np.int8
    assert whole.shape == weights.shape
    assert scales.shape == (weights.shape[1 - axis],)
    assert np.abs(whole.astype(int)).max() <= largest
    steps = np.expand_dims(scales, axis)
    assert (np.abs(whole * steps - weights) <= steps * 0.5001).all()


def test_every_output_has_a_scale_of_its_own() -> None:
    weights = np.array([[1.0, 1000.0], [-0.6, 250.0]], np.float32)
    whole, scales = rounded(weights, axis=0)
    assert whole.tolist() == [[63, 63], [-38, 16]]
    np.testing.assert_allclose(scales, [1 / 63, 1000 / 63])


@pytest.fixture(scope="module")
def network(bert: Path) -> Network:
    return random_model(load_encoder(bert)).network


def test_every_layer_of_the_graphs_has_a_range_and_whole_numbers_up_to_63(network: Network) -> None:
    ranges = find_ranges(network, [LONG[:20], ["the", "books"]])
    layers = {
        name for name, module in network.named_modules() if isinstance(module, torch.nn.Linear)
    }
    assert set(ranges) == layers
    weights = {name: tensor.numpy() for name, tensor in network.state_dict().items()}
    config = network.encoder.configuration.to_dict()  # type: ignore[operator, union-attr]
    graphs = (
        bert_graph(weights, config, ranges),
        heads_graph(weights, "gelu", ["upos", "xpos"], ranges),
    )
    seen = 0
    for model in graphs:
        for constant in model.graph.initializer:
            if not constant.name.endswith(".whole"):
                continue
            whole = numpy_helper.to_array(constant)
            largest = 127 if "embeddings" in constant.name else LARGEST_WEIGHT
            assert whole.dtype == np.int8
            assert np.abs(whole.astype(int)).max() == largest
            seen += 1
    assert seen > 10


def test_finding_ranges_leaves_the_network_as_it_was(network: Network) -> None:
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    first, second = (find_ranges(network, [LONG, ["the"]]) for _ in range(2))
    assert first == second
    assert all(torch.equal(before[name], now) for name, now in network.state_dict().items())
    assert not any(module._forward_pre_hooks for module in network.modules())
