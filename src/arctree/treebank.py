"""What a treebank holds: a survey of its trees, lifts, labels and faults.

:func:`survey` goes through a file once and keeps counts, and of each sentence its id and a
fingerprint of its words. :func:`compare` looks from the first file (the training split) at
another one: labels it has never seen, and sentences it has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median
from typing import Any, NamedTuple

from arctree.dependency import ROOT, nonprojective_arcs
from arctree.errors import DataError
from arctree.labels import print_label
from arctree.lifting import Scheme, lift, unlift
from arctree.ordered import from_dependency
from arctree.sentence import Sentence

RARE = 5


class LabelUse(NamedTuple):
    """A label, how often it occurs, and the line on which it does so first."""

    label: str
    times: int
    line: int


@dataclass(slots=True)
class SchemeSurvey:
    """How a lifting scheme does on a treebank."""

    returned: int = 0
    labels: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Survey:
    """The counts of one file, and a mark of each sentence."""

    file: str
    sentences: int = 0
    words: int = 0
    multiword_tokens: int = 0
    empty_nodes: int = 0
    blind: int = 0
    nonprojective_sentences: int = 0
    nonprojective_arcs: int = 0
    lifted_arcs: int = 0
    lengths: Counter[int] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    first_lines: dict[str, int] = field(default_factory=dict)
    root_labels: Counter[str] = field(default_factory=Counter)
    schemes: dict[Scheme, SchemeSurvey] = field(
        default_factory=lambda: {scheme: SchemeSurvey() for scheme in Scheme}
    )
    returned_directly: int = 0
    problems: list[DataError] = field(default_factory=list)
    identifiers: dict[str, int] = field(default_factory=dict)
    fingerprints: Counter[int] = field(default_factory=Counter)

    @property
    def trees(self) -> int:
        return self.sentences - self.blind

    def rare_labels(self) -> list[LabelUse]:
        """Labels that occur at most five times, the rarest first."""
        rare = [(count, label) for label, count in self.labels.items() if count <= RARE]
        return [self.use_of(label) for _, label in sorted(rare)]

    def use_of(self, label: str) -> LabelUse:
        return LabelUse(label, self.labels[label], self.first_lines[label])

    def to_json(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "sentences": self.sentences,
            "words": self.words,
            "multiword_tokens": self.multiword_tokens,
            "empty_nodes": self.empty_nodes,
            "blind_sentences": self.blind,
            "nonprojective_sentences": self.nonprojective_sentences,
            "nonprojective_arcs": self.nonprojective_arcs,
            "lifted_arcs": self.lifted_arcs,
            "projective_trees_returned": self.returned_directly,
            "lengths": dict(zip(("shortest", "median", "longest"), self.length_range, strict=True)),
            "labels": dict(self.labels.most_common()),
            "rare_labels": [use._asdict() for use in self.rare_labels()],
            "root_labels": dict(self.root_labels.most_common()),
            "schemes": {
                scheme.value: {"returned": found.returned, "labels": len(found.labels)}
                for scheme, found in self.schemes.items()
            },
            "problems": [
                {
                    "line": problem.line,
                    "sentence": problem.sentence,
                    "fault": problem.fault,
                    "remedy": problem.remedy,
                }
                for problem in self.problems
            ],
        }

    @property
    def length_range(self) -> tuple[int, float, int]:
        """The shortest, the median and the longest sentence."""
        if not self.lengths:
            return 0, 0, 0
        lengths = list(self.lengths.elements())
        return min(lengths), median(lengths), max(lengths)


def survey(found: Survey, sentences: Iterable[Sentence]) -> Survey:
    """Count the sentences of a file.

    Let the reader hand its errors to the survey, too:
    ``read(path, on_error=found.problems.append)``.
    """
    for sentence in sentences:
        _count(sentence, found)
        if sentence.is_blind:
            found.blind += 1
        else:
            _survey_tree(sentence, found)
    found.problems.sort(key=lambda problem: problem.line or 0)
    return found


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a file has that the first one has not, and what both have."""

    unseen_labels: list[LabelUse]
    shared_sentences: int

    def to_json(self) -> dict[str, Any]:
        return {
            "unseen_labels": [use._asdict() for use in self.unseen_labels],
            "shared_sentences": self.shared_sentences,
        }


def compare(first: Survey, other: Survey) -> Comparison:
    """Look from the first file at another one."""
    unseen = [
        other.use_of(label) for label, _ in other.labels.most_common() if label not in first.labels
    ]
    shared = sum(count for mark, count in other.fingerprints.items() if mark in first.fingerprints)
    return Comparison(unseen, shared)


def _count(sentence: Sentence, found: Survey) -> None:
    found.sentences += 1
    found.words += len(sentence)
    multiword = len(sentence.multiword_tokens)
    found.multiword_tokens += multiword
    found.empty_nodes += len(sentence.other_lines) - multiword
    found.lengths[len(sentence)] += 1
    found.fingerprints[hash(sentence.forms)] += 1
    if sentence.id is not None:
        earlier = found.identifiers.setdefault(sentence.id, sentence.line)
        if earlier != sentence.line:
            _report(
                found,
                sentence,
                f"the sent_id stands at line {earlier} already",
                "give each sentence an id of its own",
            )


def _survey_tree(sentence: Sentence, found: Survey) -> None:
    tree = sentence.tree
    for word, (head, label) in enumerate(zip(tree.heads, sentence.deprels, strict=True), start=1):
        found.labels[label] += 1
        if label not in found.first_lines:
            found.first_lines[label] = sentence.line_of(word)
        if head == 0:
            found.root_labels[label] += 1
        if (head == 0) != (label.partition(":")[0] == ROOT):
            said = f"word {word} has head {head} and the label {label}"
            remedy = f"{ROOT} is the label of head 0, and of no other"
            _report(found, sentence, said, remedy, sentence.line_of(word))
    arcs = nonprojective_arcs(tree.heads) if not tree.is_projective() else []
    found.nonprojective_sentences += bool(arcs)
    found.nonprojective_arcs += len(arcs)
    for scheme, surveyed in found.schemes.items():
        lifted = lift(tree, scheme)
        is_back = lifted is tree or unlift(lifted) == tree
        surveyed.labels.update(map(print_label, lifted.labels))
        surveyed.returned += is_back
        if scheme is Scheme.EXACT:
            found.lifted_arcs += sum(
                was != now for was, now in zip(tree.heads, lifted.heads, strict=True)
            )
            if not is_back or from_dependency(lifted).to_dependency() != lifted:
                _report(found, sentence, "the tree does not come back", "please report this tree")
            elif not arcs:
                found.returned_directly += 1


def _report(
    found: Survey, sentence: Sentence, fault: str, remedy: str, line: int | None = None
) -> None:
    place = sentence.line if line is None else line
    found.problems.append(
        DataError(fault, remedy, file=found.file, line=place, sentence=sentence.id)
    )
