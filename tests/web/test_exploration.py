from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arctree import (
    DependencyTree,
    canonical_derivation,
    conllu,
    count_derivations,
    lift,
    unlift,
)
from arctree.dependency import is_projective, nonprojective_arcs
from arctree.draw.width import visible
from arctree.errors import DataError
from arctree.lifting import Scheme, lift_heads, lifts, returns
from arctree.theorems import all_heads
from arctree.transitions import Configuration, letters_of, transitions_of
from arctree.web.examples import FOLDER, examples
from arctree.web.exploration import (
    Scores,
    crossings,
    exploration,
    lifting,
    printed_labels,
    sentence_exploration,
)
from command_line import Arctree
from strategies import any_heads, labels, projective_heads, trees
from web.served import VALIDATOR


def test_the_paper_s_sentence(book: DependencyTree) -> None:
    form = exploration(book, id="book", text="book me the morning flight")
    VALIDATOR.validate(form)
    assert form["transitions"] == "SSRSSSLLRR"
    assert form["derivations"] == "1"
    assert form["projective"] is True
    assert form["lifting"] is form["model"] is form["latex"] is None
    assert form["words"][0] == {"form": "book", "tag": "VB"}


def test_a_tree_that_is_not_projective_tells_why_and_how_it_is_lifted() -> None:
    words = ("A", "hearing", "is", "scheduled", "on", "the", "issue", "today")
    tree = DependencyTree(words, (2, 4, 4, 0, 7, 7, 2, 4), ("x",) * 3 + ("root",) + ("x",) * 4)
    form = exploration(tree)
    VALIDATOR.validate(form)
    assert form["projective"] is False
    (crossing,) = form["crossings"]
    assert crossing == {
        "head": 2,
        "dependent": 7,
        "yield": [1, 2, 5, 6, 7],
        "between": [3, 4],
        "with": [[0, 4], [4, 8]],
    }
    assert form["lifting"]["lifts"] == [{"word": 7, "from": 2, "to": 4}]
    assert form["lifting"]["returns"] == [{"word": 7, "from": 4, "to": 2}]
    assert form["lifting"]["labels"][6] == "x↑x"


@given(trees())
def test_an_exploration_is_what_the_core_says_of_the_tree(tree: DependencyTree) -> None:
    form = exploration(tree, latex=True)
    VALIDATOR.validate(form)
    lifted = lift(tree)
    assert transitions_of(form["transitions"]) == canonical_derivation(lifted)
    assert form["derivations"] == str(count_derivations(lifted.heads))
    assert form["projective"] == is_projective(tree.heads) == (form["lifting"] is None)
    assert [word.get("shown", word["form"]) for word in form["words"]] == [
        visible(word) for word in tree.words
    ]
    if form["lifting"]:
        assert form["lifting"]["heads"] == list(lifted.heads)
        assert form["lifting"]["labels"] == printed_labels(lifted)
    json.dumps(form, ensure_ascii=False).encode("utf-8")


@given(trees(projective_heads(), labels))
def test_a_projective_tree_may_bear_marks_of_lifting(tree: DependencyTree) -> None:
    assert exploration(tree)["labels"] == printed_labels(tree)


@given(any_heads())
def test_the_lifts_one_by_one_are_those_of_lifting(heads: tuple[int, ...]) -> None:
    now = list(heads)
    paths: dict[int, list[int]] = {}
    for word, old, new in lifts(heads):
        arcs = nonprojective_arcs(now)
        shortest = min(arcs, key=lambda arc: (abs(arc[0] - arc[1]), min(arc)))
        assert shortest == (old, word)
        assert now[word - 1] == old
        assert new == now[old - 1]
        now[word - 1] = new
        paths.setdefault(word, []).append(old)
    assert (tuple(now), paths) == lift_heads(heads)


@given(trees(), st.sampled_from(Scheme))
def test_the_returns_one_by_one_lead_where_unlifting_leads(
    tree: DependencyTree, scheme: Scheme
) -> None:
    lifted = lift(tree, scheme)
    now = list(lifted.heads)
    for word, old, new in returns(lifted):
        assert now[word - 1] == old
        now[word - 1] = new
    assert tuple(now) == unlift(lifted).heads
    assert lifting(tree, scheme)["scheme"] == scheme.value
    if scheme is Scheme.EXACT:
        assert tuple(now) == tree.heads


def test_every_crossing_names_the_strangers_and_the_arcs_it_crosses() -> None:
    for size in range(1, 6):
        for heads in all_heads(size):
            found = crossings(heads)
            arcs = [(crossing["head"], crossing["dependent"]) for crossing in found]
            assert arcs == nonprojective_arcs(heads)
            for crossing in found:
                low, high = sorted((crossing["head"], crossing["dependent"]))
                below = _below(crossing["head"], heads)
                assert crossing["yield"] == sorted(below)
                assert crossing["between"] == [
                    word for word in range(low + 1, high) if word not in below
                ]
                assert crossing["between"]
                assert crossing["with"]
                for head, dependent in crossing["with"]:
                    first, last = sorted((head, dependent))
                    assert first < low < last < high or low < first < high < last


def _below(head: int, heads: tuple[int, ...]) -> set[int]:
    found = {head}
    while True:
        more = found | {word for word, above in enumerate(heads, start=1) if above in found}
        if more == found:
            return found
        found = more


def test_scores_are_rounded_and_named(book: DependencyTree) -> None:
    form = exploration(book, scores=Scores("mine", [[1.0, 0.0, 0.0]] * 9 + [[0, 0, 2 / 3]]))
    VALIDATOR.validate(form)
    assert form["model"]["name"] == "mine"
    assert form["model"]["probabilities"][-1] == [0, 0, 0.666667]


def test_letters_that_are_no_transition_are_named() -> None:
    assert letters_of(transitions_of("SLR")) == "SLR"
    with pytest.raises(DataError, match="action 3 is 'l'"):
        transitions_of("SSl")


def test_a_derivation_has_one_letter_a_transition(book: DependencyTree) -> None:
    configuration = Configuration.initial(len(book))
    for transition in transitions_of(exploration(book)["transitions"]):
        configuration = transition(configuration)
    assert configuration.is_terminal
    assert {(arc.head, arc.dependent) for arc in book.arcs()} == configuration.arcs


def test_the_examples_are_in_the_schema_and_each_shows_something() -> None:
    offered = list(examples())
    for example in offered:
        VALIDATOR.validate(example["exploration"])
        assert example["name"]
        assert example["note"][0].isupper()
    assert Counter(example["name"] for example in offered).most_common(1)[0][1] == 1
    first, second = offered[0]["exploration"], offered[1]["exploration"]
    assert first["text"] == "Book me the morning flight"
    assert first["derivations"] == "1"
    assert int(second["derivations"]) > 1
    assert any(40 <= len(example["exploration"]["words"]) <= 60 for example in offered)
    assert any(not example["exploration"]["projective"] for example in offered)
    assert any(example["exploration"]["rtl"] for example in offered)
    names = " ".join(example["name"] for example in offered)
    for language in ("Korean", "Arabic", "Vietnamese"):
        assert language in names


def test_the_odd_words_are_as_they_are_in_json_and_escaped_in_latex() -> None:
    (sentence,) = conllu.read(str(FOLDER / "08-odd-words.conllu"))
    odd = sentence_exploration(sentence, latex=True)
    VALIDATOR.validate(odd)
    forms = [word["form"] for word in odd["words"]]
    assert "<script>alert('hi')</script>" in forms
    assert '"onload=' in forms
    assert "100%_{forms}" not in odd["latex"]["arcs"]
    assert r"100\%\_\{forms\}" in odd["latex"]["arcs"]


def test_the_examples_pass_the_check(arctree: Arctree) -> None:
    for path in sorted(FOLDER.glob("*.conllu")):
        outcome = arctree("check", path)
        assert outcome.status == 0, outcome
        assert "0 problems" in outcome.out
