"""``arctree parse``: trees for sentences, with a trained parser."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from enum import StrEnum
from typing import Annotated, Any

import typer

from arctree import conllu
from arctree.brackets import format_tree
from arctree.cli.options import OnError, OnErrorChoice, Output
from arctree.cli.report import Skipped, plural, progress, say
from arctree.errors import CallError, DataError
from arctree.files import display_name, not_utf_8, open_output, read_lines
from arctree.json_form import sentence_to_json, tree_to_json
from arctree.lifting import lift
from arctree.ordered import from_dependency
from arctree.parser import Parsed, Parser, as_sentence, is_empty_node
from arctree.sentence import MISC, XPOS, Sentence

EXAMPLES = """\b
Examples:
  arctree parse --model models/ewt --from conllu blind.conllu -o parsed.conllu
  echo 'Book me the morning flight' | arctree parse --model models/ewt --from tokens -
  arctree parse --model models/ewt --from tokens text.txt.gz --to json --device cuda
  arctree parse --model models/ewt --from conllu gold.conllu | arctree evaluate gold.conllu -
"""


class Source(StrEnum):
    """What is read."""

    CONLLU = "conllu"
    TOKENS = "tokens"


class Form(StrEnum):
    """What is written."""

    CONLLU = "conllu"
    BRACKETS = "brackets"
    JSON = "json"


class Device(StrEnum):
    """Where the network runs."""

    CPU = "cpu"
    CUDA = "cuda"


def run(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="- is standard input; .gz .bz2 .xz .zst.")
    ],
    model: Annotated[str, typer.Option("--model", metavar="DIR", help="The model directory.")],
    source: Annotated[
        Source,
        typer.Option("--from", help="conllu, or tokens: a sentence a line, words between spaces."),
    ] = Source.CONLLU,
    to: Annotated[Form, typer.Option("--to", help="The format to write.")] = Form.CONLLU,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Write each arc's confidence to MISC.")
    ] = False,
    device: Annotated[Device, typer.Option("--device", help="Where to run.")] = Device.CPU,
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads", metavar="N", min=1, help="Threads on the CPU, at most its cores."
        ),
    ] = None,
    on_error: OnError = OnErrorChoice.STOP,
    output: Output = "-",
) -> None:
    """Parse sentences: as many come out as went in, in the same order.

    Heads and labels that are there already are ignored, so blind files will do; enhanced
    graphs, which new trees make stale, are cleared.
    """
    if confidence and to is not Form.CONLLU:
        raise CallError("--confidence goes with --to conllu; JSON holds confidences anyway")
    parser = Parser.load(model, device=device, threads=threads)
    skipped = Skipped("parse", on_error)
    read = _SOURCES[source](file, skipped)
    cleared = _Cleared()
    sentences = words = 0
    write = _WRITERS[to]
    with open_output(output) as stream:
        for parsed in progress(parser.parse(map(cleared.seen, read)), "sentences"):
            if confidence:
                parsed = _with_confidence(parsed)
            stream.write(write(parsed).encode("utf-8"))
            sentences += 1
            words += len(parsed.sentence)
    cleared.conclude()
    if output != "-":
        say("parse", f"{plural(sentences, 'sentence')}, {plural(words, 'word')} parsed")
    skipped.conclude()


class _Cleared:
    """Counts what parsing takes away, to tell of it."""

    def __init__(self) -> None:
        self.graphs = self.empty_nodes = 0

    def seen(self, sentence: Sentence) -> Sentence:
        self.graphs += any(value != "_" for value in sentence.deps)
        self.empty_nodes += sum(is_empty_node(line) for _, line in sentence.other_lines)
        return sentence

    def conclude(self) -> None:
        if self.graphs or self.empty_nodes:
            say(
                "parse",
                f"{plural(self.graphs, 'enhanced graph')} cleared, with "
                f"{plural(self.empty_nodes, 'empty node')}: new trees make them stale",
            )


def _conllu_sentences(file: str, skipped: Skipped) -> Iterator[Sentence]:
    return conllu.read(file, on_error=skipped, blind=True)


def _token_sentences(file: str, skipped: Skipped) -> Iterator[Sentence]:
    """One sentence a line; words are what white space separates."""
    for number, line in enumerate(read_lines(file), start=1):
        with skipped.guard(file=display_name(file), line=number):
            try:
                words = line.decode("utf-8-sig" if number == 1 else "utf-8").split()
            except UnicodeDecodeError as error:
                raise not_utf_8(line[error.start], error.start + 1) from error
            if not words:
                raise DataError("a line without words", "remove it, or use --on-error skip")
            yield as_sentence(words)


_SOURCES: dict[Source, Callable[[str, Skipped], Iterator[Sentence]]] = {
    Source.CONLLU: _conllu_sentences,
    Source.TOKENS: _token_sentences,
}


def _with_confidence(parsed: Parsed) -> Parsed:
    columns = list(parsed.sentence.columns)
    columns[MISC] = tuple(
        "|".join([*_without_confidence(misc), f"Confidence={value:.4f}"])
        for misc, value in zip(columns[MISC], parsed.confidences, strict=True)
    )
    return replace(parsed, sentence=replace(parsed.sentence, columns=tuple(columns)))


def _without_confidence(misc: str) -> list[str]:
    if misc == "_":
        return []
    return [item for item in misc.split("|") if not item.startswith("Confidence=")]


def _conllu(parsed: Parsed) -> str:
    return parsed.sentence.to_text()


def _brackets(parsed: Parsed) -> str:
    return format_tree(from_dependency(lift(parsed.sentence.tree_with_tags(XPOS)))) + "\n"


def _json(parsed: Parsed) -> str:
    form: dict[str, Any] = sentence_to_json(parsed.sentence)
    for word, value in zip(form["words"], parsed.confidences, strict=True):
        word["confidence"] = round(value, 6)
    form["tree"] = tree_to_json(from_dependency(lift(parsed.tree)))
    form["transitions"] = [
        {"transition": transition.value, "probability": round(probability, 6)}
        for transition, probability in zip(parsed.transitions, parsed.probabilities, strict=True)
    ]
    return json.dumps(form, ensure_ascii=False) + "\n"


_WRITERS: dict[Form, Callable[[Parsed], str]] = {
    Form.CONLLU: _conllu,
    Form.BRACKETS: _brackets,
    Form.JSON: _json,
}
