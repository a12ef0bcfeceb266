"""The pictures of a study's report, drawn from its JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from arctree.draw import markup
from arctree.draw.width import pixels
from arctree.study.charts import (
    INKS,
    LABEL_X,
    LEFT,
    WIDTH,
    Line,
    bars,
    captions,
    columns,
    line_panel,
    picture,
)
from arctree.study.configuring import NATIVE

Report = Mapping[str, Any]
PICTURES = SENTENCES, ARCS, OVERLAP, DEPARTURES = (
    "sentence-lengths.svg",
    "arc-lengths.svg",
    "overlap.svg",
    "departures.svg",
)


def draw_pictures(report: Report) -> dict[str, str]:
    """The SVG files by name; of departures only where a mapped system has been run."""
    drawn = {
        SENTENCES: draw_by_length(
            report, "sentence_lengths", "LAS by the length of the sentence", "words in the sentence"
        ),
        ARCS: draw_by_length(
            report,
            "arc_lengths",
            "F1 of labelled arcs by their length",
            "words from the dependent to its head; 0 is the arc of the root",
        ),
        OVERLAP: draw_overlap(report),
    }
    if any(system.get("departures") for system in report["systems"]):
        drawn[DEPARTURES] = draw_departures(report)
    return drawn


def finished(report: Report) -> list[Mapping[str, Any]]:
    """The systems of which there is something to tell."""
    return [system for system in report["systems"] if system["seeds"]]


def length_name(row: Mapping[str, Any]) -> str:
    """Lengths from first to last."""
    first, last = row["first"], row["last"]
    if last is None:
        return f"{first} or more"
    return f"{first}" if first == last else f"{first}–{last}"


def draw_by_length(report: Report, key: str, title: str, what: str) -> str:
    """Lines of accuracy by length, a panel for each encoder."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for system in finished(report):
        groups.setdefault(system["encoder"], []).append(system)
    rows = finished(report)[0][key]
    names = [length_name(row) for row in rows]
    unit, counted = ("words", "words") if key == "sentence_lengths" else ("gold", "arcs")
    elements = [markup.text(LEFT, 32, f"{title}, dev, %", "start headline")]
    top = 84.0
    for encoder, systems in groups.items():
        inks = _inks([system["kind"] for system in systems])
        lines = [
            Line(
                system["title"],
                ink,
                [100 * _accuracy(row) for row in system[key]],
                is_broken=ink in inks[:number],
            )
            for number, (system, ink) in enumerate(zip(systems, inks, strict=True))
        ]
        elements += line_panel(encoder, names, lines, top, 170)
        top += 170 + 60
    counts = [f"{row[unit]:,} {counted}" for row in rows]
    elements += captions(names, counts, top - 36, what)
    told = "; ".join(
        f"{system['title']}, {system['encoder']}: "
        + ", ".join(
            f"{name} {100 * _accuracy(row):.1f}"
            for name, row in zip(names, system[key], strict=True)
        )
        for system in finished(report)
    )
    longest = max(pixels(system["title"], 12) for system in finished(report))
    return picture(elements, top + 20, title, told, width=max(WIDTH, LABEL_X + longest + 16))


def draw_overlap(report: Report) -> str:
    """A map of how many of the errors of each row's system the column's makes, too."""
    shown = {system["name"]: system for system in report["systems"]}
    names, shares = report["overlap"]["systems"], report["overlap"]["shares"]
    labels = [f"{shown[name]['title']} · {shown[name]['encoder']}" for name in names]
    left = max(pixels(label, 12) for label in labels) + 84
    size = min(52.0, max(34.0, (WIDTH - left - 24) / len(names)))
    known = [share for row in shares for share in row if share is not None]
    low, high = min(known, default=0.0), max(known, default=1.0)
    top = 124.0
    elements = [
        markup.text(LEFT, 32, "Shared errors, dev, %", "start headline"),
        markup.text(
            LEFT, 56, "Of the words that the row's system attaches wrongly, the share", _SAID
        ),
        markup.text(
            LEFT, 73, "that the column's does, too. Framed: other seeds of one system.", _SAID
        ),
    ]
    for place, (label, row) in enumerate(zip(labels, shares, strict=True)):
        y = top + size * place
        elements.append(markup.text(left - 34, y + size / 2 + 4, label, "small end"))
        elements.append(markup.text(left - 14, y + size / 2 + 4, str(place + 1), "small faint"))
        x_middle = left + size * (place + 0.5)
        elements.append(markup.text(x_middle, top - 10, str(place + 1), "small faint"))
        for column, share in enumerate(row):
            elements += _cell(left + size * column, y, size, share, (low, high))
    frames = [
        markup.rectangle(left + size * n + 1, top + size * n + 1, size - 2, size - 2, "yardstick")
        for n in range(len(names))
    ]
    told = "; ".join(
        f"{label}: {', '.join('none' if s is None else f'{100 * s:.0f}' for s in row)}"
        for label, row in zip(labels, shares, strict=True)
    )
    return picture(
        [*elements, *frames],
        top + size * len(names) + 24,
        "Shared errors",
        told,
        width=max(WIDTH, left + size * len(names) + 16),
    )


def draw_departures(report: Report) -> str:
    """Which transitions leave the gold derivations, where, and what that costs."""
    elements = [markup.text(LEFT, 32, "Leaving the gold derivations, dev, %", "start headline")]
    told = []
    top = 64.0
    for system in finished(report):
        found = system.get("departures")
        if not found:
            continue
        stays = 1 - found["departed"] / found["sentences"]
        title = f"{system['title']} · {system['encoder']}"
        elements.append(markup.text(LEFT, top, title, "start strong panel"))
        said = f"{100 * stays:.1f} % of the sentences never leave them"
        elements.append(markup.text(LEFT, top + 20, said, _SAID))
        told.append(f"{title}: {said}")
        times = max(found["departed"], 1)
        confusion = [
            (f"{row['gold']} → {row['taken']}", row["times"] / times) for row in found["confusion"]
        ]
        elements += bars("gold → taken instead", confusion, (LEFT, top + 62, 264, 144))
        parts = [str(10 * n) for n in range(len(found["positions"]))]
        elements += columns(
            "where in the derivation",
            parts,
            [count / times for count in found["positions"]],
            (LEFT + 292, top + 62, 216, 126),
            "from so many per cent of its steps on",
        )
        wrong = [*map(str, range(1, len(found["wrong_arcs"]))), f"{len(found['wrong_arcs'])}+"]
        elements += columns(
            "wrong arcs afterwards",
            wrong,
            [count / times for count in found["wrong_arcs"]],
            (LEFT + 536, top + 62, 140, 126),
            "arcs in the sentence",
        )
        top += 268
    return picture(elements, top - 22, "Leaving the gold derivations", "; ".join(told))


_SAID = "small faint start"


def _accuracy(row: Mapping[str, Any]) -> float:
    found = row["las"]
    return float(found["f1"] if isinstance(found, dict) else found)


def _inks(kinds: Sequence[str]) -> list[int]:
    """A kind has the same ink in every panel; a second one of a kind takes one that is free.

    If none is, it shares its own, or the one that is used least.
    """
    wanted = [NATIVE.index(kind.removeprefix("stanza-")) for kind in kinds]
    free = [ink for ink in reversed(range(INKS)) if ink not in wanted]
    chosen: list[int] = []
    for ink in wanted:
        if ink in chosen:
            used = Counter(chosen)
            alike = sorted(range(INKS), key=lambda other: (used[other], other != ink))
            ink = free.pop() if free else alike[0]
        chosen.append(ink)
    return chosen


def _cell(
    x: float, y: float, size: float, share: float | None, ends: tuple[float, float]
) -> list[str]:
    low, high = ends
    if share is None:
        return [
            markup.rectangle(x + 1, y + 1, size - 2, size - 2, "root-chip", 3),
            markup.text(x + size / 2, y + size / 2 + 4, "–", "small faint"),
        ]
    depth = (share - low) / (high - low) if high > low else 0.5
    # From a pale blue to a deep one, the same on light and dark paper.
    pale, deep = (222, 235, 247), (8, 64, 129)
    mixed = [round(a + (b - a) * depth) for a, b in zip(pale, deep, strict=True)]
    colour = "#" + "".join(f"{part:02x}" for part in mixed)
    # White and the dark ink are equally legible at this brightness.
    ink = "pale" if _luminance(mixed) < 0.215 else "deep"
    place = f'x="{x + 1:.1f}" y="{y + 1:.1f}" width="{size - 2:.1f}" height="{size - 2:.1f}"'
    return [
        f'<rect {place} rx="3" fill="{colour}"/>',
        markup.text(x + size / 2, y + size / 2 + 4, f"{100 * share:.0f}", f"small {ink}"),
    ]


def _luminance(colour: Sequence[int]) -> float:
    """How bright a colour is to the eye, from 0 to 1."""
    weights = (0.2126, 0.7152, 0.0722)
    shares = [(part / 255) ** 2.2 for part in colour]
    return float(sum(weight * share for weight, share in zip(weights, shares, strict=True)))
