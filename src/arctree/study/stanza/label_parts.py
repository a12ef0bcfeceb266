"""Labels that lifting has marked, scored in their two parts by Stanza's dependency parser.

The labels of φ(D) are relations with marks on some of them, and most pairs of a relation and a
mark are rare: on Gothic 33 relations and 22 marks make 180 labels. Stanza scores each label by
weights of its own, so that those of ``nsubj↑xcomp`` learn nothing from ``obl↑xcomp``. With the
setting ``marks_apart`` a label's score is the sum of its relation's and its mark's, and a mark is
learnt from all the labels that bear it, as natively. Stanza's loss and its choice are over the
labels of the training file, as they were; natively any relation may bear any mark.

A model file says in its options how it was made, so
:func:`arctree.study.stanza.graph_parser.load_network` need not be told. Stanza by itself refuses
it, as the weights are others than it expects.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import torch
from stanza.models.common.biaffine import DeepBiaffineScorer
from stanza.models.common.vocab import VOCAB_PREFIX_SIZE

from arctree.labels import parse_label, split_mark
from arctree.study.stanza.adapter import Replacement

_OPTION = "arctree_marks_apart"


class PartsScorer(DeepBiaffineScorer):  # type: ignore[misc]
    """Stanza's scorer of the parts of labels, and of labels by the sums of their parts."""

    parts: torch.Tensor

    def __init__(self, labels: Sequence[str], width: int, hidden: int, dropout: float) -> None:
        pairs = [split_mark(parse_label(label)) for label in labels]
        relations, marks = (list(dict.fromkeys(side)) for side in zip(*pairs, strict=True))
        outputs = len(relations) + len(marks)
        super().__init__(width, width, hidden, outputs, pairwise=True, dropout=dropout)
        numbers = [
            [relations.index(relation) for relation, _ in pairs],
            [len(relations) + marks.index(mark) for _, mark in pairs],
        ]
        self.register_buffer("parts", torch.tensor(numbers), persistent=False)

    def of_labels(self, scores: torch.Tensor) -> torch.Tensor:
        """The scores of labels, given those of parts; both in the last dimension."""
        relations, marks = self.parts
        return scores[..., relations] + scores[..., marks]

    def forward(self, first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        return self.of_labels(super().forward(first, second))


def scoring_parts(*, new: bool = False) -> Replacement:
    """Stanza's dependency parser scores labels by their parts if it was made so.

    With ``new``, those that are made are.
    """
    parser = import_module("stanza.models.depparse.model").GraphParser
    make = parser.__init__

    def made(self: Any, args: Any, vocab: Any, *others: Any, **named: Any) -> None:
        make(self, args, vocab, *others, **named)
        if new:
            args[_OPTION] = True
        if args.get(_OPTION):
            known = vocab["deprel"]
            labels = [known.id2unit(number) for number in range(VOCAB_PREFIX_SIZE, len(known))]
            width, hidden = 2 * args["hidden_dim"], args["deep_biaff_hidden_dim"]
            self.deprel = PartsScorer(labels, width, hidden, args["dropout"])

    return Replacement(parser, "__init__", made)
