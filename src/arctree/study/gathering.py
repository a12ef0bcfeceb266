"""All that a study found, as one JSON object: from finished runs, without their models.

Scores, exact trees among them, and counts of ill-formed answers are given for dev and test;
everything else looks at dev alone. ``report-schema.json`` beside this file is the schema.
"""

from __future__ import annotations

import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arctree.dependency import NO_TAG
from arctree.errors import ArctreeError
from arctree.json_form import heading
from arctree.sentence import TAG_COLUMNS, Sentence
from arctree.study.configuring import HOSTED, Entry, Study
from arctree.study.departures import departures_of
from arctree.study.groups import Grouping, groupings
from arctree.study.identity import check_run
from arctree.study.judging import (
    SCORES,
    Json,
    Judged,
    by_arc_length,
    by_sentence_length,
    differences,
    judge,
    mean_overlap,
    spread,
)
from arctree.study.named_files import check_alike
from arctree.study.runs import Run, runs_of
from arctree.study.speed import DEVICES, read_speed
from arctree.study.splits import ALL_SPLITS, SPLITS, files_of, read_split


def gather(study: Study, folder: Path, *, resamples: int = 10_000) -> Json:
    """What the finished runs of a study say."""
    gold = {name: read_split(study, name) for name in ALL_SPLITS}
    found = {entry.name: _Found(study, entry, folder, gold) for entry in study.entries}
    check_alike((str(run.folder), run.named_files) for some in found.values() for run in some.runs)
    if not any(some.runs for some in found.values()):
        raise ArctreeError(f"{folder} holds no finished run of this study")
    groups = groupings(gold["train"], gold["dev"])
    return {
        **heading("study"),
        "title": study.title,
        "seeds": list(study.seeds),
        "lifting": study.data.lifting.value,
        "data": {name: _facts(study, name, sentences) for name, sentences in gold.items()},
        "resamples": resamples,
        "systems": [some.to_json(found, groups, resamples) for some in found.values()],
        "overlap": _overlap(list(found.values())),
        "speed": [
            speed
            for device in DEVICES
            if (speed := _speed(study, folder, read_speed(folder, device)))
        ],
    }


def _facts(study: Study, split: str, sentences: Sequence[Sentence]) -> Json:
    """What is in the files of a split."""
    return {
        "files": files_of(study, split),
        "sentences": len(sentences),
        "words": sum(map(len, sentences)),
        "nonprojective": sum(not sentence.tree.is_projective() for sentence in sentences),
    }


@dataclass
class _Found:
    """The finished runs of a system, judged."""

    study: Study
    entry: Entry
    runs: list[Run]
    facts: list[Mapping[str, Any]]
    judged: dict[str, list[Judged]]
    gold: Mapping[str, Sequence[Sentence]]

    def __init__(
        self,
        study: Study,
        entry: Entry,
        folder: Path,
        gold: Mapping[str, Sequence[Sentence]],
    ) -> None:
        self.study, self.entry, self.gold = study, entry, gold
        self.runs = [run for run in runs_of(study, folder, [entry.name]) if run.is_finished]
        for run in self.runs:
            check_run(study, run)
        self.facts = [run.facts() or {} for run in self.runs]
        self.judged = {
            split: [judge(gold[split], run.parsed(split), str(run.folder)) for run in self.runs]
            for split in SPLITS
        }

    @property
    def seeds(self) -> list[int]:
        return [run.seed for run in self.runs]

    def to_json(
        self, found: Mapping[str, _Found], groups: Mapping[str, Grouping], resamples: int
    ) -> Json:
        """The numbers of the system, with those it is compared by."""
        entry = self.entry
        reference = found[self.study.reference(entry).name]
        form: Json = {
            "name": entry.name,
            "kind": entry.kind,
            "title": entry.title,
            "encoder": entry.encoder,
            "reference": reference.entry.name,
            "seeds": self.seeds,
            "missing": [seed for seed in self.study.seeds_of(entry) if seed not in self.seeds],
        }
        if not self.runs:
            return form
        dev = self.judged["dev"]
        return {
            **form,
            "tags": _tags(found[entry.models_of] if entry.models_of else self),
            "parameters": self.facts[0]["parameters"],
            "training_seconds": spread([facts["training_seconds"] for facts in self.facts]),
            "hardware": sorted({facts["hardware"] for facts in self.facts}),
            "versions": _different([facts["versions"] for facts in self.facts]),
            "settings": self.facts[0]["settings"],
            "words_per_second": self._rates(),
            "steps_per_word": self._sum("dev", "steps") / self._sum("dev", "words"),
            "ill_formed": {split: self._counted(split, "ill_formed") for split in SPLITS},
            "answered": {split: self._sum(split, "sentences") for split in SPLITS},
            "scores": {
                split: {
                    name: spread([judged.score(name) for judged in self.judged[split]])
                    for name in (*SCORES, "labels")
                }
                for split in SPLITS
            },
            "differences": self._differences(reference, resamples),
            "sentence_lengths": by_sentence_length(dev),
            "arc_lengths": by_arc_length(dev),
            **{name: grouping.rows(dev) for name, grouping in groups.items()},
            "departures": self._departures(),
        }

    def _sum(self, split: str, name: str) -> int:
        """Over all seeds."""
        return int(sum(facts["answers"][split][name] for facts in self.facts))

    def _counted(self, split: str, name: str) -> int | None:
        """The same, of what was not counted in some runs."""
        counts = [facts["answers"][split].get(name) for facts in self.facts]
        return None if None in counts else int(sum(counts))

    def _rates(self) -> Json | None:
        """Words a second of all that a run parsed, if its time was noted."""
        answers = [list(facts["answers"].values()) for facts in self.facts]
        if not all(answer.get("seconds") for some in answers for answer in some):
            return None
        return spread(
            [
                sum(answer["words"] for answer in some) / sum(answer["seconds"] for answer in some)
                for some in answers
            ]
        )

    def _differences(self, reference: _Found, resamples: int) -> Json | None:
        """To the reference, over the seeds that both have."""
        shared = [seed for seed in self.seeds if seed in reference.seeds]
        if reference is self or not shared:
            return None
        return {
            "seeds": shared,
            **{
                split: differences(
                    [reference.judged[split][reference.seeds.index(seed)] for seed in shared],
                    [self.judged[split][self.seeds.index(seed)] for seed in shared],
                    resamples=resamples,
                )
                for split in SPLITS
            },
        }

    def _departures(self) -> Json | None:
        if not self.entry.is_mapped:
            return None
        lengths = list(map(len, self.gold["dev"]))
        derivations = (run.derivations("dev", lengths) for run in self.runs)
        return departures_of(self.gold["dev"], derivations).to_json()


def _tags(learner: _Found) -> str | None:
    """Whether a system learns the treebank's tags besides, or is given a tagger's.

    Nothing is known of models that were made elsewhere, or that are not there.
    """
    entry = learner.entry
    if not learner.facts or (entry.is_native and entry.models):
        return None
    there = {
        name
        for name, column in TAG_COLUMNS.items()
        if any(tag != NO_TAG for one in learner.gold["train"] for tag in one.columns[column])
    }
    return tags_known(entry.kind, learner.facts[0]["settings"], there)


def tags_known(kind: str, settings: Mapping[str, Any], there: Collection[str]) -> str:
    """Whether a system of the kind with these settings learns tags, is given some, or neither.

    It learns those that are there in the training files.
    """
    if kind not in HOSTED:
        tags = settings["tags"]
        learns = any(tags[column] for column in there) and tags["weight"] > 0
        return "learnt" if learns else "none"
    stanza = settings.get("stanza", {})
    if stanza.get("tag_steps"):
        return "given"
    learns = stanza.get("learn_relations") and kind != "stanza-graph" and "upos" in there
    return "learnt" if learns else "none"


def _different(values: Sequence[Json]) -> list[Json]:
    """Each of them once, in their order."""
    return [value for number, value in enumerate(values) if value not in values[:number]]


def _overlap(found: Sequence[_Found]) -> Json:
    """The share of the errors of each system, by row, that the others make."""
    wrong = {
        some.entry.name: [judged.wrong for judged in some.judged["dev"]]
        for some in found
        if some.runs
    }
    return {
        "systems": list(wrong),
        "shares": [
            [mean_overlap(first, other) for other in wrong.values()] for first in wrong.values()
        ],
    }


def _speed(study: Study, folder: Path, measured: Mapping[str, Any] | None) -> Json | None:
    """Words a second, how many times as fast as its reference a system is, and if it is its own.

    What was measured may be another model of a system with the same name.
    """
    if measured is None:
        return None
    names = [entry.name for entry in study.entries if entry.name in measured["systems"]]
    rates = {
        name: measured["words"] / statistics.median(measured["systems"][name]["seconds"])
        for name in names
    }
    references = {name: study.reference(study.entry(name)).name for name in names}
    answers = {
        name: [run.answers for run in runs_of(study, folder, [name]) if run.is_finished]
        for name in names
    }
    return {
        **{key: measured[key] for key in ("device", "hardware", "words", "sentences", "versions")},
        "systems": {
            name: {
                "words_per_second": rates[name],
                "ratio": rates[name] / rates[references[name]]
                if references[name] in rates
                else None,
                "is_of_these_runs": measured["systems"][name].get("answers") in answers[name],
            }
            for name in names
        },
    }
