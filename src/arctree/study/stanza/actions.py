"""SHIFT, LEFTARC and RIGHTARC as transitions of Stanza's constituency parser (Section 3.2).

Stanza's parser keeps a stack of trees, each with a vector, and a queue of words. That is the
mapped configuration, but for the artificial root, which lies at the bottom of the paper's stack
and is not there in Stanza's. So RIGHTARC with one tree on the stack is the arc from the root: it
puts the tree under ``ROOT``, by which Stanza knows that it has finished. Nothing else is needed,
no ``Finalize`` either: a sentence of n words takes 2n transitions of these three kinds.

    ==========  =====================================================  =====================
    transition  over Stanza's stack                                    legal when
    ==========  =====================================================  =====================
    SHIFT       pushes the singleton tree of the next word             words are left
    LEFTARC     t_i, t_j on top: t_i becomes leftmost in t_j           two trees
    RIGHTARC    t_i, t_j on top: t_j becomes rightmost in t_i          two trees
                t_j alone: it becomes the root's one dependent         no words are left
    ==========  =====================================================  =====================

The trees on the stack are those of the paper, and their vectors are composed by Stanza from the
vectors of the two trees, in surface order, under the label LEFTARC or RIGHTARC.

The paper's transitions know no relations, and neither do these by themselves. Where the gold trees
bear them, there is a LEFTARC and a RIGHTARC for each, which writes it on the dependent's node; and
where tags are to be learnt there is a SHIFT for each (:mod:`arctree.study.stanza.beside`).

This module imports Stanza; :mod:`arctree.study.stanza.adapter` imports it once it knows that
the right one is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from stanza.models.constituency import parse_transitions
from stanza.models.constituency.lstm_model import Constituent
from stanza.models.constituency.parse_tree import Tree

from arctree.dependency import UNLABELED_ARC, DependencyTree
from arctree.oracle import canonical_derivation, derive
from arctree.study.stanza.beside import Told
from arctree.study.stanza.compositions import OF_EQUAL_NUMBERS, composed
from arctree.study.stanza.trees import ROOT_LABEL, read_heads, read_relations
from arctree.transitions import LEFTARC, RIGHTARC, SHIFT, Transition

# What Stanza calls an update: the place in the queue, the stack without what was popped, what to
# push, and who makes it ready to be pushed, for a whole batch at a time.
Update = tuple[int, Any, Any, Any]


class Shift(Told, parse_transitions.Shift):  # type: ignore[misc]
    """Pushes the singleton tree of the next word."""

    transition = SHIFT
    name = SHIFT.name

    def update_state(self, state: Any, model: Any) -> Update:
        """Stanza's own shift, with a node over the word."""
        position, stack, pushed, finish = super().update_state(state, model)
        return position, stack, _with_tree(pushed, Tree(UNLABELED_ARC, _tree(pushed))), finish

    def is_legal(self, state: Any, model: Any) -> bool:
        return not state.empty_word_queue()


class _Arc(Told, parse_transitions.Transition):  # type: ignore[misc]
    """An arc between the two topmost trees; Stanza builds those of a whole batch at once."""

    transition: Transition

    def _update(self, state: Any) -> Update:
        right, stack = state.constituents.value, state.constituents.pop()
        left, stack = stack.value, stack.pop()
        if self.transition is LEFTARC:
            left = self._related(left)
        else:
            right = self._related(right)
        return state.word_position, stack, ((self.transition.name,), [left, right]), _Arc

    def _related(self, item: Any) -> Any:
        """An item of the stack, its tree bearing the relation."""
        tree = Tree(self.beside or UNLABELED_ARC, _tree_on_stack(item).children)
        return tree if isinstance(item, Tree) else item._replace(value=_with_tree(item.value, tree))

    @staticmethod
    def build_constituents(model: Any, data: list[tuple[tuple[str], list[Any]]]) -> list[Any]:
        """The trees with their vectors, for Stanza's stack."""
        labels = [label for label, _ in data]
        pairs = [pair for _, pair in data]
        built = _compose(model, labels, pairs)
        if built is None:
            built = model.build_constituents(labels, pairs)
        return [
            _with_tree(item, _attached(label, *map(_tree_on_stack, pair)))
            for item, (label,), pair in zip(built, labels, pairs, strict=True)
        ]


class LeftArc(_Arc):
    """Makes the second tree the leftmost dependent of the topmost."""

    transition = LEFTARC
    name = LEFTARC.name

    def update_state(self, state: Any, model: Any) -> Update:
        """The two trees, to be joined."""
        return self._update(state)

    def is_legal(self, state: Any, model: Any) -> bool:
        return bool(state.num_constituents() >= 2)


class RightArc(_Arc):
    """Makes the topmost tree the rightmost dependent of the second, or of the root."""

    transition = RIGHTARC
    name = RIGHTARC.name

    def update_state(self, state: Any, model: Any) -> Update:
        """The two trees, to be joined; or the last one, to be put under the root."""
        if state.num_constituents() >= 2:
            return self._update(state)
        whole, stack = state.constituents.value, state.constituents.pop()
        return (
            state.word_position,
            stack,
            ((ROOT_LABEL,), [self._related(whole)]),
            parse_transitions.CloseConstituent,
        )

    def is_legal(self, state: Any, model: Any) -> bool:
        trees = state.num_constituents()
        if trees >= 2:
            return True
        return trees == 1 and state.empty_word_queue() and not state.finished(model)


KINDS = (Shift, LeftArc, RightArc)
# The labels under which vectors are composed.
COMPOSED = [(LEFTARC.name,), (RIGHTARC.name,), (ROOT_LABEL,)]


def gold_sequence(tree: Any, words: Sequence[str] = ()) -> list[Any]:
    """The canonical derivation of a tree of Stanza's that is T(D), with the relations of D.

    And with the supertags of the words, if they are given.
    """
    relations = ["" if label == UNLABELED_ARC else label for label in read_relations(tree)]
    words = words or [""] * len(relations)
    sequence: list[Any] = []
    for step in derive(_unlabelled(read_heads(tree)[0])):
        if step.arc is not None:
            arc = LeftArc if step.transition is LEFTARC else RightArc
            sequence.append(arc(relations[step.arc[1] - 1]))
        elif step.transition is SHIFT:
            sequence.append(Shift(words[step.configuration.buffer[0] - 1]))
    return sequence


def derivation_of(heads: tuple[int, ...]) -> tuple[Transition, ...]:
    """The canonical derivation of the tree with these heads."""
    return canonical_derivation(_unlabelled(heads))


def taken(actions: list[Any]) -> tuple[Transition, ...]:
    """The transitions that actions of Stanza's are."""
    return tuple(action.transition for action in actions)


def _unlabelled(heads: tuple[int, ...]) -> DependencyTree:
    words = ("_",) * len(heads)
    return DependencyTree.trusted(words, heads, words, words)


def _attached(label: str, left: Any, right: Any) -> Any:
    """The head's tree with one more dependent."""
    if label == LEFTARC.name:
        return Tree(UNLABELED_ARC, (left, *right.children))
    return Tree(UNLABELED_ARC, (*left.children, right))


def _tree_on_stack(item: Any) -> Any:
    """The tree of an item of the stack, of Stanza's network or of its model without one."""
    return item if isinstance(item, Tree) else item.value.value


def _tree(item: Any) -> Any:
    return item if isinstance(item, Tree) else item.value


def _with_tree(item: Any, tree: Any) -> Any:
    return tree if isinstance(item, Tree) else item._replace(value=tree)


def _compose(model: Any, labels: list[tuple[str]], pairs: list[list[Any]]) -> list[Any] | None:
    """What Stanza's composition gives, in one go; nothing for those that are left to Stanza."""
    if getattr(model, "constituency_composition", None) not in OF_EQUAL_NUMBERS:
        return None
    numbers = [model.constituent_open_map[label] for label in labels]
    label = torch.tensor(numbers, device=model.word_zeros.device)
    sides = [torch.cat([pair[side].value.tree_hx for pair in pairs]) for side in range(2)]
    vectors = composed(model, label, torch.stack(sides, dim=1))
    return [Constituent(None, vector, None) for vector in vectors.split(1)]
