"""Lessons: what a network learns from, gold or silver, sentence by number.

Gold sentences are annotated by people: the network has to give one answer. Silver ones are
annotated by teachers (:mod:`arctree.training.teaching`), in shares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import torch

from arctree.errors import CallError, DataError
from arctree.network.encoder import Encoder
from arctree.network.model import Model
from arctree.network.network import Batch, Network
from arctree.network.pretrained import PretrainedEncoder
from arctree.parsing.answers import Outcomes
from arctree.parsing.lemmatiser import Lemmatiser
from arctree.parsing.model_files import file_hash
from arctree.parsing.settings import Configuration
from arctree.training.batching import to_batch
from arctree.training.building import build_encoder
from arctree.training.corpus import (
    Example,
    examples_of,
    lemmatiser_of,
    outcomes_of,
    read_treebank,
    trees_to_learn,
)
from arctree.training.packing import PackedSilver
from arctree.training.silver import ARRAYS, Silver


class Lessons(Protocol):
    """Sentences to learn from: what each costs, how often an epoch sees it, how long it is."""

    costs: list[int]
    weights: list[float]
    sizes: list[int]

    def batch(self, numbers: Sequence[int]) -> Batch:
        """These sentences as a batch on the network's device."""


class GoldLessons:
    """Sentences of treebanks."""

    def __init__(
        self,
        examples: Sequence[Example],
        weights: list[float],
        encoder: Encoder,
        device: torch.device,
    ) -> None:
        self.examples = examples
        self.weights = weights
        self.costs: list[int] = [example.prepared.cost for example in examples]
        self.sizes = [example.size for example in examples]
        self._encoder = encoder
        self._device = device

    def batch(self, numbers: Sequence[int]) -> Batch:
        return to_batch([self.examples[n] for n in numbers], self._encoder, self._device)


@dataclass(frozen=True)
class Prepared:
    """A network that has learnt nothing yet, its lessons, and what is to be said of them."""

    network: Network
    outcomes: Outcomes
    lemmatiser: Lemmatiser | None
    lessons: Lessons
    files: Sequence[Mapping[str, Any]]
    summary: str


def prepare(configuration: Configuration, device: torch.device) -> Prepared:
    """Read what the configuration wants learnt, and build the network for it."""
    if configuration.data.silver:
        return _prepare_silver(configuration, device)
    return _prepare_gold(configuration, device)


def _prepare_gold(configuration: Configuration, device: torch.device) -> Prepared:
    data = configuration.data
    train = read_treebank(data.train)
    trees = trees_to_learn(train.sentences, configuration)
    start = _started(configuration)
    outcomes = start.outcomes if start else outcomes_of(train.sentences, trees, configuration)
    encoder = build_encoder(configuration.encoder, [sentence.forms for sentence in train.sentences])
    network = _network(encoder, configuration, outcomes, start, device)
    examples = examples_of(train.sentences, trees, outcomes, encoder, configuration.parser.kind)
    weights = data.weights or (1.0,) * len(data.train)
    lifted = sum(
        tree.heads != sentence.heads for tree, sentence in zip(trees, train.sentences, strict=True)
    )
    return Prepared(
        network,
        outcomes,
        lemmatiser_of(train.sentences, outcomes, configuration),
        GoldLessons(examples, [weights[n] for n in train.file_of], encoder, device),
        [facts.to_json() for facts in train.files],
        f"{len(train.sentences):,} sentences to learn from, {lifted:,} of them lifted",
    )


def _prepare_silver(configuration: Configuration, device: torch.device) -> Prepared:
    folders = [Path(name) for name in configuration.data.silver]
    corpora = [Silver.load(folder) for folder in folders]
    silver = corpora[0] if len(corpora) == 1 else Silver.joined(corpora, {})
    if (kind := configuration.parser.kind) != "mapped":
        raise CallError(
            f"silver holds transitions of the mapped system; the parser of kind {kind} learns "
            "from gold alone"
        )
    encoder = build_encoder(configuration.encoder, [])
    if not isinstance(encoder, PretrainedEncoder):
        raise CallError("silver is learnt with a pretrained encoder; name one in encoder.source")
    start = _started(configuration)
    if start is not None and start.outcomes != silver.outcomes:
        raise CallError("training.start answers with other labels or tags than the silver has")
    network = _network(encoder, configuration, silver.outcomes, start, device)
    files = [
        {
            "name": folder.name,
            "sha256": file_hash(folder / ARRAYS),
            "sentences": len(corpus),
            "words": len(corpus.words),
            "non_projective": 0,
        }
        for folder, corpus in zip(folders, corpora, strict=True)
    ]
    return Prepared(
        network,
        silver.outcomes,
        silver.lemmatiser if configuration.tags.lemmas else None,
        PackedSilver(silver, encoder, device),
        files,
        f"{len(silver):,} silver sentences, {len(silver.words):,} words to learn from",
    )


def _started(configuration: Configuration) -> Model | None:
    """The model that the run begins with, if any."""
    start = configuration.training.start
    return Model.load(Path(start), torch.device("cpu")) if start else None


def _network(
    encoder: Encoder,
    configuration: Configuration,
    outcomes: Outcomes,
    start: Model | None,
    device: torch.device,
) -> Network:
    network = Network(encoder, configuration.parser, outcomes)
    if start is not None:
        try:
            network.load_state_dict(start.network.state_dict())
        except RuntimeError as error:
            raise DataError(
                f"its weights do not fit: {str(error).splitlines()[-1].strip()}",
                "give the run the [encoder] and [parser] that the model was trained with",
                file=configuration.training.start,
            ) from error
    return network.to(device)
