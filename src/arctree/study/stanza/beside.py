"""What is learnt beside the transitions: the relations of arcs and nodes, the supertags of words.

The paper's transitions know neither. But a network that has to tell relations, too, learns more of
a sentence, and finds better heads for it: Stanza's own parser and the native ones learn relations
on the encoder that finds the heads, the native ones tags as well. A constituency parser learns what
its trees bear. So, where the study asks for it, an arc or an opened node is learnt with its
relation, and a SHIFT with the supertag of its word, that is its tag, its relation and the side on
which its head is: ``NOUN obl <``. There are as many kinds of each as the training file has, and
Stanza's loss is the same.

In parsing a transition is as probable as all its kinds together: :func:`summed` gives that sum to
the most probable kind, which is then what the network remembers. What a transition does and when
it is legal does not depend on its kind.

This module imports Stanza; :mod:`arctree.study.stanza.adapter` imports it once it knows that
the right one is there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import torch
from stanza.models.constituency import parse_transitions

from arctree.dependency import NO_TAG, UNLABELED_ARC
from arctree.errors import DataError
from arctree.study.stanza.trees import read_heads, read_relations

Forward = Callable[[Any, Any], Any]


class Told:
    """A transition of a kind: with a relation or a tag, or with nothing beside it."""

    name: str

    def __init__(self, beside: str = "") -> None:
        self.beside = beside

    def short_name(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"{self.name}({self.beside})" if self.beside else self.name

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __lt__(self, other: Any) -> bool:
        """Shifts first, as Stanza has them, then by what is printed."""
        return _place(self) < _place(other)


def _place(transition: Any) -> tuple[bool, str]:
    return not isinstance(transition, parse_transitions.Shift), repr(transition)


class TaggedShift(Told, parse_transitions.Shift):  # type: ignore[misc]
    """Stanza's own shift, learnt with the supertag of its word."""

    name = "Shift"


def supertags(tree: Any, tags: Mapping[tuple[str, ...], Sequence[str]]) -> list[str]:
    """Of each word of T(D) its tag, its relation and its head's side; none if no node bears one.

    The tags are those of sentences, by their words; if there are none at all, no word has one.
    """
    relations = read_relations(tree)
    if set(relations) == {UNLABELED_ARC}:
        return []
    words = tuple(tree.leaf_labels())
    if tags and words not in tags:
        raise DataError(
            f"nothing is known of the tags of a tree that is to be learnt: {' '.join(words)}",
            "leave out of stanza.tree_options what changes the words of trees",
        )
    heads, _ = read_heads(tree)
    rows = zip(tags.get(words, (NO_TAG,) * len(words)), relations, heads, strict=True)
    return [
        f"{tag} {relation} {_side(word, head)}"
        for word, (tag, relation, head) in enumerate(rows, start=1)
    ]


def _side(word: int, head: int) -> str:
    if head == 0:
        return "|"
    return "<" if head < word else ">"


def with_supertags(sequence: Sequence[Any], words: Sequence[str]) -> list[Any]:
    """A sequence of Stanza's own transitions, its shifts with the supertags of their words."""
    left = iter(words)
    return [
        TaggedShift(next(left)) if type(transition) is parse_transitions.Shift else transition
        for transition in sequence
    ]


def read_told(text: str, kinds: Sequence[type[Told]]) -> Any:
    """The transition of one of these kinds that is printed so; nothing if there is none."""
    if text == TaggedShift.name:  # without a supertag it is Stanza's own
        return None
    name, _, beside = text.removesuffix(")").partition("(")
    return next((kind(beside) for kind in kinds if kind.name == name), None)


def summed(forward: Forward) -> Forward:
    """Stanza's ``forward``, where it parses, with the most probable kind as probable as all."""
    if forward in _SUMMED:  # within another context
        return forward

    def sum_of_kinds(self: Any, states: Any) -> Any:
        scores = forward(self, states)
        groups = _groups(self)
        if self.training or groups is None:
            return scores
        found = scores.log_softmax(dim=1)
        places = groups.expand_as(found)
        none = found.new_full((len(found), int(groups.max()) + 1), -torch.inf)
        best = none.scatter_reduce(1, places, found, "amax").gather(1, places)
        shares = (found - best.clamp_min(torch.finfo(best.dtype).min)).exp()
        sums = torch.zeros_like(none).scatter_add(1, places, shares).gather(1, places)
        return torch.where(found == best, best + sums.log(), found)

    _SUMMED.add(sum_of_kinds)
    return sum_of_kinds


def _groups(model: Any) -> Any:
    """Of each transition the number of its group; nothing if each is one by itself."""
    if model not in _GROUPS:
        keys = [_group(transition, model) for transition in model.transitions]
        numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        of_each = torch.tensor([numbers[key] for key in keys], device=model.word_zeros.device)
        _GROUPS[model] = of_each if len(numbers) < len(keys) else None
    return _GROUPS[model]


def _group(transition: Any, model: Any) -> str:
    """Of Stanza's nodes the root's is one of its own: it is legal at another time."""
    if isinstance(transition, Told):
        return transition.name
    is_node = type(transition) is parse_transitions.OpenConstituent and len(transition.label) == 1
    is_root = is_node and transition.top_label in model.root_labels
    return transition.short_name() if is_node and not is_root else repr(transition)


_SUMMED: WeakSet[Forward] = WeakSet()
_GROUPS: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
