"""Labels that lifting has marked, scored by relation and mark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from stanza.models.common.biaffine import DeepBiaffineScorer
from stanza.models.depparse.model import GraphParser as StanzaParser

from arctree.dependency import DependencyTree
from arctree.errors import DataError
from arctree.labels import split_mark
from arctree.lifting import lift
from arctree.study.stanza.adapter import replaced
from arctree.study.stanza.graph_lighter import score_at_heads
from arctree.study.stanza.graph_parser import GraphParser, load_network
from arctree.study.stanza.label_parts import PartsScorer, scoring_parts
from arctree.study.stanza.parts import Part, parameters_of
from arctree.study.stanza.settings import StanzaSettings
from toy_language import toy_treebank

SMALL = ("--hidden_dim", "8", "--char_hidden_dim", "8", "--deep_biaff_hidden_dim", "6")
LABELS = ("root", "obj", "obj↑root", "nsubj", "nsubj↑root", "nsubj↑obj")


def quiet(_: str) -> None:
    pass


@pytest.fixture(scope="module")
def trees() -> list[DependencyTree]:
    found = [lift(sentence.tree) for sentence in toy_treebank(40, 1)]
    assert any(not isinstance(label, str) for tree in found for label in tree.labels)
    return found


def labeller(*, marks_apart: bool, heads_are_given: bool = True) -> GraphParser:
    settings = StanzaSettings(steps=4, word_batch=200, graph_options=SMALL, marks_apart=marks_apart)
    return GraphParser(settings, 1, "cpu", heads_are_given=heads_are_given)


def scorer(labels: Sequence[str] = LABELS) -> PartsScorer:
    torch.manual_seed(5)
    made = PartsScorer(labels, 4, 3, 0.5)
    made.eval()
    torch.nn.init.normal_(made.scorer.W_bilin.weight)
    torch.nn.init.normal_(made.scorer.W_bilin.bias)
    return made


def test_a_label_scores_as_its_relation_and_its_mark_together() -> None:
    made = scorer()
    assert made.scorer.W_bilin.output_size == 3 + 3  # root, obj, nsubj; no mark, ↑root, ↑obj
    vectors = torch.randn(2, 5, 4)
    scores = dict(zip(LABELS, made(vectors, vectors).unbind(-1), strict=True))
    lifted = scores["obj↑root"] - scores["obj"]
    assert torch.allclose(lifted, scores["nsubj↑root"] - scores["nsubj"], atol=1e-5)
    assert not torch.allclose(lifted, scores["nsubj↑obj"] - scores["nsubj"], atol=1e-2)


def test_at_heads_and_for_all_pairs_scores_are_the_same() -> None:
    made = scorer()
    vectors, heads = torch.randn(3, 5, 4), torch.randint(0, 5, (3, 4))
    found, pairs = score_at_heads(made, vectors, vectors, heads), made(vectors, vectors)
    assert found.shape == (3, 5, len(LABELS))
    for sentence in range(3):
        for word, head in enumerate([0, *heads[sentence].tolist()]):
            assert torch.allclose(found[sentence, word], pairs[sentence, word, head], atol=1e-5)


def test_all_labels_that_bear_a_mark_teach_it() -> None:
    """From weights of zero, as Stanza begins, one step towards obj↑root.

    nsubj↑root is as it was beside nsubj if each has weights of its own, and above it if the mark
    has them.
    """
    wanted = LABELS.index("obj↑root")
    advantages = []
    for made in (DeepBiaffineScorer(4, 4, 3, len(LABELS)), PartsScorer(LABELS, 4, 3, 0.0)):
        vectors = torch.randn(1, 2, 4)
        (-made(vectors, vectors)[0, 1, 0].log_softmax(-1)[wanted]).backward()
        with torch.no_grad():
            for weight in made.scorer.parameters():
                assert weight.grad is not None
                weight -= weight.grad
            scores = made(vectors, vectors)[0, 1, 0]
        advantages.append(float(scores[LABELS.index("nsubj↑root")] - scores[LABELS.index("nsubj")]))
    assert advantages[0] == pytest.approx(0, abs=1e-6)
    assert advantages[1] > 0.1


def test_a_model_file_tells_how_its_labels_are_scored(
    trees: list[DependencyTree], tmp_path: Path
) -> None:
    """Both are loaded by the same call, whatever the settings say."""
    sizes = []
    for marks_apart in (False, True):
        folder = tmp_path / str(marks_apart)
        folder.mkdir()
        labeller(marks_apart=marks_apart).train(Part(folder), trees, trees[:5], quiet)
        network, _ = load_network(folder, "cpu")
        assert isinstance(network.model.deprel, PartsScorer) == marks_apart
        sizes.append(network.model.deprel.scorer.W_bilin.output_size)
        answers = [labeller(marks_apart=told).load(folder)(trees) for told in (False, True)]
        assert answers[0] == answers[1]
        assert [tree.heads for tree in answers[0]] == [tree.heads for tree in trees]
        trained = Part(folder).trained
        assert trained is not None
        assert trained.parameters == parameters_of(network.model)
    labels = {label for tree in trees for label in tree.labels}
    relations, marks = (set(side) for side in zip(*map(split_mark, labels), strict=True))
    assert sizes == [len(labels), len(relations) + len(marks)]


def test_weights_come_back_as_they_were_trained(
    trees: list[DependencyTree], tmp_path: Path
) -> None:
    labeller(marks_apart=True).train(Part(tmp_path), trees, trees[:5], quiet)
    saved = torch.load(tmp_path / "parser.pt", weights_only=True)["model"]
    network, _ = load_network(tmp_path, "cpu")
    found = network.model.deprel.state_dict()
    assert found.keys() == {
        name.removeprefix("deprel.") for name in saved if name.startswith("deprel.")
    }
    assert all(torch.equal(saved[f"deprel.{name}"], value) for name, value in found.items())
    assert found["scorer.W_bilin.weight"].abs().max() > 0  # where Stanza begins with zeros


def test_stanzas_own_parser_scores_labels_as_it_always_does(
    trees: list[DependencyTree], tmp_path: Path
) -> None:
    own = labeller(marks_apart=True, heads_are_given=False)
    own.train(Part(tmp_path), trees, trees[:5], quiet)
    network, _ = load_network(tmp_path, "cpu")
    assert type(network.model.deprel) is DeepBiaffineScorer


def test_stanza_comes_back_as_it_was() -> None:
    made = StanzaParser.__init__
    with replaced([scoring_parts()]):
        assert StanzaParser.__init__ is not made
    assert StanzaParser.__init__ is made


def test_training_that_was_stopped_goes_on_in_parts(
    trees: list[DependencyTree], tmp_path: Path
) -> None:
    class InterruptionError(Exception):
        pass

    looks: list[str] = []

    def stop(message: str) -> None:
        looks.append(message)
        if len(looks) == 3:
            raise InterruptionError

    made = labeller(marks_apart=True)
    made = replace(made, settings=replace(made.settings, steps=8))
    with pytest.raises(InterruptionError):
        made.train(Part(tmp_path), trees, trees[:5], stop)
    said: list[str] = []
    made.train(Part(tmp_path), trees, trees[:5], said.append)
    assert 0 < len(said) < 8  # looks, of which there is one a step
    network, _ = load_network(tmp_path, "cpu")
    assert isinstance(network.model.deprel, PartsScorer)


def test_embeddings_of_arcs_are_refused(tmp_path: Path) -> None:
    """A labeller does not look at them, and would answer by weights that nothing was learnt in."""
    own = labeller(marks_apart=True, heads_are_given=False)
    options = (*own.settings.graph_options, "--use_arc_embedding")
    settings = replace(own.settings, graph_options=options)
    replace(own, settings=settings).check(tmp_path)
    with pytest.raises(DataError, match="not by --use_arc_embedding; change graph_options"):
        replace(own, settings=settings, heads_are_given=True).check(tmp_path)
