"""Settings: what makes up a network, how it is trained, and on what.

The same values stand in a training configuration (TOML), in the section of the same name, and
in a model directory (JSON). Reading is strict: an unknown key or section is an error that
names the valid ones, and so is a value of the wrong kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from difflib import get_close_matches
from typing import Any, ClassVar, Literal, Self, get_args, get_origin, get_type_hints

from arctree.errors import DataError
from arctree.lifting import Scheme

# Of random numbers, for a training and for each run of a study.
MOST_SEED = 2**31


class Settings:
    """A section. Its fields are the valid keys; their annotations say what values they take."""

    section: ClassVar[str]

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Self:
        """The section with these values, the others at their defaults."""
        hints = get_type_hints(cls)
        names = [item.name for item in fields(cls)]  # type: ignore[arg-type]
        for key, value in values.items():
            if key not in names:
                raise unknown(f"key {cls.section}.{key}", key, names)
            if not _fits(value, hints[key]):
                raise DataError(
                    f"{cls.section}.{key} is {value!r}", f"it takes {_kind_of(hints[key])}"
                )
        missing = [
            item.name
            for item in fields(cls)  # type: ignore[arg-type]
            if item.default is MISSING
            and item.default_factory is MISSING
            and item.name not in values
        ]
        if missing:
            kind = _kind_of(hints[missing[0]])
            raise DataError(f"{cls.section}.{missing[0]} is missing", f"give it; it takes {kind}")
        return cls(**{key: _converted(value, hints[key]) for key, value in values.items()})

    def __post_init__(self) -> None:
        for item in fields(self):  # type: ignore[arg-type]
            value = getattr(self, item.name)
            low, high = item.metadata.get("range", (None, None))
            if low is not None and not low <= value <= high:
                raise DataError(
                    f"{self.section}.{item.name} is {value}", f"it goes from {low} to {high}"
                )


def unknown(what: str, given: str, valid: list[str]) -> DataError:
    """The error of a name that is not one of the valid ones."""
    close = get_close_matches(given, valid, n=1)
    hint = f"did you mean {close[0]}? " if close else ""
    return DataError(f"no {what}", f"{hint}valid are: {', '.join(valid)}")


def between(low: float, high: float, default: float) -> Any:
    """A number with its range."""
    return field(default=default, metadata={"range": (low, high)})


@dataclass(frozen=True)
class Pretrained(Settings):
    """A Hugging Face transformer, from a local directory or by its hub name.

    ``layers`` keeps that many of its first layers; 0 keeps all. In training ``masking`` of the
    sub-words are hidden. ``casing`` gives an encoder that does not tell upper from lower case
    the case of each word. ``dropout`` is the chance of dropping a number inside it.
    """

    section: ClassVar[str] = "encoder"
    source: str
    kind: Literal["pretrained"] = "pretrained"
    layers: int = between(0, 1000, 0)
    masking: float = between(0, 0.9, 0.1)
    casing: bool = True
    dropout: float = between(0, 0.9, 0.1)


@dataclass(frozen=True)
class Scratch(Settings):
    """An encoder from scratch: words, characters and optional static vectors, then context.

    The context is a BiLSTM (``recurrent``) or a small transformer (``attentive``) of so many
    layers; ``width`` is that of its output. ``vectors`` names a file of static vectors, or
    several side by side, of which the first ``vector_limit`` words are kept.
    """

    section: ClassVar[str] = "encoder"
    kind: Literal["recurrent", "attentive"] = "recurrent"
    word_width: int = between(1, 4096, 128)
    character_width: int = between(1, 4096, 64)
    spelling_width: int = between(2, 4096, 200)
    width: int = between(2, 8192, 800)
    layers: int = between(1, 64, 3)
    dropout: float = between(0, 0.9, 0.33)
    word_dropout: float = between(0, 0.9, 0.2)
    vectors: tuple[str, ...] = ()
    vector_limit: int = between(1, 10_000_000, 150_000)


EncoderSettings = Pretrained | Scratch


# Among which the linearisation parser shares out its hidden numbers.
ATTENTION_HEADS = 4


@dataclass(frozen=True)
class ParserSettings(Settings):
    """What stands on the encoder: the mapped system, or one that it is compared with.

    Those are the in-order and the linearisation parser, which build the same trees, and the
    graph-based baseline. What builds trees searches with a ``beam``; one of 1 is greedy.
    ``biaffine`` labels look at every pair of a dependent's and a head's numbers; ``additive``
    ones at their sum, at a fraction of the time. ``mark_width`` is the ``label_width`` of the
    marks that lifting writes, of which there are few.
    """

    section: ClassVar[str] = "parser"
    kind: Literal["mapped", "in-order", "linearised", "graph"] = "mapped"
    hidden: int = between(1, 8192, 384)
    activation: Literal["gelu", "relu"] = "gelu"
    labels: Literal["biaffine", "additive"] = "biaffine"
    label_width: int = between(1, 4096, 128)
    mark_width: int = between(1, 4096, 32)
    beam: int = between(1, 64, 1)
    dropout: float = between(0, 0.9, 0.33)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind == "linearised" and self.hidden % ATTENTION_HEADS:
            raise DataError(
                f"parser.hidden is {self.hidden}",
                f"a linearised parser takes a multiple of {ATTENTION_HEADS}",
            )


@dataclass(frozen=True)
class TagSettings(Settings):
    """Which other columns are learnt jointly, and how much they count beside the trees.

    ``lemmas`` are learnt apart, from forms and tags.
    """

    section: ClassVar[str] = "tags"
    upos: bool = True
    xpos: bool = True
    feats: bool = True
    lemmas: bool = True
    weight: float = between(0, 100, 0.1)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name in TAG_NAMES if getattr(self, name))


TAG_NAMES = ("upos", "xpos", "feats")


@dataclass(frozen=True)
class DataSettings(Settings):
    """CoNLL-U files. A sentence of a training file with weight w is seen w times an epoch.

    ``silver`` names what ``arctree teach`` wrote, to learn from in place of ``train``.
    """

    section: ClassVar[str] = "data"
    train: tuple[str, ...] = ()
    dev: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()
    silver: tuple[str, ...] = ()
    lifting: Scheme = Scheme.HEAD

    def __post_init__(self) -> None:
        super().__post_init__()
        learnt = self.train or self.silver
        if not learnt or not self.dev:
            raise DataError(f"data.{'dev' if learnt else 'train'} is empty", "name a file")
        if self.train and self.silver:
            raise DataError(
                "data.train and data.silver are both given",
                "learn from silver first, then from gold with training.start",
            )
        if self.weights and len(self.weights) != len(self.train):
            raise DataError(
                f"{len(self.train)} training files but {len(self.weights)} weights",
                "give each file one weight",
            )
        if any(not 0 < weight <= 1000 for weight in self.weights):
            raise DataError("a weight is not above 0 and at most 1000")


@dataclass(frozen=True)
class TrainingSettings(Settings):
    """How long and how fast.

    ``batch`` counts the words (for a pretrained encoder the sub-words) of one step. Rates
    rise over the first ``warmup`` of the steps and then fall to zero; ``encoder_rate`` is that
    of a pretrained encoder, ``rate`` that of all else. ``patience`` ends the run after so many
    epochs without a better dev LAS; 0 never does. ``start`` names the model directory whose
    weights the run begins with; it must have been trained with the same [encoder] and [parser].
    """

    section: ClassVar[str] = "training"
    epochs: int = between(1, 100_000, 40)
    batch: int = between(1, 10_000_000, 3000)
    rate: float = between(0, 10, 2e-3)
    encoder_rate: float = between(0, 10, 5e-5)
    warmup: float = between(0, 1, 0.06)
    weight_decay: float = between(0, 10, 0.01)
    second_moment: float = between(0, 0.99999, 0.999)
    clip: float = between(0, 1e6, 1.0)
    patience: int = between(0, 100_000, 0)
    seed: int = between(0, MOST_SEED, 1)
    start: str = ""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    checkpoint_minutes: float = between(0, 1e6, 10.0)


@dataclass(frozen=True)
class SegmenterSettings(Settings):
    """The segmenter of raw text: whether one is trained, its size, and how long it learns.

    ``width`` is that of a character's vector, ``unit_width`` that of the vectors of the words,
    numbers and punctuation marks it looks at to find the ends of sentences, in ``layers``
    layers, each of which sees twice as far as the one before. ``batch`` counts the characters
    of one step. ``variation`` is the share of paragraphs that are made harder in training: in
    capitals, in wrapped lines, without final stops, ...
    """

    section: ClassVar[str] = "segmenter"
    train: bool = True
    width: int = between(1, 4096, 64)
    word_width: int = between(1, 4096, 32)
    unit_width: int = between(1, 4096, 64)
    layers: int = between(1, 8, 3)
    dropout: float = between(0, 0.9, 0.2)
    epochs: int = between(1, 100_000, 30)
    batch: int = between(1, 10_000_000, 3000)
    rate: float = between(0, 10, 2e-3)
    variation: float = between(0, 1, 0.2)


@dataclass(frozen=True)
class Configuration:
    """A whole training configuration."""

    data: DataSettings
    encoder: EncoderSettings
    parser: ParserSettings
    tags: TagSettings
    training: TrainingSettings
    segmenter: SegmenterSettings = field(default_factory=SegmenterSettings)

    @classmethod
    def read(cls, sections: Mapping[str, Any]) -> Configuration:
        """From the sections of a file; what is not said is at its default.

        A pretrained encoder is trained gently: the defaults of the training depend on it.
        """
        valid = [item.name for item in fields(cls)]
        for name, section in sections.items():
            if name not in valid:
                raise unknown(f"section [{name}]", name, valid)
            if not isinstance(section, Mapping):
                raise DataError(f"{name} is {section!r}", f"write it as a section [{name}]")
        encoder = read_encoder(sections.get("encoder", {}))
        training = dict(sections.get("training", {}))
        if isinstance(encoder, Pretrained):
            training = {"epochs": 20, "rate": 1e-3, **training}
        return cls(
            DataSettings.read(sections.get("data", {})),
            encoder,
            ParserSettings.read(sections.get("parser", {})),
            TagSettings.read(sections.get("tags", {})),
            TrainingSettings.read(training),
            SegmenterSettings.read(sections.get("segmenter", {})),
        )

    def to_json(self) -> dict[str, Any]:
        """As it can be read again."""
        return asdict(self)

    def with_training(self, **changes: Any) -> Configuration:
        return replace(self, training=replace(self.training, **changes))


def read_encoder(values: Mapping[str, Any]) -> EncoderSettings:
    """The encoder's section, whose valid keys depend on its kind."""
    kind = values.get("kind", "pretrained" if "source" in values else "recurrent")
    if kind == "pretrained":
        return Pretrained.read(values)
    if kind in ("recurrent", "attentive"):
        return Scratch.read(values)
    raise DataError(f"encoder.kind is {kind!r}", "it is pretrained, recurrent or attentive")


def _fits(value: object, hint: Any) -> bool:
    """Whether a value from TOML or JSON is of the annotated kind; one item makes a list."""
    if get_origin(hint) is tuple:
        items = value if isinstance(value, list | tuple) else (value,)
        return all(_fits_one(item, get_args(hint)[0]) for item in items)
    return _fits_one(value, hint)


def _fits_one(value: object, hint: Any) -> bool:
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if hint is Scheme:
        return value in list(Scheme)
    if isinstance(value, bool):
        return hint is bool
    if hint is float and isinstance(value, int):
        return abs(value) < _LARGEST
    return isinstance(value, hint)


def _converted(value: Any, hint: Any) -> Any:
    if get_origin(hint) is tuple:
        return tuple(value) if isinstance(value, list | tuple) else (value,)
    if hint is Scheme:
        return Scheme(value)
    return float(value) if hint is float else value


def _kind_of(hint: Any) -> str:
    if get_origin(hint) is tuple:
        return f"{_KINDS[get_args(hint)[0]]}, or a list of them"
    if get_origin(hint) is Literal:
        return " or ".join(map(str, get_args(hint)))
    return _KINDS[hint]


_LARGEST = 2**1000  # whole numbers up to here can be floats
_KINDS = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    bool: "true or false",
    Scheme: " or ".join(Scheme),
}
