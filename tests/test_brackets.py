from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arctree import brackets
from arctree.brackets import BracketedTree, format_tree, parse_tree
from arctree.dependency import DependencyTree
from arctree.errors import DataError
from arctree.ordered import from_dependency
from strategies import SPECIAL, labels, projective_heads, projective_trees, trees

BOOK = "(root (VB book) (iobj (PRP me)) (dobj (det (DT the)) (compound (NN morning)) (NN flight)))"


def test_the_paper_s_tree_prints_as_documented(book: DependencyTree) -> None:
    assert format_tree(from_dependency(book)) == BOOK
    assert parse_tree(BOOK) == from_dependency(book)


def test_a_word_without_a_tag_has_an_underscore() -> None:
    tree = from_dependency(DependencyTree(("yes",), (0,), ("root",)))
    assert format_tree(tree) == "(root (_ yes))"
    assert parse_tree("(root (_ yes))") == tree


@given(trees(projective_heads(), labels))
def test_parsing_undoes_formatting_whatever_the_words_tags_and_labels(
    tree: DependencyTree,
) -> None:
    ordered = from_dependency(tree)
    text = format_tree(ordered)
    assert "\n" not in text
    assert parse_tree(text) == ordered


@given(projective_trees)
def test_spreading_a_tree_over_lines_changes_nothing(tree: DependencyTree) -> None:
    text = format_tree(from_dependency(tree))
    assert parse_tree(text.replace(" (", "\n   ( ").replace(")", " )")) == from_dependency(tree)
    assert parse_tree(f"( {text} )") == from_dependency(tree)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("(root (VB go) (NN home))", "the node root over words 1-2 (go home) has 2 anchors"),
        ("(root (obj (NN home)))", "the node root over word 1 (home) has no anchor"),
        ("(root (VB go) (obj (det (DT the)) (amod (JJ far))))", "the node obj over words 2-3"),
        ("(root go home)", "2 anchors (go, home)"),
        ("(root (VB go) ())", "the node () over no words has no anchor"),
        ("((VB go) (x (Y z)))", "has no label"),
        ("(↑ (VB go))", "is not the printed form of a label"),
        ("(root (VB go)", "a bracket is not closed"),
        ("(root (VB go)))", "a closing bracket too many"),
        ("(root (VB go)) (root (VB go))", "2 trees"),
        ("go", "outside the brackets"),
        ("", "0 trees"),
        ("(root (VB \\u{d800}))", "is no character"),
    ],
)
def test_what_is_no_ordered_tree_is_told_by_its_node(text: str, fault: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_tree(text)
    assert fault in caught.value.fault
    assert caught.value.remedy


fuzzed = st.lists(
    st.sampled_from(["(", ")", " ", "(a", "(b c)", "x", "\n", *SPECIAL]), max_size=40
).map("".join)


@given(fuzzed)
def test_any_text_gives_a_tree_or_our_own_error(text: str) -> None:
    try:
        tree = parse_tree(text)
    except DataError:
        return
    assert parse_tree(format_tree(tree)) == tree


@given(projective_trees, st.data())
def test_damaged_brackets_give_a_tree_or_our_own_error(
    tree: DependencyTree, data: st.DataObject
) -> None:
    text = format_tree(from_dependency(tree))
    place = data.draw(st.integers(0, len(text) - 1))
    piece = data.draw(st.sampled_from(["", "(", ")", " ", "\\", "↑"]))
    try:
        found = parse_tree(text[:place] + piece + text[place + 1 :])
    except DataError:
        return
    assert parse_tree(format_tree(found)) == found


def test_a_file_is_cut_into_trees_and_cutting_goes_on_after_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "trees.mrg"
    path.write_bytes(
        b"(a (X x))\n\n(b\n  (Y y)\n  (c (Z z)))\n(broken (X x)\n(d (X x))\n"
        b"(latin (X \xe9))\n(e (X x)))\n(f (X x))\n(open"
    )
    pieces = list(brackets.read(str(path)))
    assert [piece.line for piece in pieces] == [1, 3, 6, 7, 8, 9, 10, 11]
    faults = {piece.line: piece.fault for piece in pieces if isinstance(piece, DataError)}
    assert list(faults) == [6, 8, 11]
    assert "not closed" in faults[6]
    assert "UTF-8" in faults[8]
    assert "not closed" in faults[11]
    whole = [piece for piece in pieces if isinstance(piece, BracketedTree)]
    assert [piece.parse().label for piece in whole if piece.line != 9] == ["a", "b", "d", "f"]
    with pytest.raises(DataError, match="closing bracket too many") as caught:
        whole[3].parse()
    assert (caught.value.file, caught.value.line) == (str(path), 9)
