"""The pipeline: text in, trees out.

    >>> import arctree
    >>> nlp = arctree.load("en")                                # doctest: +SKIP
    >>> document = nlp("Book me the morning flight.")           # doctest: +SKIP
    >>> print(document.to_conllu())                             # doctest: +SKIP

A model directory holds a parser and may hold a segmenter, which finds sentences and words in
running text. Both are loaded when they are first needed. A pipeline may be used by several
threads at once; pickled, it is the name of its folder and its options, and is loaded again
where it arrives, so that it can be handed to worker processes.

This module is light; what the parser and the segmenter need is loaded with them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, count, islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from arctree.document import Document, ParsedSentence, as_sentence_of_words
from arctree.errors import CallError, DataError
from arctree.parser import Parser, as_sentence
from arctree.parsing.batches import in_windows
from arctree.parsing.model_files import CONFIG, SEGMENTER
from arctree.parsing.sessions import checked_threads
from arctree.passages import Passage, blind_sentences, lines_of, passages, pieces_of
from arctree.segments import Token
from arctree.sentence import Sentence

if TYPE_CHECKING:
    from arctree.segmenter import Segmenter

# Here lie the models that come with the package, each under its name.
PACKAGED = Path(__file__).parent / "models"
DEVICES = ("cpu", "cuda", "auto")
# Characters of texts that pipe() parses together.
_CHARACTERS = 1 << 16


class Pipeline:
    """Sentences, words, tags, lemmas and trees for text."""

    def __init__(self, folder: Path, *, device: str = "cpu", threads: int | None = 1) -> None:
        self.folder = folder
        self.device = device
        self.threads = threads
        self._lock = Lock()
        self._parser: Parser | None = None
        self._segmenter: Segmenter | None = None

    @classmethod
    def load(
        cls, model: str | Path = "en", *, device: str = "cpu", threads: int | None = 1
    ) -> Pipeline:
        """The pipeline of a model: one that comes with arctree, by its name, or a directory.

        ``device`` is ``cpu`` or ``cuda``; ``threads`` bounds those of the CPU, None leaves
        their number to the library that runs the network.
        """
        if device not in DEVICES:
            raise CallError(f"no device {device!r}; it is one of {', '.join(DEVICES)}")
        if threads is not None:
            checked_threads(threads)
        return cls(folder_of(model), device=device, threads=threads)

    def __call__(self, text: str) -> Document:
        """The document that a text is."""
        return Document(text, tuple(self.stream(text)))

    def stream(self, text: str) -> Iterator[ParsedSentence]:
        """The sentences of a text one after the other, however long it is.

        Nothing is held but the text and the present passage of it.
        """
        numbers = count(1)
        heading = ["# newdoc"]
        for passage in passages(pieces_of(_checked(text))):
            tokens = self.segment(passage.text)
            blind = blind_sentences(passage, tokens, lambda: str(next(numbers)), heading)
            yield from self.parse_sentences(blind)
            heading = [] if passage.text.strip() else heading

    def pipe(self, texts: Iterable[str]) -> Iterator[Document]:
        """The documents that texts are, in their order, as many as come in.

        Sentences of many texts are parsed together, which is faster than text by text. Nothing
        is held but some ten thousand words at a time, or one text if it is longer. The documents
        are numbered in their sentences' ids, so that they can be written to one file.
        """
        numbers = count(1)
        for group in in_windows(map(_checked, _several(texts)), _CHARACTERS):
            segmented = [
                list(_numbered(text, tokens, next(numbers)))
                for text, tokens in zip(group, self.segment_all(group), strict=True)
            ]
            parsed = self.parse_sentences(chain.from_iterable(segmented))
            for text, blind in zip(group, segmented, strict=True):
                yield Document(text, tuple(islice(parsed, len(blind))))

    def parse_lines(self, lines: Iterable[str]) -> Iterator[ParsedSentence]:
        """A sentence a line, in their order, as many as come in. Offsets count in the line.

        A line without words has no sentence; the next one begins a paragraph.
        """
        return self.parse_sentences(self._lines(_several(lines)))

    def parse_tokens(
        self, sentences: Iterable[Sequence[str] | Sentence]
    ) -> Iterator[ParsedSentence]:
        """Trees for lists of words, or for sentences of CoNLL-U, in their order."""
        return self.parse_sentences(map(_of_words, sentences, count(1)))

    def parse_sentences(self, sentences: Iterable[Sentence]) -> Iterator[ParsedSentence]:
        """Trees for sentences of CoNLL-U as they are, in their order, as many as come in."""
        return map(as_sentence_of_words, self.parser.parse(sentences))

    def segment(self, text: str) -> Iterator[Sequence[Token]]:
        """The tokens of each sentence of a text."""
        start, trimmed = _trimmed(text)
        return (_moved(tokens, start) for tokens in self.segmenter.segment(trimmed))

    def segment_all(self, texts: Iterable[str]) -> Iterator[list[Sequence[Token]]]:
        """The same for each of several texts; many short ones are read together."""
        starts: deque[int] = deque()

        def trimmed(text: str) -> str:
            start, rest = _trimmed(text)
            starts.append(start)
            return rest

        for sentences in self.segmenter.segment_all(map(trimmed, texts)):
            start = starts.popleft()
            yield [_moved(tokens, start) for tokens in sentences]

    def segment_lines(self, text: str) -> Iterator[Sequence[Token]]:
        """The tokens of each line of a text, each of which is one sentence."""
        lines = list(lines_of(text))
        segmented = self.segment_all(line for _, line in lines)
        for (start, _), sentences in zip(lines, segmented, strict=True):
            yield _moved(tuple(chain.from_iterable(sentences)), start)

    @property
    def parser(self) -> Parser:
        """The parser, loaded when it is first asked for."""
        with self._lock:
            if self._parser is None:
                self._parser = Parser.load(self.folder, device=self.device, threads=self.threads)
            return self._parser

    @property
    def segmenter(self) -> Segmenter:
        """The segmenter, loaded when it is first asked for."""
        with self._lock:
            if self._segmenter is None:
                self._segmenter = self._loaded_segmenter()
            return self._segmenter

    @property
    def has_segmenter(self) -> bool:
        """Whether the model reads running text, or words only."""
        return (self.folder / SEGMENTER).is_file()

    def __reduce__(self) -> tuple[Any, ...]:
        is_packaged = self.folder.parent == PACKAGED
        model = self.folder.name if is_packaged else str(self.folder.absolute())
        return _unpickled, (model, self.device, self.threads)

    def __repr__(self) -> str:
        return f"<Pipeline {str(self.folder)!r} on {self.device}>"

    def _loaded_segmenter(self) -> Segmenter:
        if not self.has_segmenter:
            raise CallError(
                f"{self.folder}: the model has no segmenter, so it cannot read running text; give "
                "it words (--from tokens or conllu, parse_tokens), or train it with a [segmenter]"
            )
        from arctree.segmenter import Segmenter

        return Segmenter.load(self.folder, threads=self.threads or 1)

    def _lines(self, lines: Iterable[str]) -> Iterator[Sentence]:
        numbers = count(1)
        begins_paragraph = True
        waiting: deque[str] = deque()

        def seen(line: str) -> str:
            waiting.append(_checked(line).replace("\n", " "))
            return waiting[-1]

        for sentences in self.segment_all(map(seen, lines)):
            passage = Passage(waiting.popleft(), begins_paragraph=begins_paragraph)
            tokens = tuple(chain.from_iterable(sentences))
            yield from blind_sentences(passage, [tokens], lambda: str(next(numbers)))
            begins_paragraph = not tokens


def folder_of(model: str | Path) -> Path:
    """The directory of a model: one of the package's own, by its name, or any other."""
    if not isinstance(model, str | Path) or not str(model):
        raise CallError(f"{model!r} is no model; give a name or a directory")
    if str(model) in packaged_models():
        return PACKAGED / str(model)
    folder = Path(model)
    if not folder.is_dir():
        known = ", ".join(packaged_models()) or "none"
        raise CallError(
            f"{model}: no such model directory, and no model of that name comes with arctree "
            f"(there is: {known}); arctree train makes a model from CoNLL-U"
        )
    if not (folder / CONFIG).is_file():
        raise DataError(
            f"no {CONFIG} in it", "name a directory that arctree train wrote", file=str(folder)
        )
    return folder


def packaged_models() -> list[str]:
    """The names of the models that come with the package."""
    return sorted(path.parent.name for path in PACKAGED.glob(f"*/{CONFIG}"))


@lru_cache(maxsize=8)
def _unpickled(model: str, device: str, threads: int | None) -> Pipeline:
    """The pipeline; a process to which it comes again and again loads it once."""
    return Pipeline.load(model, device=device, threads=threads)


def _of_words(words: Sequence[str] | Sentence, number: int) -> Sentence:
    if isinstance(words, Sentence):
        return words
    sentence = as_sentence(words)
    comments = (f"# sent_id = {number}", "# text = " + " ".join(sentence.forms))
    return replace(sentence, comments=comments)


def _numbered(text: str, tokens: Iterable[Sequence[Token]], document: int) -> Iterator[Sentence]:
    """The sentences of one of several texts."""
    numbers = count(1)
    heading = [f"# newdoc id = {document}"]
    return blind_sentences(Passage(text), tokens, lambda: f"{document}-{next(numbers)}", heading)


def _trimmed(text: str) -> tuple[int, str]:
    """The text without white space at its ends, which no segmenter is to see, and its start."""
    stripped = text.lstrip()
    return len(text) - len(stripped), stripped.rstrip()


def _moved(tokens: Sequence[Token], by: int) -> Sequence[Token]:
    if not by:
        return tokens
    return [Token(token.start + by, token.end + by, token.words) for token in tokens]


def _several(texts: Iterable[str]) -> Iterable[str]:
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise CallError(f"{str(texts)[:40]!r} is not several texts; give a list of them")
    return texts


def _checked(text: str) -> str:
    if not isinstance(text, str):
        raise CallError(f"{str(text)[:40]!r} is no text; give a str")
    return text
