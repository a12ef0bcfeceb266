from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from command_line import BAD, BOOK, Arctree


@pytest.mark.parametrize("view", ["arcs", "tree", "derivation"])
@pytest.mark.parametrize(
    ("form", "mark"), [("text", "flight"), ("svg", "<svg"), ("latex", "\\begin{")]
)
def test_draw_draws_every_view_with_every_pen(
    arctree: Arctree, tmp_path: Path, view: str, form: str, mark: str
) -> None:
    printed = arctree("draw", BOOK, "--view", view, "--to", form)
    assert printed.status == 0
    assert mark in printed.out
    path = tmp_path / "picture"
    assert arctree("draw", BOOK, "--view", view, "--to", form, "-o", path).status == 0
    assert mark in path.read_text("utf-8")


def test_draw_makes_a_whole_latex_document(arctree: Arctree, treebank: Path) -> None:
    result = arctree("draw", treebank, "--to", "latex", "--document")
    assert result.out.startswith("\\documentclass")
    assert result.out.count("\\begin{dependency}") == 2


def test_an_svg_file_holds_one_sentence(arctree: Arctree, treebank: Path) -> None:
    assert arctree("draw", treebank, "--to", "svg").status == 2
    assert arctree("draw", treebank, "--to", "svg", "--sentence", "one").status == 0


def test_the_number_of_a_sentence_is_that_in_the_file(arctree: Arctree, spoilt: Path) -> None:
    call = ("draw", spoilt, "--on-error", "skip", "--sentence")
    assert arctree(*call, "2").out.startswith("one\n")
    assert arctree(*call, "3").out.startswith("two\n")
    assert arctree(*call, "1").status == 2


def test_drawings_are_titled_by_the_number_in_the_file(arctree: Arctree) -> None:
    text = (
        (BAD + BOOK.read_text()).replace("# sent_id = bad\n", "").replace("# sent_id = book\n", "")
    )
    result = arctree("draw", "-", "--on-error", "skip", stdin=text.encode())
    assert result.out.startswith("2\n")


def explorations(page: str) -> list[dict[str, Any]]:
    """What a stand-alone page shows."""
    (data,) = re.findall(r'<script type="application/json" id="explorations">(.*?)</script>', page)
    return list(json.loads(data)["explorations"])


def test_a_page_holds_all_sentences_projective_or_not(
    arctree: Arctree, treebank: Path, tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    result = arctree("draw", treebank, "--to", "html", "-o", path)
    assert (result.status, result.out, result.err) == (0, "", "")
    page = path.read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert f"<title>{treebank.name}</title>" in page
    one, two = explorations(page)
    assert (one["id"], one["projective"], one["lifting"]) == ("one", True, None)
    assert (two["id"], two["projective"]) == ("two", False)
    assert two["lifting"]["lifts"]


def test_a_page_can_hold_one_sentence_with_other_tags(arctree: Arctree, treebank: Path) -> None:
    result = arctree("draw", treebank, "--to", "html", "--sentence", "one", "--tags", "upos")
    (only,) = explorations(result.out)
    assert [word["tag"] for word in only["words"]] == ["PROPN", "PUNCT"]
    assert "<title>New York (-LRB-</title>" in result.out


def test_a_page_has_all_views_and_says_so(arctree: Arctree) -> None:
    result = arctree("draw", BOOK, "--to", "html", "--view", "tree")
    assert result.status == 0
    assert "--view decides nothing with --to html" in result.err
    assert result.out == arctree("draw", BOOK, "--to", "html").out


def test_bad_sentences_are_left_out_of_a_page_and_told(arctree: Arctree, spoilt: Path) -> None:
    assert arctree("draw", spoilt, "--to", "html").status == 1
    result = arctree("draw", spoilt, "--to", "html", "--on-error", "skip")
    assert result.status == 0
    assert [shown["id"] for shown in explorations(result.out)] == ["one", "two"]
    assert "2 bad sentences skipped" in result.err


def test_a_page_without_a_sentence_is_not_written(arctree: Arctree, tmp_path: Path) -> None:
    empty = tmp_path / "empty.conllu"
    empty.write_text("")
    path = tmp_path / "page.html"
    result = arctree("draw", empty, "--to", "html", "-o", path)
    assert result.status == 1
    assert "no sentence to draw" in result.err
    assert not path.exists()


def test_no_word_ends_the_data_of_a_page(arctree: Arctree) -> None:
    word = "</script><script>alert(1)</script>"
    text = f"# sent_id = x\n1\t{word}\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    result = arctree("draw", "-", "--to", "html", stdin=text.encode())
    assert "alert(1)</script>" not in result.out
    assert explorations(result.out)[0]["words"][0]["form"] == word
