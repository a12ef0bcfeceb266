from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arctree.dependency import DependencyTree
from arctree.errors import DataError
from arctree.lifting import lift
from arctree.oracle import canonical_derivation, derivations, random_derivation
from arctree.sentence import from_tree
from arctree.study.departures import Departures, departures_of, follow, heads_built
from arctree.transitions import LEFTARC, RIGHTARC, SHIFT, Configuration, Transition
from strategies import projective_heads, trees

LETTERS = {transition.value[0]: transition for transition in Transition}


def steps(letters: str) -> tuple[Transition, ...]:
    return tuple(LETTERS[letter] for letter in letters)


# he sleeps well: sleeps is the root.
SLEEPS = DependencyTree(("he", "sleeps", "well"), (2, 0, 2), ("nsubj", "root", "advmod"))


@given(trees(projective_heads(max_size=7)))
def test_a_derivation_builds_its_tree(tree: DependencyTree) -> None:
    assert heads_built(canonical_derivation(tree)) == tree.heads


@given(trees(projective_heads(max_size=6)), st.integers(0, 1000))
def test_no_derivation_of_the_tree_leaves_it(tree: DependencyTree, seed: int) -> None:
    taken = random_derivation(tree, random.Random(seed))
    followed = follow(tree, taken)
    assert followed.departure is None
    assert followed.is_canonical == (taken == canonical_derivation(tree))


@given(trees(projective_heads(max_size=6)), st.integers(0, 1000))
def test_a_derivation_leaves_the_tree_where_no_gold_one_goes_on_like_it(
    tree: DependencyTree, seed: int
) -> None:
    taken = legal_walk(len(tree), random.Random(seed))
    golds = list(derivations(tree))
    departure = follow(tree, taken).departure
    if heads_built(taken) == tree.heads:
        assert departure is None
        return
    assert departure is not None
    step = departure.step
    assert any(gold[:step] == taken[:step] for gold in golds)
    assert not any(gold[: step + 1] == taken[: step + 1] for gold in golds)
    assert departure.taken is taken[step]
    assert departure.gold is not departure.taken
    built = set(arcs_built(taken[:step]))
    assert built <= {(head, word) for word, head in enumerate(tree.heads, start=1)}
    assert 1 <= departure.word <= len(tree)


def legal_walk(size: int, source: random.Random) -> tuple[Transition, ...]:
    configuration = Configuration.initial(size)
    taken = []
    while not configuration.is_terminal:
        legal = [step for step in Transition if step.is_legal(configuration)]
        taken.append(source.choice(legal))
        configuration = taken[-1](configuration)
    return tuple(taken)


def arcs_built(taken: tuple[Transition, ...]) -> list[tuple[int, int]]:
    stack, shifted, arcs = [0], 0, []
    for step in taken:
        if step is SHIFT:
            shifted += 1
            stack.append(shifted)
            continue
        top, second = stack.pop(), stack.pop()
        head, word = (top, second) if step is LEFTARC else (second, top)
        arcs.append((head, word))
        stack.append(head)
    return arcs


def test_the_paper_s_example_read_by_hand() -> None:
    assert follow(SLEEPS, steps("SSLSRR")).is_canonical
    other = follow(SLEEPS, steps("SSSRLR"))
    assert (other.departure, other.is_canonical) == (None, False)
    # he is given sleeps as a dependent: RIGHTARC where gold has LEFTARC, over he.
    departure = follow(SLEEPS, steps("SSRSRR")).departure
    assert departure is not None
    assert (departure.step, departure.gold, departure.taken) == (2, LEFTARC, RIGHTARC)
    assert departure.word == 1
    # sleeps is attached to well: LEFTARC where gold would attach well by RIGHTARC.
    departure = follow(SLEEPS, steps("SSLSLR")).departure
    assert departure is not None
    assert (departure.step, departure.gold, departure.taken) == (4, RIGHTARC, LEFTARC)
    assert departure.word == 3


def test_a_word_that_is_attached_too_early_is_at_stake() -> None:
    tree = DependencyTree(("a", "b", "c"), (0, 1, 2), ("root", "obj", "nmod"))
    departure = follow(tree, steps("SSRSRR")).departure
    assert departure is not None
    assert (departure.gold, departure.taken, departure.word) == (SHIFT, RIGHTARC, 2)


def test_counts_over_sentences() -> None:
    sentence = from_tree(SLEEPS)
    found = Departures()
    for letters in ("SSLSRR", "SSSRLR", "SSRSRR", "SSLSLR"):
        found.add(sentence, steps(letters))
    form = found.to_json()
    assert form["sentences"] == 4
    assert (form["canonical"], form["other_derivation"], form["departed"]) == (1, 1, 2)
    taken = {(row["gold"], row["taken"]): row["times"] for row in form["confusion"]}
    assert sum(taken.values()) == 2
    assert taken["LEFTARC", "RIGHTARC"] == taken["RIGHTARC", "LEFTARC"] == 1
    assert [place for place, times in enumerate(form["positions"]) if times] == [3, 6]
    assert form["labels"] == [
        {"label": "advmod", "times": 1, "gold": 4},
        {"label": "nsubj", "times": 1, "gold": 4},
    ]
    assert [row["times"] for row in form["arc_lengths"]] == [0, 2, 0, 0, 0, 0]
    # The first builds 0 1 1 for 2 0 2, all three wrong; the second 2 3 0, two wrong.
    assert heads_built(steps("SSRSRR")) == (0, 1, 1)
    assert form["wrong_arcs"] == [0, 1, 1, 0, 0, 0]
    assert (form["arcs_before"], form["arcs_after"], form["wrong_after"]) == (1, 5, 5)


def test_a_tree_that_is_not_projective_is_followed_as_it_was_lifted() -> None:
    tree = DependencyTree(("a", "b", "c", "d"), (3, 4, 0, 3), ("x", "y", "root", "z"))
    lifted = lift(tree)
    assert lifted.heads != tree.heads
    found = departures_of([from_tree(tree)], [[canonical_derivation(lifted)]]).to_json()
    assert (found["canonical"], found["departed"]) == (1, 0)


def test_a_derivation_of_another_length_is_refused() -> None:
    with pytest.raises(DataError, match="0 derivations of 1 sentences"):
        departures_of([from_tree(SLEEPS)], [[]])
    with pytest.raises(DataError, match="4 transitions over 3 words"):
        follow(SLEEPS, steps("SSLR"))
