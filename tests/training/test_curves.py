from __future__ import annotations

import math
import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arctree.training.curves import Record, draw_curves

SVG = "{http://www.w3.org/2000/svg}"
RUN: list[Record] = [
    {"epoch": 1, "loss": 3.0, "uas": 0.61, "las": 0.5},
    {"epoch": 2, "loss": 1.5, "uas": 0.85, "las": 0.8},
    {"epoch": 3, "loss": 0.75, "uas": 0.9, "las": 0.8712},
    {"epoch": 4, "loss": 0.5, "uas": 0.91, "las": 0.8712},
    {"epoch": 5, "loss": 0.25, "uas": 0.905, "las": 0.86},
]


def drawn(records: list[Record]) -> ElementTree.Element:
    return ElementTree.fromstring(draw_curves(records))


def of_kind(picture: ElementTree.Element, *kinds: str) -> list[ElementTree.Element]:
    return [found for found in picture.iter() if {*kinds} <= {*found.get("class", "").split()}]


def texts(picture: ElementTree.Element, kind: str) -> list[str | None]:
    return [found.text for found in of_kind(picture, kind) if found.tag == f"{SVG}text"]


def centre(circle: ElementTree.Element) -> tuple[float, float]:
    return float(circle.get("cx", "")), float(circle.get("cy", ""))


def coordinates(picture: ElementTree.Element) -> Iterator[tuple[float, float]]:
    for found in picture.iter():
        if found.tag == f"{SVG}circle":
            yield centre(found)
        numbers = [float(number) for number in re.findall(r"[-\d.]+", found.get("d", ""))]
        yield from zip(numbers[::2], numbers[1::2], strict=True)


# Anything a run may leave in a record: nothing, no number, numbers of any size.
anything = st.floats() | st.floats(0, 1)


@st.composite
def runs(draw: st.DrawFn) -> list[Record]:
    values = draw(st.lists(st.dictionaries(st.sampled_from(["loss", "uas", "las"]), anything)))
    return [{"epoch": epoch, **record} for epoch, record in enumerate(values, start=1)]


@given(runs() | st.lists(st.dictionaries(st.sampled_from(["epoch", "loss", "las"]), anything)))
def test_any_records_give_well_formed_xml_without_a_word_for_no_number(
    records: list[Record],
) -> None:
    text = draw_curves(records)
    picture = ElementTree.fromstring(text)
    assert picture.tag == f"{SVG}svg"
    assert re.search(r"\b(nan|inf)\b", text, re.IGNORECASE) is None
    for x, y in coordinates(picture):
        assert 0 <= x <= float(picture.get("width", ""))
        assert 0 <= y <= float(picture.get("height", ""))


@given(st.lists(st.sampled_from([0.5, 0.8, math.nan]) | st.floats(0, 1), min_size=1))
def test_the_marked_epoch_is_the_first_with_the_best_las(shares: list[float]) -> None:
    picture = drawn([{"epoch": epoch, "las": las} for epoch, las in enumerate(shares, start=1)])
    known = [share for share in shares if not math.isnan(share)]
    if not known:
        assert not of_kind(picture, "ring")
        return
    best = max(known)
    assert texts(picture, "value") == [f"{100 * best:.2f}"]
    headline = f"Best LAS {100 * best:.2f} % after epoch {shares.index(best) + 1}"
    assert texts(picture, "headline") == [headline]


def test_the_best_las_is_marked_in_the_headline_at_its_point_and_in_both_panels() -> None:
    picture = drawn(RUN)
    assert texts(picture, "headline") == ["Best LAS 87.12 % after epoch 3"]
    assert texts(picture, "value") == ["87.12"]
    [ring] = of_kind(picture, "ring")
    dots = [centre(dot) for dot in of_kind(picture, "dot", "las")]
    assert centre(ring) == dots[2]
    assert dots[2][1] == min(y for _, y in dots)
    guides = of_kind(picture, "guide")
    assert len(guides) == 2
    assert all(guide.get("d", "").startswith(f"M {dots[2][0]:.1f} ") for guide in guides)


@pytest.mark.parametrize("key", ["uas", "las", "loss"])
def test_a_higher_value_stands_higher_and_a_later_epoch_further_right(key: str) -> None:
    dots = [centre(dot) for dot in of_kind(drawn(RUN), "dot", key)]
    assert [x for x, _ in dots] == sorted({x for x, _ in dots})
    by_height = sorted(range(len(RUN)), key=lambda place: (-dots[place][1], place))
    assert by_height == sorted(range(len(RUN)), key=lambda place: (RUN[place][key], place))


def test_one_epoch_is_a_dot_on_each_curve() -> None:
    picture = drawn(RUN[:1])
    assert texts(picture, "headline") == ["Best LAS 50.00 % after epoch 1"]
    for key in ("uas", "las", "loss"):
        assert len(of_kind(picture, "dot", key)) == 1


def test_no_epochs_give_empty_panels() -> None:
    picture = drawn([])
    assert texts(picture, "headline") == ["No LAS"]
    assert not of_kind(picture, "dot")
    assert of_kind(picture, "grid")


def test_a_missing_value_leaves_a_gap() -> None:
    records = [dict(record) for record in RUN]
    del records[1]["las"]
    records[3]["uas"] = math.nan
    picture = drawn([*records])
    assert len(of_kind(picture, "dot", "las")) == len(of_kind(picture, "dot", "uas")) == 4
    # One line is the legend's, and a run of one point is a line without length.
    lengths = [line.get("d", "").count("L") for line in of_kind(picture, "curve", "las")]
    assert sorted(lengths) == [0, 1, 2]


def test_a_loss_that_is_not_finite_is_a_cross_and_does_not_stretch_the_axis() -> None:
    records = [dict(record) for record in RUN]
    records[1]["loss"] = math.inf
    records[2]["loss"] = math.nan
    assert texts(drawn([*records]), "cross") == ["×", "×"]
    assert "training set (× not finite)" in texts(drawn([*records]), "faint")
    assert len(of_kind(drawn([*records]), "dot", "loss")) == 3
    assert not texts(drawn(RUN), "cross")


def test_the_captions_of_the_axes_are_round_numbers() -> None:
    captions = texts(drawn(RUN), "faint")
    assert captions == [
        *["development set, %", "50", "60", "70", "80", "90", "100"],
        *["training set", "0", "1", "2", "3", "1", "2", "3", "4", "5", "epoch"],
    ]


def test_hundreds_of_epochs_are_lines_without_dots() -> None:
    records = [
        {"epoch": epoch, "loss": 1 / epoch, "uas": 0.9, "las": 0.8} for epoch in range(1, 301)
    ]
    picture = drawn([*records])
    assert not of_kind(picture, "dot")
    assert max(line.get("d", "").count("L") for line in of_kind(picture, "curve", "loss")) == 299
