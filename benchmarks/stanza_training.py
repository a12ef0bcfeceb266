"""How many trees a second Stanza's networks learn from, as Stanza is and within the adapter.

    python benchmarks/stanza_training.py --train TRAIN.conllu --dev DEV.conllu [--device cuda]

Both compute the same loss and gradients, which the tests hold them to. Here they take turns on the
same batches, on one thread: 300 trees of the file, sorted by length as Stanza does it, in batches
of 30, and a step of the optimiser after each; for the dependency parser, which reads the files for
itself, batches of 1,000 words. What counts is the ratio.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from stanza.models.constituency import parser_training, transition_sequence, tree_reader
from stanza.models.depparse.data import DataLoader
from stanza.models.pos.data import Dataset
from stanza.utils.conll import CoNLL

from arctree import conllu
from arctree.dependency import DependencyTree
from arctree.lifting import lift
from arctree.study.stanza.adapter import hosting, silent
from arctree.study.stanza.columns import tree_with_columns
from arctree.study.stanza.graph_lighter import lighter_training
from arctree.study.stanza.graph_parser import GraphParser, load_network
from arctree.study.stanza.parts import Part
from arctree.study.stanza.replacing import replaced
from arctree.study.stanza.settings import CompositionName, StanzaSettings
from arctree.study.stanza.tagger import Tagger, scoring_at_once
from arctree.study.stanza.tree_parser import TreeKind, TreeParser

TREES, BATCH, ROUNDS = 300, 30, 3
WORDS = 1000
SYSTEMS: tuple[tuple[TreeKind, CompositionName], ...] = (
    ("mapped", "untied_max"),
    ("mapped", "untied_key"),
    ("mapped", "bilstm"),
    ("in-order", "max"),
    ("in-order", "bilstm"),
)


def main() -> None:
    options = argparse.ArgumentParser(description="Training in Stanza.")
    options.add_argument("--train", required=True, help="CoNLL-U")
    options.add_argument("--dev", required=True, help="CoNLL-U")
    options.add_argument("--device", default="cpu")
    arguments = options.parse_args()
    torch.set_num_threads(1)
    train, dev = (
        [lift(sentence.tree) for sentence in conllu.read(path)][:count]
        for path, count in ((arguments.train, TREES), (arguments.dev, 10))
    )
    words = sum(map(len, train))
    print(f"{Path(arguments.train).name}: {len(train)} trees, {words:,} words, {arguments.device}")
    print(f"{'system':<20} {'Stanza, trees/s':>16} {'adapter, trees/s':>17} {'ratio':>7}")
    for kind, composition in SYSTEMS:
        plain, quick = measure(kind, composition, train, dev, arguments.device)
        print(
            f"{kind}, {composition}".ljust(20),
            f"{plain:>16.1f} {quick:>17.1f} {quick / plain:>7.2f}",
        )
    plain, quick = measure_graph(train, dev, arguments.device)
    print(f"{'graph':<20} {plain:>16.1f} {quick:>17.1f} {quick / plain:>7.2f}")
    tagged = [tree_with_columns(s, arguments.train) for s in conllu.read(arguments.train)][:TREES]
    plain, quick = measure_tagger(tagged, arguments.device)
    print(f"{'tagger':<20} {plain:>16.1f} {quick:>17.1f} {quick / plain:>7.2f}")


def measure(
    kind: TreeKind,
    composition: CompositionName,
    train: list[DependencyTree],
    dev: list[DependencyTree],
    device: str,
) -> tuple[float, float]:
    """Trees a second, of Stanza alone and within the adapter; medians of rounds by turns."""
    gold_only = ("--no_multistage", "--oracle_initial_epoch", "1000")
    settings = StanzaSettings(
        epochs=2, epoch_size=BATCH, composition=composition, tree_options=gold_only
    )
    parser = TreeParser(kind, settings, 1, device)
    with TemporaryDirectory() as name:
        folder = Path(name)
        parser.train(Part(folder), train, dev, lambda message: None)
        trainer = parser._load(folder)
        with hosting(mapped=kind == "mapped"):
            trees = tree_reader.read_treebank(str(folder / "train.mrg"))
            scheme = trainer.model.transition_scheme
            sequences = transition_sequence.build_treebank(trees, scheme)
    data = parser_training.compose_train_data(trees, sequences)
    data.sort(key=lambda item: len(item.gold_sequence))
    trainer.model.train()
    return by_turns(
        len(data),
        device,
        lambda: hosting(mapped=kind == "mapped"),
        lambda: an_epoch(parser_training.train_model_one_batch, trainer.model, data),
    )


def measure_graph(
    train: list[DependencyTree], dev: list[DependencyTree], device: str
) -> tuple[float, float]:
    """The same for Stanza's dependency parser, as it trains the labeller."""
    settings = StanzaSettings(steps=1, word_batch=WORDS)
    parser = GraphParser(settings, 1, device, heads_are_given=True)
    with TemporaryDirectory() as name, silent():
        folder = Path(name)
        parser.train(Part(folder), train, dev, lambda message: None)
        trainer, vectors = load_network(folder, device)
        document = CoNLL.conll2doc(str(folder / "train.conllu"))
        batches = DataLoader(document, WORDS, trainer.args, vectors, vocab=trainer.vocab)

    def learn() -> None:
        for number in range(len(batches)):
            trainer.update(batches[number])

    return by_turns(len(train), device, lambda: replaced(lighter_training()), learn)


def measure_tagger(train: list[DependencyTree], device: str) -> tuple[float, float]:
    """The same for Stanza's tagger."""
    tagger = Tagger(StanzaSettings(tag_steps=1), 1, device)
    with TemporaryDirectory() as name, silent():
        folder = Path(name)
        tagger.train(Part(folder), train, train[:10], lambda message: None)
        trainer, _ = tagger._load(folder)
        document = CoNLL.conll2doc(str(folder / "train.conllu"))
        data = Dataset(document, trainer.args, None, vocab=trainer.vocab)

    def learn() -> None:
        for batch in data.to_loader(batch_size=BATCH):
            trainer.update(batch)

    return by_turns(len(train), device, lambda: replaced([scoring_at_once()]), learn)


def by_turns(
    trees: int,
    device: str,
    adapter: Callable[[], AbstractContextManager[None]],
    learn: Callable[[], None],
) -> tuple[float, float]:
    """Trees a second, of Stanza alone and within the adapter; the first round warms up."""
    clock = time.process_time if device == "cpu" else time.perf_counter
    seconds: dict[Callable[[], AbstractContextManager[None]], list[float]]
    seconds = {nullcontext: [], adapter: []}
    for _ in range(ROUNDS + 1):
        for context, times in seconds.items():
            with context():
                start = clock()
                learn()
                times.append(clock() - start)
    plain, quick = (trees / statistics.median(times[1:]) for times in seconds.values())
    return plain, quick


def an_epoch(train: Callable[..., Any], model: Any, data: list[Any]) -> None:
    """One pass over the trees."""
    device = model.word_zeros.device
    optimizer = torch.optim.AdamW(model.parameters())
    answers = {
        transition: torch.tensor([number], device=device)
        for number, transition in enumerate(model.transitions)
    }
    loss = torch.nn.CrossEntropyLoss(reduction="sum")
    for first in range(0, len(data), BATCH):
        batch = data[first : first + BATCH]
        train(1, 0, model, batch, answers, lambda scores: scores, loss, None, model.args)
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
