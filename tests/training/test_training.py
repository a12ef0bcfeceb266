"""A parser is trained from scratch on a little language, saved, loaded, resumed and scored."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import torch
from safetensors.torch import load_file

from arctree import conllu
from arctree.errors import CallError, DataError
from arctree.evaluation import evaluate
from arctree.parser import Parser
from arctree.scores import HEADLINE
from arctree.sentence import FORM, Sentence
from arctree.training import finishing
from arctree.training.configuring import load_configuration
from arctree.training.corpus import content_hash
from arctree.training.loop import train
from toy_language import constant_attachment, toy_treebank
from trained import SMALL, Silent, kill_training, run_training, write_toy_files

pytestmark = pytest.mark.xdist_group("training")


def log_of(folder: Path) -> list[dict[str, float]]:
    lines = (folder / "training" / "log.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_it_learns_far_more_than_constant_attachment(mapped_model: Path, toy_test: Path) -> None:
    gold = list(conllu.read(str(toy_test)))
    parsed = [found.sentence for found in Parser.load(mapped_model).parse(gold)]
    scores = evaluate(gold, parsed)
    assert scores["UAS"].f1 > constant_attachment(gold) + 0.5
    assert scores[HEADLINE].f1 > 0.85
    for name in ("UPOS", "XPOS", "UFeats", "Lemmas"):
        assert scores[name].f1 > 0.95, name


def test_non_projective_arcs_come_back_without_a_mark(mapped_model: Path, toy_test: Path) -> None:
    gold = list(conllu.read(str(toy_test)))
    parsed = [found.sentence for found in Parser.load(mapped_model).parse(gold)]
    found = [
        system.heads == sentence.heads
        for sentence, system in zip(gold, parsed, strict=True)
        if not sentence.tree.is_projective()
    ]
    assert sum(found) > len(found) / 2
    labels = {label for sentence in gold for label in sentence.deprels}
    assert {label for sentence in parsed for label in sentence.deprels} <= labels


def test_the_graph_based_baseline_learns_too(graph_model: Path, toy_test: Path) -> None:
    gold = list(conllu.read(str(toy_test)))
    parsed = list(Parser.load(graph_model).parse(gold))
    scores = evaluate(gold, [found.sentence for found in parsed])
    assert scores["UAS"].f1 > constant_attachment(gold) + 0.5
    assert all(found.transitions == () for found in parsed)


@pytest.mark.parametrize(
    ("name", "described"),
    [("in_order_model", "An in-order parser"), ("linearised_model", "A linearisation parser")],
)
def test_the_other_tree_builders_learn_and_lower_what_was_lifted(
    name: str, described: str, request: pytest.FixtureRequest, toy_test: Path
) -> None:
    model: Path = request.getfixturevalue(name)
    gold = list(conllu.read(str(toy_test)))
    parsed = list(Parser.load(model).parse(gold))
    scores = evaluate(gold, [found.sentence for found in parsed])
    assert scores["UAS"].f1 > constant_attachment(gold) + 0.4
    assert all(found.transitions == () for found in parsed)
    assert any(not found.tree.is_projective() for found in parsed)
    labels = {label for sentence in gold for label in sentence.deprels}
    assert {label for found in parsed for label in found.sentence.deprels} <= labels
    assert described in (model / "README.md").read_text("utf-8")


def test_a_parser_searches_with_the_beam_that_is_asked_for(
    linearised_model: Path, mapped_model: Path, graph_model: Path, toy_test: Path
) -> None:
    gold = list(conllu.read(str(toy_test)))
    for model in (linearised_model, mapped_model):
        greedy = evaluate(gold, [f.sentence for f in Parser.load(model).parse(gold)])
        searched = Parser.load(model, beam=4)
        found = evaluate(gold, [f.sentence for f in searched.parse(gold)])
        assert found["UAS"].f1 > greedy["UAS"].f1 - 0.02
    with pytest.raises(CallError, match="kind graph"):
        Parser.load(graph_model, beam=4)
    with pytest.raises(DataError, match="it goes from 1 to 64"):
        Parser.load(linearised_model, beam=0)


def test_dev_scores_in_the_log_are_those_of_the_evaluation(
    mapped_model: Path, toy_files: list[str]
) -> None:
    path = next(change for change in toy_files if change.startswith("data.dev")).partition("=")[2]
    gold = list(conllu.read(path))
    scores = evaluate(gold, [f.sentence for f in Parser.load(mapped_model).parse(gold)])
    best = max(log_of(mapped_model), key=lambda record: record["las"])
    assert scores["UAS"].f1 == pytest.approx(best["uas"], abs=1e-12)
    assert scores[HEADLINE].f1 == pytest.approx(best["las"], abs=1e-12)


def test_a_model_directory_holds_what_it_should_and_no_pickle(
    mapped_model: Path, toy_files: list[str]
) -> None:
    names = {path.name for path in mapped_model.iterdir()}
    assert names == {
        *("config.json", "vocabularies.json", "model.safetensors", "lemmas.json"),
        *("README.md", "training"),
    }
    run = {path.name for path in (mapped_model / "training").iterdir()}
    assert run == {"log.jsonl", "curves.svg", "dev.conllu", "test.conllu"}
    ElementTree.parse(mapped_model / "training" / "curves.svg")
    card = (mapped_model / "README.md").read_text("utf-8")
    for change in toy_files:
        assert content_hash(change.partition("=")[2]) in card
    record = json.loads((mapped_model / "config.json").read_text("utf-8"))["record"]
    for split in ("dev", "test"):
        assert f"{100 * record['scores'][split][HEADLINE]:.2f}" in card
        assert f"error on {split}: {100 * record['calibration'][split]['error']:.2f} %" in card


def with_strange_words(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """The sentences with every fifth word replaced by one that was never seen."""
    for sentence in sentences:
        forms = ["zorp" if place % 5 == 2 else form for place, form in enumerate(sentence.forms)]
        columns = (*sentence.columns[:FORM], tuple(forms), *sentence.columns[FORM + 1 :])
        yield replace(sentence, columns=columns)


def test_confidences_tell_right_arcs_from_wrong_ones(mapped_model: Path, toy_test: Path) -> None:
    gold = list(with_strange_words(conllu.read(str(toy_test))))
    right: list[float] = []
    wrong: list[float] = []
    for sentence, found in zip(gold, Parser.load(mapped_model).parse(gold), strict=True):
        assert len(found.confidences) == len(sentence)
        assert all(0 < value <= 1 for value in found.confidences)
        assert len(found.transitions) == len(found.probabilities) == 2 * len(sentence)
        for value, was, now in zip(
            found.confidences, sentence.tree.arcs(), found.tree.arcs(), strict=True
        ):
            (right if was == now else wrong).append(value)
    # Of a right and a wrong arc drawn at random, the parser is mostly surer of the right one.
    assert len(wrong) > 30
    surer = [good > bad for good in right for bad in wrong]
    assert sum(surer) / len(surer) > 0.7


def test_a_killed_run_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    changes = [*write_toy_files(tmp_path, 80, 20), *SMALL, "training.epochs=3"]
    # A checkpoint after every step, so that it is killed in the middle of an epoch.
    often = [*changes, "training.checkpoint_minutes=0"]
    run_training(tmp_path / "whole", changes)
    kill_training(tmp_path / "killed", often, after_checkpoints=5)
    assert not (tmp_path / "killed" / "README.md").exists()
    said = run_training(tmp_path / "killed", often)
    assert "going on after epoch" in said
    whole, killed = (load_file(tmp_path / n / "model.safetensors") for n in ("whole", "killed"))
    assert whole.keys() == killed.keys()
    assert all(torch.equal(whole[name], killed[name]) for name in whole)
    first, second = (
        [{**record, "seconds": 0} for record in log_of(tmp_path / name)]
        for name in ("whole", "killed")
    )
    assert first == second


def test_a_run_that_ends_before_its_card_is_written_can_be_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = [*write_toy_files(tmp_path, 20, 5), *SMALL, "training.epochs=1"]
    configuration = load_configuration(None, changes)

    def killed(*_: object) -> str:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(finishing, "model_card", killed)
        with pytest.raises(KeyboardInterrupt):
            train(configuration, tmp_path / "model", Silent())
    train(configuration, tmp_path / "model", Silent())
    assert (tmp_path / "model" / "README.md").is_file()


def test_two_processes_learn_what_one_learns(tmp_path: Path) -> None:
    still = [change for change in SMALL if "dropout" not in change]
    still += ["encoder.dropout=0", "encoder.word_dropout=0", "parser.dropout=0"]
    changes = [*write_toy_files(tmp_path, 60, 10), *still, "training.epochs=2"]
    run_training(tmp_path / "one", changes)
    run_training(tmp_path / "two", changes, processes=2)
    losses = [[record["loss"] for record in log_of(tmp_path / name)] for name in ("one", "two")]
    assert losses[1] == pytest.approx(losses[0], rel=0.02)
    one, two = (load_file(tmp_path / name / "model.safetensors") for name in ("one", "two"))
    for name in one:
        torch.testing.assert_close(two[name].float(), one[name].float(), rtol=0.02, atol=0.02)


def test_a_file_of_more_weight_is_seen_more_often(tmp_path: Path) -> None:
    (path,) = (c.partition("=")[2] for c in write_toy_files(tmp_path, 30, 10) if "train" in c)
    steps = []
    for name, weight in (("light", 1.0), ("heavy", 3.0)):
        changes = [
            *(f"data.dev={path}", f"data.train={path}", f"data.weights=[{weight}]"),
            *(*SMALL, "training.epochs=1", "training.batch=100"),
        ]
        train(load_configuration(None, changes), tmp_path / name, Silent())
        steps.append(log_of(tmp_path / name)[0]["step"])
    assert steps[1] > 2 * steps[0]


def test_a_finished_model_is_not_overwritten(mapped_model: Path, toy_files: list[str]) -> None:
    before = (mapped_model / "config.json").read_bytes()
    with pytest.raises(CallError, match="holds a finished model"):
        train(load_configuration(None, [*toy_files, *SMALL]), mapped_model, Silent())
    assert (mapped_model / "config.json").read_bytes() == before


class Attentive(Silent):
    """Notes how exact products are while a run is watched."""

    precision = ""

    def scored(self, record: Mapping[str, Any]) -> None:
        self.precision = torch.get_float32_matmul_precision()


def test_products_are_less_exact_while_it_trains_and_not_afterwards(tmp_path: Path) -> None:
    changes = [*write_toy_files(tmp_path, 40, 10), *SMALL, "training.epochs=1"]
    watcher, before = Attentive(), torch.get_float32_matmul_precision()
    try:
        torch.set_float32_matmul_precision("highest")
        train(load_configuration(None, changes), tmp_path / "model", watcher)
        assert watcher.precision == "high"
        assert torch.get_float32_matmul_precision() == "highest"
    finally:
        torch.set_float32_matmul_precision(before)


class Impatient(Silent):
    """Somebody who interrupts a run after its first epoch."""

    def scored(self, record: Mapping[str, Any]) -> None:
        raise KeyboardInterrupt


def test_an_interrupted_run_with_another_configuration_or_other_data_is_refused(
    tmp_path: Path,
) -> None:
    (tmp_path / "other").mkdir()
    (other, *_) = write_toy_files(tmp_path / "other", 40, 5)
    changes = [*write_toy_files(tmp_path, 20, 5), *SMALL]
    with pytest.raises(KeyboardInterrupt):
        train(load_configuration(None, changes), tmp_path / "model", Impatient())
    for change in ("training.seed=7", "parser.hidden=40", other):
        configuration = load_configuration(None, [*changes, change])
        with pytest.raises(CallError, match="another configuration or other data"):
            train(configuration, tmp_path / "model", Silent())


def test_training_files_without_trees_are_named(tmp_path: Path) -> None:
    write_toy_files(tmp_path, 5, 5)
    text = "\n".join(f"{n}\tw\t_\t_\t_\t_\t_\t_\t_\t_" for n in (1, 2)) + "\n\n"
    (tmp_path / "blind.conllu").write_text(text)
    changes = [f"data.train={tmp_path / 'blind.conllu'}", f"data.dev={tmp_path / 'dev.conllu'}"]
    with pytest.raises(DataError, match=r"blind\.conllu:1: a sentence without heads"):
        train(load_configuration(None, [*changes, *SMALL]), tmp_path / "model", Silent())
    assert not (tmp_path / "model").exists()


def test_cuda_that_is_not_there_is_told(tmp_path: Path) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    changes = [*write_toy_files(tmp_path, 5, 5), *SMALL, "training.device=cuda"]
    with pytest.raises(CallError, match="CUDA was asked for"):
        train(load_configuration(None, changes), tmp_path / "model", Silent())


@pytest.mark.parametrize("kind", ["attentive", "recurrent"])
def test_encoders_from_scratch_train_with_static_vectors(tmp_path: Path, kind: str) -> None:
    words = {word for sentence in toy_treebank(20, 0) for word in sentence.forms}
    lines = [f"{word} {place} {-place} 0.5\n" for place, word in enumerate(sorted(words))]
    (tmp_path / "vectors.txt").write_text("".join(lines))
    changes = [
        *write_toy_files(tmp_path, 30, 10),
        *(*SMALL, f"encoder.kind={kind}", "training.epochs=1"),
        f"encoder.vectors={tmp_path / 'vectors.txt'}",
    ]
    train(load_configuration(None, changes), tmp_path / "model", Silent())
    (parsed,) = Parser.load(tmp_path / "model").parse([["the", "dog", "unseen-word", "."]])
    assert len(parsed.tree) == 4


def damage(change: Callable[[Path], object], model: Path, copy: Path) -> None:
    for path in model.iterdir():
        if path.is_file():
            (copy / path.name).write_bytes(path.read_bytes())
    change(copy)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda folder: (folder / "vocabularies.json").unlink(), "missing"),
        (lambda folder: (folder / "config.json").unlink(), "no config.json"),
        (lambda folder: (folder / "config.json").write_text('{"model_type": "bert"}'), "not the"),
        (
            lambda folder: (folder / "model.safetensors").write_bytes(
                (folder / "model.safetensors").read_bytes()[:-100]
            ),
            "cut short",
        ),
        (lambda folder: (folder / "vocabularies.json").write_text("{}"), "belongs to another"),
    ],
)
def test_a_damaged_model_is_told(
    change: Callable[[Path], object], fault: str, mapped_model: Path, tmp_path: Path
) -> None:
    damage(change, mapped_model, tmp_path)
    with pytest.raises(DataError, match=fault) as caught:
        Parser.load(tmp_path)
    assert str(tmp_path) in str(caught.value)
    assert caught.value.remedy
