"""The systems that build a tree by steps, as the classifier and its training see them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from arctree.parsing.in_order_machine import InOrderMachine, in_order_derivations
from arctree.parsing.linear_machine import LinearMachine, linear_derivations
from arctree.parsing.machine import SLOTS, GoldDerivation, Machine, canonical_derivations
from arctree.parsing.node_machine import STEPS


class System(NamedTuple):
    """A batched machine, the words that it shows, and what is to be learnt.

    The first ``at_stake`` of the slots hold the words whose heads depend on the next step.
    """

    machine: Callable[..., Any]
    slots: tuple[str, ...]
    at_stake: int
    steps_per_word: int
    derivations: Callable[[Sequence[Sequence[int]]], list[GoldDerivation]]


SYSTEMS = {
    "mapped": System(Machine, SLOTS, 2, 2, canonical_derivations),
    "in-order": System(InOrderMachine, InOrderMachine.slots, 3, STEPS, in_order_derivations),
    "linearised": System(LinearMachine, LinearMachine.slots, 2, STEPS, linear_derivations),
}
