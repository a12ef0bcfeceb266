from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given

from arctree.conllu import read
from arctree.dependency import (
    DependencyTree,
    check_heads,
    dependents,
    is_projective,
    nonprojective_arcs,
)
from arctree.errors import DataError
from arctree.labels import Label, LiftedLabel, base_label, print_label
from arctree.lifting import Scheme, candidates, lift, lift_heads, unlift
from arctree.theorems import all_heads
from strategies import any_heads, labels, projective_heads, trees


def tree_of(heads: tuple[int, ...], labels: tuple[Label, ...] | None = None) -> DependencyTree:
    size = len(heads)
    return DependencyTree(("w",) * size, heads, labels or ("x",) * size)


@pytest.mark.parametrize("length", range(1, 8))
def test_exact_leads_back_to_the_same_tree_for_every_tree_up_to_seven_words(length: int) -> None:
    # One label for all words is the hardest case: the hint then says nothing.
    source = random.Random(length)
    for heads in all_heads(length):
        if is_projective(heads):
            continue
        drawn = tuple(source.choice("xxy") for _ in heads)
        for tree in (tree_of(heads), tree_of(heads, drawn)):
            lifted = lift(tree)
            assert is_projective(lifted.heads)
            assert unlift(lifted) == tree


@given(trees(any_heads(max_size=30)))
def test_exact_leads_back_to_the_same_tree(tree: DependencyTree) -> None:
    lifted = lift(tree, Scheme.EXACT)
    assert lifted.is_projective()
    assert unlift(lifted) == tree


@pytest.mark.parametrize("scheme", Scheme)
@given(tree=trees(any_heads()))
def test_every_scheme_gives_a_projective_tree_and_keeps_the_base_labels(
    scheme: Scheme, tree: DependencyTree
) -> None:
    lifted = lift(tree, scheme)
    assert lifted.is_projective()
    assert (lifted.words, lifted.tags) == (tree.words, tree.tags)
    assert tuple(map(base_label, lifted.labels)) == tree.labels
    restored = unlift(lifted)
    assert restored.labels == tree.labels
    check_heads(restored.heads)


@given(trees(projective_heads()))
def test_a_projective_tree_is_not_touched_by_any_scheme(tree: DependencyTree) -> None:
    assert all(lift(tree, scheme) is tree for scheme in Scheme)
    assert unlift(tree) is tree


@given(trees(any_heads(), labels))
def test_unlifting_labels_that_a_parser_got_wrong_gives_a_tree_all_the_same(
    tree: DependencyTree,
) -> None:
    restored = unlift(tree)
    check_heads(restored.heads)
    assert all(isinstance(label, str) for label in restored.labels)
    assert restored.heads.index(0) == tree.heads.index(0)


def test_a_tree_that_is_lifted_already_is_not_lifted_again() -> None:
    marked = tree_of((3, 4, 0, 1), (LiftedLabel("a", hint="b"), "b", "root", "d"))
    with pytest.raises(DataError, match="already"):
        lift(marked)


# Nivre and Nilsson (2005), Figure 1: Z nich je jen jedna na kvalitu ("only one of them concerns
# quality"); the final stop hangs from the root word here, for a tree has one root.
CZECH = DependencyTree(
    ("Z", "nich", "je", "jen", "jedna", "na", "kvalitu", "."),
    (5, 1, 0, 5, 3, 3, 6, 3),
    ("AuxP", "Atr", "Pred", "AuxZ", "Sb", "AuxP", "Adv", "AuxK"),
)


@pytest.mark.parametrize(
    ("scheme", "first", "head"),
    [
        (Scheme.BASELINE, "AuxP", "Sb"),
        (Scheme.HEAD, "AuxP↑Sb", "Sb"),
        (Scheme.PATH, "AuxP↑", "Sb↓"),
        (Scheme.HEAD_PATH, "AuxP↑Sb", "Sb↓"),
        (Scheme.EXACT, "AuxP↑Sb", "Sb"),
    ],
)
def test_the_schemes_write_what_nivre_and_nilsson_write(
    scheme: Scheme, first: str, head: str
) -> None:
    lifted = lift(CZECH, scheme)
    assert lifted.heads == (3, 1, 0, 5, 3, 3, 6, 3)
    printed = [print_label(label) for label in lifted.labels]
    assert printed == [first, "Atr", "Pred", "AuxZ", head, "AuxP", "Adv", "AuxK"]
    assert (unlift(lifted) == CZECH) == (scheme is not Scheme.BASELINE)


@given(any_heads(max_size=20))
def test_lifting_goes_by_the_definition_arc_by_arc(heads: tuple[int, ...]) -> None:
    by_definition = list(heads)
    order = []
    while arcs := nonprojective_arcs(by_definition):
        head, word = min(arcs, key=lambda arc: (abs(arc[0] - arc[1]), min(arc)))
        by_definition[word - 1] = by_definition[head - 1]
        order.append((word, head))
    lifted, paths = lift_heads(heads)
    assert lifted == tuple(by_definition)
    assert paths == {word: [over for moved, over in order if moved == word] for word, _ in order}


def test_the_shortest_arc_is_lifted_first_and_the_leftmost_of_equals() -> None:
    # 4 -> 2 and 1 -> 4 are non-projective; 4 -> 2 is the shorter one.
    heads, paths = lift_heads((3, 4, 0, 1))
    assert list(paths) == [2, 4]
    assert heads == (3, 1, 0, 3)
    # 1 -> 3 and 4 -> 2 are equally short; the arc that begins at 1 is the leftmost.
    heads, paths = lift_heads((5, 4, 1, 5, 0))
    assert list(paths) == [3, 2]
    assert heads == (5, 5, 5, 5, 0)


def test_exact_finds_a_head_that_lies_outside_the_new_head_s_subtree() -> None:
    tree = tree_of((3, 4, 0, 1), ("a", "b", "root", "d"))
    lifted = lift(tree)
    assert lifted.heads == (3, 1, 0, 3)
    assert unlift(lifted) == tree


def test_exact_says_more_than_head_only_where_head_goes_wrong() -> None:
    for heads in all_heads(5):
        tree = tree_of(heads)
        exact, plain = lift(tree, Scheme.EXACT), lift(tree, Scheme.HEAD)
        assert (exact.labels == plain.labels) == (unlift(plain) == tree)


@given(any_heads())
def test_the_candidates_are_all_words_but_the_word_s_own_and_those_above(
    heads: tuple[int, ...],
) -> None:
    for word in range(1, len(heads) + 1):
        above = [word]
        while above[-1]:
            above.append(heads[above[-1] - 1])
        below = {word}
        for _ in heads:
            below |= {child for child, head in enumerate(heads, start=1) if head in below}
        found = list(candidates(word, heads, dependents(heads)))
        assert len(found) == len(set(found))
        assert (
            set(found) == set(range(1, len(heads) + 1)) - below - set(above) or not heads[word - 1]
        )


def test_the_label_counts_on_ewt_train_are_those_published(ewt_train: Path) -> None:
    found = [sentence.tree for sentence in read(str(ewt_train))]
    counts = {
        scheme: len({print_label(label) for tree in found for label in lift(tree, scheme).labels})
        for scheme in Scheme
    }
    assert counts[Scheme.HEAD] == 136
    assert counts[Scheme.PATH] == 103
    assert counts[Scheme.HEAD_PATH] == 164
    assert counts[Scheme.EXACT] <= 170
