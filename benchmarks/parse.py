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
takes.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arctree.conllu import read, read_text
from arctree.errors import ArctreeError
from arctree.evaluation import evaluate
from arctree.scores import HEADLINE
from arctree.sentence import Sentence
from arctree.training.hardware import processor
from peers import Peer, SpaCy, Stanza, UDPipe, blind

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"), "1"
)
HEADINGS = ("system", "inputs", "UAS", HEADLINE, "words/CPU s", "ratio")


class Arctree:
    """A model of arctree, in the shape of its peers."""

    inputs = "words"

    def __init__(self, model: Path) -> None:
        self.model = model
        self.name = f"arctree {model.name}"

    def load(self, folder: Path) -> None:
        from arctree.parser import Parser

        self._parser = Parser.load(self.model, threads=1)

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
    if any(os.environ.get(name) != "1" for name in ONE_THREAD):
        # Libraries read these when they are loaded, and some are loaded by now.
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ONE_THREAD})
    treebank = arguments.treebank or default_treebank()
    peers: list[Peer] = [UDPipe(), SpaCy(), Stanza(device=arguments.device)]
    if arguments.train:
        train_missing(peers, treebank, arguments.models)
    systems = loaded([*map(Arctree, arguments.arctree), *peers], arguments.models)
    gold = list(read(str(part(treebank, "test"))))
    results = race(systems, gold, arguments.rounds)
    words = sum(map(len, gold))
    print(f"{part(treebank, 'test').name}: {len(gold):,} sentences, {words:,} words")
    print(f"{processor()}, Python {platform.python_version()}, one thread, ", end="")
    print(f"median of {arguments.rounds} rounds\n")
    print_table(results, words)


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Parsing, beside the peers.")
    parser.add_argument("--models", type=Path, required=True, help="the folder of their models")
    parser.add_argument("--train", action="store_true", help="train the models that are missing")
    parser.add_argument("--treebank", type=Path, help="a folder with *-train, *-dev, *-test.conllu")
    parser.add_argument("--arctree", type=Path, nargs="+", default=[], help="models of arctree")
    parser.add_argument("--device", default="cpu", help="where Stanza runs; times need the CPU")
    parser.add_argument("--rounds", type=int, default=5)
    return parser


def train_missing(peers: Sequence[Peer], treebank: Path, models: Path) -> None:
    models.mkdir(parents=True, exist_ok=True)
    for peer in peers:
        try:
            peer.load(models)
        except FileNotFoundError:
            print(f"training {peer.name}", file=sys.stderr)
            peer.train(part(treebank, "train"), part(treebank, "dev"), models)
        except ImportError as error:
            print(f"{peer.name} cannot be trained: {error}", file=sys.stderr)


def loaded(systems: Sequence[Peer | Arctree], models: Path) -> list[Peer | Arctree]:
    ready = []
    for system in systems:
        try:
            system.load(models)
        except (ArctreeError, FileNotFoundError, ImportError) as error:
            print(f"left out: {system.name}: {error}", file=sys.stderr)
        else:
            ready.append(system)
    return ready


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


def print_table(results: Sequence[Result], words: int) -> None:
    """The ratio is empty when no model of arctree was measured."""
    first = next((result for result in results if isinstance(result.system, Arctree)), None)
    rows = [HEADINGS]
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
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if place < 2 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


def default_treebank() -> Path:
    folder = os.environ.get("ARCTREE_DATA")
    if not folder:
        raise SystemExit("give --treebank, or set ARCTREE_DATA to the folder of the treebanks")
    return Path(folder, "ud", "English-EWT")


def part(treebank: Path, name: str) -> Path:
    found = sorted(treebank.glob(f"*-{name}.conllu"))
    if len(found) != 1:
        raise SystemExit(f"{treebank} has {len(found)} files *-{name}.conllu, but needs one")
    return found[0]


if __name__ == "__main__":
    main()
