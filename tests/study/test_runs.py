from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from arctree.errors import DataError
from arctree.network.model import Model
from arctree.parsing.answers import Analysis
from arctree.study.configuring import Study, load_study
from arctree.study.departures import heads_built
from arctree.study.identity import check_run, identity_of
from arctree.study.running import run_all, run_one, system_for
from arctree.study.runs import runs_of
from arctree.study.splits import ALL_SPLITS, hash_of, read_split, words_only
from studied import GRAPH, write_study
from trained import ENVIRONMENT

pytestmark = pytest.mark.xdist_group("training")


def test_every_system_is_run_with_every_seed(study: Study, results: Path) -> None:
    runs = runs_of(study, results)
    assert [(run.entry.name, run.seed) for run in runs] == [
        ("mapped", 1),
        ("graph", 1),
        ("mapped", 2),
        ("graph", 2),
    ]
    assert all(run.is_finished for run in runs)


def test_answers_that_are_no_ordered_trees_are_counted(
    study: Study, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were there any: here the arcs of every long sentence are made to cross."""
    mapped, graph, *_ = runs_of(study, results)
    dev = read_split(study, "dev")
    plain = Model.analyse

    def crossing(model: Model, sentences: Sequence[Sequence[str]]) -> list[Analysis]:
        return [
            replace(found, heads=np.array([3, 4, 0, 3] + [3] * (len(words) - 4)))
            if len(words) > 6
            else found
            for words, found in zip(sentences, plain(model, sentences), strict=True)
        ]

    monkeypatch.setattr(Model, "analyse", crossing)
    long = sum(len(sentence) > 6 for sentence in dev)
    assert 0 < long < len(dev)
    for run, count in ((mapped, long), (graph, 0)):
        outputs = system_for(study, run).load(run.folder / "model")(dev)
        assert outputs.ill_formed == count


def test_a_run_tells_what_it_took(study: Study, results: Path) -> None:
    mapped, graph, *_ = runs_of(study, results)
    facts = mapped.facts()
    assert facts is not None
    dev = read_split(study, "dev")
    words = sum(map(len, dev))
    assert facts["answers"]["dev"].pop("seconds") > 0
    assert facts["answers"]["dev"] == {
        "sentences": len(dev),
        "words": words,
        "steps": 2 * words,
        "ill_formed": 0,
    }
    assert facts["parameters"] > 1000
    assert facts["training_seconds"] > 0
    assert facts["settings"]["training"]["clip"] == 1.0  # what is so by default, too
    assert facts["versions"]["torch"]
    other = graph.facts()
    assert other is not None
    assert other["answers"]["test"]["steps"] == 0


def test_derivations_build_the_trees_that_were_answered(study: Study, results: Path) -> None:
    run = runs_of(study, results, ["mapped"], [1])[0]
    parsed = run.parsed("dev")
    derivations = run.derivations("dev", list(map(len, parsed)))
    assert len(parsed) == len(derivations)
    same = [
        heads_built(taken) == sentence.heads
        for sentence, taken in zip(parsed, derivations, strict=True)
    ]
    assert sum(same) > len(same) / 2  # all but those that were lowered
    assert not (runs_of(study, results, ["graph"], [1])[0].folder / "dev.derivations").exists()


def test_systems_are_given_words_alone(study: Study) -> None:
    sentence = read_split(study, "dev")[0]
    given = words_only(sentence)
    assert given.is_blind
    assert given.forms == sentence.forms
    assert set(given.upos + given.xpos + given.feats + given.lemmas + given.deprels) == {"_"}


def test_a_finished_run_is_not_done_again(study: Study, results: Path) -> None:
    before = runs_of(study, results)[0].file.stat().st_mtime_ns
    said: list[str] = []
    assert run_all(study, results, [], [], lambda run, told: said.append(told)) == []
    assert said == ["finished before"] * 4
    assert runs_of(study, results)[0].file.stat().st_mtime_ns == before


def test_a_run_with_other_settings_is_refused(study: Study, results: Path, tmp_path: Path) -> None:
    shutil.copytree(results, tmp_path / "results", ignore=shutil.ignore_patterns("model"))
    path = tmp_path / "toy.toml"
    folder = Path(study.data.train[0]).parent
    text = (folder / "toy.toml").read_text("utf-8")
    path.write_text(text.replace("hidden = 32", "hidden = 33").replace("8e-3", "0.002"))
    changed = load_study(str(path))
    said = (
        "settings.parser.hidden was 32 and is 33; "
        "settings.training.rate was 0.008 and is the default"
    )
    with pytest.raises(DataError, match=said):
        run_all(changed, tmp_path / "results", [], [], lambda run, told: None)


def test_a_run_on_other_data_is_refused(study: Study, results: Path, tmp_path: Path) -> None:
    path = write_study(tmp_path, train=81)
    hash_of.cache_clear()
    with pytest.raises(DataError, match=r"data.train has other content; give the system another"):
        check_run(load_study(str(path)), runs_of(load_study(str(path)), results)[0])


@pytest.mark.parametrize("split", ALL_SPLITS)
def test_a_fault_in_any_file_is_told_before_anything_is_trained(split: str, tmp_path: Path) -> None:
    study = load_study(str(write_study(tmp_path)))
    file = tmp_path / f"{split}.conllu"
    whole = file.read_text("utf-8")
    for text, fault in (
        (whole.replace("\t0\troot", "\t99\troot", 1), r":\d+: .*99"),
        (blind(whole), rf":1: sentence .*: data\.{split} has a sentence without heads; fill"),
        ("", rf": data\.{split} has no sentences; name"),
    ):
        file.write_text(text, "utf-8")
        hash_of.cache_clear()
        for run in (
            partial(run_all, study, tmp_path / "out", [], [], lambda run, message: None),
            partial(run_one, study, tmp_path / "out", "mapped", 1, print),
        )[: 1 if split == "train" else 2]:  # one run reads what it learns from by itself
            with pytest.raises(DataError, match=rf"{split}\.conllu{fault}"):
                run()
    assert not (tmp_path / "out").exists()


def blind(text: str) -> str:
    """CoNLL-U without heads and labels."""
    lines = [line.split("\t") for line in text.splitlines()]
    return "".join(
        "\t".join([*line[:6], "_", "_", *line[8:]] if len(line) > 1 else line) + "\n"
        for line in lines
    )


def test_what_was_trained_may_find_another_test_file_when_it_goes_on(
    study: Study, results: Path, tmp_path: Path
) -> None:
    """Training has not seen it; what has parsed it, has."""
    there = load_study(str(write_study(tmp_path)))
    shutil.copytree(results / "graph", tmp_path / "out" / "graph")
    test = tmp_path / "test.conllu"
    test.write_text(test.read_text("utf-8").replace("root", "other"), "utf-8")
    hash_of.cache_clear()
    [run] = runs_of(there, tmp_path / "out", ["graph"], [1])
    with pytest.raises(DataError, match=r"data\.test has other content"):
        run_all(there, tmp_path / "out", ["graph"], [1], lambda run, message: None)
    facts = json.loads(run.file.read_text("utf-8"))
    run.file.write_text(json.dumps({**facts, "finished": False}))
    said: list[str] = []
    assert (
        run_all(there, tmp_path / "out", ["graph"], [1], lambda run, told: said.append(told)) == []
    )
    assert said == ["trained; parsing", "finished"]
    check_run(there, run)
    with pytest.raises(DataError, match=r"data\.test has other content"):
        check_run(study, run)


def test_files_may_have_other_names_elsewhere(study: Study, results: Path, tmp_path: Path) -> None:
    there = load_study(str(write_study(tmp_path)))  # the same content in another folder
    assert there.data != study.data
    for run in runs_of(there, results):
        check_run(there, run)


def test_a_run_that_was_killed_goes_on(tmp_path: Path) -> None:
    path = write_study(tmp_path, epochs=8)
    command = [sys.executable, "-m", "arctree", "study", str(path), "-o", str(tmp_path / "out")]
    command += ["--only", "mapped", "--seed", "1"]
    checkpoints = tmp_path / "out" / "mapped" / "seed-1" / "model" / "training"
    with subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.DEVNULL) as process:
        while not list(checkpoints.glob("checkpoint-*")):
            assert process.poll() is None, "the run was over before it could be killed"
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
    study = load_study(str(path))
    [run] = runs_of(study, tmp_path / "out", ["mapped"], [1])
    assert run.facts() is not None
    assert not run.is_finished
    said: list[str] = []
    run_one(study, tmp_path / "out", "mapped", 1, said.append)
    assert any(told.startswith("going on after epoch") for told in said)
    assert run.is_finished


def test_a_run_killed_after_training_only_parses(
    study: Study, results: Path, tmp_path: Path
) -> None:
    shutil.copytree(results / "graph", tmp_path / "graph")
    [run] = runs_of(study, tmp_path, ["graph"], [1])
    facts = json.loads(run.file.read_text("utf-8"))
    begun = {key: facts[key] for key in ("arctree", "kind", "identity")}
    run.file.write_text(json.dumps({**begun, "finished": False}))
    (run.folder / "test.conllu").unlink()
    said: list[str] = []
    run_one(study, tmp_path, "graph", 1, said.append)
    assert said == ["trained; parsing"]
    assert run.parsed("test") == runs_of(study, results, ["graph"], [1])[0].parsed("test")
    again = run.facts()
    assert again is not None
    assert again["training_seconds"] == facts["training_seconds"]


def test_a_run_that_has_begun_may_need_its_files_no_more(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("the 1 2\n")
    change = f'set = ["training.epochs=1", "encoder.vectors={vectors}"]'
    path.write_text(path.read_text("utf-8").replace('set = ["training.epochs=2"]', change))
    study = load_study(str(path))
    run = run_one(study, tmp_path / "out", "graph", 1, lambda message: None)
    facts = json.loads(run.file.read_text("utf-8"))
    run.file.write_text(json.dumps({**facts, "finished": False}))
    vectors.unlink()
    said: list[str] = []
    assert not run_all(study, tmp_path / "out", ["graph"], [1], lambda run, told: said.append(told))
    assert said == ["trained; parsing", "finished"]


def test_finished_models_are_loaded_in_place_of_training(
    tmp_path: Path, mapped_model: Path
) -> None:
    path = write_study(tmp_path)
    text = path.read_text("utf-8")
    entry = f'kind = "mapped"\nmodels = ["{mapped_model}", "{mapped_model}"]'
    path.write_text(text.replace(GRAPH, entry).replace('name = "graph"', 'name = "loaded"'))
    study = load_study(str(path))
    said: list[str] = []
    run = run_one(study, tmp_path / "out", "loaded", 2, said.append)
    assert said == ["trained; parsing"]
    assert run.is_finished
    assert not (run.folder / "model").exists()
    assert len(run.derivations("test", list(map(len, run.parsed("test"))))) == 25


def test_a_model_of_another_kind_is_refused(tmp_path: Path, mapped_model: Path) -> None:
    path = write_study(tmp_path)
    models = f'kind = "graph"\nmodels = ["{mapped_model}", "{tmp_path / "absent"}"]'
    path.write_text(path.read_text("utf-8").replace(GRAPH, models))
    study = load_study(str(path))
    with pytest.raises(DataError, match="the model is mapped, not graph"):
        run_one(study, tmp_path / "out", "graph", 1, print)
    with pytest.raises(DataError, match="absent: no finished model; name one that is"):
        run_one(study, tmp_path / "out", "graph", 2, print)


@pytest.mark.parametrize("kind", ["graph", "stanza-graph", "stanza-mapped"])
def test_a_folder_without_a_finished_model_is_not_trained_in(kind: str, tmp_path: Path) -> None:
    path = write_study(tmp_path)
    (tmp_path / "begun").mkdir()
    models = f'kind = "{kind}"\nmodels = ["{tmp_path / "begun"}", "{tmp_path / "begun"}"]'
    path.write_text(path.read_text("utf-8").replace(GRAPH, models))
    with pytest.raises(DataError, match="begun: no finished model"):
        run_one(load_study(str(path)), tmp_path / "out", "graph", 1, print)
    assert list((tmp_path / "begun").iterdir()) == []


def test_a_loaded_model_is_known_by_how_it_is_searched(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    models = 'kind = "linearised"\nmodels = ["a", "b"]\nset = ["parser.beam=2"]'
    text = path.read_text("utf-8").replace(GRAPH, models)
    identities, systems = [], []
    for beam in ("2", "4"):
        path.write_text(text.replace("beam=2", f"beam={beam}"))
        study = load_study(str(path))
        run = runs_of(study, tmp_path / "out", ["graph"])[0]
        identities.append(identity_of(study, run))
        systems.append(system_for(study, run))
    path.write_text(text.replace('\nset = ["parser.beam=2"]', ""))
    study = load_study(str(path))
    systems.append(system_for(study, runs_of(study, tmp_path / "out", ["graph"])[0]))
    assert [getattr(system, "beam", "no such thing") for system in systems] == [2, 4, None]
    assert [found["settings"] for found in identities] == [
        {"parser": {"beam": 2}},
        {"parser": {"beam": 4}},
    ]


def test_answers_of_models_that_were_trained_again_are_refused(
    results: Path, tmp_path: Path
) -> None:
    path = write_study(tmp_path)
    more = '[[systems]]\nname = "wide"\nkind = "mapped"\nmodels_of = "mapped"\n'
    path.write_text(f'{path.read_text("utf-8")}\n{more}set = ["parser.beam=2"]\n', "utf-8")
    study = load_study(str(path))
    folder = tmp_path / "results"
    shutil.copytree(results / "mapped" / "seed-1", folder / "mapped" / "seed-1")
    beams: list[int | None] = []
    with_beam = Model.with_beam

    def watched(model: Model, beam: int) -> Model:
        beams.append(beam)
        return with_beam(model, beam)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Model, "with_beam", watched)
        wide = run_one(study, folder, "wide", 1, lambda message: None)
    assert beams == [2]
    check_run(study, wide)
    answers = folder / "mapped" / "seed-1" / "dev.conllu"
    answers.write_text(answers.read_text("utf-8") + "\n", "utf-8")  # as another model might have
    with pytest.raises(DataError, match=r"models of mapped are others .*; remove the folder"):
        run_all(study, folder, ["wide"], [1], lambda run, message: None)
    # One that was made before this was noted, or whose learner is elsewhere, is taken as it is.
    facts = wide.facts()
    assert facts is not None
    wide.file.write_text(
        json.dumps({key: value for key, value in facts.items() if key != "learner_answers"})
    )
    check_run(study, wide)
    wide.file.write_text(json.dumps(facts))
    shutil.rmtree(folder / "mapped")
    check_run(study, wide)


def test_a_run_that_fails_does_not_stop_the_others(tmp_path: Path) -> None:
    path = write_study(tmp_path, train=20, dev=5)
    text = path.read_text("utf-8").replace("seeds = [1, 2]", "seeds = [1]")
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("the 1 2\n" * 200 + "no numbers\n")  # the first lines are looked at before
    broken = f'name = "broken"\nset = ["encoder.vectors={vectors}"]'
    path.write_text(text.replace('name = "mapped"', broken))
    study = load_study(str(path))
    said: list[str] = []
    failures = run_all(
        study, tmp_path / "out", [], [], lambda run, told: said.append(f"{run.entry.name} {told}")
    )
    assert [failure.run.entry.name for failure in failures] == ["broken"]
    assert "vectors.txt" in failures[0].reason
    assert said[-1] == "graph finished"


def test_what_failed_before_it_learnt_anything_may_be_mended(
    study: Study, results: Path, tmp_path: Path
) -> None:
    shutil.copytree(results / "graph", tmp_path / "graph")
    [run] = runs_of(study, tmp_path, ["graph"], [1])
    facts = json.loads(run.file.read_text("utf-8"))
    facts["identity"]["settings"]["training"]["epochs"] = 77
    told = "training.epochs was 77 and is 2; give the system another name"
    for finished in (True, False):
        run.file.write_text(json.dumps({**facts, "finished": finished}))
        with pytest.raises(DataError, match=told):
            check_run(study, run)
    for learnt in ("config.json", "training"):  # of which a failed run may have the folder
        path = run.folder / "model" / learnt
        path.unlink() if path.is_file() else shutil.rmtree(path)
    assert not run.has_begun
    check_run(study, run)


def test_a_beam_in_settings_that_systems_share_is_for_those_that_build_trees(
    tmp_path: Path,
) -> None:
    path = write_study(tmp_path)
    path.write_text(path.read_text("utf-8").replace("hidden = 32", "hidden = 32\nbeam = 4"))
    study = load_study(str(path))
    mapped, graph = (system_for(study, run) for run in runs_of(study, tmp_path, seeds=[1]))
    assert [getattr(system, "beam", "no such thing") for system in (mapped, graph)] == [4, None]
    outputs = graph.load(run_one(study, tmp_path / "out", "graph", 1, print).folder / "model")
    assert outputs(read_split(study, "dev")).ill_formed == 0


def test_a_run_of_arcs_may_have_noted_a_scheme_of_lifting(
    study: Study, results: Path, tmp_path: Path
) -> None:
    """As an earlier arctree did; such a run learns D, whatever the scheme."""
    shutil.copytree(results, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("model"))
    mapped, graph = runs_of(study, tmp_path, seeds=[1])
    for run in (mapped, graph):
        facts = json.loads(run.file.read_text("utf-8"))
        facts["identity"]["lifting"] = "path"
        run.file.write_text(json.dumps(facts))
    check_run(study, graph)
    with pytest.raises(DataError, match="lifting was path and is head"):
        check_run(study, mapped)
