"""A student learns from silver, then from gold; what does not go together is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arctree import conllu
from arctree.errors import ArctreeError, CallError, DataError
from arctree.evaluation import evaluate
from arctree.network.model import Model
from arctree.parser import Parser
from arctree.scores import HEADLINE
from arctree.training.configuring import load_configuration
from arctree.training.lessons import prepare
from arctree.training.loop import train
from arctree.training.silver import Silver
from arctree.training.teaching import teach
from berts import load_encoder, on_bert, random_model
from tiny import CPU, OUTCOMES
from toy_language import constant_attachment, toy_treebank
from trained import SMALL, Silent

# The teacher is trained once.
pytestmark = pytest.mark.xdist_group("bert")


@pytest.fixture(scope="module")
def silver(teacher: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("silver") / "toy"
    sentences = [sentence.forms for sentence in toy_treebank(400, seed=20)]
    teach([Model.load(teacher, CPU)], sentences, {}).save(folder)
    return folder


def las_of(folder: Path, path: Path) -> float:
    gold = list(conllu.read(str(path)))
    found = [parsed.sentence for parsed in Parser.load(folder).parse(gold)]
    return evaluate(gold, found)[HEADLINE].f1


def first_las(folder: Path) -> float:
    log = (folder / "training" / "log.jsonl").read_text("utf-8").splitlines()
    las: float = json.loads(log[0])["las"]
    return las


@pytest.fixture(scope="module")
def without_train(toy_files: list[str]) -> list[str]:
    return [change for change in toy_files if not change.startswith("data.train")]


@pytest.fixture(scope="module")
def student_settings(toy_bert: Path) -> list[str]:
    return [*on_bert(toy_bert), "encoder.layers=1", "parser.labels=additive"]


@pytest.fixture(scope="module")
def student(
    tmp_path_factory: pytest.TempPathFactory,
    silver: Path,
    without_train: list[str],
    student_settings: list[str],
) -> Path:
    folder = tmp_path_factory.mktemp("models") / "student"
    changes = [*without_train, *student_settings, f"data.silver={silver}", "training.epochs=4"]
    train(load_configuration(None, changes), folder, Silent())
    return folder


def test_a_student_learns_from_silver_what_a_teacher_knows(student: Path, toy_test: Path) -> None:
    gold = list(conllu.read(str(toy_test)))
    found = [parsed.sentence for parsed in Parser.load(student).parse(gold)]
    scores = evaluate(gold, found)
    assert scores["UAS"].f1 > constant_attachment(gold) + 0.4
    assert scores[HEADLINE].f1 > 0.7
    for name in ("UPOS", "XPOS", "UFeats", "Lemmas"):
        assert scores[name].f1 > 0.95, name


def test_the_record_of_a_student_names_the_silver(student: Path, silver: Path) -> None:
    model = Model.load(student, CPU)
    (facts,) = model.record["files"]["train"]
    corpus = Silver.load(silver)
    assert facts["name"] == silver.name
    assert (facts["sentences"], facts["words"]) == (400, len(corpus.words))
    assert facts["sha256"] in (student / "README.md").read_text("utf-8")


def test_a_student_goes_on_with_gold_where_it_was(
    student: Path, toy_files: list[str], student_settings: list[str], toy_test: Path, tmp_path: Path
) -> None:
    gently = ["training.epochs=1", "training.rate=1e-4", "training.encoder_rate=1e-4"]
    changes = [*toy_files, *student_settings, *gently]
    started = [*changes, f"training.start={student}"]
    train(load_configuration(None, started), tmp_path / "on", Silent())
    train(load_configuration(None, changes), tmp_path / "anew", Silent())
    assert first_las(tmp_path / "on") > first_las(tmp_path / "anew") + 0.3
    assert las_of(tmp_path / "on", toy_test) > las_of(student, toy_test) - 0.05


def test_labels_and_tags_are_those_of_the_model_that_a_run_begins_with(
    student: Path, toy_files: list[str], student_settings: list[str]
) -> None:
    changes = [*toy_files, *student_settings, f"training.start={student}"]
    prepared = prepare(load_configuration(None, changes), CPU)
    start = Model.load(student, CPU)
    assert prepared.outcomes == start.outcomes
    weights, known = prepared.network.state_dict(), start.network.state_dict()
    assert all(known[name].equal(weight) for name, weight in weights.items())


def test_two_silver_corpora_are_learnt_from_as_one(
    silver: Path, without_train: list[str], student_settings: list[str]
) -> None:
    both = json.dumps([str(silver), str(silver)])
    changes = [*without_train, *student_settings, f"data.silver={both}"]
    prepared = prepare(load_configuration(None, changes), CPU)
    assert len(prepared.lessons.costs) == 800
    assert [facts["sentences"] for facts in prepared.files] == [400, 400]


def test_lemmas_are_left_out_where_they_are_not_asked_for(
    silver: Path, without_train: list[str], student_settings: list[str]
) -> None:
    changes = [*without_train, *student_settings, f"data.silver={silver}"]
    assert prepare(load_configuration(None, changes), CPU).lemmatiser is not None
    changes.append("tags.lemmas=false")
    assert prepare(load_configuration(None, changes), CPU).lemmatiser is None


def refused(changes: list[str], kind: type[ArctreeError], match: str) -> None:
    with pytest.raises(kind, match=match):
        prepare(load_configuration(None, changes), CPU)


def test_gold_and_silver_at_once_are_refused(
    silver: Path, toy_files: list[str], student_settings: list[str]
) -> None:
    changes = [*toy_files, *student_settings, f"data.silver={silver}"]
    refused(changes, DataError, r"data\.train and data\.silver are both given")


def test_the_graph_based_parser_does_not_learn_from_silver(
    silver: Path, without_train: list[str], student_settings: list[str]
) -> None:
    changes = [*without_train, *student_settings, f"data.silver={silver}", "parser.kind=graph"]
    refused(changes, CallError, "kind graph learns from gold alone")


def test_an_encoder_from_scratch_does_not_learn_from_silver(
    silver: Path, without_train: list[str]
) -> None:
    changes = [*without_train, *SMALL, f"data.silver={silver}"]
    refused(changes, CallError, r"name one in encoder\.source")


def test_a_folder_that_holds_no_silver_is_named(
    without_train: list[str], student_settings: list[str], tmp_path: Path
) -> None:
    changes = [*without_train, *student_settings, f"data.silver={tmp_path}"]
    refused(changes, ArctreeError, str(tmp_path))


@pytest.mark.parametrize(
    "change", ["parser.hidden=40", "parser.labels=biaffine", "encoder.layers=2"]
)
def test_a_model_of_other_sizes_to_begin_with_is_refused_and_named(
    student: Path, toy_files: list[str], student_settings: list[str], change: str
) -> None:
    changes = [*toy_files, *student_settings, f"training.start={student}", change]
    with pytest.raises(DataError, match="its weights do not fit") as caught:
        prepare(load_configuration(None, changes), CPU)
    assert caught.value.file == str(student)
    assert "[encoder] and [parser]" in caught.value.remedy


def test_a_model_with_other_answers_than_the_silver_to_begin_with_is_refused(
    silver: Path, toy_bert: Path, without_train: list[str], tmp_path: Path
) -> None:
    random_model(load_encoder(toy_bert), OUTCOMES).save(tmp_path / "other")
    changes = [*without_train, *on_bert(toy_bert), f"data.silver={silver}"]
    changes.append(f"training.start={tmp_path / 'other'}")
    refused(changes, CallError, "other labels or tags than the silver has")


def test_a_model_to_begin_with_that_is_not_there_is_named(
    toy_files: list[str], student_settings: list[str], tmp_path: Path
) -> None:
    changes = [*toy_files, *student_settings, f"training.start={tmp_path / 'absent'}"]
    refused(changes, CallError, "absent: no such model directory")
