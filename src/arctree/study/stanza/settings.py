"""Settings of the systems in Stanza; what is not said here is Stanza's default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from arctree.parsing.settings import Settings, between

# What the tagger depends on, and the dependency parser, which is the labeller, too, and the models
# of characters; the rest is the tree parsers'.
TAGGER_SETTINGS = ("vectors", "vector_limit", "tag_steps", "tagger_options")
GRAPH_SETTINGS = (*TAGGER_SETTINGS, "steps", "word_batch", "graph_options")
CHARACTER_SETTINGS = ("characters", "character_epochs")

CompositionName = Literal["default", "max", "untied_max", "untied_key", "bilstm", "tree_lstm"]


@dataclass(frozen=True)
class StanzaSettings(Settings):
    """How Stanza's networks are made and trained.

    ``vectors`` names a file of static vectors, or several side by side, of which the first
    ``vector_limit`` words are kept; without any, and without ``spelling`` and ``letters``, zeros
    stand for every word.

    The tree parsers (mapped and in-order) learn for ``epochs`` of ``epoch_size`` trees each (0: the
    whole treebank), the first half of them with Stanza's first optimiser and the others with its
    second; ``batch`` trees make a step. Unlike Stanza's dependency parser they do not learn to read
    characters; they have what is made of characters beforehand. A word's vector has ``spelling``
    numbers made of its letters (:mod:`arctree.study.stanza.spelling`; 0: none), and with
    ``letters`` as many as the labeller has learnt to make of them, which is trained first then
    (:mod:`arctree.study.stanza.letters`). Stanza's two models of characters, of width
    ``characters`` (0: none), are trained on the treebank's own words for ``character_epochs``
    (:mod:`arctree.study.stanza.characters`). With ``endings`` the parsers see the last three
    letters of each word in the place that Stanza has for its tag; without, nothing.

    With ``tag_steps`` (0: none) Stanza's tagger learns first, for so many steps, and all systems,
    Stanza's own parser and the labeller too, see the tags that it gives
    (:mod:`arctree.study.stanza.tagger`); then the tree parsers see no endings.

    ``composition`` is how a tree parser makes one vector of several trees. Stanza's own, ``max``,
    is blind to the label and to the order of the trees, so that LEFTARC and RIGHTARC give the same
    vector; in-order runs on it by default, as in Stanza. The mapped system's default is
    ``untied_max``: the same maximum, and a map of its own for LEFTARC and for RIGHTARC, at no more
    cost; which tree was left and which right it does not see. ``untied_key`` weighs the trees by
    place and content, for each label in its own way, and ``bilstm`` reads the label, the trees in
    order, the label: both can tell head from dependent.

    With ``learn_relations`` the tree parsers learn trees whose nodes bear the relations of their
    words, and a SHIFT with its word's supertag (:mod:`arctree.study.stanza.beside`), of which the
    UPOS of the training file is a part. Nobody is given any of it when it parses, and what comes
    of it is heads alone, as without; labels are the labeller's.

    The labeller and Stanza's own parser learn for ``steps`` of ``word_batch`` words.

    ``tree_options``, ``graph_options`` and ``tagger_options`` are further options of Stanza's own
    programs, ``constituency_parser``, ``parser`` and ``tagger``, as on their command lines.
    """

    section: ClassVar[str] = "stanza"
    vectors: tuple[str, ...] = ()
    vector_limit: int = between(1, 10_000_000, 150_000)
    epochs: int = between(2, 100_000, 40)
    epoch_size: int = between(0, 10_000_000, 5000)
    batch: int = between(1, 100_000, 30)
    spelling: int = between(0, 4096, 0)
    letters: bool = False
    characters: int = between(0, 4096, 0)
    character_epochs: int = between(1, 100_000, 40)
    endings: bool = True
    composition: CompositionName = "default"
    learn_relations: bool = False
    tag_steps: int = between(0, 10_000_000, 0)
    steps: int = between(1, 10_000_000, 5000)
    word_batch: int = between(1, 10_000_000, 5000)
    tree_options: tuple[str, ...] = ()
    graph_options: tuple[str, ...] = ()
    tagger_options: tuple[str, ...] = ()
