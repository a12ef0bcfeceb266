"""Stanza's dependency parser learns the same with fewer operations."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stanza.models import parser
from stanza.models.common import char_model
from stanza.models.common.biaffine import DeepBiaffineScorer
from stanza.models.common.data import get_long_tensor
from stanza.models.common.pretrain import Pretrain
from stanza.models.depparse import data
from stanza.models.depparse.model import GraphParser
from stanza.models.depparse.trainer import GraphTrainer, unpack_batch
from stanza.utils.conll import CoNLL
from torch.nn.utils.rnn import pack_sequence

from arctree import conllu
from arctree.study.stanza.adapter import silent
from arctree.study.stanza.graph_lighter import (
    lighter_training,
    packed,
    padded,
    score_at_heads,
)
from arctree.study.stanza.replacing import replaced
from arctree.study.stanza.vectors import write_pretrain
from toy_language import toy_treebank


def unwanted(*_: object, **__: object) -> Any:
    raise AssertionError("left to Stanza")


@given(st.lists(st.lists(st.integers(0, 10**9), min_size=1, max_size=9), min_size=1, max_size=30))
def test_rows_of_numbers_are_padded_at_once(rows: list[list[int]]) -> None:
    found = padded(unwanted)(rows, len(rows))
    wanted = get_long_tensor(rows, len(rows))
    assert torch.equal(found, wanted)
    assert found.dtype == wanted.dtype


@pytest.mark.parametrize("rows", [[[], [1]], [[[1, 2], [3, 4]], [[5, 6]]], [[1, 2], [3]]])
def test_other_rows_and_other_options_are_left_to_stanza(rows: list[Any]) -> None:
    assert torch.equal(
        padded(get_long_tensor)(rows, len(rows), pad_id=7),
        get_long_tensor(rows, len(rows), pad_id=7),
    )
    if rows != [[1, 2], [3]]:
        with pytest.raises(AssertionError, match="left to Stanza"):
            padded(unwanted)(rows, len(rows))


@given(st.lists(st.integers(1, 7), min_size=1, max_size=9))
def test_sentences_are_packed_at_once(lengths: list[int]) -> None:
    """To the last digit as torch does it, and so are the gradients."""
    lengths = sorted(lengths, reverse=True)
    found = []
    for pack in (pack_sequence, packed(unwanted)):
        torch.manual_seed(3)
        words = torch.randn(sum(lengths), 2, requires_grad=True)
        made = pack(list(torch.split(words, lengths)))
        assert made.sorted_indices is None
        assert made.unsorted_indices is None
        (made.data * torch.randn(made.data.shape)).sum().backward()
        found.append((made.data, made.batch_sizes, words.grad))
    for one, other in zip(*found, strict=True):
        assert one is not None
        assert torch.equal(one, other)
        assert one.dtype == other.dtype


@pytest.mark.parametrize("lengths", [[2, 3], [3, 0]])
def test_sentences_in_another_order_and_empty_ones_are_left_to_torch(lengths: list[int]) -> None:
    words = [torch.zeros(length, 2) for length in lengths]
    with pytest.raises(AssertionError, match="left to Stanza"):
        packed(unwanted)(words)
    with pytest.raises(AssertionError, match="left to Stanza"):
        packed(unwanted)(words, enforce_sorted=False)


def test_stanza_comes_back_as_it_was() -> None:
    forward = GraphParser.forward
    with replaced(lighter_training()):
        assert data.get_long_tensor is not get_long_tensor
        assert char_model.pack_sequence is not pack_sequence
        assert GraphParser.forward is not forward
    assert data.get_long_tensor is get_long_tensor
    assert char_model.pack_sequence is pack_sequence
    assert GraphParser.forward is forward


def trainer(folder: Path, *options: str) -> tuple[Any, Any]:
    """Stanza's trainer over a small network with random weights, and batches to learn from."""
    options = (
        "--hidden_dim",
        "6",
        "--char_hidden_dim",
        "5",
        "--deep_biaff_hidden_dim",
        "7",
        *options,
    )
    given = ("--no_upos", "--no_xpos", "--no_ufeats", "--lang", "xx", "--shorthand", "xx_study")
    arguments = parser.parse_args([*given, "--device", "cpu", *options])
    arguments["word_cutoff"] = 1
    conllu.write(toy_treebank(20, 3), str(folder / "toy.conllu"))
    write_pretrain((), 1, folder / "vectors.pt")
    vectors = Pretrain(str(folder / "vectors.pt"))
    with silent():
        document = CoNLL.conll2doc(str(folder / "toy.conllu"))
        batches = data.DataLoader(document, 1000, arguments, vectors, evaluation=False)
        torch.manual_seed(1)
        made = GraphTrainer(args=arguments, vocab=batches.vocab, pretrain=vectors, device="cpu")
    for weight in made.model.parameters():
        torch.nn.init.normal_(weight, std=0.3)  # Stanza's scorers start with zeros
    return made, batches


@pytest.mark.parametrize(
    "options", [(), ("--no_linearization", "--no_distance"), ("--use_arc_embedding",)]
)
def test_loss_and_gradients_are_those_of_stanza(options: tuple[str, ...], tmp_path: Path) -> None:
    """With the same random choices: dropout hides the same numbers.

    The vectors of arcs have no scorer of labels, and are left to Stanza.
    """
    made, batches = trainer(tmp_path, *options)
    found: list[tuple[Any, list[Any]]] = []
    for changes in ([], lighter_training()):
        with replaced(changes):
            torch.manual_seed(2)
            random.seed(2)  # Stanza changes some sentences by chance
            made.model.train()
            made.model.zero_grad()
            inputs, _, *others = unpack_batch(batches[0], "cpu")
            loss, _ = made.model.loss(*inputs, *others)
            loss.backward()
        weights = [weight for weight in made.model.parameters() if weight.requires_grad]
        found.append((loss, [weight.grad.clone() for weight in weights if weight.grad is not None]))
    (theirs, their_gradients), (ours, our_gradients) = found
    assert torch.allclose(ours, theirs)
    assert len(our_gradients) == len(their_gradients) > 20
    for mine, other in zip(our_gradients, their_gradients, strict=True):
        assert torch.allclose(mine, other, atol=1e-6)


def test_labels_of_gold_arcs_are_scored_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In training; what parses afterwards scores every pair again."""
    made, batches = trainer(tmp_path)
    scored: list[int] = []
    plain = DeepBiaffineScorer.forward

    def counted(scorer: Any, *sides: Any) -> Any:
        found = plain(scorer, *sides)
        scored.append(found.shape[-1])
        return found

    monkeypatch.setattr(DeepBiaffineScorer, "forward", counted)
    labels = made.model.num_relations
    assert labels > 1
    with replaced(lighter_training()):
        made.update(batches[0])
        assert scored == [1, 1, 1]
        scored.clear()
        made.predict(batches[0])
    assert sorted(scored) == [1, 1, 1, labels]


def test_labels_at_heads_are_scored_as_those_of_all_pairs() -> None:
    """Three sentences of four words and the root; each word has one head, the root is its own."""
    torch.manual_seed(3)
    scorer = DeepBiaffineScorer(6, 6, 5, 7, dropout=0.5).eval()
    torch.nn.init.normal_(scorer.scorer.W_bilin.weight)
    torch.nn.init.normal_(scorer.scorer.W_bilin.bias)
    vectors, heads = torch.randn(3, 5, 6), torch.randint(0, 5, (3, 4))
    found = score_at_heads(scorer, vectors, vectors, heads)
    pairs = scorer(vectors, vectors)  # of [sentence, dependent, head, label]
    for sentence in range(3):
        for word, head in enumerate([0, *heads[sentence].tolist()]):
            assert torch.allclose(found[sentence, word], pairs[sentence, word, head], atol=1e-5)
