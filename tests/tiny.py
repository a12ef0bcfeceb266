"""Encoders and networks so small that a test can run them many times, with random weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from arctree.network.encoder import Encoder
from arctree.network.inference import to_tensors
from arctree.network.network import Network
from arctree.network.scratch import ScratchEncoder, ScratchVocabularies
from arctree.parsing.answers import ArcValues, Outcomes
from arctree.parsing.settings import Configuration, ParserSettings, Scratch
from arctree.parsing.vocabulary import Vocabulary
from arctree.sentence import Sentence
from arctree.training.corpus import Example, examples_of, outcomes_of, trees_to_learn

CPU = torch.device("cpu")
# What the small encoders have learnt: four words that occur twice, and their letters.
LEARNT = [["the", "old", "dog", "sees", "the", "cat"], ["old", "dog", "sees", "a", "bird"]]
WIDTHS: dict[str, Any] = {
    "word_width": 8,
    "character_width": 6,
    "spelling_width": 8,
    "width": 16,
    "layers": 2,
    "dropout": 0.0,
    "word_dropout": 0.0,
}
# Labels for the root arc only, for both, and for others only.
LABELS = ("root", "both", "nsubj", "obj", "det")
ON_ROOT = (True, True, False, False, False)
ON_OTHERS = (False, True, True, True, True)
TAGS = {"upos": Vocabulary(["NOUN", "VERB", "DET"]), "xpos": Vocabulary(["a", "b"])}
MARKS = ArcValues(Vocabulary(["", "↑obj"]), (True, False), (True, True))
OUTCOMES = Outcomes(ArcValues(Vocabulary(LABELS), ON_ROOT, ON_OTHERS), MARKS, TAGS)
SETTINGS = ParserSettings(hidden=16, label_width=8, dropout=0.0)


def randomise(module: nn.Module, seed: int = 0) -> None:
    """Weights large enough that decisions differ from place to place."""
    source = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            drawn = torch.randn(parameter.shape, generator=source)
            parameter.copy_(drawn / max(parameter.shape[-1], 1) ** 0.5)


def tiny_encoder(
    kind: str = "recurrent", static: Sequence[str] = (), static_width: int = 0, **changes: Any
) -> ScratchEncoder:
    """An encoder in eval mode."""
    settings = Scratch(**{**WIDTHS, "kind": kind, **changes})
    encoder = ScratchEncoder(settings, ScratchVocabularies.of(LEARNT, static), static_width)
    randomise(encoder)
    return encoder.eval()


def tiny_network(
    kind: str = "mapped", encoder: Encoder | None = None, outcomes: Outcomes = OUTCOMES
) -> Network:
    """A network in eval mode."""
    settings = ParserSettings(kind=kind, hidden=16, label_width=8, dropout=0.0)  # type: ignore[arg-type]
    network = Network(encoder or tiny_encoder(), settings, outcomes).eval()
    randomise(network)
    return network


def vectors_of(encoder: Encoder, sentences: Sequence[Sequence[str]]) -> Tensor:
    """One vector a row."""
    inputs = to_tensors(encoder.lay_out(encoder.prepare(sentences)), CPU)
    with torch.inference_mode():
        vectors: Tensor = encoder(inputs)
    return vectors


def learnable(
    sentences: Sequence[Sentence], kind: str = "mapped", encoder: Encoder | None = None
) -> tuple[Network, list[Example]]:
    """A network with the labels and tags of these sentences, and what it can learn of them."""
    sections = {"data": {"train": "-", "dev": "-"}, "parser": {"kind": kind}}
    configuration = Configuration.read(sections)
    trees = trees_to_learn(sentences, configuration)
    outcomes = outcomes_of(sentences, trees, configuration)
    network = tiny_network(kind, encoder, outcomes)
    examples = examples_of(sentences, trees, outcomes, network.encoder, kind)
    return network, examples
