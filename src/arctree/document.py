"""A document: a text with its sentences, each a tree over words that know where they stand.

>>> import arctree
>>> nlp = arctree.load("en")                                    # doctest: +SKIP
>>> for sentence in nlp("Book me the morning flight."):         # doctest: +SKIP
...     for word in sentence:
...         print(word.text, word.lemma, word.upos, word.head, word.deprel)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from arctree.brackets import format_tree
from arctree.json_form import Json, heading, sentence_to_json, tree_to_json
from arctree.lifting import lift
from arctree.ordered import OrderedTree, from_dependency
from arctree.parser import Parsed
from arctree.segments import token_ranges
from arctree.sentence import FEATS, FORM, LEMMA, MISC, UPOS, XPOS

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a parsed sentence; what a model has not learnt is ``_``, as in CoNLL-U.

    ``head`` is the ``id`` of another word of the sentence, or 0 at the root. The word, or the
    multiword token that it is a part of, is ``text[start:end]`` of the document's text; both
    are None where there is no such text. ``confidence`` says how often such an arc is right.
    """

    id: int
    text: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int
    deprel: str
    start: int | None
    end: int | None
    confidence: float

    @property
    def features(self) -> dict[str, str]:
        """The morphological features by name."""
        if self.feats == "_":
            return {}
        return dict(item.partition("=")[::2] for item in self.feats.split("|"))


@dataclass(frozen=True, slots=True, repr=False)
class ParsedSentence(Parsed):
    """What the parser found in a sentence, word by word."""

    @property
    def words(self) -> tuple[Word, ...]:
        sentence = self.sentence
        places = [place or (None, None) for place in token_ranges(sentence)]
        rows = zip(
            range(1, len(self) + 1),
            *(sentence.columns[column] for column in (FORM, LEMMA, UPOS, XPOS, FEATS)),
            self.tree.heads,
            sentence.deprels,
            [start for start, _ in places],
            [end for _, end in places],
            self.confidences,
            strict=True,
        )
        return tuple(Word(*row) for row in rows)

    @property
    def id(self) -> str | None:
        return self.sentence.id

    @property
    def text(self) -> str:
        """The text of the sentence, white space as single spaces."""
        return self.sentence.text or " ".join(self.sentence.forms)

    @property
    def ordered_tree(self) -> OrderedTree:
        """The ordered tree, with the words' XPOS; a tree that is not projective is lifted."""
        return from_dependency(lift(self.sentence.tree_with_tags(XPOS)))

    def to_conllu(self) -> str:
        """The sentence as it stands in a CoNLL-U file, its closing empty line included."""
        return self.sentence.to_text()

    def to_json(self) -> Json:
        """The JSON form, with offsets, confidences, the ordered tree and the derivation."""
        form = sentence_to_json(self.sentence)
        places = token_ranges(self.sentence)
        for word, place, value in zip(form["words"], places, self.confidences, strict=True):
            if place:
                word["start"], word["end"] = place
            word["confidence"] = round(value, 6)
        form["tree"] = tree_to_json(self.ordered_tree)
        steps = zip(self.transitions, self.probabilities, strict=True)
        form["transitions"] = [
            {"transition": transition.value, "probability": round(probability, 6)}
            for transition, probability in steps
        ]
        return form

    def with_confidence_in_misc(self) -> ParsedSentence:
        """The same sentence with ``Confidence=`` in each word's MISC."""
        columns = list(self.sentence.columns)
        columns[MISC] = tuple(
            "|".join([*_without_confidence(misc), f"Confidence={value:.4f}"])
            for misc, value in zip(columns[MISC], self.confidences, strict=True)
        )
        return replace(self, sentence=replace(self.sentence, columns=tuple(columns)))

    def __iter__(self) -> Iterator[Word]:
        return iter(self.words)

    def __len__(self) -> int:
        return len(self.sentence)

    def __str__(self) -> str:
        return format_tree(self.ordered_tree)

    def __repr__(self) -> str:
        return f"<ParsedSentence {_shortened(self.text)!r}, {len(self)} words>"


@dataclass(frozen=True, slots=True, repr=False)
class Document:
    """A text and the sentences that were found in it."""

    text: str
    sentences: tuple[ParsedSentence, ...]

    @property
    def words(self) -> tuple[Word, ...]:
        """The words of all sentences; their ids and heads count from 1 in each sentence."""
        return tuple(chain.from_iterable(self.sentences))

    def to_conllu(self) -> str:
        """The document as a CoNLL-U file holds it."""
        return "".join(sentence.to_conllu() for sentence in self.sentences)

    def to_json(self) -> Json:
        """The JSON form: the text, and the sentences with offsets that point into it."""
        sentences = [sentence.to_json() for sentence in self.sentences]
        return {**heading("document"), "text": self.text, "sentences": sentences}

    def __iter__(self) -> Iterator[ParsedSentence]:
        return iter(self.sentences)

    def __len__(self) -> int:
        return len(self.sentences)

    def __getitem__(self, place: int) -> ParsedSentence:
        return self.sentences[place]

    def __str__(self) -> str:
        return "\n".join(map(str, self.sentences))

    def __repr__(self) -> str:
        words = sum(map(len, self.sentences))
        return f"<Document {_shortened(self.text)!r}, {len(self)} sentences, {words} words>"


def as_sentence_of_words(parsed: Parsed) -> ParsedSentence:
    """What the parser found, as a sentence that can be gone through word by word."""
    return ParsedSentence(
        parsed.sentence, parsed.confidences, parsed.transitions, parsed.probabilities
    )


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _without_confidence(misc: str) -> list[str]:
    if misc == "_":
        return []
    return [item for item in misc.split("|") if not item.startswith("Confidence=")]
