"""How well arctree parses, and how fast, beside its peers on the same treebank.

    python benchmarks/parse.py --models FOLDER [--train] [--treebank DIR] [--arctree MODEL ...]

The treebank is English-EWT from the folder that ARCTREE_DATA names, unless another folder with
``*-train``, ``*-dev`` and ``*-test.conllu`` is given. FOLDER holds the peers' models; ``--train``
trains those that are not there yet. Whoever is not installed or has no model is named and left
out.

Everybody is given the words of the test file and nothing else, in gold sentences. A time is what
it takes from that text to text with trees, in CPU seconds of one thread, without loading: the
median of several rounds, in each of which the programs take turns, so that a busy machine slows
them all alike. What counts is the ratio: how many times as long as arctree's first model a system
takes. By default that is ``en``, the model that comes with the package; its segmenter has no part
in this (``pipeline.py`` measures both together), its tags and lemmas have.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arctree.conllu import read, read_text
from arctree.evaluation import evaluate
from arctree.pipeline import folder_of
from arctree.scores import HEADLINE
from arctree.sentence import Sentence
from arctree.training.hardware import processor
from peers import Peer, SpaCy, Stanza, UDPipe, blind
from racing import default_treebank, loaded, on_one_thread, part, print_table, train_missing

HEADINGS = ("system", "inputs", "UAS", HEADLINE, "words/CPU s", "ratio")


class Arctree:
    """A model of arctree, in the shape of its peers."""

    inputs = "words"

    def __init__(self, model: str) -> None:
        self.model = model
        self.name = f"arctree {Path(model).name}"

    def load(self, folder: Path) -> None:
        from arctree.parser import Parser

        self._parser = Parser.load(folder_of(self.model), threads=1)

    def parse(self, text: str) -> str:
        parsed = self._parser.parse(read_text(text))
        return "".join(answer.sentence.to_text() for answer in parsed)


@dataclass(slots=True)
class Result:
    """What one system made of the test file, and the CPU seconds of each round."""

    system: Peer | Arctree
    uas: float = 0.0
    las: float = 0.0
    seconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def main() -> None:
    arguments = options().parse_args()
    on_one_thread()
    treebank = arguments.treebank or default_treebank()
    peers: list[Peer] = [UDPipe(), SpaCy(), Stanza(device=arguments.device)]
    if arguments.train:
        train_missing(peers, treebank, arguments.models)
    entered: list[Peer | Arctree] = [*map(Arctree, arguments.arctree), *peers]
    systems = loaded(entered, arguments.models)
    gold = list(read(str(part(treebank, "test"))))
    results = race(systems, gold, arguments.rounds)
    words = sum(map(len, gold))
    print(f"{part(treebank, 'test').name}: {len(gold):,} sentences, {words:,} words")
    print(f"{processor()}, Python {platform.python_version()}, one thread, ", end="")
    print(f"median of {arguments.rounds} rounds\n")
    print_results(results, words)


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Parsing, beside the peers.")
    parser.add_argument("--models", type=Path, required=True, help="the folder of their models")
    parser.add_argument("--train", action="store_true", help="train the models that are missing")
    parser.add_argument("--treebank", type=Path, help="a folder with *-train, *-dev, *-test.conllu")
    parser.add_argument(
        "--arctree", nargs="+", default=["en"], help="models of arctree (default: the package's)"
    )
    parser.add_argument("--device", default="cpu", help="where Stanza runs; times need the CPU")
    parser.add_argument("--rounds", type=int, default=5)
    return parser


def race(systems: Sequence[Peer | Arctree], gold: list[Sentence], rounds: int) -> list[Result]:
    """Score every system in a round that also warms it up, then time them in turns."""
    text = blind(gold)
    results = []
    for system in systems:
        scores = evaluate(gold, read_text(system.parse(text)), names=("gold", system.name))
        results.append(Result(system, scores["UAS"].f1, scores[HEADLINE].f1))
    for _ in range(rounds):
        for result in results:
            start = time.process_time()
            result.system.parse(text)
            result.seconds.append(time.process_time() - start)
    return results


def print_results(results: Sequence[Result], words: int) -> None:
    """The ratio is empty when no model of arctree was measured."""
    first = next((result for result in results if isinstance(result.system, Arctree)), None)
    rows: list[tuple[str, ...]] = [HEADINGS]
    rows += [
        (
            result.system.name,
            result.system.inputs,
            f"{100 * result.uas:.2f}",
            f"{100 * result.las:.2f}",
            f"{words / result.median:,.0f}",
            f"{result.median / first.median:.2f} x" if first else "",
        )
        for result in results
    ]
    print_table(rows, texts=2)
    if first:
        speeds = [
            f"{result.median / first.median:.2f} times as fast as {result.system.name}"
            for result in results
            if not isinstance(result.system, Arctree)
        ]
        print(f"\n{first.system.name} is " + ", ".join(speeds))


if __name__ == "__main__":
    main()
