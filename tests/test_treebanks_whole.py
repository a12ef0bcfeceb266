"""Every treebank of the data folder, whole."""

from __future__ import annotations

from pathlib import Path

from arctree import conllu
from arctree.brackets import format_tree, parse_tree
from arctree.conllu import read
from arctree.labels import print_label
from arctree.lifting import Scheme, lift, unlift
from arctree.ordered import from_dependency
from arctree.sentence import XPOS


def test_the_file_comes_back_byte_for_byte(whole_treebank: Path) -> None:
    written = b"".join(sentence.to_text().encode() for sentence in read(str(whole_treebank)))
    assert written == whole_treebank.read_bytes()


def test_convert_and_recover_give_back_every_head_label_word_and_tag(whole_treebank: Path) -> None:
    for sentence in read(str(whole_treebank)):
        tree = sentence.tree_with_tags(XPOS)
        printed = format_tree(from_dependency(lift(tree)))
        assert unlift(parse_tree(printed).to_dependency()) == tree
        if tree.is_projective():
            assert "↑" not in printed.replace("\\↑", "")
            assert parse_tree(printed).to_dependency() == tree


def test_every_scheme_makes_every_tree_projective(whole_treebank: Path) -> None:
    for sentence in read(str(whole_treebank)):
        if not sentence.tree.is_projective():
            for scheme in Scheme:
                lifted = lift(sentence.tree, scheme)
                assert lifted.is_projective()
                assert len(unlift(lifted)) == len(sentence)


def test_lifted_conllu_comes_back(whole_treebank: Path) -> None:
    from arctree.labels import parse_label

    for sentence in read(str(whole_treebank)):
        lifted = lift(sentence.tree)
        written = sentence.with_arcs(lifted.heads, [print_label(each) for each in lifted.labels])
        (again,) = conllu.read_text(written.to_text())
        labels = [parse_label(each) for each in again.deprels]
        assert unlift(again.tree.with_arcs(again.heads or (), labels)) == sentence.tree
