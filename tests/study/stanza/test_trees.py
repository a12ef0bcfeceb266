"""T(D) in Stanza's brackets, and the heads of what Stanza builds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from stanza.models.constituency.tree_reader import read_trees

from arctree.dependency import DependencyTree, check_heads
from arctree.study.stanza.columns import format_columns, in_one_tag
from arctree.study.stanza.trees import (
    as_read,
    as_relation,
    ending,
    format_for_stanza,
    read_heads,
    read_relations,
)
from strategies import projective_trees


def read(text: str) -> Any:
    (tree,) = read_trees(text)
    return tree.prune_none().simplify_labels()


def test_the_bracketed_form(book: DependencyTree) -> None:
    assert format_for_stanza(book.words, book.heads, ["_"] * 5) == (
        "(ROOT (UA (_ book) (UA (_ me)) (UA (UA (_ the)) (UA (_ morning)) (_ flight))))"
    )


def test_the_bracketed_form_with_relations(book: DependencyTree) -> None:
    relations = [str(label) for label in book.labels]
    assert format_for_stanza(book.words, book.heads, ["_"] * 5, relations) == (
        "(ROOT (root (_ book) (iobj (_ me))"
        " (dobj (det (_ the)) (compound (_ morning)) (_ flight))))"
    )


@given(projective_trees)
def test_relations_come_back(tree: DependencyTree) -> None:
    """As they are once Stanza has read them, whatever a treebank calls them; and the heads."""
    relations = [as_relation(str(label)) for label in tree.labels]
    found = read(format_for_stanza(tree.words, tree.heads, ["_"] * len(tree), relations))
    assert read_relations(found) == relations
    assert read_heads(found) == (tree.heads, False)


@pytest.mark.parametrize(
    ("label", "relation"),
    [
        ("nsubj:pass", "nsubj:pass"),
        ("SBJ-ARG", "SBJ+ARG"),
        ("a b", "a+b"),
        ("=", "+"),
        ("ROOT", "root"),
        ("root", "root"),
    ],
)
def test_relations_that_stanza_leaves_whole(label: str, relation: str) -> None:
    assert as_relation(label) == relation


@given(projective_trees)
def test_heads_come_back(tree: DependencyTree) -> None:
    for tags in (["_"] * len(tree), list(map(ending, tree.words))):
        found = read(format_for_stanza(tree.words, tree.heads, tags))
        assert read_heads(found) == (tree.heads, False)
        assert found.leaf_labels() == [as_read(word) for word in tree.words]


@pytest.mark.parametrize(
    "form",
    [
        "(",
        ")",
        "-LRB-",
        "-LRB(",
        "-RRB(",
        "-LRB)",
        "-RRB)LRB-",
        "a b",
        "a\u00a0b",
        "\u3000",
        "*E*",
        "*T*",
        "50%",
        "=",
        "a-b",
        "x",
    ],
)
def test_words_are_the_same_in_training_and_in_parsing(form: str) -> None:
    for tags in (["_", "_"], [ending(form), ending("end")]):
        found = read(format_for_stanza([form, "end"], [0, 1], tags))
        assert found.leaf_labels() == [as_read(form), "end"]
        assert [node.label for node in found.yield_preterminals()] == tags


def test_endings() -> None:
    words = ["running", "Paris", "of", "1999", "--", "U.S."]
    assert [ending(word) for word in words] == ["aing", "Aris", "aof", "a000", "axx", "Axsx"]


@pytest.mark.parametrize(
    ("columns", "tag"),
    [
        ("NOUN\tNb\tCase=Dat|Gender=Masc,Neut", "Nb|Case＝Dat|Gender＝Masc,Neut"),
        ("ADV\tDf\t_", "Df"),
        ("VERB\t_\tMood=Ind|Person=3", "VERB|Mood＝Ind|Person＝3"),
        ("PRON\tPRP$\t_", "PRP$"),
        ("PUNCT\t-LRB-\t_", "－LRB－"),
        ("PUNCT\t``\t_", "``"),
        ("PUNCT\t(\t_", "（"),
        ("X\ta#b*c d\t_", "a＃b＊c_d"),
    ],
)
def test_tags_in_one_come_through_stanza_s_reader(columns: str, tag: str) -> None:
    """It would cut a tag at hyphens and the like."""
    assert in_one_tag(columns) == tag
    found = read(format_for_stanza(["word"], [0], [tag]))
    assert [node.label for node in found.yield_preterminals()] == [tag]


def test_a_tree_in_columns() -> None:
    words, tags = ("see", "it"), ("VERB\tVB\tMood=Imp", "_")
    tree = DependencyTree(words, (0, 1), ("root", "obj"), tags)
    assert format_columns(tree) == (
        "1\tsee\t_\tVERB\tVB\tMood=Imp\t0\troot\t_\t_\n2\tit\t_\t_\t_\t_\t1\tobj\t_\t_\n\n"
    )


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        # Several anchors: the first is kept, the others become its dependents.
        ("(ROOT (UA (_ a) (_ b) (_ c)))", (0, 1, 1)),
        ("(ROOT (UA (UA (_ a)) (_ b) (_ c)))", (2, 0, 2)),
        # No anchor and one child: the node is removed.
        ("(ROOT (UA (UA (UA (_ a)) (_ b))))", (2, 0)),
        # No anchor and several children: that of the child with most words.
        ("(ROOT (UA (UA (_ a)) (UA (_ b) (UA (_ c)))))", (2, 0, 2)),
        # The same under ROOT.
        ("(ROOT (_ a) (_ b))", (0, 1)),
    ],
)
def test_the_repair_is_the_stated_one(text: str, heads: tuple[int, ...]) -> None:
    tree = read_trees(text)[0]
    assert read_heads(tree) == read_heads(tree)
    found, is_mended = read_heads(tree)
    assert found == heads
    assert is_mended
    check_heads(found)


def test_root_over_a_word_is_a_node_like_any_other() -> None:
    """It is how the paper writes T(D)."""
    assert read_heads(read_trees("(ROOT (_ a))")[0]) == ((0,), False)
    assert read_heads(read_trees("(ROOT (UA (_ a)) (_ b))")[0]) == ((2, 0), False)
