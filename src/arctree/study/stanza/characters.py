"""Character models for Stanza's tree parsers, by Stanza's own program, from the treebank's words.

In Stanza a tree parser reads the letters of words with two language models of characters, one from
the left and one from the right, which were trained on much text beforehand and are fetched. The
study fetches nothing. It trains the same networks on the words of the training file, one sentence
a line, and takes the best on those of dev; the tree parsers then read with them as they always do.
They are made of words alone, so systems that learn different trees can share them; each takes a
copy along.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from arctree.dependency import DependencyTree
from arctree.errors import DataError
from arctree.study.stanza.adapter import silent
from arctree.study.stanza.model_files import ANEW, saving_whole_files
from arctree.study.stanza.parts import Part
from arctree.study.stanza.replacing import replaced
from arctree.study.stanza.settings import StanzaSettings
from arctree.study.stanza.trees import as_read
from arctree.study.system import Trained

_DIRECTIONS = ("forward", "backward")
# For a treebank, whose text is soon known by heart; Stanza's own are for a thousand times as much.
# There are no checkpoints: a model takes minutes, and one that goes on from Stanza's checkpoint
# has forgotten what its best was.
_OPTIONS = ("--bptt_size", "100", "--cutoff", "1", "--char_dropout", "0.2", "--no_checkpoint")
_STREAMS, _STREAM = 20, 100


@dataclass(frozen=True)
class CharacterModels:
    """Stanza's two models of characters with a seed, on a device."""

    settings: StanzaSettings
    seed: int
    device: str

    def train(
        self,
        part: Part,
        train: Iterable[DependencyTree],
        dev: Iterable[DependencyTree],
        say: Callable[[str], None],
    ) -> None:
        """Train both on the words of trees; one that is there already is not done again."""
        folder = part.folder
        # The text is read in so many places at once, which takes some text for each.
        shortest = min(_write(folder / "train.txt", train), _write(folder / "dev.txt", dev))
        streams = max(1, min(_STREAMS, shortest // _STREAM))
        for direction in _DIRECTIONS:
            finished = folder / f"{direction}-trained"
            if finished.exists():
                continue
            epochs = f"{self.settings.character_epochs} epochs"
            say(f"characters in Stanza, {direction}: training for {epochs}")
            self._train(folder, direction, streams)
            finished.touch()
            part.count_time()
            say(f"characters in Stanza, {direction}: trained for {epochs}")
        part.finish(sum(map(_parameters, character_files(folder).values())))

    def _train(self, folder: Path, direction: str, streams: int) -> None:
        """By Stanza's own command."""
        from stanza.models.charlm import main

        width, epochs = self.settings.characters, self.settings.character_epochs
        with silent(), replaced(saving_whole_files()):
            main(
                [
                    *("--train_file", str(folder / "train.txt")),
                    *("--eval_file", str(folder / "dev.txt"), "--eval_steps", "-1"),
                    *("--direction", direction, "--shorthand", "xx_study"),
                    *("--save_dir", str(folder), "--save_name", _file(direction)),
                    *("--vocab_save_name", f"{direction}-vocabulary.pt"),
                    *("--char_hidden_dim", str(width), "--epochs", str(epochs)),
                    *("--seed", str(self.seed), "--device", self.device),
                    *("--batch_size", str(streams)),
                    *_OPTIONS,
                ]
            )


def character_files(folder: Path) -> dict[str, str]:
    """The models by the names that Stanza's tree parser has for their files; none if not there."""
    paths = {direction: folder / _file(direction) for direction in _DIRECTIONS}
    return {
        f"charlm_{direction}_file": str(path) for direction, path in paths.items() if path.is_file()
    }


def check_character_models(folder: Path) -> None:
    """Raise an error unless both are there: in place of one that is not Stanza would fetch one."""
    for direction in _DIRECTIONS:
        if not (folder / _file(direction)).is_file():
            raise DataError(f"{_file(direction)} is missing", ANEW, file=str(folder))


def copy_character_models(source: Path, target: Path) -> Trained:
    """Take both models along; what their training took."""
    check_character_models(source)
    target.mkdir(exist_ok=True)
    for path in character_files(source).values():
        shutil.copy(path, target)
    trained = Part(source).trained
    assert trained is not None, "whoever reads with them waits for them"
    return trained


def _parameters(path: str) -> int:
    import torch

    state = torch.load(path, map_location="cpu", weights_only=True)
    return sum(weight.numel() for weight in state["model"]["state_dict"].values())


def _write(path: Path, trees: Iterable[DependencyTree]) -> int:
    """A sentence a line; the number of characters."""
    text = "".join(" ".join(map(as_read, tree.words)) + "\n" for tree in trees)
    path.write_text(text, "utf-8")
    return len(text)


def _file(direction: str) -> str:
    return f"{direction}.pt"
