"""Stanza's tagger: what tells the systems in Stanza the tags of words, as they have them in Stanza.

In Stanza a parser reads the tags that the tagger before it has predicted, in training, too. The
tagger is trained on the treebank by Stanza's own program, on the columns UPOS, XPOS and FEATS, and
selected on dev. Systems of a seed share it. Then it tags whatever they learn from or parse, by
words alone: no system sees a tag that an annotator wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from arctree.dependency import NO_TAG, DependencyTree
from arctree.errors import DataError
from arctree.study.stanza.adapter import check_options, check_release, silent
from arctree.study.stanza.columns import format_columns, write_columns
from arctree.study.stanza.looks import telling
from arctree.study.stanza.model_files import reading_models, saving_whole_files
from arctree.study.stanza.parts import Part, parameters_of
from arctree.study.stanza.replacing import Replacement, replaced
from arctree.study.stanza.settings import StanzaSettings
from arctree.study.stanza.vectors import write_pretrain

_EVALUATIONS = 20
_AT_ONCE = 250

# From trees to the same trees with other tags.
Tag = Callable[[Sequence[DependencyTree]], list[DependencyTree]]


@dataclass(frozen=True)
class Tagger:
    """Stanza's tagger with a seed, on a device."""

    settings: StanzaSettings
    seed: int
    device: str

    def check(self, folder: Path) -> None:
        """Raise an error if Stanza's program does not take its options, or never looks at dev."""
        options = check_options("tagger", self._own(folder), self._arguments(folder))
        look, steps = options["eval_interval"], options["max_steps"]
        if look > steps:
            raise DataError(
                f"Stanza's program tagger looks at dev every {look} steps, and makes {steps}",
                "give more tag_steps, or a smaller --eval_interval in tagger_options",
            )

    def train(
        self,
        part: Part,
        train: Iterable[DependencyTree],
        dev: Iterable[DependencyTree],
        say: Callable[[str], None],
    ) -> None:
        """Train on trees with the treebank's tags, by Stanza's own command.

        It has no checkpoints: one that was interrupted begins again.
        """
        check_release()
        folder = part.folder
        part.begin_again()
        write_columns(folder / "train.conllu", train)
        write_columns(folder / "dev.conllu", dev)
        changes = [
            telling("pos", part, say, "tagger", "tags"),
            *saving_whole_files(),
            scoring_at_once(),
        ]
        with silent(), replaced(changes):
            from stanza.models.tagger import main

            if self.settings.vectors:
                limit = self.settings.vector_limit
                write_pretrain(self.settings.vectors, limit, folder / _VECTORS)
            main(self._arguments(folder))
        trainer, _ = self._load(folder)
        part.finish(parameters_of(trainer.model))

    def load(self, folder: Path) -> Tag:
        """A function that gives trees tags, by their words alone."""
        check_release()
        trainer, vectors = self._load(folder)

        def tag(trees: Sequence[DependencyTree]) -> list[DependencyTree]:
            from stanza.models.common.utils import unsort
            from stanza.models.pos.data import Dataset
            from stanza.utils.conll import CoNLL

            if not trees:
                return []
            blank = [_with_tags(tree, (NO_TAG,) * len(tree)) for tree in trees]
            found: list[list[list[str]]] = []
            numbers: list[int] = []
            no_grad = import_module("torch").no_grad
            with silent(), replaced([scoring_at_once()]), no_grad():
                data = Dataset(
                    CoNLL.conll2doc(input_str="".join(map(format_columns, blank))),
                    trainer.args,
                    vectors,
                    vocab=trainer.vocab,
                    evaluation=True,
                    sort_during_eval=True,
                )
                for batch in data.to_loader(batch_size=_AT_ONCE):
                    found += trainer.predict(batch)
                    numbers += batch.idx
            columns = unsort(found, numbers)
            return [
                _with_tags(tree, tuple(map("\t".join, words)))
                for tree, words in zip(trees, columns, strict=True)
            ]

        return tag

    def _arguments(self, folder: Path) -> list[str]:
        """The command line of Stanza's program."""
        return [*self._own(folder), *self.settings.tagger_options]

    def _own(self, folder: Path) -> list[str]:
        """Of the command line what the study says."""
        settings = self.settings
        vectors = ("--wordvec_pretrain_file", str(folder / _VECTORS))
        return [
            *("--train_file", str(folder / "train.conllu")),
            *("--eval_file", str(folder / "dev.conllu")),
            *(vectors if settings.vectors else ("--no_pretrain",)),
            *("--save_dir", str(folder), "--save_name", _MODEL),
            *("--lang", "xx", "--shorthand", "xx_study"),
            *("--seed", str(self.seed), "--device", self.device),
            *("--max_steps", str(settings.tag_steps), "--fix_eval_interval"),
            *("--eval_interval", str(max(1, settings.tag_steps // _EVALUATIONS))),
        ]

    def _load(self, folder: Path) -> tuple[Any, Any]:
        """Stanza's trainer, and the vectors of its words if there are any."""
        from stanza.models.common.pretrain import Pretrain
        from stanza.models.pos.trainer import Trainer

        with silent(), reading_models(folder):
            path = folder / _VECTORS
            vectors = Pretrain(str(path)) if path.is_file() else None
            model = str(folder / _MODEL)
            return Trainer(pretrain=vectors, model_file=model, device=self.device), vectors


_MODEL, _VECTORS = "tagger.pt", "vectors.pt"


def scoring_at_once() -> Replacement:
    """Stanza's scorer of tags takes two products, where torch's ``Bilinear`` goes tag by tag."""
    scorer = import_module("stanza.models.common.biaffine").BiaffineScorer
    return Replacement(scorer, "forward", _scores)


def _scores(self: Any, first: Any, second: Any) -> Any:
    """For each of two rows of vectors, side by side, the scores of all tags."""
    pad = import_module("torch").nn.functional.pad
    first, second = (pad(side, (0, 1), value=1.0) for side in (first, second))
    weight = self.W_bilin.weight  # [tag, first, second]
    halfway = first @ weight.transpose(0, 1).flatten(1)
    scores = halfway.unflatten(-1, weight.shape[::2]) @ second[..., None]
    return scores[..., 0] + self.W_bilin.bias


def _with_tags(tree: DependencyTree, tags: tuple[str, ...]) -> DependencyTree:
    return DependencyTree.trusted(tree.words, tree.heads, tree.labels, tags)
