"""The table of the paper, in LaTeX: a row for each system, UAS and LAS on test and more."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from arctree.draw.latex import escape


def as_latex(report: Mapping[str, Any]) -> str:
    """A table with booktabs rules, a block of rows for each encoder."""
    systems = [system for system in report["systems"] if system["seeds"]]
    lines = [
        "% needs \\usepackage{booktabs}",
        r"\begin{table}[!ht]",
        r"\centering",
        r"\footnotesize",
        r"\begin{tabular}{ll cc cc c}",
        r"\toprule",
        r" & & \multicolumn{2}{c}{Dev} & \multicolumn{2}{c}{Test} & \\",
        r"\cmidrule(lr){3-4} \cmidrule(lr){5-6}",
        r"System & Encoder & UAS & LAS & UAS & LAS & Trees \\",
    ]
    for _, some in groupby(systems, key=lambda system: system["encoder"]):
        lines.append(r"\midrule")
        lines += [_row(system) for system in some]
    lines += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{_caption(report)}}}"]
    lines += [r"\label{tab:study}", r"\end{table}"]
    return "\n".join(lines) + "\n"


def _row(system: Mapping[str, Any]) -> str:
    scores = system["scores"]
    cells = [escape(system["title"]), escape(system["encoder"])]
    cells += [_number(scores[split][name]) for split in ("dev", "test") for name in ("uas", "las")]
    cells.append(_number(scores["test"]["labelled_trees"]))
    return " & ".join(cells) + r" \\"


def _number(found: Mapping[str, Any]) -> str:
    mean = f"{100 * found['mean']:.2f}"
    if len(found["values"]) == 1:
        return mean
    return rf"{mean}{{\tiny\,$\pm$\,{100 * found['spread']:.2f}}}"


def _caption(report: Mapping[str, Any]) -> str:
    counts = sorted({len(system["seeds"]) for system in report["systems"] if system["seeds"]})
    seeds = " to ".join(map(str, counts if len(counts) < 2 else (counts[0], counts[-1])))
    return (
        f"{escape(report['title'])}: mean over {seeds} seed{'s' if seeds != '1' else ''}"
        r" $\pm$ half the distance between the best and the worst, every word counted, full "
        "labels. Trees: test sentences with every head and label right."
    )
