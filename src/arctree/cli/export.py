"""``arctree export``: a trained parser for onnxruntime, without torch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arctree import conllu
from arctree.cli.report import say
from arctree.errors import CallError, DataError
from arctree.parser import missing_torch
from arctree.parsing import model_files

EXAMPLES = """\b
Examples:
  arctree export models/ewt -o models/ewt-onnx
  arctree export models/ewt -o models/ewt-int8 --quantise train.conllu
  arctree export models/ewt -o models/en --quantise train.conllu --segmenter models/segmenter
"""


def run(
    model: Annotated[str, typer.Argument(metavar="DIR", help="A model that arctree train wrote.")],
    output: Annotated[
        str, typer.Option("-o", metavar="DIR", help="The directory of the exported model.")
    ],
    quantise: Annotated[
        list[str] | None,
        typer.Option(
            "--quantise",
            metavar="FILE",
            help="Round to whole numbers, with ranges found on these CoNLL-U files.",
        ),
    ] = None,
    segmenter: Annotated[
        str | None,
        typer.Option("--segmenter", metavar="DIR", help="Take the segmenter of this model along."),
    ] = None,
) -> None:
    """Export a parser on a BERT to onnxruntime: smaller, faster on a CPU, without torch.

    Quantised weights and inputs are whole numbers of 7 and 8 bits. The answers change a little:
    score the exported model with arctree parse and arctree evaluate.
    """
    try:
        import torch

        from arctree.network.model import Model
        from arctree.training.exporting import export
    except ImportError as error:
        raise missing_torch(error) from error
    folder = Path(output)
    if any((folder / name).exists() for name in model_files.NAMES):
        raise CallError(f"{output} holds a model already; name another folder, or remove it")
    source = Path(segmenter or model)
    if segmenter and not (source / model_files.SEGMENTER).is_file():
        raise CallError(f"{segmenter} holds no segmenter")
    has_segmenter = (source / model_files.SEGMENTER).is_file()
    sentences = [sentence.forms for file in quantise or [] for sentence in conllu.read(file)]
    if quantise and not sentences:
        raise DataError("no sentences", "name a file that holds some", file=quantise[0])
    loaded = Model.load(Path(model), torch.device("cpu"))
    export(loaded, folder, sentences, source if has_segmenter else None)
    size = sum(path.stat().st_size for path in folder.iterdir())
    say("export", f"{output} holds the model, {size / 1e6:.1f} MB")
