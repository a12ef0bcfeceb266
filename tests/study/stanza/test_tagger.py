"""Tags of Stanza's tagger: learnt from the treebank, shared, and all that a parser sees of tags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
import torch
from stanza.models.common.biaffine import BiaffineScorer

from arctree import conllu
from arctree.dependency import DependencyTree
from arctree.errors import DataError
from arctree.lifting import lift
from arctree.sentence import FEATS, UPOS, XPOS, Sentence
from arctree.study.configuring import HOSTED
from arctree.study.splits import words_only
from arctree.study.stanza.columns import in_one_tag, tree_with_columns
from arctree.study.stanza.graph_parser import load_network
from arctree.study.stanza.parts import Part
from arctree.study.stanza.replacing import replaced
from arctree.study.stanza.settings import StanzaSettings
from arctree.study.stanza.systems import stanza_system
from arctree.study.stanza.tagger import Tagger, scoring_at_once
from arctree.study.stanza.trees import format_for_stanza
from arctree.study.system import Shared, Treebanks
from toy_language import toy_treebank

pytestmark = pytest.mark.xdist_group("stanza")
SETTINGS = StanzaSettings(
    epochs=2,
    epoch_size=0,
    batch=10,
    steps=4,
    word_batch=200,
    tag_steps=80,
    tree_options=("--hidden_size", "8"),
    graph_options=("--hidden_dim", "8", "--char_hidden_dim", "8"),
    tagger_options=("--hidden_dim", "20", "--char_hidden_dim", "20", "--batch_size", "20"),
)


def ignored(_: str) -> None:
    """Somebody who does not listen."""


@pytest.fixture(scope="module")
def treebanks(tmp_path_factory: pytest.TempPathFactory) -> Treebanks:
    folder = tmp_path_factory.mktemp("treebanks")
    paths = []
    for seed, (name, size) in enumerate({"train": 60, "dev": 10, "test": 12}.items()):
        paths.append((str(folder / f"{name}.conllu"),))
        conllu.write(toy_treebank(size, seed), *paths[-1])
    train, dev, test = paths
    return Treebanks(train, dev, test)


@pytest.fixture(scope="module")
def tagger(treebanks: Treebanks, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trained tagger, by way of a system that needs it."""
    folder = tmp_path_factory.mktemp("tagger")
    said: list[str] = []
    system = stanza_system("stanza-graph", SETTINGS, treebanks, 1, "cpu", Shared(tagger=folder))
    system.train(tmp_path_factory.mktemp("tagged"), said.append)
    looks = [message for message in said if message.startswith("tagger in Stanza, look")]
    assert len(looks) == 20
    assert said.index(looks[-1]) < next(i for i, told in enumerate(said) if "graph-b" in told)
    return folder


def gold_of(treebanks: Treebanks) -> list[Sentence]:
    return list(conllu.read(treebanks.test[0]))


def columns_of(sentence: Sentence) -> tuple[str, ...]:
    columns = (sentence.columns[column] for column in (UPOS, XPOS, FEATS))
    return tuple(map("\t".join, zip(*columns, strict=True)))


def test_it_learns_tags_from_words_and_keeps_all_else(treebanks: Treebanks, tagger: Path) -> None:
    tag = Tagger(SETTINGS, 1, "cpu").load(tagger)
    gold = gold_of(treebanks)
    trees = [sentence.tree for sentence in gold]
    found = tag(trees)
    assert [(tree.words, tree.heads, tree.labels) for tree in found] == [
        (tree.words, tree.heads, tree.labels) for tree in trees
    ]
    right = sum(
        one == other
        for tree, sentence in zip(found, gold, strict=True)
        for one, other in zip(tree.tags, columns_of(sentence), strict=True)
    )
    assert right > 0.8 * sum(map(len, trees))
    # Whatever tags, heads and labels there are before, and whatever stands beside.
    bare = [
        DependencyTree.trusted(tree.words, tree.heads, tree.labels, ("X\tX\tX",) * len(tree))
        for tree in reversed(trees)
    ]
    assert [tree.tags for tree in reversed(tag(bare))] == [tree.tags for tree in found]
    assert tag([]) == []


def test_tags_are_scored_as_stanza_does() -> None:
    torch.manual_seed(3)
    scorer = BiaffineScorer(6, 4, 5)
    torch.nn.init.normal_(scorer.W_bilin.weight)
    torch.nn.init.normal_(scorer.W_bilin.bias)
    sides = [torch.randn(7, width, requires_grad=True) for width in (6, 4)]
    learnt = [*scorer.parameters(), *sides]
    found = []
    for changes in ([], [scoring_at_once()]):
        with replaced(changes):
            scores = scorer(*sides)
            found.append([scores, *torch.autograd.grad(scores.square().sum(), learnt)])
    for one, other in zip(*found, strict=True):
        assert one.shape == other.shape
        assert torch.allclose(one, other, rtol=1e-4, atol=1e-5)


def test_it_is_not_trained_again(treebanks: Treebanks, tagger: Path, tmp_path: Path) -> None:
    before = (tagger / "tagger.pt").read_bytes()
    said: list[str] = []
    system = stanza_system("stanza-graph", SETTINGS, treebanks, 1, "cpu", Shared(tagger=tagger))
    trained = system.train(tmp_path, said.append)
    assert not [message for message in said if "tagger" in message]
    assert (tagger / "tagger.pt").read_bytes() == before
    alone, graph = Part(tagger).trained, Part(tmp_path / "graph").trained
    assert alone is not None
    assert graph is not None
    assert trained == system.trained(tmp_path)
    assert trained.parameters == alone.parameters + graph.parameters
    assert trained.seconds == pytest.approx(alone.seconds + graph.seconds)


def false_tags(words: Sequence[str]) -> tuple[str, ...]:
    """Tags that no annotator would give, and no tagger learn: by the place."""
    return tuple(
        f"{'NOUN' if place % 2 else 'VERB'}\tP{place % 5}\tPlace={place % 3}"
        for place in range(len(words))
    )


@pytest.mark.parametrize("kind", HOSTED)
def test_parsers_learn_from_and_see_the_tagger_s_tags_and_no_others(
    kind: str,
    treebanks: Treebanks,
    tagger: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[str, ...]] = []

    def load(_: Tagger, folder: Path) -> Any:
        assert folder == tagger

        def tag(trees: Sequence[DependencyTree]) -> list[DependencyTree]:
            asked.extend(tree.words for tree in trees)
            return [replace(tree, tags=false_tags(tree.words)) for tree in trees]

        return tag

    monkeypatch.setattr(Tagger, "load", load)
    shared = Shared(tmp_path / "labeller", tagger)
    system = stanza_system(kind, SETTINGS, treebanks, 1, "cpu", shared)
    system.train(tmp_path / "model", ignored)
    for name, paths in (("train", treebanks.train), ("dev", treebanks.dev)):
        gold = [sentence for path in paths for sentence in conllu.read(path)]
        if kind == "stanza-graph":
            part = tmp_path / "model" / "graph"
        else:
            part = tmp_path / "labeller"
            lines = (tmp_path / "model" / "tree" / f"{name}.mrg").read_text("utf-8").splitlines()
            assert lines == list(dict.fromkeys(map(as_a_line, gold)))
        learnt = list(conllu.read(str(part / f"{name}.conllu")))
        assert [columns_of(sentence) for sentence in learnt] == [
            false_tags(sentence.forms) for sentence in gold
        ]
    trainer, _ = load_network(part, "cpu")
    assert all(trainer.args[f"use_{column}"] for column in ("upos", "xpos", "ufeats"))
    asked.clear()
    gold = gold_of(treebanks)
    parse = system.load(tmp_path / "model")
    outputs = parse([words_only(sentence) for sentence in gold])
    assert asked == [sentence.forms for sentence in gold]
    # Tags that an annotator wrote change nothing.
    assert _arcs(parse(gold).sentences) == _arcs(outputs.sentences)


def as_a_line(sentence: Sentence) -> str:
    tree = lift(sentence.tree)
    tags = list(map(in_one_tag, false_tags(tree.words)))
    return format_for_stanza(tree.words, tree.heads, tags)


def _arcs(sentences: Sequence[Sentence]) -> list[Any]:
    return [(sentence.heads, sentence.deprels) for sentence in sentences]


@pytest.mark.parametrize("kind", HOSTED)
def test_tags_reach_the_network_when_it_parses(
    kind: str, treebanks: Treebanks, tagger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = stanza_system(kind, SETTINGS, treebanks, 1, "cpu", Shared(tmp_path / "l", tagger))
    system.train(tmp_path / "model", ignored)
    seen: list[Any] = []
    embed = torch.nn.Embedding.forward

    def watched(self: torch.nn.Embedding, numbers: torch.Tensor) -> torch.Tensor:
        seen.append(numbers.tolist())
        return embed(self, numbers)

    monkeypatch.setattr(torch.nn.Embedding, "forward", watched)
    sentence = gold_of(treebanks)[0]
    tags = ["NOUN\tNO\tNumber=Sing", "VERB\tVE\t_"]
    for chosen in tags:

        def load(_: Tagger, __: Path, chosen: str = chosen) -> Any:
            return lambda trees: [replace(tree, tags=(chosen,) * len(tree)) for tree in trees]

        monkeypatch.setattr(Tagger, "load", load)
        parse = system.load(tmp_path / "model")
        seen.append(None)
        parse([sentence])
    seen = seen[seen.index(None) + 1 :]
    first, second = seen[: seen.index(None)], seen[seen.index(None) + 1 :]
    assert first != second


def test_a_model_is_loaded_with_tags_or_without_as_it_was_trained(
    treebanks: Treebanks, tagger: Path, tmp_path: Path
) -> None:
    shared = Shared(tagger=tagger)
    plain = replace(SETTINGS, tag_steps=0)
    for name, learnt, loaded, told in (
        ("tagged", SETTINGS, plain, "trained with tags, and settings with no tag_steps"),
        ("plain", plain, SETTINGS, "trained without tags, and settings with some tag_steps"),
    ):
        system = stanza_system("stanza-graph", learnt, treebanks, 1, "cpu", shared)
        system.train(tmp_path / name, ignored)
        other = stanza_system("stanza-graph", loaded, treebanks, 1, "cpu", shared)
        with pytest.raises(DataError, match=told):
            other.load(tmp_path / name)


def test_it_reads_vectors_and_begins_again(treebanks: Treebanks, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("the 0.1 0.2 0.3\ndog 0.4 0.5 0.6\n", "utf-8")
    few = replace(SETTINGS, vectors=(str(words),), tag_steps=2)
    tagger = Tagger(few, 1, "cpu")
    trees = [tree_with_columns(sentence, "") for sentence in gold_of(treebanks)]
    for _ in range(2):
        said: list[str] = []
        tagger.train(Part(tmp_path), trees, trees, said.append)
        assert [message.split(":")[0].split()[-1] for message in said] == ["1", "2"]
    trainer, vectors = tagger._load(tmp_path)
    assert vectors.emb.shape[1] == 3
    assert trainer.model.trans_pretrained.weight.shape[1] == 3
    assert len(tagger.load(tmp_path)(trees)) == len(trees)


def test_a_parser_without_its_tagger_is_told(
    treebanks: Treebanks, tagger: Path, tmp_path: Path
) -> None:
    system = stanza_system("stanza-graph", SETTINGS, treebanks, 1, "cpu", Shared(tagger=tagger))
    assert system.trained(tmp_path) is None
    system.train(tmp_path, ignored)
    alone = stanza_system("stanza-graph", SETTINGS, treebanks, 1, "cpu")
    with pytest.raises(DataError, match=r"without its tagger.*taggers into the folder, as tagger"):
        alone.trained(tmp_path)
    copytree(tagger, tmp_path / "tagger")
    assert alone.trained(tmp_path) == system.trained(tmp_path)


@pytest.mark.parametrize(
    ("column", "value", "told"),
    [
        (UPOS, "_", r"word 1 has no UPOS.*tag_steps = 0"),
        (FEATS, "sing|Case=Nom", r"word 1 has the FEATS sing\|Case=Nom, which are no names"),
    ],
)
def test_a_treebank_without_such_tags_is_told_before_training(
    column: int, value: str, told: str, treebanks: Treebanks, tmp_path: Path
) -> None:
    gold = gold_of(treebanks)
    columns = list(gold[3].columns)
    columns[column] = (value, *columns[column][1:])
    gold[3] = replace(gold[3], columns=tuple(columns))
    path = str(tmp_path / "untagged.conllu")
    conllu.write(gold, path)
    untagged = replace(treebanks, train=(path,))
    system = stanza_system("stanza-graph", SETTINGS, untagged, 1, "cpu")
    with pytest.raises(DataError, match=rf"untagged\.conllu.*{told}"):
        system.train(tmp_path / "model", ignored)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--no_such_option",), r"tagger does not take.*no_such_option.*change tagger_options"),
        (("--tag_emb_dim", "0"), r"tagger does not take.*tag_emb_dim==0.*change tagger_options"),
        (("--eval_interval", "90"), r"every 90 steps, and makes 80.*more tag_steps"),
    ],
)
def test_options_that_cannot_work_are_told_before_training(
    options: tuple[str, ...], told: str, treebanks: Treebanks, tmp_path: Path
) -> None:
    wrong = replace(SETTINGS, tagger_options=options)
    said: list[str] = []
    for kind in HOSTED:
        with pytest.raises(DataError, match=told):
            stanza_system(kind, wrong, treebanks, 1, "cpu").train(tmp_path, said.append)
    assert not said
