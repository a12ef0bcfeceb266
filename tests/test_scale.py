"""Sentences of 10,000 words, as deep as they are long, go through everything."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

from arctree import conllu
from arctree.brackets import format_tree, parse_tree
from arctree.dependency import DependencyTree
from arctree.draw import text
from arctree.interop.nltk import from_nltk, to_nltk
from arctree.json_form import derivation_to_json, tree_from_json, tree_to_json
from arctree.labels import base_label
from arctree.lifting import Scheme, lift, unlift
from arctree.oracle import count_derivations, derive
from arctree.ordered import from_dependency
from arctree.repair import repair
from arctree.sentence import from_tree

SIZE = 10_000


def left_branching() -> tuple[int, ...]:
    return (*range(2, SIZE + 1), 0)


def right_branching() -> tuple[int, ...]:
    return tuple(range(SIZE))


def nested() -> tuple[int, ...]:
    """1 heads the last word, that one heads 2, that one the last but one, and so on inwards."""
    order = [word for pair in zip(range(1, SIZE // 2 + 1), range(SIZE, 0, -1)) for word in pair]  # noqa: B905
    heads = [0] * SIZE
    for above, below in zip(order, order[1:]):  # noqa: B905, RUF007
        heads[below - 1] = above
    return tuple(heads)


def flat() -> tuple[int, ...]:
    return tuple(0 if word == SIZE // 2 else SIZE // 2 for word in range(1, SIZE + 1))


@pytest.fixture(
    params=[left_branching, right_branching, nested, flat], ids=lambda make: make.__name__
)
def tree(request: pytest.FixtureRequest) -> DependencyTree:
    heads = request.param()
    labels = tuple("dep" if head else "root" for head in heads)
    words = tuple(f"w{place}" for place in range(1, SIZE + 1))
    return DependencyTree(words, heads, labels)


def test_convert_print_recover_and_compare(tree: DependencyTree) -> None:
    ordered = from_dependency(tree)
    printed = format_tree(ordered)
    again = parse_tree(printed)
    assert again == ordered
    assert hash(again) == hash(ordered)
    assert again.to_dependency() == tree
    assert len(ordered.arcs()) == SIZE
    assert "w1" in repr(tree)
    assert "OrderedTree" in repr(ordered)
    assert repair(printed) == (ordered, [])
    (sentence,) = conllu.read_text(from_tree(tree).to_text())
    assert sentence.tree == tree


def test_derive(tree: DependencyTree) -> None:
    *_, last = derive(tree)
    assert last.mapped.finished == from_dependency(tree.unlabeled())
    assert last.configuration.arcs == {
        (head, word) for word, head in enumerate(tree.heads, start=1)
    }
    assert count_derivations(tree.heads) >= 1
    assert repr(last).count("Configuration(") == 2
    middle = list(derive(tree))[SIZE]
    assert pickle.loads(pickle.dumps(middle.configuration)) == middle.configuration
    assert copy.deepcopy(middle.mapped) == middle.mapped


def test_copy_pickle_json_and_nltk(tree: DependencyTree) -> None:
    ordered = from_dependency(tree)
    assert pickle.loads(pickle.dumps(ordered)) == ordered
    assert copy.deepcopy(ordered) == ordered
    assert tree_from_json(json.loads(json.dumps(tree_to_json(ordered)))) == ordered
    form = derivation_to_json(derive(tree), ordered, sentence_id=None, derivations=1)
    assert len(json.dumps(form)) < 600 * SIZE
    assert from_nltk(to_nltk(ordered)) == ordered


def test_draw_as_text(tree: DependencyTree) -> None:
    assert text.draw_arcs(tree, width=120).count("\n") >= SIZE - 1
    assert "w5000" in text.draw_tree(from_dependency(tree), width=120)
    assert text.draw_derivation(derive(tree), width=120).count("\n") >= 2 * SIZE


def test_lift_a_long_chain_with_one_crossing_arc() -> None:
    heads = [*range(2, SIZE + 1), 0]
    heads[SIZE // 2] = SIZE // 2 + 5  # passes over words that hang elsewhere
    heads[SIZE // 2 + 1] = SIZE // 2 + 9
    tree = DependencyTree(("w",) * SIZE, tuple(heads), ("x",) * SIZE)
    for scheme in (Scheme.EXACT, Scheme.HEAD):
        lifted = lift(tree, scheme)
        assert lifted.is_projective()
        assert [base_label(label) for label in unlift(lifted).labels] == ["x"] * SIZE
    assert unlift(lift(tree)) == tree
