"""How systems fare on the arcs that are not projective, which overall scores hide.

    python benchmarks/nonprojective.py GOLD SYSTEM [SYSTEM ...]

Recall is over the non-projective arcs of gold: at how many of those words the system has the
right head (UAS), and the right full label besides (LAS). Precision is over the system's own
non-projective arcs, so that a system which crosses arcs at random gains nothing. The last two
columns are over all words.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from arctree.conllu import read
from arctree.dependency import nonprojective_arcs
from arctree.sentence import Sentence


@dataclass(frozen=True, slots=True)
class Attachment:
    """Among some arcs, how many have the right head, and how many the right full label too."""

    total: int
    right_heads: int
    right_arcs: int

    @property
    def uas(self) -> float:
        return self.right_heads / self.total if self.total else 0.0

    @property
    def las(self) -> float:
        return self.right_arcs / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True)
class NonprojectiveReport:
    """Attachment over all words, over gold's non-projective arcs, and over the system's."""

    words: Attachment
    recall: Attachment
    precision: Attachment

    @property
    def f1_uas(self) -> float:
        return _harmonic_mean(self.precision.uas, self.recall.uas)

    @property
    def f1_las(self) -> float:
        return _harmonic_mean(self.precision.las, self.recall.las)

    def to_json(self) -> dict[str, float]:
        return {
            "words": self.words.total,
            "gold_arcs": self.recall.total,
            "system_arcs": self.precision.total,
            "recall_uas": self.recall.uas,
            "recall_las": self.recall.las,
            "precision_uas": self.precision.uas,
            "precision_las": self.precision.las,
            "f1_uas": self.f1_uas,
            "f1_las": self.f1_las,
        }


def compare(gold: Iterable[Sentence], system: Iterable[Sentence]) -> NonprojectiveReport:
    """Compare trees over the same words, sentence by sentence."""
    words: Counter[str] = Counter()
    recall: Counter[str] = Counter()
    precision: Counter[str] = Counter()
    for ours, theirs in zip(gold, system, strict=True):
        if ours.forms != theirs.forms:
            raise SystemExit(f"line {theirs.line}: the words are not those of gold")
        gold_tree, system_tree = ours.tree, theirs.tree
        verdicts = [
            _verdict(*arcs)
            for arcs in zip(
                gold_tree.heads,
                system_tree.heads,
                gold_tree.labels,
                system_tree.labels,
                strict=True,
            )
        ]
        words.update(verdicts)
        # The arc of a word may cross others in one tree and, though the same, not in the other.
        for counts, tree in ((recall, gold_tree), (precision, system_tree)):
            counts.update(verdicts[word - 1] for _, word in nonprojective_arcs(tree.heads))
    return NonprojectiveReport(*map(_attachment, (words, recall, precision)))


def _verdict(gold_head: int, system_head: int, gold_label: object, system_label: object) -> str:
    if gold_head != system_head:
        return "wrong"
    return "arc" if gold_label == system_label else "head"


def _attachment(verdicts: Counter[str]) -> Attachment:
    return Attachment(verdicts.total(), verdicts["head"] + verdicts["arc"], verdicts["arc"])


def _harmonic_mean(first: float, second: float) -> float:
    return 2 * first * second / (first + second) if first + second else 0.0


HEADINGS = ("words", "gold arcs", "own arcs", "R UAS", "R LAS", "P UAS", "P LAS", "UAS", "LAS")


def table_row(report: NonprojectiveReport) -> list[str]:
    counts = (report.words.total, report.recall.total, report.precision.total)
    shares = (
        *(report.recall.uas, report.recall.las),
        *(report.precision.uas, report.precision.las),
        *(report.words.uas, report.words.las),
    )
    return [f"{count:,}" for count in counts] + [f"{100 * share:.2f}" for share in shares]


def main() -> None:
    if len(sys.argv) < 3:
        raise SystemExit("name a gold file and at least one system file, in CoNLL-U")
    gold = list(read(sys.argv[1]))
    width = max(len("system"), *(len(Path(path).name) for path in sys.argv[2:]))
    print("system".ljust(width) + "".join(f"{heading:>11}" for heading in HEADINGS))
    for path in sys.argv[2:]:
        row = table_row(compare(gold, read(path)))
        print(Path(path).name.ljust(width) + "".join(f"{cell:>11}" for cell in row), flush=True)


if __name__ == "__main__":
    main()
