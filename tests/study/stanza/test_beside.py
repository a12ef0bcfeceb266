"""What is learnt beside the transitions of Stanza's parsers, and counts for nothing in parsing."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from stanza.models.constituency import parse_transitions, transition_sequence
from stanza.models.constituency.parse_transitions import Transition as StanzaTransition
from stanza.models.constituency.parse_transitions import TransitionScheme
from stanza.models.constituency.parse_tree import Tree
from stanza.models.constituency.utils import verify_transitions

from arctree.errors import DataError
from arctree.study.stanza import actions
from arctree.study.stanza.adapter import SCHEME, hosting
from arctree.transitions import LEFTARC, RIGHTARC, SHIFT
from stanza_networks import network, preterminals


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


@pytest.mark.parametrize("mapped", [True, False])
def test_a_tree_without_its_tags_is_told_if_it_bears_relations(mapped: bool) -> None:
    """Bare ones need no tags."""
    first, second = preterminals(2)
    scheme = TransitionScheme[SCHEME if mapped else "IN_ORDER"]
    with hosting(mapped=mapped, tags={("word2", "word1"): ["NN", "VB"]}):
        tree = Tree("ROOT", [Tree("root", [Tree("det", [first]), second])])
        with pytest.raises(DataError, match=r"word1 word2.*tree_options"):
            transition_sequence.build_sequence(tree, scheme)
        bare = Tree("ROOT", [Tree("UA", [Tree("UA", [first]), second])])
        shift = transition_sequence.build_sequence(bare, scheme)[0]
    assert repr(shift).upper() == "SHIFT"


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
