"""Training data: treebanks are read, lifted, derived and numbered, once.

Every sentence becomes an :class:`Example`, in arrays; the network never sees text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from arctree import conllu
from arctree.dependency import DependencyTree
from arctree.errors import DataError
from arctree.files import read_chunks
from arctree.labels import split_mark
from arctree.lifting import lift
from arctree.network.encoder import Encoder
from arctree.network.network import IGNORED
from arctree.parsing.answers import ArcValues, Outcomes
from arctree.parsing.lemmatiser import Lemmatiser
from arctree.parsing.machine import GoldDerivation
from arctree.parsing.settings import Configuration
from arctree.parsing.systems import SYSTEMS
from arctree.parsing.vocabulary import Vocabulary
from arctree.sentence import TAG_COLUMNS, Sentence

# Trees derived at once: their states lie in one array, as long as the longest.
_DERIVED_AT_ONCE = 256


@dataclass(frozen=True)
class FileFacts:
    """What a model card tells of a file. The hash is that of its content, decompressed."""

    name: str
    sha256: str
    sentences: int
    words: int
    non_projective: int

    def to_json(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True)
class Treebank:
    """The sentences of one or more files, each with the number of its file."""

    sentences: tuple[Sentence, ...]
    file_of: tuple[int, ...]
    files: tuple[FileFacts, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence to learn from: numbers of its labels and tags, its heads, its derivation."""

    prepared: Any
    heads: np.ndarray[Any, Any]
    labels: np.ndarray[Any, Any]
    marks: np.ndarray[Any, Any]
    tags: Mapping[str, np.ndarray[Any, Any]]
    derivation: GoldDerivation | None

    @property
    def size(self) -> int:
        return len(self.heads)


def read_treebank(
    paths: Sequence[str], passing: Callable[[Iterator[Sentence]], Iterator[Sentence]] = iter
) -> Treebank:
    """Read files whole; ``passing`` sees the sentences go by, to count them."""
    sentences: list[Sentence] = []
    file_of: list[int] = []
    facts = []
    for number, path in enumerate(paths):
        before = len(sentences)
        for sentence in passing(conllu.read(path)):
            if sentence.is_blind:
                raise DataError(
                    "a sentence without heads",
                    "fill HEAD and DEPREL",
                    file=path,
                    line=sentence.line,
                    sentence=sentence.id,
                )
            sentences.append(sentence)
        new = sentences[before:]
        if not new:
            raise DataError("no sentences", "name a file that holds some", file=path)
        file_of += [number] * len(new)
        facts.append(
            FileFacts(
                Path(path).name,
                content_hash(path),
                len(new),
                sum(map(len, new)),
                sum(not sentence.tree.is_projective() for sentence in new),
            )
        )
    return Treebank(tuple(sentences), tuple(file_of), tuple(facts))


def content_hash(path: str) -> str:
    """The SHA-256 of a file's content, decompressed."""
    digest = hashlib.sha256()
    for chunk in read_chunks(path):
        digest.update(chunk)
    return digest.hexdigest()


def trees_to_learn(
    sentences: Iterable[Sentence], configuration: Configuration
) -> list[DependencyTree]:
    """The trees as the parser is to build them: lifted, but for the graph-based one as they are."""
    trees = [sentence.tree for sentence in sentences]
    if configuration.parser.kind == "graph":
        return trees
    return [lift(tree, configuration.data.lifting) for tree in trees]


def outcomes_of(
    sentences: Sequence[Sentence], trees: Sequence[DependencyTree], configuration: Configuration
) -> Outcomes:
    """All labels and tags that occur. A column that is ``_`` throughout is not learnt."""
    arcs = [
        (*split_mark(label), head == 0)
        for tree in trees
        for label, head in zip(tree.labels, tree.heads, strict=True)
    ]
    tags = {}
    for name in configuration.tags.names:
        vocabulary = Vocabulary.of(
            value for sentence in sentences for value in sentence.columns[TAG_COLUMNS[name]]
        )
        if set(vocabulary.values) - {"_"}:
            tags[name] = vocabulary
    return Outcomes(
        _arc_values([(base, is_root) for base, _, is_root in arcs]),
        _arc_values([(mark, is_root) for _, mark, is_root in arcs], reserved=[""]),
        tags,
    )


def _arc_values(arcs: Sequence[tuple[str, bool]], reserved: Sequence[str] = ()) -> ArcValues:
    values = Vocabulary.of((value for value, _ in arcs), reserved=reserved)
    seen = set(arcs)
    on_root = tuple((value, True) in seen for value in values.values)
    on_others = tuple((value, False) in seen for value in values.values)
    # Where every sentence has one word, nothing is known of other arcs.
    return ArcValues(values, on_root, on_others if any(on_others) else on_root)


def lemmatiser_of(
    sentences: Sequence[Sentence], outcomes: Outcomes, configuration: Configuration
) -> Lemmatiser | None:
    """What tells lemmas by forms and by the tags that the network learns, if it is wanted."""
    has_lemmas = any(lemma != "_" for sentence in sentences for lemma in sentence.lemmas)
    if not configuration.tags.lemmas or not has_lemmas:
        return None
    return Lemmatiser.learn(sentences, tuple(outcomes.tags))


def examples_of(
    sentences: Sequence[Sentence],
    trees: Sequence[DependencyTree],
    outcomes: Outcomes,
    encoder: Encoder,
    kind: str,
) -> list[Example]:
    """The sentences as arrays, with what a parser of this kind learns."""
    prepared = encoder.prepare([sentence.forms for sentence in sentences])
    derivations: Sequence[GoldDerivation | None] = [None] * len(trees)
    if kind in SYSTEMS:
        derivations = derive_all([tree.heads for tree in trees], kind)
    return [
        Example(
            item,
            np.array(tree.heads, dtype=np.int64),
            *_label_numbers(tree, outcomes),
            {
                name: np.array(
                    [_number(values, value) for value in sentence.columns[TAG_COLUMNS[name]]],
                    dtype=np.int64,
                )
                for name, values in outcomes.tags.items()
            },
            derivation,
        )
        for item, sentence, tree, derivation in zip(
            prepared, sentences, trees, derivations, strict=True
        )
    ]


def derive_all(
    heads_of_sentences: Sequence[Sequence[int]], kind: str = "mapped"
) -> list[GoldDerivation]:
    """The derivations of all trees in a system, those of similar length at once."""
    order = sorted(range(len(heads_of_sentences)), key=lambda n: len(heads_of_sentences[n]))
    derivations: dict[int, GoldDerivation] = {}
    numbers = iter(order)
    while some := list(islice(numbers, _DERIVED_AT_ONCE)):
        found = SYSTEMS[kind].derivations([heads_of_sentences[number] for number in some])
        derivations.update(zip(some, found, strict=True))
    return [derivations[number] for number in range(len(heads_of_sentences))]


def _label_numbers(
    tree: DependencyTree, outcomes: Outcomes
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    parts = [split_mark(label) for label in tree.labels]
    return (
        np.array([_number(outcomes.labels.values, base) for base, _ in parts], dtype=np.int64),
        np.array([_number(outcomes.marks.values, mark) for _, mark in parts], dtype=np.int64),
    )


def _number(vocabulary: Vocabulary, value: str) -> int:
    number = vocabulary[value]
    return IGNORED if number < 0 else number
