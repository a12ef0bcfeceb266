"""A whole pipeline of the little language, and the official validator."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from arctree import conllu
from arctree.sentence import MISC, Sentence
from toy_language import toy_treebank
from trained import Silent

SMALL_SEGMENTER = (
    "segmenter.width=16",
    "segmenter.unit_width=16",
    "segmenter.word_width=8",
    "segmenter.layers=2",
    "segmenter.dropout=0",
    "segmenter.variation=0",
    "segmenter.epochs=8",
    "segmenter.batch=1000",
    "segmenter.rate=0.01",
    "training.device=cpu",
)


def with_segmenter(model: Path, folder: Path) -> Path:
    """A copy of a model, with a segmenter of the little language."""
    from arctree.training.configuring import load_configuration
    from arctree.training.segmenting import add_segmenter

    shutil.copytree(model, folder)
    changes = list(SMALL_SEGMENTER)
    for seed, (name, size) in enumerate({"train": 300, "dev": 60}.items()):
        path = folder.with_name(f"running-{name}.conllu")
        conllu.write(running(toy_treebank(size, seed)), str(path))
        changes.append(f"data.{name}={path}")
    add_segmenter(load_configuration(None, changes), folder, Silent())
    return folder


def running(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """The sentences as running text: no space before the stop, a paragraph now and then."""
    for number, sentence in enumerate(sentences):
        columns = list(sentence.columns)
        columns[MISC] = (*["_"] * (len(sentence) - 2), "SpaceAfter=No", "_")
        comments = (*["# newpar"] * (number % 5 == 0), *sentence.comments)
        yield replace(sentence, columns=tuple(columns), comments=comments)


def toy_text(size: int, seed: int) -> str:
    """So many sentences of running text."""
    pieces = []
    for number, sentence in enumerate(toy_treebank(size, seed)):
        gap = "\n\n" if number % 5 == 4 else "\n" if number % 3 == 2 else " "
        pieces.append(" ".join(sentence.forms[:-1]) + "." + gap)
    return "".join(pieces)


def faults_of(text: str) -> list[str]:
    """What the official validator finds wrong at level 2."""
    from udtools.validator import Validator

    validator = Validator(level=2, output=None)
    state = validator.validate_file_handle(io.StringIO(text, newline="\n"))
    validator.validate_end(state)
    if state.passed():
        return []
    return [f"{incident.testid}: {incident.message}" for incident in state.error_tracker]
