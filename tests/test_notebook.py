"""What a notebook shows: the methods that its display asks for."""

from __future__ import annotations

import re
import subprocess
import sys
from base64 import b64decode
from html import unescape
from typing import Any
from xml.etree import ElementTree

import pytest

import arctree
from arctree import DependencyTree, Derivation, OrderedTree, Sentence, derivations, derive
from arctree.document import Document, ParsedSentence
from arctree.draw import svg
from arctree.oracle import canonical_derivation

HOSTILE = ("</script>", "<script>alert(1)</script>", '"onload=', "\u2028", "\ud800&amp;")


def shown(value: object, kind: str) -> Any:
    """What IPython's display formatter gets from a value."""
    method = getattr(value, f"_repr_{kind}_", None)
    return None if method is None else method()


def picture_in(html: str) -> str:
    """The picture of an image with its data inside."""
    (data,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]*)"', html)
    return b64decode(data).decode("utf-8")


def page_in(html: str) -> str:
    """The page that a frame holds."""
    (page,) = re.findall(r'<iframe [^>]*srcdoc="([^"]*)"></iframe>', html)
    return unescape(page)


def sentence_of(text: str) -> Sentence:
    (sentence,) = arctree.read_text(text)
    return sentence


BOOK = """\
# sent_id = book
1\tbook\t_\tVERB\tVB\t_\t0\troot\t_\t_
2\tflights\t_\tNOUN\tNNS\t_\t1\tobj\t_\t_

"""
BLIND = "1\tbook\t_\t_\t_\t_\t_\t_\t_\t_\n\n"


def test_a_dependency_tree_shows_its_arcs(book: DependencyTree) -> None:
    assert shown(book, "svg") == svg.draw_arcs(book)
    assert picture_in(shown(book, "html")) == svg.draw_arcs(book)


def test_a_tree_that_is_not_projective_shows_its_arcs_too() -> None:
    tree = DependencyTree(tuple("abcd"), (3, 4, 0, 1), ("x", "x", "root", "x"))
    assert shown(tree, "svg") == svg.draw_arcs(tree)


def test_an_ordered_tree_shows_its_branches(book: DependencyTree) -> None:
    ordered = arctree.from_dependency(book)
    assert shown(ordered, "svg") == svg.draw_tree(ordered)
    assert picture_in(shown(ordered, "html")) == svg.draw_tree(ordered)


def test_a_derivation_shows_the_table_and_the_explorer(book: DependencyTree) -> None:
    derivation = derive(book)
    assert shown(derivation, "svg") == svg.draw_derivation(derive(book))
    html = shown(derivation, "html")
    assert 'sandbox="allow-scripts allow-downloads"' in html
    page = page_in(html)
    assert page.startswith("<!doctype html>")
    assert '"transitions":"SSRSSSLLRR"' in page


def test_the_explorer_starts_with_the_derivation_that_was_asked_for() -> None:
    tree = DependencyTree(("he", "sleeps", "well"), (2, 0, 2), ("nsubj", "root", "advmod"))
    _, second = derivations(tree)
    page = page_in(shown(derive(tree, second), "html"))
    assert '"transitions":"SSLSRR"' in page
    assert '"actions":"SSSRLR"' in page


def test_a_sentence_shows_its_arcs_with_tags() -> None:
    assert "VB" in shown(sentence_of(BOOK), "svg")
    assert "NNS" in picture_in(shown(sentence_of(BOOK), "html"))


def test_a_sentence_without_heads_has_no_picture_and_is_printed() -> None:
    assert shown(sentence_of(BLIND), "svg") is None
    assert shown(sentence_of(BLIND), "html") is None


def test_what_a_pipeline_answers_shows_its_arcs() -> None:
    arctree.notebook.install_for_documents()
    sentence = sentence_of(BOOK)
    parsed = ParsedSentence(sentence, (1.0, 1.0), canonical_derivation(sentence.tree), (1.0,) * 4)
    assert shown(parsed, "svg") == shown(sentence, "svg")
    assert picture_in(shown(parsed, "html")) == shown(sentence, "svg")
    short = shown(Document("book flights", (parsed,)), "html")
    assert short.count("<img") == 1
    assert "more" not in short
    long = shown(Document("book flights " * 1000, (parsed,) * 1000), "html")
    assert long.count("<img") == 20
    assert "980 more" in long


@pytest.mark.parametrize("word", HOSTILE)
def test_a_word_is_shown_as_it_is_and_leaves_its_place_nowhere(word: str) -> None:
    tree = DependencyTree((word, "x"), (2, 0), (word, "root"), (word, "_"))
    for value in (tree, arctree.from_dependency(tree), derive(tree)):
        ElementTree.fromstring(shown(value, "svg"))
        html = shown(value, "html")
        html.encode("utf-8")
        assert "<script" not in html
        assert re.fullmatch(
            r'<div style="[^"<>]*"><img [^<>]*></div>|<iframe [^<>]*></iframe>', html
        )


def test_nothing_but_the_two_methods_is_given_to_a_class() -> None:
    for kind in (DependencyTree, OrderedTree, Derivation, Sentence):
        assert {name for name in vars(kind) if name.startswith("_repr_")} == {
            "_repr_svg_",
            "_repr_html_",
        }


def test_no_pen_and_no_page_is_imported_before_a_picture_is_asked_for() -> None:
    program = (
        "import sys, arctree; "
        "tree = arctree.DependencyTree(('a',), (0,), ('root',)); "
        "names = ('arctree.draw.svg', 'arctree.web', 'arctree.document', 'numpy', 'IPython'); "
        "print([name for name in names if name in sys.modules]); "
        "tree._repr_svg_(); "
        "print('arctree.draw.svg' in sys.modules, 'arctree.web' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\nTrue False\n"
