"""``arctree verify``: the paper's theorems, checked in front of you."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from arctree.cli.options import AsJson, check_standard_output
from arctree.json_form import heading
from arctree.theorems import Checked, ViolationError, verify_length, verify_random

EXAMPLES = """\b
Examples:
  arctree verify                    all trees up to 6 words, and random long ones: a few seconds
  arctree verify --max-length 8     2,097,152 trees of 8 words: a minute
  arctree verify --random 100 --random-length 300 --seed 7
"""


def run(
    max_length: Annotated[
        int, typer.Option("--max-length", metavar="N", min=1, help="All trees up to N words.")
    ] = 6,
    random: Annotated[
        int, typer.Option("--random", metavar="K", min=0, help="And K random longer trees.")
    ] = 20,
    random_length: Annotated[
        int, typer.Option("--random-length", metavar="N", min=1, help="Up to N words long.")
    ] = 200,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the random trees.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Check Theorems 1, 2 and 3 on every tree up to a length and every derivation of each.

    Exit status 1, and the case, if one of them fails.
    """
    check_standard_output()
    rows: list[Checked] = []
    try:
        if not as_json:
            print(
                f"{'words':>5} {'trees':>11} {'projective':>11} {'derivations':>12} "
                f"{'configurations':>15}"
            )
        for length in range(1, max_length + 1):
            rows.append(verify_length(length, _show_stage))
            _show_stage("")
            if not as_json:
                _print_row(rows[-1])
        for number in range(1, random + 1):
            length = max(1, random_length * number // random)
            _show_stage(f"random tree of {length} words")
            rows.append(verify_random(length, seed))
        _show_stage("")
    except ViolationError as violation:
        _show_stage("")
        if as_json:
            _print_json(holds=False, seed=seed, violation=str(violation))
        raise
    if as_json:
        _print_json(holds=True, seed=seed, exhaustive=rows[:max_length], random=rows[max_length:])
        return
    long = rows[max_length:]
    if long:
        steps = sum(row.configurations for row in long)
        print(
            f"and {len(long)} random projective trees of up to {random_length} words, "
            f"{steps:,} configurations (seed {seed})"
        )
    print(
        "Theorems 1, 2 and 3 hold on all of them: the ordered trees are the projective trees, "
        "each\nderivation builds T(D) with its invariants and commuting squares, "
        "and the arcs come back."
    )


def _print_json(**report: object) -> None:
    form = {**heading("verification"), **report}
    print(json.dumps(form, default=asdict, ensure_ascii=False))


def _print_row(row: Checked) -> None:
    print(
        f"{row.length:>5} {row.trees:>11,} {row.projective:>11,} {row.derivations:>12,} "
        f"{row.configurations:>15,}",
        flush=True,
    )


def _show_stage(stage: str) -> None:
    """The present stage, on a terminal's last line."""
    if sys.stderr.isatty():
        print(f"\r\033[K{stage}", end="", file=sys.stderr, flush=True)
