"""An exported model in onnxruntime answers as the network in torch does."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arctree.errors import CallError, DataError
from arctree.network.model import Model
from arctree.parser import Parser
from arctree.parsing import model_files
from arctree.parsing.answers import Analysis
from arctree.parsing.model_files import (
    CONFIG,
    DECODER,
    ENCODER,
    ENCODER_GRAPH,
    HEADS_GRAPH,
    LEMMAS,
    TOKENIZER,
    VOCABULARIES,
)
from arctree.parsing.runtime import ENCODED_AT_ONCE, Runtime
from arctree.training.exporting import export
from berts import INVISIBLE, LONG, load_encoder, random_model
from tiny import CPU
from toy_language import toy_treebank

# The trained model is made once.
pytestmark = pytest.mark.xdist_group("bert")

ODD = [
    *INVISIBLE,
    "\ud83d",
    "a\udc00b",
    "[CLS]",
    "[PAD]",
    "é",
    "語",
    "THE",
    "Books",
    "?!",
    "a" * 300,
]
words_drawn = st.lists(
    st.one_of(st.sampled_from(["the", "books", "abed", "Book", *ODD]), st.text(min_size=1)),
    min_size=1,
    max_size=12,
)
sentences_drawn = st.lists(
    st.one_of(words_drawn, st.integers(30, 150).map(lambda size: LONG[:size])),
    min_size=1,
    max_size=6,
)
# As many as the micro-batches of one group cannot hold.
MANY = [LONG[place % 17 : place % 17 + 1 + place % 41] for place in range(200)]


def assert_alike(found: Sequence[Analysis], expected: Sequence[Analysis]) -> None:
    """Trees and tags equal, probabilities within 1e-4."""
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert_same_answers(one, other)
        for name in ("head_probabilities", "label_probabilities", "probabilities"):
            np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-4)


def assert_same_answers(one: Analysis, other: Analysis) -> None:
    for name in ("heads", "labels", "marks", "transitions"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist(), name
    assert set(one.tags) == set(other.tags)
    for name, values in one.tags.items():
        assert values.tolist() == other.tags[name].tolist(), name


@pytest.fixture(
    scope="module",
    params=[
        ("gelu", "biaffine", True, 0),
        ("relu", "additive", True, 10),
        ("gelu", "additive", False, 5),
        ("relu", "biaffine", False, 17),
    ],
    ids=lambda found: "-".join(map(str, found)),
)
def pair(
    request: pytest.FixtureRequest, bert: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Model, Runtime]:
    """A model in torch, and in onnxruntime."""
    activation, labels, casing, seed = request.param
    encoder = load_encoder(bert, casing=casing)
    model = random_model(encoder, seed=seed, activation=activation, labels=labels)
    folder = tmp_path_factory.mktemp("exported")
    export(model, folder)
    return model, Runtime(folder)


@settings(max_examples=25)
@given(sentences=sentences_drawn)
def test_an_exported_model_answers_as_torch_does(
    pair: tuple[Model, Runtime], sentences: list[list[str]]
) -> None:
    model, runtime = pair
    assert_alike(runtime.analyse(sentences), model.analyse(sentences))


def test_many_sentences_come_back_in_order(pair: tuple[Model, Runtime]) -> None:
    model, runtime = pair
    assert sum(map(len, MANY)) > 4 * ENCODED_AT_ONCE
    found = runtime.analyse(MANY)
    assert [len(one.heads) for one in found] == [len(words) for words in MANY]
    assert_alike(found, model.analyse(MANY))


def test_no_sentences_have_no_analyses(pair: tuple[Model, Runtime]) -> None:
    assert pair[1].analyse([]) == []


def test_answers_differ_from_place_to_place(pair: tuple[Model, Runtime]) -> None:
    found = pair[1].analyse(MANY)
    for name in ("heads", "labels", "marks"):
        assert len({number for one in found for number in getattr(one, name).tolist()}) > 1, name
    for name in pair[1].outcomes.tags:
        assert len({number for one in found for number in one.tags[name].tolist()}) > 1, name


@settings(max_examples=10)
@given(sentences=st.lists(words_drawn, min_size=1, max_size=30))
def test_the_batch_changes_no_answer(
    pair: tuple[Model, Runtime], sentences: list[list[str]]
) -> None:
    _, runtime = pair
    alone = [found for words in sentences for found in runtime.analyse([words])]
    assert_alike(runtime.analyse(sentences), alone)


@pytest.fixture(scope="module")
def quantised(teacher: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Model, Runtime]:
    """A trained model, and the same in whole numbers."""
    model = Model.load(teacher, CPU)
    folder = tmp_path_factory.mktemp("quantised")
    export(model, folder, [sentence.forms for sentence in toy_treebank(200, seed=5)])
    return model, Runtime(folder)


toy_sentences = [sentence.forms for sentence in toy_treebank(150, seed=7)]


@settings(max_examples=10)
@given(
    sentences=st.lists(
        st.one_of(
            st.sampled_from(toy_sentences),
            words_drawn,
            st.integers(5, 9).map(lambda size: [w for s in toy_sentences[:size] for w in s]),
        ),
        min_size=1,
        max_size=12,
    ),
    source=st.randoms(use_true_random=False),
)
def test_a_quantised_model_answers_alike_whatever_the_batch_and_the_order(
    quantised: tuple[Model, Runtime], sentences: list[Sequence[str]], source: Any
) -> None:
    _, runtime = quantised
    together = runtime.analyse(sentences)
    order = list(range(len(sentences)))
    source.shuffle(order)
    shuffled = runtime.analyse([sentences[place] for place in order])
    for place, words in enumerate(sentences):
        (alone,) = runtime.analyse([words])
        assert_same_answers(together[place], alone)
        assert_same_answers(shuffled[order.index(place)], alone)


def test_a_quantised_model_is_close_to_the_float_one(quantised: tuple[Model, Runtime]) -> None:
    model, runtime = quantised
    pairs = list(zip(runtime.analyse(toy_sentences), model.analyse(toy_sentences), strict=True))
    for name in ("heads", "labels", "marks"):
        equal = np.concatenate([getattr(q, name) == getattr(f, name) for q, f in pairs])
        assert equal.mean() > 0.99, name
    for tag in runtime.outcomes.tags:
        assert np.concatenate([q.tags[tag] == f.tags[tag] for q, f in pairs]).mean() > 0.99, tag
    off = np.concatenate([q.label_probabilities - f.label_probabilities for q, f in pairs])
    assert 0 < np.abs(off).mean() < 0.01


def test_a_quantised_model_is_a_fraction_of_the_size(
    quantised: tuple[Model, Runtime], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    model, _ = quantised
    export(model, tmp_path / "float")
    export(model, tmp_path / "whole", toy_sentences)
    sizes = [(tmp_path / kind / ENCODER_GRAPH).stat().st_size for kind in ("float", "whole")]
    assert sizes[1] < 0.45 * sizes[0]


def test_two_threads_at_once_get_what_one_gets(quantised: tuple[Model, Runtime]) -> None:
    _, runtime = quantised
    parts = [toy_sentences[place::4] for place in range(4)] * 3
    expected = [runtime.analyse(part) for part in parts[:4]] * 3
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(runtime.analyse, parts))
    for some, known in zip(found, expected, strict=True):
        for one, other in zip(some, known, strict=True):
            assert_same_answers(one, other)


def test_an_exported_parser_gives_the_sentences_that_the_trained_one_gives(
    teacher: Path, tmp_path: Path
) -> None:
    export(Model.load(teacher, CPU), tmp_path / "exported")
    trained, exported = Parser.load(teacher), Parser.load(tmp_path / "exported", threads=1)
    assert isinstance(exported.model, Runtime)
    pairs = zip(trained.parse(toy_sentences), exported.parse(toy_sentences), strict=True)
    for was, now in pairs:
        assert now.sentence == was.sentence
        assert now.transitions == was.transitions
        np.testing.assert_allclose(now.confidences, was.confidences, atol=1e-4)


NO_TORCH = """
import sys
from arctree.parser import Parser
parser = Parser.load(sys.argv[1])
(parsed,) = parser.parse([["the", "old", "dog", "sees", "the", "cat", "."]])
print(*parsed.tree.heads)
print(*[name for name in ("torch", "transformers", "onnx") if name in sys.modules])
"""


def test_an_exported_model_needs_no_torch(teacher: Path, tmp_path: Path) -> None:
    export(Model.load(teacher, CPU), tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", NO_TORCH, tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "3 3 4 0 6 4 4\n\n"


@pytest.fixture
def exported(bert: Path, tmp_path: Path) -> Path:
    export(random_model(load_encoder(bert)), tmp_path / "exported")
    return tmp_path / "exported"


NAMES = (ENCODER_GRAPH, HEADS_GRAPH, DECODER, ENCODER, TOKENIZER, VOCABULARIES)


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-7])


def turned_around(path: Path) -> None:
    path.write_bytes(path.read_bytes()[::-1])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("damage", [Path.unlink, cut_short, turned_around, emptied])
def test_a_damaged_file_is_named(exported: Path, name: str, damage: Callable[[Path], None]) -> None:
    damage(exported / name)
    if name == ENCODER_GRAPH and damage is Path.unlink:
        # Without its graph it is not known as an exported model.
        with pytest.raises(DataError) as caught:
            Parser.load(exported)
    else:
        with pytest.raises(DataError) as caught:
            Runtime(exported)
        assert caught.value.remedy
    assert str(exported / name) in str(caught.value)


def listed_anew(folder: Path) -> None:
    """Let the configuration say that all files are as they should be."""
    config = json.loads((folder / CONFIG).read_text("utf-8"))
    for name, facts in config["files"].items():
        facts["bytes"] = (folder / name).stat().st_size
        facts["sha256"] = model_files.file_hash(folder / name)
    (folder / CONFIG).write_text(json.dumps(config), "utf-8")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("damage", [cut_short, turned_around, emptied])
def test_a_file_that_was_damaged_before_it_was_listed_names_the_folder(
    exported: Path, name: str, damage: Callable[[Path], None]
) -> None:
    damage(exported / name)
    listed_anew(exported)
    with pytest.raises(DataError) as caught:
        Parser.load(exported)
    assert str(exported) in str(caught.value)
    assert caught.value.remedy


@pytest.mark.parametrize("name", [ENCODER_GRAPH, HEADS_GRAPH])
@pytest.mark.parametrize("content", [b"no graph", b"{}", b"\x00" * 100])
def test_a_graph_that_is_no_onnx_is_named(exported: Path, name: str, content: bytes) -> None:
    (exported / name).write_bytes(content)
    listed_anew(exported)
    with pytest.raises(DataError, match=f"{name}: no graph that onnxruntime can run"):
        Parser.load(exported)


def change_config(folder: Path, **changes: object) -> None:
    path = folder / CONFIG
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **changes}), "utf-8")


@pytest.mark.parametrize(
    "changes",
    [
        {"parser": {"hiden": 3}},
        {"parser": None},
        {"parser": {"hidden": 16, "activation": "tanh"}},
        {"confidence": None},
        {"confidence": {}, "parser": []},
    ],
)
def test_settings_that_cannot_be_read_name_the_folder(
    exported: Path, changes: dict[str, object]
) -> None:
    change_config(exported, **changes)
    with pytest.raises(DataError) as caught:
        Parser.load(exported)
    assert str(exported) in str(caught.value)


def test_damaged_lemmas_are_named(teacher: Path, tmp_path: Path) -> None:
    export(Model.load(teacher, CPU), tmp_path / "exported")
    (tmp_path / "exported" / LEMMAS).write_text('{"scripts": ["?"]}', "utf-8")
    listed_anew(tmp_path / "exported")
    with pytest.raises(DataError) as caught:
        Parser.load(tmp_path / "exported")
    assert str(tmp_path / "exported" / LEMMAS) in str(caught.value)


def test_no_thread_is_too_few(exported: Path) -> None:
    with pytest.raises(CallError, match="0 threads"):
        Parser.load(exported, threads=0)


def test_results_do_not_depend_on_the_number_of_threads(exported: Path) -> None:
    one, four = (Runtime(exported, threads) for threads in (1, 4))
    assert_alike(four.analyse(MANY), one.analyse(MANY))


def test_a_copy_in_another_place_is_the_same_model(exported: Path, tmp_path: Path) -> None:
    copytree(exported, tmp_path / "copy")
    assert_alike(Runtime(tmp_path / "copy").analyse(MANY), Runtime(exported).analyse(MANY))
