"""The systems that build a tree by steps, as the classifier and its training see them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from arctree.parsing.in_order_machine import InOrderMachine, in_order_derivations
from arctree.parsing.linear_machine import LinearMachine, linear_derivations
from arctree.parsing.machine import GoldDerivation, Machine, canonical_derivations


class System(NamedTuple):
    """A batched machine, and what is to be learnt.

    The first ``at_stake`` of its slots hold the words whose heads depend on the next step.
    """

    machine: type[Machine] | type[InOrderMachine] | type[LinearMachine]
    at_stake: int
    derivations: Callable[[Sequence[Sequence[int]]], list[GoldDerivation]]


SYSTEMS = {
    "mapped": System(Machine, 2, canonical_derivations),
    "in-order": System(InOrderMachine, 3, in_order_derivations),
    "linearised": System(LinearMachine, 2, linear_derivations),
}
