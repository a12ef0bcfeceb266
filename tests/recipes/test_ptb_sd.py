"""The recipe for the Penn Treebank, on sentences of our own: the treebank itself is licensed."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from arctree import Sentence, conllu
from arctree.evaluation import evaluate
from arctree.parsing.settings import Scratch
from arctree.sentence import COLUMNS
from arctree.training.configuring import load_configuration
from command_line import PROJECT, Arctree

RECIPE = PROJECT / "recipes" / "ptb-sd"
# In turn: four tags of punctuation, and brackets, which are labelled punct but scored; a sentence
# with brackets alone; the fifth tag under another label, and punct under another tag; crossing
# arcs. A word reads: form, tag, head, label.
SENTENCES = (
    "`` `` 11 punct|Gulls NNS 6 nsubj|-LRB- -LRB- 4 punct|terns NNS 2 appos|-RRB- -RRB- 4 punct|"
    "nest VBP 11 ccomp|here RB 6 advmod|, , 11 punct|'' '' 11 punct|Ada NNP 11 nsubj|"
    "said VBD 0 root|. . 11 punct",
    "-LRB- -LRB- 2 punct|Laughter NN 0 root|-RRB- -RRB- 2 punct",
    "Mix VB 0 root|1\\/2 CD 3 num|cup NN 1 dobj|-- : 1 dep|\\*\\* SYM 1 punct",
    "What WP 5 pobj|did VBD 4 aux|Bo NNP 4 nsubj|stand VB 0 root|for IN 4 prep|? . 4 punct",
)
SCORED = (12 - 4) + 3 + (5 - 1) + (6 - 1)


def conllx(sentences: tuple[str, ...] = SENTENCES) -> str:
    """The sentences as the Stanford converter prints them."""
    text = ""
    for sentence in sentences:
        for number, word in enumerate(sentence.split("|"), start=1):
            form, tag, head, label = word.split(" ")
            text += f"{number}\t{form}\t_\t{tag}\t{tag}\t_\t{head}\t{label}\t_\t_\n"
        text += "\n"
    return text


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"ptb_sd_{name}", RECIPE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look it up
    spec.loader.exec_module(module)
    return module


CONVERT, CHECK = load("convert"), load("check")


def run(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, RECIPE / f"{name}.py", *arguments],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def converted(text: str, folder: Path, *options: str) -> list[Sentence]:
    source, target = folder / "sample.conllx", folder / "sample.conllu"
    source.write_text(text, "utf-8")
    assert CONVERT.main([str(source), "-o", str(target), *options]) == 0
    return list(conllu.read(str(target)))


@pytest.fixture
def gold(tmp_path: Path) -> list[Sentence]:
    return converted(conllx(), tmp_path)


def test_conversion_gives_conllu_with_the_words_tags_and_trees_of_conllx(tmp_path: Path) -> None:
    source, target = tmp_path / "sample.conllx", tmp_path / "sample.conllu"
    source.write_text(conllx(), "utf-8")
    result = run("convert", source, "-o", target)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    before = list(conllu.read(str(source)))
    after = list(conllu.read(str(target)))
    assert len(before) == len(after) == len(SENTENCES)
    for old, new in zip(before, after, strict=True):
        assert new.forms == old.forms
        assert new.xpos == old.xpos
        assert new.tree == old.tree
        assert set(new.upos) <= {"PUNCT", "X"}
        for empty in ("LEMMA", "FEATS", "DEPS", "MISC"):
            assert set(new.columns[COLUMNS.index(empty)]) == {"_"}
    assert target.read_text("utf-8").startswith(
        "1\t``\t_\tPUNCT\t``\t_\t11\tpunct\t_\t_\n2\tGulls\t_\tX\tNNS\t_\t6\tnsubj\t_\t_\n"
    )


def test_what_later_converters_write_beside_the_tree_is_left_behind(tmp_path: Path) -> None:
    text = "1\tGo\tgo\tVERB\tVB\tx=y\t0\troot\t0\troot\r\n2\t!\t!\tPUNCT\t.\t_\t1\tpunct\t_\t_\r\n"
    (sentence,) = converted(text + "\r\n\r\n", tmp_path)
    assert sentence.to_text() == (
        "1\tGo\t_\tX\tVB\t_\t0\troot\t_\t_\n2\t!\t_\tPUNCT\t.\t_\t1\tpunct\t_\t_\n\n"
    )


def test_the_coarse_tag_stands_in_for_a_fine_one(tmp_path: Path) -> None:
    (sentence,) = converted("1\tGo\t_\tVB\t_\t_\t0\troot\t_\t_\n\n", tmp_path)
    assert sentence.xpos == ("VB",)


def test_forms_stay_as_the_treebank_has_them_unless_plain_ones_are_asked_for(
    tmp_path: Path, gold: list[Sentence]
) -> None:
    assert gold[1].forms == ("-LRB-", "Laughter", "-RRB-")
    plain = converted(conllx(), tmp_path, "--plain-forms")
    assert plain[0].forms[:5] == ('"', "Gulls", "(", "terns", ")")
    assert plain[2].forms == ("Mix", "1/2", "cup", "--", "**")
    for one, other in zip(gold, plain, strict=True):
        assert one.columns[2:] == other.columns[2:]


@pytest.mark.parametrize(
    ("spoil", "line", "fault"),
    [
        (lambda text: text.replace("\tterns\t_\t", "\tterns\t"), 4, "9 columns instead of 10"),
        (lambda text: text.replace("-RRB-\t_\t2\tpunct", "-RRB-\t_\t0\troot"), 16, "2 roots"),
        (lambda text: text.replace("\tNN\tNN\t", "\t_\t_\t"), 15, "word 2 has no tag"),
        (lambda text: text.rstrip("\n") + "\n", 29, "without the blank line"),
        (lambda text: re.sub(r"\d+\t\w+\t_\t_$", "_\t_\t_\t_", text, flags=re.M), 1, "heads"),
        (lambda text: text.replace("\n2\tLaugh", "\n1-2\tX" + 8 * "\t_" + "\n2\tLaugh"), 15, "1-2"),
    ],
)
def test_bad_conllx_is_an_error_that_names_file_and_line(
    spoil: Callable[[str], str], line: int, fault: str, tmp_path: Path
) -> None:
    source, target = tmp_path / "bad.conllx", tmp_path / "bad.conllu"
    source.write_text(spoil(conllx()), "utf-8")
    result = run("convert", source, "-o", target)
    assert result.returncode == 1
    assert result.stderr.startswith(f"convert.py: {source}:{line}: ")
    assert fault in result.stderr
    assert not target.exists()


def test_a_file_that_is_not_there_is_a_wrong_call(tmp_path: Path) -> None:
    assert run("convert", tmp_path / "none.conllx").returncode == 2
    assert run("check", tmp_path).returncode == 2


def test_scores_leave_out_a_word_exactly_when_its_gold_tag_is_of_punctuation(
    gold: list[Sentence],
) -> None:
    names = ("UAS (no punctuation)", "LAS (no punctuation)", "LAS (full labels, no punctuation)")
    for name in names:
        assert evaluate(gold, gold)[name].gold == SCORED
    for place, sentence in enumerate(gold):
        assert sentence.heads is not None
        for word, tag in enumerate(sentence.xpos):
            labels = list(sentence.deprels)
            labels[word] = "wrong"
            system = [*gold]
            system[place] = sentence.with_arcs(sentence.heads, labels)
            is_scored = tag not in {"``", "''", ":", ",", "."}
            for name in names[1:]:
                assert evaluate(gold, system)[name].correct == SCORED - is_scored


def test_the_command_scores_wrong_arcs_of_punctuation_as_nothing(
    arctree: Arctree, tmp_path: Path, gold: list[Sentence]
) -> None:
    system = []
    for sentence in gold:
        heads, labels = list(sentence.heads or ()), list(sentence.deprels)
        for word, tag in enumerate(sentence.xpos):
            if tag in CONVERT.PUNCTUATION_TAGS:
                heads[word] = next(
                    other for other in (1, 2, 3) if other not in (word + 1, heads[word])
                )
                labels[word] = "dep"
        system.append(sentence.with_arcs(heads, labels))
    conllu.write(system, str(tmp_path / "system.conllu"))
    result = arctree(
        *("evaluate", tmp_path / "sample.conllu", tmp_path / "system.conllu"),
        *("--json", "--resamples", "10"),
    )
    scores = json.loads(result.out)["scores"]
    assert scores["UAS (no punctuation)"]["f1"] == 1
    assert scores["LAS (full labels, no punctuation)"]["f1"] == 1
    assert scores["UAS"]["f1"] < 1


def test_both_programs_know_the_same_punctuation() -> None:
    assert CONVERT.PUNCTUATION_TAGS == CHECK.PUNCTUATION_TAGS


@pytest.fixture
def folder(tmp_path: Path, gold: list[Sentence]) -> Path:
    for split in CHECK.PENN_TREEBANK.splits:
        conllu.write(gold, str(tmp_path / f"{split}.conllu"))
    return tmp_path


def expected(gold: list[Sentence]) -> Any:
    words = sum(map(len, gold))
    labels = frozenset(label for sentence in gold for label in sentence.deprels)
    split = CHECK.Split("00", len(gold), words)
    return CHECK.Expected(dict.fromkeys(CHECK.PENN_TREEBANK.splits, split), labels)


def test_check_is_content_with_files_that_hold_what_is_expected(
    folder: Path, gold: list[Sentence], capsys: pytest.CaptureFixture[str]
) -> None:
    assert CHECK.main([str(folder)], expected(gold)) == 0
    out = capsys.readouterr().out
    row = r"{}\s+00\s+4 \(4\)\s+26 \(26\)\s+12\s+1\s+6\s+0"
    for split in ("train", "dev", "test"):
        assert re.search(row.format(split), out)
    assert out.endswith("all is as it should be\n")


def test_check_reports_wrong_counts_and_fails(folder: Path) -> None:
    result = run("check", folder)
    assert result.returncode == 1
    assert f"{folder / 'train.conllu'}: 4 sentences instead of 39,832; give" in result.stdout
    assert f"{folder / 'train.conllu'}: 26 words instead of 950,028; give" in result.stdout
    assert "4 sentences instead of 1,700" in result.stdout
    assert "4 sentences instead of 2,416" in result.stdout
    assert "no word has the label acomp, advcl, amod, auxpass" in result.stdout
    assert "no word has the tag" not in result.stdout
    assert result.stdout.endswith("tells how to make the files\n")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("\tLaughter\t_\tX", "\tLaughter\tX", "dev.conllu:15: 9 columns instead of 10"),
        ("-LRB-\t_\t2\tpunct", "-LRB-\t_\t0\troot", "dev.conllu:15: 2 roots"),
        ("\tadvmod\t", "\tvmod\t", "dev.conllu:7: the label vmod, of 1 word, is not one"),
        ("\tprep\t", "\tprep_for\t", "convert with -basic"),
        ("\tdobj\t", "\tobj\t", "Universal Dependencies"),
        ("\tX\tNNS", "\t_\tNNS", "dev.conllu:2: word 2 has UPOS _ and XPOS NNS"),
        ("\tX\t-LRB-", "\tPUNCT\t-LRB-", "dev.conllu:3: word 3 has UPOS PUNCT and XPOS -LRB-"),
        ("\t0\troot", "\t0\tdep", "dev.conllu:11: word 11 has head 0 and the label dep"),
    ],
)
def test_check_reports_what_is_wrong_with_a_line(
    old: str,
    new: str,
    said: str,
    folder: Path,
    gold: list[Sentence],
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = folder / "dev.conllu"
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    assert CHECK.main([str(folder)], expected(gold)) == 1
    assert said in capsys.readouterr().out


def test_check_shows_a_few_of_many_problems_and_counts_them_all(
    folder: Path, gold: list[Sentence], capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "test.conllu"
    path.write_text(re.sub(r"\t(?:X|PUNCT)\t", r"\t_\t", path.read_text("utf-8")), "utf-8")
    assert CHECK.main([str(folder)], expected(gold)) == 1
    out = capsys.readouterr().out
    assert out.count("has UPOS _") == 5
    assert "test.conllu: and 21 more like these" in out


def test_the_labels_are_forty_four_and_root() -> None:
    assert len(CHECK.LABELS) == 45
    assert "root" in CHECK.LABELS


@pytest.mark.parametrize("name", ["mpnet", "scratch"])
def test_the_configurations_find_the_files_and_learn_no_tags(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PTB_SD", "/data/ptb-sd")
    monkeypatch.setenv("VECTORS", "glove.txt")
    found = load_configuration(str(RECIPE / f"{name}.toml"), ["training.seed=3"])
    assert found.data.train == ("/data/ptb-sd/train.conllu",)
    assert found.data.dev == ("/data/ptb-sd/dev.conllu",)
    assert found.data.test == ("/data/ptb-sd/test.conllu",)
    assert found.tags.names == ()
    assert found.training.seed == 3


def test_vectors_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTB_SD", "/data/ptb-sd")
    monkeypatch.delenv("VECTORS", raising=False)
    found = load_configuration(str(RECIPE / "scratch.toml"), ["encoder.vectors=[]"])
    assert isinstance(found.encoder, Scratch)
    assert found.encoder.vectors == ()


def test_the_links_and_programs_of_the_page_are_there() -> None:
    page = (RECIPE / "README.md").read_text("utf-8")
    links = re.findall(r"\]\((?!https:)([^)#]*)", page)
    programs = re.findall(r"recipes/ptb-sd/[\w.]+", page)
    assert links
    assert programs
    for path in (*(RECIPE / link for link in links), *(PROJECT / name for name in programs)):
        assert path.exists(), path


def test_the_recipe_holds_no_treebank() -> None:
    suffixes = {path.suffix for path in RECIPE.rglob("*") if path.is_file()}
    assert suffixes <= {".md", ".py", ".pyc", ".toml"}
