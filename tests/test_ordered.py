from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given

from arctree.brackets import format_tree
from arctree.dependency import Arc, DependencyTree
from arctree.errors import DataError
from arctree.ordered import Leaf, OrderedTree, from_dependency
from strategies import any_heads, projective_trees, trees


def test_the_paper_s_tree_figure_1b(book: DependencyTree) -> None:
    tree = from_dependency(book)
    assert tree.label == "root"
    assert tree.anchor == Leaf(1, "book", "VB")
    assert tree.left == ()
    iobj, dobj = tree.right
    assert (iobj.label, iobj.anchor.word, iobj.children) == ("iobj", "me", (Leaf(2, "me", "PRP"),))
    assert dobj.label == "dobj"
    assert [child.label for child in dobj.left] == ["det", "compound"]
    assert dobj.anchor.word == "flight"
    assert (dobj.first, dobj.last, len(dobj)) == (3, 5, 3)


def test_the_paper_s_arcs_come_back(book: DependencyTree) -> None:
    tree = from_dependency(book)
    assert sorted(tree.arcs(), key=lambda arc: arc.dependent) == book.arcs()
    assert tree.arcs()[0] == Arc(0, 1, "root")
    assert tree.to_dependency() == book


@given(projective_trees)
def test_to_dependency_undoes_algorithm_1(tree: DependencyTree) -> None:
    ordered = from_dependency(tree)
    assert ordered.to_dependency() == tree
    assert sorted(ordered.arcs(), key=lambda arc: arc.dependent) == tree.arcs()
    assert [leaf.word for leaf in ordered.leaves()] == list(tree.words)


@given(projective_trees)
def test_every_node_is_contiguous_and_ordered_around_its_anchor(tree: DependencyTree) -> None:
    for node in from_dependency(tree).nodes():
        positions = [leaf.position for leaf in node.leaves()]
        assert positions == list(range(node.first, node.last + 1))
        # The checking constructor accepts what Algorithm 1 built, and builds the same.
        assert OrderedTree(node.label, node.left, node.anchor, node.right) == node


@given(trees(any_heads()))
def test_a_tree_has_an_ordered_tree_exactly_if_it_is_projective(tree: DependencyTree) -> None:
    if tree.is_projective():
        assert len(from_dependency(tree)) == len(tree)
    else:
        with pytest.raises(DataError, match="not projective: the arc"):
            from_dependency(tree)


def test_a_nonprojective_tree_is_told_by_its_arcs_and_the_words_between() -> None:
    tree = DependencyTree(("a", "b", "c", "d"), (3, 4, 0, 1), ("x", "x", "root", "x"))
    with pytest.raises(DataError) as caught:
        from_dependency(tree)
    assert "the arc 4 d -> 2 b passes over 3 c" in caught.value.fault
    assert "the arc 1 a -> 4 d passes over 3 c" in caught.value.fault
    assert "--lift" in caught.value.remedy


@given(projective_trees, projective_trees)
def test_trees_are_equal_exactly_if_their_dependency_trees_are(
    one: DependencyTree, other: DependencyTree
) -> None:
    first, second = from_dependency(one), from_dependency(other)
    assert (first == second) == (one == other)
    assert first == from_dependency(one)
    assert hash(first) == hash(from_dependency(one))


@given(projective_trees)
def test_a_tree_survives_pickling_and_copying(tree: DependencyTree) -> None:
    ordered = from_dependency(tree)
    assert pickle.loads(pickle.dumps(ordered)) == ordered
    assert copy.deepcopy(ordered) == ordered


def test_a_node_whose_children_do_not_adjoin_is_refused() -> None:
    one = OrderedTree("x", (), Leaf(1, "a"), ())
    with pytest.raises(DataError, match="do not adjoin"):
        OrderedTree("y", (one,), Leaf(3, "c"), ())
    with pytest.raises(DataError, match="do not adjoin"):
        OrderedTree("y", (), Leaf(2, "b"), (one,))
    with pytest.raises(DataError, match="empty"):
        OrderedTree("", (), Leaf(2, "b"), ())


def test_a_part_of_a_sentence_has_no_dependency_tree(book: DependencyTree) -> None:
    with pytest.raises(DataError, match="starts at word 2"):
        from_dependency(book).right[0].to_dependency()


def test_the_unlabelled_tree_has_root_at_the_top_and_ua_below(book: DependencyTree) -> None:
    assert format_tree(from_dependency(book.unlabeled())) == (
        "(root (VB book) (UA (PRP me)) (UA (UA (DT the)) (UA (NN morning)) (NN flight)))"
    )


def test_a_tree_cannot_be_changed(book: DependencyTree) -> None:
    with pytest.raises(AttributeError):
        from_dependency(book).label = "x"  # type: ignore[misc]
