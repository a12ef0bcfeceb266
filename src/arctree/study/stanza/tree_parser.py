"""Stanza's constituency parser as a parser of T(φ(D)): the mapped system, or its own in-order.

Both read the same bracketed trees with the same encoder and are selected by the same measure,
UAS on dev against φ(D). Words are all they see: beside a word's vector there is one of its
letters, and what models of characters make of it where it stands, if they are asked for; where
Stanza has tags there are those of its tagger, the word's ending, or nothing. There is no
transformer, and nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from arctree.dependency import NO_TAG, DependencyTree
from arctree.errors import DataError
from arctree.labels import base_label
from arctree.study.stanza.adapter import SCHEME, Tags, check_options, hosting
from arctree.study.stanza.characters import (
    character_files,
    check_character_models,
    copy_character_models,
)
from arctree.study.stanza.columns import in_one_tag
from arctree.study.stanza.model_files import reading_models
from arctree.study.stanza.parts import Part, parameters_of
from arctree.study.stanza.readers import learn_reader, reader_in
from arctree.study.stanza.settings import StanzaSettings
from arctree.study.stanza.trees import (
    ROOT_LABEL,
    as_read,
    as_relation,
    ending,
    format_for_stanza,
    read_heads,
)
from arctree.study.stanza.vectors import knowing, write_pretrain
from arctree.study.system import Trained
from arctree.transitions import Transition

TreeKind = Literal["mapped", "in-order"]
# Sentences parsed before their states are let go of: each holds the vectors of all its steps.
_AT_ONCE = 256


class Parsed(NamedTuple):
    """A sentence's heads, the transitions taken (0 if Stanza gave up), whether it was mended."""

    heads: tuple[int, ...]
    steps: int
    is_mended: bool
    derivation: tuple[Transition, ...] = ()


@dataclass(frozen=True)
class TreeParser:
    """Stanza's constituency parser with a seed, on a device.

    And the folders of a labeller whose letters it is to read, and of models of characters; and the
    tags of sentences, by their words, for the supertags that it learns with relations.
    """

    kind: TreeKind
    settings: StanzaSettings
    seed: int
    device: str
    labeller: Path | None = None
    characters: Path | None = None
    tags: Tags = field(default_factory=dict)

    def check(self, folder: Path) -> None:
        """Raise an error if Stanza's program does not take its options."""
        check_options("constituency_parser", self._own(folder), self._arguments(folder))

    def train(
        self,
        part: Part,
        train: Iterable[DependencyTree],
        dev: Iterable[DependencyTree],
        say: Callable[[str], None],
    ) -> None:
        """Train on projective trees, or go on, by Stanza's own command."""
        folder = part.folder
        train, dev = list(train), list(dev)
        with hosting(mapped=self.kind == "mapped"):
            self._write_vectors(folder, train, dev)
        characters = Trained(0, 0.0)
        if self.characters is not None:
            characters = copy_character_models(self.characters, folder / _CHARACTERS)
        self._write_trees(folder / "train.mrg", train, relations=self.settings.learn_relations)
        # Of these only the heads are looked at.
        words = self._write_trees(folder / "dev.mrg", dev)
        selection = _Selection(self, part, words, say)
        is_mapped = self.kind == "mapped"
        with hosting(mapped=is_mapped, score=selection.score, tags=self.tags):
            from stanza.models.constituency_parser import main

            with reading_models(folder):  # a checkpoint, if there is one
                main(self._arguments(folder))
        learnt = parameters_of(self._load(folder).model)
        part.finish(learnt + characters.parameters, characters.seconds)

    def load(self, folder: Path) -> Callable[[Sequence[DependencyTree]], list[Parsed]]:
        """A function that parses the words of trees, whose arcs it does not look at."""
        model = self._load(folder).model
        self._check_model(model, folder)
        with reading_models(folder):
            reader = reader_in(folder, self.settings)

        def parse(trees: Sequence[DependencyTree]) -> list[Parsed]:
            if reader is None:
                return self._parse(model, trees)
            words = (as_read(word) for tree in trees for word in tree.words)
            with knowing(model, words, reader):
                return self._parse(model, trees)

        return parse

    def _arguments(self, folder: Path) -> list[str]:
        """The command line of Stanza's program."""
        return [*self._own(folder), *self.settings.tree_options, *self._oracle]

    def _own(self, folder: Path) -> list[str]:
        """Of the command line what the study says."""
        settings = self.settings
        is_mapped = self.kind == "mapped"
        return [
            *("--train_file", str(folder / "train.mrg"), "--eval_file", str(folder / "dev.mrg")),
            *("--wordvec_pretrain_file", str(folder / "vectors.pt")),
            *("--save_dir", str(folder), "--save_name", _MODEL),
            *("--lang", "xx", "--shorthand", "xx_study", "--no_retag", "--no_check_valid_states"),
            *("--seed", str(self.seed), "--device", self.device),
            *("--tag_embedding_dim", "50" if settings.endings or settings.tag_steps else "0"),
            *("--epochs", str(settings.epochs), "--epoch_size", str(settings.epoch_size)),
            *("--train_batch_size", str(settings.batch)),
            *("--eval_batch_size", str(max(settings.batch, 50))),
            *("--transition_scheme", SCHEME if is_mapped else "IN_ORDER"),
            *("--constituency_composition", self._composition),
            *(
                word
                for option, path in character_files(folder / _CHARACTERS).items()
                for word in (f"--{option}", path)
            ),
        ]

    @property
    def _oracle(self) -> tuple[str, ...]:
        """Where nodes bear relations, Stanza's dynamic oracle is off.

        It would take a wrong relation for a wrong bracket, and mend it to a tree that is not T(D).
        """
        epochs = self.settings.epochs
        return ("--oracle_initial_epoch", f"{epochs + 1}") if self.settings.learn_relations else ()

    @property
    def _composition(self) -> str:
        named = self.settings.composition
        return _COMPOSITIONS[self.kind] if named == "default" else named

    def _tags(self, tree: DependencyTree) -> list[str]:
        """What stands in the place that Stanza has for the tags of the words."""
        if self.settings.tag_steps:
            return list(map(in_one_tag, tree.tags))
        return list(map(ending, tree.words)) if self.settings.endings else [NO_TAG] * len(tree)

    def _write_vectors(
        self, folder: Path, train: Sequence[DependencyTree], dev: Sequence[DependencyTree]
    ) -> None:
        """The vectors of words, with those of their letters if the settings say so."""
        settings = self.settings
        learnt, seen = (
            [as_read(word) for tree in trees for word in tree.words] for trees in (train, dev)
        )
        reader = learn_reader(folder, settings, learnt, self.labeller)
        words = [*learnt, *seen] if reader else ()
        target = folder / "vectors.pt"
        write_pretrain(settings.vectors, settings.vector_limit, target, words, reader)

    def _write_trees(
        self, path: Path, trees: Iterable[DependencyTree], *, relations: bool = False
    ) -> int:
        """Each different tree once, as Stanza would have it; the number of all words."""
        lines: dict[str, int] = {}
        for tree in trees:
            borne = [as_relation(base_label(label)) for label in tree.labels] if relations else None
            lines[format_for_stanza(tree.words, tree.heads, self._tags(tree), borne)] = len(tree)
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        return sum(lines.values())

    def _check_model(self, model: Any, folder: Path) -> None:
        """An error if the model is not such a one as the settings say."""
        kind = "mapped" if model.args["transition_scheme"].name == SCHEME else "in-order"
        if kind != self.kind:
            raise DataError(
                f"the model is {kind}, not {self.kind}", "name another one", file=str(folder)
            )
        has_learnt = any(getattr(one, "beside", "") for one in model.transitions)
        if has_learnt != self.settings.learn_relations:
            told = "true" if has_learnt else "false"
            raise DataError(
                f"a model that was trained with{'' if has_learnt else 'out'} relations",
                f"load it with learn_relations = {told}",
                file=str(folder),
            )

    def _load(self, folder: Path) -> Any:
        """Stanza's trainer, whichever of the two the model is for."""
        if self.settings.characters:
            check_character_models(folder / _CHARACTERS)
        with hosting(mapped=True), reading_models(folder):
            from stanza.models.constituency.trainer import Trainer

            trainer = Trainer.load(
                str(folder / _MODEL),
                {
                    "wordvec_pretrain_file": str(folder / "vectors.pt"),
                    "device": self.device,
                    **character_files(folder / _CHARACTERS),
                },
            )
            trainer.model.eval()
            return trainer

    def _parse(self, model: Any, trees: Sequence[DependencyTree]) -> list[Parsed]:
        """Longest first, so that those parsed together have about the same length."""
        order = sorted(range(len(trees)), key=lambda number: -len(trees[number]))
        parsed: dict[int, Parsed] = {}
        with hosting(mapped=self.kind == "mapped"):
            for start in range(0, len(order), _AT_ONCE):
                numbers = order[start : start + _AT_ONCE]
                found = self._parse_some(model, [trees[number] for number in numbers])
                parsed.update(zip(numbers, found, strict=True))
        return [parsed[number] for number in range(len(trees))]

    def _parse_some(self, model: Any, sentences: list[DependencyTree]) -> list[Parsed]:
        """A sentence that Stanza gives up on gets a flat tree, mended.

        Stanza leaves it out, and mixes up the others of its batch: then each is parsed alone.
        """
        from stanza.models.constituency.parse_tree import Tree

        flat = [
            Tree(
                ROOT_LABEL,
                [
                    Tree(tag, Tree(as_read(word)))
                    for tag, word in zip(self._tags(sentence), sentence.words, strict=True)
                ],
            )
            for sentence in sentences
        ]

        def run(trees: list[Any]) -> list[Any]:
            build = model.build_batch_from_trees
            results = model.parse_sentences_no_grad(
                iter(trees), build, _AT_ONCE, model.predict, keep_state=True
            )
            return list(results)

        results = run(flat)
        if len(results) < len(flat):
            results = [result for tree in flat for result in run([tree])]
        finished = {id(result.gold): result for result in results}
        return [
            self._answer(model, finished[id(tree)]) if id(tree) in finished else self._flat(tree)
            for tree in flat
        ]

    def _answer(self, model: Any, result: Any) -> Parsed:
        heads, is_mended = read_heads(result.predictions[0].tree)
        actions = result.state.all_transitions(model)
        if self.kind != "mapped":
            return Parsed(heads, len(actions), is_mended)
        from arctree.study.stanza.actions import taken

        return Parsed(heads, len(actions), is_mended, taken(actions))

    def _flat(self, tree: Any) -> Parsed:
        """The answer for a sentence that Stanza gave up on."""
        heads, _ = read_heads(tree)
        if self.kind != "mapped":
            return Parsed(heads, 0, True)
        from arctree.study.stanza.actions import derivation_of

        return Parsed(heads, 0, True, derivation_of(heads))


_MODEL = "parser.pt"
_CHARACTERS = "characters"
# By default: one that knows LEFTARC from RIGHTARC, and Stanza's own.
_COMPOSITIONS: dict[TreeKind, str] = {"mapped": "untied_max", "in-order": "max"}


class _Selection:
    """UAS of an epoch's trees, by which Stanza selects its model; says it and counts the time.

    Sentences that Stanza gave up on are missing from the trees, and count as wrong.
    """

    def __init__(
        self, parser: TreeParser, part: Part, words: int, say: Callable[[str], None]
    ) -> None:
        self.parser = parser
        self.part = part
        self.words = words
        self.say = say

    def score(self, pairs: Sequence[tuple[Any, Any]]) -> float:
        correct = ill_formed = 0
        for gold, predicted in pairs:
            wanted, _ = read_heads(gold)
            found, is_mended = read_heads(predicted)
            correct += sum(map(int.__eq__, wanted, found))
            ill_formed += is_mended
        uas = correct / self.words
        name, epochs = self.parser.kind, self.parser.settings.epochs
        mended = f", {ill_formed} trees ill-formed" if name != "mapped" else ""
        self.say(
            f"{name} in Stanza, epoch {self.part.scored()} of {epochs}: "
            f"dev UAS against φ(D) {100 * uas:.2f}{mended}"
        )
        return uas
