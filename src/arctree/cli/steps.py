"""What there is to do in a run of ``arctree parse``, piece by piece, in order.

A document is a :class:`Begin`, parts, and an :class:`End`, which says whether it could be read to
its end. A part is a passage of text, or some sentences; it needs nothing but itself, so any
process can parse it (:class:`Work`). Parts of small documents are parsed together, as a *step*.
What is in a step depends on nothing but the documents and their order: so whatever a
network's arithmetic makes of sentences that are parsed together, it makes in every run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, islice

from arctree import conllu
from arctree.cli.inputs import Facts, Input, Source, facts_of, identifier
from arctree.cli.report import Skipped, plural, say
from arctree.cli.writers import Writer
from arctree.errors import ArctreeError, DataError
from arctree.files import not_utf_8, read_chunks, read_lines
from arctree.parser import is_empty_node
from arctree.parsing.batches import in_windows
from arctree.passages import (
    SIZE,
    Passage,
    blind_sentences,
    decoded,
    lines_of,
    passages,
    pieces_of,
)
from arctree.pipeline import Pipeline
from arctree.segments import Token
from arctree.sentence import Sentence

# Characters of a word, roughly, with the space after it.
_WORD_SIZE = 4


@dataclass(frozen=True, slots=True)
class Begin:
    """Here a document begins, which was so when reading it began."""

    document: Input
    facts: Facts


@dataclass(frozen=True, slots=True)
class End:
    """Here a document ends, or cannot be read any further."""

    document: Input
    error: ArctreeError | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A passage to be segmented and parsed, or sentences to be parsed.

    The ids of a passage's sentences begin with the ``prefix``.
    """

    content: Passage | Sequence[Sentence]
    prefix: str = ""
    heading: tuple[str, ...] = ()
    by_line: bool = False

    @property
    def size(self) -> int:
        """How much there is to parse, in characters, roughly."""
        if isinstance(self.content, Passage):
            return len(self.content.text)
        return sum(map(len, self.content)) * _WORD_SIZE


@dataclass(frozen=True, slots=True)
class Pages:
    """What was made of a part: each sentence as it is written, and how many words they have.

    Where a sentence's number belongs, which is not known before all parts before this one are
    done, stands the ``mark``, unless that is empty.
    """

    sentences: list[str]
    words: int
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """A part that could not be parsed."""

    error: ArctreeError


Step = Sequence[Begin | Part | End]
Outcome = Begin | End | Pages | Failure


def parts_of(step: Step) -> list[Part]:
    """What there is to parse in a step."""
    return [event for event in step if isinstance(event, Part)]


def with_results(step: Step, results: Iterable[Pages | Failure]) -> Iterator[Outcome]:
    """The step with the results of its parts in their place."""
    results = iter(results)
    for event in step:
        yield next(results) if isinstance(event, Part) else event


class Work:
    """Parses parts. It can be pickled, and loads its model where it is used."""

    def __init__(self, pipeline: Pipeline, writer: Writer, *, needs_segmenter: bool) -> None:
        self.pipeline = pipeline
        self.writer = writer
        self.needs_segmenter = needs_segmenter

    def load(self) -> None:
        """Load the model now, and find out whether it can do the work."""
        if self.needs_segmenter:
            _ = self.pipeline.segmenter
        _ = self.pipeline.parser

    def __call__(self, parts: Sequence[Part]) -> list[Pages | Failure]:
        """The results of the parts; where one fails, the others are not to suffer."""
        try:
            return [*self._together(parts)]
        except ArctreeError as error:
            if len(parts) == 1:
                return [Failure(error)]
        results: list[Pages | Failure] = []
        for part in parts:
            try:
                results += self._together([part])
            except ArctreeError as error:
                results.append(Failure(error))
        return results

    def _together(self, parts: Sequence[Part]) -> list[Pages]:
        marks = [_mark(part) for part in parts]
        texts = (
            part.content.text
            for part in parts
            if isinstance(part.content, Passage) and not part.by_line
        )
        tokens = self.pipeline.segment_all(texts) if self.needs_segmenter else iter(())
        blind = [
            list(self._sentences(part, mark, tokens))
            for part, mark in zip(parts, marks, strict=True)
        ]
        parsed = self.pipeline.parse_sentences(chain.from_iterable(blind))
        return [
            Pages(
                [self.writer(sentence) for sentence in islice(parsed, len(sentences))],
                sum(map(len, sentences)),
                mark,
            )
            for sentences, mark in zip(blind, marks, strict=True)
        ]

    def _sentences(
        self, part: Part, mark: str, tokens: Iterator[Iterable[Sequence[Token]]]
    ) -> Iterable[Sentence]:
        if not isinstance(part.content, Passage):
            return part.content
        segmented = self.pipeline.segment_lines(part.content.text) if part.by_line else next(tokens)
        return blind_sentences(part.content, segmented, lambda: part.prefix + mark, part.heading)


class Reading:
    """Reads documents, and makes steps of them."""

    def __init__(self, skipped: Skipped, *, has_names: bool) -> None:
        self.skipped = skipped
        self.has_names = has_names
        self.graphs = self.empty_nodes = 0

    def steps(self, bundles: Iterable[Sequence[Input]]) -> Iterator[Step]:
        """All that there is to do for these documents; those of a bundle are parsed together."""
        for bundle in bundles:
            step: list[Begin | Part | End] = []
            size = 0
            for event in self._events(bundle):
                step.append(event)
                size += event.size if isinstance(event, Part) else 0
                if size >= SIZE:
                    yield step
                    step, size = [], 0
            if step:
                yield step

    def _events(self, documents: Iterable[Input]) -> Iterator[Begin | Part | End]:
        for document in documents:
            yield Begin(document, facts_of(document))
            try:
                yield from self._parts(document)
            except ArctreeError as error:
                yield End(document, error)
            else:
                yield End(document)

    def conclude(self) -> None:
        """Tell what parsing takes away."""
        if self.graphs or self.empty_nodes:
            say(
                "parse",
                f"{plural(self.graphs, 'enhanced graph')} cleared, with "
                f"{plural(self.empty_nodes, 'empty node')}: new trees make them stale",
            )

    def _parts(self, document: Input) -> Iterator[Part]:
        match document.source:
            case Source.CONLLU:
                sentences = conllu.read(document.path, on_error=self.skipped, blind=True)
                return self._windows(map(self._seen, sentences))
            case Source.TOKENS:
                return self._windows(self._token_sentences(document))
            case Source.TEXT | Source.LINES:
                return self._passages(document, by_line=document.source is Source.LINES)

    def _passages(self, document: Input, *, by_line: bool) -> Iterator[Part]:
        if document.text is not None:
            pieces = pieces_of(document.text)
        else:
            pieces = decoded(read_chunks(document.path), document.shown)
        prefix, heading = self._naming(document)
        for passage in passages(pieces, by_line=by_line):
            if not passage.start and _CONLLU.match(passage.text):
                say("parse", f"{document.shown} looks like CoNLL-U; --from conllu reads it as such")
            yield Part(passage, prefix, heading, by_line)
            if not passage.text.isspace():
                heading = ()

    def _naming(self, document: Input) -> tuple[str, tuple[str, ...]]:
        """What the sentences' ids begin with, and the comment that the document begins with."""
        if not self.has_names:
            return "", ("# newdoc",)
        name = identifier(document.name)
        return f"{name}-", (f"# newdoc id = {name}",)

    def _windows(self, sentences: Iterator[Sentence]) -> Iterator[Part]:
        return map(Part, in_windows(sentences, SIZE // _WORD_SIZE))

    def _seen(self, sentence: Sentence) -> Sentence:
        self.graphs += any(value != "_" for value in sentence.deps)
        self.empty_nodes += sum(is_empty_node(line) for _, line in sentence.other_lines)
        return sentence

    def _token_sentences(self, document: Input) -> Iterator[Sentence]:
        """One sentence a line; words are what white space separates."""
        prefix, heading = self._naming(document)
        numbers = count(1)
        start = 0
        for line_number, line in enumerate(_lines(document), start=1):
            text = line.decode("utf-8", "replace").removeprefix("\ufeff" * (line_number == 1))
            with self.skipped.guard(file=document.shown, line=line_number):
                _check_line(line)
                tokens = [Token(found.start(), found.end()) for found in _WORD.finditer(text)]
                if not tokens:
                    raise DataError("a line without words", "remove it, or use --on-error skip")
                passage = Passage(text, start, begins_paragraph=False)
                (sentence,) = blind_sentences(
                    passage, [tokens], lambda: f"{prefix}{next(numbers)}", heading
                )
                yield sentence
                heading = ()
            start += len(text)


def _lines(document: Input) -> Iterator[bytes]:
    if document.text is None:
        return read_lines(document.path)
    lines = [f"{line}\n" for _, line in lines_of(document.text.removesuffix("\n"))]
    return (_LONE_SURROGATE.sub("\ufffd", line).encode("utf-8") for line in lines)


def _check_line(line: bytes) -> None:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf_8(line[error.start], error.start + 1) from error


def _mark(part: Part) -> str:
    """A text of private characters that the part does not hold; none where none is needed."""
    if not isinstance(part.content, Passage):
        return ""
    texts = (part.content.text, part.prefix, *part.heading)
    marks = (f"\ue000{number}\ue001" for number in count())
    return next(mark for mark in marks if not any(mark in text for text in texts))


_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_WORD = re.compile(r"\S+")
_CONLLU = re.compile(r"(?:#[^\n]*\n)*1(?:-\d+)?\t(?:[^\t\n]*\t){8}[^\t\n]*\r?\n")
