"""Word vectors in Stanza's own form."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from arctree.training.vectors import read_vectors


def write_pretrain(paths: tuple[str, ...], limit: int, target: Path) -> None:
    """The vectors of these files, side by side, as a pretrain file of Stanza's.

    A word that a file does not have gets zeros from it. Stanza puts four entries of its own
    before the words: padding, unknown, empty and root. Where no word has a capital letter, words
    are looked up without theirs.
    """
    import torch
    from stanza.models.common.pretrain import Pretrain, PretrainedWordVocab
    from stanza.models.common.vocab import VOCAB_PREFIX

    files = [read_vectors(path, limit) for path in paths]
    words = list(dict.fromkeys(word for known, _ in files for word in known))
    place = {word: number for number, word in enumerate(words, start=len(VOCAB_PREFIX))}
    columns = []
    for known, matrix in files:
        column = np.zeros((len(place) + len(VOCAB_PREFIX), matrix.shape[1]), np.float32)
        column[[place[word] for word in known]] = matrix
        columns.append(column)
    if not columns:
        columns.append(np.zeros((len(VOCAB_PREFIX), 1), np.float32))
    pretrain = Pretrain(str(target))
    pretrain._vocab = PretrainedWordVocab(words, lower=all(map(_is_lower, words)))
    pretrain._emb = torch.from_numpy(np.concatenate(columns, axis=1))
    pretrain.save(str(target))


def _is_lower(word: str) -> bool:
    return word == word.lower()
