"""What the pictures of a study are made of: axes, lines with labels of their own, columns, bars.

Colours are those of Okabe and Ito, which people with any colour vision can tell apart; beside
its colour each line has a mark of its own, and its name at its end.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arctree.draw import markup
from arctree.draw.width import pixels

Point = tuple[float, float]
WIDTH = 760
# Marks and colours of a line, by number.
INKS = 6


@dataclass(frozen=True)
class Axis:
    """Values from low to high, drawn between two pixels, with ticks at round values."""

    low: float
    high: float
    start: float
    end: float
    step: float

    def place(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        first, last = round(self.low / self.step), round(self.high / self.step)
        return [number * self.step for number in range(first, last + 1)]

    def caption(self, tick: float) -> str:
        return f"{tick:.{max(0, -math.floor(math.log10(self.step)))}f}"


def axis(values: Sequence[float], start: float, end: float, parts: int = 4) -> Axis:
    """An axis that holds these values, from one round value to another."""
    low, high = min(values), max(values)
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    power = 10.0 ** math.floor(math.log10((high - low) / parts))
    step = next(n * power for n in (1, 2, 5, 10, 20) if n * power * parts >= high - low)
    return Axis(math.floor(low / step) * step, math.ceil(high / step) * step, start, end, step)


@dataclass(frozen=True)
class Line:
    """A line: its name, its ink, and a value for each place; None where there is none.

    A second one of an ink is broken.
    """

    name: str
    ink: int
    values: Sequence[float | None]
    is_broken: bool = False


def line_panel(
    title: str, places: Sequence[str], lines: Sequence[Line], top: float, height: float
) -> list[str]:
    """Lines over the same places, each named at its end. Places are named by the caller."""
    values = [value for line in lines for value in line.values if value is not None]
    upright = axis(values, top + height, top)
    elements = [markup.text(LEFT, top - 14, title, "start strong panel")]
    for tick in upright.ticks():
        y = upright.place(tick)
        elements.append(markup.path("hairline", "M", LEFT, y, "H", RIGHT))
        elements.append(markup.text(LEFT - 10, y + 4, upright.caption(tick), "small faint end"))
    ends = []
    for number, line in enumerate(lines):
        # Side by side, or lines that are close would hide each other.
        shift = 7 * (number - (len(lines) - 1) / 2)
        points = [
            (x + shift, upright.place(value))
            for x, value in zip(middles(len(places)), line.values, strict=True)
            if value is not None
        ]
        if not points:
            continue
        steps = [step for x, y in points for step in ("L", x, y)]
        drawn = markup.path(f"line ink{line.ink}", "M", *steps[1:])
        elements.append(f'<g stroke-dasharray="8 5">{drawn}</g>' if line.is_broken else drawn)
        elements += [mark(*point, line.ink) for point in points]
        ends.append((line, points[-1]))
    return elements + _end_labels(ends, top, top + height)


def captions(places: Sequence[str], counts: Sequence[str], y: float, what: str) -> list[str]:
    """The names of the places below a panel, how much there is in each, and what they are."""
    elements = []
    for x, name, count in zip(middles(len(places)), places, counts, strict=True):
        elements.append(markup.text(x, y, name, "small"))
        elements.append(markup.text(x, y + 16, count, "tiny faint"))
    elements.append(markup.text(LEFT, y + 38, what, "small faint start"))
    return elements


def middles(count: int) -> list[float]:
    """Where places lie when the width of a panel is shared out among them."""
    size = (RIGHT - LEFT) / count
    return [LEFT + size * (number + 0.5) for number in range(count)]


def mark(x: float, y: float, ink: int) -> str:
    """The mark of an ink: a circle, a square, a triangle, a diamond, ..."""
    kind = f"mark ink{ink}"
    match ink:
        case 0:
            return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
        case 1:
            return markup.rectangle(x - 3.5, y - 3.5, 7, 7, kind)
        case 2:
            return markup.path(kind, "M", x, y - 5, "L", x + 4.7, y + 3.5, "H", x - 4.7, "Z")
        case 3:
            return markup.path(
                kind, "M", x, y - 5, "L", x + 5, y, "L", x, y + 5, "L", x - 5, y, "Z"
            )
        case 4:
            return markup.path(kind, "M", x, y + 5, "L", x + 4.7, y - 3.5, "H", x - 4.7, "Z")
        case _:
            return markup.rectangle(x - 4.5, y - 2.5, 9, 5, kind)


def columns(
    title: str,
    names: Sequence[str],
    shares: Sequence[float],
    box: tuple[float, float, float, float],
    what: str,
) -> list[str]:
    """Upright columns in a box of left, top, width and height, with percentages above them."""
    left, top, width, height = box
    tallest = max([*shares, 1e-9])
    size = width / len(names)
    elements = [markup.text(left, top - 12, title, "small start")]
    for place, (name, share) in enumerate(zip(names, shares, strict=True)):
        tall = (height - 18) * share / tallest
        x, middle = left + size * place, left + size * (place + 0.5)
        elements.append(markup.rectangle(x + 2, top + height - tall, size - 4, tall, "column"))
        elements.append(markup.text(middle, top + height - tall - 5, percent(share), "tiny"))
        elements.append(markup.text(middle, top + height + 16, name, "tiny faint"))
    elements.append(markup.path("axis", "M", left, top + height, "h", width))
    elements.append(markup.text(left, top + height + 34, what, "tiny faint start"))
    return elements


def bars(
    title: str,
    rows: Sequence[tuple[str, float]],
    box: tuple[float, float, float, float],
) -> list[str]:
    """Bars that lie, each with its name before it and its percentage behind it."""
    left, top, width, height = box
    names = max((pixels(name, 12) for name, _ in rows), default=0) + 10
    longest = max([*(share for _, share in rows), 1e-9])
    room = width - names - 34
    tall = height / len(rows)
    elements = [markup.text(left, top - 12, title, "small start")]
    for place, (name, share) in enumerate(rows):
        y = top + tall * place
        length = room * share / longest
        elements.append(markup.text(left + names - 8, y + tall / 2 + 4, name, "small end"))
        elements.append(markup.rectangle(left + names, y + 2, length, tall - 4, "column"))
        elements.append(
            markup.text(left + names + length + 5, y + tall / 2 + 4, percent(share), "tiny start")
        )
    elements.append(markup.path("axis", "M", left + names, top, "v", height))
    return elements


def percent(share: float) -> str:
    """A share as the pictures write it."""
    return f"{100 * share:.0f}"


def picture(
    elements: Iterable[str],
    height: float,
    title: str,
    description: str,
    *,
    width: float = WIDTH,
) -> str:
    """A stand-alone SVG file."""
    return markup.document(
        [f"<style>{_STYLE}</style>", *elements],
        width=round(width),
        height=round(height),
        title=title,
        description=description,
    )


LEFT, RIGHT = 56, 590
LABEL_X = 622
_LABEL_GAP = 17


def _end_labels(ends: Sequence[tuple[Line, Point]], top: float, foot: float) -> list[str]:
    """The names of lines beside their ends, moved apart where they would lie on each other."""
    ordered = sorted(ends, key=lambda end: end[1][1])
    places = _apart([end[1][1] for end in ordered], top, foot)
    elements = []
    for (line, (x, y)), place in zip(ordered, places, strict=True):
        elements.append(
            markup.path(f"leader ink{line.ink}", "M", x + 8, y, "L", LABEL_X - 6, place)
        )
        elements.append(markup.text(LABEL_X, place + 4, line.name, f"small start name{line.ink}"))
    return elements


def _apart(wanted: Sequence[float], top: float, foot: float) -> list[float]:
    """Places at least a line of text apart, near those wanted, in the same order."""
    places: list[float] = []
    for place in wanted:
        places.append(max(place, places[-1] + _LABEL_GAP) if places else max(place, top))
    below = foot + _LABEL_GAP
    for number in reversed(range(len(places))):
        places[number] = below = min(places[number], below - _LABEL_GAP)
    return places


# Blue, vermilion, green, purple, orange and a grey; lighter ones on dark paper.
_LIGHT = ("#0072b2", "#d55e00", "#007a59", "#a8437f", "#b07800", "#555c6b")
_DARK = ("#5ab4ee", "#ff8a3d", "#3cc99d", "#e39ac4", "#e6b13a", "#b9c0ce")


def _inks(colours: Sequence[str]) -> str:
    return "".join(
        f".arctree .ink{n} {{ stroke: {c}; }} .arctree .mark.ink{n} {{ fill: {c}; }} "
        f".arctree text.name{n} {{ fill: {c}; }}\n"
        for n, c in enumerate(colours)
    )


_STYLE = f"""
.arctree .panel {{ font-size: 14px; }} .arctree .headline {{ font-weight: 600; }}
.arctree .tiny {{ font-size: 11px; }}
.arctree .line {{ fill: none; stroke-width: 2; stroke-linejoin: round; }}
.arctree .leader {{ fill: none; stroke-width: 1; opacity: .55; }}
.arctree .mark {{ stroke: #fff; stroke-width: 1; }}
.arctree .axis {{ fill: none; stroke: #8a94a8; }}
.arctree .column {{ fill: #0072b2; }}
.arctree text.pale {{ fill: #fff; }} .arctree text.deep {{ fill: #1f2430; }}
.arctree .yardstick {{ fill: none; stroke: #d55e00; stroke-width: 2; }}
{_inks(_LIGHT)}.arctree .mark {{ stroke: #fff; }}
@media (prefers-color-scheme: dark) {{
{_inks(_DARK)}.arctree .mark {{ stroke: #16181d; }}
.arctree .column {{ fill: #5ab4ee; }} .arctree .axis {{ stroke: #6f788c; }}
.arctree .yardstick {{ stroke: #ff8a3d; }}
}}
"""
