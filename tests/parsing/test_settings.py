from __future__ import annotations

import json
import math
from dataclasses import Field, fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arctree.errors import DataError
from arctree.lifting import Scheme
from arctree.parsing.settings import (
    Configuration,
    DataSettings,
    ParserSettings,
    Pretrained,
    Scratch,
    Settings,
    TagSettings,
    TrainingSettings,
    read_encoder,
)

DATA: dict[str, object] = {"train": ["a.conllu", "b.conllu"], "dev": ["c.conllu"]}
# Every section, with what it cannot do without.
SECTIONS: list[tuple[type[Settings], dict[str, object]]] = [
    (DataSettings, DATA),
    (Pretrained, {"source": "bert"}),
    (Scratch, {}),
    (ParserSettings, {}),
    (TagSettings, {}),
    (TrainingSettings, {}),
]


def fields_of(section: type[Settings]) -> tuple[Field[Any], ...]:
    return fields(section)  # type: ignore[arg-type]


RANGES = [
    (section, needed, item.name, *item.metadata["range"])
    for section, needed in SECTIONS
    for item in fields_of(section)
    if "range" in item.metadata
]
ranged = pytest.mark.parametrize(
    ("section", "needed", "key", "low", "high"),
    RANGES,
    ids=[f"{section.__name__}.{key}" for section, _, key, _, _ in RANGES],
)


def configuration(**sections: object) -> Configuration:
    return Configuration.read({"data": DATA, **sections})


@pytest.mark.parametrize(
    ("section", "needed"), SECTIONS, ids=[section.__name__ for section, _ in SECTIONS]
)
def test_an_unknown_key_is_an_error_that_names_all_valid_ones(
    section: type[Settings], needed: dict[str, object]
) -> None:
    with pytest.raises(DataError, match=f"no key {section.section}.colour; valid are: ") as caught:
        section.read({**needed, "colour": 1})
    names = [item.name for item in fields_of(section)]
    assert caught.value.remedy.endswith(f"valid are: {', '.join(names)}")


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ({"training": {"epocs": 3}}, "no key training.epocs; did you mean epochs? valid are: "),
        (
            {"parser": {"kind": "linearised", "hidden": 34}},
            "parser.hidden is 34; a linearised parser takes a multiple of 4",
        ),
        ({"parser": {"Hidden": 3}}, "no key parser.Hidden; did you mean hidden? valid are: "),
        ({"encoder": {"word_widht": 3}}, "no key encoder.word_widht; did you mean word_width? "),
        (
            {"trainig": {}},
            "no section [trainig]; did you mean training? "
            "valid are: data, encoder, parser, tags, training",
        ),
        ({"qqq": {}}, "no section [qqq]; valid are: data, encoder, parser, tags, training"),
        ({"seed": 1}, "no section [seed]; valid are: "),
        ({"training": 1}, "training is 1; write it as a section [training]"),
        ({"tags": [{}]}, "tags is [{}]; write it as a section [tags]"),
    ],
)
def test_a_misspelt_name_is_told_with_the_one_that_was_meant(
    sections: dict[str, object], message: str
) -> None:
    with pytest.raises(DataError) as caught:
        configuration(**sections)
    assert str(caught.value).startswith(message)


def test_the_valid_keys_of_the_encoder_depend_on_its_kind() -> None:
    with pytest.raises(DataError, match=r"no key encoder\.width.*valid are: source, kind, layers"):
        read_encoder({"source": "bert", "width": 100})
    with pytest.raises(DataError, match=r"no key encoder\.source; valid are: kind, word_width"):
        read_encoder({"kind": "attentive", "source": "bert"})


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, Scratch()),
        ({"kind": "recurrent"}, Scratch()),
        ({"kind": "attentive", "layers": 2}, Scratch(kind="attentive", layers=2)),
        ({"source": "bert"}, Pretrained("bert")),
        ({"kind": "pretrained", "source": "bert"}, Pretrained("bert")),
    ],
)
def test_a_source_makes_the_encoder_pretrained_and_nothing_said_makes_it_recurrent(
    values: dict[str, object], expected: Pretrained | Scratch
) -> None:
    assert read_encoder(values) == expected


@pytest.mark.parametrize("kind", ["convolutional", "", 1, None, ["recurrent"], True])
def test_an_encoder_of_no_known_kind_is_refused(kind: object) -> None:
    with pytest.raises(DataError, match="it is pretrained, recurrent or attentive"):
        read_encoder({"kind": kind})


@pytest.mark.parametrize(
    ("section", "key", "value", "kind"),
    [
        (TrainingSettings, "epochs", 3.0, "a whole number"),
        (TrainingSettings, "epochs", "3", "a whole number"),
        (TrainingSettings, "epochs", True, "a whole number"),
        (TrainingSettings, "epochs", [3], "a whole number"),
        (TrainingSettings, "epochs", None, "a whole number"),
        (TrainingSettings, "rate", True, "a number"),
        (TrainingSettings, "rate", "0.1", "a number"),
        (TrainingSettings, "rate", {}, "a number"),
        (TrainingSettings, "device", "gpu", "auto or cpu or cuda"),
        (TrainingSettings, "device", 0, "auto or cpu or cuda"),
        (ParserSettings, "kind", "tree", "mapped or in-order or linearised or graph"),
        (TagSettings, "upos", 1, "true or false"),
        (TagSettings, "upos", "yes", "true or false"),
        (DataSettings, "train", 1, "a text, or a list of them"),
        (DataSettings, "train", ["a", 1], "a text, or a list of them"),
        (DataSettings, "train", ["a", ["b"]], "a text, or a list of them"),
        (DataSettings, "weights", ["1"], "a number, or a list of them"),
        (DataSettings, "weights", [True, 1], "a number, or a list of them"),
        (DataSettings, "lifting", "heed", "exact or head or path or head+path or baseline"),
        (DataSettings, "lifting", True, "exact or head or path or head+path or baseline"),
        (Pretrained, "source", 7, "a text"),
        (Scratch, "vectors", [1], "a text, or a list of them"),
    ],
)
def test_a_value_of_another_kind_is_refused_with_the_kind_it_takes(
    section: type[Settings], key: str, value: object, kind: str
) -> None:
    with pytest.raises(DataError) as caught:
        section.read({key: value})
    assert str(caught.value) == f"{section.section}.{key} is {value!r}; it takes {kind}"


@ranged
def test_a_number_within_its_range_is_taken_and_one_beyond_is_refused(
    section: type[Settings], needed: dict[str, object], key: str, low: float, high: float
) -> None:
    for value in (low, high):
        assert getattr(section.read({**needed, key: value}), key) == value
    whole = isinstance(getattr(section.read(needed), key), int)
    step = 1 if whole else 0.5
    beyond = [low - step, high + step]
    for value in beyond if whole else [*beyond, math.nan, math.inf, -math.inf]:
        with pytest.raises(DataError) as caught:
            section.read({**needed, key: value})
        assert caught.value.fault == f"{section.section}.{key} is {value}"
        assert caught.value.remedy == f"it goes from {low} to {high}"


@ranged
def test_true_and_false_are_no_numbers(
    section: type[Settings], needed: dict[str, object], key: str, low: float, high: float
) -> None:
    with pytest.raises(DataError, match=rf"{key} is (True|False); it takes a"):
        section.read({**needed, key: low <= 1 <= high})


def test_a_whole_number_too_large_for_any_float_is_out_of_range() -> None:
    with pytest.raises(DataError, match=r"training\.rate"):
        TrainingSettings.read({"rate": 10**400})


def test_a_whole_number_can_stand_for_a_number_with_a_fraction() -> None:
    rate = TrainingSettings.read({"rate": 1}).rate
    assert rate == 1.0
    assert isinstance(rate, float)


def test_ranges_hold_however_the_settings_are_made() -> None:
    with pytest.raises(DataError, match=r"training\.epochs is 0; it goes from 1 to"):
        TrainingSettings(epochs=0)
    with pytest.raises(DataError, match=r"training\.seed is -1"):
        configuration().with_training(seed=-1)


def test_one_text_or_number_makes_a_list() -> None:
    data = DataSettings.read({"train": "a", "dev": "b", "test": "c", "weights": 2})
    assert data == DataSettings(("a",), ("b",), ("c",), (2.0,))
    assert data == DataSettings.read({"train": ["a"], "dev": ("b",), "test": ["c"], "weights": [2]})
    assert Scratch.read({"vectors": "glove.txt"}).vectors == ("glove.txt",)
    assert Scratch.read({"vectors": ["one", "two"]}).vectors == ("one", "two")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "data.train is empty; name a file"),
        ({"train": "a"}, "data.dev is empty; name a file"),
        ({"train": [], "dev": "b"}, "data.train is empty; name a file"),
        ({"train": "a", "dev": []}, "data.dev is empty; name a file"),
        ({"silver": "s"}, "data.dev is empty; name a file"),
        ({"silver": [], "dev": "b"}, "data.train is empty; name a file"),
        (
            {"train": "a", "silver": "s", "dev": "b"},
            "data.train and data.silver are both given; learn from silver first, then from gold",
        ),
        ({"silver": "s", "dev": "c", "weights": 2}, "0 training files but 1 weights"),
        (
            {"train": ["a", "b"], "dev": "c", "weights": [1]},
            "2 training files but 1 weights; give each file one weight",
        ),
        ({"train": "a", "dev": "c", "weights": [0]}, "a weight is not above 0 and at most 1000"),
        ({"train": "a", "dev": "c", "weights": [-1]}, "a weight is not above 0 and at most 1000"),
        ({"train": "a", "dev": "c", "weights": 1001}, "a weight is not above 0 and at most 1000"),
        ({"train": "a", "dev": "c", "weights": math.nan}, "a weight is not above 0 and at most"),
    ],
)
def test_data_that_cannot_be_learnt_from_are_refused(
    values: dict[str, object], message: str
) -> None:
    with pytest.raises(DataError) as caught:
        DataSettings.read(values)
    assert str(caught.value).startswith(message)


def test_a_pretrained_encoder_without_a_source_is_refused() -> None:
    with pytest.raises(DataError, match=r"encoder\.source is missing"):
        read_encoder({"kind": "pretrained"})


@pytest.mark.parametrize("scheme", Scheme)
def test_every_lifting_scheme_is_known_by_its_name(scheme: Scheme) -> None:
    assert DataSettings.read({**DATA, "lifting": scheme.value}).lifting is scheme


def test_the_columns_to_learn_are_those_that_are_true() -> None:
    assert TagSettings().names == ("upos", "xpos", "feats")
    assert TagSettings(xpos=False, lemmas=False).names == ("upos", "feats")


def test_silver_can_be_learnt_from_without_training_files() -> None:
    data = DataSettings.read({"silver": ["a", "b"], "dev": "c"})
    assert (data.train, data.silver) == ((), ("a", "b"))


def test_a_pretrained_encoder_is_trained_gently_unless_the_file_says_otherwise() -> None:
    scratch, pretrained = configuration(), configuration(encoder={"source": "bert"})
    assert pretrained.training.rate < scratch.training.rate
    assert pretrained.training.epochs < scratch.training.epochs
    said = configuration(encoder={"source": "bert"}, training={"rate": 0.5, "epochs": 99})
    assert (said.training.rate, said.training.epochs) == (0.5, 99)


encoders = st.one_of(
    st.builds(
        Pretrained,
        source=st.text(min_size=1),
        layers=st.integers(0, 24),
    ),
    st.builds(
        Scratch,
        kind=st.sampled_from(["recurrent", "attentive"]),
        width=st.integers(2, 1000),
        dropout=st.floats(0, 0.9),
        vectors=st.lists(st.text()).map(tuple),
    ),
)
configurations = st.builds(
    Configuration,
    st.builds(
        DataSettings,
        train=st.just(("a", "b")),
        dev=st.lists(st.text(), min_size=1).map(tuple),
        test=st.lists(st.text()).map(tuple),
        weights=st.just(()) | st.tuples(st.floats(0.1, 9), st.integers(1, 9)),
        lifting=st.sampled_from(Scheme),
    ),
    encoders,
    st.builds(ParserSettings, kind=st.sampled_from(["mapped", "in-order", "linearised", "graph"])),
    st.builds(TagSettings, upos=st.booleans(), weight=st.floats(0, 1)),
    st.builds(
        TrainingSettings,
        epochs=st.integers(1, 100),
        rate=st.floats(0, 1),
        device=st.sampled_from(["auto", "cpu", "cuda"]),
    ),
)


@given(configurations)
def test_a_configuration_that_went_through_json_is_the_same(whole: Configuration) -> None:
    again = Configuration.read(json.loads(json.dumps(whole.to_json())))
    assert again == whole
    assert type(again.encoder) is type(whole.encoder)


@pytest.mark.parametrize(
    "encoder", [{}, {"kind": "recurrent"}, {"kind": "attentive"}, {"source": "bert"}]
)
def test_the_defaults_go_through_json_unchanged(encoder: dict[str, object]) -> None:
    whole = configuration(encoder=encoder)
    assert Configuration.read(json.loads(json.dumps(whole.to_json()))) == whole
