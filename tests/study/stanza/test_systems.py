"""Stanza's systems on a little language, from training to trees."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import torch
from stanza.models.common.char_model import CharacterLanguageModel
from stanza.models.constituency.lstm_model import LSTMModel
from stanza.models.constituency.parse_transitions import Shift as ShiftOfStanza

from arctree import conllu
from arctree.dependency import DependencyTree, check_heads
from arctree.errors import CallError, DataError
from arctree.labels import base_label
from arctree.lifting import lift
from arctree.oracle import derive
from arctree.sentence import LEMMA, UPOS, XPOS, Sentence, from_tree
from arctree.study.configuring import HOSTED
from arctree.study.stanza import lighter
from arctree.study.stanza.characters import character_files
from arctree.study.stanza.graph_parser import load_network
from arctree.study.stanza.letters import Letters
from arctree.study.stanza.parts import Part, parameters_of
from arctree.study.stanza.readers import reader_in
from arctree.study.stanza.settings import StanzaSettings
from arctree.study.stanza.spelling import Spelling
from arctree.study.stanza.systems import stanza_system
from arctree.study.stanza.tree_parser import TreeKind, TreeParser
from arctree.study.system import Outputs, Shared, System, Treebanks
from toy_language import toy_treebank

pytestmark = pytest.mark.xdist_group("stanza")
SIZES = {"train": 40, "dev": 8, "test": 12}


@pytest.fixture(scope="module")
def treebanks(tmp_path_factory: pytest.TempPathFactory) -> Treebanks:
    folder = tmp_path_factory.mktemp("treebanks")
    paths = []
    for seed, (name, size) in enumerate(SIZES.items()):
        paths.append((str(folder / f"{name}.conllu"),))
        conllu.write(toy_treebank(size, seed), *paths[-1])
    train, dev, test = paths
    return Treebanks(train, dev, test)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> StanzaSettings:
    folder = tmp_path_factory.mktemp("vectors")
    words = ["the", "dog", "cat", "sees", "of", "in", "old"]
    (folder / "words.txt").write_text("".join(f"{word}\n" for word in words))
    np.save(folder / "words.npy", np.random.default_rng(1).normal(size=(7, 4)).astype(np.float32))
    return StanzaSettings(
        vectors=(str(folder / "words.npy"),),
        epochs=2,
        epoch_size=0,
        batch=10,
        steps=4,
        word_batch=200,
        tree_options=("--hidden_size", "8"),
        graph_options=("--hidden_dim", "8", "--char_hidden_dim", "8"),
    )


@pytest.fixture(scope="module")
def labeller(
    treebanks: Treebanks, settings: StanzaSettings, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A trained labeller, by way of a system that needs it."""
    folder = tmp_path_factory.mktemp("labeller")
    system = system_of("stanza-mapped", settings, treebanks, folder)
    system.train(tmp_path_factory.mktemp("with-labeller"), ignored)
    return folder


def ignored(_: str) -> None:
    """Somebody who does not listen."""


def sentences_of(treebanks: Treebanks) -> list[Sentence]:
    return list(conllu.read(treebanks.test[0]))


def system_of(kind: str, settings: StanzaSettings, treebanks: Treebanks, labeller: Path) -> System:
    return stanza_system(kind, settings, treebanks, 1, "cpu", Shared(labeller))


@pytest.fixture(scope="module", params=HOSTED)
def answered(
    request: pytest.FixtureRequest,
    settings: StanzaSettings,
    treebanks: Treebanks,
    labeller: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[str, System, Path, list[str], Outputs]:
    """A kind, its system, the folder where it was trained, what it said, and its answers."""
    kind: str = request.param
    folder = tmp_path_factory.mktemp(kind)
    system = system_of(kind, settings, treebanks, labeller)
    said: list[str] = []
    trained = system.train(folder, said.append)
    assert trained.parameters > 1000
    assert trained.seconds > 0
    return kind, system, folder, said, system.load(folder)(sentences_of(treebanks))


Answered = tuple[str, System, Path, list[str], Outputs]


def test_every_answer_is_a_tree_with_plain_labels(answered: Answered, treebanks: Treebanks) -> None:
    *_, outputs = answered
    gold = sentences_of(treebanks)
    assert [sentence.forms for sentence in outputs.sentences] == [s.forms for s in gold]
    for sentence in outputs.sentences:
        assert sentence.heads is not None
        check_heads(sentence.heads)
        roots = [label == "root" for label in sentence.deprels]
        assert roots == [head == 0 for head in sentence.heads] or answered[0] == "stanza-graph"
        assert not any("↑" in label for label in sentence.deprels)


def test_training_says_how_it_goes(answered: Answered) -> None:
    _, _, _, said, _ = answered
    assert len(said) >= 2
    assert all("dev" in message for message in said)


def test_letters_tell_of_words_that_were_never_seen(
    settings: StanzaSettings, treebanks: Treebanks, labeller: Path, tmp_path: Path
) -> None:
    """The vectors are those of the model's own file, whatever the settings say by then."""
    spelt = replace(settings, spelling=6)
    system = system_of("stanza-mapped", spelt, treebanks, labeller)
    system.train(tmp_path, ignored)
    words = ("the", "doggy", "SEES", "it")
    sentence = from_tree(DependencyTree.trusted(words, (0, 1, 1, 1), ("root", "x", "x", "x"), ()))
    seen: list[Any] = []

    def watched(model: Any, sentences: Any) -> Any:
        words = [node.children[0].label for node in sentences[0]]
        seen.append(model.embedding.weight[[model.emb_vocab.unit2id(word) for word in words]])
        return queues(model, sentences)

    queues = lighter.initial_word_queues
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lighter, "initial_word_queues", watched)
        for loaded in (system, system_of("stanza-mapped", settings, treebanks, labeller)):
            outputs = loaded.load(tmp_path)([sentence])
            assert len(outputs.sentences[0]) == 4
    expected = Spelling.load(tmp_path / "tree" / "spelling.npz").vectors(sentence.forms)
    for vectors in seen:
        assert np.allclose(vectors[:, -6:], expected)
    assert len(seen) == 2
    assert expected.any(axis=1).sum() > 2


def test_a_training_too_short_to_be_looked_at_is_told(
    settings: StanzaSettings, treebanks: Treebanks, tmp_path: Path
) -> None:
    options = (*settings.graph_options, "--eval_interval", "50")
    short = replace(settings, graph_options=options)
    with pytest.raises(DataError, match=r"every 50 steps.*at step 2.*eval_interval"):
        stanza_system("stanza-graph", short, treebanks, 1, "cpu").train(tmp_path, ignored)


@pytest.mark.parametrize("kind", ["stanza-mapped", "stanza-in-order"])
def test_the_labellers_letters_are_read(
    kind: str, settings: StanzaSettings, treebanks: Treebanks, tmp_path: Path
) -> None:
    """Then the labeller is trained first; afterwards the parser reads without it."""
    reading = replace(settings, letters=True, spelling=6)
    said: list[str] = []
    stanza_system(kind, reading, treebanks, 1, "cpu").train(tmp_path, said.append)
    assert said[0].startswith("labeller")
    assert said[-1].startswith(kind.removeprefix("stanza-"))
    trainer, _ = load_network(tmp_path / "labeller", "cpu")
    letters = Letters.load(tmp_path / "tree" / "letters.pt")
    assert letters.width == trainer.args["transformed_dim"]
    reader = reader_in(tmp_path / "tree", reading)
    assert reader is not None
    words = ["the", "doggy", "SEES", "☃"]
    assert np.allclose(reader.vectors(words)[:, 6:], letters.vectors(words))
    answers = system_of(kind, settings, treebanks, tmp_path / "labeller").load(tmp_path)
    assert len(answers(sentences_of(treebanks)).sentences) == SIZES["test"]


@pytest.mark.parametrize("kind", ["stanza-mapped", "stanza-in-order"])
def test_characters_are_read_in_their_sentence(
    kind: str, settings: StanzaSettings, treebanks: Treebanks, labeller: Path, tmp_path: Path
) -> None:
    """By two models that come with the parser, wherever it lies, and whatever the settings say."""
    reading = replace(settings, characters=5, character_epochs=2)
    folder = tmp_path / "here"
    said: list[str] = []
    system_of(kind, reading, treebanks, labeller).train(folder, said.append)
    assert sum("characters" in message for message in said) == 4  # two begin and end
    moved = folder.rename(tmp_path / "there")
    read: list[tuple[bool, list[list[str]]]] = []

    def watched(model: Any, sentences: list[list[str]]) -> Any:
        read.append((model.is_forward_lm, sentences))
        return plain(model, sentences)

    plain = CharacterLanguageModel.build_char_representation
    sentence = sentences_of(treebanks)[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CharacterLanguageModel, "build_char_representation", watched)
        outputs = system_of(kind, settings, treebanks, labeller).load(moved)([sentence])
    words = list(sentence.forms)
    assert read == [(True, [words]), (False, [words])]
    assert len(outputs.sentences[0]) == len(words)


def test_models_of_characters_are_shared_and_count_with_each_system(
    settings: StanzaSettings, treebanks: Treebanks, labeller: Path, tmp_path: Path
) -> None:
    """What they have learnt, and how long it took; they are trained once."""
    reading = replace(settings, characters=5, character_epochs=2)
    shared = Shared(labeller, characters=tmp_path / "characters")
    said: list[str] = []
    trained = {}
    for kind in ("stanza-mapped", "stanza-in-order"):
        system = stanza_system(kind, reading, treebanks, 1, "cpu", shared)
        trained[kind] = system.train(tmp_path / kind, said.append)
    assert sum("characters" in message for message in said) == 4  # two begin and end
    files = character_files(tmp_path / "characters")
    models = [
        torch.load(path, weights_only=True)["model"]["state_dict"].values()
        for path in files.values()
    ]
    assert len(models) == 2
    count = sum(tensor.numel() for tensors in models for tensor in tensors)
    spent = Part(tmp_path / "characters").trained
    labels = Part(labeller).trained
    assert spent is not None
    assert labels is not None
    assert spent.parameters == count
    for kind, name in (("stanza-mapped", "mapped"), ("stanza-in-order", "in-order")):
        parser = TreeParser(cast(TreeKind, name), reading, 1, "cpu")
        learnt = parameters_of(parser._load(tmp_path / kind / "tree").model)
        assert trained[kind].parameters == learnt + count + labels.parameters
        assert trained[kind].seconds > spent.seconds + labels.seconds
        for option, path in character_files(tmp_path / kind / "tree" / "characters").items():
            assert Path(path).read_bytes() == Path(files[option]).read_bytes()
    shutil.rmtree(tmp_path / "characters")  # which nobody needs any more
    said.clear()
    system.train(tmp_path / "stanza-in-order", said.append)
    assert said == []


@pytest.mark.parametrize("kind", ["stanza-mapped", "stanza-in-order"])
def test_relations_and_supertags_are_learnt_besides(
    kind: str, settings: StanzaSettings, treebanks: Treebanks, labeller: Path, tmp_path: Path
) -> None:
    """Those of the training file; what is answered are trees whose labels are the labeller's."""
    beside = replace(settings, learn_relations=True)
    system = system_of(kind, beside, treebanks, labeller)
    system.train(tmp_path, ignored)
    name: TreeKind = "mapped" if kind == "stanza-mapped" else "in-order"
    model = TreeParser(name, beside, 1, "cpu")._load(tmp_path / "tree").model
    learnt = list(conllu.read(treebanks.train[0]))
    shifts = [one for one in model.transitions if isinstance(one, ShiftOfStanza)]
    trees = [lift(sentence.tree) for sentence in learnt]
    relations = {base_label(label) for tree in trees for label in tree.labels}
    assert {tuple(shift.beside.split(" ")[:2]) for shift in shifts} == {
        (tag, base_label(label))
        for sentence, tree in zip(learnt, trees, strict=True)
        for tag, label in zip(sentence.columns[UPOS], tree.labels, strict=True)
    }
    printed = " ".join(map(repr, model.transitions))
    assert len(shifts) > 3
    assert all(relation in printed for relation in relations)
    outputs = system.load(tmp_path)(sentences_of(treebanks))
    for sentence in outputs.sentences:
        assert sentence.heads is not None
        check_heads(sentence.heads)
        roots = [label == "root" for label in sentence.deprels]
        assert roots == [head == 0 for head in sentence.heads]
    with pytest.raises(DataError, match="trained with relations; load it with learn_relations = t"):
        system_of(kind, settings, treebanks, labeller).load(tmp_path)


def test_a_model_of_another_kind_is_told(
    answered: Answered, settings: StanzaSettings, treebanks: Treebanks, labeller: Path
) -> None:
    kind, _, folder, *_ = answered
    if kind == "stanza-graph":
        assert system_of("stanza-mapped", settings, treebanks, labeller).trained(folder) is None
        return
    names = ["mapped", "in-order"]
    found = kind.removeprefix("stanza-")
    names.remove(found)
    other = system_of(f"stanza-{names[0]}", settings, treebanks, labeller)
    with pytest.raises(DataError, match=f"tree: the model is {found}, not {names[0]}; name anoth"):
        other.load(folder)
    beside = system_of(kind, replace(settings, learn_relations=True), treebanks, labeller)
    with pytest.raises(DataError, match=r"trained without relations; .* learn_relations = false"):
        beside.load(folder)


def test_what_is_finished_is_not_trained_again(answered: Answered) -> None:
    _, system, folder, _, _ = answered
    said: list[str] = []
    assert system.train(folder, said.append) == system.train(folder, said.append)
    assert said == []


def test_transitions_are_counted(answered: Answered, treebanks: Treebanks) -> None:
    """Those of an in-order parser that has learnt something are in test_non_projective.py."""
    kind, *_, outputs = answered
    words = sum(map(len, sentences_of(treebanks)))
    if kind == "stanza-mapped":
        assert outputs.steps == 2 * words
        assert outputs.ill_formed == 0
    elif kind == "stanza-graph":
        assert outputs.steps == outputs.ill_formed == 0


def test_derivations_are_those_of_the_trees(answered: Answered, treebanks: Treebanks) -> None:
    kind, *_, outputs = answered
    if kind != "stanza-mapped":
        assert outputs.derivations == ()
        return
    for sentence, transitions in zip(outputs.sentences, outputs.derivations, strict=True):
        steps = list(derive(sentence.tree, transitions))
        assert steps[-1].configuration.is_terminal
        found = {dependent: head for head, dependent in steps[-1].configuration.arcs}
        if sentence.tree.is_projective():
            assert tuple(found[word] for word in sorted(found)) == sentence.heads


def test_no_column_but_the_words_is_looked_at(answered: Answered, treebanks: Treebanks) -> None:
    _, system, folder, _, outputs = answered
    others = []
    for sentence in sentences_of(treebanks):
        columns = list(sentence.columns)
        for column in (LEMMA, UPOS, XPOS):
            columns[column] = ("X",) * len(sentence)
        chain = tuple(range(len(sentence)))
        blind = Sentence(sentence.comments, tuple(columns), sentence.heads)
        others.append(blind.with_arcs(chain, ["dep" if head else "root" for head in chain]))
    again = system.load(folder)(others)
    assert [s.heads for s in again.sentences] == [s.heads for s in outputs.sentences]
    assert [s.deprels for s in again.sentences] == [s.deprels for s in outputs.sentences]


def test_a_sentence_that_stanza_gives_up_on_gets_a_tree_all_the_same(
    answered: Answered, treebanks: Treebanks, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, system, folder, _, _ = answered
    parse = system.load(folder)
    right = LSTMModel.predict

    def stuck(self: Any, states: list[Any], is_legal: bool = True) -> Any:
        """Stanza's network, which never knows what to do with more than nine words."""
        scores, chosen, best = right(self, states, is_legal)
        pairs = zip(states, chosen, strict=True)
        return scores, [None if s.sentence_length > 9 else action for s, action in pairs], best

    monkeypatch.setattr(LSTMModel, "predict", stuck)
    gold = sentences_of(treebanks)
    outputs = parse(gold)
    long = [number for number, sentence in enumerate(gold) if len(sentence) > 9]
    assert 0 < len(long) < len(gold)
    if kind == "stanza-graph":  # which has no such network
        assert outputs == answered[-1]
    else:
        assert outputs.ill_formed >= len(long)
        for number in long:
            assert len(outputs.sentences[number]) == len(gold[number])
    if kind == "stanza-mapped":
        assert outputs.ill_formed == len(long)
        assert [len(some) for some in outputs.derivations] == [
            2 * len(sentence) for sentence in gold
        ]


@pytest.mark.parametrize("kind", HOSTED)
def test_an_interrupted_run_goes_on(
    kind: str,
    settings: StanzaSettings,
    treebanks: Treebanks,
    labeller: Path,
    tmp_path: Path,
) -> None:
    class InterruptionError(Exception):
        pass

    def interrupting(after: int) -> Callable[[str], None]:
        said: list[str] = []

        def say(message: str) -> None:
            said.append(message)
            if sum(map(is_look, said)) > after:
                raise InterruptionError

        return say

    def is_look(message: str) -> bool:
        return " look " in message.partition(":")[0] or " epoch " in message

    system = system_of(kind, settings, treebanks, labeller)
    with pytest.raises(InterruptionError):
        system.train(tmp_path, interrupting(after=1))
    said: list[str] = []
    trained = system.train(tmp_path, said.append)
    assert trained.seconds > 0
    assert sum(map(is_look, said)) < (2 if kind != "stanza-graph" else 5)
    if kind == "stanza-graph":
        assert said[0].endswith(", on from the last checkpoint")
    assert len(system.load(tmp_path)(sentences_of(treebanks)).sentences) == SIZES["test"]


def test_an_unknown_kind_is_refused(settings: StanzaSettings, treebanks: Treebanks) -> None:
    with pytest.raises(DataError, match="did you mean stanza-mapped"):
        stanza_system("stanza-maped", settings, treebanks, 1, "cpu")


@pytest.mark.parametrize("kind", HOSTED)
def test_options_that_stanza_does_not_take_are_refused(
    kind: str, settings: StanzaSettings, treebanks: Treebanks, tmp_path: Path
) -> None:
    """Before anything is trained, and as an error, where Stanza's program would just exit."""
    wrong = replace(settings, graph_options=("--hiden_dim", "8"))
    said: list[str] = []
    with pytest.raises(DataError, match=r"unrecognized arguments: --hiden_dim 8; change graph_opt"):
        stanza_system(kind, wrong, treebanks, 1, "cpu").train(tmp_path, said.append)
    assert said == []


@pytest.mark.parametrize("kind", ["stanza-mapped", "stanza-in-order"])
def test_sentences_are_not_turned_around(
    kind: str, settings: StanzaSettings, treebanks: Treebanks, tmp_path: Path
) -> None:
    """Stanza would turn its trees back, but not the transitions that a study looks at."""
    options = (*settings.tree_options, "--reversed")
    turned = stanza_system(kind, replace(settings, tree_options=options), treebanks, 1, "cpu")
    with pytest.raises(DataError, match="gives reversed as True, and it is False by what else"):
        turned.train(tmp_path, ignored)


@pytest.mark.parametrize("kind", ["stanza-mapped", "stanza-in-order"])
def test_a_labeller_takes_no_embeddings_of_arcs(
    kind: str, settings: StanzaSettings, treebanks: Treebanks, tmp_path: Path
) -> None:
    """It scores labels by another part of the network, which Stanza does not make then."""
    options = (*settings.graph_options, "--use_arc_embedding")
    said: list[str] = []
    system = stanza_system(kind, replace(settings, graph_options=options), treebanks, 1, "cpu")
    with pytest.raises(DataError, match="not by --use_arc_embedding; change graph_options"):
        system.train(tmp_path, said.append)
    assert said == []


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
@pytest.mark.parametrize("kind", HOSTED)
def test_a_gpu_that_is_not_there_is_told(
    kind: str, settings: StanzaSettings, treebanks: Treebanks
) -> None:
    with pytest.raises(CallError, match="torch finds no GPU here"):
        stanza_system(kind, settings, treebanks, 1, "cuda")


def test_a_tree_parser_without_its_labeller_is_told(
    settings: StanzaSettings, treebanks: Treebanks, tmp_path: Path
) -> None:
    (tmp_path / "tree").mkdir()
    system = stanza_system("stanza-mapped", settings, treebanks, 1, "cpu")
    assert system.trained(tmp_path) is None
    Part(tmp_path / "tree").finish(5)
    with pytest.raises(DataError, match="a parser without its labeller; copy that"):
        system.trained(tmp_path)


def test_the_little_language_is_lifted(treebanks: Treebanks) -> None:
    trees = [sentence.tree for sentence in conllu.read(treebanks.train[0])]
    assert any(lift(tree, treebanks.lifting) is not tree for tree in trees)
