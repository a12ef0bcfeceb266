"""Character models for Stanza's tree parsers, by Stanza's own program, from the treebank's words.

In Stanza a tree parser reads the letters of words with two language models of characters, one from
the left and one from the right, which were trained on much text beforehand and are fetched. The
study fetches nothing. It trains the same networks on the words of the training file, one sentence
a line, and takes the best on those of dev; the tree parsers then read with them as they always do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from arctree.study.stanza.adapter import replaced, saving_whole_files, silent
from arctree.study.stanza.settings import StanzaSettings

_DIRECTIONS = ("forward", "backward")
# For a treebank, whose text is soon known by heart; Stanza's own are for a thousand times as much.
# There are no checkpoints: a model takes minutes, and one that goes on from Stanza's checkpoint
# has forgotten what its best was.
_OPTIONS = ("--bptt_size", "100", "--cutoff", "1", "--char_dropout", "0.2", "--no_checkpoint")
_STREAMS, _STREAM = 20, 100


def train_character_models(
    folder: Path,
    train: Iterable[Sequence[str]],
    dev: Iterable[Sequence[str]],
    settings: StanzaSettings,
    seed: int,
    device: str,
    say: Callable[[str], None],
) -> None:
    """Train both models into the folder; what is there already is not done again."""
    from stanza.models.charlm import main

    width, epochs = settings.characters, settings.character_epochs
    shortest = min(
        _write(folder / "train.txt", train),
        _write(folder / "dev.txt", dev),
    )
    # The text is read in so many places at once, which takes some text for each.
    streams = max(1, min(_STREAMS, shortest // _STREAM))
    for direction in _DIRECTIONS:
        finished = folder / f"{direction}-trained"
        if finished.exists():
            continue
        with silent(), replaced([saving_whole_files()]):
            main(
                [
                    *("--train_file", str(folder / "train.txt")),
                    *("--eval_file", str(folder / "dev.txt"), "--eval_steps", "-1"),
                    *("--direction", direction, "--shorthand", "xx_study"),
                    *("--save_dir", str(folder), "--save_name", _file(direction)),
                    *("--vocab_save_name", f"{direction}-vocabulary.pt"),
                    *("--char_hidden_dim", str(width), "--epochs", str(epochs)),
                    *("--seed", str(seed), "--device", device, "--batch_size", str(streams)),
                    *_OPTIONS,
                ]
            )
        finished.touch()
        say(f"characters in Stanza, {direction}: trained for {epochs} epochs")


def character_files(folder: Path) -> dict[str, str]:
    """The models by the names that Stanza's tree parser has for their files; none if not there."""
    paths = {direction: folder / _file(direction) for direction in _DIRECTIONS}
    return {
        f"charlm_{direction}_file": str(path) for direction, path in paths.items() if path.is_file()
    }


def character_parameters(network: Any) -> int:
    """How many numbers the models of characters have that a tree parser reads with, if any."""
    models = (getattr(network, f"{direction}_charlm") for direction in _DIRECTIONS)
    return sum(
        weight.numel() for model in models if model is not None for weight in model.parameters()
    )


def _write(path: Path, sentences: Iterable[Sequence[str]]) -> int:
    """A sentence a line; the number of characters."""
    text = "".join(" ".join(sentence) + "\n" for sentence in sentences)
    path.write_text(text, "utf-8")
    return len(text)


def _file(direction: str) -> str:
    return f"{direction}.pt"
