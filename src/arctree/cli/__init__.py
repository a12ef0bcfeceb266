"""The command line: one file a command; a command parses its arguments and calls the library.

Positionals are paths or ``-``; ``--from`` and ``--to`` name formats, ``-o`` a path. Exit status
0 is good, 1 means that the data is bad, 2 that the call is wrong.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable
from functools import wraps
from typing import Annotated

import typer

from arctree.cli import (
    check,
    convert,
    derive,
    draw,
    evaluate,
    export,
    parse,
    recover,
    serve,
    study,
    teach,
    train,
    verify,
)
from arctree.draw.width import visible
from arctree.errors import ArctreeError, CallError

app = typer.Typer(
    name="arctree",
    help="Dependency parsing as tree building.\n\n"
    "Parses text into words, tags, lemmas and trees; converts treebanks to ordered trees and back\n"
    "exactly; derives, checks, draws, scores and trains.",
    epilog='Try: arctree parse --text "Book me the morning flight."',
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class _ReaderGoneError(Exception):
    """Whoever reads our output, head say, has had enough."""


def _until_reader_leaves(run: Callable[..., None]) -> Callable[..., None]:
    """The command, with a broken pipe told apart from what typer makes of it."""

    @wraps(run)
    def command(*arguments: object, **options: object) -> None:
        try:
            run(*arguments, **options)
            if sys.stdout is not None:
                sys.stdout.flush()
        except BrokenPipeError:
            raise _ReaderGoneError from None

    return command


for command, summary in (
    (convert, "From CoNLL-U to ordered trees."),
    (recover, "From ordered trees back to CoNLL-U."),
    (derive, "The arc-standard derivation of a tree."),
    (draw, "Pictures of trees and derivations."),
    (check, "What a treebank holds, and what is wrong with it."),
    (verify, "The paper's theorems, checked in front of you."),
    (train, "A parser, from CoNLL-U."),
    (teach, "Sentences annotated by large parsers, for a small one to learn from."),
    (export, "A trained parser for onnxruntime, without torch."),
    (parse, "Trees for text or sentences, with a trained model."),
    (evaluate, "UD scores with intervals; two systems compared."),
    (study, "Several systems on one treebank, trained and compared."),
    (serve, "The explorer: derivations watched in the browser."),
):
    app.command(
        name=command.__name__.rsplit(".", 1)[-1],
        short_help=summary,
        epilog=command.EXAMPLES,
        no_args_is_help=command not in (verify, serve),
    )(_until_reader_leaves(command.run))


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # a slow import that only this needs

        typer.echo(f"arctree {version('arctree')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line and exit with its status."""
    if sys.stderr is None:  # nobody wants to hear anything
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    # Told to end, let what is half-written be removed on the way out.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        app()
    except _ReaderGoneError:
        _forget_output()
        sys.exit(0)
    except (ArctreeError, OSError) as error:
        is_data = isinstance(error, ArctreeError) and not isinstance(error, CallError)
        print(f"arctree: {visible(str(error))}", file=sys.stderr)
        if isinstance(error, OSError):
            _forget_output()
        sys.exit(1 if is_data else 2)


def _forget_output() -> None:
    """Send what is still buffered nowhere, where it cannot go to its place."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
