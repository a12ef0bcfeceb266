from __future__ import annotations

from pathlib import Path

import pytest

from arctree.errors import CallError, DataError
from arctree.parsing.settings import Pretrained, Scratch
from arctree.training.configuring import load_configuration

TOML = """
[data]
train = ["$TREEBANKS/train.conllu", "$TREEBANKS/more-$YEAR.conllu"]
dev = "$TREEBANKS/dev.conllu"

[encoder]
kind = "attentive"
vectors = "$TREEBANKS/glove.txt"

[training]
seed = 7
rate = 1e-3
"""
FILES = ["data.train=a.conllu", "data.dev=b.conllu"]


@pytest.fixture
def path(tmp_path: Path) -> str:
    path = tmp_path / "recipe.toml"
    path.write_text(TOML, "utf-8")
    return str(path)


@pytest.fixture
def _data_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TREEBANKS", "/data/$HOME")
    monkeypatch.setenv("YEAR", "2024")


@pytest.mark.usefixtures("_data_there")
def test_environment_variables_are_filled_in_once_in_texts_and_lists(path: str) -> None:
    configuration = load_configuration(path)
    assert configuration.data.train == (
        "/data/$HOME/train.conllu",
        "/data/$HOME/more-2024.conllu",
    )
    assert configuration.data.dev == ("/data/$HOME/dev.conllu",)
    assert isinstance(configuration.encoder, Scratch)
    assert configuration.encoder.vectors == ("/data/$HOME/glove.txt",)
    changed = load_configuration(path, ["data.test=$TREEBANKS/$YEAR", "data.dev=['$YEAR']"])
    assert (changed.data.test, changed.data.dev) == (("/data/$HOME/2024",), ("2024",))


def test_a_variable_that_is_not_set_is_named_with_the_file(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TREEBANKS", "/data")
    monkeypatch.delenv("YEAR", raising=False)
    with pytest.raises(DataError) as caught:
        load_configuration(path)
    assert str(caught.value) == f"{path}: YEAR is not set; set the environment variable YEAR"


@pytest.mark.usefixtures("_data_there")
def test_a_change_goes_over_what_the_file_says_and_the_last_one_counts(path: str) -> None:
    changes = ["training.seed=2", "training.epochs=3", "training.seed=5", "parser.kind=graph"]
    configuration = load_configuration(path, changes)
    assert (configuration.training.seed, configuration.training.epochs) == (5, 3)
    assert configuration.training.rate == 1e-3
    assert configuration.parser.kind == "graph"
    assert load_configuration(path).training.seed == 7


@pytest.mark.parametrize(
    ("change", "section", "key", "value"),
    [
        ("training.seed=2", "training", "seed", 2),
        ("training.rate=1e-4", "training", "rate", 1e-4),
        ("training.rate=1", "training", "rate", 1.0),
        ("tags.upos=false", "tags", "upos", False),
        ("training.device=cpu", "training", "device", "cpu"),
        ('training.device="cpu"', "training", "device", "cpu"),
        ("training.device = 'cpu'", "training", "device", "cpu"),
        ("data.train=x=y.conllu", "data", "train", ("x=y.conllu",)),
        ("data.train=/a path/with.dots", "data", "train", ("/a path/with.dots",)),
        ("data.train=['p', \"q\"]", "data", "train", ("p", "q")),
        ("data.test=[]", "data", "test", ()),
        ("data.test=", "data", "test", ("",)),
        ("data.test=[half", "data", "test", ("[half",)),
    ],
)
def test_a_change_is_read_as_toml_and_what_is_none_is_a_text(
    change: str, section: str, key: str, value: object
) -> None:
    configuration = load_configuration(None, [*FILES, change])
    found = getattr(getattr(configuration, section), key)
    assert found == value
    assert type(found) is type(value)


def test_a_change_can_choose_another_encoder() -> None:
    configuration = load_configuration(None, [*FILES, "encoder.source=bert", "encoder.layers=6"])
    assert configuration.encoder == Pretrained("bert", layers=6)


@pytest.mark.parametrize("change", ["training", "training.seed", "seed=1", "=1", ""])
def test_a_change_without_section_key_and_value_is_refused(change: str) -> None:
    with pytest.raises(CallError) as caught:
        load_configuration(None, [*FILES, change])
    assert str(caught.value) == f"--set {change}: write it as section.key=value"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("training.sed=1", "no key training.sed; did you mean seed? valid are: "),
        ("trainig.seed=1", "no section [trainig]; did you mean training? valid are: "),
        ("training.seed=one", "training.seed is 'one'; it takes a whole number"),
        ("training.seed.more=1", "no key training.seed.more"),
        ("training.epochs=0", "training.epochs is 0; it goes from 1 to 100000"),
        ("data.train=2020-01-01", "data.train is datetime.date(2020, 1, 1); it takes a text"),
    ],
)
def test_a_change_to_what_cannot_be_is_a_data_error(change: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        load_configuration(None, [*FILES, change])
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"[data", "not TOML: "),
        (b"data", "not TOML: "),
        (b"[data]\ntrain = a.conllu", "not TOML: "),
        (b"[data]\ntrain = 'a'\ntrain = 'b'", "not TOML: "),
        (b"[data]\ntrain = '\xff'", "not TOML: "),
        (b"\xff\xfe", "not TOML: "),
        pytest.param(b"[data]\ntrain = " + b"[" * 5000, "not TOML: ", id="deep"),
        (b"", "data.train is empty; name a file"),
        (b"[data]\ntrain = 'a'", "data.dev is empty; name a file"),
        (b"seed = 1", "no section [seed]; valid are: "),
        (b"training = 1", "training is 1; write it as a section [training]"),
        (b"[data]\ntran = 'a'", "no key data.tran; did you mean train? valid are: train, dev"),
        (b"[[data]]\ntrain = 'a'", "data is [{'train': 'a'}]; write it as a section [data]"),
        (b"[data]\ntrain.x = 'a'", "data.train is {'x': 'a'}; it takes a text"),
    ],
)
def test_a_file_that_is_no_configuration_is_named_with_its_fault(
    tmp_path: Path, content: bytes, fault: str
) -> None:
    path = tmp_path / "recipe.toml"
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        load_configuration(str(path))
    assert str(caught.value).startswith(f"{path}: {fault}")


def test_the_line_of_a_fault_in_the_toml_is_told(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text("[data]\ntrain = 'a'\ndev = b\n", "utf-8")
    with pytest.raises(DataError, match="line 3"):
        load_configuration(str(path))


def test_a_change_inside_what_is_no_section_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text("training = 1\n", "utf-8")
    with pytest.raises(DataError, match=r"training is 1; write it as a section \[training\]"):
        load_configuration(str(path), ["training.seed=1"])


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(CallError) as caught:
        load_configuration(str(tmp_path / "absent.toml"))
    missing = tmp_path / "absent.toml"
    assert str(caught.value) == f"{missing}: cannot be read: No such file or directory"
    with pytest.raises(CallError, match=f"{tmp_path}: cannot be read: Is a directory"):
        load_configuration(str(tmp_path))
