"""``arctree study``: systems trained on one treebank and compared, as in the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arctree.cli.report import plural, say
from arctree.draw.width import cells, pad, visible
from arctree.errors import ArctreeError, CallError

if TYPE_CHECKING:
    from arctree.study.configuring import Study
    from arctree.study.running import Failure
    from arctree.study.runs import Run

EXAMPLES = """\b
Examples:
  arctree study ewt.toml                            all that is missing, then the report
  arctree study ewt.toml --only mapped --seed 1     one part of it, here or on another machine
  arctree study ewt.toml --speed cpu                words a second, on one thread
  arctree study ewt.toml --report-only -o results   from the folders of finished runs
  Run the same command again to go on with a study that was interrupted.
"""


class SpeedOn(StrEnum):
    """Where speed is measured."""

    CPU = "cpu"
    CUDA = "cuda"


def run(
    config: Annotated[str, typer.Argument(metavar="CONFIG.toml", help="What is to be compared.")],
    output: Annotated[
        str | None,
        typer.Option("-o", metavar="DIR", help="The results; studies/CONFIG if not given."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="NAME", help="Only this system; may be repeated."),
    ] = None,
    seeds: Annotated[
        list[int] | None,
        typer.Option("--seed", metavar="N", help="Only this seed; may be repeated."),
    ] = None,
    speed: Annotated[
        SpeedOn | None,
        typer.Option("--speed", help="Train nothing; measure how fast the finished systems are."),
    ] = None,
    report_only: Annotated[
        bool, typer.Option("--report-only", help="Train nothing; write the report.")
    ] = False,
) -> None:
    """Train or load several systems with several seeds, and report how they compare.

    A finished run is never done again. The report is written when neither --only nor --seed
    leaves out a part; it tells of what is finished.
    """
    from arctree.study.configuring import load_study
    from arctree.study.report import FOLDER, systems_left_out
    from arctree.study.runs import runs_of
    from arctree.study.speed import measure_speed
    from arctree.study.splits import ALL_SPLITS, files_in_two, files_of

    study = load_study(config)
    folder = Path(output or Path("studies") / Path(config).stem)
    only, seeds = only or [], seeds or []
    if report_only and (only or seeds or speed):
        raise CallError("--report-only tells of all runs; leave out --only, --seed and --speed")
    if speed and seeds:
        raise CallError("--speed measures one seed of each system; leave out --seed")
    if left_out := systems_left_out(study, folder):
        say("study", f"{folder / FOLDER} tells of {', '.join(left_out)}, too: not in {config}")
    for told in files_in_two({split: files_of(study, split) for split in ALL_SPLITS}):
        say("study", told)
    failures: list[Failure] = []
    if speed:
        measure_speed(study, folder, speed.value, lambda told: say("study", told), only)
    elif not report_only:
        failures = _run(study, folder, only, seeds)
    done = [run for run in runs_of(study, folder) if run.is_finished]
    if (speed or not (only or seeds)) and (done or not failures):
        _report(study, folder)
    if failures:
        told = "; ".join(f"{one.run.entry.name}, seed {one.run.seed}" for one in failures)
        raise ArctreeError(f"{plural(len(failures), 'run')} failed: {told}")


def _run(study: Study, folder: Path, only: Sequence[str], seeds: Sequence[int]) -> list[Failure]:
    """Do the runs, and say how they go."""
    from arctree.study.running import run_all

    def tell(run: Run, message: str) -> None:
        say("study", f"{run.entry.name}, seed {run.seed}: {message}")

    try:
        return run_all(study, folder, only, seeds, tell)
    except (KeyboardInterrupt, SystemExit):
        say("study", "interrupted; the same command goes on where this one stopped")
        raise


def _report(study: Study, folder: Path) -> None:
    from arctree.study.report import FOLDER, PAGE, write_report

    report = write_report(study, folder)
    missing = sum(len(system["missing"]) for system in report["systems"])
    unfinished = f"; {plural(missing, 'run')} missing" if missing else ""
    say("study", f"{folder / FOLDER / PAGE} has the report{unfinished}")
    print(_scores_table(report))


def _scores_table(report: Mapping[str, Any]) -> str:
    """UAS and LAS of all systems that have finished, for a terminal."""
    from arctree.study.markdown import SCORES, score_cells
    from arctree.study.pictures import finished

    rows = [list(SCORES)]
    for system in finished(report):
        texts = [visible(system["title"]), visible(system["encoder"])]
        rows.append([*texts, *score_cells(system)])
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            pad(cell, width) if place < 2 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
