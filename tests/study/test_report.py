from __future__ import annotations

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Collection, Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any
from unittest import mock

import jsonschema
import pytest
import torch

from arctree.conllu import read
from arctree.errors import ArctreeError, CallError, DataError
from arctree.evaluation import evaluate
from arctree.json_form import heading
from arctree.scores import HEADLINE
from arctree.sentence import FEATS, UPOS, XPOS, Sentence
from arctree.study.configuring import Study, load_study
from arctree.study.gathering import gather, tags_known
from arctree.study.markdown import as_markdown, plain, table
from arctree.study.pictures import draw_pictures
from arctree.study.report import systems_left_out, write_report
from arctree.study.running import run_all
from arctree.study.runs import runs_of
from arctree.study.speed import measure_speed
from arctree.study.splits import read_split
from arctree.study.table import as_latex
from studied import write_study

pytestmark = pytest.mark.xdist_group("training")
ALL = ("upos", "xpos", "feats")
SCHEMA = json.loads(files("arctree.study").joinpath("report-schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


@pytest.fixture(scope="module")
def report(study: Study, results: Path) -> Mapping[str, Any]:
    return gather(study, results, resamples=50)


def without_models(results: Path, place: Path) -> Path:
    shutil.copytree(results, place, ignore=shutil.ignore_patterns("model"))
    return place


def test_the_json_follows_its_schema(report: Mapping[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    VALIDATOR.validate(json.loads(json.dumps(report)))


def test_scores_are_means_over_seeds_of_the_official_ones(
    study: Study, results: Path, report: Mapping[str, Any]
) -> None:
    graph = report["systems"][1]
    assert (graph["name"], graph["title"], graph["reference"]) == ("graph", "graph-based", "mapped")
    for split in ("dev", "test"):
        gold = read_split(study, split)
        found = [
            evaluate(gold, read(str(results / "graph" / f"seed-{seed}" / f"{split}.conllu")))
            for seed in (1, 2)
        ]
        for name, score in (("uas", "UAS"), ("las", HEADLINE)):
            values = [evaluation[score].f1 for evaluation in found]
            assert graph["scores"][split][name]["values"] == pytest.approx(values)
            assert graph["scores"][split][name]["mean"] == pytest.approx(sum(values) / 2)
        delta = graph["differences"][split]["las"]["delta"]
        ours, theirs = (system["scores"][split]["las"]["mean"] for system in report["systems"])
        assert delta == pytest.approx(theirs - ours)


def test_numbers_of_one_system_agree_with_each_other(report: Mapping[str, Any]) -> None:
    for system in report["systems"]:
        words = report["data"]["dev"]["words"]
        by_length = system["sentence_lengths"]
        assert sum(row["words"] for row in by_length) == words
        assert sum(row["gold"] for row in system["arc_lengths"]) == words
        uas = system["scores"]["dev"]["uas"]["mean"]
        assert sum(row["words"] * row["uas"] for row in by_length) / words == pytest.approx(uas)
    mapped, graph = report["systems"]
    assert (mapped["steps_per_word"], graph["steps_per_word"]) == (2, 0)
    assert graph["departures"] is None
    found = mapped["departures"]
    assert found["sentences"] == 2 * report["data"]["dev"]["sentences"]
    assert found["departed"] + found["canonical"] + found["other_derivation"] == found["sentences"]
    assert sum(row["times"] for row in found["confusion"]) == found["departed"]
    assert sum(found["positions"]) == sum(found["wrong_arcs"]) == found["departed"]
    assert sum(row["times"] for row in found["labels"]) == found["departed"]
    assert found["arcs_after"] >= found["wrong_after"] >= found["departed"]


def test_a_report_needs_no_models_and_tells_what_is_missing(
    study: Study, results: Path, tmp_path: Path
) -> None:
    folder = without_models(results, tmp_path / "results")
    shutil.rmtree(folder / "graph" / "seed-2")
    report = write_report(study, folder)
    assert report["systems"][1]["missing"] == [2]
    VALIDATOR.validate(json.loads((folder / "report" / "report.json").read_text("utf-8")))
    page = (folder / "report" / "README.md").read_text("utf-8")
    assert "**Not all runs are finished.**\n\n- graph: 1 of 2 seeds" in page
    for name in re.findall(r"\]\(([^)]*)\)", page):
        assert (folder / "report" / name).is_file(), name
    row = next(line for line in page.splitlines() if line.startswith("| graph-based"))
    assert " | 1 | " in row
    assert "±" not in row
    shutil.rmtree(folder / "graph")
    report = write_report(study, folder)
    assert report["systems"][1]["seeds"] == []
    VALIDATOR.validate(json.loads(json.dumps(report)))
    assert "- graph: 0 of 2 seeds" in (folder / "report" / "README.md").read_text("utf-8")
    shutil.rmtree(folder / "mapped")
    with pytest.raises(ArctreeError, match="holds no finished run"):
        write_report(study, folder)


def test_files_that_are_in_two_splits_are_told(report: Mapping[str, Any]) -> None:
    data = report["data"]
    assert "too: what is told of" not in as_markdown(report, [])
    learnt = {**data, "dev": {**data["dev"], "files": data["train"]["files"]}}
    page = as_markdown({**report, "data": learnt}, [])
    told = "what is told of dev is of sentences that were learnt"
    assert f"**train.conllu of train is in dev, too: {told}.**" in page


def test_what_was_not_counted_is_not_told_as_none(
    study: Study, results: Path, tmp_path: Path
) -> None:
    """Runs of an arctree that did not count ill-formed answers yet."""
    folder = without_models(results, tmp_path / "results")
    counted = write_report(study, folder)["systems"][0]
    assert counted["ill_formed"] == {"dev": 0, "test": 0}
    row = row_of("mapped", folder)
    assert " | 0 of 100 | 2.00 | " in row
    path = folder / "mapped" / "seed-2" / "run.json"
    facts = json.loads(path.read_text("utf-8"))
    del facts["answers"]["test"]["ill_formed"]
    path.write_text(json.dumps(facts))
    report = write_report(study, folder)
    VALIDATOR.validate(json.loads(json.dumps(report)))
    assert report["systems"][0]["ill_formed"] == {"dev": 0, "test": None}
    assert row_of("mapped", folder) == row.replace("0 of 100", "–")


def row_of(title: str, folder: Path) -> str:
    """A system's row in the table of costs."""
    page = (folder / "report" / "README.md").read_text("utf-8")
    _, _, costs = page.partition("## Trees, and what they cost")
    return next(line for line in costs.splitlines() if line.startswith(f"| {title} |"))


def test_tags_that_a_tagger_gives_are_told(report: Mapping[str, Any]) -> None:
    changed = json.loads(json.dumps(report))
    changed["systems"][1]["tags"] = "given"
    page = as_markdown(changed, [])
    assert "words alone" in as_markdown(report, [])
    assert "words alone" not in page
    assert "With the encoder Bi\\_LSTM & more, mapped learn the tags" in page
    assert "With the encoder Bi\\_LSTM & more, graph-based are given words and the tags" in page
    for system in changed["systems"]:
        system["tags"] = None
    assert "the encoder" not in as_markdown(changed, []).partition("## Scores")[0]


def learning(weight: float, *columns: str) -> dict[str, Any]:
    """Settings of a native system that learns these tags."""
    return {"tags": {"weight": weight, **{name: name in columns for name in ALL}}}


@pytest.mark.parametrize(
    ("kind", "settings", "there", "known"),
    [
        ("stanza-mapped", {}, ALL, "none"),
        ("stanza-mapped", {"stanza": {"learn_relations": False}}, ALL, "none"),
        ("stanza-in-order", {"stanza": {"learn_relations": True}}, ALL, "learnt"),
        ("stanza-in-order", {"stanza": {"learn_relations": True}}, {"xpos"}, "none"),
        ("stanza-in-order", {"stanza": {"learn_relations": True, "tag_steps": 5}}, ALL, "given"),
        ("stanza-graph", {"stanza": {"learn_relations": True}}, ALL, "none"),
        ("stanza-graph", {"stanza": {"tag_steps": 5}}, ALL, "given"),
        ("mapped", learning(1, "xpos"), ALL, "learnt"),
        ("mapped", learning(1, "xpos"), {"upos"}, "none"),
        ("graph", learning(1, *ALL), (), "none"),
        ("graph", learning(0, "xpos"), ALL, "none"),
    ],
)
def test_what_systems_know_of_tags(
    kind: str, settings: Mapping[str, Any], there: Collection[str], known: str
) -> None:
    assert tags_known(kind, settings, there) == known


def test_a_treebank_without_tags_teaches_none(study: Study, results: Path, tmp_path: Path) -> None:
    """Where the settings would have them learnt."""
    folder = without_models(results, tmp_path / "results")
    assert {system["tags"] for system in gather(study, folder, resamples=10)["systems"]} == {
        "learnt"
    }
    bare = {
        split: [replace_columns(sentence) for sentence in read_split(study, split)]
        for split in ("train", "dev", "test")
    }
    with mock.patch("arctree.study.gathering.read_split", lambda _, split: bare[split]):
        told = gather(study, folder, resamples=10)
    assert {system["tags"] for system in told["systems"]} == {"none"}


def replace_columns(sentence: Sentence) -> Sentence:
    """The sentence without tags."""
    columns = list(sentence.columns)
    for column in (UPOS, XPOS, FEATS):
        columns[column] = ("_",) * len(sentence)
    return replace(sentence, columns=tuple(columns))


def test_a_report_tells_what_it_was_made_with(report: Mapping[str, Any]) -> None:
    versions = report["systems"][0]["versions"]
    assert len(versions) == 1
    assert f"torch {torch.__version__}" in (page := as_markdown(report, []))
    assert page.count(f"arctree {versions[0]['arctree']}") == 1
    assert report["systems"][0]["settings"]["training"]["epochs"] == 3
    other = json.loads(json.dumps(report))
    other["systems"][1]["versions"].append({**versions[0], "torch": "1.0"})
    page = as_markdown(other, [])
    assert f"torch {torch.__version__} or 1.0" in page
    assert page.count(f"arctree {versions[0]['arctree']}") == 1
    for system in other["systems"]:
        del system["versions"], system["settings"]
    VALIDATOR.validate(other)
    assert "torch" not in as_markdown(other, [])


def test_another_study_does_not_write_over_a_report(
    study: Study, results: Path, tmp_path: Path
) -> None:
    folder = without_models(results, tmp_path / "results")
    assert systems_left_out(study, folder) == []
    write_report(study, folder)
    assert systems_left_out(study, folder) == []
    (tmp_path / "other").mkdir()
    path = write_study(tmp_path / "other", train=5, dev=5)
    text = path.read_text("utf-8")
    with pytest.raises(CallError, match=r"report\.json: the report of a study of other data; name"):
        systems_left_out(load_study(str(path)), folder)
    here = Path(study.file).parent
    path.write_text(text.replace(str(path.parent), str(here)).replace('"graph"', '"arcs"', 1))
    assert systems_left_out(load_study(str(path)), folder) == ["graph"]
    (folder / "report" / "report.json").write_text("{}")
    with pytest.raises(DataError, match=r"report\.json: not a report of arctree's; remove it"):
        systems_left_out(study, folder)


WHOLE = {**dict.fromkeys(("device", "hardware", "versions"), ""), "sentences": 1, "words": 1}


@pytest.mark.parametrize(
    "text",
    [
        *("{", "[]", "{}", '{"arctree": 1, "kind": "study-speed"}'),
        json.dumps({**heading("study-speed"), **WHOLE, "systems": {"mapped": {}}}),
        json.dumps({**heading("study-speed"), **WHOLE, "systems": ["mapped"]}),
    ],
)
def test_speeds_that_are_none_are_told(
    text: str, study: Study, results: Path, tmp_path: Path
) -> None:
    folder = without_models(results, tmp_path / "results")
    (folder / "speed-cpu.json").write_text(text)
    with pytest.raises(DataError, match=r"speed-cpu\.json: .*; remove it, and measure again with"):
        gather(study, folder, resamples=10)


def test_parts_done_apart_make_one_report(tmp_path: Path) -> None:
    study = load_study(str(write_study(tmp_path, train=20, dev=8)))
    for folder, names in (("here", ["mapped"]), ("there", ["graph"])):
        for seed in study.seeds:
            run_all(study, tmp_path / folder, names, [seed], lambda run, told: None)
    shutil.copytree(tmp_path / "there" / "graph", tmp_path / "here" / "graph")
    report = write_report(study, tmp_path / "here")
    assert all(system["missing"] == [] for system in report["systems"])
    assert all(run.is_finished for run in runs_of(study, tmp_path / "here"))


def test_the_page_shows_names_as_they_are(report: Mapping[str, Any]) -> None:
    page = as_markdown(report, list(draw_pictures(report)))
    assert page.startswith("# Toy & co\\_1\n")
    assert "| mapped | Bi\\_LSTM & more | 2 |" in page
    mean = 100 * report["systems"][0]["scores"]["test"]["las"]["mean"]
    assert f"| {mean:.2f} ± " in page
    assert plain("a|b *c*\n[d]") == "a\\|b \\*c\\* \\[d\\]"
    assert plain("$x$ & y &amp; z") == "\\$x\\$ & y &amp;amp; z"
    assert table(["a", "b"], [["x", "1"]], texts=1) == "| a | b |\n| --- | --: |\n| x | 1 |"


def test_rows_of_a_table_have_as_many_cells_as_its_heading(report: Mapping[str, Any]) -> None:
    page = as_markdown(report, [])
    for block in re.findall(r"(?:^\|.*\n)+", page, re.M):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1, block


def test_the_table_for_a_paper_escapes_names(report: Mapping[str, Any]) -> None:
    text = as_latex(report)
    assert r"Bi\_LSTM \symbol{38} more" in text
    assert r"\caption{Toy \symbol{38} co\_1: mean over 2 seeds" in text
    body = text[text.index(r"\begin{tabular}") : text.index(r"\end{tabular}")]
    rows = [line for line in body.splitlines() if line.startswith(("mapped", "graph"))]
    assert len(rows) == 2
    assert all(len(re.findall(r"(?<!\\)&", row)) == 6 for row in rows)
    assert text.count("{") == text.count("}")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_the_table_for_a_paper_compiles(report: Mapping[str, Any], tmp_path: Path) -> None:
    head = "\\documentclass{article}\\usepackage{booktabs}\\usepackage[T1]{fontenc}\n"
    document = f"{head}\\begin{{document}}\n{as_latex(report)}\\end{{document}}\n"
    (tmp_path / "table.tex").write_text(document, "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "table.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    if "not found" in done.stdout:
        pytest.skip("a package of LaTeX is not installed")
    assert done.returncode == 0, done.stdout[-2000:]


def test_pictures_are_whole_documents_that_name_what_they_show(
    report: Mapping[str, Any],
) -> None:
    pictures = draw_pictures(report)
    assert list(pictures) == [
        "sentence-lengths.svg",
        "arc-lengths.svg",
        "overlap.svg",
        "departures.svg",
    ]
    for picture in pictures.values():
        root = ElementTree.fromstring(picture)
        texts = ["".join(node.itertext()) for node in root.iter() if node.tag.endswith("text")]
        assert any("Bi_LSTM & more" in text for text in texts)
        for node in root.iter():
            if node.tag.endswith("text"):
                assert 0 <= float(node.get("x", "")) <= float(root.get("width", ""))
                assert 0 <= float(node.get("y", "")) <= float(root.get("height", ""))


def test_names_at_the_ends_of_lines_do_not_lie_on_each_other(report: Mapping[str, Any]) -> None:
    systems = [
        {**report["systems"][0], "name": f"s{number}", "title": f"system {number}"}
        for number in range(6)
    ]
    drawn = draw_pictures({**report, "systems": systems, "overlap": _overlap_of(systems)})
    root = ElementTree.fromstring(drawn["sentence-lengths.svg"])
    named = [
        float(node.get("y", ""))
        for node in root.iter()
        if node.tag.endswith("text") and (node.text or "").startswith("system ")
    ]
    assert len(named) == 6
    assert min(b - a for a, b in zip(sorted(named), sorted(named)[1:], strict=False)) >= 15


def test_a_second_line_of_an_ink_is_broken(report: Mapping[str, Any]) -> None:
    systems = [
        {**report["systems"][0], "name": f"s{number}", "title": f"system {number}"}
        for number in range(8)
    ]
    drawn = draw_pictures({**report, "systems": systems, "overlap": _overlap_of(systems)})
    lines = re.findall(r'(<g [^>]*>)?<path class="line (ink\d)"', drawn["sentence-lengths.svg"])
    assert len(lines) == len(set(lines)) == 8
    assert [bool(broken) for broken, _ in lines] == [False] * 6 + [True] * 2


def _overlap_of(systems: list[dict[str, Any]]) -> dict[str, Any]:
    names = [system["name"] for system in systems]
    return {"systems": names, "shares": [[0.5] * len(names) for _ in names]}


def test_a_study_without_a_mapped_system_has_no_departures(
    study: Study, results: Path, tmp_path: Path
) -> None:
    folder = without_models(results, tmp_path / "results")
    write_report(study, folder)
    assert (folder / "report" / "departures.svg").exists()
    shutil.rmtree(folder / "mapped")
    report = write_report(study, folder)
    assert report["systems"][1]["differences"] is None
    assert not (folder / "report" / "departures.svg").exists()
    assert "leaves the gold derivations" not in (folder / "report" / "README.md").read_text("utf-8")


def test_speed_is_measured_on_models_that_are_there(
    study: Study, results: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "results"
    shutil.copytree(results, folder)
    shutil.rmtree(folder / "mapped" / "seed-1" / "model")
    said: list[str] = []
    measure_speed(study, folder, "cpu", said.append)
    with pytest.raises(ArctreeError, match="measure all systems at once"):
        measure_speed(study, folder, "cpu", said.append, [study.entries[0].name])
    assert said[:2] == ["mapped loaded, seed 2", "graph loaded, seed 1"]
    report = gather(study, folder, resamples=10)
    VALIDATOR.validate(json.loads(json.dumps(report)))
    [speed] = report["speed"]
    assert speed["device"] == "cpu"
    assert 60 <= speed["words"] < 100  # whole sentences
    assert speed["systems"]["mapped"]["ratio"] == 1
    rates = [speed["systems"][name]["words_per_second"] for name in ("mapped", "graph")]
    assert speed["systems"]["graph"]["ratio"] == pytest.approx(rates[1] / rates[0])
    page = as_markdown(report, [])
    assert "words/s, CPU" in page
    assert "(1.00 ×)" in page
    assert "†" not in page


def test_words_a_second_are_those_of_the_runs_until_speed_is_measured(
    report: Mapping[str, Any], results: Path
) -> None:
    facts = [json.loads((results / f"graph/seed-{s}/run.json").read_text("utf-8")) for s in (1, 2)]
    rates = []
    for some in facts:
        answers = some["answers"].values()
        rates.append(sum(a["words"] for a in answers) / sum(a["seconds"] for a in answers))
    told = report["systems"][1]["words_per_second"]
    assert told["values"] == pytest.approx(rates)
    page = as_markdown(report, [])
    assert "| training | words/s |" in page
    assert f"| {told['mean']:,.0f} |" in page
    measured = json.loads(json.dumps(report))
    measured["speed"] = [{"device": "cpu", "hardware": "x", "words": 1, "systems": {}}]
    assert "| training | words/s, CPU |" in as_markdown(measured, [])
    for system in measured["systems"]:  # as runs of an earlier arctree are told
        system["words_per_second"] = None
    assert "| training |\n" in as_markdown({**measured, "speed": []}, [])


def test_a_speed_of_other_runs_is_told_apart(study: Study, results: Path, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    shutil.copytree(results, folder)
    measure_speed(study, folder, "cpu", lambda told: None)
    file = folder / "speed-cpu.json"
    measured = json.loads(file.read_text("utf-8"))
    assert measured["systems"]["mapped"]["answers"] != measured["systems"]["graph"]["answers"]
    measured["systems"]["graph"]["answers"] = measured["systems"]["mapped"]["answers"]
    file.write_text(json.dumps(measured), "utf-8")
    report = gather(study, folder, resamples=10)
    VALIDATOR.validate(json.loads(json.dumps(report)))
    [speed] = report["speed"]
    own = {name: found["is_of_these_runs"] for name, found in speed["systems"].items()}
    assert own == {"mapped": True, "graph": False}
    page = as_markdown(report, [])
    assert page.count("†") == 2
    assert "† Of another model than those of the tables." in page


def test_speed_needs_a_model(study: Study, results: Path, tmp_path: Path) -> None:
    folder = without_models(results, tmp_path / "results")
    with pytest.raises(ArctreeError, match="holds no models of finished runs to measure"):
        measure_speed(study, folder, "cpu", lambda told: None)
