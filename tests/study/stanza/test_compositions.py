"""How Stanza makes one vector of several trees, as it is and in one go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from stanza.models import constituency_parser

from arctree.study.stanza import actions
from arctree.study.stanza.adapter import hosting
from arctree.study.stanza.compositions import BOUND, OF_EQUAL_NUMBERS, composed
from arctree.study.stanza.settings import CompositionName, StanzaSettings
from arctree.study.stanza.tree_parser import TreeKind, TreeParser
from arctree.transitions import LEFTARC, RIGHTARC, SHIFT
from stanza_networks import network, run

COMPOSITIONS = ("bilstm", "untied_max", "tree_lstm", "untied_key")


def with_number(item: Any, number: float) -> Any:
    """An item of the stack whose vector is made of this number."""
    vector = torch.full_like(item.value.tree_hx, number)
    return item._replace(value=item.value._replace(tree_hx=vector))


def vector(state: Any) -> Any:
    """That of the topmost tree."""
    return state.constituents.value.value.tree_hx


@pytest.mark.parametrize(
    ("kind", "named", "composition"),
    [
        ("mapped", "default", "untied_max"),
        ("in-order", "default", "max"),
        ("mapped", "max", "max"),
        ("in-order", "bilstm", "bilstm"),
    ],
)
def test_the_composition_and_the_seed_that_stanza_is_told(
    kind: TreeKind, named: CompositionName, composition: str, tmp_path: Path
) -> None:
    for seed in (1, 2):
        parser = TreeParser(kind, StanzaSettings(composition=named), seed, "cpu")
        told = constituency_parser.parse_args(parser._arguments(tmp_path))
        assert told["constituency_composition"].name.lower() == composition
        assert told["seed"] == seed


@pytest.mark.parametrize("composition", COMPOSITIONS)
def test_leftarc_and_rightarc_give_different_vectors(composition: str, tmp_path: Path) -> None:
    model = network(tmp_path, composition)
    left, right = (run(model, [SHIFT, SHIFT, arc]) for arc in (LEFTARC, RIGHTARC))
    assert not torch.allclose(vector(left), vector(right))


def test_with_max_they_give_the_same_vector(tmp_path: Path) -> None:
    """Why the mapped system does not run on Stanza's default composition."""
    model = network(tmp_path, "max")
    left, right = (run(model, [SHIFT, SHIFT, arc]) for arc in (LEFTARC, RIGHTARC))
    assert torch.equal(vector(left), vector(right))


@pytest.mark.parametrize("composition", ["bilstm", "untied_key", "untied_max", "max"])
def test_composing_in_one_go_changes_nothing(composition: str, tmp_path: Path) -> None:
    """A composition as Stanza computes it, and as it is computed for two trees each."""
    model = network(tmp_path, composition)
    states = [run(model, [SHIFT, SHIFT]), run(model, [SHIFT, SHIFT, SHIFT])]
    data = [arc.update_state(state, model)[2] for state in states for arc in ARCS]
    ours = actions.LeftArc.build_constituents(model, data)
    theirs = model.build_constituents(*map(list, zip(*data, strict=True)))
    for mine, other in zip(ours, theirs, strict=True):
        assert torch.allclose(mine.tree_hx, other.tree_hx, atol=1e-6)


ARCS = (actions.LeftArc(), actions.RightArc())


@pytest.mark.parametrize(
    ("composition", "tells"),
    [("max", False), ("untied_max", False), ("untied_key", True), ("bilstm", True)],
)
def test_which_compositions_know_left_from_right(
    composition: str, tells: bool, tmp_path: Path
) -> None:
    model = network(tmp_path, composition)
    compose = OF_EQUAL_NUMBERS[model.constituency_composition]
    label = torch.tensor([0])
    pair = torch.randn(1, 2, model.hidden_size)
    there, back = compose(model, label, pair), compose(model, label, pair.flip(1))
    assert torch.allclose(there, back, atol=1e-6) is not tells


@pytest.mark.parametrize("composition", ["untied_max", "max"])
def test_a_tree_that_is_composed_often_stays_finite(composition: str, tmp_path: Path) -> None:
    """With weights that make it larger each time; its gradients are numbers, too."""
    model = network(tmp_path, composition)
    with torch.no_grad():
        for weights in model.parameters():
            weights.mul_(4)
    label, tree = torch.tensor([0]), torch.rand(1, model.hidden_size)
    compose = OF_EQUAL_NUMBERS[model.constituency_composition]
    unbounded = tree
    for _ in range(1000):
        tree = composed(model, label, torch.stack([tree, tree], dim=1))
        with torch.no_grad():
            pair = torch.stack([unbounded, unbounded], dim=1)
            unbounded = model.nonlinearity(compose(model, label, pair))
    assert not unbounded.isfinite().all()
    with hosting(mapped=False):
        state = run(model, [SHIFT, SHIFT])
        data = [arc.update_state(state, model)[2] for arc in ARCS]
        large = [[with_number(item, 1e30) for item in pair] for _, pair in data]
        built = model.build_constituents([label for label, _ in data], large)
    assert all(0 < item.tree_hx.detach().max() <= BOUND for item in built)
    assert 0 < tree.detach().max() <= BOUND
    torch.autograd.backward(tree.sum())
    gradients = [weights.grad for weights in model.parameters() if weights.grad is not None]
    assert gradients
    assert all(gradient.isfinite().all() for gradient in gradients)
