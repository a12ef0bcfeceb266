"""Runs: one system, one seed. Each has a folder of its own, ``NAME/seed-N``.

================  =========================================================================
run.json          what was run, by which it is known again; and when finished, what it took
dev.conllu        the development set as the system parses it
test.conllu       the test set
dev.derivations   for a mapped system its transitions, a line a sentence: S, L, R
model/            the model, in whatever form the system likes
================  =========================================================================

A finished run is never done again, one that was interrupted goes on. Whoever analyses runs
needs all but the model. A run that was made with other settings or other data than the study
now has is refused, so that a table never mixes what cannot be compared.
"""

from __future__ import annotations

import gc
import hashlib
import json
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from arctree import conllu
from arctree.errors import ArctreeError, CallError, DataError
from arctree.files import open_output
from arctree.json_form import VERSION, heading
from arctree.parsing.model_files import file_hash, read_json
from arctree.sentence import DEPREL, DEPS, FEATS, HEAD, LEMMA, UPOS, XPOS, Sentence
from arctree.study.configuring import (
    NATIVE_SECTIONS,
    Entry,
    Study,
    changed_settings,
    native_configuration,
)
from arctree.study.provenance import hardware, versions
from arctree.study.system import Outputs, Shared, System
from arctree.training.configuring import expand_sections
from arctree.transitions import Transition, letters_of, transitions_of

RUN = "run.json"
MODEL = "model"
# Beside the folders of the systems.
LABELLERS, TAGGERS = "labellers", "taggers"
SPLITS = ("dev", "test")
Say = Callable[[str], None]
Json = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """A run and where it is."""

    entry: Entry
    seed: int
    folder: Path

    @property
    def file(self) -> Path:
        return self.folder / RUN

    def facts(self) -> Json | None:
        """What is known of it; nothing before it has begun."""
        if not self.file.is_file():
            return None
        facts = read_json(self.file)
        if facts.get("arctree") != VERSION or facts.get("kind") != "study-run":
            raise DataError(
                "not what this arctree writes of a run", "remove the folder", file=str(self.file)
            )
        return facts

    @property
    def is_finished(self) -> bool:
        facts = self.facts()
        return facts is not None and bool(facts.get("finished"))

    @property
    def answers(self) -> str:
        """The SHA-256 of what the system made of dev: another model would answer otherwise."""
        return file_hash(self.folder / "dev.conllu")

    def parsed(self, split: str) -> list[Sentence]:
        """What the system made of a split."""
        return list(conllu.read(str(self.folder / f"{split}.conllu")))

    def derivations(self, split: str) -> list[tuple[Transition, ...]]:
        """The transitions of a mapped system, sentence by sentence."""
        path = self.folder / f"{split}.derivations"
        try:
            lines = path.read_text("utf-8").splitlines()
            return [transitions_of(line) for line in lines]
        except OSError as error:
            raise CallError(f"{path}: cannot be read: {error.strerror}") from error
        except (DataError, UnicodeDecodeError) as error:
            raise DataError("not lines of S, L and R", file=str(path)) from error


def runs_of(
    study: Study, folder: Path, names: Sequence[str] = (), seeds: Sequence[int] = ()
) -> list[Run]:
    """The runs of a study, or those of some systems and seeds; seed by seed.

    So a study that is stopped half-way has compared all systems with the first seeds. A system
    that is run with some of the seeds only has no runs with the others.
    """
    wanted = [study.entry(name).name for name in names]
    entries = [entry for entry in study.entries if not wanted or entry.name in wanted]
    for seed in seeds:
        if seed not in study.seeds:
            raise CallError(f"no seed {seed}; there are: {', '.join(map(str, study.seeds))}")
    return [
        Run(entry, seed, folder / entry.name / f"seed-{seed}")
        for seed in seeds or study.seeds
        for entry in entries
        if seed in study.seeds_of(entry)
    ]


def run_one(study: Study, folder: Path, name: str, seed: int, say: Say) -> Run:
    """Train or load a system with a seed and let it parse, unless that is done."""
    planned = runs_of(study, folder, [name], [seed])
    if not planned:
        raise CallError(f"{name} is not run with the seed {seed}")
    run = planned[0]
    identity = check_run(study, run)
    if run.is_finished:
        return run
    entry = run.entry
    system = system_for(study, run)
    model = model_folder(study, run)
    if entry.is_loaded and not model.is_dir():
        raise CallError(f"{model}: no such model directory")
    _make_folder(run.folder)
    begun = {**heading("study-run"), "finished": False, "identity": identity}
    made_with = versions()  # a checkout may have changed by the end of a long run
    write_json(run.file, begun)
    trained = system.trained(model) if entry.is_loaded else system.train(model, say)
    if trained is None:  # and a folder that is not ours is not trained in
        raise DataError("no finished model", "name one that is", file=str(model))
    parse = system.load(model)
    say("trained; parsing")
    answers: Json = {}
    for split in SPLITS:
        gold = read_split(study, split)
        outputs = parse([words_only(sentence) for sentence in gold])
        _check_outputs(entry, gold, outputs)
        conllu.write(outputs.sentences, str(run.folder / f"{split}.conllu"))
        if outputs.derivations:
            _write_derivations(run.folder / f"{split}.derivations", outputs)
        answers[split] = {
            "sentences": len(gold),
            "words": sum(map(len, gold)),
            "steps": outputs.steps,
            "ill_formed": outputs.ill_formed,
        }
    finished = {
        **begun,
        "finished": True,
        "parameters": trained.parameters,
        "training_seconds": round(trained.seconds, 1),
        "answers": answers,
        "settings": _full_settings(study, entry, seed),
        "hardware": hardware(study.settings.device),
        "versions": made_with,
    }
    learner = _learner(study, run)
    if learner is not None and learner.is_finished:
        finished["learner_answers"] = learner.answers
    write_json(run.file, finished)
    (run.folder / _STORY).unlink(missing_ok=True)
    return run


@dataclass(frozen=True)
class Failure:
    """A run that came to no good end, and why."""

    run: Run
    reason: str


def run_all(
    study: Study,
    folder: Path,
    names: Sequence[str],
    seeds: Sequence[int],
    say: Callable[[Run, str], None],
) -> list[Failure]:
    """Do all runs, or those of some systems and seeds, that are not finished.

    One that fails does not keep the others from being done. Whether they may be done at all is
    checked for all of them first.
    """
    failures = []
    runs = runs_of(study, folder, names, seeds)
    for run in runs:
        check_run(study, run)
        if not run.is_finished:
            _check_variables(study, run)
    for run in runs:
        if run.is_finished:
            say(run, "finished before")
            continue
        try:
            run_one(study, folder, run.entry.name, run.seed, partial(say, run))
            say(run, "finished")
        except Exception as error:  # whatever goes wrong in one system is no other's fault
            failures.append(_failure(run, error))
            say(run, f"failed: {failures[-1].reason}")
        gc.collect()  # a model that is not needed any more may lie in a GPU's memory
    return failures


def check_run(study: Study, run: Run) -> Json:
    """By what the run is known; an error if what lies in its folder is another one."""
    wanted = identity_of(study, run)
    facts = run.facts()
    if facts is not None and facts.get("identity") != wanted:
        told = _difference(_flat(facts.get("identity")), _flat(wanted))
        raise DataError(
            f"the run was made with other settings or data: {told}",
            "give the system another name, or remove the folder",
            file=str(run.folder),
        )
    _check_learner(study, run, facts)
    return wanted


def _check_learner(study: Study, run: Run, facts: Json | None) -> None:
    """An error if the models that a run has loaded were made anew since."""
    learner = _learner(study, run)
    if facts is None or learner is None or not learner.is_finished:
        return
    if facts.get("learner_answers", learner.answers) != learner.answers:
        raise DataError(
            f"the models of {learner.entry.name} are others than those that were loaded",
            "remove the folder",
            file=str(run.folder),
        )


def identity_of(study: Study, run: Run) -> Json:
    """What must be the same for two runs to be the same."""
    entry = run.entry
    identity = {
        "kind": entry.kind,
        "seed": run.seed,
        "data": {
            name: [hash_of(path) for path in getattr(study.data, name)]
            for name in ("train", *SPLITS)
        },
    }
    if entry.is_loaded:
        identity["model"] = _model(study, run)
        if entry.models_of:
            learner = study.entry(entry.models_of)
            identity["learnt"] = changed_settings(study, learner)
            identity["lifting"] = study.data.lifting.value
        if entry.sections:
            identity["settings"] = entry.sections
    else:
        identity["lifting"] = study.data.lifting.value
        identity["settings"] = changed_settings(study, entry)
    plain: Json = json.loads(json.dumps(identity))  # as it comes back from a file
    return plain


def system_for(study: Study, run: Run, device: str | None = None) -> System:
    """The system of a run, on the study's device unless another is given."""
    entry = run.entry
    if entry.is_native:
        from arctree.study.native import NativeSystem

        beam = expand_sections(entry.sections).get("parser", {}).get("beam")
        return NativeSystem(native_configuration(study, entry, run.seed, device=device), beam)
    from arctree.study.stanza import StanzaSettings, stanza_system

    settings = expand_sections(entry.sections).get("stanza", {})
    return stanza_system(
        entry.kind,
        StanzaSettings.read(settings),
        study.data,
        run.seed,
        device or study.settings.device,
        Shared() if entry.is_loaded else shared_folders(study, run),
    )


def model_folder(study: Study, run: Run) -> Path:
    """Where the model of a run is: in its folder, in another's, or where the configuration says."""
    if not run.entry.is_loaded:
        return run.folder / MODEL
    if learner := _learner(study, run):
        return learner.folder / MODEL
    written = _model(study, run)
    return Path(str(expand_sections({"model": {"folder": written}})["model"]["folder"]))


def _learner(study: Study, run: Run) -> Run | None:
    """The run whose model this one loads."""
    if not run.entry.models_of:
        return None
    entry = study.entry(run.entry.models_of)
    return Run(entry, run.seed, run.folder.parent.parent / entry.name / run.folder.name)


def _model(study: Study, run: Run) -> str:
    """The model that a run loads, as the configuration has it."""
    entry = run.entry
    if entry.models_of:
        return f"{entry.models_of}/seed-{run.seed}/{MODEL}"
    return entry.models[study.seeds_of(entry).index(run.seed)]


def _check_variables(study: Study, run: Run) -> None:
    """Before anything is trained: what the run's settings refer to is set."""
    try:
        expand_sections(run.entry.sections)
        model_folder(study, run)
    except DataError as error:
        raise DataError(f"system {run.entry.name}: {error.fault}", error.remedy) from error


def read_split(study: Study, split: str) -> list[Sentence]:
    """The gold sentences of train, dev or test."""
    sentences = [sentence for path in getattr(study.data, split) for sentence in conllu.read(path)]
    for sentence in sentences:
        if sentence.is_blind:
            raise DataError(
                f"data.{split} has a sentence without heads",
                "fill HEAD and DEPREL",
                line=sentence.line,
                sentence=sentence.id,
            )
    if not sentences:
        raise DataError(f"data.{split} has no sentences", "name a file that holds some")
    return sentences


def words_only(sentence: Sentence) -> Sentence:
    """The sentence as the systems are given it: without anything that an annotator added."""
    columns = list(sentence.columns)
    for column in (LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS):
        columns[column] = ("_",) * len(sentence)
    return Sentence(
        sentence.comments,
        tuple(columns),
        None,
        sentence.other_lines,
        sentence.line_break,
        sentence.blank_lines,
        sentence.line,
    )


@cache
def hash_of(path: str) -> str:
    """The SHA-256 of a file, which is read once."""
    try:
        return file_hash(Path(path))
    except OSError as error:
        raise CallError(f"{path}: cannot be read: {error.strerror}") from error


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write an object for people and programs."""
    with open_output(str(path)) as stream:
        stream.write((json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode("utf-8"))


# How a run failed, until it succeeds.
_STORY = "error.txt"


def shared_folders(study: Study, run: Run) -> Shared:
    """Where the tagger and the labeller of systems in Stanza are: those that are alike are one."""
    from arctree.study.stanza.settings import GRAPH_SETTINGS, TAGGER_SETTINGS

    identity = {key: value for key, value in identity_of(study, run).items() if key != "kind"}
    settings = identity["settings"]["stanza"]

    def place(name: str, keys: Sequence[str]) -> Path:
        told = {**identity, "settings": {key: settings[key] for key in keys if key in settings}}
        digest = hashlib.sha256(json.dumps(told, sort_keys=True).encode("utf-8")).hexdigest()
        return run.folder.parent.parent / name / f"seed-{run.seed}-{digest[:12]}"

    return Shared(place(LABELLERS, GRAPH_SETTINGS), place(TAGGERS, TAGGER_SETTINGS))


def _failure(run: Run, error: Exception) -> Failure:
    """Why a run failed; of an error that nobody foresaw the whole story is kept beside it."""
    if isinstance(error, ArctreeError):
        return Failure(run, str(error))
    story = run.folder / _STORY
    _make_folder(run.folder)
    story.write_text("".join(traceback.format_exception(error)), "utf-8")
    told = f"{type(error).__name__}: {error}".splitlines()[0]
    return Failure(run, f"{told}; see {story}")


def _full_settings(study: Study, entry: Entry, seed: int) -> Json:
    """All settings, those at their defaults too, for whoever wants to know."""
    if entry.is_loaded or not entry.is_native:
        return {name: dict(section) for name, section in entry.sections.items()}
    configuration = native_configuration(study, entry, seed, expand=False).to_json()
    return {name: configuration[name] for name in NATIVE_SECTIONS}


def _check_outputs(entry: Entry, gold: Sequence[Sentence], outputs: Outputs) -> None:
    for asked, answered in zip(gold, outputs.sentences, strict=True):
        if answered.is_blind or answered.forms != asked.forms:
            raise ArctreeError(f"{entry.name} answered sentence {asked.id} with no tree over it")


def _write_derivations(path: Path, outputs: Outputs) -> None:
    lines = [letters_of(some) + "\n" for some in outputs.derivations]
    with open_output(str(path)) as stream:
        stream.write("".join(lines).encode("utf-8"))


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CallError(f"{folder}: cannot be written: {error.strerror}") from error


def _flat(value: object) -> dict[str, object]:
    """Nested tables as one, under dotted keys."""
    flat: dict[str, object] = {}
    agenda = [("", value)]
    while agenda:
        place, found = agenda.pop()
        if isinstance(found, dict):
            agenda += [(f"{place}.{key}" if place else str(key), v) for key, v in found.items()]
        else:
            flat[place] = found
    return flat


def _difference(was: Mapping[str, object], now: Mapping[str, object]) -> str:
    """The first things that differ, in words."""
    keys = sorted(key for key in was.keys() | now.keys() if was.get(key) != now.get(key))
    told = []
    for key in keys[:3]:
        if key.startswith("data."):
            told.append(f"{key} has other content")
        else:
            old, new = (side.get(key, "the default") for side in (was, now))
            told.append(f"{key} was {old} and is {new}")
    return "; ".join(told) + ("; ..." if len(keys) > 3 else "")
