"""Answers: what a network can say of a sentence, and what it says, as numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arctree.parsing.settings import TAG_NAMES
from arctree.parsing.vocabulary import Vocabulary


@dataclass(frozen=True)
class ArcValues:
    """Values that arcs have, and on which arcs each may stand."""

    values: Vocabulary
    on_root: tuple[bool, ...]
    on_others: tuple[bool, ...]

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class Outcomes:
    """What the network can answer: labels, the marks of lifting on them, and tags by column.

    A lifted label is answered in its two parts, so that a mark is learnt from all the labels
    that bear it. The first mark is the empty one.
    """

    labels: ArcValues
    marks: ArcValues
    tags: Mapping[str, Vocabulary]


@dataclass(frozen=True)
class Analysis:
    """What the network answers for one sentence, as numbers.

    ``transitions`` and ``probabilities`` are those of the mapped parser; others have none.
    """

    tags: Mapping[str, np.ndarray[Any, Any]]
    heads: np.ndarray[Any, Any]
    head_probabilities: np.ndarray[Any, Any]
    labels: np.ndarray[Any, Any]
    marks: np.ndarray[Any, Any]
    label_probabilities: np.ndarray[Any, Any]
    transitions: np.ndarray[Any, Any]
    probabilities: np.ndarray[Any, Any]

    @property
    def arc_probabilities(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """How sure the parser is of each word's head and label together."""
        found: np.ndarray[Any, Any] = self.head_probabilities * self.label_probabilities
        return found.astype(np.float64)


def outcomes_to_json(outcomes: Outcomes) -> dict[str, Any]:
    """What a network can answer, as JSON holds it."""
    return {
        "labels": _to_json(outcomes.labels),
        "marks": _to_json(outcomes.marks),
        "tags": {name: values.values for name, values in outcomes.tags.items()},
    }


def outcomes_from_json(form: Mapping[str, Any]) -> Outcomes:
    """The inverse of :func:`outcomes_to_json`."""
    outcomes = Outcomes(
        _arc_values(form["labels"]),
        _arc_values(form["marks"]),
        {name: Vocabulary(texts(form["tags"], name)) for name in form["tags"]},
    )
    if foreign := set(outcomes.tags) - set(TAG_NAMES):
        raise TypeError(f"no column {min(foreign)}")
    for values in (outcomes.labels.values, *outcomes.tags.values()):
        for value in values.values:
            if not value or _UNFIT.search(value):
                raise TypeError(f"{value!r} cannot stand in a column")
    return outcomes


def _to_json(found: ArcValues) -> dict[str, Any]:
    return {
        "values": found.values.values,
        "on_root": found.on_root,
        "on_others": found.on_others,
    }


def _arc_values(form: Mapping[str, Any]) -> ArcValues:
    values = texts(form, "values")
    places = tuple(form["on_root"]), tuple(form["on_others"])
    for flags in places:
        if len(flags) != len(values) or not all(isinstance(flag, bool) for flag in flags):
            raise TypeError("where the labels may stand is not told for each")
        if not any(flags):
            raise TypeError("no label may stand on an arc")
    return ArcValues(Vocabulary(values), *places)


def texts(values: Mapping[str, Any], key: str) -> Sequence[str]:
    """The list of texts that stands under a key."""
    found = values[key]
    if not isinstance(found, list) or not all(isinstance(value, str) for value in found):
        raise TypeError(f"{key} is not a list of texts")
    return found


_UNFIT = re.compile(r"[\t\n\r\ud800-\udfff]")
