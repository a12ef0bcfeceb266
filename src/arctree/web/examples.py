"""The sentences that the explorer offers: somebody's own, and examples with what each shows.

The examples stand beside this file as CoNLL-U, in the order in which they are offered; the title
and the note are comments. The paper's sentence is the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from arctree import brackets, conllu
from arctree.errors import DataError
from arctree.files import STANDARD, read_lines
from arctree.json_form import Json
from arctree.lifting import unlift
from arctree.sentence import Sentence, from_tree
from arctree.web.exploration import sentence_exploration

FOLDER = Path(__file__).parent / "examples"


def examples() -> Iterator[Json]:
    """Each example: its name, a note of what it shows, and its exploration."""
    for path in sorted(FOLDER.glob("*.conllu")):
        for sentence in conllu.read(str(path)):
            name, note = sentence.metadata("title"), sentence.metadata("note")
            yield offer(name or path.stem, note or "", sentence)


def own_sentences(path: str) -> Iterator[tuple[str, Sentence]]:
    """The sentences of a file of CoNLL-U or brackets, each with its name: its id, or its number.

    A file whose first line that is not empty begins with a bracket holds brackets.
    """
    sentences = _bracketed(path) if _holds_brackets(path) else conllu.read(path)
    for number, sentence in enumerate(sentences, start=1):
        yield sentence.id or str(number), sentence


def offer(name: str, note: str, sentence: Sentence) -> Json:
    """A sentence as the page offers it."""
    return {"name": name, "note": note, "exploration": sentence_exploration(sentence)}


def _holds_brackets(path: str) -> bool:
    if path == STANDARD:  # which can be read once only
        return False
    for line in read_lines(path):
        if line.strip():
            return line.lstrip().startswith(b"(")
    return False


def _bracketed(path: str) -> Iterator[Sentence]:
    """The sentences of bracketed trees, the lifts undone that their labels tell of."""
    for item in brackets.read(path):
        if isinstance(item, DataError):
            raise item
        sentence = from_tree(unlift(item.parse().to_dependency()))
        yield replace(sentence, line=item.line)
