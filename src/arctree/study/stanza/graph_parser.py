"""Stanza's graph-based dependency parser: as it is, or as a labeller of trees that are given.

As it is, it scores every pair of words as dependent and head, and takes the best spanning tree
of the treebank's own, perhaps non-projective, trees. It is the baseline of the study.

As a labeller it has no say in the heads: within :func:`fixed_heads` they are those of the tree
that it is given, and it chooses a label for each arc. ``root`` is for the root's arc and for no
other. It is trained on φ(D), by Stanza's own procedure, and the labels that it gets right under
the heads of φ(D) decide which model is kept.

Words and their characters are all that either sees, and the tags of their trees if the settings
say so; lemmas are blank.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from arctree.dependency import ROOT, DependencyTree
from arctree.errors import DataError
from arctree.labels import Label, base_label, parse_label
from arctree.study.stanza.adapter import check_options, check_release, silent
from arctree.study.stanza.columns import format_columns, write_columns
from arctree.study.stanza.graph_lighter import lighter_training, padding_at_once, score_at_heads
from arctree.study.stanza.looks import telling
from arctree.study.stanza.model_files import reading_models, saving_whole_files
from arctree.study.stanza.parts import Part, parameters_of
from arctree.study.stanza.replacing import Replacement, replaced
from arctree.study.stanza.settings import StanzaSettings
from arctree.study.stanza.vectors import write_pretrain

# Of the steps, the share before Stanza's second optimiser takes over.
_FIRST_STAGE = 0.6
_EVALUATIONS = 40
_WORDS_AT_ONCE = 512


@dataclass(frozen=True)
class GraphParser:
    """Stanza's graph-based parser with a seed, on a device; a labeller if heads are given."""

    settings: StanzaSettings
    seed: int
    device: str
    heads_are_given: bool

    def check(self, folder: Path) -> None:
        """Raise an error if Stanza's program does not take its options, or a labeller cannot.

        With its second optimiser it goes on from the best model that it has seen, and has to have
        looked at one.
        """
        options = check_options("parser", self._own(folder), self._arguments(folder))
        if self.heads_are_given and options["use_arc_embedding"]:
            raise DataError(
                "a labeller scores labels by a word and its head, not by --use_arc_embedding",
                "change graph_options",
            )
        look, switch = options["eval_interval"], options["second_optim_start_step"]
        if switch is not None and look > switch:
            raise DataError(
                f"Stanza's program parser looks at dev every {look} steps, which is too late for "
                f"its second optimiser at step {switch}",
                "give more steps, or a smaller --eval_interval in graph_options",
            )

    def train(
        self,
        part: Part,
        train: Iterable[DependencyTree],
        dev: Iterable[DependencyTree],
        say: Callable[[str], None],
    ) -> None:
        """Train, or go on, by Stanza's own command."""
        check_release()
        folder = part.folder
        write_columns(folder / "train.conllu", train)
        write_columns(folder / "dev.conllu", dev)
        options = check_options("parser", self._own(folder), self._arguments(folder))
        goes_on = ", on from the last checkpoint" if (folder / _CHECKPOINT).is_file() else ""
        say(
            f"{self._name} in Stanza: up to {options['max_steps']} steps, a look at dev every "
            f"{options['eval_interval']}{goes_on}"
        )
        changes = [self._told(part, say), *saving_whole_files(), *lighter_training()]
        with silent(), self._bypass(), replaced(changes):
            from stanza.models.parser import main

            write_pretrain(self.settings.vectors, self.settings.vector_limit, folder / "vectors.pt")
            with reading_models(folder):  # a checkpoint, if there is one
                main(self._arguments(folder))
        trainer, _ = load_network(folder, self.device)
        part.finish(parameters_of(trainer.model))

    def load(self, folder: Path) -> Callable[[Sequence[DependencyTree]], list[DependencyTree]]:
        """A function that gives trees other labels and, unless they are given, other heads."""
        check_release()
        trainer, vectors = load_network(folder, self.device)
        if trainer.args["use_upos"] != bool(self.settings.tag_steps):
            learnt, told = ("with", "no") if trainer.args["use_upos"] else ("without", "some")
            raise DataError(
                f"a model that was trained {learnt} tags, and settings with {told} tag_steps",
                "load it with the settings that it was trained with",
                file=str(folder),
            )

        def parse(trees: Sequence[DependencyTree]) -> list[DependencyTree]:
            from stanza.models.depparse.data import DataLoader
            from stanza.models.depparse.utils import predict_dataset
            from stanza.utils.conll import CoNLL

            if not trees:
                return []
            with silent(), self._bypass(), replaced([padding_at_once()]):
                batches = DataLoader(
                    CoNLL.conll2doc(input_str="".join(map(format_columns, trees))),
                    trainer.args["batch_size"],
                    trainer.args,
                    vectors,
                    vocab=trainer.vocab,
                    evaluation=True,
                    sort_during_eval=True,
                )
                answers = predict_dataset(trainer, batches)
            return [_answered(tree, answer) for tree, answer in zip(trees, answers, strict=True)]

        return parse

    def _arguments(self, folder: Path) -> list[str]:
        """The command line of Stanza's program."""
        return [*self._own(folder), *self.settings.graph_options]

    def _own(self, folder: Path) -> list[str]:
        """Of the command line what the study says."""
        settings = self.settings
        return [
            *("--train_file", str(folder / "train.conllu")),
            *("--eval_file", str(folder / "dev.conllu")),
            *("--wordvec_pretrain_file", str(folder / "vectors.pt")),
            *("--save_dir", str(folder), "--save_name", _MODEL),
            *("--lang", "xx", "--shorthand", "xx_study"),
            *("--seed", str(self.seed), "--device", self.device),
            *(() if settings.tag_steps else ("--no_upos", "--no_xpos", "--no_ufeats")),
            *("--batch_size", str(settings.word_batch), "--max_steps", str(settings.steps)),
            *("--eval_interval", str(max(1, settings.steps // _EVALUATIONS))),
            *("--second_optim_start_step", str(int(settings.steps * _FIRST_STAGE))),
        ]

    def _bypass(self) -> Any:
        return fixed_heads() if self.heads_are_given else nullcontext()

    def _told(self, part: Part, say: Callable[[str], None]) -> Replacement:
        measure = "labels right under the heads of φ(D)" if self.heads_are_given else "LAS"
        return telling("depparse", part, say, self._name, measure)

    @property
    def _name(self) -> str:
        return "labeller" if self.heads_are_given else "graph-based"


_MODEL, _CHECKPOINT = "parser.pt", "parser_checkpoint.pt"


def load_network(folder: Path, device: str) -> tuple[Any, Any]:
    """What was trained into the folder, as Stanza's trainer, and the vectors of its words."""
    from stanza.models.common.pretrain import Pretrain
    from stanza.models.depparse.trainer import Trainer

    with silent(), reading_models(folder):
        vectors = Pretrain(str(folder / "vectors.pt"))
        return Trainer.load(str(folder / _MODEL), pretrain=vectors, device=device), vectors


@contextmanager
def fixed_heads() -> Iterator[None]:
    """Stanza's graph-based parser keeps the heads that a sentence has, and labels their arcs."""
    model = import_module("stanza.models.depparse.model")
    with replaced([Replacement(model.GraphParser, "predict", _label_arcs)]):
        yield


def _label_arcs(
    self: Any,
    word: Any,
    word_mask: Any,
    wordchars: Any,
    wordchars_mask: Any,
    upos: Any,
    xpos: Any,
    ufeats: Any,
    pretrained: Any,
    lemma: Any,
    head: Any,
    deprel: Any,
    word_orig_idx: Any,
    sentlens: list[int],
    wordlens: Any,
    text: Any,
    resolve_head_constraints: bool = False,
) -> list[list[tuple[int, str]]]:
    """For each word of each sentence its head, as given, and the best label that fits."""
    torch = import_module("torch")
    prefix = import_module("stanza.models.common.vocab").VOCAB_PREFIX_SIZE
    inputs = (word, word_mask, wordchars, wordchars_mask, upos, xpos, ufeats, pretrained, lemma)
    vectors = self.embed(*inputs, head, deprel, word_orig_idx, sentlens, wordlens, text)
    # A word takes as many numbers as there are labels, times the width: some at a time.
    some = max(1, _WORDS_AT_ONCE // vectors.shape[1])
    parts = zip(vectors.split(some), head.split(some), strict=True)
    scores = torch.cat([score_at_heads(self.deprel, part, part, heads) for part, heads in parts])
    scores = scores[:, 1:]  # of [sentence, word, label], without the root's own
    vocabulary = self.vocab["deprel"]
    labels = [vocabulary.id2unit(number + prefix) for number in range(scores.shape[-1])]
    is_root = torch.tensor([_is_root(label) for label in labels], device=scores.device)
    fits = is_root == (head == 0)[:, :, None]
    # In a treebank without the label, or with no other, there is nothing to choose from.
    fits |= ~fits.any(-1, keepdim=True)
    best = scores.masked_fill(~fits, -torch.inf).argmax(-1).tolist()
    return [
        [(place, labels[number]) for place, number in zip(places, numbers, strict=True)][:size]
        for places, numbers, size in zip(
            head.tolist(), best, (length - 1 for length in sentlens), strict=True
        )
    ]


def _is_root(printed: str) -> bool:
    return base_label(parse_label(printed)).partition(":")[0] == ROOT


def _answered(tree: DependencyTree, answer: Sequence[tuple[int, str]]) -> DependencyTree:
    labels: list[Label] = [parse_label(label) for _, label in answer]
    return tree.with_arcs([int(head) for head, _ in answer], labels)
