"""Model directories: a few plain files, each known by its hash. None of them is a pickle.

=====================  ======================================================================
config.json            the format's version, the settings, and size and hash of the other files
vocabularies.json      labels, tags, words, characters
model.safetensors      all weights
encoder.json           the architecture of a pretrained encoder, as its library writes it
tokenizer.json         its tokenizer
lemmas.json            how lemmas are told by forms and tags
encoder.onnx           the encoder, for onnxruntime
heads.onnx             what stands on the encoder, for onnxruntime
decoder.safetensors    the weights that decoding on the CPU needs beside them
segmenter.json         what the segmenter of raw text knows: characters, words, multiword tokens
segmenter.onnx         its network, for onnxruntime
segmenter.safetensors  its weights, for whoever trains on
README.md              the model card, for people
=====================  ======================================================================

A directory is written file by file under other names first; ``config.json`` is put in place
last. So a reader finds the old model, the new one, or files that do not belong together, and
is told so.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from arctree.errors import CallError, DataError
from arctree.files import open_output

VERSION = 1
CONFIG = "config.json"
VOCABULARIES = "vocabularies.json"
WEIGHTS = "model.safetensors"
ENCODER = "encoder.json"
TOKENIZER = "tokenizer.json"
LEMMAS = "lemmas.json"
ENCODER_GRAPH = "encoder.onnx"
HEADS_GRAPH = "heads.onnx"
DECODER = "decoder.safetensors"
SEGMENTER = "segmenter.json"
SEGMENTER_GRAPH = "segmenter.onnx"
SEGMENTER_WEIGHTS = "segmenter.safetensors"
CARD = "README.md"
NAMES = (
    *(CONFIG, VOCABULARIES, WEIGHTS, ENCODER, TOKENIZER),
    *(LEMMAS, ENCODER_GRAPH, HEADS_GRAPH, DECODER),
    *(SEGMENTER, SEGMENTER_GRAPH, SEGMENTER_WEIGHTS, CARD),
)
# Those whose size and hash the configuration holds.
_LISTED = frozenset(NAMES) - {CONFIG, CARD}


def write_model(
    folder: Path,
    config: Mapping[str, Any],
    texts: Mapping[str, str],
    others: Mapping[str, Callable[[Path], None]],
) -> None:
    """Write a model directory; beside ``texts`` and the configuration each file has its writer."""
    partial = folder / ".partial"
    try:
        shutil.rmtree(partial, ignore_errors=True)  # of a run that was killed
        partial.mkdir(parents=True)
        for name, text in texts.items():
            (partial / name).write_text(text, "utf-8")
        for name, write in others.items():
            write(partial / name)
            # Whoever may read the one may read the other.
            (partial / name).chmod((partial / VOCABULARIES).stat().st_mode)
        names = [*texts, *others]
        files = {
            name: {"bytes": (partial / name).stat().st_size, "sha256": file_hash(partial / name)}
            for name in names
        }
        files |= _segmenter_facts(folder)
        head = {"arctree_model": VERSION, **config, "files": files}
        (partial / CONFIG).write_text(
            json.dumps(head, ensure_ascii=False, indent=1) + "\n", "utf-8"
        )
        for name in [*names, CONFIG]:
            os.replace(partial / name, folder / name)
    except OSError as error:
        raise CallError(f"{folder}: cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def list_segmenter(folder: Path, record: Mapping[str, Any]) -> None:
    """Let a model's configuration list the segmenter that was put beside it, and its record."""
    config = read_json(folder / CONFIG)
    config["record"] = {**config.get("record", {}), "segmenter": record}
    config["files"] |= _segmenter_facts(folder)
    text = json.dumps(config, ensure_ascii=False, indent=1) + "\n"
    with open_output(str(folder / CONFIG)) as stream:
        stream.write(text.encode("utf-8"))


def _segmenter_facts(folder: Path) -> dict[str, dict[str, Any]]:
    """Size and hash of the files of a segmenter, if there is one in the folder."""
    return {
        name: {"bytes": (folder / name).stat().st_size, "sha256": file_hash(folder / name)}
        for name in (SEGMENTER, SEGMENTER_GRAPH, SEGMENTER_WEIGHTS)
        if (folder / name).is_file()
    }


def read_config(folder: Path) -> dict[str, Any]:
    """The configuration of a model directory, all of whose files are there and intact."""
    if not folder.is_dir():
        raise CallError(f"{folder}: no such model directory")
    path = folder / CONFIG
    if not path.is_file():
        raise DataError(
            f"no {CONFIG} in it", "name a directory that arctree train wrote", file=str(folder)
        )
    config = read_json(path)
    if "arctree_model" not in config:
        raise DataError(
            "not the configuration of an arctree model",
            "name a directory that arctree train wrote",
            file=str(path),
        )
    version = config["arctree_model"]
    if version != VERSION:
        raise DataError(
            f"the model has version {version!r}, this arctree reads version {VERSION}",
            "use the arctree that wrote it, or train it again",
            file=str(path),
        )
    files = config.get("files")
    if (
        not isinstance(files, dict)
        or VOCABULARIES not in files
        or not {WEIGHTS, ENCODER_GRAPH} & set(files)
    ):
        raise DataError("its list of files is damaged", "fetch it again", file=str(path))
    for name, facts in files.items():
        if name not in _LISTED or not isinstance(facts, dict):
            raise DataError(f"it lists a foreign file {name!r}", "fetch it again", file=str(path))
        _check_file(folder / name, facts)
    return config


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise DataError(f"not JSON: {error}", "fetch it again", file=str(path)) from error
    except OSError as error:
        raise CallError(f"{path}: cannot be read: {error.strerror or error}") from error
    if not isinstance(value, dict):
        raise DataError("not a JSON object", "fetch it again", file=str(path))
    return value


def file_hash(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _check_file(path: Path, facts: Mapping[str, Any]) -> None:
    if not path.is_file():
        raise DataError("missing from the model directory", "fetch it again", file=str(path))
    size, expected = path.stat().st_size, facts.get("bytes")
    if size != expected:
        raise DataError(
            f"{size} bytes, where {CONFIG} says {expected}",
            "it is cut short or belongs to another model; fetch it again",
            file=str(path),
        )
    if file_hash(path) != facts.get("sha256"):
        raise DataError(
            f"not the file that {CONFIG} was written with",
            "it is damaged or belongs to another model; fetch it again",
            file=str(path),
        )
