"""``arctree parse``: trees for text, or for sentences, with a trained model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from arctree.cli.inputs import (
    Input,
    Source,
    bundled,
    find_inputs,
    most_passages,
    with_own_names,
)
from arctree.cli.journal import settings_of
from arctree.cli.options import Device, OnError, OnErrorChoice
from arctree.cli.outputs import Joined, Mirrored
from arctree.cli.parsing_run import Run
from arctree.cli.report import Skipped, plural, say
from arctree.cli.steps import Reading, Work
from arctree.cli.terminal import terminal_width
from arctree.cli.workers import InThisProcess, InWorkers
from arctree.cli.writers import Form, Writer
from arctree.errors import CallError
from arctree.files import STANDARD
from arctree.pipeline import Pipeline

EXAMPLES = """\b
Examples:
  arctree parse --text 'Book me the morning flight.'
  arctree parse letter.txt --to json -o letter.jsonl
  arctree parse corpus/ -o trees/ --workers 8     the same again goes on where it stopped
  echo 'Book me the morning flight' | arctree parse --from tokens -
  arctree parse --model models/mine gold.conllu | arctree evaluate gold.conllu -
"""


Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE...", help="Files, folders, or - for standard input; .gz .bz2 .xz .zst."
    ),
]
Text = Annotated[
    str | None, typer.Option("--text", metavar="TEXT", help="A text, in place of files.")
]
ModelChoice = Annotated[
    str, typer.Option("--model", metavar="NAME|DIR", help="A model of the package, or a directory.")
]
SourceChoice = Annotated[
    Source | None,
    typer.Option(
        "--from",
        help="text; lines: a sentence a line; tokens: the same, words between spaces; conllu. "
        "By default .conllu files are conllu, and all else is text.",
    ),
]
FormChoice = Annotated[
    Form | None,
    typer.Option("--to", help="The format to write: a table on a terminal, or else conllu."),
]
Confidence = Annotated[
    bool, typer.Option("--confidence", help="Write each arc's confidence to MISC.")
]
Workers = Annotated[
    int, typer.Option("--workers", metavar="N", min=0, help="Processes, with a thread each.")
]
DeviceChoice = Annotated[Device, typer.Option("--device", help="Where to run.")]
Threads = Annotated[
    int | None,
    typer.Option("--threads", metavar="N", min=1, help="Threads on the CPU, at most its cores."),
]
Output = Annotated[
    str,
    typer.Option(
        "-o", metavar="PATH", help="A file, or a folder for several; - is standard output."
    ),
]


def run(
    files: Files = None,
    text: Text = None,
    model: ModelChoice = "en",
    source: SourceChoice = None,
    to: FormChoice = None,
    confidence: Confidence = False,
    workers: Workers = 0,
    device: DeviceChoice = Device.CPU,
    threads: Threads = None,
    on_error: OnError = OnErrorChoice.STOP,
    output: Output = STANDARD,
) -> None:
    """Parse text, or sentences: words, tags, lemmas and trees, in the order of the input.

    A folder is read to the bottom (.txt and .conllu), and -o names a folder with the same names
    in it. What an earlier run has finished there is not done again. A document that cannot be
    read is reported, and the others go on.

    In CoNLL-U, heads and labels that are there already are ignored, so blind files will do;
    enhanced graphs, which new trees make stale, are cleared.
    """
    form = to or (Form.TABLE if output == STANDARD and _is_terminal() else Form.CONLLU)
    _check(form, confidence=confidence, workers=workers, device=device, threads=threads)
    folder = _output_folder(files or [], output)
    inputs = find_inputs(files or [], text, source, leave_out=folder)
    pipeline = Pipeline.load(model, device=device, threads=1 if workers else threads)
    writer = Writer(form, terminal_width(output), confidence)
    place: Joined | Mirrored
    if folder is None:
        inputs = with_own_names(inputs)
        place = Joined(output, several=len(inputs) > 1)
    else:
        settings = settings_of(pipeline, writer, source=source, on_error=on_error)
        place = Mirrored(folder, form.extension, settings)
        place.find_done(inputs)
    needs_segmenter = any(item.source in (Source.TEXT, Source.LINES) for item in inputs)
    work = Work(pipeline, writer, needs_segmenter=needs_segmenter)
    has_names = folder is not None or len(inputs) > 1
    reading = Reading(Skipped("parse", on_error), has_names=has_names)
    useful = min(workers, most_passages(inputs))  # a worker without anything to do costs time
    doer = InWorkers(work, useful) if useful else InThisProcess(work)
    _parse(inputs, reading, place, doer)


def _parse(
    inputs: list[Input],
    reading: Reading,
    place: Joined | Mirrored,
    doer: InWorkers | InThisProcess,
) -> None:
    bundles, total = _to_do(place, list(bundled(inputs)))
    if not bundles:
        return
    is_joined = isinstance(place, Joined)
    parsing = Run(total, place, raises=is_joined and total == 1)
    try:
        with doer, place:
            parsing.go_through(doer.outcomes(reading.steps(bundles)))
    except KeyboardInterrupt:
        if not is_joined:
            say("parse", "interrupted; the same command goes on where it stopped")
        raise
    reading.conclude()
    if not place.is_standard_output or total > 1:
        parsing.conclude()
    reading.skipped.conclude()
    if parsing.failed:
        raise typer.Exit(1)


def _to_do(place: Joined | Mirrored, bundles: list[list[Input]]) -> tuple[list[list[Input]], int]:
    """The bundles in which there is something to do, and how many documents that is.

    The person is told of the others. A bundle is parsed as a whole or not at all, so that the
    same sentences meet in every run.
    """
    if isinstance(place, Joined):
        return bundles, sum(map(len, bundles))
    journal = place.journal
    if journal.changed:
        say(
            "parse",
            f"{place.folder} was written with other settings ({', '.join(journal.changed)}): "
            "everything is parsed again",
        )
    to_do = [bundle for bundle in bundles if not all(map(place.is_done, bundle))]
    remaining = [item for bundle in to_do for item in bundle if not place.is_done(item)]
    if changed := sum(map(journal.has_changed, remaining)):
        say("parse", f"{plural(changed, 'document')} changed or lost since, and parsed again")
    if done := sum(map(len, bundles)) - len(remaining):
        say("parse", f"{plural(done, 'document')} done already, and skipped")
    return to_do, len(remaining)


def _check(
    form: Form, *, confidence: bool, workers: int, device: Device, threads: int | None
) -> None:
    if confidence and form is not Form.CONLLU:
        raise CallError("--confidence goes with --to conllu; JSON and tables have it anyway")
    if workers and device is not Device.CPU:
        raise CallError("--workers goes with --device cpu")
    if workers and threads:
        raise CallError("--workers and --threads: a worker has one thread; give one or the other")


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _output_folder(files: list[str], output: str) -> Path | None:
    """The folder to mirror the names in, or nothing where everything goes to one place."""
    path = Path(output)
    if output == STANDARD:
        return None
    if path.is_dir() or output.endswith("/"):
        return path
    several = len(files) > 1 or any(Path(file).is_dir() for file in files)
    if several and (path.exists() or path.suffix):
        raise CallError(
            f"{output}: several documents are written to a folder, and this is "
            f"{'a file' if path.exists() else 'the name of a file'}; name a folder (with / at its "
            "end if need be), or leave -o out to have them one after the other"
        )
    return path if several else None
