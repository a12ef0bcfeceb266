"""Vectors of words where they stand, as a tree parser's labeller has learnt to make them.

Stanza's constituency parser has a place for what networks that were trained before make of the
words of a sentence: two language models of characters. They do not learn any more when trees are
learnt. A tree system's labeller is such a network, too. It is Stanza's dependency parser, and was
trained on the same trees: its LSTM over the whole sentence has learnt to tell arcs and labels
apart. Here its vectors stand beside those of the first model of characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import torch
from stanza.models.common.char_model import CharacterLanguageModel
from stanza.models.depparse.data import DataLoader, Dataset
from stanza.models.depparse.trainer import unpack_batch
from stanza.utils.conll import CoNLL

from arctree.errors import DataError
from arctree.parsing.model_files import file_hash
from arctree.study.stanza.adapter import Replacement, replaced
from arctree.study.stanza.columns import chain_of, format_columns
from arctree.study.stanza.graph_lighter import padding_at_once
from arctree.study.stanza.graph_parser import MODEL, load_network


class Context(torch.nn.Module):
    """A labeller beside a model of characters, in that one's place."""

    is_forward_lm = True  # says Stanza's network of what may stand in this place

    def __init__(self, labeller: Path, device: str, characters: Any) -> None:
        super().__init__()
        trainer, self._vectors = load_network(labeller, device)
        self._args, self._vocabulary = trainer.args, trainer.vocab
        self.encoder = trainer.model
        self.characters = characters
        # What scores arcs and labels is most of the labeller, and has no say here.
        self.encoder.unlabeled = self.encoder.deprel = torch.nn.Identity()

    def hidden_dim(self) -> int:
        """How many numbers a word has."""
        return int(2 * self._args["hidden_dim"] + self.characters.hidden_dim())

    def train(self, mode: bool = True) -> Self:
        """It does not learn any more, nor leave anything out, when what reads it learns."""
        return super().train(mode=False)

    def build_char_representation(self, sentences: Sequence[Sequence[str]]) -> list[Any]:
        """For each sentence the vectors of its words."""
        read = self.characters.build_char_representation(list(map(list, sentences)))
        pairs = zip(read, self._contexts(sentences), strict=True)
        return [torch.cat(pair, dim=1) for pair in pairs]

    @torch.no_grad()
    def _contexts(self, sentences: Sequence[Sequence[str]]) -> list[Any]:
        """By Stanza's own code, from words to numbers to vectors."""
        document = CoNLL.conll2doc(input_str="".join(map(format_columns, map(chain_of, sentences))))
        data = Dataset(document, self._args, self._vectors, self._vocabulary, evaluation=True)
        with replaced([padding_at_once()]):
            batch = DataLoader.collate(list(data))
        device = next(self.encoder.parameters()).device
        inputs, order, *rest = unpack_batch(batch, device)
        made = self.encoder.embed(*inputs, *rest)
        found: list[Any] = [None] * len(sentences)
        for row, place in enumerate(order):
            found[place] = made[row, 1 : len(sentences[place]) + 1]  # the root is the first
        return found


def note_labeller(folder: Path, labeller: Path) -> None:
    """Note in a tree parser's folder whose contexts it learns to read, if it is not noted yet."""
    note = folder / _NOTE
    if not note.is_file():
        note.write_text(file_hash(labeller / MODEL) + "\n", "utf-8")


def reading_contexts(folder: Path, labeller: Path | None, device: str) -> list[Replacement]:
    """Where it is noted: Stanza reads the labeller with the first of its models of characters."""
    note = folder / _NOTE
    if not note.is_file():
        return []
    if labeller is None or file_hash(labeller / MODEL) != note.read_text("utf-8").strip():
        raise DataError(
            "a tree parser that has learnt to read the contexts of another labeller",
            "bring that labeller with it, or remove the system's folder and train it again",
            file=str(folder),
        )
    load = CharacterLanguageModel.load

    def load_both(filename: str, finetune: bool = False) -> Any:
        characters = load(filename, finetune)
        return Context(labeller, device, characters) if characters.is_forward_lm else characters

    return [Replacement(CharacterLanguageModel, "load", staticmethod(load_both))]


_NOTE = "contexts-of.sha256"
