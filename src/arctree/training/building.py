"""What a run is built of: the encoder with its vocabularies, the optimiser and its rates."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
import torch

from arctree.network.encoder import Encoder
from arctree.network.network import Network
from arctree.network.pretrained import PretrainedEncoder
from arctree.network.scratch import ScratchEncoder, ScratchVocabularies
from arctree.parsing.settings import EncoderSettings, Pretrained, TrainingSettings
from arctree.training.vectors import read_vectors

Words = Sequence[Sequence[str]]


def build_encoder(settings: EncoderSettings, train: Words) -> Encoder:
    """The encoder, with the words of the training data."""
    if isinstance(settings, Pretrained):
        return PretrainedEncoder.from_source(settings)
    words, vectors = _static_vectors(settings.vectors, settings.vector_limit)
    width = vectors.shape[1] if words else 0
    encoder = ScratchEncoder(settings, ScratchVocabularies.of(train, words), width)
    if words:
        encoder.set_static(vectors)
    return encoder


def _static_vectors(
    paths: Sequence[str], limit: int
) -> tuple[list[str], np.ndarray[tuple[int, int], np.dtype[np.float32]]]:
    """The vectors of all files side by side; zeros where a file does not have a word."""
    found = [read_vectors(path, limit=limit) for path in paths]
    words = list(dict.fromkeys(chain.from_iterable(words for words, _ in found)))
    place = {word: number for number, word in enumerate(words)}
    table = np.zeros((len(words), sum(vectors.shape[1] for _, vectors in found)), np.float32)
    column = 0
    for some, vectors in found:
        rows = [place[word] for word in some]
        # Every file counts the same, whatever its scale.
        scale = float(vectors.std()) if vectors.size else 0.0
        table[rows, column : column + vectors.shape[1]] = vectors / (scale or 1.0)
        column += vectors.shape[1]
    return words, table


def build_optimizer(network: Network, settings: TrainingSettings) -> torch.optim.Optimizer:
    """AdamW; a pretrained transformer has its own rate, and biases do not decay."""
    groups = []
    for is_encoder in (True, False):
        for decays in (True, False):
            parameters = [
                parameter
                for name, parameter in network.named_parameters()
                if parameter.requires_grad
                and name.startswith("encoder.transformer.") is is_encoder
                and (parameter.ndim > 1) is decays
            ]
            if parameters:
                rate = settings.encoder_rate if is_encoder else settings.rate
                decay = settings.weight_decay if decays else 0.0
                groups.append({"params": parameters, "full_rate": rate, "weight_decay": decay})
    return torch.optim.AdamW(
        groups,
        lr=settings.rate,
        betas=(0.9, settings.second_moment),
        fused=network.device.type == "cuda",
    )


def rate_at(done: float, warmup: float) -> float:
    """The share of the full rate when a share of the run is done: up, then down to zero."""
    return done / warmup if done < warmup else (1 - done) / max(1 - warmup, 1e-9)
