"""Dev scores during training: UAS, and LAS over full labels, of every word.

They equal those of :mod:`arctree.evaluation`, which the model card is written with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arctree.network.encoder import Encoder
from arctree.network.inference import analyse
from arctree.network.network import Network
from arctree.parser import Parser
from arctree.sentence import Sentence


@dataclass(frozen=True)
class Attachment:
    """Word by word whether the head is right, and the label too; and how sure the parser was."""

    heads: NDArray[np.bool_]
    arcs: NDArray[np.bool_]
    probabilities: NDArray[np.float64]

    @property
    def uas(self) -> float:
        return float(self.heads.mean())

    @property
    def las(self) -> float:
        return float(self.arcs.mean())


class Scored:
    """Sentences whose trees are known, prepared to be parsed again and again."""

    def __init__(self, sentences: Sequence[Sentence], encoder: Encoder) -> None:
        self.sentences = sentences
        self.prepared = encoder.prepare([sentence.forms for sentence in sentences])
        self.sizes = [len(sentence) for sentence in sentences]

    def attachment(self, parser: Parser, network: Network) -> Attachment:
        """Parse the sentences and compare."""
        heads, arcs, probabilities = [], [], []
        network.eval()
        analyses = analyse(network, self.prepared, self.sizes)
        for sentence, analysis in zip(self.sentences, analyses, strict=True):
            tree = parser.tree_of(sentence.forms, analysis)
            right = np.array(tree.heads) == np.array(sentence.heads)
            same = [a == b for a, b in zip(tree.labels, sentence.deprels, strict=True)]
            heads.append(right)
            arcs.append(right & np.array(same))
            probabilities.append(analysis.arc_probabilities)
        return Attachment(*map(np.concatenate, (heads, arcs, probabilities)))
