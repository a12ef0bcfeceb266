"""A training run as a picture: how well the parser parses, and how much it still errs.

The upper panel has the accuracy on the development set after each epoch, in percent: UAS, the
words with the right head, and LAS, those with the right label besides. The lower panel has the
loss on the training set. The epoch with the best LAS, the first of equals, is marked in both.
The picture follows the reader's light or dark scheme and needs no script and no font file.

What a record does not say leaves a gap in its curve. A loss that is no number, or off any
scale, is a cross at the upper edge: there the training came apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

Record = Mapping[str, float]
Point = tuple[float, float]


def draw_curves(records: Sequence[Record]) -> str:
    """A stand-alone SVG file of records with ``epoch``, ``loss``, ``uas`` and ``las``.

    UAS and LAS are shares of one. A value may be missing; an epoch without a number has that of
    its place.
    """
    epochs = [
        record["epoch"] if _is_drawable(record.get("epoch")) else place
        for place, record in enumerate(records, start=1)
    ]
    runs = {key: _runs(epochs, records, key) for key in ("loss", "uas", "las")}
    across = _axis(epochs, _LEFT, _RIGHT, parts=12, is_whole=True)
    accuracy = _axis([y for run in runs["uas"] + runs["las"] for _, y in run], *_UPPER, parts=5)
    loss = _axis([0, *(y for run in runs["loss"] for _, y in run)], *_LOWER, parts=3)
    crosses = [
        epoch
        for epoch, record in zip(epochs, records, strict=True)
        if "loss" in record and not _is_drawable(record["loss"])
    ]
    points = [point for run in runs["las"] for point in run]
    best = max(points, key=lambda point: point[1], default=None)
    title = "No LAS" if best is None else f"Best LAS {best[1]:.2f} % after epoch {best[0]:g}"
    elements = [_text(_LEFT, 36, title, "headline start")]
    elements += _panel(accuracy, "development set, %", ["UAS", "LAS"])
    elements += _panel(loss, "training set (× not finite)" if crosses else "training set", ["loss"])
    for tick in across.ticks():
        x = across.place(tick)
        elements.append(_text(x, _LOWER[0] + 22, across.caption(tick), "small faint"))
    elements.append(_text(_RIGHT, _LOWER[0] + 40, "epoch", "small faint end"))
    if best is not None:
        x = across.place(best[0])
        elements += [_line("guide", [(x, foot), (x, top)]) for foot, top in (_UPPER, _LOWER)]
    for key, axis in (("loss", loss), ("uas", accuracy), ("las", accuracy)):
        for run in runs[key]:
            places = [(across.place(epoch), axis.place(value)) for epoch, value in run]
            elements.append(_line(f"curve {key}", places))
            if len(records) <= _MANY or len(run) == 1:
                elements += [_circle(*place, 2.5, f"dot {key}") for place in places]
    elements += [_text(across.place(epoch), _LOWER[1] + 5, "×", "cross") for epoch in crosses]
    if best is not None:
        elements += _mark(x, accuracy.place(best[1]), f"{best[1]:.2f}")
    return _document(elements, title)


_WIDTH, _HEIGHT = 720, 480
_LEFT, _RIGHT = 60, 690
_UPPER = (286, 92)  # a panel's foot and its top
_LOWER = (424, 338)
_MANY = 60  # with so many epochs, dots would hide the line
_LARGEST = 1e30


def _is_drawable(value: float | None) -> bool:
    return value is not None and math.isfinite(value) and abs(value) < _LARGEST


def _runs(epochs: Sequence[float], records: Sequence[Record], key: str) -> list[list[Point]]:
    """The curve in pieces without a gap; what is a share becomes percent."""
    factor = 1 if key == "loss" else 100
    runs: list[list[Point]] = [[]]
    for epoch, record in zip(epochs, records, strict=True):
        if _is_drawable(record.get(key)):
            runs[-1].append((epoch, factor * record[key]))
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


@dataclass(frozen=True, slots=True)
class _Axis:
    """Values from low to high, drawn between two pixels, with ticks at round values."""

    low: float
    high: float
    start: int
    end: int
    step: float

    def place(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        first, last = math.ceil(self.low / self.step), math.floor(self.high / self.step)
        return [number * self.step for number in range(first, last + 1)]

    def caption(self, tick: float) -> str:
        decimals = max(0, -math.floor(math.log10(self.step)))
        return f"{tick:.{decimals}f}" if decimals < 5 and abs(tick) < 1e5 else f"{tick:.3g}"


def _axis(
    values: Sequence[float], start: int, end: int, *, parts: int, is_whole: bool = False
) -> _Axis:
    """An axis for these values: whole numbers exactly, others up to the next ticks."""
    low, high = min(values, default=0), max(values, default=1)
    largest = max(abs(low), abs(high), 1e-3)
    if high - low <= 1e-9 * largest:
        margin = max(0.5, largest / 100)
        low, high = low - margin if low else low, high + margin
    power = 10.0 ** math.floor(math.log10((high - low) / parts))
    step = next(n * power for n in (1, 2, 5, 10, 20) if n * power * parts >= high - low)
    if is_whole:
        return _Axis(low, high, start, end, max(1, step))
    return _Axis(math.floor(low / step) * step, math.ceil(high / step) * step, start, end, step)


def _panel(axis: _Axis, title: str, names: Sequence[str]) -> list[str]:
    """What lies behind the curves, and above them which is which."""
    elements = [_text(_LEFT, axis.end - 16, title, "small faint start")]
    for tick in axis.ticks():
        y = axis.place(tick)
        elements.append(_line("grid", [(_LEFT, y), (_RIGHT, y)]))
        elements.append(_text(_LEFT - 10, y + 4, axis.caption(tick), "small faint end"))
    for place, name in enumerate(reversed(names)):
        x, y = _RIGHT - 70 * place, axis.end - 16
        elements.append(_text(x, y, name, "small end"))
        elements.append(_line(f"curve {name.lower()}", [(x - 52, y - 4), (x - 32, y - 4)]))
    return elements


def _mark(x: float, y: float, caption: str) -> list[str]:
    """A ring, and the value below it, where UAS is not in the way."""
    side = "end" if x > _RIGHT - 30 else "start" if x < _LEFT + 30 else ""
    below = y + 22 if y + 26 < _UPPER[0] else y - 12
    return [_circle(x, y, 5, "ring las"), _text(x, below, caption, f"value {side}")]


def _text(x: float, y: float, content: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(content)}</text>'


def _line(kind: str, points: Iterable[Point]) -> str:
    return f'<path class="{kind}" d="M {" L ".join(f"{x:.1f} {y:.1f}" for x, y in points)}"/>'


def _circle(x: float, y: float, radius: float, kind: str) -> str:
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}"/>'


def _document(elements: Iterable[str], title: str) -> str:
    size = f'width="{_WIDTH}" height="{_HEIGHT}"'
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" class="curves" role="img" {size}'
    paper = f'<rect class="paper" {size}/>'
    head = [f'{opening} viewBox="0 0 {_WIDTH} {_HEIGHT}">', f"<title>{escape(title)}</title>"]
    return "\n".join([*head, f"<style>{_STYLE}</style>", paper, *elements, "</svg>"])


# Colours are written out, since not every viewer knows variables.
_STYLE = """
.curves { max-width: 100%; height: auto;
  font: 13px "Helvetica Neue", Helvetica, Arial, "Noto Sans", sans-serif; }
.curves text { fill: #1f2430; text-anchor: middle; }
.curves .headline { font-size: 16px; font-weight: 600; }
.curves .small { font-size: 12px; }
.curves .faint { fill: #7a8294; }
.curves .start { text-anchor: start; }
.curves .end { text-anchor: end; }
.curves .value { font-weight: 600; stroke: #fff; stroke-width: 4; paint-order: stroke; }
.curves .paper { fill: #fff; }
.curves .grid { stroke: #e6e9ef; }
.curves .guide { stroke: #8a94a8; stroke-dasharray: 1 4; }
.curves .curve { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.curves .ring { fill: #fff; stroke-width: 2; }
.curves .las { stroke: #2f5fa8; } .curves .uas { stroke: #12805c; }
.curves .loss { stroke: #d9702c; } .curves .cross { fill: #d9702c; }
.curves .dot { fill: #fff; stroke-width: 1.5; }
@media (prefers-color-scheme: dark) {
.curves text { fill: #e8eaf0; } .curves .faint { fill: #959db0; }
.curves .paper, .curves .ring, .curves .dot { fill: #16181d; }
.curves .value { stroke: #16181d; }
.curves .grid { stroke: #2a2e38; } .curves .guide { stroke: #6f788c; }
.curves .las { stroke: #8ab4f8; } .curves .uas { stroke: #5fd0a5; }
.curves .loss { stroke: #f0904a; } .curves .cross { fill: #f0904a; }
}
"""
