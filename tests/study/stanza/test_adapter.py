"""The mapped system in Stanza: its legality, its vectors, and that Stanza comes back as it was."""

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
from stanza.models import constituency_parser
from stanza.models.common.pretrain import Pretrain
from stanza.models.constituency import parse_transitions, parser_training, transition_sequence
from stanza.models.constituency.base_model import SimpleModel
from stanza.models.constituency.lstm_model import LSTMModel
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
from arctree.study.stanza.compositions import BOUND, OF_EQUAL_NUMBERS, composed
from arctree.study.stanza.graph_parser import fixed_heads
from arctree.study.stanza.settings import CompositionName, StanzaSettings
from arctree.study.stanza.systems import stanza_system
from arctree.study.stanza.tree_parser import TreeKind, TreeParser
from arctree.study.stanza.trees import as_read, as_relation, format_for_stanza, read_heads
from arctree.study.stanza.vectors import write_pretrain
from arctree.study.system import Treebanks
from arctree.transitions import LEFTARC, RIGHTARC, SHIFT, Configuration, Transition
from strategies import projective_trees
from toy_language import toy_treebank

COMPOSITIONS = ("bilstm", "untied_max", "tree_lstm", "untied_key")


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


def preterminals(size: int) -> list[Any]:
    return [Tree("_", Tree(f"word{number}")) for number in range(1, size + 1)]


# With nothing beside them, as in the paper.
ACTIONS: dict[Transition, Any] = {
    SHIFT: actions.Shift(),
    LEFTARC: actions.LeftArc(),
    RIGHTARC: actions.RightArc(),
}


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


def network(
    folder: Path, composition: str, transitions: list[Any] | None = None, scheme: str = SCHEME
) -> Any:
    """Stanza's network, small, with random weights; over the mapped actions if not over others."""
    torch.manual_seed(1)
    write_pretrain((), 1, folder / "vectors.pt")
    arguments = constituency_parser.parse_args(
        [
            *("--hidden_size", "8", "--constituency_composition", composition, "--no_retag"),
            *("--tag_embedding_dim", "0", "--device", "cpu"),
            *("--transition_scheme", scheme),
        ]
    )
    model = LSTMModel(
        Pretrain(str(folder / "vectors.pt")),
        *(None, None, None, None, False, None),
        transitions or list(ACTIONS.values()),
        ["ROOT", "UA"],
        ["_"],
        ["word1", "word2", "word3"],
        [],
        ["ROOT"],
        actions.COMPOSED,
        3,
        arguments,
    )
    return model.eval()


def run(model: Any, transitions: list[Transition], size: int = 3) -> Any:
    """The state of Stanza's network after these transitions."""
    state = model.initial_state_from_preterminals([preterminals(size)], None, None)[0]
    for transition in transitions:
        state = ACTIONS[transition].apply(state, model)
    return state


def with_number(item: Any, number: float) -> Any:
    """An item of the stack whose vector is made of this number."""
    vector = torch.full_like(item.value.tree_hx, number)
    return item._replace(value=item.value._replace(tree_hx=vector))


def vector(state: Any) -> Any:
    """That of the topmost tree."""
    return state.constituents.value.value.tree_hx


@pytest.mark.parametrize(
    ("kind", "named", "composition"),
    [
        ("mapped", "default", "untied_max"),
        ("in-order", "default", "max"),
        ("mapped", "max", "max"),
        ("in-order", "bilstm", "bilstm"),
    ],
)
def test_the_composition_that_stanza_is_told(
    kind: TreeKind, named: CompositionName, composition: str, tmp_path: Path
) -> None:
    parser = TreeParser(kind, StanzaSettings(composition=named), 1, "cpu")
    told = constituency_parser.parse_args(parser._arguments(tmp_path))
    assert told["constituency_composition"].name.lower() == composition


@pytest.mark.parametrize("composition", COMPOSITIONS)
def test_leftarc_and_rightarc_give_different_vectors(composition: str, tmp_path: Path) -> None:
    model = network(tmp_path, composition)
    left, right = (run(model, [SHIFT, SHIFT, arc]) for arc in (LEFTARC, RIGHTARC))
    assert not torch.allclose(vector(left), vector(right))


def test_with_max_they_give_the_same_vector(tmp_path: Path) -> None:
    """Why the mapped system does not run on Stanza's default composition."""
    model = network(tmp_path, "max")
    left, right = (run(model, [SHIFT, SHIFT, arc]) for arc in (LEFTARC, RIGHTARC))
    assert torch.equal(vector(left), vector(right))


@pytest.mark.parametrize("composition", ["bilstm", "untied_key", "untied_max", "max"])
def test_composing_in_one_go_changes_nothing(composition: str, tmp_path: Path) -> None:
    """A composition as Stanza computes it, and as it is computed for two trees each."""
    model = network(tmp_path, composition)
    states = [run(model, [SHIFT, SHIFT]), run(model, [SHIFT, SHIFT, SHIFT])]
    data = [arc.update_state(state, model)[2] for state in states for arc in ARCS]
    ours = actions.LeftArc.build_constituents(model, data)
    theirs = model.build_constituents(*map(list, zip(*data, strict=True)))
    for mine, other in zip(ours, theirs, strict=True):
        assert torch.allclose(mine.tree_hx, other.tree_hx, atol=1e-6)


ARCS = (actions.LeftArc(), actions.RightArc())


@pytest.mark.parametrize(
    ("composition", "tells"),
    [("max", False), ("untied_max", False), ("untied_key", True), ("bilstm", True)],
)
def test_which_compositions_know_left_from_right(
    composition: str, tells: bool, tmp_path: Path
) -> None:
    model = network(tmp_path, composition)
    compose = OF_EQUAL_NUMBERS[model.constituency_composition]
    label = torch.tensor([0])
    pair = torch.randn(1, 2, model.hidden_size)
    there, back = compose(model, label, pair), compose(model, label, pair.flip(1))
    assert torch.allclose(there, back, atol=1e-6) is not tells


@pytest.mark.parametrize("composition", ["untied_max", "max"])
def test_a_tree_that_is_composed_often_stays_finite(composition: str, tmp_path: Path) -> None:
    """With weights that make it larger each time; its gradients are numbers, too."""
    model = network(tmp_path, composition)
    with torch.no_grad():
        for weights in model.parameters():
            weights.mul_(4)
    label, tree = torch.tensor([0]), torch.rand(1, model.hidden_size)
    compose = OF_EQUAL_NUMBERS[model.constituency_composition]
    unbounded = tree
    for _ in range(1000):
        tree = composed(model, label, torch.stack([tree, tree], dim=1))
        with torch.no_grad():
            pair = torch.stack([unbounded, unbounded], dim=1)
            unbounded = model.nonlinearity(compose(model, label, pair))
    assert not unbounded.isfinite().all()
    with hosting(mapped=False):
        state = run(model, [SHIFT, SHIFT])
        data = [arc.update_state(state, model)[2] for arc in ARCS]
        large = [[with_number(item, 1e30) for item in pair] for _, pair in data]
        built = model.build_constituents([label for label, _ in data], large)
    assert all(0 < item.tree_hx.detach().max() <= BOUND for item in built)
    assert 0 < tree.detach().max() <= BOUND
    torch.autograd.backward(tree.sum())
    gradients = [weights.grad for weights in model.parameters() if weights.grad is not None]
    assert gradients
    assert all(gradient.isfinite().all() for gradient in gradients)


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


def test_what_is_beside_an_action_makes_it_another() -> None:
    names = ["SHIFT", "SHIFT(NN)", "SHIFT(VB)", "LEFTARC", "LEFTARC(det)", "RIGHTARC(det)"]
    with hosting(mapped=True):
        read = [StanzaTransition.from_repr(name) for name in reversed(names)]
    assert list(map(repr, sorted(read))) == names
    assert len(set(read)) == 6
    kinds = [SHIFT, SHIFT, SHIFT, LEFTARC, LEFTARC, RIGHTARC]
    assert list(actions.taken(sorted(read))) == kinds


def test_shifts_of_stanza_s_own_parser_may_have_supertags() -> None:
    first, second = preterminals(2)
    tree = Tree("ROOT", [Tree("root", [Tree("det", [first]), second])])
    words = tuple(tree.leaf_labels())
    scheme = TransitionScheme.IN_ORDER
    plain = transition_sequence.build_sequence(tree, scheme)
    with hosting(mapped=False, tags={words: ["NN", "VB"]}):
        tagged = transition_sequence.build_sequence(tree, scheme)
        read = [StanzaTransition.from_repr(repr(action)) for action in tagged]
        verify_transitions([tree], [tagged], scheme, 5, False, "toy", ["ROOT"])
        own = StanzaTransition.from_repr("Shift")
    shifts = [action for action in tagged if isinstance(action, parse_transitions.Shift)]
    assert list(map(repr, shifts)) == ["Shift(NN det >)", "Shift(VB root |)"]
    assert [action for action in tagged if action not in shifts] == [
        action for action in plain if type(action) is not parse_transitions.Shift
    ]
    assert [action.short_name() for action in tagged] == [one.short_name() for one in plain]
    assert read == tagged
    assert type(own) is parse_transitions.Shift


def test_however_improbable_the_more_probable_action_is_before_the_other(tmp_path: Path) -> None:
    """It may be that the most probable one is not legal."""
    names = ["SHIFT(a)", "SHIFT(b)", "LEFTARC(x)", "LEFTARC(y)", "RIGHTARC(x)"]
    with hosting(mapped=True):
        model = network(tmp_path, "max", list(map(StanzaTransition.from_repr, names)))
        state = model.initial_state_from_preterminals([preterminals(3)], None, None)
        with torch.no_grad():
            model.output_layers[-1].weight.zero_()
            scores = {
                "SHIFT(a)": 500,
                "RIGHTARC(x)": 50,
                "LEFTARC(y)": 10,
                "LEFTARC(x)": -torch.inf,
            }
            for place, transition in enumerate(model.transitions):
                model.output_layers[-1].bias[place] = scores.get(repr(transition), 0.0)
        found = dict(zip(map(repr, model.transitions), model.forward(state)[0], strict=True))
    order = sorted(found, key=lambda name: -float(found[name].detach()))
    assert order == ["SHIFT(a)", "RIGHTARC(x)", "LEFTARC(y)", "SHIFT(b)", "LEFTARC(x)"]


def test_transitions_that_build_other_trees_are_not_summed(tmp_path: Path) -> None:
    names = ["Shift", "CompoundUnary(('x',))", "CompoundUnary(('y',))", "CloseConstituent"]
    opened = ["OpenConstituent(('x',))", "OpenConstituent(('x', 'y'))"]
    transitions = [StanzaTransition.from_repr(name) for name in [*names, *opened]]
    model = network(tmp_path, "max", transitions, "IN_ORDER")
    state = model.initial_state_from_preterminals([preterminals(3)], None, None)
    plain = model.forward(state)
    with hosting(mapped=False):
        assert torch.equal(model.forward(state), plain)


@pytest.mark.parametrize("mapped", [True, False])
def test_an_action_is_as_probable_as_all_its_kinds(mapped: bool, tmp_path: Path) -> None:
    """The sum goes to the most probable kind; nothing is changed in training."""
    if mapped:
        kinds = [["SHIFT(a)", "SHIFT(b)"], ["LEFTARC(x)", "LEFTARC(y)"], ["RIGHTARC(x)"]]
    else:
        opened = [f"OpenConstituent(('{label}',))" for label in ("x", "y", "ROOT")]
        kinds = [["Shift(a)", "Shift(b)"], opened[:2], opened[2:], ["CloseConstituent"]]
    with hosting(mapped=mapped):
        transitions = [StanzaTransition.from_repr(name) for some in kinds for name in some]
    model = network(tmp_path, "max", transitions, "IN_ORDER" if not mapped else SCHEME)
    state = model.initial_state_from_preterminals([preterminals(3)], None, None)
    plain = model.forward(state)[0].softmax(0).detach()
    with hosting(mapped=mapped), hosting(mapped=mapped):  # which sums no more than one does
        found = model.forward(state)[0].exp()
        model.train()
        torch.manual_seed(1)
        learning = model.forward(state)
    torch.manual_seed(1)
    assert torch.equal(learning, model.forward(state))
    names = list(map(repr, model.transitions))
    for some in kinds:
        group = sorted(map(names.index, some), key=lambda place: -float(plain[place]))
        assert torch.allclose(found[group[0]], plain[group].sum())
        assert torch.allclose(found[group[1:]], plain[group[1:]])


def test_other_schemes_are_left_alone() -> None:
    tree = Tree("ROOT", [Tree("UA", preterminals(2))])
    in_order = TransitionScheme.IN_ORDER
    plain = transition_sequence.build_sequence(tree, in_order)
    nodes = parser_training.get_open_nodes([tree], in_order)
    with hosting(mapped=True):
        assert transition_sequence.build_sequence(tree, in_order) == plain
        assert parser_training.get_open_nodes([tree], in_order) == nodes
