"""Stanza's networks learn what they are told to, and the one that learnt most is kept."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch
from stanza.models.constituency.tree_reader import read_trees
from stanza.models.constituency_parser import main

from arctree.dependency import DependencyTree
from arctree.labels import base_label
from arctree.lifting import lift
from arctree.study.stanza.adapter import hosting
from arctree.study.stanza.graph_parser import GraphParser
from arctree.study.stanza.parts import Part
from arctree.study.stanza.settings import StanzaSettings
from arctree.study.stanza.tree_parser import TreeKind, TreeParser, _Selection
from arctree.study.stanza.trees import format_for_stanza
from toy_language import toy_treebank

pytestmark = pytest.mark.xdist_group("stanza")
KINDS: tuple[TreeKind, ...] = ("mapped", "in-order")


def ignored(_: str) -> None:
    """Somebody who does not listen."""


@pytest.fixture(scope="module")
def trees() -> list[DependencyTree]:
    return [lift(sentence.tree) for sentence in toy_treebank(120, 1)]


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_trees_are_learnt(
    kind: TreeKind, beside: bool, trees: list[DependencyTree], tmp_path: Path
) -> None:
    """With relations and tags beside them, and without."""
    settings = StanzaSettings(
        learn_relations=beside,
        epochs=10 if beside else 6,
        epoch_size=len(trees),
        batch=10,
        tree_options=(
            *("--hidden_size", "32", "--no_multistage", "--optim", "adamw"),
            *("--learning_rate", "0.01", "--oracle_initial_epoch", "1000"),
        ),
    )
    tags = {tree.words: [word[0] for word in tree.words] for tree in trees} if beside else {}
    parser = TreeParser(kind, settings, 1, "cpu", tags=tags)
    parser.train(Part(tmp_path), trees, trees[:20], ignored)
    wanted = [head for tree in trees for head in tree.heads]
    found = [head for answer in parser.load(tmp_path)(trees) for head in answer.heads]
    assert sum(map(int.__eq__, wanted, found)) > 0.9 * len(wanted)


@pytest.mark.parametrize("relations", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_actions_are_learnt_with_relations_or_without(
    kind: TreeKind, relations: bool, trees: list[DependencyTree], tmp_path: Path
) -> None:
    """And a relation that only dev has is no fault."""
    settings = StanzaSettings(
        learn_relations=relations, epochs=2, epoch_size=10, tree_options=("--hidden_size", "8")
    )
    unseen = trees[0].with_arcs(trees[0].heads, ["unseen"] * len(trees[0]))
    parser = TreeParser(kind, settings, 1, "cpu")
    parser.train(Part(tmp_path), trees, [unseen, *trees[:4]], ignored)
    learnt = {repr(action) for action in parser._load(tmp_path).model.transitions}
    shifts = {action for action in learnt if action.upper().startswith("SHIFT")}
    others = learnt - shifts
    arcs = [
        (base_label(label), "|" if head == 0 else "<>"[head > word])
        for tree in trees
        for word, (head, label) in enumerate(zip(tree.heads, tree.labels, strict=True), start=1)
    ]
    name = "SHIFT" if kind == "mapped" else "Shift"
    borne = {label for label, _ in arcs} if relations else {"UA"}
    if relations:
        assert len(borne) > 4
        assert shifts == {f"{name}(_ {label} {side})" for label, side in arcs}
    else:
        assert shifts == {name}
    if kind == "in-order":
        opened = {f"OpenConstituent(('{label}',))" for label in (*borne, "ROOT")}
        assert others == {"CloseConstituent", *opened}
    else:
        named = [re.findall(r"\((.+)\)", action) or ["UA"] for action in others]
        assert {label for labels in named for label in labels} == borne


@pytest.mark.parametrize("relations", [False, True])
def test_relations_are_learnt_from_gold_sequences_alone(
    relations: bool, trees: list[DependencyTree], tmp_path: Path
) -> None:
    """Whatever the options say: Stanza's oracle would mend a wrong relation by another tree."""
    settings = StanzaSettings(
        learn_relations=relations,
        epochs=2,
        epoch_size=10,
        tree_options=("--hidden_size", "8", "--oracle_initial_epoch", "1"),
    )
    name = "stanza.models.constituency.in_order_oracle.InOrderOracle.fix_error"
    with mock.patch(name, side_effect=AssertionError) as asked:
        parser = TreeParser("in-order", settings, 1, "cpu")
        if relations:
            parser.train(Part(tmp_path), trees, trees[:4], ignored)
        else:
            with pytest.raises(AssertionError):
                parser.train(Part(tmp_path), trees, trees[:4], ignored)
    assert asked.called is not relations


@pytest.mark.parametrize("heads_are_given", [True, False])
def test_labels_and_arcs_are_learnt(
    heads_are_given: bool, trees: list[DependencyTree], tmp_path: Path
) -> None:
    settings = StanzaSettings(
        steps=60,
        word_batch=200,
        graph_options=(
            *("--hidden_dim", "32", "--char_hidden_dim", "16", "--deep_biaff_hidden_dim", "32"),
            *("--lr", "0.01", "--optim", "adam", "--second_optim_start_step", "1000"),
        ),
    )
    parser = GraphParser(settings, 1, "cpu", heads_are_given=heads_are_given)
    parser.train(Part(tmp_path), trees, trees[:20], ignored)
    wanted = [arc for tree in trees for arc in zip(tree.heads, tree.labels, strict=True)]
    answers = parser.load(tmp_path)(trees)
    found = [arc for tree in answers for arc in zip(tree.heads, tree.labels, strict=True)]
    right = sum(one == other for one, other in zip(wanted, found, strict=True))
    assert right > (0.6 if heads_are_given else 0.5) * len(wanted)


@pytest.mark.parametrize("best", [1, 2, 3])
def test_the_epoch_with_the_best_score_is_kept(
    best: int, trees: list[DependencyTree], tmp_path: Path
) -> None:
    """By Stanza's own program, whatever its own scores would say."""
    settings = StanzaSettings(
        epochs=3, epoch_size=10, batch=10, tree_options=("--hidden_size", "8", "--no_multistage")
    )
    parser = TreeParser("mapped", settings, 1, "cpu")
    parser.train(Part(tmp_path), trees, trees[:5], ignored)
    for path in tmp_path.glob("*parser*.pt"):
        path.unlink()
    scores = iter([0.9 if epoch == best else 0.2 for epoch in (1, 2, 3)])
    with hosting(mapped=True, score=lambda pairs: next(scores)):
        main(parser._arguments(tmp_path))
    kept = torch.load(tmp_path / "parser.pt", weights_only=True)
    assert kept["epochs_trained"] == kept["best_epoch"] == best
    assert kept["best_f1"] == 0.9


def as_stanza(tree: DependencyTree, heads: tuple[int, ...]) -> Any:
    (found,) = read_trees(format_for_stanza(tree.words, heads, ["_"] * len(tree)))
    return found.prune_none().simplify_labels()


def test_what_stanza_gave_up_on_counts_as_wrong(book: DependencyTree, tmp_path: Path) -> None:
    """Of three sentences one is right, of one two words in five, and one is not there."""
    chain = tuple(range(5))
    assert sum(map(int.__eq__, book.heads, chain)) == 2
    said: list[str] = []
    parser = TreeParser("mapped", StanzaSettings(epochs=2), 1, "cpu")
    selection = _Selection(parser, Part(tmp_path), 3 * len(book), said.append)
    gold, other = as_stanza(book, book.heads), as_stanza(book, chain)
    assert selection.score([(gold, gold), (gold, other)]) == pytest.approx(7 / 15)
    (message,) = said
    assert "epoch 1 of 2: dev UAS against φ(D) 46.67" in message
