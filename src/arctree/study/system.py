"""A system of the study: something that is trained on a treebank and then parses.

Every system gets the same sentences and is asked the same questions. It keeps what it learns
in a folder of its own, in whatever form it likes; training can be interrupted and called
again, and then goes on. Whatever lifting wrote on labels is undone before a system answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from arctree.lifting import Scheme
from arctree.sentence import Sentence
from arctree.transitions import Transition


@dataclass(frozen=True)
class Treebanks:
    """The CoNLL-U files of a study, and how non-projective trees are lifted to be learnt."""

    train: tuple[str, ...]
    dev: tuple[str, ...]
    test: tuple[str, ...]
    lifting: Scheme = Scheme.HEAD


@dataclass(frozen=True)
class Trained:
    """What training took: numbers that were learnt, and seconds, those before a stop included."""

    parameters: int
    seconds: float


@dataclass(frozen=True)
class Shared:
    """Folders of networks that systems share; what is not named lies in a system's own folder.

    Systems may run side by side: one of them trains the network, the others wait for it.
    """

    labeller: Path | None = None
    tagger: Path | None = None
    characters: Path | None = None


@dataclass(frozen=True)
class Outputs:
    """What a system answers, one sentence for each that it was given.

    ``steps`` counts the transitions or symbols of all sentences (a graph-based parser has
    none), ``ill_formed`` the sentences whose output was no ordered tree before it was repaired.
    ``derivations`` are those of a mapped system, over φ(D); others have none.
    """

    sentences: tuple[Sentence, ...]
    steps: int = 0
    ill_formed: int = 0
    derivations: tuple[tuple[Transition, ...], ...] = ()


Parse = Callable[[Sequence[Sentence]], Outputs]


class System(Protocol):
    """One system with one seed."""

    def check(self, folder: Path) -> None:
        """Raise an error if it cannot be used here, or trained into the folder; write nothing."""

    def train(self, folder: Path, say: Callable[[str], None]) -> Trained:
        """Train into the folder, or go on with what was interrupted there.

        Where training has come to its end, that it did is told at once.
        """

    def trained(self, folder: Path) -> Trained | None:
        """What the training in the folder took, if it has come to its end; nothing is written."""

    def load(self, folder: Path) -> Parse:
        """What was trained there, ready to parse on the study's device."""
