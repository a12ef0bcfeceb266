"""Silver: what teachers say of sentences that nobody has annotated, by the million.

A silver corpus is a folder of plain files, none of them a pickle:

===================  ========================================================================
silver.json          its version, where it comes from, and what the teachers can answer
forms.json           the words that occur, each once
silver.safetensors   flat arrays: sentences, words, heads, configurations, answers
lemmas.json          the lemmatiser of the first teacher
===================  ========================================================================

Teachers answer in *shares*: the likeliest few values, and how much of the probability falls
on each. A student that learns the shares learns more than one that is told the best value
alone (Hinton, Vinyals and Dean 2015). The shares of the transitions stand along the derivation
that the teachers took together.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from arctree.errors import CallError, DataError
from arctree.parsing.answers import Outcomes, outcomes_from_json, outcomes_to_json
from arctree.parsing.lemmatiser import Lemmatiser, lemmas_text
from arctree.parsing.model_files import LEMMAS, read_json

VERSION = 1
HEAD = "silver.json"
FORMS = "forms.json"
ARRAYS = "silver.safetensors"
# Shares are kept as whole numbers up to this one.
WHOLE = 255
# How many values of an answer are kept.
KEPT = 4

Array = np.ndarray[Any, Any]


class Answers(NamedTuple):
    """For each word the numbers of the likeliest values, and their shares of WHOLE."""

    values: Array
    shares: Array


@dataclass(frozen=True)
class Silver:
    """A silver corpus. ``starts`` says where sentences begin among the words, and ends with all.

    ``words`` are numbers of ``forms``. Each word has two configurations, ``states`` (the
    positions in its slots, -1 for what is absent), and ``transitions`` (the shares of the three).
    """

    forms: Sequence[str]
    starts: Array
    words: Array
    heads: Array
    states: Array
    transitions: Array
    answers: Mapping[str, Answers]
    outcomes: Outcomes
    record: Mapping[str, Any]
    lemmatiser: Lemmatiser | None = None

    def save(self, folder: Path) -> None:
        """Write the folder; its head is written last."""
        arrays = {name: np.ascontiguousarray(getattr(self, name)) for name in _ARRAYS}
        for name, answers in self.answers.items():
            arrays[f"{name}.values"] = np.ascontiguousarray(answers.values)
            arrays[f"{name}.shares"] = np.ascontiguousarray(answers.shares)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            save_file(arrays, folder / ARRAYS)
            (folder / FORMS).write_text(json.dumps(list(self.forms), ensure_ascii=False), "utf-8")
            if self.lemmatiser is not None:
                (folder / LEMMAS).write_text(lemmas_text(self.lemmatiser), "utf-8")
            head = {
                "arctree_silver": VERSION,
                "outcomes": outcomes_to_json(self.outcomes),
                "record": self.record,
            }
            (folder / HEAD).write_text(json.dumps(head, ensure_ascii=False, indent=1), "utf-8")
        except OSError as error:
            raise CallError(f"{folder}: cannot be written: {error.strerror or error}") from error

    @classmethod
    def load(cls, folder: Path) -> Silver:
        """Read the folder."""
        head = read_json(folder / HEAD)
        if head.get("arctree_silver") != VERSION:
            raise DataError(
                "not a silver corpus that this arctree reads", "write it again", file=str(folder)
            )
        try:
            forms = json.loads((folder / FORMS).read_text("utf-8"))
            arrays = load_file(folder / ARRAYS)
            outcomes = outcomes_from_json(head["outcomes"])
            names = ["labels", *(["marks"] if len(outcomes.marks) > 1 else []), *outcomes.tags]
            answers = {
                name: Answers(arrays[f"{name}.values"], arrays[f"{name}.shares"]) for name in names
            }
            fields = {name: arrays[name] for name in _ARRAYS}
            lemmatiser = None
            if (folder / LEMMAS).is_file():
                lemmatiser = Lemmatiser.from_json(read_json(folder / LEMMAS))
        except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
            raise DataError(
                f"the silver corpus is damaged: {error!r}", "write it again", file=str(folder)
            ) from error
        return cls(
            forms=forms,
            answers=answers,
            outcomes=outcomes,
            record=head["record"],
            lemmatiser=lemmatiser,
            **fields,
        )

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def sizes(self) -> Array:
        sizes: Array = np.diff(self.starts)
        return sizes

    @classmethod
    def joined(cls, parts: Sequence[Silver], record: Mapping[str, Any]) -> Silver:
        """Several corpora of the same teachers as one."""
        if any(part.outcomes != parts[0].outcomes for part in parts):
            raise CallError("the silver corpora come from teachers with different labels or tags")
        places: dict[str, int] = {}
        words = []
        for part in parts:
            new = np.array([places.setdefault(form, len(places)) for form in part.forms])
            words.append(new[part.words].astype(np.int32))
        lengths = np.concatenate([part.sizes for part in parts])

        def together(name: str) -> Array:
            return np.concatenate([getattr(part, name) for part in parts])

        return cls(
            forms=list(places),
            starts=np.concatenate([[0], np.cumsum(lengths)]),
            words=np.concatenate(words),
            heads=together("heads"),
            states=together("states"),
            transitions=together("transitions"),
            answers={
                name: Answers(
                    *(
                        np.concatenate([part.answers[name][side] for part in parts])
                        for side in (0, 1)
                    )
                )
                for name in parts[0].answers
            },
            outcomes=parts[0].outcomes,
            record=record,
            lemmatiser=parts[0].lemmatiser,
        )


_ARRAYS = ("starts", "words", "heads", "states", "transitions")
