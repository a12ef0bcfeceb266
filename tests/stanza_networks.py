"""Stanza's network in small, and the mapped actions, for the tests of both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from stanza.models import constituency_parser
from stanza.models.common.pretrain import Pretrain
from stanza.models.constituency.lstm_model import LSTMModel
from stanza.models.constituency.parse_tree import Tree

from arctree.study.stanza import actions
from arctree.study.stanza.adapter import SCHEME
from arctree.study.stanza.vectors import write_pretrain
from arctree.transitions import LEFTARC, RIGHTARC, SHIFT, Transition


def preterminals(size: int) -> list[Any]:
    return [Tree("_", Tree(f"word{number}")) for number in range(1, size + 1)]


# With nothing beside them, as in the paper.
ACTIONS: dict[Transition, Any] = {
    SHIFT: actions.Shift(),
    LEFTARC: actions.LeftArc(),
    RIGHTARC: actions.RightArc(),
}


def network(
    folder: Path, composition: str, transitions: list[Any] | None = None, scheme: str = SCHEME
) -> Any:
    """Stanza's network, small, with random weights; over the mapped actions if not over others."""
    torch.manual_seed(1)
    write_pretrain((), 1, folder / "vectors.pt")
    arguments = constituency_parser.parse_args(
        [
            *("--hidden_size", "8", "--constituency_composition", composition, "--no_retag"),
            *("--tag_embedding_dim", "0", "--device", "cpu"),
            *("--transition_scheme", scheme),
        ]
    )
    model = LSTMModel(
        Pretrain(str(folder / "vectors.pt")),
        *(None, None, None, None, False, None),
        transitions or list(ACTIONS.values()),
        ["ROOT", "UA"],
        ["_"],
        ["word1", "word2", "word3"],
        [],
        ["ROOT"],
        actions.COMPOSED,
        3,
        arguments,
    )
    return model.eval()


def run(model: Any, transitions: list[Transition], size: int = 3) -> Any:
    """The state of Stanza's network after these transitions."""
    state = model.initial_state_from_preterminals([preterminals(size)], None, None)[0]
    for transition in transitions:
        state = ACTIONS[transition].apply(state, model)
    return state
