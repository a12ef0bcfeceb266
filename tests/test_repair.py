from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arctree.brackets import format_tree
from arctree.dependency import DependencyTree
from arctree.errors import DataError
from arctree.ordered import from_dependency
from arctree.repair import repair
from strategies import projective_trees


@pytest.mark.parametrize(
    ("text", "mended", "repairs"),
    [
        ("(root (VB go) (x))", "(root (VB go))", 1),  # rule 1
        ("(ROOT (root (VB go)))", "(root (VB go))", 1),  # rule 2
        (
            "(root (VB see) (obj (det (DT the)) (amod (advmod (RB very)) (JJ big))))",
            "(root (VB see) (obj (det (DT the)) (advmod (RB very)) (JJ big)))",
            1,
        ),  # rule 3: the child over most words gives its anchor
        (
            "(root (obj (DT the)) (amod (JJ big)))",
            "(root (DT the) (amod (JJ big)))",
            1,
        ),  # rule 3: the first of equals
        ("(root (VB go) (NN home))", "(root (VB go) (dep (NN home)))", 1),  # rule 4
        ("(root go home)", "(root (_ go) (dep (_ home)))", 1),  # bare words
        ("(VB go)", "(root (VB go))", 1),  # no label at the top
        ("(root (VB go) (↑ (NN home)))", "(root (VB go) (dep (NN home)))", 1),
    ],
)
def test_the_rule_is_the_documented_one(text: str, mended: str, repairs: int) -> None:
    tree, done = repair(text)
    assert format_tree(tree) == mended
    assert len(done) == repairs


def test_each_repair_says_what_was_done_to_which_node() -> None:
    _, done = repair("(root (obj (DT the) (NN end)) (x) (y (z (V is))))")
    assert done == [
        "made end a dependent of the in the node obj over words 1-2 (the end)",
        "removed the node x over no words",
        "removed the node y over word 3 (is): it has no anchor and one child",
        "gave the node root over words 1-3 (the end is) the anchor of its child obj",
    ]


@given(projective_trees)
def test_an_ordered_tree_is_left_as_it_is(tree: DependencyTree) -> None:
    ordered = from_dependency(tree)
    assert repair(format_tree(ordered)) == (ordered, [])


nodes = st.recursive(
    st.sampled_from(["(T w)", "w", "(x)"]),
    lambda child: st.lists(child, min_size=1, max_size=4).map(
        lambda children: "(n " + " ".join(children) + ")"
    ),
    max_leaves=12,
).map(lambda body: f"(top {body})")


@given(nodes)
def test_any_bracketed_tree_becomes_an_ordered_tree_over_the_same_words(text: str) -> None:
    words = text.count("w")
    if not words:
        with pytest.raises(DataError, match="no words"):
            repair(text)
        return
    tree, _ = repair(text)
    assert [leaf.word for leaf in tree.leaves()] == ["w"] * words
    assert repair(text)[0] == tree
    assert repair(format_tree(tree)) == (tree, [])


def test_brackets_that_do_not_balance_cannot_be_repaired() -> None:
    with pytest.raises(DataError, match="not closed"):
        repair("(root (VB go)")
