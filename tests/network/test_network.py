from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
import torch
from safetensors import SafetensorError

from arctree.dependency import check_heads
from arctree.errors import CallError, DataError
from arctree.network.inference import DECODED_AT_ONCE, ENCODED_AT_ONCE, analyse
from arctree.network.model import Model, device_named
from arctree.network.network import IGNORED, Network
from arctree.parsing.answers import Analysis
from arctree.parsing.confidence import Confidence
from arctree.parsing.model_files import CONFIG, WEIGHTS
from arctree.parsing.settings import ParserSettings
from arctree.parsing.vocabulary import Vocabulary
from arctree.training.batching import to_batch
from arctree.training.corpus import Example
from tiny import (
    CPU,
    LEARNT,
    MARKS,
    ON_OTHERS,
    ON_ROOT,
    OUTCOMES,
    SETTINGS,
    learnable,
    randomise,
    tiny_encoder,
    tiny_network,
)
from toy_language import toy_treebank

PARTS = ["arcs", "labels", "upos", "xpos", "feats"]
each_kind = pytest.mark.parametrize("kind", ["mapped", "in-order", "linearised", "graph"])
each_encoder = pytest.mark.parametrize("encoder", ["recurrent", "attentive"])


def some_sentences(count: int, longest: int, seed: int = 0) -> list[list[str]]:
    source = Random(seed)
    words = [*LEARNT[0], *LEARNT[1], "unseen", "語"]
    return [source.choices(words, k=source.randint(1, longest)) for _ in range(count)]


def analyses_of(network: Network, sentences: Sequence[Sequence[str]]) -> list[Analysis]:
    prepared = network.encoder.prepare(sentences)
    return analyse(network, prepared, [len(words) for words in sentences])


def assert_same(found: Analysis, expected: Analysis) -> None:
    for name in ("heads", "labels", "marks", "transitions"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()
    assert found.tags.keys() == expected.tags.keys()
    for name, numbers in expected.tags.items():
        assert found.tags[name].tolist() == numbers.tolist()
    for name in ("head_probabilities", "label_probabilities", "probabilities"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-4)


@each_kind
@each_encoder
def test_an_analysis_is_the_same_in_any_order_and_company(kind: str, encoder: str) -> None:
    network = tiny_network(kind, tiny_encoder(encoder))
    sentences = [*some_sentences(30, 20), *some_sentences(2, 90, seed=1), ["the"]]
    together = analyses_of(network, sentences)
    order = Random(0).sample(range(len(sentences)), len(sentences))
    shuffled = analyses_of(network, [sentences[number] for number in order])
    for place, number in enumerate(order):
        assert_same(shuffled[place], together[number])
    for words, expected in zip(sentences, together, strict=True):
        assert_same(analyses_of(network, [words])[0], expected)


def test_more_than_is_encoded_or_decoded_at_once_comes_back_in_order() -> None:
    network = tiny_network("mapped", tiny_encoder(layers=1))
    few = [*some_sentences(9, 8), ["dog"] * 40]
    sentences = few * 80
    words = sum(map(len, sentences))
    assert words > DECODED_AT_ONCE["cpu"] + ENCODED_AT_ONCE["cpu"]
    expected = analyses_of(network, few)
    for number, found in enumerate(analyses_of(network, sentences)):
        assert_same(found, expected[number % len(few)])


def test_one_sentence_longer_than_all_that_is_encoded_at_once_is_analysed() -> None:
    network = tiny_network("mapped", tiny_encoder(layers=1))
    sentences = [["dog"], ["the"] * (ENCODED_AT_ONCE["cpu"] + 1), ["cat"]]
    for words, found in zip(sentences, analyses_of(network, sentences), strict=True):
        check_heads(found.heads.tolist())
        assert len(found.heads) == len(words)


def test_no_sentences_have_no_analyses() -> None:
    assert analyses_of(tiny_network(), []) == []


@each_kind
def test_every_analysis_is_a_tree_whose_labels_stand_where_they_may(kind: str) -> None:
    network = tiny_network(kind)
    sentences = some_sentences(50, 12)
    for words, found in zip(sentences, analyses_of(network, sentences), strict=True):
        size = len(words)
        check_heads(found.heads.tolist())
        for head, label, mark in zip(found.heads, found.labels, found.marks, strict=True):
            assert (ON_OTHERS if head else ON_ROOT)[label]
            assert (MARKS.on_others if head else MARKS.on_root)[mark]
        assert found.tags.keys() == OUTCOMES.tags.keys()
        for name, numbers in found.tags.items():
            assert numbers.shape == (size,)
            assert numbers.max() < len(OUTCOMES.tags[name])
        for probabilities in (found.head_probabilities, found.label_probabilities):
            assert probabilities.shape == (size,)
            assert (probabilities > 0).all()
            assert (probabilities <= 1).all()
        steps = 2 * size if kind == "mapped" else 0
        assert found.transitions.shape == found.probabilities.shape == (steps,)


def test_a_label_has_its_probability_among_those_that_may_stand_there_at_the_temperature() -> None:
    network = tiny_network()
    assert network.marker is not None
    network.marker.temperature.fill_(1e-6)  # it is sure of its marks
    words = ["the", "old", "dog", "sees"]
    plain = analyses_of(network, [words])[0]
    network.labeller.temperature.fill_(1e6)
    flat = analyses_of(network, [words])[0]
    assert flat.labels.tolist() == plain.labels.tolist()
    allowed = [sum(ON_OTHERS if head else ON_ROOT) for head in flat.heads]
    np.testing.assert_allclose(flat.label_probabilities, [1 / count for count in allowed], 1e-4)
    network.labeller.temperature.fill_(1e-6)
    np.testing.assert_allclose(analyses_of(network, [words])[0].label_probabilities, 1)


def test_a_lifted_label_is_as_sure_as_its_label_times_its_mark() -> None:
    network = tiny_network()
    assert network.marker is not None
    randomise(network.marker, 1)  # with these weights it marks something

    def found() -> tuple[list[int], np.ndarray[tuple[int], np.dtype[np.float32]]]:
        analyses = analyses_of(network, some_sentences(20, 9))
        marks = np.concatenate([analysis.marks for analysis in analyses])
        return marks.tolist(), np.concatenate([each.label_probabilities for each in analyses])

    marks, whole = found()
    assert set(marks) == {0, 1}
    product = np.ones_like(whole)
    for sure in (network.marker, network.labeller):
        sure.temperature.fill_(1e-6)
        part = found()[1]
        assert part.min() < 0.99
        product *= part
        sure.temperature.fill_(1)
    np.testing.assert_allclose(whole, product, rtol=1e-4)


def losses(network: Network, examples: Sequence[Example]) -> dict[str, float]:
    with torch.no_grad():
        found = network(to_batch(examples, network.encoder, CPU))
    return {name: float(loss) for name, loss in found.items()}


@each_kind
@each_encoder
def test_the_loss_of_a_batch_is_the_sum_of_those_of_its_sentences(kind: str, encoder: str) -> None:
    sentences = toy_treebank(7, seed=2)
    assert not all(sentence.tree.is_projective() for sentence in sentences)
    network, examples = learnable(sentences, kind, tiny_encoder(encoder))
    together = losses(network, examples)
    alone = [losses(network, [example]) for example in examples]
    assert set(together) == (set(PARTS) if kind == "graph" else {*PARTS, "marks"})
    for name, loss in together.items():
        assert np.isfinite(loss)
        assert loss == pytest.approx(sum(each[name] for each in alone), rel=1e-4)


@each_kind
def test_nothing_is_lost_on_values_that_are_not_known(kind: str) -> None:
    network, (example, other) = learnable(toy_treebank(2, seed=3), kind)
    unknown = np.full(example.size, IGNORED)
    tags = dict.fromkeys(example.tags, unknown)
    ignored = replace(example, labels=unknown, marks=unknown, tags=tags)
    found = losses(network, [ignored, other])
    expected = losses(network, [other])
    assert found.pop("arcs") > expected["arcs"]
    for name in found:
        assert found[name] == pytest.approx(expected[name], rel=1e-4)


@each_kind
def test_two_sentences_are_learnt_by_heart_in_a_few_dozen_steps(kind: str) -> None:
    sentences = toy_treebank(40, seed=5)
    lifted = [sentence for sentence in sentences if not sentence.tree.is_projective()]
    chosen = [min(lifted, key=len), min(sentences, key=len)]
    network, examples = learnable(chosen, kind, tiny_encoder(layers=1))
    network.train()
    optimizer = torch.optim.Adam(
        [parameter for parameter in network.parameters() if parameter.requires_grad], lr=0.03
    )
    batch = to_batch(examples, network.encoder, CPU)
    history = []
    for _ in range(80):
        optimizer.zero_grad()
        loss = torch.stack(list(network(batch).values())).sum()
        torch.autograd.backward(loss)
        optimizer.step()
        history.append(float(loss.detach()))
    # What was lifted is marked; the graph-based parser needs no lifting.
    assert (network.marker is not None) == (kind != "graph")
    assert np.isfinite(history).all()
    assert history[-1] < 0.05 * history[0]
    network.eval()
    found = analyses_of(network, [sentence.forms for sentence in chosen])
    for example, analysis in zip(examples, found, strict=True):
        assert analysis.heads.tolist() == example.heads.tolist()
        assert analysis.labels.tolist() == example.labels.tolist()
        assert analysis.marks.tolist() == example.marks.tolist()
        for name, numbers in example.tags.items():
            assert analysis.tags[name].tolist() == numbers.tolist()
        if kind == "mapped":
            assert example.derivation is not None
            assert analysis.transitions.tolist() == example.derivation.transitions.tolist()


@each_kind
def test_a_gradient_reaches_every_weight_that_is_learnt(kind: str) -> None:
    network, examples = learnable(toy_treebank(4, seed=7), kind)
    found = network(to_batch(examples, network.encoder, CPU))
    torch.autograd.backward(torch.stack(list(found.values())).sum())
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name
        assert parameter.grad.any(), name


@each_kind
def test_a_model_that_was_saved_and_loaded_gives_the_same_analyses(
    kind: str, tmp_path: Path
) -> None:
    for encoder in ("recurrent", "attentive"):
        network = tiny_network(kind, tiny_encoder(encoder))
        network.arcs.temperature.fill_(1.7)
        network.labeller.temperature.fill_(0.6)
        settings = ParserSettings(kind=kind, hidden=16, label_width=8, dropout=0.0)  # type: ignore[arg-type]
        confidence = Confidence(0.75, -0.5)
        Model(network, OUTCOMES, settings, confidence, record={"best": 3}).save(tmp_path / encoder)
        model = Model.load(tmp_path / encoder, CPU)
        assert (model.parser, model.record) == (settings, {"best": 3})
        assert model.confidence == confidence
        for found, was in ((model.outcomes.labels, OUTCOMES.labels), (model.outcomes.marks, MARKS)):
            assert found.values.values == was.values.values
            assert (found.on_root, found.on_others) == (was.on_root, was.on_others)
        assert not model.network.training
        sentences = some_sentences(5, 9)
        expected = analyses_of(network, sentences)
        for answer, known in zip(analyses_of(model.network, sentences), expected, strict=True):
            assert_same(answer, known)


def test_weights_that_cannot_be_written_are_told_as_a_call_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(*_: object) -> None:
        raise SafetensorError("no space left on device")

    monkeypatch.setattr("arctree.network.model.save_file", full_disk)
    model = Model(tiny_network(), OUTCOMES, SETTINGS)
    with pytest.raises(CallError, match="cannot be written"):
        model.save(tmp_path)


def test_weights_that_do_not_fit_are_told(tmp_path: Path) -> None:
    # A narrower parser than the configuration will say.
    Model(tiny_network(), OUTCOMES, ParserSettings(hidden=17, label_width=8)).save(tmp_path)
    with pytest.raises(DataError, match=f"{WEIGHTS}: the weights do not fit the model"):
        Model.load(tmp_path, CPU)


@pytest.mark.parametrize(
    "changes",
    [
        {"static_width": "wide"},
        {"static_width": -1},
        {"encoder": {"kind": "pretrained", "source": "bert"}},
        {"encoder": {"kind": "recurrent", "depth": 3}},
        {"encoder": []},
        {"parser": None},
        {"confidence": {"slope": "steep"}},
    ],
    ids=str,
)
def test_a_configuration_that_was_changed_by_hand_is_told(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    # It holds the hashes of the other files, but nothing holds its own.
    Model(tiny_network(), OUTCOMES, SETTINGS).save(tmp_path)
    path = tmp_path / CONFIG
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **changes}), "utf-8")
    with pytest.raises(DataError, match=str(tmp_path)):
        Model.load(tmp_path, CPU)


def test_a_weight_that_is_no_number_is_told(tmp_path: Path) -> None:
    network = tiny_network()
    network.labeller.temperature.fill_(torch.nan)
    Model(network, OUTCOMES, SETTINGS).save(tmp_path)
    with pytest.raises(DataError, match=r"labeller\.temperature is not finite"):
        Model.load(tmp_path, CPU)


def test_a_column_that_there_is_not_is_told(tmp_path: Path) -> None:
    outcomes = replace(OUTCOMES, tags={"colour": Vocabulary(["red"])})
    Model(tiny_network(), outcomes, SETTINGS).save(tmp_path)
    with pytest.raises(DataError, match="no column colour"):
        Model.load(tmp_path, CPU)


def test_a_gpu_that_is_not_there_is_told() -> None:
    assert device_named("cpu").type == "cpu"
    if torch.cuda.is_available():
        assert device_named("auto").type == "cuda"
    else:
        assert device_named("auto").type == "cpu"
        with pytest.raises(CallError, match="torch finds no GPU here; use the device cpu"):
            device_named("cuda")
