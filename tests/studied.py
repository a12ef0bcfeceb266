"""A small study of the little language, for the tests that need one."""

from __future__ import annotations

from pathlib import Path

from trained import write_toy_files

CONFIGURATION = """
[study]
title = "Toy & co_1"
seeds = [1, 2]
device = "cpu"
speed_words = 60

[data]
train = "{folder}/train.conllu"
dev = "{folder}/dev.conllu"
test = "{folder}/test.conllu"

[settings.small.encoder]
word_width = 16
character_width = 8
spelling_width = 16
width = 48
layers = 1
dropout = 0.1

[settings.small.parser]
hidden = 32
label_width = 16
dropout = 0.1

[settings.small.tags]
lemmas = false

[settings.small.training]
epochs = {epochs}
batch = 250
rate = 8e-3

[[systems]]
name = "mapped"
kind = "mapped"
settings = "small"
encoder = "Bi_LSTM & more"

[[systems]]
name = "graph"
kind = "graph"
settings = "small"
encoder = "Bi_LSTM & more"
set = ["training.epochs=2"]
"""

# The second system, but for its name.
GRAPH = """kind = "graph"
settings = "small"
encoder = "Bi_LSTM & more"
set = ["training.epochs=2"]"""


def write_study(folder: Path, *, epochs: int = 3, train: int = 80, dev: int = 25) -> Path:
    """A configuration and its treebank."""
    write_toy_files(folder, train, dev)
    path = folder / "toy.toml"
    path.write_text(CONFIGURATION.format(folder=folder, epochs=epochs), "utf-8")
    return path
