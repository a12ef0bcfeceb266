"""Stanza's dependency parser as a labeller of given trees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from stanza.models import parser as dependency_parser
from stanza.models.common.vocab import VOCAB_PREFIX_SIZE

from arctree.lifting import lift
from arctree.study.stanza import graph_parser
from arctree.study.stanza.graph_lighter import score_at_heads
from arctree.study.stanza.parts import Part
from arctree.study.stanza.settings import StanzaSettings
from toy_language import toy_treebank

pytestmark = pytest.mark.xdist_group("stanza")
SMALL = StanzaSettings(
    steps=2, word_batch=100, graph_options=("--hidden_dim", "8", "--char_hidden_dim", "8")
)
TREES = [lift(sentence.tree) for sentence in toy_treebank(12, 1)]


@pytest.fixture(scope="module")
def labeller(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a labeller that has learnt little."""
    folder = tmp_path_factory.mktemp("labeller")
    made_of(SMALL).train(Part(folder), TREES, TREES[:4], lambda message: None)
    return folder


def made_of(settings: StanzaSettings, seed: int = 1) -> graph_parser.GraphParser:
    return graph_parser.GraphParser(settings, seed, "cpu", heads_are_given=True)


def test_a_labeller_answers_the_same_however_many_words_it_takes_at_once(
    monkeypatch: pytest.MonkeyPatch, labeller: Path
) -> None:
    answers = []
    for count in (1, 40, 10_000):
        monkeypatch.setattr(graph_parser, "_WORDS_AT_ONCE", count)
        answers.append([tree.labels for tree in made_of(SMALL).load(labeller)(TREES)])
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize("liked", [1e4, -1e4])
def test_root_is_on_the_root_s_arc_and_on_no_other_whatever_the_network_likes(
    liked: float, monkeypatch: pytest.MonkeyPatch, labeller: Path
) -> None:
    vocabulary = graph_parser.load_network(labeller, "cpu")[0].vocab["deprel"]
    root = vocabulary.unit2id("root") - VOCAB_PREFIX_SIZE

    def biased(*arguments: Any) -> Any:
        scores = score_at_heads(*arguments)
        scores[..., root] += liked
        return scores

    monkeypatch.setattr(graph_parser, "score_at_heads", biased)
    for tree in made_of(SMALL).load(labeller)(TREES):
        assert [label == "root" for label in tree.labels] == [head == 0 for head in tree.heads]


def test_stanza_is_told_the_seed(tmp_path: Path) -> None:
    for seed in (1, 2):
        told = dependency_parser.parse_args(made_of(SMALL, seed)._arguments(tmp_path))
        assert told["seed"] == seed
