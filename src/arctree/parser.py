"""The parser: sentences in, trees out.

    >>> parser = Parser.load("models/ewt")                              # doctest: +SKIP
    >>> for parsed in parser.parse([["Book", "me", "a", "flight"]]):    # doctest: +SKIP
    ...     print(parsed.tree.heads, parsed.confidences)

Sentences are read in windows, sorted by length inside a window, and given back in the order in
which they came; so a stream of any length takes bounded memory. The network builds the
unlabelled ordered tree by SHIFT, LEFTARC and RIGHTARC; its arcs are labelled with the heads
fixed; and what lifting wrote on the labels is undone (:func:`arctree.lifting.unlift`), so that
no mark of it is left.

The *confidence* of an arc is made of how sure the parser is of the head times how sure it is
of the label, by a curve fitted on dev (:mod:`arctree.parsing.confidence`). Of the head it is as
sure as it was, at the least, of any transition that it took while the dependent was one of the
two topmost items of the stack: those are the transitions that could have given it another
head. An arc that was lifted keeps the confidence of the arc that was built. The graph-based
baseline has the probability of the head itself.

This module is light; torch is loaded with the first model.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

from arctree.dependency import NO_TAG, DependencyTree
from arctree.errors import CallError, DataError, MissingExtraError
from arctree.labels import Label, with_mark
from arctree.lifting import unlift
from arctree.parsing.batches import in_windows
from arctree.parsing.lemmatiser import Lemmatiser, Tagged
from arctree.parsing.model_files import ENCODER_GRAPH
from arctree.sentence import DEPREL, DEPS, HEAD, LEMMA, TAG_COLUMNS, Sentence, from_tree
from arctree.transitions import Transition

if TYPE_CHECKING:
    import numpy as np

    from arctree.parsing.answers import Analysis, Outcomes
    from arctree.parsing.confidence import Confidence


@dataclass(frozen=True, slots=True)
class Parsed:
    """What the parser found in a sentence.

    ``sentence`` has the new heads, labels and tags in its columns. ``transitions`` is the
    derivation of the projective tree that was built, with the probability of each step; other
    parsers than the mapped one have none.
    """

    sentence: Sentence
    confidences: tuple[float, ...]
    transitions: tuple[Transition, ...]
    probabilities: tuple[float, ...]

    @property
    def tree(self) -> DependencyTree:
        return self.sentence.tree


class Analyser(Protocol):
    """What runs the network: torch (:class:`arctree.network.model.Model`) or onnxruntime."""

    @property
    def outcomes(self) -> Outcomes: ...

    @property
    def confidence(self) -> Confidence: ...

    @property
    def lemmatiser(self) -> Lemmatiser | None: ...

    @property
    def window(self) -> int: ...

    def analyse(self, sentences: Sequence[Sequence[str]]) -> list[Analysis]: ...

    def score(
        self, sentences: Sequence[Sequence[str]], transitions: Sequence[Sequence[int]]
    ) -> list[np.ndarray[Any, Any]] | None: ...


class Parser:
    """A trained parser."""

    def __init__(self, model: Analyser) -> None:
        self.model = model
        outcomes = model.outcomes
        self._labels = outcomes.labels.values.values
        self._marks = outcomes.marks.values.values
        self._tags = {name: vocabulary.values for name, vocabulary in outcomes.tags.items()}

    @classmethod
    def load(
        cls,
        folder: str | Path,
        *,
        device: str = "cpu",
        threads: int | None = None,
        beam: int | None = None,
    ) -> Self:
        """The parser in a model directory. ``threads`` bounds those of the CPU.

        A model that was exported runs in onnxruntime on the CPU, greedily; any other takes torch.
        ``beam`` is that of a parser that builds trees, if not the one it was trained with.
        """
        if threads is not None and threads < 1:
            raise CallError(f"{threads} threads; give one or more")
        if beam in (None, 1) and device == "cpu" and (Path(folder) / ENCODER_GRAPH).is_file():
            from arctree.parsing.runtime import Runtime

            return cls(Runtime(Path(folder), threads or os.cpu_count() or 1))
        try:
            from arctree.network.model import Model, device_named
        except ImportError as error:
            raise missing_torch(error) from error
        model = Model.load(Path(folder), device_named(device), threads)
        return cls(model if beam is None else model.with_beam(beam))

    def parse(self, sentences: Iterable[Sentence | Sequence[str]]) -> Iterator[Parsed]:
        """Parse sentences, or lists of words, one after the other, as many as come in.

        Heads, labels and enhanced graphs that are there already are not looked at, and
        replaced; other columns are replaced where the model has learnt them.
        """
        for window in in_windows(map(as_sentence, sentences), self.model.window):
            analyses = self.model.analyse([sentence.forms for sentence in window])
            yield from map(self._answer, window, analyses, self._confidences(analyses))

    def tree_of(self, words: Sequence[str], analysis: Analysis) -> DependencyTree:
        """The tree that an analysis stands for, its lifting undone."""
        labels: list[Label] = [self._labels[number] for number in analysis.labels.tolist()]
        marked = analysis.marks.nonzero()[0].tolist()
        for place in marked:
            labels[place] = with_mark(str(labels[place]), self._marks[analysis.marks[place]])
        tree = DependencyTree.trusted(
            tuple(words), tuple(analysis.heads.tolist()), tuple(labels), (NO_TAG,) * len(words)
        )
        return unlift(tree) if marked else tree

    def _confidences(self, analyses: Sequence[Analysis]) -> Iterator[tuple[float, ...]]:
        """How often arcs like those of each sentence are right; for all sentences at once."""
        import numpy as np

        found = [analysis.arc_probabilities for analysis in analyses]
        values = iter(self.model.confidence.of(np.concatenate(found)).tolist())
        return (tuple(islice(values, len(some))) for some in found)

    def _answer(
        self, sentence: Sentence, analysis: Analysis, confidences: tuple[float, ...]
    ) -> Parsed:
        size = len(sentence)
        tree = self.tree_of(sentence.forms, analysis)
        columns = list(sentence.columns)
        columns[HEAD] = tuple([_NUMERALS.get(head) or str(head) for head in tree.heads])
        columns[DEPREL] = tuple([str(label) for label in tree.labels])
        columns[DEPS] = nothing = ("_",) * size
        tags = {}
        for name, values in self._tags.items():
            tags[name] = tuple([values[number] for number in analysis.tags[name].tolist()])
            columns[TAG_COLUMNS[name]] = tags[name]
        if (lemmatiser := self.model.lemmatiser) is not None:
            known = [tags.get(name, nothing) for name in TAG_COLUMNS]
            tagged = map(Tagged, sentence.forms, *known)
            columns[LEMMA] = tuple(map(lemmatiser.lemma, tagged))
        answered = Sentence(
            sentence.comments,
            tuple(columns),
            tree.heads,
            tuple([other for other in sentence.other_lines if not is_empty_node(other[1])]),
            sentence.line_break,
            sentence.blank_lines,
            sentence.line,
        )
        return Parsed(
            answered,
            confidences,
            tuple([_TRANSITIONS[number] for number in analysis.transitions.tolist()]),
            tuple(analysis.probabilities.tolist()),
        )


def as_sentence(words: Sentence | Sequence[str]) -> Sentence:
    """The sentence of these words, blind."""
    if isinstance(words, Sentence):
        return words
    if not isinstance(words, Sequence):
        raise CallError(f"{words!r} is no sentence; give a list of its words")
    if isinstance(words, str):
        raise CallError(f"{words[:40]!r} is a text; give a list of its words")
    words = tuple(words)
    if not words:
        raise DataError("a sentence without words", "remove it")
    for word in words:
        if not isinstance(word, str):
            raise CallError(f"{word!r} is no word; give each word as a str")
    size = len(words)
    tree = DependencyTree(words, tuple(range(size)), ("_",) * size)
    columns = list(from_tree(tree).columns)
    columns[HEAD] = columns[DEPREL] = ("_",) * size
    return Sentence((), tuple(columns), None)


def is_empty_node(line: str) -> bool:
    """Whether a line belongs to the enhanced graph alone, which parsing makes stale."""
    return "." in line.partition("\t")[0]


def missing_torch(error: ImportError) -> MissingExtraError:
    """What to say where the neural parser is not installed."""
    return MissingExtraError(f"the parser needs {error.name or 'torch'}", "train")


# The machine numbers them in this order.
_TRANSITIONS = tuple(Transition)
_NUMERALS = {number: str(number) for number in range(256)}
