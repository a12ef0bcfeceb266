"""The study's systems in Stanza: trees first and then labels, or both at once.

    =================  ====================================================================
    ``stanza-mapped``    SHIFT, LEFTARC, RIGHTARC in Stanza's constituency parser, then labels
    ``stanza-in-order``  Stanza's own in-order transitions on the bracketed T(φ(D)), then labels
    ``stanza-graph``     Stanza's own dependency parser on D, head selection included
    =================  ====================================================================

The first two share the labeller: Stanza's graph-based parser with its heads fixed, trained on
φ(D). Its labels are decoded with φ⁻¹. All three see gold words and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from arctree import conllu
from arctree.dependency import ROOT, UNLABELED_ARC, DependencyTree
from arctree.errors import DataError
from arctree.labels import base_label
from arctree.lifting import lift, unlift
from arctree.parsing.settings import unknown
from arctree.sentence import Sentence
from arctree.study.configuring import HOSTED
from arctree.study.stanza.adapter import check_release
from arctree.study.stanza.graph_parser import GraphParser
from arctree.study.stanza.parts import Part
from arctree.study.stanza.settings import StanzaSettings
from arctree.study.stanza.tree_parser import TreeParser
from arctree.study.system import Outputs, Parse, System, Trained, Treebanks

Say = Callable[[str], None]


def stanza_system(
    kind: str,
    settings: StanzaSettings,
    treebanks: Treebanks,
    seed: int,
    device: str,
    labeller_folder: Path | None = None,
) -> System:
    """A system of the study. Those that are given the same labeller's folder share it.

    They may run side by side: one of them trains the labeller, the other waits for it.
    """
    if kind not in HOSTED:
        raise unknown(f"system {kind}", kind, list(HOSTED))
    check_release()
    device = _present(device)
    if kind == "stanza-graph":
        return _GraphSystem(GraphParser(settings, seed, device, heads_are_given=False), treebanks)
    parser = TreeParser("mapped" if kind == "stanza-mapped" else "in-order", settings, seed, device)
    labeller = GraphParser(settings, seed, device, heads_are_given=True)
    return _TreeSystem(parser, labeller, treebanks, labeller_folder)


def train_labeller(
    settings: StanzaSettings, treebanks: Treebanks, seed: int, device: str, folder: Path, say: Say
) -> Trained:
    """Train the labeller of two tree systems, so that neither has to."""
    check_release()
    labeller = GraphParser(settings, seed, _present(device), heads_are_given=True)
    return _trained(Part(folder), labeller, _lifted(treebanks), say)


@dataclass(frozen=True)
class _TreeSystem:
    """A tree parser and a labeller."""

    parser: TreeParser
    labeller: GraphParser
    treebanks: Treebanks
    labeller_folder: Path | None

    def train(self, folder: Path, say: Say) -> Trained:
        for parser in (self.parser, self.labeller):
            parser.check(folder)
        data = _lifted(self.treebanks)
        labels, tree_parser = Part(self._labels(folder)), self.parser
        if tree_parser.settings.letters:
            _trained(labels, self.labeller, data, say)
            tree_parser = replace(tree_parser, labeller=labels.folder)
        tree = _trained(Part(folder / "tree"), tree_parser, data, say)
        return _together(tree, _trained(labels, self.labeller, data, say))

    def trained(self, folder: Path) -> Trained | None:
        tree, labels = Part(folder / "tree").trained, Part(self._labels(folder)).trained
        if tree is None:
            return None
        if labels is None:  # in a study it lies apart, for another system to share
            raise DataError(
                "a tree parser without its labeller",
                "copy that from the study's labellers into the folder, as labeller",
                file=str(folder),
            )
        return _together(tree, labels)

    def load(self, folder: Path) -> Parse:
        parse_words = self.parser.load(folder / "tree")
        label = self.labeller.load(self._labels(folder))

        def parse(sentences: Sequence[Sentence]) -> Outputs:
            parsed = parse_words([sentence.forms for sentence in sentences])
            derivations = tuple(answer.derivation for answer in parsed if answer.derivation)
            assert len(derivations) in (0, len(parsed)), "a line for each sentence, or none at all"
            trees = label(
                [
                    _unlabelled(sentence, answer.heads)
                    for sentence, answer in zip(sentences, parsed, strict=True)
                ]
            )
            return Outputs(
                _answers(sentences, map(unlift, trees)),
                sum(answer.steps for answer in parsed),
                sum(answer.is_mended for answer in parsed),
                derivations,
            )

        return parse

    def _labels(self, folder: Path) -> Path:
        return self.labeller_folder or folder / "labeller"


@dataclass(frozen=True)
class _GraphSystem:
    """Stanza's own dependency parser."""

    parser: GraphParser
    treebanks: Treebanks

    def train(self, folder: Path, say: Say) -> Trained:
        self.parser.check(folder)
        return _trained(Part(folder / "graph"), self.parser, _read(self.treebanks), say)

    def trained(self, folder: Path) -> Trained | None:
        return Part(folder / "graph").trained

    def load(self, folder: Path) -> Parse:
        parse_trees = self.parser.load(folder / "graph")

        def parse(sentences: Sequence[Sentence]) -> Outputs:
            chains = [_unlabelled(sentence, range(len(sentence))) for sentence in sentences]
            return Outputs(_answers(sentences, parse_trees(chains)))

        return parse


@dataclass(frozen=True)
class _Data:
    """The trees of the training and the development files."""

    train: tuple[DependencyTree, ...]
    dev: tuple[DependencyTree, ...]


def _present(device: str) -> str:
    """The device; ``auto`` is a GPU where there is one."""
    from arctree.network.model import device_named

    return str(device_named(device))


def _read(treebanks: Treebanks) -> _Data:
    return _Data(*(_trees(paths) for paths in (treebanks.train, treebanks.dev)))


def _trees(paths: Sequence[str]) -> tuple[DependencyTree, ...]:
    return tuple(sentence.tree for path in paths for sentence in conllu.read(path))


def _lifted(treebanks: Treebanks) -> _Data:
    """φ(D) of every tree, by the study's scheme."""
    data = _read(treebanks)
    return _Data(
        *(
            tuple(lift(tree, treebanks.lifting) for tree in trees)
            for trees in (data.train, data.dev)
        )
    )


def _trained(part: Part, parser: TreeParser | GraphParser, data: _Data, say: Say) -> Trained:
    """What the part's training took, once it is finished; by whoever has the lock."""
    with part.locked():
        if part.trained is None:
            parser.train(part, data.train, data.dev, say)
        trained = part.trained
    assert trained is not None
    return trained


def _together(tree: Trained, labels: Trained) -> Trained:
    return Trained(tree.parameters + labels.parameters, tree.seconds + labels.seconds)


def _unlabelled(sentence: Sentence, heads: Sequence[int]) -> DependencyTree:
    """The sentence's words under these heads. Nothing else of the sentence is looked at."""
    labels = tuple(UNLABELED_ARC if head else ROOT for head in heads)
    return DependencyTree.trusted(sentence.forms, tuple(heads), labels, ())


def _answers(
    sentences: Sequence[Sentence], trees: Iterable[DependencyTree]
) -> tuple[Sentence, ...]:
    return tuple(
        sentence.with_arcs(tree.heads, [base_label(label) for label in tree.labels])
        for sentence, tree in zip(sentences, trees, strict=True)
    )
