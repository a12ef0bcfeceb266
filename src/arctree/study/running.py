"""Doing the runs of a study: train or load, then parse dev and test.

A finished run is never done again, one that was interrupted goes on. Whatever can be told
beforehand, such as a file that is not there or cannot be read, is told before anything is
trained.
"""

from __future__ import annotations

import gc
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from arctree import conllu
from arctree.errors import ArctreeError, CallError, DataError
from arctree.files import cannot_write, open_output
from arctree.json_form import heading
from arctree.parser import missing_torch
from arctree.parsing.systems import SYSTEMS
from arctree.sentence import Sentence
from arctree.study.configuring import NATIVE_SECTIONS, Entry, Study, native_configuration
from arctree.study.identity import check_run, shared_folders
from arctree.study.locks import locked
from arctree.study.named_files import check_alike, check_named_files, hashes_for, hashes_of
from arctree.study.provenance import hardware, versions
from arctree.study.runs import Json, Run, learner_of, model_folder, runs_of, write_json
from arctree.study.splits import ALL_SPLITS, SPLITS, read_split, words_only
from arctree.study.system import Outputs, Parse, Shared, System
from arctree.training.configuring import expand_sections
from arctree.transitions import letters_of

Say = Callable[[str], None]
# How a run failed, until it succeeds.
_STORY = "error.txt"


def run_one(study: Study, folder: Path, name: str, seed: int, say: Say) -> Run:
    """Train or load a system with a seed and let it parse, unless that is done."""
    planned = runs_of(study, folder, [name], [seed])
    if not planned:
        raise CallError(f"{name} is not run with the seed {seed}")
    run = planned[0]
    check_run(study, run)
    if run.is_finished:
        return run
    entry = run.entry
    check_alike([(str(run.folder), run.named_files), (str(run.folder), hashes_of(entry))])
    system = system_for(study, run)
    model = model_folder(study, run)
    if entry.is_loaded and not model.is_dir():
        raise _no_model(study, run)
    gold = {split: read_split(study, split) for split in SPLITS}  # or told before the training
    with locked(run.folder, lambda: _told_taken(run)):
        identity = check_run(study, run)
        if run.is_finished:  # since it was looked at, by another process
            return run
        return _do(study, run, identity, system, model, gold, say)


def _do(
    study: Study,
    run: Run,
    identity: Json,
    system: System,
    model: Path,
    gold: Mapping[str, Sequence[Sentence]],
    say: Say,
) -> Run:
    """Do what of a run is not done; nobody else does it meanwhile."""
    entry = run.entry
    begun = {
        **heading("study-run"),
        "finished": False,
        "identity": identity,
        "named_files": hashes_for(run),
    }
    made_with = versions()  # a checkout may have changed by the end of a long run
    write_json(run.file, begun)
    trained = system.trained(model) if entry.is_loaded else system.train(model, say)
    if trained is None:  # and a folder that is not ours is not trained in
        raise _no_model(study, run)
    parse = system.load(model)
    say("trained; parsing")
    answers = {split: _answer(run, split, sentences, parse) for split, sentences in gold.items()}
    finished = {
        **begun,
        "finished": True,
        "parameters": trained.parameters,
        "training_seconds": round(trained.seconds, 1),
        "answers": answers,
        "settings": _full_settings(study, entry, run.seed),
        "hardware": hardware(study.settings.device),
        "versions": made_with,
    }
    if shared := _shared_with(study, run):
        finished["shared"] = shared
    learner = learner_of(study, run)
    if learner is not None and learner.is_finished:
        finished["learner_answers"] = learner.answers
    write_json(run.file, finished)
    (run.folder / _STORY).unlink(missing_ok=True)
    return run


def _told_taken(run: Run) -> None:
    raise DataError("another process does this run", "let it come to its end", file=str(run.folder))


def _shared_with(study: Study, run: Run) -> Json:
    """The folders, beside those of the systems, of networks that others read, too."""
    if run.entry.is_native or run.entry.is_loaded:
        return {}
    places = asdict(shared_folders(study, run))
    return {
        name: f"{place.parent.name}/{place.name}"
        for name, place in places.items()
        if place.is_dir() and (run.entry.builds_trees or name == "tagger")
    }


def _answer(run: Run, split: str, gold: Sequence[Sentence], parse: Parse) -> Json:
    """Keep what a system answers for a split; what there is to count."""
    asked = [words_only(sentence) for sentence in gold]
    start = time.perf_counter()
    outputs = parse(asked)
    seconds = time.perf_counter() - start
    _check_outputs(run.entry, gold, outputs)
    conllu.write(outputs.sentences, str(run.folder / f"{split}.conllu"))
    if outputs.derivations:
        _write_derivations(run.folder / f"{split}.derivations", outputs)
    return {
        "sentences": len(gold),
        "words": sum(map(len, gold)),
        "steps": outputs.steps,
        "ill_formed": outputs.ill_formed,
        "seconds": round(seconds, 3),
    }


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
    unfinished = [run for run in runs if not run.is_finished]
    for run in unfinished:
        _check_settings(study, run)
        learner = learner_of(study, run)
        if learner and learner not in runs and not model_folder(study, run).is_dir():
            raise _no_model(study, run)
    for split in ALL_SPLITS if unfinished else ():
        read_split(study, split)
    noted = [(str(run.folder), run.named_files) for run in runs_of(study, folder)]
    check_alike(noted + [(str(run.folder), hashes_of(run.entry)) for run in unfinished])
    if unfinished:
        with cannot_write(str(folder)):
            folder.mkdir(parents=True, exist_ok=True)
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
    return [failure for failure in failures if not _is_done(study, failure.run)]


def _is_done(study: Study, run: Run) -> bool:
    """Whether another process did meanwhile what failed here."""
    try:
        check_run(study, run)
        return run.is_finished
    except ArctreeError:
        return False


def system_for(study: Study, run: Run, device: str | None = None) -> System:
    """The system of a run, on the study's device unless another is given."""
    entry = run.entry
    if entry.is_native:
        from arctree.study.native import NativeSystem

        beam = None  # a parser that builds no tree searches for none
        if entry.kind in SYSTEMS:
            beam = expand_sections(entry.sections).get("parser", {}).get("beam")
        return NativeSystem(native_configuration(study, entry, run.seed, device=device), beam)
    from arctree.study.stanza.settings import StanzaSettings

    try:
        from arctree.study.stanza.systems import stanza_system
    except ImportError as error:
        raise missing_torch(error) from error
    settings = expand_sections(entry.sections).get("stanza", {})
    return stanza_system(
        entry.kind,
        StanzaSettings.read(settings),
        study.data,
        run.seed,
        device or study.settings.device,
        Shared() if entry.is_loaded else shared_folders(study, run),
    )


def _check_settings(study: Study, run: Run) -> None:
    """Before anything is trained: what the run's settings name is there, and can be used here."""
    entry = run.entry
    try:
        model = model_folder(study, run)
        if entry.models and not model.is_dir():
            raise DataError(f"models has {model}, which is no directory", "name a finished model")
        if not run.has_begun:  # what has begun may need them no more
            check_named_files(entry)
        system = system_for(study, run)
        system.check(model)
        if entry.models and system.trained(model) is None:
            raise _no_model(study, run)
    except DataError as error:
        line = "" if error.line is None else f":{error.line}"
        where = f"{error.file}{line}: " if error.file else ""
        fault = f"system {entry.name}: {where}{error.fault}"
        raise DataError(fault, error.remedy, file=study.file) from error


def _no_model(study: Study, run: Run) -> DataError:
    """What to say when there is no finished model where a run is to load one."""
    remedy = "name one that is"
    if learner := learner_of(study, run):
        remedy = f"train it first, with --only {learner.entry.name} --seed {run.seed}"
    return DataError("no finished model", remedy, file=str(model_folder(study, run)))


def _failure(run: Run, error: Exception) -> Failure:
    """Why a run failed; of an error that nobody foresaw the whole story is kept beside it."""
    if isinstance(error, ArctreeError):
        return Failure(run, str(error))
    story = run.folder / _STORY
    told = f"{type(error).__name__}: {error}".splitlines()[0]
    try:
        run.folder.mkdir(parents=True, exist_ok=True)
        story.write_text("".join(traceback.format_exception(error)), "utf-8")
    except OSError:  # then that is likely what went wrong
        return Failure(run, told)
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
