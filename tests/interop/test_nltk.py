from __future__ import annotations

import pytest
from hypothesis import given
from nltk.tree import Tree

from arctree import from_nltk, to_nltk
from arctree.brackets import format_tree
from arctree.dependency import DependencyTree
from arctree.errors import DataError
from arctree.ordered import from_dependency
from strategies import labels, projective_heads, trees


@given(trees(projective_heads(), labels))
def test_to_nltk_is_what_nltk_reads_from_our_brackets(tree: DependencyTree) -> None:
    ordered = from_dependency(tree)
    assert to_nltk(ordered) == Tree.fromstring(format_tree(ordered))


@given(trees(projective_heads(), labels))
def test_from_nltk_undoes_to_nltk(tree: DependencyTree) -> None:
    ordered = from_dependency(tree)
    assert from_nltk(to_nltk(ordered)) == ordered


def test_an_nltk_tree_that_is_no_ordered_tree_is_told_by_its_node() -> None:
    with pytest.raises(DataError, match="the node NP over words 1-2"):
        from_nltk(Tree.fromstring("(S (NP (DT the) (NN dog)) (V barks))"))


def test_an_nltk_leaf_that_is_not_escaped_is_refused() -> None:
    for leaf in ("New York", "(", 3):
        with pytest.raises(DataError, match="escape"):
            from_nltk(Tree("root", [Tree("NNP", [leaf])]))
