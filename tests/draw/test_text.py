from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from arctree.dependency import DependencyTree
from arctree.draw import text
from arctree.draw.width import cells
from arctree.lifting import lift
from arctree.oracle import derive
from arctree.ordered import from_dependency


def test_arcs_of_the_paper_s_figure_1(book: DependencyTree) -> None:
    assert text.draw_arcs(book).splitlines() == [
        "╭───┬──  1  book     VB   root",
        "│   ╰─►  2  me       PRP  iobj      ← book",
        "│ ╭───►  3  the      DT   det       ← flight",
        "│ │ ╭─►  4  morning  NN   compound  ← flight",
        "╰─┴─┴─►  5  flight   NN   dobj      ← book",
    ]


def test_tree_of_the_paper_s_figure_1(book: DependencyTree) -> None:
    assert text.draw_tree(from_dependency(book)).splitlines() == [
        "              root",
        "   ╭────────┬───┴─────────────╮",
        "book/VB   iobj              dobj",
        "            │       ╭─────────┼──────────╮",
        "         me/PRP    det    compound   flight/NN",
        "                    │         │",
        "                 the/DT  morning/NN",
    ]


def test_a_tree_that_is_too_wide_becomes_an_outline(book: DependencyTree) -> None:
    assert text.draw_tree(from_dependency(book), width=40).splitlines() == [
        "root",
        "├── book/VB",
        "├── iobj ── me/PRP",
        "└── dobj",
        "    ├── det ── the/DT",
        "    ├── compound ── morning/NN",
        "    └── flight/NN",
    ]


def test_the_paper_s_table_2(book: DependencyTree) -> None:
    heading, rule, *table = text.draw_derivation(derive(book)).splitlines()
    assert heading.split() == ["Step", "Stack", "Buffer", "Action", "Relation", "added"]
    assert set(rule) == {"─"}
    assert table == [
        "   0  [root]         [book, me, the, morning, flight]  SHIFT",
        "   1  [root, t_book]       [me, the, morning, flight]  SHIFT",
        "   2  [root, t_book, t_me]     [the, morning, flight]  RIGHTARC  book → me",
        "   3  [root, t'_book]          [the, morning, flight]  SHIFT",
        "   4  [root, t'_book, t_the]        [morning, flight]  SHIFT",
        "   5  [root, t'_book, t_the, t_morning]      [flight]  SHIFT",
        "   6  [root, t'_book, t_the, t_morning, t_flight]  []  LEFTARC   flight → morning",
        "   7  [root, t'_book, t_the, t'_flight]            []  LEFTARC   flight → the",
        "   8  [root, t'_book, t''_flight]                  []  RIGHTARC  book → flight",
        "   9  [root, t''_book]                             []  RIGHTARC  root → book",
        "  10  [root]                                       []  DONE",
    ]


def test_the_paper_s_table_2_fits_a_narrow_terminal_without_elision(book: DependencyTree) -> None:
    table = text.draw_derivation(derive(book), width=80)
    assert "…" not in table
    assert max(map(cells, table.splitlines())) == 80


def test_arcs_that_are_not_projective_are_double_and_said_to_be_so() -> None:
    tree = DependencyTree(
        ("A", "hearing", "is", "scheduled", "on", "it"),
        (2, 4, 4, 0, 6, 2),
        ("det", "nsubj", "aux", "root", "case", "nmod"),
    )
    assert text.draw_arcs(tree).splitlines() == [
        "    ╭─►  1  A          det    ← hearing",
        "╓─┬─┴─►  2  hearing    nsubj  ← scheduled",
        "║ │ ╭─►  3  is         aux    ← scheduled",
        "║ ╰─┴──  4  scheduled  root",
        "║   ╭─►  5  on         case   ← it",
        "╙───┴─►  6  it         nmod   ← hearing    non-projective",
    ]


def test_an_arc_that_runs_across_another_one_is_interrupted() -> None:
    tree = DependencyTree(("a", "b", "c", "d", "e"), (0, 5, 1, 1, 1), ("x",) * 5)
    assert text.draw_arcs(tree).splitlines() == [
        "╭─┬───┬──  1  a  x",
        "│ │ ╓─│─►  2  b  x  ← e  non-projective",
        "│ │ ║ ╰─►  3  c  x  ← a",
        "│ ╰─║───►  4  d  x  ← a",
        "╰───╨───►  5  e  x  ← a",
    ]


def test_lifted_labels_are_shown_in_their_printed_form() -> None:
    tree = lift(DependencyTree(("a", "b", "c", "d"), (3, 4, 0, 1), ("p", "q", "root", "s")))
    assert "s↑p" in text.draw_arcs(tree)
    assert "s↑p" in text.draw_tree(from_dependency(tree))


def test_columns_are_aligned_under_wide_and_combining_characters() -> None:
    tree = DependencyTree(
        ("前年", "ラン", "e\u0301te\u0301", "19"),
        (2, 0, 2, 3),
        ("compound", "root", "obl", "nummod"),
        ("NOUN", "NOUN", "名詞", "NUM"),
    )
    lines = text.draw_arcs(tree).splitlines()
    starts = {
        cells(line[: line.index(f" {label}")])
        for line, label in zip(lines, map(str, tree.labels), strict=True)
    }
    assert len(starts) == 1
    first, branches, *_ = text.draw_tree(from_dependency(tree)).splitlines()
    assert cells(first.rstrip()[:-2]) == branches.replace("┼", "┴").index("┴")


def test_words_that_run_right_to_left_are_isolated() -> None:
    tree = DependencyTree(("الحد", "5000", "دولار"), (3, 3, 0), ("nsubj", "nummod", "root"))
    steps = text.draw_derivation(derive(tree))
    assert "[root, t_\u2068الحد\u2069]" in steps
    assert "\u2068دولار\u2069 → \u2068الحد\u2069" in steps
    lines = text.draw_arcs(tree).splitlines()
    assert lines[0].endswith("1  \u2068الحد\u2069   nsubj   ← \u2068دولار\u2069")
    picture = text.draw_tree(from_dependency(tree))
    for drawing in (steps, "\n".join(lines), picture):
        assert drawing.count("\u2068") == drawing.count("\u2069")


def test_control_characters_cannot_break_lines() -> None:
    tree = DependencyTree(("a\nb", "\x1b[31mc\x00"), (0, 1), ("ro\rot", "x\u2028"))
    assert len(text.draw_arcs(tree).splitlines()) == 2
    drawn = text.draw_arcs(tree) + text.draw_tree(from_dependency(tree))
    drawn += text.draw_derivation(derive(tree))
    assert not set("\x1b\x00\r\u2028") & set(drawn)
    assert "a␊b" in drawn


def test_long_stacks_and_buffers_are_elided() -> None:
    size = 100
    words = tuple(f"w{number}" for number in range(1, size + 1))
    left = DependencyTree(words, (*range(2, size + 1), 0), ("x",) * size)
    right = DependencyTree(words, tuple(range(size)), ("x",) * size)
    first = text.draw_derivation(derive(left)).splitlines()[2]
    assert first.startswith("   0  [root]")
    assert "[w1, w2, w3, " in first
    assert " more]" in first
    last_shift = next(
        line for line in text.draw_derivation(derive(right)).splitlines() if "RIGHTARC" in line
    )
    assert "[root, … 9" in last_shift
    assert "more …, " in last_shift
    assert "t_w99, t_w100]" in last_shift


def test_many_dependents_are_counted_rather_than_primed() -> None:
    tree = DependencyTree(tuple("abcdef"), (0, 1, 1, 1, 1, 1), ("x",) * 6)
    table = text.draw_derivation(derive(tree))
    assert "t'''_a" in table
    assert "t⁽⁴⁾_a" in table
    assert "t⁽⁵⁾_a" in table


def test_an_arc_without_a_lane_names_its_head() -> None:
    picture = text.draw_arcs(chain(nested, 40)).splitlines()
    assert picture[1].startswith("40 ⋯─")
    assert picture[39].startswith(" 1 ⋯─")
    assert "⋯" not in picture[19]


@pytest.mark.parametrize("width", [76, 80, 100, 140])
def test_pictures_keep_to_the_width(width: int) -> None:
    size = 60
    words = tuple("word" * (1 + number % 4) for number in range(size))
    tree = DependencyTree(words, nested(size), ("nmod:longlabel",) * size, ("PROPN",) * size)
    for picture in (
        text.draw_arcs(tree, width=width),
        text.draw_tree(from_dependency(tree), width=width),
        text.draw_derivation(derive(tree), width=width),
    ):
        assert max(map(cells, picture.splitlines())) <= width


def left_branching(size: int) -> tuple[int, ...]:
    return (*range(2, size + 1), 0)


def right_branching(size: int) -> tuple[int, ...]:
    return tuple(range(size))


def nested(size: int) -> tuple[int, ...]:
    """1 heads n, n heads 2, 2 heads n - 1, and so on."""
    order = [word for low in range(1, size // 2 + 1) for word in (low, size + 1 - low)]
    heads = [0] * size
    for head, dependent in pairwise(order):
        heads[dependent - 1] = head
    return tuple(heads)


def fan(size: int) -> tuple[int, ...]:
    return (0, *[1] * (size - 1))


Shape = Callable[[int], tuple[int, ...]]


def chain(shape: Shape, size: int) -> DependencyTree:
    return DependencyTree(("word",) * size, shape(size), ("x",) * size)


shapes = pytest.mark.parametrize("shape", [left_branching, right_branching, nested, fan])


@shapes
def test_twice_the_words_make_twice_the_text(shape: Shape) -> None:
    small, large = chain(shape, 2_000), chain(shape, 4_000)
    for draw in (
        text.draw_arcs,
        lambda tree: text.draw_tree(from_dependency(tree)),
        lambda tree: text.draw_derivation(derive(tree)),
    ):
        ratio = len(draw(large)) / len(draw(small))
        assert 1.9 < ratio < 2.1


@shapes
def test_ten_thousand_words_are_drawn(shape: Shape) -> None:
    tree = chain(shape, 10_000)
    assert text.draw_arcs(tree).count("\n") == 9_999
    assert text.draw_tree(from_dependency(tree)).count("word") == 10_000
    assert text.draw_derivation(derive(tree)).splitlines()[-1].endswith("DONE")
