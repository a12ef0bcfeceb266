"""BERTs so small that they are made in a moment, and parsers on them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import BertConfig, BertModel, BertTokenizerFast

from arctree.network.model import Model
from arctree.network.network import Network
from arctree.network.pretrained import PretrainedEncoder
from arctree.parsing.answers import Outcomes
from arctree.parsing.settings import ParserSettings, Pretrained
from tiny import OUTCOMES, randomise
from toy_language import ADJECTIVES, ADVERBS, NOUNS, VERBS

LAYERS = 2
SIZES: dict[str, Any] = {
    "hidden_size": 16,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 2,
    "intermediate_size": 32,
}
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PIECES = [*SPECIAL, "the", "book", "##s", "##ed", "?"]
PIECES += [piece for letter in "abcdefghijkl" for piece in (letter, f"##{letter}")]
# Words for which WordPiece has no piece at all: control and zero-width characters, and spaces.
INVISIBLE = ["\u200b", "\x00", "\x7f", "\u00ad", "\u2060", " ", "\u3000"]
LONG = ["the", "books", "abed"] * 50
# Enough for every word of the little language, and some in two pieces.
TOY_PIECES = [*SPECIAL, "the", "of", "in", "with", "who", "children", "##s", "."]
TOY_PIECES += [*NOUNS, *VERBS, *ADJECTIVES, *ADVERBS]


def write_bert(folder: Path, pieces: Sequence[str] = PIECES, **changes: Any) -> None:
    """WordPiece, [CLS] … [SEP]; 40 positions, of which 36 are for sub-words."""
    folder.mkdir()
    (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece in pieces), "utf-8")
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    (folder / "vocab.txt").unlink(missing_ok=True)
    torch.manual_seed(1)
    values = {"max_position_embeddings": 40, **SIZES, **changes}
    BertModel(BertConfig(vocab_size=len(pieces), **values)).save_pretrained(folder)


def load_encoder(folder: Path, **settings: Any) -> PretrainedEncoder:
    """An encoder in eval mode, with a root that is not zero."""
    encoder = PretrainedEncoder.from_source(Pretrained(str(folder), **settings)).eval()
    with torch.no_grad():
        encoder.root.copy_(torch.linspace(-1, 1, encoder.width))
    return encoder


def random_model(
    encoder: PretrainedEncoder, outcomes: Outcomes = OUTCOMES, seed: int = 0, **parser: Any
) -> Model:
    """A parser with random weights, whose answers differ from place to place."""
    sizes: dict[str, Any] = {"hidden": 16, "label_width": 8, "mark_width": 4, "dropout": 0.0}
    settings = ParserSettings(**{**sizes, **parser})
    network = Network(encoder, settings, outcomes).eval()
    randomise(network, seed)
    with torch.no_grad():
        for module in network.modules():
            if isinstance(module, nn.LayerNorm):
                module.weight.add_(1)
        network.arcs.temperature.fill_(1.7)
        network.labeller.temperature.fill_(0.6)
    return Model(network, outcomes, settings)


def on_bert(folder: Path) -> list[str]:
    """What to set so that a parser on this encoder is trained in seconds."""
    return [
        f"encoder.source={folder}",
        "encoder.masking=0",
        "parser.hidden=48",
        "parser.label_width=24",
        "parser.mark_width=8",
        "parser.dropout=0.1",
        "tags.weight=1",
        "training.batch=250",
        "training.rate=5e-3",
        "training.encoder_rate=3e-3",
        "training.device=cpu",
        "segmenter.train=false",
    ]
