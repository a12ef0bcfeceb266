"""By what a run is known again: system, seed, settings and data.

A run that was made with other settings or other data than the study now has is refused, so that
a table never mixes what cannot be compared.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from arctree.errors import DataError
from arctree.study.configuring import Study, changed_settings
from arctree.study.named_files import hashes_for
from arctree.study.runs import Json, Run, learner_of, written_model
from arctree.study.splits import ALL_SPLITS, hash_of
from arctree.study.system import Shared

_TEST, _LIFTING = "data.test", "lifting"
# Beside the folders of the systems.
LABELLERS, TAGGERS, CHARACTERS = "labellers", "taggers", "characters"


def check_run(study: Study, run: Run) -> Json:
    """By what the run is known; an error if what lies in its folder is another one.

    What has not parsed the test files yet may find others when it goes on, and what failed before
    it learnt anything may be mended.
    """
    wanted = identity_of(study, run)
    facts = run.facts()
    if facts is not None and run.has_begun:
        was, now = _flat(facts.get("identity")), _flat(wanted)
        if not facts.get("finished"):
            was[_TEST] = now[_TEST]
        if _LIFTING not in now:  # an earlier arctree noted it of systems that learn D, too
            was.pop(_LIFTING, None)
        if was != now:
            raise DataError(
                f"the run was made with other settings or data: {_difference(was, now)}",
                "give the system another name, or remove the folder",
                file=str(run.folder),
            )
        _check_learner(study, run, facts)
    return wanted


def _check_learner(study: Study, run: Run, facts: Json) -> None:
    """An error if the models that a run has loaded were made anew since."""
    learner = learner_of(study, run)
    if learner is None or not learner.is_finished:
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
            name: [hash_of(path) for path in getattr(study.data, name)] for name in ALL_SPLITS
        },
    }
    if entry.is_loaded:
        identity["model"] = written_model(study, run)
        if entry.models_of:
            learner = study.entry(entry.models_of)
            identity["learnt"] = changed_settings(study, learner)
        if entry.sections:
            identity["settings"] = entry.sections
    else:
        identity["settings"] = changed_settings(study, entry)
    if entry.builds_trees and not entry.models:
        identity[_LIFTING] = study.data.lifting.value
    plain: Json = json.loads(json.dumps(identity))  # as it comes back from a file
    return plain


def shared_folders(study: Study, run: Run) -> Shared:
    """Where networks are that systems in Stanza share: those that are alike are one.

    They do not depend on the kind of system, nor on what is to be parsed; the labeller alone
    learns from lifted trees.
    """
    from arctree.study.stanza.settings import (
        CHARACTER_SETTINGS,
        GRAPH_SETTINGS,
        TAGGER_SETTINGS,
    )

    identity = identity_of(study, run)
    del identity["kind"], identity["data"]["test"]
    identity.pop(_LIFTING, None)
    settings = identity["settings"]["stanza"]
    vectors = hashes_for(run)

    def place(name: str, keys: Sequence[str]) -> Path:
        told = {**identity, "settings": {key: settings[key] for key in keys if key in settings}}
        if vectors and "vectors" in keys:
            told["named_files"] = vectors
        if name == LABELLERS:
            told[_LIFTING] = study.data.lifting.value
        digest = hashlib.sha256(json.dumps(told, sort_keys=True).encode("utf-8")).hexdigest()
        return run.folder.parent.parent / name / f"seed-{run.seed}-{digest[:12]}"

    return Shared(
        place(LABELLERS, GRAPH_SETTINGS),
        place(TAGGERS, TAGGER_SETTINGS),
        place(CHARACTERS, CHARACTER_SETTINGS),
    )


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
