"""Runs: one system, one seed. Each has a folder of its own, ``NAME/seed-N``.

================  =========================================================================
run.json          what was run, by which it is known again; and when finished, what it took
dev.conllu        the development set as the system parses it
test.conllu       the test set
dev.derivations   for a mapped system its transitions, a line a sentence: S, L, R
model/            the model, in whatever form the system likes
================  =========================================================================

Whoever analyses runs needs all but the model.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arctree import conllu
from arctree.errors import CallError, DataError
from arctree.files import open_output
from arctree.json_form import has_heading
from arctree.parsing.model_files import CONFIG, file_hash, read_json
from arctree.sentence import Sentence
from arctree.study.configuring import Entry, Study
from arctree.study.splits import SPLITS
from arctree.training.configuring import expand_sections
from arctree.transitions import RIGHTARC, SHIFT, Transition, transitions_of

# What a model's folder holds once something was learnt: checkpoints and models, Stanza's parts.
_LEARNT = ("*checkpoint*", CONFIG, "record.json")
RUN = "run.json"
MODEL = "model"
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
        with _to_be_done_again(self.file):
            facts = read_json(self.file)
        if not has_heading(facts, "study-run") or (facts.get("finished") and not _is_whole(facts)):
            raise DataError("not what this arctree writes of a run", _AGAIN, file=str(self.file))
        return facts

    @property
    def is_finished(self) -> bool:
        facts = self.facts()
        return facts is not None and bool(facts.get("finished"))

    @property
    def has_begun(self) -> bool:
        """Whether something was learnt here, or found: a run that failed sooner may be mended."""
        return self.is_finished or (
            self.facts() is not None
            and any(next((self.folder / MODEL).rglob(name), None) for name in _LEARNT)
        )

    @property
    def named_files(self) -> dict[str, str]:
        """The hashes of what its settings name, once it has begun; an older run has noted none."""
        facts = self.facts()
        noted: dict[str, str] = facts.get("named_files", {}) if facts and self.has_begun else {}
        return noted

    @property
    def answers(self) -> str:
        """The SHA-256 of what the system made of dev: another model would answer otherwise."""
        with _to_be_done_again(self.folder / "dev.conllu") as path:
            return file_hash(path)

    def parsed(self, split: str) -> list[Sentence]:
        """What the system made of a split."""
        with _to_be_done_again(self.folder / f"{split}.conllu") as path:
            return list(conllu.read(str(path)))

    def derivations(self, split: str, lengths: Sequence[int]) -> list[tuple[Transition, ...]]:
        """The transitions of a mapped system, over sentences of so many words."""
        with _to_be_done_again(self.folder / f"{split}.derivations") as path:
            lines = path.read_text("utf-8").splitlines()
            if len(lines) != len(lengths):
                raise DataError(f"{len(lines)} lines for {len(lengths)} sentences")
            return [
                _derivation(number, line, words)
                for number, (line, words) in enumerate(zip(lines, lengths, strict=True), start=1)
            ]


def _derivation(number: int, line: str, words: int) -> tuple[Transition, ...]:
    """The transitions of a line, over so many words."""
    try:
        taken = transitions_of(line)
        if not is_derivation(taken, words):
            raise DataError(f"no derivation over {words} words")
    except DataError as error:
        raise error.at(line=number) from error
    return taken


def is_derivation(taken: Sequence[Transition], words: int) -> bool:
    """Whether every transition finds what it takes, and one tree over the words is left."""
    depth = shifted = 0
    for transition in taken:
        if transition is SHIFT:
            depth, shifted = depth + 1, shifted + 1
        elif depth > 1 or (transition is RIGHTARC and depth == 1 and shifted == words):
            depth -= 1
        else:  # of the root's arc: it comes last
            return False
    return shifted == words and depth == 0


def _is_whole(facts: Json) -> bool:
    """Whether a finished run says of itself all that is asked for."""
    if not facts.keys() >= _TOLD or not isinstance(facts["answers"], dict):
        return False
    counts = [facts["answers"].get(split) for split in SPLITS]
    return all(isinstance(one, dict) and one.keys() >= _COUNTED for one in counts)


_COUNTED = {"sentences", "words", "steps"}
_TOLD = {"answers", "parameters", "training_seconds", "settings", "hardware", "versions"}
_AGAIN = "remove the folder of the run, and it is done again"


@contextmanager
def _to_be_done_again(path: Path) -> Iterator[Path]:
    """What a run has written and is not as it was written is told with a remedy that helps."""
    try:
        yield path
    except OSError as error:
        fault = f"cannot be read: {error.strerror}"
        raise DataError(fault, _remedy(path), file=str(path)) from error
    except UnicodeDecodeError as error:
        raise DataError("damaged: no UTF-8", _AGAIN, file=str(path)) from error
    except CallError as error:
        fault = str(error).removeprefix(f"{path}: ")
        raise DataError(fault, _remedy(path), file=str(path)) from error
    except DataError as error:
        raise DataError(
            f"damaged: {error.fault}",
            _AGAIN,
            file=str(path),
            line=error.line,
            sentence=error.sentence,
        ) from error


def _remedy(path: Path) -> str:
    """What to do about a file that cannot be read: if it is there, its run need not be lost."""
    return "make it readable" if path.exists() else _AGAIN


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


def model_folder(study: Study, run: Run) -> Path:
    """Where the model of a run is: in its folder, in another's, or where the configuration says."""
    if not run.entry.is_loaded:
        return run.folder / MODEL
    if learner := learner_of(study, run):
        return learner.folder / MODEL
    written = written_model(study, run)
    return Path(str(expand_sections({"model": {"folder": written}})["model"]["folder"]))


def learner_of(study: Study, run: Run) -> Run | None:
    """The run whose model this one loads."""
    if not run.entry.models_of:
        return None
    entry = study.entry(run.entry.models_of)
    return Run(entry, run.seed, run.folder.parent.parent / entry.name / run.folder.name)


def written_model(study: Study, run: Run) -> str:
    """The model that a run loads, as the configuration has it."""
    entry = run.entry
    if entry.models_of:
        return f"{entry.models_of}/seed-{run.seed}/{MODEL}"
    return entry.models[study.seeds_of(entry).index(run.seed)]


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write an object for people and programs."""
    with open_output(str(path)) as stream:
        stream.write((json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode("utf-8"))
