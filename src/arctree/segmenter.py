"""The segmenter: text in, sentences and tokens out.

    >>> segmenter = Segmenter.load(Path("models/ewt"))                  # doctest: +SKIP
    >>> for tokens in segmenter.segment("I don't know. Do you?"):       # doctest: +SKIP
    ...     print(tokens)

A text of any length is read in blocks, so memory is bounded. A block holds whole paragraphs;
a paragraph that is longer is read in several, each with more context on both sides than the
network can see. So what is found does not depend on where blocks end.

This module is light; onnxruntime is loaded with the first segmenter. A segmenter may be used
by several threads, and be sent to other processes, which load it again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from arctree.errors import CallError, DataError
from arctree.parsing.characters import PARAGRAPH, Alphabet, Reading, paragraphs
from arctree.parsing.model_files import SEGMENTER, SEGMENTER_GRAPH, read_json
from arctree.parsing.multiword import MultiwordTokens
from arctree.parsing.segmentation import SENTENCE, TOKEN, Cutter, Labels, Numbers, Scores
from arctree.parsing.sessions import session
from arctree.segments import Token

VERSION = 1
# Characters read at once: few enough for the cache of a processor.
BLOCK = 4096
# Characters of context on each side of a block inside a paragraph.
MARGIN = 512

# For each symbol the scores of CONTINUES, TOKEN and MULTIWORD; for each unit more of these for
# its last symbol, and the score of a sentence's end.
Answer = Callable[[Reading], tuple[Scores, Scores]]


@dataclass(frozen=True)
class Knowledge:
    """What a segmenter knows beside its network.

    ``padding`` is how many symbols keep paragraphs apart; ``inner_spaces`` whether a token may
    have white space in it; ``threshold`` what the score of a sentence's end must exceed.
    """

    alphabet: Alphabet
    multiword: MultiwordTokens
    padding: int
    inner_spaces: bool
    threshold: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """As it can be read again."""
        return {
            "arctree_segmenter": VERSION,
            "padding": self.padding,
            "inner_spaces": self.inner_spaces,
            "threshold": self.threshold,
            "characters": self.alphabet.characters,
            "words": self.alphabet.words,
            "multiword": self.multiword.to_json(),
        }

    @classmethod
    def load(cls, folder: Path) -> Knowledge:
        """What the segmenter in a model directory knows."""
        path = folder / SEGMENTER
        if not path.is_file():
            raise DataError(
                f"no {SEGMENTER} in it: the model has no segmenter",
                "train one, or give it words instead of text",
                file=str(folder),
            )
        form = read_json(path)
        if form.get("arctree_segmenter") != VERSION:
            raise DataError(
                f"the segmenter has version {form.get('arctree_segmenter')!r}, "
                f"this arctree reads version {VERSION}",
                "use the arctree that wrote it, or train it again",
                file=str(path),
            )
        try:
            padding, threshold = int(form["padding"]), float(form["threshold"])
            if not 0 < padding < 1000 or not math.isfinite(threshold):
                raise ValueError(f"padding {padding}, threshold {threshold}")
            return cls(
                Alphabet(list(map(str, form["characters"])), list(map(str, form["words"]))),
                MultiwordTokens.read(form["multiword"]),
                padding,
                bool(form["inner_spaces"]),
                threshold,
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DataError(
                f"the segmenter is damaged: {error!r}", "fetch it again", file=str(path)
            ) from error


class Segmenter:
    """A trained segmenter."""

    def __init__(self, knowledge: Knowledge, answer: Answer) -> None:
        self._model: tuple[Knowledge, Answer] | None = (knowledge, answer)
        self._source: tuple[Path, int] | None = None

    @classmethod
    def load(cls, folder: str | Path, threads: int = 1) -> Segmenter:
        """The segmenter in a model directory."""
        folder = Path(folder)
        segmenter = cls(Knowledge.load(folder), _session(folder / SEGMENTER_GRAPH, threads))
        segmenter._source = (folder, threads)
        return segmenter

    def __getstate__(self) -> dict[str, Any]:
        if self._source is None:
            raise CallError("only a segmenter that was loaded from a folder can be sent elsewhere")
        return {"_source": self._source, "_model": None}

    @property
    def _loaded(self) -> tuple[Knowledge, Answer]:
        if self._model is None:
            assert self._source is not None
            folder, threads = self._source
            self._model = Knowledge.load(folder), _session(folder / SEGMENTER_GRAPH, threads)
        return self._model

    def segment(self, text: str) -> Iterator[tuple[Token, ...]]:
        """The sentences of a text, each as its tokens; what is between two is white space."""
        knowledge, answer = self._loaded
        cutter = Cutter(text, knowledge.multiword.words_of)
        emoji = None if text.isascii() else _Emoji(text)
        for block in _blocks(text):
            reading = knowledge.alphabet.read(
                text[block.start : block.stop], knowledge.padding, block.start
            )
            if len(reading.first) > 2 * knowledge.padding:  # more than padding
                found = _labelled(reading, answer(reading), knowledge, ends=block.ends)
                places, labels, scores = _within(block, *found)
                if emoji is not None:
                    emoji.keep_apart(places, labels)
                yield from cutter.cut(places, labels, scores)

    def segment_line(self, line: str) -> tuple[Token, ...]:
        """The tokens of a line that is known to be one sentence."""
        return tuple(chain.from_iterable(self.segment(line)))

    def segment_all(self, texts: Iterable[str]) -> Iterator[list[tuple[Token, ...]]]:
        """The sentences of each text; quicker than one after the other where texts are short."""
        for batch in _batches(texts):
            joined = _BETWEEN.join(batch)
            sentences = self.segment(joined)
            sentence = next(sentences, None)
            begin = 0
            for text in batch:
                end = begin + len(text)
                found: list[tuple[Token, ...]] = []
                while sentence is not None and sentence[0].start < end:
                    found.append(_moved(sentence, begin) if begin else sentence)
                    sentence = next(sentences, None)
                yield found
                begin = end + len(_BETWEEN)


class _Block(NamedTuple):
    """The characters [start, stop) are read, those in [first, last) are labelled.

    ``ends`` says whether the paragraph ends with the block.
    """

    start: int
    stop: int
    first: int
    last: int
    ends: bool


def _blocks(text: str) -> Iterator[_Block]:
    begin = end = 0
    for start, stop in paragraphs(text):
        if stop - begin > BLOCK and end > begin:
            yield _Block(begin, end, begin, end, True)
            begin = start
        if stop - start > BLOCK:
            for first in range(start, stop, BLOCK):
                last = min(stop, first + BLOCK)
                right = min(stop, last + MARGIN)
                yield _Block(max(start, first - MARGIN), right, first, last, right == stop)
            begin = stop
        end = stop
    if end > begin:
        yield _Block(begin, end, begin, end, True)


def _labelled(
    reading: Reading, answers: tuple[Scores, Scores], knowledge: Knowledge, *, ends: bool
) -> tuple[Numbers, Labels, Scores]:
    """Places, labels and scores of sentence ends of all characters but white space."""
    scores, units = answers
    classes = scores.shape[1]
    scores[reading.last] += units[:, :classes]
    labels = scores.argmax(axis=1).astype(np.uint8)
    sentence = np.full(len(labels), -np.inf, np.float32)
    sentence[reading.last] = units[:, classes]
    real = np.flatnonzero(reading.places >= 0)
    paragraph = np.cumsum(reading.symbols == PARAGRAPH)[real]
    last = np.empty(len(real), np.bool_)
    last[:-1] = paragraph[1:] != paragraph[:-1]
    last[-1:] = ends
    labels, sentence, places = labels[real], sentence[real], reading.places[real]
    forced = last.copy()
    if not knowledge.inner_spaces:
        forced[:-1] |= real[1:] - real[:-1] > 1
    labels[forced & (labels == 0)] = TOKEN
    labels[(last | (sentence > knowledge.threshold)) & (labels > 0)] |= SENTENCE
    return places, labels, sentence


def _within(
    block: _Block, places: Numbers, labels: Labels, scores: Scores
) -> tuple[Numbers, Labels, Scores]:
    if block.start == block.first and block.stop == block.last:
        return places, labels, scores
    low, high = np.searchsorted(places, [block.first, block.last])
    return places[low:high], labels[low:high], scores[low:high]


class _Emoji:
    """Where the emoji of a text are: tokens of their own, apart from words and punctuation.

    Treebanks have few of them, so this is told, not learnt.
    """

    def __init__(self, text: str) -> None:
        points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
        self._is_emoji = np.zeros(len(points), np.bool_)
        for first, last in _EMOJI:
            self._is_emoji |= (points >= first) & (points <= last)
        # What joins and varies emoji goes with them.
        self._goes_with = self._is_emoji | np.isin(points, _JOINERS)

    def keep_apart(self, places: Numbers, labels: Labels) -> None:
        """Let a token end before and after each run."""
        emoji, part = self._is_emoji[places], self._goes_with[places]
        # How many emoji there are since the last character that is no part of a run.
        outside = np.maximum.accumulate(np.where(part, -1, np.arange(len(part))))
        seen = np.concatenate(([0], np.cumsum(emoji)))
        ends_run = part[:-1] & ~part[1:] & (seen[1:-1] > seen[outside[:-1] + 1])
        before_run = ~part[:-1] & emoji[1:]
        labels[:-1][(ends_run | before_run) & (labels[:-1] == 0)] = TOKEN


_EMOJI = ((0x1F000, 0x1FAFF), (0x2600, 0x27BF), (0x2B50, 0x2B55))
_JOINERS = (0x200D, 0xFE0E, 0xFE0F, 0x20E3)
_BETWEEN = "\n\n"


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= BLOCK:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _moved(tokens: tuple[Token, ...], begin: int) -> tuple[Token, ...]:
    return tuple(Token(start - begin, end - begin, words) for start, end, words in tokens)


def _session(path: Path, threads: int) -> Answer:
    """The network in a file, as a function."""
    network = session(path, threads)

    def answer(reading: Reading) -> tuple[Scores, Scores]:
        characters, units = network.run(
            ["characters", "units"],
            {
                "symbols": reading.symbols,
                "first": reading.first,
                "last": reading.last,
                "words": reading.words,
            },
        )
        return characters, units

    return answer
