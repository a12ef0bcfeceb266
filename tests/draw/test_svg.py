from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from arctree.dependency import DependencyTree
from arctree.draw import svg
from arctree.draw.width import pixels
from arctree.lifting import lift
from arctree.oracle import derive
from arctree.ordered import from_dependency

NAMESPACE = "{http://www.w3.org/2000/svg}"
EVIL = ("<script>alert(1)</script>", "&amp;", "]]>", "\x00\x01", "\ud800", "\ufffe", '"quoted"')


def parsed(drawing: str) -> ElementTree.Element:
    root = ElementTree.fromstring(drawing.encode("utf-8"))
    assert root.tag == NAMESPACE + "svg"
    assert root.get("role") == "img"
    title, description = root[0], root[1]
    assert (title.tag, description.tag) == (NAMESPACE + "title", NAMESPACE + "desc")
    assert title.text
    assert description.text
    width, height = root.get("width"), root.get("height")
    assert root.get("viewBox") == f"0 0 {width} {height}"
    assert not list(root.iter(NAMESPACE + "script"))
    return root


def texts(root: ElementTree.Element) -> list[str]:
    return ["".join(element.itertext()) for element in root.iter(NAMESPACE + "text")]


def of_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [element for element in root.iter() if name in (element.get("class") or "").split()]


def drawings(tree: DependencyTree) -> list[ElementTree.Element]:
    lifted = lift(tree)
    return [
        parsed(svg.draw_arcs(tree)),
        parsed(svg.draw_tree(from_dependency(lifted))),
        parsed(svg.draw_derivation(derive(lifted))),
    ]


def coordinate(element: ElementTree.Element, name: str) -> float:
    return float(element.get(name) or "nan")


def test_every_word_tag_and_label_of_the_paper_s_sentence_is_there(book: DependencyTree) -> None:
    arcs, tree, _ = drawings(book)
    for root in (arcs, tree):
        assert sorted(texts(root)) == sorted([*book.words, *book.tags, *map(str, book.labels)])


def test_the_table_shows_the_stack_as_the_paper_does(book: DependencyTree) -> None:
    shown = texts(parsed(svg.draw_derivation(derive(book))))
    assert shown[:5] == ["Step", "Stack", "Buffer", "Action", "Relation added"]
    eighth = shown.index("8")
    assert shown[eighth + 1 : eighth + 4] == ["root", "t'book", "t''flight"]
    assert [text for text in shown if text.isupper()] == [
        *("SHIFT", "SHIFT", "RIGHTARC", "SHIFT", "SHIFT", "SHIFT"),
        *("LEFTARC", "LEFTARC", "RIGHTARC", "RIGHTARC", "DONE"),
    ]
    assert "flight\u2002→\u2002morning" in shown


def sixty_words() -> DependencyTree:
    words = tuple("i wonder" if place % 7 == 0 else "mow" * (place % 5 + 1) for place in range(60))
    heads = tuple(0 if place == 30 else 31 if place % 3 else place or 31 for place in range(60))
    return DependencyTree(words, heads, ("obl:tmod",) * 60, ("NOUN",) * 60)


@pytest.mark.parametrize("width", [1200, 100_000])
def test_no_two_words_overlap_at_sixty_words(width: int) -> None:
    tree = sixty_words()
    is_turned = width == 1200
    for drawing in (
        svg.draw_arcs(tree, width=width),
        svg.draw_tree(from_dependency(lift(tree)), width=width),
    ):
        root = parsed(drawing)
        assert (int(root.get("width") or 0) <= 1200) == is_turned
        words = of_class(root, "word")
        assert [word.text for word in words] == list(tree.words)
        boxes = []
        for word in words:
            x, y = coordinate(word, "x"), coordinate(word, "y")
            size = pixels(word.text or "", 16)
            left = x if is_turned else x - size / 2
            boxes.append((left, y, left + size, y))
            assert left >= 0
            assert left + size <= int(root.get("width") or 0)
        for before, after in pairwise(boxes):
            assert after[1] - before[1] >= 20 if is_turned else after[0] > before[2]


def test_labels_of_a_level_do_not_overlap() -> None:
    root = parsed(svg.draw_arcs(sixty_words(), width=100_000))
    rows: dict[float, list[tuple[float, float]]] = {}
    for box in of_class(root, "back"):
        left = coordinate(box, "x")
        row = rows.setdefault(coordinate(box, "y"), [])
        row.append((left, left + coordinate(box, "width")))
    assert len(rows) > 5
    for row in rows.values():
        assert all(after[0] > before[1] for before, after in pairwise(sorted(row)))


def test_the_height_does_not_grow_with_the_length_of_an_arc() -> None:
    def height(size: int) -> int:
        heads = (0, *range(1, size - 1), 1)
        tree = DependencyTree(("w",) * size, heads, ("x",) * size)
        return int(parsed(svg.draw_arcs(tree, width=100_000)).get("height") or 0)

    assert height(10) == height(100)


def test_a_sentence_that_runs_right_to_left_is_mirrored() -> None:
    tree = DependencyTree(("الحد", "5000", "دولار"), (3, 3, 0), ("nsubj", "nummod", "root"))
    for drawing in (svg.draw_arcs(tree), svg.draw_tree(from_dependency(tree))):
        places = [coordinate(word, "x") for word in of_class(parsed(drawing), "word")]
        assert places == sorted(places, reverse=True)


def test_arcs_that_are_not_projective_are_marked() -> None:
    tree = DependencyTree(("a", "b", "c", "d"), (3, 4, 0, 1), ("p", "q", "root", "s"))
    for width in (1200, 10):
        root = parsed(svg.draw_arcs(tree, width=width))
        assert len(of_class(root, "crossing")) == 2
        assert [label.text for label in of_class(root, "crossing-label")] == ["q", "s"]
    assert "s↑p" in texts(parsed(svg.draw_arcs(lift(tree))))


def test_malicious_text_stays_text() -> None:
    size = len(EVIL)
    tree = DependencyTree(EVIL, (0, *[1] * (size - 1)), EVIL, EVIL)
    for root in drawings(tree):
        assert "<script>alert(1)" in " ".join(texts(root))
        assert "␀␁" in " ".join(texts(root))
        assert not list(root.iter(NAMESPACE + "script"))
        assert not [
            name
            for element in root.iter()
            for name in element.attrib
            if name.startswith("on") or "href" in name
        ]


def test_a_picture_needs_nothing_from_elsewhere(book: DependencyTree) -> None:
    for drawing in (svg.draw_arcs(book), svg.draw_derivation(derive(book))):
        assert re.findall(r"https?://[^\"]*", drawing) == ["http://www.w3.org/2000/svg"]
        assert "url(" not in drawing
        assert "@import" not in drawing
        assert "prefers-color-scheme: dark" in drawing


def test_ten_thousand_words_are_drawn() -> None:
    size = 10_000
    tree = DependencyTree(("word",) * size, tuple(range(size)), ("x",) * size)
    arcs, ordered, _ = drawings(tree)
    assert len(of_class(arcs, "word")) == len(of_class(ordered, "word")) == size
