from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import pytest

from arctree import DependencyTree, conllu, format_tree, from_dependency, parse_tree, read_text
from arctree.errors import ArctreeError, CallError, DataError
from arctree.web.api import QUESTIONS, answer
from arctree.web.examples import FOLDER
from arctree.web.models import Models
from arctree.web.server import application
from command_line import BAD, PROJECT, TREEBANK
from web.served import VALIDATOR, Served, serving

BOOK = (PROJECT / "examples" / "book.conllu").read_text("utf-8")
ODD = (FOLDER / "08-odd-words.conllu").read_text("utf-8")
PAGE = (PROJECT / "docs" / "explorer-api.md").read_text("utf-8")


@pytest.fixture(scope="module")
def explorer() -> Iterator[Served]:
    with serving(application(Models.found())) as served:
        yield served


def asked(name: str, form: object, models: Models | None = None) -> Any:
    """The answer without a server."""
    body = form if isinstance(form, bytes) else json.dumps(form).encode("ascii")
    found = answer(QUESTIONS[name], body, models or Models())
    VALIDATOR.validate(found)
    return found


def documented() -> list[tuple[str, str | None, Any]]:
    """Path, body and answer of each request on the page."""
    found = []
    pattern = (
        r"^```sh\ncurl http://127.0.0.1:8420(\S+)(?: -d '([^']*)')?\n```\n\n```json\n(.*?)^```$"
    )
    for path, body, printed in re.findall(pattern, PAGE, re.M | re.S):
        found.append((path, body or None, json.loads(printed)))
    return found


@pytest.mark.parametrize(("path", "body", "printed"), documented())
def test_a_documented_request_is_answered_as_the_page_says(
    explorer: Served, path: str, body: str | None, printed: Any
) -> None:
    sent = None if body is None else body.encode("utf-8")
    # What curl -d says its data is.
    headers = {"Content-Type": "application/x-www-form-urlencoded"} if sent else {}
    found = explorer.ask("POST" if sent else "GET", path, sent, headers)
    assert found.headers["content-type"] == "application/json"
    assert_as_printed(found.json, printed)


def test_the_page_documents_every_question() -> None:
    paths = {path for path, _, _ in documented()}
    assert paths == {f"/api/{name}" for name in (*QUESTIONS, "models")}


def assert_as_printed(found: Any, printed: Any) -> None:
    """Equal, but for what an ellipsis leaves out, and digits that a processor may change."""
    agenda = [(found, printed)]
    while agenda:
        found, printed = agenda.pop()
        if isinstance(printed, dict):
            assert list(found) == list(printed)
            agenda += [(found[key], printed[key]) for key in printed]
        elif isinstance(printed, list):
            rest = printed[:-1] if printed[-1:] == ["…"] else printed
            assert len(rest) < len(found) if rest != printed else len(rest) == len(found)
            agenda += zip(found, rest, strict=False)
        elif isinstance(printed, float):
            assert found == pytest.approx(printed, abs=0.01)
        elif isinstance(printed, str) and printed.endswith("…"):
            assert found.startswith(printed[:-1])
        else:
            assert found == printed


def test_text_is_parsed_into_explorations_with_scores(explorer: Served) -> None:
    found = explorer.post("/api/parse", {"text": "Book me a flight. It leaves at noon."})
    assert found.status == 200
    first, second = found.json["explorations"]
    assert first["text"] == "Book me a flight."
    for item in (first, second):
        assert len(item["transitions"]) == 2 * len(item["words"])
        assert len(item["model"]["probabilities"]) == len(item["transitions"])
        assert item["model"]["name"] == "en"
        for letter, row in zip(item["transitions"], item["model"]["probabilities"], strict=True):
            assert row["SLR".index(letter)] > 0
            assert sum(row) == pytest.approx(1, abs=1e-4)


def test_words_are_parsed_as_they_are(explorer: Served) -> None:
    words = ["do", "n't", "<script>", '"onload=', "New York"]
    (item,) = explorer.post("/api/parse", {"words": words, "model": "en"}).json["explorations"]
    assert [word["form"] for word in item["words"]] == words


def test_scores_are_given_where_the_actions_end(explorer: Served) -> None:
    words = ["He", "sleeps"]
    whole = explorer.post("/api/score", {"words": words, "actions": "SSLR"}).json
    assert len(whole["probabilities"]) == 4
    start = explorer.post("/api/score", {"words": words, "actions": ""}).json
    assert start["probabilities"] == [[1, 0, 0]]


@pytest.mark.parametrize(
    ("path", "form", "status", "told"),
    [
        ("parse", {"text": "a", "txt": "b"}, 400, "unknown key 'txt'"),
        ("parse", {}, 400, "one of 'text' and 'words'"),
        ("parse", {"text": "a", "words": ["a"]}, 400, "one of 'text' and 'words'"),
        ("parse", {"text": 3}, 400, "'text' is missing or no text"),
        ("parse", {"words": "a b"}, 400, "'words' is missing or no list of texts"),
        ("parse", {"words": ["a", 1]}, 400, "'words' is missing or no list of texts"),
        ("parse", {"words": ["a\tb"]}, 422, "cannot stand in a column"),
        ("parse", {"words": ["a", ""]}, 422, "empty"),
        ("parse", {"words": []}, 422, "without words"),
        ("parse", {"text": " \n "}, 422, "no words"),
        ("parse", {"text": "\ud800"}, 400, "half a character"),
        ("parse", {"text": "a", "model": "xx"}, 422, "no model 'xx'; there is: en"),
        ("parse", {"text": "a" * 50_001}, 413, "50,001 characters"),
        ("parse", {"text": "This is so. " * 201}, 413, "more than 200 sentences"),
        ("parse", {"words": ["a"] * 501}, 413, "501 words in a sentence"),
        ("score", {"words": ["a"], "actions": "SX"}, 422, "action 2 is 'X'"),
        ("score", {"words": ["a"], "actions": "SL"}, 422, "action 2: LEFTARC is not legal"),
        ("score", {"words": ["a"], "actions": "SRS"}, 422, "action 3: SHIFT is not legal"),
        ("score", {"actions": "S"}, 400, "'words' is missing"),
        ("derive", {}, 400, "none of them"),
        ("derive", {"conllu": "", "brackets": ""}, 400, "'conllu' and 'brackets'"),
        ("derive", {"conllu": BOOK, "tags": []}, 400, "'tags' goes with 'words'"),
        ("derive", {"conllu": "\n"}, 422, "no sentence"),
        ("derive", {"words": ["a"], "heads": [True]}, 400, "no list of whole numbers"),
        ("derive", {"words": ["a"], "heads": [0.0]}, 400, "no list of whole numbers"),
        ("derive", {"words": ["a"], "heads": [1]}, 422, "no root"),
        ("derive", {"words": ["a"], "heads": [0, 1]}, 422, "1 words but 2 heads"),
        ("derive", {"words": ["a"], "heads": [0], "labels": ["x↑y↑z"]}, 422, "printed form"),
        ("convert", {"conllu": BOOK}, 400, "'to' is missing"),
        ("convert", {"conllu": BOOK, "to": "pdf"}, 400, "'to' is 'pdf'"),
        ("convert", {"conllu": BOOK * 2, "to": "svg"}, 400, "an SVG picture holds one"),
        ("convert", {"conllu": BOOK, "to": "svg", "actions": "S"}, 400, "'actions' goes with"),
        ("convert", {"conllu": BOOK, "to": "html", "actions": 1}, 400, "'actions' is missing"),
        ("convert", {"conllu": BOOK * 2, "to": "html", "actions": "S"}, 400, "are those of one"),
        ("convert", {"conllu": BOOK, "to": "html", "actions": "s"}, 422, "action 1 is 's'"),
        (
            "convert",
            {"conllu": BOOK, "to": "html", "actions": "SL"},
            422,
            "action 2: LEFTARC is not",
        ),
        ("convert", {"conllu": BOOK, "to": "html", "actions": "SS"}, 422, "breaks off after 2"),
        ("lift", {"conllu": BOOK * 2}, 400, "2 sentences, where one"),
        ("lift", {"conllu": BOOK, "scheme": "best"}, 400, "'scheme' is 'best'"),
        ("derive", {"conllu": BOOK * 201}, 413, "more than 200 sentences"),
        ("derive", {"brackets": "(root (_ a))\n" * 201}, 413, "more than 200 sentences"),
    ],
)
def test_what_is_wrong_is_named(
    explorer: Served, path: str, form: object, status: int, told: str
) -> None:
    found = explorer.post(f"/api/{path}", form)
    assert found.status == status
    assert told in found.json["error"]["fault"]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", "not JSON"),
        (b"[1", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "no JSON object"),
        (b'{"text": NaN}', "NaN is no number"),
        (b'{"text": "a", "text": "b"}', "'text' is there twice"),
        (b'{"text": ' + b"1" * 5000 + b"}", "not JSON"),
    ],
)
def test_a_body_that_is_no_json_object_is_refused(explorer: Served, body: bytes, told: str) -> None:
    found = explorer.ask("POST", "/api/parse", body, {})
    assert found.status == 400
    assert told in found.json["error"]["fault"]


def test_an_error_in_conllu_names_the_line_and_the_sentence() -> None:
    with pytest.raises(ArctreeError) as raised:
        asked("derive", {"conllu": BOOK + BAD})
    assert (raised.value.line, raised.value.sentence) == (10, "bad")  # type: ignore[attr-defined]


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
@pytest.mark.parametrize("before", ["", "\n", " \n\n"])
@pytest.mark.parametrize("after", ["", "\n", "\n\n \n"])
def test_the_ends_of_a_paste_do_not_matter(before: str, after: str, line_break: str) -> None:
    pasted = (before + BOOK.rstrip() + after).replace("\n", line_break)
    assert asked("derive", {"conllu": pasted}) == asked("derive", {"conllu": BOOK})
    with pytest.raises(ArctreeError) as raised:
        asked("derive", {"conllu": pasted.replace("\t5\tdet", "\t9\tdet")})
    assert raised.value.line == 5 + before.count("\n")  # type: ignore[attr-defined]


def test_a_byte_order_mark_is_no_part_of_a_paste() -> None:
    assert asked("derive", {"conllu": "\ufeff" + BOOK})["explorations"]


def test_a_sentence_without_heads_names_the_line() -> None:
    blind = "1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    with pytest.raises(ArctreeError) as raised:
        asked("derive", {"conllu": BOOK + blind})
    assert raised.value.line == 9  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("brackets", "line"),
    [
        ("(root (_ a))\n\n(root (_ a) (_ b))", 3),
        ("(root (_ a))\n(root\n (_ a)\n(root (_ b))", 2),
        ("(root (_ a)", 1),
        ("(root (_ a)))", 1),
        ("\n\nwords", 3),
        ("(root (_ a))\r\n(root (_ a\tb))", 2),
    ],
)
def test_an_error_in_brackets_names_the_line(brackets: str, line: int) -> None:
    with pytest.raises(ArctreeError) as raised:
        asked("derive", {"brackets": brackets})
    assert raised.value.line == line  # type: ignore[attr-defined]


def test_brackets_on_several_lines_are_read_and_lifts_undone() -> None:
    brackets = "(root (UA (_ a)) (_ b)\n  (UA↑UA (_ c)))\n\n(root (_ d))\n"
    first, second = asked("derive", {"brackets": brackets})["explorations"]
    assert first["heads"] == [2, 0, 1]
    assert first["projective"] is False
    assert second["words"] == [{"form": "d", "tag": "_"}]


def test_a_whole_conllu_file_is_derived_and_comes_back() -> None:
    found = asked("derive", {"conllu": TREEBANK})
    assert [item["id"] for item in found["explorations"]] == ["one", "two"]
    assert asked("convert", {"conllu": TREEBANK, "to": "conllu"})["content"] == TREEBANK


def test_tags_are_xpos_or_else_upos() -> None:
    (arabic,) = asked("derive", {"conllu": (FOLDER / "06-arabic.conllu").read_text("utf-8")})[
        "explorations"
    ]
    assert arabic["words"][0]["tag"] == "VERB"
    (book,) = asked("derive", {"conllu": BOOK})["explorations"]
    assert book["words"][0]["tag"] == "VB"


def test_printed_labels_and_tags_are_read_back() -> None:
    (item,) = asked("derive", {"conllu": ODD})["explorations"]
    form = {
        "words": [word["form"] for word in item["words"]],
        "tags": [word["tag"] for word in item["words"]],
        "heads": item["heads"],
        "labels": item["labels"],
    }
    (again,) = asked("derive", form)["explorations"]
    assert again == {**item, "id": None, "text": None}


@pytest.mark.parametrize("name", ["01-book", "04-hearing", "08-odd-words", "06-arabic"])
def test_brackets_lead_back_to_the_tree(name: str) -> None:
    source = (FOLDER / f"{name}.conllu").read_text("utf-8")
    brackets = asked("convert", {"conllu": source, "to": "brackets"})["content"]
    back = asked("convert", {"brackets": brackets, "to": "conllu"})["content"]
    (expected,), (found,) = read_text(source), read_text(back)
    assert found.tree == expected.tree


def test_the_json_form_is_that_of_the_command_line() -> None:
    content = asked("convert", {"conllu": BOOK, "to": "json"})["content"]
    form = json.loads(content)
    assert form["kind"] == "sentence"
    assert form["tree"]["kind"] == "tree"


@pytest.mark.parametrize("view", ["arcs", "tree", "derivation"])
@pytest.mark.parametrize("name", ["01-book", "04-hearing", "08-odd-words"])
def test_pictures_hold_the_words_escaped(name: str, view: str) -> None:
    source = (FOLDER / f"{name}.conllu").read_text("utf-8")
    svg = asked("convert", {"conllu": source, "to": "svg", "view": view})["content"]
    picture = ElementTree.fromstring(svg)
    assert not [element for element in picture.iter() if element.tag.endswith("script")]
    assert not [key for element in picture.iter() for key in element.attrib if key[:2] == "on"]
    latex = asked("convert", {"conllu": source, "to": "latex", "view": view})["content"]
    assert "100%_{" not in latex


def test_the_stand_alone_page_holds_no_markup_of_the_words() -> None:
    html = asked("convert", {"conllu": ODD, "to": "html"})["content"]
    assert "<script>alert" not in html


def test_another_derivation_goes_into_the_page_and_into_the_table() -> None:
    form = {"words": ["he", "sleeps", "well"], "heads": [2, 0, 2]}
    page = asked("convert", {**form, "to": "html", "actions": "SSSRLR"})["content"]
    assert '"actions":"SSSRLR"' in page
    tables = [
        asked("convert", {**form, "to": "latex", "view": "derivation", **more})["content"]
        for more in ({}, {"actions": "SSLSRR"}, {"actions": "SSSRLR"})
    ]
    assert tables[0] == tables[1] != tables[2]


def test_a_remedy_that_is_a_command_says_so() -> None:
    with pytest.raises(DataError) as found:
        asked("derive", {"brackets": "(root (_ a) (_ b))"})
    assert "the command arctree recover --repair mends" in found.value.remedy


def test_a_scheme_that_loses_the_tree_says_so() -> None:
    form = {"words": list("abcd"), "heads": [3, 4, 0, 1]}
    assert asked("lift", {**form, "scheme": "exact"})["comes_back"] is True
    lost = asked("lift", {**form, "scheme": "baseline"})
    assert lost["comes_back"] is False
    assert lost["returns"] == []
    assert len(lost["lifts"]) == 2


def test_a_projective_tree_is_lifted_by_doing_nothing() -> None:
    found = asked("lift", {"conllu": BOOK})
    assert found["lifts"] == found["returns"] == []
    assert found["comes_back"] is True


def test_without_a_model_trees_are_taken_and_text_is_not() -> None:
    assert Models().to_json() == {"models": [], "default": None}
    assert asked("derive", {"conllu": BOOK})["explorations"]
    with pytest.raises(CallError, match="no model to parse with"):
        asked("parse", {"text": "a"})


def test_two_models_of_one_name_are_told_apart() -> None:
    from arctree.pipeline import Pipeline

    models = Models([Pipeline.load("en"), Pipeline.load("en")])
    assert models.names == ["en", "en~2"]


def test_ordered_trees_of_the_examples_are_those_of_the_library(book: DependencyTree) -> None:
    (sentence,) = conllu.read(str(PROJECT / "examples" / "book.conllu"))
    brackets = asked("convert", {"conllu": BOOK, "to": "brackets"})["content"]
    assert parse_tree(brackets.strip()) == from_dependency(book)
    assert brackets == format_tree(from_dependency(sentence.tree_with_tags(4))) + "\n"
