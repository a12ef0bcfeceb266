"""Whether a folder holds the Penn Treebank in Stanford Dependencies as the field has it.

Checked are, for ``train.conllu``, ``dev.conllu`` and ``test.conllu``: the numbers of sentences
and words; that every sentence is a tree with one root, and ``root`` the label of that root; that
the labels are those of the basic dependencies of converter 3.3.0; and that UPOS marks the
words that scores leave out, by their tags. Trees that are not projective are counted: there
are a few, they are lifted in training and lowered again in parsing.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arctree import conllu
from arctree.cli.report import plural
from arctree.draw.width import visible
from arctree.errors import ArctreeError, CallError, DataError
from arctree.sentence import Sentence
from arctree.treebank import Survey, survey

PUNCTUATION_TAGS = frozenset({"``", "''", ":", ",", "."})
MOST_SHOWN = 5


@dataclass(frozen=True)
class Split:
    """What a file should hold."""

    sections: str
    sentences: int
    words: int


@dataclass(frozen=True)
class Expected:
    """What the files should hold; ``labels`` are those of the first one."""

    splits: Mapping[str, Split]
    labels: frozenset[str]


# The basic dependencies that converter 3.3.0 finds in the training sections: 44, and root.
# fmt: off
LABELS = frozenset({
    "acomp", "advcl", "advmod", "amod", "appos", "aux", "auxpass", "cc", "ccomp", "conj", "cop",
    "csubj", "csubjpass", "dep", "det", "discourse", "dobj", "expl", "infmod", "iobj", "mark",
    "mwe", "neg", "nn", "npadvmod", "nsubj", "nsubjpass", "num", "number", "parataxis", "partmod",
    "pcomp", "pobj", "poss", "possessive", "preconj", "predet", "prep", "prt", "punct",
    "quantmod", "rcmod", "root", "tmod", "xcomp",
})
# fmt: on
PENN_TREEBANK = Expected(
    {
        "train": Split("02-21", 39_832, 950_028),
        "dev": Split("22", 1_700, 40_117),
        "test": Split("23", 2_416, 56_684),
    },
    LABELS,
)


def main(arguments: Sequence[str] | None = None, expected: Expected = PENN_TREEBANK) -> int:
    """Print the table and what to do; return the exit status, 0 if all is well."""
    parser = argparse.ArgumentParser(
        description="Check the converted Penn Treebank: counts, trees, labels, punctuation."
    )
    parser.add_argument("folder", metavar="FOLDER", help="with train, dev and test .conllu")
    folder = Path(parser.parse_args(arguments).folder)
    try:
        findings = [
            examine(split, folder / f"{split}.conllu", expected) for split in expected.splits
        ]
    except ArctreeError as error:
        print(f"check.py: {visible(str(error))}", file=sys.stderr)
        return 2 if isinstance(error, CallError) else 1
    print(table(findings))
    for found in findings:
        for problem in found.shown:
            print(visible(str(problem)))
    if any(found.problems for found in findings):
        print("README.md, beside this program, tells how to make the files")
        return 1
    print("all is as it should be")
    return 0


@dataclass
class Finding:
    """What was found in a file, beside what was expected there.

    ``marked`` counts the words that UPOS marks as punctuation, ``mismarked`` those that it
    marks wrongly; of many problems of a kind the first few are ``shown``.
    """

    name: str
    split: Split
    survey: Survey
    tags: Counter[str] = field(default_factory=Counter)
    marked: int = 0
    mismarked: int = 0
    first_mismarked: list[DataError] = field(default_factory=list)
    problems: int = 0
    shown: list[DataError] = field(default_factory=list)

    def add(self, problems: Sequence[DataError], count: int | None = None) -> None:
        """Add problems of a kind, of which there may be more than are handed over."""
        count = len(problems) if count is None else count
        self.problems += count
        self.shown += problems[:MOST_SHOWN]
        if count > MOST_SHOWN:
            more = f"and {count - MOST_SHOWN:,} more like these"
            self.shown.append(DataError(more, file=self.survey.file))


def examine(name: str, path: Path, expected: Expected) -> Finding:
    """Read one file and find what is wrong with it."""
    found = Finding(name, expected.splits[name], Survey(str(path)))
    sentences = conllu.read(str(path), on_error=found.survey.problems.append)
    survey(found.survey, _watched(sentences, found))
    found.add(list(_count_problems(found)))
    found.add(found.survey.problems)
    found.add(list(_unknown_labels(found, expected)))
    if name == next(iter(expected.splits)):
        found.add(list(_missing(found, expected)))
    found.add(found.first_mismarked, found.mismarked)
    return found


def table(findings: Iterable[Finding]) -> str:
    """A line for each file: what it holds, and in brackets what it should."""
    lines = [
        f"{'':<7}{'sections':<10}{'sentences':>19}{'words':>21}{'labels':>8}"
        f"{'non-projective':>16}{'not scored':>12}{'problems':>10}"
    ]
    for found in findings:
        split, held = found.split, found.survey
        lines.append(
            f"{found.name:<7}{split.sections:<10}"
            f"{f'{held.sentences:,} ({split.sentences:,})':>19}"
            f"{f'{held.words:,} ({split.words:,})':>21}"
            f"{len(held.labels):>8}{held.nonprojective_sentences:>16,}"
            f"{found.marked:>12,}{found.problems:>10,}"
        )
    return "\n".join(lines)


def _watched(sentences: Iterable[Sentence], found: Finding) -> Iterator[Sentence]:
    """Pass the sentences on, and look at their tags on the way."""
    for sentence in sentences:
        if sentence.is_blind:
            found.survey.problems.append(
                DataError(
                    "a sentence without heads",
                    "convert the trees again with -basic -conllx",
                    file=found.survey.file,
                    line=sentence.line,
                )
            )
        for word, (mark, tag) in enumerate(zip(sentence.upos, sentence.xpos, strict=True), start=1):
            found.tags[tag] += 1
            found.marked += mark == "PUNCT"
            if mark != ("PUNCT" if tag in PUNCTUATION_TAGS else "X"):
                found.mismarked += 1
                if found.mismarked <= MOST_SHOWN:
                    found.first_mismarked.append(_mismark(sentence, word, found.survey.file))
        yield sentence


def _mismark(sentence: Sentence, word: int, file: str) -> DataError:
    return DataError(
        f"word {word} has UPOS {sentence.upos[word - 1]} and XPOS {sentence.xpos[word - 1]}",
        "scores would leave out other words than the field does; run convert.py",
        file=file,
        line=sentence.line_of(word),
    )


def _count_problems(found: Finding) -> Iterator[DataError]:
    for what, held, wanted in (
        ("sentences", found.survey.sentences, found.split.sentences),
        ("words", found.survey.words, found.split.words),
    ):
        if held != wanted:
            yield DataError(
                f"{held:,} {what} instead of {wanted:,}",
                f"give the converter every .mrg file of WSJ {found.split.sections} once, and "
                "-keepPunct",
                file=found.survey.file,
            )


def _unknown_labels(found: Finding, expected: Expected) -> Iterator[DataError]:
    for label, times in found.survey.labels.items():
        if label not in expected.labels:
            yield DataError(
                f"the label {label}, of {plural(times, 'word')}, is not one of converter 3.3.0",
                _remedy(label),
                file=found.survey.file,
                line=found.survey.first_lines[label],
            )


def _missing(found: Finding, expected: Expected) -> Iterator[DataError]:
    """Labels and tags that the training file lacks."""
    labels = sorted(expected.labels - set(found.survey.labels))
    if labels:
        yield DataError(
            f"no word has the label {', '.join(labels)}",
            "use converter 3.3.0, and the .mrg files as they are: their function tags are needed",
            file=found.survey.file,
        )
    tags = sorted(PUNCTUATION_TAGS - set(found.tags))
    if tags:
        yield DataError(
            f"no word has the tag {' or '.join(tags)}",
            "XPOS holds the tags of the Penn Treebank: use the .mrg files, then convert.py",
            file=found.survey.file,
        )


def _remedy(label: str) -> str:
    """What a label tells of the way it was made."""
    if label == "vmod":
        return "partmod and infmod became vmod in 3.3.1: use converter 3.3.0"
    if "_" in label or label in ("erased", "agent", "ref", "xsubj"):
        return "it is one of the collapsed dependencies: convert with -basic"
    return "later converters write Universal Dependencies: use converter 3.3.0"


if __name__ == "__main__":
    sys.exit(main())
