"""A tree parser in Stanza that reads sentences as its labeller does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
import torch
from stanza.models.common.char_model import CharacterLanguageModel

from arctree import conllu
from arctree.errors import DataError
from arctree.study.stanza.adapter import silent
from arctree.study.stanza.characters import character_files, train_character_models
from arctree.study.stanza.contexts import Context
from arctree.study.stanza.graph_parser import load_network
from arctree.study.stanza.parts import Part, parameters_of
from arctree.study.stanza.settings import StanzaSettings
from arctree.study.stanza.systems import stanza_system, train_labeller
from arctree.study.stanza.tree_parser import TreeParser
from arctree.study.system import Shared, Treebanks
from toy_language import toy_treebank

pytestmark = pytest.mark.xdist_group("stanza")
SETTINGS = StanzaSettings(
    context=True,
    characters=5,
    character_epochs=1,
    epochs=2,
    epoch_size=0,
    batch=10,
    steps=4,
    word_batch=200,
    tree_options=("--hidden_size", "8"),
    graph_options=("--hidden_dim", "6", "--char_hidden_dim", "8"),
)
SENTENCES = [("the", "dog", "sees"), ("it",), ("a", "☃", "of", "the", "old", "dogs"), ("so", "so")]


def ignored(_: str) -> None:
    """Somebody who does not listen."""


@pytest.fixture(scope="module")
def treebanks(tmp_path_factory: pytest.TempPathFactory) -> Treebanks:
    folder = tmp_path_factory.mktemp("treebanks")
    paths = [str(folder / f"{name}.conllu") for name in ("train", "dev", "test")]
    for seed, path in enumerate(paths):
        conllu.write(toy_treebank(10 if seed else 40, seed), path)
    train, dev, test = paths
    return Treebanks((train,), (dev,), (test,))


@pytest.fixture(scope="module")
def labeller(treebanks: Treebanks, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("labeller")
    train_labeller(SETTINGS, treebanks, 1, "cpu", folder, ignored)
    return folder


@pytest.fixture(scope="module")
def characters(treebanks: Treebanks, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("characters")
    text = [sentence.forms for sentence in conllu.read(treebanks.train[0])]
    train_character_models(folder, text, text, SETTINGS, 1, "cpu", ignored)
    return CharacterLanguageModel.load(character_files(folder)["charlm_forward_file"])


@pytest.fixture
def context(labeller: Path, characters: Any) -> Context:
    return Context(labeller, "cpu", characters).eval()


def test_words_have_the_vectors_of_the_labeller_beside_those_of_characters(
    context: Context, labeller: Path, characters: Any
) -> None:
    found = context.build_char_representation(SENTENCES)
    assert [len(vectors) for vectors in found] == [3, 1, 6, 2]
    assert {vectors.shape[1] for vectors in found} == {context.hidden_dim()} == {5 + 2 * 6}
    trainer, _ = load_network(labeller, "cpu")
    trainer.model.eval()
    made: list[Any] = []

    def watched(*inputs: Any) -> Any:
        made.append(trainer.model.embed(*inputs))
        return made[-1]

    context.encoder.embed = watched
    for vectors, words in zip(found, SENTENCES, strict=True):
        alone = context.build_char_representation([words])[0]
        assert torch.allclose(vectors, alone, atol=1e-6)
        assert torch.allclose(vectors[:, 5:], made[-1][0, 1:], atol=1e-6)
        assert torch.equal(alone[:, :5], characters.build_char_representation([list(words)])[0])


def test_a_word_is_read_where_it_stands(context: Context) -> None:
    first, second = context.build_char_representation([("the", "dog"), ("of", "dog")])
    assert not torch.allclose(first[1, 5:], second[1, 5:], atol=1e-4)


def test_a_sentence_is_read_in_training_as_it_is_later(context: Context) -> None:
    calm = torch.cat(context.build_char_representation(SENTENCES))
    context.train()
    assert torch.equal(torch.cat(context.build_char_representation(SENTENCES)), calm)


@pytest.fixture(scope="module", params=["stanza-mapped", "stanza-in-order"])
def trained(
    request: pytest.FixtureRequest, treebanks: Treebanks, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path]:
    folder = tmp_path_factory.mktemp(request.param)
    said: list[str] = []
    stanza_system(request.param, SETTINGS, treebanks, 1, "cpu").train(folder, said.append)
    assert said[0].startswith("labeller")
    assert said[-1].startswith(request.param.removeprefix("stanza-"))
    return request.param, folder


def test_a_parser_reads_its_labeller_whatever_the_settings_say(
    trained: tuple[str, Path], treebanks: Treebanks
) -> None:
    kind, folder = trained
    read: list[int] = []

    def watched(context: Context, sentences: Any) -> Any:
        read.append(len(sentences))
        return build(context, sentences)

    build = Context.build_char_representation
    answers = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Context, "build_char_representation", watched)
        for context in (True, False):
            system = stanza_system(kind, replace(SETTINGS, context=context), treebanks, 1, "cpu")
            answers.append(system.load(folder)(list(conllu.read(treebanks.test[0]))))
    assert sum(read) == 2 * 10
    assert answers[0].sentences == answers[1].sentences


def test_another_labeller_is_refused(
    trained: tuple[str, Path], treebanks: Treebanks, labeller: Path, tmp_path: Path
) -> None:
    kind, folder = trained
    other = tmp_path / "other"
    copytree(labeller, other)
    trainer, _ = load_network(other, "cpu")
    with torch.no_grad():
        trainer.model.drop_replacement += 1
    with silent():
        trainer.save(str(other / "parser.pt"))
    system = stanza_system(kind, SETTINGS, treebanks, 1, "cpu", Shared(other))
    with pytest.raises(DataError, match=r"another labeller.*bring that labeller"):
        system.load(folder)
    with pytest.raises(DataError, match="another labeller"):
        TreeParser("mapped", SETTINGS, 1, "cpu").load(folder / "tree")


def test_the_labellers_weights_are_counted_once(trained: tuple[str, Path]) -> None:
    _, folder = trained
    tree, labels = (Part(folder / name).trained for name in ("tree", "labeller"))
    assert tree is not None
    assert labels is not None
    parser = TreeParser("mapped", SETTINGS, 1, "cpu", folder / "labeller")
    if trained[0] != "stanza-mapped":
        parser = replace(parser, kind="in-order")
    network = parser._load(folder / "tree").model
    models = (network.forward_charlm.characters, network.backward_charlm)
    of_characters = sum(weight.numel() for model in models for weight in model.parameters())
    assert tree.parameters == parameters_of(network) + of_characters
    trainer, _ = load_network(folder / "labeller", "cpu")
    assert labels.parameters == parameters_of(trainer.model)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"characters": 0}, r"beside models of characters.*stanza\.characters = 256"),
        ({"tag_steps": 2}, r"this one reads tags.*leave out"),
    ],
)
def test_what_context_cannot_go_with_is_told_before_anything_is_trained(
    change: dict[str, Any], fault: str, treebanks: Treebanks, tmp_path: Path
) -> None:
    system = stanza_system("stanza-mapped", replace(SETTINGS, **change), treebanks, 1, "cpu")
    with pytest.raises(DataError, match=fault):
        system.train(tmp_path, ignored)
    assert not list(tmp_path.iterdir())
