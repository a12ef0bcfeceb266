"""How fast arctree gets from running text to trees, and how well, beside spaCy and UDPipe 1.

    python benchmarks/pipeline.py --models FOLDER [--train] [--treebank DIR] [--arctree MODEL]
        [--text FILE [--characters N]] [--rounds N]

The text is that of the test file of English-EWT, or of another treebank (``parse.py`` says how they
and the peers' models are found). Everybody is given its paragraphs, which are known, and finds
sentences and words alone. ``--text`` names more text, of which the first megabyte is read and
speed alone is measured; its lines are paragraphs.

A time is CPU seconds of one thread from text to answers, without loading: the best of several
rounds, in each of which the systems take turns, in another order. Each counts the words that it
found. What counts is the ratio to spaCy. Its answers are objects in memory, those of UDPipe are
CoNLL-U; arctree is measured both ways.

How long it takes to import, load and parse a first sentence is measured in processes of their own,
by the clock, interpreter included: *cold* after the files that it takes were dropped from the
system's cache as far as it lets them go, and *warm*, the best of several. What a process holds in
memory at most while it goes through the text is measured in another.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from arctree.conllu import read, read_text
from arctree.document import Document
from arctree.evaluation import evaluate
from arctree.files import read_lines
from arctree.parsing.raw_text import in_paragraphs, raw_text
from arctree.pipeline import Pipeline, folder_of
from arctree.sentence import FEATS, LEMMA, UPOS, XPOS, Sentence
from arctree.training.hardware import processor
from racing import default_treebank, loaded, on_one_thread, part, print_table, train_missing
from text_peers import SpaCyOnText, TextPeer, UDPipeOnText

SCORES = (
    *("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS"),
    "LAS (full labels)",
)
# What the ratio is to.
REFERENCE = "spaCy"


class TextSystem(Protocol):
    """A pipeline that can be measured."""

    @property
    def name(self) -> str: ...

    def load(self, folder: Path) -> None: ...

    def opening(self, folder: Path) -> str: ...

    def annotate(self, texts: Sequence[str]) -> Any: ...

    def to_conllu(self, answer: Any) -> str: ...


class Arctree:
    """A model of arctree, in the shape of its peers; its answers are objects."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.name = f"arctree {Path(model).name}"

    def load(self, folder: Path) -> None:
        self._pipeline = Pipeline.load(folder_of(self.model), threads=1)

    def opening(self, folder: Path) -> str:
        return f"import arctree\nnlp = arctree.load({self.model!r}, threads=1)"

    def annotate(self, texts: Sequence[str]) -> list[Document]:
        return list(self._pipeline.pipe(texts))

    def to_conllu(self, answer: list[Document]) -> str:
        return "".join(document.to_conllu() for document in answer)


class ArctreeAsText(Arctree):
    """The same; its answers are CoNLL-U."""

    def __init__(self, model: str) -> None:
        super().__init__(model)
        self.name += ", CoNLL-U"

    def annotate(self, texts: Sequence[str]) -> Any:
        return super().to_conllu(super().annotate(texts))

    def to_conllu(self, answer: Any) -> str:
        return str(answer)


@dataclass(slots=True)
class Result:
    """The words that a system found in a text, and the CPU seconds of each round."""

    name: str
    words: int
    seconds: list[float] = field(default_factory=list)

    @property
    def speed(self) -> float:
        return self.words / min(self.seconds)


def main() -> None:
    arguments = options().parse_args()
    on_one_thread()
    treebank = arguments.treebank or default_treebank()
    peers: list[TextPeer] = [SpaCyOnText(), UDPipeOnText()]
    if arguments.train:
        train_missing(peers, treebank, arguments.models)
    ours = [Arctree(arguments.arctree), ArctreeAsText(arguments.arctree)]
    systems: list[TextSystem] = loaded([*ours, *peers], arguments.models)
    test = part(treebank, "test")
    gold = list(read(str(test)))
    paragraphs = [raw_text([sentences]).text for sentences in in_paragraphs(gold)]
    print(f"{processor()}, Python {platform.python_version()}, one thread, ", end="")
    print(f"best of {arguments.rounds} rounds")
    texts = {test.name: paragraphs}
    if arguments.text:
        texts[arguments.text.name] = first_lines(arguments.text, arguments.characters)
    for name, read_texts in texts.items():
        print_speeds(name, read_texts, race(systems, read_texts, arguments.rounds))
    once = [system for system in systems if not isinstance(system, ArctreeAsText)]
    print_scores({system.name: scores_of(system, gold, paragraphs) for system in once})
    print_starts(
        {
            system.name: start_of(system.opening(arguments.models), paragraphs, arguments.rounds)
            for system in once
        }
    )


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Running text to trees, beside the peers.")
    parser.add_argument("--models", type=Path, required=True, help="the folder of their models")
    parser.add_argument("--train", action="store_true", help="train the models that are missing")
    parser.add_argument("--treebank", type=Path, help="a folder with *-train, *-dev, *-test.conllu")
    parser.add_argument("--arctree", default="en", help="the model of arctree (the package's)")
    parser.add_argument("--text", type=Path, help="more text, a paragraph a line; may be .xz")
    parser.add_argument("--characters", type=int, default=1_000_000, help="how much of it")
    parser.add_argument("--rounds", type=int, default=5)
    return parser


def first_lines(path: Path, characters: int) -> list[str]:
    """The lines of a file that are not empty, until there are so many characters."""
    texts = []
    left = characters
    for line in read_lines(str(path)):
        if left <= 0:
            break
        if text := line.decode("utf-8").strip():
            texts.append(text)
            left -= len(text)
    return texts


def race(systems: Sequence[TextSystem], texts: Sequence[str], rounds: int) -> list[Result]:
    """Count the words in a round that also warms everybody up, then time them in turns."""
    results = [
        Result(system.name, words_in(system.to_conllu(system.annotate(texts))))
        for system in systems
    ]
    turns = list(zip(systems, results, strict=True))
    for number in range(rounds):
        first = number % len(turns)  # who comes after whom makes a difference
        for system, result in turns[first:] + turns[:first]:
            start = time.process_time()
            system.annotate(texts)
            result.seconds.append(time.process_time() - start)
    return results


def words_in(conllu: str) -> int:
    return sum(map(len, read_text(conllu)))


def scores_of(
    system: TextSystem, gold: list[Sentence], texts: Sequence[str]
) -> dict[str, float | None]:
    """F1 by score; None where the system leaves the column empty."""
    found = list(read_text(system.to_conllu(system.annotate(texts))))
    evaluation = evaluate(gold, found, names=("gold", system.name))
    columns = {"UPOS": UPOS, "XPOS": XPOS, "UFeats": FEATS, "Lemmas": LEMMA}
    empty = {
        score
        for score, column in columns.items()
        if all(set(sentence.columns[column]) == {"_"} for sentence in found)
    }
    return {score: None if score in empty else evaluation[score].f1 for score in SCORES}


class Start(NamedTuple):
    """Seconds until the first sentence is parsed, and megabytes after it and at most."""

    cold: float
    warm: float
    first_memory: float
    most_memory: float


# Run after what opens ``nlp``.
FIRST = """
nlp("Book me the morning flight.")
import json, sys
maps = [line.split(maxsplit=5) for line in open("/proc/self/maps")]
files = {fields[5].strip() for fields in maps if len(fields) > 5}
for module in filter(None, list(sys.modules.values())):
    files |= {str(vars(module).get(name)) for name in ("__file__", "__cached__")}
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(json.dumps([int(status["VmRSS"].split()[0]) / 1024, sorted(files)]))
"""
WHOLE = """
import sys
texts = open(sys.argv[1], encoding="utf-8").read().split("\\0")
for _ in nlp.pipe(texts) if hasattr(nlp, "pipe") else map(nlp, texts):
    pass
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(int(status["VmHWM"].split()[0]) / 1024)
"""


def start_of(opening: str, texts: Sequence[str], rounds: int) -> Start:
    """What it takes to begin, and the memory to go through the texts. For Linux."""
    memory, files = json.loads(output_of(opening + FIRST))
    files += models_in(opening)
    times = []
    for number in range(rounds + 1):
        if not number:
            drop_from_cache(files)
        start = time.perf_counter()
        output_of(opening + '\nnlp("Book me the morning flight.")')
        times.append(time.perf_counter() - start)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.write("\0".join(texts))
        file.flush()
        most = float(output_of(opening + WHOLE, file.name))
    return Start(times[0], min(times[1:]), memory, most)


def output_of(program: str, *arguments: str) -> str:
    # spaCy would import torch where it is there for Stanza's sake.
    command = [sys.executable, "-c", f"import sys\nsys.modules['torch'] = None\n{program}"]
    command += arguments
    # Compiled modules are kept, as they are on a user's machine.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.run(command, check=True, capture_output=True, text=True, env=kept).stdout


def models_in(opening: str) -> list[str]:
    """The files of the model that a program opens."""
    named = [Path(word) for word in opening.split("'")[1::2]]
    named += [folder_of(str(path)) for path in named if not path.exists()]
    return [str(file) for path in named for file in (path, *path.rglob("*")) if file.is_file()]


def drop_from_cache(files: Iterable[str]) -> None:
    """Pages that another process holds stay."""
    for name in files:
        if os.path.isfile(name):
            file = os.open(name, os.O_RDONLY)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(file)


def print_speeds(name: str, texts: Sequence[str], results: Sequence[Result]) -> None:
    reference = next((result for result in results if result.name == REFERENCE), None)
    rows: list[tuple[str, ...]] = [("system", "words", "words/CPU s", f"of {REFERENCE}")]
    rows += [
        (
            result.name,
            f"{result.words:,}",
            f"{result.speed:,.0f}",
            f"{result.speed / reference.speed:.2f} x" if reference else "",
        )
        for result in results
    ]
    print(f"\n{name}: {sum(map(len, texts)):,} characters in {len(texts):,} paragraphs")
    print_table(rows, texts=1)


def print_scores(by_system: dict[str, dict[str, float | None]]) -> None:
    rows: list[tuple[str, ...]] = [("F1", *by_system)]
    for score in SCORES:
        values = [scores[score] for scores in by_system.values()]
        rows.append((score, *("" if value is None else f"{100 * value:.2f}" for value in values)))
    print()
    print_table(rows, texts=1)


def print_starts(by_system: dict[str, Start]) -> None:
    rows: list[tuple[str, ...]] = [("import, load and first parse", *by_system)]
    columns = list(by_system.values())
    rows.append(("cold", *(f"{start.cold:.2f} s" for start in columns)))
    rows.append(("warm", *(f"{start.warm:.2f} s" for start in columns)))
    rows.append(("memory after it", *(f"{start.first_memory:,.0f} MB" for start in columns)))
    rows.append(("memory, whole text", *(f"{start.most_memory:,.0f} MB" for start in columns)))
    print()
    print_table(rows, texts=1)


if __name__ == "__main__":
    main()
