"""``arctree teach``: large parsers annotate plain sentences for a small one to learn from."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from arctree.cli.options import Device
from arctree.cli.report import plural, progress, say
from arctree.errors import CallError
from arctree.files import display_name, not_utf_8, read_lines
from arctree.parser import missing_torch

EXAMPLES = """\b
Examples:
  arctree teach --model models/teacher-1 --model models/teacher-2 text.txt.xz -o silver/
  arctree train student.toml --set data.silver=silver/ -o models/student
"""


def run(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="A sentence a line, words between spaces; or -."),
    ],
    models: Annotated[
        list[str], typer.Option("--model", metavar="DIR", help="A teacher; may be repeated.")
    ],
    output: Annotated[str, typer.Option("-o", metavar="DIR", help="Where the silver goes.")],
    device: Annotated[Device, typer.Option("--device", help="Where to run.")] = Device.CPU,
) -> None:
    """Let one or more parsers annotate sentences together: silver for arctree train.

    The teachers are models that arctree train wrote, on encoders with the same tokenizer, and
    with the same labels and tags. What they answer is averaged, and kept in shares.
    """
    try:
        from arctree.network.model import Model, device_named
        from arctree.training.silver import HEAD
        from arctree.training.teaching import teach
    except ImportError as error:
        raise missing_torch(error) from error
    folder = Path(output)
    if (folder / HEAD).exists():
        raise CallError(f"{output} holds a silver corpus already; name another folder")
    teachers = [Model.load(Path(model), device_named(device)) for model in models]
    record = {
        "teachers": [Path(model).name for model in models],
        "files": [Path(file).name for file in files],
    }
    silver = teach(teachers, progress(_sentences(files), "sentences read"), record, _Counter())
    silver.save(folder)
    say(
        "teach",
        f"{plural(len(silver), 'sentence')}, {plural(len(silver.words), 'word')} in {output}",
    )


class _Counter:
    """Tells how far the teachers are, a line every tenth; on a terminal, in place."""

    def __init__(self) -> None:
        self.tenths = 0

    def __call__(self, share: float) -> None:
        if int(10 * share) > self.tenths:
            self.tenths = int(10 * share)
            end = "\r" if sys.stderr.isatty() and share < 1 else "\n"
            print(f"arctree teach: {100 * share:.0f} % annotated", file=sys.stderr, end=end)


def _sentences(files: list[str]) -> Iterator[list[str]]:
    for file in files:
        for number, line in enumerate(read_lines(file), start=1):
            try:
                words = line.decode("utf-8-sig" if number == 1 else "utf-8").split()
            except UnicodeDecodeError as error:
                raise not_utf_8(line[error.start], error.start + 1).at(
                    file=display_name(file), line=number
                ) from error
            if words:
                yield words
