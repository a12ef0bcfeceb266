"""Other programs on running text, behind the same few methods: text in, sentences out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from arctree.conllu import read
from arctree.sentence import DEPREL, FORM, HEAD, ID, MISC, WIDTH, XPOS, Sentence
from peers import (
    Trainable,
    UDPipe,
    loaded_spacy,
    loaded_udpipe,
    train_spacy,
    trained_udpipe,
)


class TextPeer(Trainable, Protocol):
    """A pipeline that reads running text."""

    def opening(self, folder: Path) -> str:
        """The Python with which a user loads it, as ``nlp``."""

    def annotate(self, texts: Sequence[str]) -> Any:
        """What it makes of paragraphs of text, in the form in which it gives its answers."""

    def to_conllu(self, answer: Any) -> str: ...


class UDPipeOnText:
    """UDPipe 1 with its tokenizer before the tagger and the parser of :class:`UDPipe`.

    The tokenizer finds the sentences too. The other two are taken from the model of that class
    as they are, which is trained first if it is not there.
    """

    name = "UDPipe 1"

    def __init__(self, tokenizer_epochs: int = 50) -> None:
        self.tokenizer_options = f"epochs={tokenizer_epochs}"

    def train(self, train: Path, dev: Path, folder: Path) -> None:
        parser = UDPipe()
        if not parser.file(folder).exists():
            parser.train(train, dev, folder)
        same = f"from_model=file:{parser.file(folder)}"
        model = trained_udpipe(train, dev, self.tokenizer_options, same, same)
        self._file(folder).write_bytes(model)

    def load(self, folder: Path) -> None:
        from ufal.udpipe import Pipeline

        self._model = loaded_udpipe(self._file(folder))
        self._pipeline = Pipeline(self._model, "tokenize", "", "", "conllu")

    def opening(self, folder: Path) -> str:
        return (
            "from ufal.udpipe import Model, Pipeline\n"
            f"model = Model.load({str(self._file(folder))!r})\n"
            'nlp = Pipeline(model, "tokenize", "", "", "conllu").process'
        )

    def annotate(self, texts: Sequence[str]) -> str:
        from ufal.udpipe import ProcessingError

        error = ProcessingError()
        answer: str = self._pipeline.process("\n\n".join(texts), error)
        if error.occurred():
            raise SystemExit(f"UDPipe cannot read the text: {error.message}")
        return answer

    def to_conllu(self, answer: str) -> str:
        return answer

    def _file(self, folder: Path) -> Path:
        return folder / "udpipe-pipeline.model"


class SpaCyOnText:
    """spaCy's small pipeline: a tokenizer of rules, and a tagger and a parser that share a network.

    The network is again the preset that spaCy calls efficient, and XPOS are the tags. The parser
    finds the sentences: as in spaCy's own projects, each document that it learns from has ten
    sentences. Multiword tokens are written as the words that they are made of, without space
    between them, which is how spaCy's tokenizer splits them.
    """

    name = "spaCy"

    def __init__(self, max_steps: int = 3_000) -> None:
        self.max_steps = max_steps

    def train(self, train: Path, dev: Path, folder: Path) -> None:
        texts = [
            "".join(_without_multiword_tokens(sentence).to_text() for sentence in read(str(path)))
            for path in (train, dev)
        ]
        home = folder / "spacy-pipeline"
        train_spacy(home, texts, ["tagger", "parser"], self.max_steps, sentences=10)

    def load(self, folder: Path) -> None:
        self._pipeline = loaded_spacy(folder / "spacy-pipeline")

    def opening(self, folder: Path) -> str:
        home = folder / "spacy-pipeline" / "model-best"
        return f"import spacy\nnlp = spacy.load({str(home)!r})"

    def annotate(self, texts: Sequence[str]) -> list[Any]:
        return list(self._pipeline.pipe(texts))

    def to_conllu(self, answer: list[Any]) -> str:
        sentences = (_spacy_sentence(span) for doc in answer for span in doc.sents)
        return "".join(sentence.to_text() for sentence in sentences if len(sentence))


def _without_multiword_tokens(sentence: Sentence) -> Sentence:
    miscs = list(sentence.misc)
    for first, last, columns in sentence.multiword_tokens:
        miscs[first - 1 : last] = ["SpaceAfter=No"] * (last - first) + [columns[MISC]]
    return replace(sentence, columns=(*sentence.columns[:MISC], tuple(miscs)), other_lines=())


def _spacy_sentence(span: Any) -> Sentence:
    """A sentence of spaCy without the white space, of which spaCy makes words."""
    words = [token for token in span if not token.is_space]
    places = {token.i: place for place, token in enumerate(words, start=1)}
    heads = []
    for token in words:
        head = token.head
        while head.is_space and head.head.i != head.i:
            head = head.head
        heads.append(places.get(head.i, 0) if head.i != token.i else 0)
    first = heads.index(0) + 1 if words else 0
    heads = [first if not head and place != first else head for place, head in enumerate(heads, 1)]
    columns = [("_",) * len(words)] * WIDTH
    columns[ID] = tuple(map(str, range(1, len(words) + 1)))
    columns[FORM] = tuple(token.text for token in words)
    columns[XPOS] = tuple(token.tag_ or "_" for token in words)
    columns[HEAD] = tuple(map(str, heads))
    columns[DEPREL] = tuple(
        "root" if not head else token.dep_ for head, token in zip(heads, words, strict=True)
    )
    return Sentence((), tuple(columns), tuple(heads))
