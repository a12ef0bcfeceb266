"""What a tree parser in Stanza knows of words by their letters, learnt before it and kept by it.

There may be none, vectors of spelling, those of a labeller, or both side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from arctree.errors import DataError
from arctree.study.stanza.graph_parser import load_network
from arctree.study.stanza.model_files import ANEW
from arctree.study.stanza.settings import StanzaSettings
from arctree.study.stanza.spelling import Spelling
from arctree.study.stanza.vectors import Reader, SideBySide

_SPELLING, _LETTERS = "spelling.npz", "letters.pt"


def learn_reader(
    folder: Path, settings: StanzaSettings, words: Sequence[str], labeller: Path | None
) -> Reader | None:
    """What the settings ask for, from the words of the training data, in the folder.

    What a run that goes on has learnt already stays, to the last digit.
    """
    if settings.spelling and not (folder / _SPELLING).is_file():
        Spelling.learn(words, settings.spelling).save(folder / _SPELLING)
    if settings.letters and not (folder / _LETTERS).is_file():
        from arctree.study.stanza.letters import Letters

        assert labeller is not None, "letters are a labeller's"
        trainer, _ = load_network(labeller, "cpu")
        Letters.of(trainer, words).save(folder / _LETTERS)
    return reader_in(folder, settings)


def reader_in(folder: Path, settings: StanzaSettings) -> Reader | None:
    """What is in the folder; an error if the settings have more."""
    for name, is_wanted in ((_SPELLING, settings.spelling), (_LETTERS, settings.letters)):
        if is_wanted and not (folder / name).is_file():
            raise DataError(f"{name} is missing", ANEW, file=str(folder))
    readers: list[Reader] = []
    if (folder / _SPELLING).is_file():
        readers.append(Spelling.load(folder / _SPELLING))
    if (folder / _LETTERS).is_file():
        from arctree.study.stanza.letters import Letters

        readers.append(Letters.load(folder / _LETTERS))
    return SideBySide(readers) if readers else None
