"""The study's systems in Stanza: trees first and then labels, or both at once.

    =================  ====================================================================
    ``stanza-mapped``    SHIFT, LEFTARC, RIGHTARC in Stanza's constituency parser, then labels
    ``stanza-in-order``  Stanza's own in-order transitions on the bracketed T(φ(D)), then labels
    ``stanza-graph``     Stanza's own dependency parser on D, head selection included
    =================  ====================================================================

The first two share the labeller: Stanza's graph-based parser with its heads fixed, trained on
φ(D). Its labels are decoded with φ⁻¹. They share models of characters, too, if the settings have
them. All three see gold words and nothing else, but for the tags
that Stanza's tagger makes of them, if the settings ask for it; then they share the tagger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from arctree import conllu
from arctree.dependency import NO_TAG, ROOT, UNLABELED_ARC, DependencyTree
from arctree.errors import DataError
from arctree.labels import base_label
from arctree.lifting import lift, unlift
from arctree.parsing.settings import unknown
from arctree.sentence import UPOS, Sentence
from arctree.study.configuring import HOSTED
from arctree.study.stanza.adapter import check_release
from arctree.study.stanza.characters import CharacterModels
from arctree.study.stanza.columns import tree_with_columns
from arctree.study.stanza.graph_parser import GraphParser
from arctree.study.stanza.parts import Part
from arctree.study.stanza.settings import StanzaSettings
from arctree.study.stanza.tagger import Tag, Tagger
from arctree.study.stanza.tree_parser import TreeParser
from arctree.study.stanza.trees import as_read
from arctree.study.system import Outputs, Parse, Shared, System, Trained, Treebanks

Say = Callable[[str], None]


def stanza_system(
    kind: str,
    settings: StanzaSettings,
    treebanks: Treebanks,
    seed: int,
    device: str,
    shared: Shared | None = None,
) -> System:
    """A system of the study."""
    if kind not in HOSTED:
        raise unknown(f"system {kind}", kind, list(HOSTED))
    check_release()
    device = _present(device)
    shared = shared or Shared()
    tags = _tags(settings, treebanks, seed, device, shared)
    if kind == "stanza-graph":
        parser = GraphParser(settings, seed, device, heads_are_given=False)
        return _GraphSystem(parser, tags, treebanks)
    tree_parser = TreeParser(
        "mapped" if kind == "stanza-mapped" else "in-order", settings, seed, device
    )
    labeller = GraphParser(settings, seed, device, heads_are_given=True)
    characters = CharacterModels(settings, seed, device) if settings.characters else None
    return _TreeSystem(tree_parser, labeller, characters, tags, treebanks, shared)


@dataclass(frozen=True)
class _Tags:
    """The tags that a system sees: those of Stanza's tagger, or none."""

    tagger: Tagger | None
    treebanks: Treebanks
    shared: Path | None

    def check(self, folder: Path) -> None:
        if self.tagger is not None:
            self.tagger.check(folder)

    def train(self, folder: Path, say: Say) -> Trained:
        if self.tagger is None:
            return Trained(0, 0.0)
        return _trained(
            self._part(folder), self.tagger, cache(lambda: _tagged(self.treebanks)), say
        )

    def trained(self, folder: Path) -> Trained:
        if self.tagger is None:
            return Trained(0, 0.0)
        return _there(self._part(folder), "tagger", folder)

    def load(self, folder: Path) -> Tag:
        return list if self.tagger is None else self.tagger.load(self._part(folder).folder)

    def _part(self, folder: Path) -> Part:
        return Part(self.shared or folder / "tagger")


@dataclass(frozen=True)
class _TreeSystem:
    """A tree parser and a labeller, and perhaps models of characters."""

    parser: TreeParser
    labeller: GraphParser
    characters: CharacterModels | None
    tags: _Tags
    treebanks: Treebanks
    shared: Shared

    def check(self, folder: Path) -> None:
        for part in (self.parser, self.labeller, self.tags):
            part.check(folder)

    def train(self, folder: Path, say: Say) -> Trained:
        self.check(folder)
        tags = self.tags.train(folder, say)
        data = cache(lambda: _lifted(self.treebanks, self.tags.load(folder)))
        tree, labels = Part(folder / "tree"), Part(self._labels(folder))
        built = tree.trained or _trained(tree, self._prepared(folder, labels, data, say), data, say)
        return _together(tags, built, _trained(labels, self.labeller, data, say))

    def _prepared(
        self, folder: Path, labels: Part, data: Callable[[], _Data], say: Say
    ) -> TreeParser:
        """The tree parser with all that is trained before it, and with the tags that it learns."""
        tree_parser = self.parser
        if tree_parser.settings.learn_relations:
            tree_parser = replace(tree_parser, tags=_tags_to_learn(self.treebanks))
        if self.characters is not None:
            read = Part(self.shared.characters or folder / "characters")
            _trained(read, self.characters, data, say)
            tree_parser = replace(tree_parser, characters=read.folder)
        if tree_parser.settings.letters:
            _trained(labels, self.labeller, data, say)
            tree_parser = replace(tree_parser, labeller=labels.folder)
        return tree_parser

    def trained(self, folder: Path) -> Trained | None:
        tree = Part(folder / "tree").trained
        if tree is None:
            return None
        labels = _there(Part(self._labels(folder)), "labeller", folder)
        return _together(self.tags.trained(folder), tree, labels)

    def load(self, folder: Path) -> Parse:
        tag = self.tags.load(folder)
        parse_words = self.parser.load(folder / "tree")
        label = self.labeller.load(self._labels(folder))

        def parse(sentences: Sequence[Sentence]) -> Outputs:
            chains = tag(list(map(_chain, sentences)))
            parsed = parse_words(chains)
            derivations = tuple(answer.derivation for answer in parsed if answer.derivation)
            assert len(derivations) in (0, len(parsed)), "a line for each sentence, or none at all"
            trees = label(
                [_under(chain, answer.heads) for chain, answer in zip(chains, parsed, strict=True)]
            )
            return Outputs(
                _answers(sentences, map(unlift, trees)),
                sum(answer.steps for answer in parsed),
                sum(answer.is_mended for answer in parsed),
                derivations,
            )

        return parse

    def _labels(self, folder: Path) -> Path:
        return self.shared.labeller or folder / "labeller"


@dataclass(frozen=True)
class _GraphSystem:
    """Stanza's own dependency parser."""

    parser: GraphParser
    tags: _Tags
    treebanks: Treebanks

    def check(self, folder: Path) -> None:
        for part in (self.parser, self.tags):
            part.check(folder)

    def train(self, folder: Path, say: Say) -> Trained:
        self.check(folder)
        tags = self.tags.train(folder, say)
        data = cache(lambda: _read(self.treebanks, self.tags.load(folder)))
        return _together(tags, _trained(Part(folder / "graph"), self.parser, data, say))

    def trained(self, folder: Path) -> Trained | None:
        graph = Part(folder / "graph").trained
        return None if graph is None else _together(self.tags.trained(folder), graph)

    def load(self, folder: Path) -> Parse:
        tag = self.tags.load(folder)
        parse_trees = self.parser.load(folder / "graph")

        def parse(sentences: Sequence[Sentence]) -> Outputs:
            return Outputs(_answers(sentences, parse_trees(tag(list(map(_chain, sentences))))))

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


def _tags(
    settings: StanzaSettings, treebanks: Treebanks, seed: int, device: str, shared: Shared
) -> _Tags:
    tagger = Tagger(settings, seed, device) if settings.tag_steps else None
    return _Tags(tagger, treebanks, shared.tagger)


def _read(treebanks: Treebanks, tag: Tag) -> _Data:
    """The trees, without the tags that an annotator gave them."""
    return _Data(
        *(
            tuple(tag([sentence.tree for path in paths for sentence in conllu.read(path)]))
            for paths in (treebanks.train, treebanks.dev)
        )
    )


def _lifted(treebanks: Treebanks, tag: Tag) -> _Data:
    """φ(D) of every tree, by the study's scheme."""
    data = _read(treebanks, tag)
    return _Data(
        *(
            tuple(lift(tree, treebanks.lifting) for tree in trees)
            for trees in (data.train, data.dev)
        )
    )


def _tagged(treebanks: Treebanks) -> _Data:
    """The trees with the treebank's own tags, for a tagger to learn."""
    return _Data(
        *(
            tuple(
                tree_with_columns(sentence, path)
                for path in paths
                for sentence in conllu.read(path)
            )
            for paths in (treebanks.train, treebanks.dev)
        )
    )


def _tags_to_learn(treebanks: Treebanks) -> dict[tuple[str, ...], Sequence[str]]:
    """The UPOS of the training file, by the words of a sentence as Stanza reads them.

    Of sentences with the same words those of the last.
    """
    return {
        tuple(map(as_read, sentence.forms)): sentence.columns[UPOS]
        for path in treebanks.train
        for sentence in conllu.read(path)
    }


def _trained(
    part: Part,
    parser: TreeParser | GraphParser | CharacterModels | Tagger,
    data: Callable[[], _Data],
    say: Say,
) -> Trained:
    """What the part's training took, once it is finished; by whoever has the lock."""
    with part.locked(say):
        if part.trained is None:
            parser.train(part, data().train, data().dev, say)
        trained = part.trained
    assert trained is not None
    return trained


def _there(part: Part, name: str, folder: Path) -> Trained:
    """What training a part took that may lie apart, in a study, for other systems to share."""
    trained = part.trained
    if trained is None:
        raise DataError(
            f"a parser without its {name}",
            f"copy that from the study's {name}s into the folder, as {name}",
            file=str(folder),
        )
    return trained


def _together(*parts: Trained) -> Trained:
    return Trained(sum(part.parameters for part in parts), sum(part.seconds for part in parts))


def _chain(sentence: Sentence) -> DependencyTree:
    """The sentence's words. Nothing else of the sentence is looked at."""
    words = DependencyTree.trusted(sentence.forms, (), (), (NO_TAG,) * len(sentence))
    return _under(words, range(len(sentence)))


def _under(tree: DependencyTree, heads: Sequence[int]) -> DependencyTree:
    """The words and tags of a tree under these heads, without labels."""
    labels = tuple(UNLABELED_ARC if head else ROOT for head in heads)
    return DependencyTree.trusted(tree.words, tuple(heads), labels, tree.tags)


def _answers(
    sentences: Sequence[Sentence], trees: Iterable[DependencyTree]
) -> tuple[Sentence, ...]:
    return tuple(
        sentence.with_arcs(tree.heads, [base_label(label) for label in tree.labels])
        for sentence, tree in zip(sentences, trees, strict=True)
    )
