from __future__ import annotations

from pathlib import Path

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
