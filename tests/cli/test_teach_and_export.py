"""From a teacher by silver to a student without torch, by commands alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from arctree import conllu
from arctree.training.silver import Silver
from berts import on_bert
from command_line import Arctree

pytestmark = pytest.mark.xdist_group("training")


@pytest.fixture
def sentences(tmp_path: Path, toy_test: Path) -> Path:
    """The words of the little language's test sentences, a line each."""
    path = tmp_path / "sentences.txt"
    lines = [" ".join(sentence.forms) for sentence in conllu.read(str(toy_test))]
    path.write_text("\n".join([*lines, "", ""]), "utf-8")
    return path


def test_what_a_teacher_annotates_a_student_learns_and_the_student_is_exported(
    arctree: Arctree, tmp_path: Path, teacher: Path, toy_bert: Path, toy_test: Path, sentences: Path
) -> None:
    silver, student, small = (tmp_path / name for name in ("silver", "student", "small"))
    taught = arctree("teach", sentences, "--model", teacher, "--model", teacher, "-o", silver)
    assert taught.status == 0, taught.err
    count = len(sentences.read_text("utf-8").split("\n")) - 2
    assert len(Silver.load(silver)) == count
    assert f"{count} sentences" in taught.err
    changes = [*on_bert(toy_bert), f"data.silver={silver}", f"data.dev={toy_test}"]
    changes += ["training.epochs=2", "segmenter.train=false"]
    options = [option for change in changes for option in ("--set", change)]
    trained = arctree("train", "-o", student, *options)
    assert trained.status == 0, trained.err
    exported = arctree("export", student, "-o", small, "--quantise", toy_test)
    assert exported.status == 0, exported.err
    assert not (small / "model.safetensors").exists()
    parsed = arctree("parse", "--model", small, "--from", "tokens", sentences, "--on-error", "skip")
    assert parsed.status == 0, parsed.err
    assert parsed.out.count("\troot\t") == count


def test_nothing_that_is_there_is_overwritten(
    arctree: Arctree, tmp_path: Path, teacher: Path, sentences: Path
) -> None:
    outcome = arctree("export", teacher, "-o", teacher)
    assert (outcome.status, "holds a model already" in outcome.err) == (2, True)
    (tmp_path / "silver.json").write_text("{}")
    outcome = arctree("teach", sentences, "--model", teacher, "-o", tmp_path)
    assert (outcome.status, "holds a silver corpus already" in outcome.err) == (2, True)


def test_bad_sentences_are_named_by_file_and_line(
    arctree: Arctree, tmp_path: Path, teacher: Path
) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"the dog sees\nthe \xff cat\n")
    outcome = arctree("teach", bad, "--model", teacher, "-o", tmp_path / "silver")
    assert outcome.status == 1
    assert f"{bad}:2" in outcome.err
    bad.write_bytes(b"\n\n")
    outcome = arctree("teach", bad, "--model", teacher, "-o", tmp_path / "silver")
    assert (outcome.status, "no sentence" in outcome.err) == (2, True)


def test_a_folder_without_a_segmenter_gives_none(
    arctree: Arctree, tmp_path: Path, teacher: Path
) -> None:
    outcome = arctree("export", teacher, "-o", tmp_path / "out", "--segmenter", tmp_path)
    assert (outcome.status, "holds no segmenter" in outcome.err) == (2, True)
