"""What the core costs, beside its peers, in one run: ``make bench``.

    python benchmarks/core.py [TREEBANK.conllu]

The treebank is English-EWT train from the folder that ARCTREE_DATA names, unless another file
is given. Times are CPU seconds of one thread, the best of several rounds; within a round the
programs take turns, so that a busy machine slows them all alike. What counts is the ratios.

Reading: every head is validated (in range, one root, no cycle) and every field of every word
fetched. Only arctree validates by itself; for the others the same check is added.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path

import conllu as their_conllu
import pyconll
from spacy.pipeline._parser_internals import nonproj
from udapi.core.document import Document

from arctree import conllu
from arctree.dependency import DependencyTree, check_heads
from arctree.lifting import Scheme, lift
from arctree.training.hardware import processor

ROUNDS = 7


def main() -> None:
    path = treebank()
    sentences = list(conllu.read(path))
    words = sum(map(len, sentences))
    print(f"{Path(path).name}: {len(sentences):,} sentences, {words:,} words")
    print(f"{processor()}, Python {platform.python_version()}, best of {ROUNDS} rounds\n")
    print_reading(path, words)
    print_conversion(path, words)
    print_lifting([sentence.tree for sentence in sentences])


def print_reading(path: str, words: int) -> None:
    times = race(
        {
            "arctree": lambda: read_arctree(path),
            "pyconll": lambda: read_pyconll(path),
            "udapi": lambda: read_udapi(path),
            "conllu": lambda: read_conllu(path),
        }
    )
    print("reading, every head validated and every field fetched")
    best_peer = min(seconds for name, seconds in times.items() if name != "arctree")
    for name, seconds in times.items():
        print(
            f"  {name:<20}{seconds:>8.3f} s {words / seconds:>12,.0f} words/s "
            f"{seconds / times['arctree']:>6.2f} x"
        )
    print(f"  the fastest of the others takes {best_peer / times['arctree']:.2f} x our time\n")


def read_arctree(path: str) -> int:
    fetched = 0
    for sentence in conllu.read(path):
        values = list(chain.from_iterable(sentence.columns))
        fetched += len(values)
    return fetched


def read_pyconll(path: str) -> int:
    fetched = 0
    for sentence in pyconll.iter_from_file(path):
        values = []
        heads = []
        for token in sentence:
            values += [token.id, token.form, token.lemma, token.upos, token.xpos]
            values += [token.feats, token.head, token.deprel, token.deps, token.misc]
            if not token.is_multiword() and not token.is_empty_node():
                heads.append(int(token.head))
        check_heads(heads)
        fetched += len(values)
    return fetched


def read_conllu(path: str) -> int:
    fetched = 0
    with open(path, encoding="utf-8") as file:
        for sentence in their_conllu.parse_incr(file):
            values: list[object] = []
            heads = []
            for token in sentence:
                values += token.values()
                if isinstance(token["id"], int):
                    heads.append(token["head"])
            check_heads(heads)
            fetched += len(values)
    return fetched


def read_udapi(path: str) -> int:
    fetched = 0
    for tree in Document(path).trees:  # building its trees validates the heads
        values = []
        for node in tree.descendants:
            values += [node.ord, node.form, node.lemma, node.upos, node.xpos]
            values += [node.feats, node.parent, node.deprel, node.raw_deps, node.misc]
        fetched += len(values)
    return fetched


def print_conversion(path: str, words: int) -> None:
    """Whole runs of the command line, start-up included."""
    with tempfile.TemporaryDirectory() as folder:
        brackets, back = f"{folder}/trees.mrg", f"{folder}/back.conllu"
        times = {
            "convert": best_of(lambda: cpu_of("convert", path, "-o", brackets)),
            "recover": best_of(lambda: cpu_of("recover", brackets, "-o", back)),
            "recover --onto": best_of(
                lambda: cpu_of("recover", brackets, "--onto", path, "-o", back)
            ),
        }
        same = Path(back).read_bytes() == Path(path).read_bytes()
    print("conversion, the whole command from file to file, --lift exact")
    for name, seconds in times.items():
        print(f"  {name:<20}{seconds:>8.3f} s {words / seconds:>12,.0f} words/s")
    print(f"  the file comes back {'byte for byte' if same else 'CHANGED'}\n")


def cpu_of(*arguments: str) -> float:
    """The CPU seconds of one run of the program."""
    before = os.times()
    subprocess.run(
        [sys.executable, "-m", "arctree", *arguments], check=True, stderr=subprocess.DEVNULL
    )
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    )


def print_lifting(trees: Sequence[DependencyTree]) -> None:
    # spaCy counts words from 0 and lets the root head itself.
    theirs = [
        (
            [head - 1 if head else place for place, head in enumerate(tree.heads)],
            [str(label) for label in tree.labels],
        )
        for tree in trees
    ]
    times = race(
        {
            "arctree": lambda: sum(lift(tree, Scheme.HEAD) is tree for tree in trees),
            "spaCy (compiled)": lambda: sum(
                bool(nonproj.projectivize(heads, labels)) for heads, labels in theirs
            ),
        }
    )
    print("lifting, head scheme, every tree of the file")
    for name, seconds in times.items():
        print(f"  {name:<20}{seconds:>8.3f} s {seconds / times['spaCy (compiled)']:>26.2f} x")
    exact = best_of(lambda: timed(lambda: sum(lift(tree) is tree for tree in trees)))
    print(f"  {'arctree, exact':<20}{exact:>8.3f} s {exact / times['spaCy (compiled)']:>26.2f} x")


def race(programs: dict[str, Callable[[], int]]) -> dict[str, float]:
    """The best time of each program; in every round they take turns."""
    best = dict.fromkeys(programs, float("inf"))
    for _ in range(ROUNDS):
        for name, program in programs.items():
            best[name] = min(best[name], timed(program))
    return best


def best_of(measure: Callable[[], float]) -> float:
    return min(measure() for _ in range(ROUNDS))


def timed(program: Callable[[], int]) -> float:
    start = time.process_time()
    if not program():
        raise SystemExit("a program that did nothing was measured")
    return time.process_time() - start


def treebank() -> str:
    if len(sys.argv) > 1:
        return sys.argv[1]
    folder = os.environ.get("ARCTREE_DATA")
    if not folder:
        raise SystemExit("name a CoNLL-U file, or set ARCTREE_DATA to the folder of the treebanks")
    return str(Path(folder, "ud", "English-EWT", "en_ewt-ud-train.conllu"))


if __name__ == "__main__":
    main()
