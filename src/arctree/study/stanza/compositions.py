"""Stanza's compositions, for many trees with the same number of children in one go.

Stanza goes through the trees one by one, as they may have any number of children. Given are the
numbers of the labels and the vectors of the children, [tree, child, width]; what comes out is the
vectors of the trees, in the table before the nonlinearity. Where a child is named twice, the
maximum does not mind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from stanza.models.constituency.lstm_model import ConstituencyComposition

Compose = Callable[[Any, Any, Any], Any]
Build = Callable[[Any, Any, Any], list[Any]]
# No number of a composed vector is greater. Stanza's trees are composed once a node; here a tree is
# composed once an arc, and may grow by as much each time: a head with a hundred dependents would
# come to infinity, and its gradient to what is no number. Those of short sentences are below ten.
BOUND = 10_000.0


def bounded(build: Build) -> Build:
    """Stanza's ``build_constituents``, with the same bound."""

    def build_bounded(self: Any, labels: Any, children: Any) -> list[Any]:
        return [
            item._replace(tree_hx=item.tree_hx.clamp(-BOUND, BOUND))
            for item in build(self, labels, children)
        ]

    return build_bounded


def composed(model: Any, labels: Any, children: Any) -> Any:
    """The vectors of trees, by the composition that the network has."""
    compose = OF_EQUAL_NUMBERS[model.constituency_composition]
    return model.nonlinearity(compose(model, labels, children)).clamp(-BOUND, BOUND)


def _max(model: Any, labels: Any, children: Any) -> Any:
    """One linear map, over the greatest of each numbers."""
    return model.reduce_linear(model.lstm_input_dropout(children.amax(dim=1)))


def _untied_max(model: Any, labels: Any, children: Any) -> Any:
    """A linear map for each label, over the greatest of each numbers."""
    greatest = model.lstm_input_dropout(children.amax(dim=1))
    mapped = torch.matmul(greatest, model.reduce_linear_weight.transpose(1, 2))
    mapped = mapped + model.reduce_linear_bias[:, None]
    return mapped[labels, torch.arange(len(labels), device=labels.device)]


def _bilstm(model: Any, labels: Any, children: Any) -> Any:
    """Both ends of an LSTM over the label, the children, the label."""
    label = model.constituent_open_embedding(labels)[None]
    sequence = model.lstm_input_dropout(torch.cat([label, children.transpose(0, 1), label]))
    _, (last, _) = model.constituent_reduce_lstm(sequence)
    return model.reduce_linear(torch.cat([last[-2], last[-1]], dim=1))


def _untied_key(model: Any, labels: Any, children: Any) -> Any:
    """For each of several heads a mean of the children, weighed by place and content."""
    placed = model.reduce_position(children)
    by_head = (model.reduce_heads, -1)
    keys = torch.nn.functional.embedding(labels, model.reduce_key.flatten(1))
    queries = model.reduce_query(placed) * keys[:, None]
    weights = queries.unflatten(-1, by_head).sum(-1, keepdim=True).softmax(dim=1)
    values = model.reduce_value(placed).unflatten(-1, by_head)
    return (weights * values).sum(1).flatten(1)


# Those to which it is all the same how often a child is named, and all of them.
OF_ANY_NUMBER: dict[Any, Compose] = {
    ConstituencyComposition.MAX: _max,
    ConstituencyComposition.UNTIED_MAX: _untied_max,
}
OF_EQUAL_NUMBERS: dict[Any, Compose] = {
    **OF_ANY_NUMBER,
    ConstituencyComposition.BILSTM: _bilstm,
    ConstituencyComposition.UNTIED_KEY: _untied_key,
}
