from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arctree.dependency import DependencyTree
from arctree.errors import DataError
from arctree.json_form import (
    derivation_to_json,
    sentence_from_json,
    sentence_to_json,
    tree_from_json,
    tree_to_json,
)
from arctree.oracle import count_derivations, derive
from arctree.ordered import from_dependency
from arctree.sentence import Sentence
from strategies import labels, projective_heads, projective_trees, sentences, trees

VALIDATOR = jsonschema.Draft202012Validator(
    json.loads(files("arctree").joinpath("schema.json").read_text("utf-8"))
)


def through_text(form: dict[str, Any]) -> Any:
    """What a program at the other end of a pipe gets."""
    VALIDATOR.validate(form)
    return json.loads(json.dumps(form))


@given(trees(projective_heads(), labels))
def test_a_tree_comes_back_from_its_json_form(tree: DependencyTree) -> None:
    ordered = from_dependency(tree)
    assert tree_from_json(through_text(tree_to_json(ordered))) == ordered


@given(sentences().filter(lambda sentence: sentence.line_break == "\n"))
def test_a_sentence_comes_back_from_its_json_form(sentence: Sentence) -> None:
    back = sentence_from_json(through_text(sentence_to_json(sentence)))
    assert back.to_text().rstrip("\n") == sentence.to_text().rstrip("\n")


@given(projective_trees)
def test_the_steps_of_a_derivation_replay_it(tree: DependencyTree) -> None:
    form = through_text(
        derivation_to_json(
            derive(tree),
            from_dependency(tree),
            sentence_id=None,
            derivations=count_derivations(tree.heads),
        )
    )
    stack, buffer = [0], list(range(1, len(tree) + 1))
    arcs = set()
    for row in form["steps"]:
        assert row["depth"] == len(stack)
        assert row["top"] == stack[-2:]
        assert row["buffer"] == (buffer[0] if buffer else None)
        match row["transition"]:
            case "SHIFT":
                stack.append(buffer.pop(0))
            case "LEFTARC":
                assert row["arc"] == {"head": stack[-1], "dependent": stack[-2]}
                arcs.add((stack[-1], stack.pop(-2)))
            case "RIGHTARC":
                assert row["arc"] == {"head": stack[-2], "dependent": stack[-1]}
                arcs.add((stack[-2], stack.pop()))
    assert arcs == {(head, word) for word, head in enumerate(tree.heads, start=1)}


def test_the_paper_s_tree_in_json(book: DependencyTree) -> None:
    form = tree_to_json(from_dependency(book))
    assert form["arctree"] == 1
    assert form["kind"] == "tree"
    assert form["words"][0] == {"id": 1, "form": "book", "tag": "VB"}
    assert form["nodes"][2] == {"label": "dobj", "anchor": 5, "first": 3, "last": 5, "parent": 0}


anything = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 6) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["label", "anchor", "base", "rank", "form"]), inner)
    ),
    max_leaves=6,
)


@given(trees(projective_heads(), labels), st.data())
def test_damaged_json_is_a_tree_or_our_own_error(tree: DependencyTree, data: st.DataObject) -> None:
    form = tree_to_json(from_dependency(tree))
    target: Any = data.draw(st.sampled_from([form, form["nodes"][-1], form["words"][-1]]))
    target[data.draw(st.sampled_from(sorted(target)))] = data.draw(anything)
    try:
        found = tree_from_json(form)
    except DataError:
        return
    assert tree_from_json(tree_to_json(found)) == found


@given(sentences(), st.data())
def test_a_damaged_sentence_is_a_sentence_or_our_own_error(
    sentence: Sentence, data: st.DataObject
) -> None:
    form = sentence_to_json(sentence)
    target: Any = data.draw(st.sampled_from([form, form["words"][-1]]))
    target[data.draw(st.sampled_from(sorted(target)))] = data.draw(anything)
    try:
        found = sentence_from_json(form)
    except DataError:
        return
    assert len(found) >= 1


@pytest.mark.parametrize(
    "form", [None, [], 3, {}, {"arctree": 2, "kind": "tree"}, {"arctree": 1, "kind": "sentence"}]
)
def test_what_is_no_tree_of_version_1_is_refused(form: object) -> None:
    with pytest.raises(DataError):
        tree_from_json(form)
