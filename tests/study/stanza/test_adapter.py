"""The mapped system in Stanza: its legality, and that Stanza comes back as it was."""

from __future__ import annotations

import logging
import sys
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from stanza.models.constituency import parser_training, transition_sequence
from stanza.models.constituency.base_model import SimpleModel
from stanza.models.constituency.parse_transitions import Transition as StanzaTransition
from stanza.models.constituency.parse_transitions import TransitionScheme
from stanza.models.constituency.parse_tree import Tree
from stanza.models.constituency.tree_reader import read_trees
from stanza.models.constituency.utils import verify_transitions

from arctree import conllu
from arctree.errors import CallError, MissingExtraError
from arctree.oracle import canonical_derivation
from arctree.study.configuring import HOSTED
from arctree.study.stanza import actions
from arctree.study.stanza.adapter import SCHEME, TESTED, check_release, hosting
from arctree.study.stanza.graph_parser import fixed_heads
from arctree.study.stanza.settings import StanzaSettings
from arctree.study.stanza.systems import stanza_system
from arctree.study.stanza.trees import as_read, as_relation, format_for_stanza, read_heads
from arctree.study.system import Treebanks
from arctree.transitions import LEFTARC, RIGHTARC, SHIFT, Configuration, Transition
from stanza_networks import ACTIONS, network, preterminals, run
from strategies import projective_trees
from toy_language import toy_treebank


def everything_in_stanza() -> dict[tuple[str, ...], int]:
    """Every attribute of every module and class of Stanza that is loaded, by identity."""
    found: dict[tuple[str, ...], int] = {}
    for name, module in sorted(sys.modules.items()):
        if name.split(".")[0] == "stanza":
            for attribute, value in vars(module).items():
                found[name, attribute] = id(value)
                if isinstance(value, type):
                    for inner, inner_value in vars(value).items():
                        found[name, attribute, inner] = id(inner_value)
    for name, logger in sorted(logging.root.manager.loggerDict.items()):
        if isinstance(logger, logging.Logger):
            found["logger", name] = logger.level
    return found


@pytest.fixture
def before() -> dict[tuple[str, ...], int]:
    """All of Stanza before it is touched, with what is imported on the way."""
    for name in ("charlm", "constituency_parser", "parser", "tagger"):
        import_module(f"stanza.models.{name}")
    with hosting(mapped=True, score=len), fixed_heads():
        pass
    return everything_in_stanza()


def test_stanza_comes_back_as_it_was(before: dict[tuple[str, ...], int]) -> None:
    with hosting(mapped=True, score=len), fixed_heads():
        within = everything_in_stanza()
    assert everything_in_stanza() == before
    changed = {key[-1] for key in before if within[key] != before[key] and key[0] != "logger"}
    assert {"EvaluateParser", "build_sequence", "from_repr", "predict", "push_states"} <= changed
    assert {"initial_word_queues", "transform_word_to_constituent"} <= changed


@pytest.mark.parametrize("kind", HOSTED)
def test_stanza_comes_back_after_training_and_parsing(
    kind: str, before: dict[tuple[str, ...], int], tmp_path: Path
) -> None:
    train, dev, test = (str(tmp_path / f"{name}.conllu") for name in ("train", "dev", "test"))
    for seed, path in enumerate((train, dev, test)):
        conllu.write(toy_treebank(20 if path == train else 4, seed), path)
    small = StanzaSettings(
        epochs=2,
        epoch_size=10,
        batch=10,
        spelling=4,
        letters=True,
        characters=4,
        character_epochs=1,
        tag_steps=2,
        steps=2,
        word_batch=100,
        tree_options=("--hidden_size", "8"),
        graph_options=("--hidden_dim", "8", "--char_hidden_dim", "8"),
        tagger_options=("--hidden_dim", "8", "--char_hidden_dim", "8"),
    )
    system = stanza_system(kind, small, Treebanks((train,), (dev,), (test,)), 1, "cpu")
    save, load = torch.save, torch.load
    system.train(tmp_path / "model", lambda message: None)
    parsed = system.load(tmp_path / "model")(list(conllu.read(test)))
    assert len(parsed.sentences) == 4
    after = everything_in_stanza()
    assert {key: after[key] for key in before} == before
    assert (torch.save, torch.load) == (save, load)


def test_stanza_comes_back_after_an_exception(before: dict[tuple[str, ...], int]) -> None:
    with pytest.raises(ZeroDivisionError), hosting(mapped=True, score=len), fixed_heads():
        raise ZeroDivisionError
    assert everything_in_stanza() == before


def test_other_releases_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "stanza-1.10.1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: stanza\nVersion: 1.10.1\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(CallError, match=rf"Stanza 1\.10\.1 is installed.*{TESTED}") as caught:
        check_release()
    assert "pip install" in str(caught.value)
    with pytest.raises(CallError), hosting(mapped=True):
        pass


def test_without_stanza_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(MissingExtraError, match=r"arctree\[stanza\]"):
        check_release()


def test_a_file_that_is_not_saved_to_its_end_is_left_as_it_was(tmp_path: Path) -> None:
    """Stanza writes checkpoints over each other; a run may be killed while it does."""
    path = tmp_path / "checkpoint.pt"
    plain = torch.save
    with hosting(mapped=True):
        torch.save({"epoch": 1}, str(path))
        with pytest.raises(TypeError):
            torch.save({"epoch": 2, "not to be saved": (n for n in range(1))}, str(path))
        assert torch.load(path, weights_only=True) == {"epoch": 1}
    assert torch.save is plain


def action_of(transition: Transition, beside: str) -> Any:
    """The transition in Stanza, with something beside it."""
    return type(ACTIONS[transition])(beside)


@given(st.integers(1, 8), st.randoms(use_true_random=False))
def test_legality_is_that_of_the_transitions(size: int, source: Random) -> None:
    """On a random walk, at every step, for every transition; and the walk builds the same arcs.

    With something beside it, too, whatever it is.
    """
    model = SimpleModel(root_labels=("ROOT",))
    state = model.initial_state_from_preterminals([preterminals(size)], None, None)[0]
    configuration = Configuration.initial(size)
    for _ in range(2 * size):
        assert not state.finished(model)
        legal = [transition for transition in Transition if transition.is_legal(configuration)]
        assert legal == [
            transition for transition in Transition if ACTIONS[transition].is_legal(state, model)
        ]
        assert legal == [
            transition
            for transition in Transition
            if action_of(transition, "root").is_legal(state, model)
        ]
        chosen = source.choice(legal)
        configuration = chosen(configuration)
        state = action_of(chosen, source.choice(["", "root", "det"])).apply(state, model)
    assert configuration.is_terminal
    assert state.finished(model)
    assert not any(action.is_legal(state, model) for action in ACTIONS.values())
    heads, is_mended = read_heads(state.get_tree(model))
    assert not is_mended
    assert {(head, word) for word, head in enumerate(heads, start=1)} == configuration.arcs


@given(projective_trees)
def test_gold_sequences_build_the_gold_tree(tree: Any) -> None:
    """Stanza's own check: its sequences rebuild its trees, each transition legal."""
    with hosting(mapped=True):
        (gold,) = read_trees(format_for_stanza(tree.words, tree.heads, ["_"] * len(tree)))
        scheme = TransitionScheme[SCHEME]
        sequence = transition_sequence.build_sequence(gold, scheme)
        verify_transitions([gold], [sequence], scheme, 5, False, "toy", ["ROOT"])
    assert actions.taken(sequence) == canonical_derivation(tree)
    assert len(sequence) == 2 * len(tree)


@given(projective_trees)
def test_gold_sequences_build_the_relations_of_the_gold_tree(tree: Any) -> None:
    """By Stanza's own check, with every relation on its node; the derivation stays the same."""
    relations = [as_relation(str(label)) for label in tree.labels]
    tags = [f"tag{number % 3}" for number in range(len(tree))]
    with hosting(mapped=True, tags={tuple(map(as_read, tree.words)): tags}):
        line = format_for_stanza(tree.words, tree.heads, ["_"] * len(tree), relations)
        (gold,) = (found.simplify_labels() for found in read_trees(line))
        scheme = TransitionScheme[SCHEME]
        sequence = transition_sequence.build_sequence(gold, scheme)
        verify_transitions([gold], [sequence], scheme, 5, False, "toy", ["ROOT"])
        read = [StanzaTransition.from_repr(repr(action)) for action in sequence]
    assert actions.taken(sequence) == canonical_derivation(tree)
    arcs = [action.beside or "UA" for action in sequence if action.transition is not SHIFT]
    assert sorted(arcs) == sorted(relations)
    shifts = [action.beside for action in sequence if action.transition is SHIFT]
    if set(relations) == {"UA"}:
        assert shifts == [""] * len(tree)
    else:
        told = [shift.split(" ") for shift in shifts]
        assert [tag for tag, *_ in told] == tags
        assert [relation for _, relation, _ in told] == relations
        sides = ["|" if head == 0 else "<>"[head > word] for word, head in enumerate(tree.heads, 1)]
        assert [side for *_, side in told] == sides
    assert read == sequence


@pytest.mark.parametrize("composition", ["bilstm", "tree_lstm", "untied_max"])
def test_states_handed_out_together_change_nothing(composition: str, tmp_path: Path) -> None:
    """Scores and gradients with Stanza's own stacks and within the context."""
    model = network(tmp_path, composition)
    walk = [SHIFT, SHIFT, LEFTARC, SHIFT, RIGHTARC]

    def outcome() -> tuple[Any, list[Any]]:
        model.zero_grad()
        scores = model.forward([run(model, walk), run(model, walk[:3])])
        scores.sum().backward()
        return scores, [weight.grad for weight in model.parameters() if weight.grad is not None]

    plain, plain_gradients = outcome()
    with hosting(mapped=True):
        quick, quick_gradients = outcome()
    assert torch.allclose(plain, quick, atol=1e-6)
    assert len(plain_gradients) == len(quick_gradients) > 5
    for before, after in zip(plain_gradients, quick_gradients, strict=True):
        assert torch.allclose(before, after, atol=1e-5)


def test_models_are_read_within_the_context_only() -> None:
    with hosting(mapped=True):
        read = [StanzaTransition.from_repr(name) for name in ("SHIFT", "LEFTARC", "Shift")]
    assert [type(action) for action in read[:2]] == [actions.Shift, actions.LeftArc]
    with pytest.raises(ValueError, match="Unknown Transition"):
        StanzaTransition.from_repr("LEFTARC")


def test_the_mapped_system_has_three_actions() -> None:
    assert [repr(action) for action in sorted(ACTIONS.values())] == [
        "SHIFT",
        "LEFTARC",
        "RIGHTARC",
    ]
    assert len(set(ACTIONS.values())) == 3


def test_other_schemes_are_left_alone() -> None:
    tree = Tree("ROOT", [Tree("UA", preterminals(2))])
    in_order = TransitionScheme.IN_ORDER
    plain = transition_sequence.build_sequence(tree, in_order)
    nodes = parser_training.get_open_nodes([tree], in_order)
    with hosting(mapped=True):
        assert transition_sequence.build_sequence(tree, in_order) == plain
        assert parser_training.get_open_nodes([tree], in_order) == nodes
