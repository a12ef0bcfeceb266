"""What decoding a batch gives, whichever parser did it."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor


class Decoded(NamedTuple):
    """The unlabelled trees of a batch, and how sure the parser is of them.

    ``heads`` and ``head_probabilities`` are by row. ``transitions`` and ``probabilities`` lie
    sentence after sentence, 2n each; other parsers than the mapped one have none.
    """

    heads: Tensor
    head_probabilities: Tensor
    transitions: Tensor
    probabilities: Tensor
