"""The splits of a study's treebank: as gold, and as the systems are given them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path

from arctree import conllu
from arctree.errors import CallError, DataError
from arctree.parsing.model_files import file_hash
from arctree.sentence import DEPREL, DEPS, FEATS, HEAD, LEMMA, UPOS, XPOS, Sentence
from arctree.study.configuring import Study

# Those that are parsed.
SPLITS = ("dev", "test")
ALL_SPLITS = ("train", *SPLITS)


def read_split(study: Study, split: str) -> list[Sentence]:
    """The gold sentences of train, dev or test."""
    paths: tuple[str, ...] = getattr(study.data, split)
    sentences = []
    for path in paths:
        for sentence in conllu.read(path):
            if sentence.is_blind:
                raise DataError(
                    f"data.{split} has a sentence without heads",
                    "fill HEAD and DEPREL",
                    file=path,
                    line=sentence.line,
                    sentence=sentence.id,
                )
            sentences.append(sentence)
    if not sentences:
        fault = f"data.{split} has no sentences"
        raise DataError(fault, "name a file that holds some", file=", ".join(paths))
    return sentences


def words_only(sentence: Sentence) -> Sentence:
    """The sentence as the systems are given it: without anything that an annotator added."""
    columns = list(sentence.columns)
    for column in (LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS):
        columns[column] = ("_",) * len(sentence)
    return Sentence(
        sentence.comments,
        tuple(columns),
        None,
        sentence.other_lines,
        sentence.line_break,
        sentence.blank_lines,
        sentence.line,
    )


def files_of(study: Study, split: str) -> list[dict[str, str]]:
    """The names of a split's files, without their folders, and their hashes."""
    paths: tuple[str, ...] = getattr(study.data, split)
    return [{"name": Path(path).name, "sha256": hash_of(path)} for path in paths]


def files_in_two(files: Mapping[str, Sequence[Mapping[str, str]]]) -> list[str]:
    """What to say of files that are in two of the splits, whatever they are called."""
    told = []
    for first, second in combinations(ALL_SPLITS, 2):
        there = {file["sha256"] for file in files[second]}
        names = [file["name"] for file in files[first] if file["sha256"] in there]
        if names:
            what = "were learnt" if first == "train" else "models were chosen by"
            told.append(
                f"{', '.join(names)} of {first} is in {second}, too: what is told of {second} is "
                f"of sentences that {what}"
            )
    return told


@cache
def hash_of(path: str) -> str:
    """The SHA-256 of a file, which is read once."""
    try:
        return file_hash(Path(path))
    except OSError as error:
        raise CallError(f"{path}: cannot be read: {error.strerror}") from error
