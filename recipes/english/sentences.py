"""Sentences for the teachers: raw text cut into words, and variants of the gold sentences.

    python recipes/english/sentences.py text --segmenter MODEL FILE.txt.xz... -o out.txt
    python recipes/english/sentences.py variants TRAIN.conllu --times 10 -o variants.txt

Both write one sentence a line, words between spaces, as ``arctree teach`` reads them.

Text is mostly well edited; what people write in mails and reviews is not. So some sentences
lose their final stop, some their capitals, and some are written in capitals only.

A *variant* of a gold sentence has some of its words replaced by others with the same tags, so
that it keeps the build of the sentence and says something new.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from arctree import conllu
from arctree.files import read_lines
from arctree.segmenter import Segmenter
from arctree.sentence import FEATS, XPOS, Sentence

LONGEST = 120
# The share of sentences that are changed so.
WITHOUT_STOP, LOWERED, RAISED = 0.1, 0.06, 0.02
# The share of the words of a gold sentence that a variant replaces, at most.
REPLACED = 0.5
STOPS = {".", "!", "?"}
# Words of these classes are replaced; the others are few, and make the sentence.
OPEN = ("NN", "VB", "JJ", "RB", "CD", "UH", "ADD")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    text = commands.add_parser("text")
    text.add_argument("files", nargs="+")
    text.add_argument("--segmenter", required=True)
    text.set_defaults(run=from_text)
    variants = commands.add_parser("variants")
    variants.add_argument("files", nargs="+")
    variants.add_argument("--times", type=int, default=10)
    variants.set_defaults(run=from_treebank)
    for command in (text, variants):
        command.add_argument("-o", dest="output", required=True)
        command.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    count = words = 0
    with open(arguments.output, "w", encoding="utf-8") as stream:
        for sentence in arguments.run(arguments, random.Random(arguments.seed)):
            stream.write(" ".join(sentence) + "\n")
            count += 1
            words += len(sentence)
    print(f"{count:,} sentences, {words:,} words", file=sys.stderr)


def from_text(arguments: argparse.Namespace, source: random.Random) -> Iterator[list[str]]:
    segmenter = Segmenter.load(Path(arguments.segmenter))
    seen: set[int] = set()
    for file in arguments.files:
        for line in read_lines(file):
            text = line.decode("utf-8")
            for tokens in segmenter.segment(text):
                words: list[str] = []
                for token in tokens:
                    words += token.words or [text[token.start : token.end]]
                key = hash(tuple(words))
                if len(words) > LONGEST or key in seen or any(" " in word for word in words):
                    continue
                seen.add(key)
                yield roughened(words, source)


def roughened(words: list[str], source: random.Random) -> list[str]:
    """The words as somebody in a hurry might have written them, now and then."""
    if len(words) > 1 and words[-1] in STOPS and source.random() < WITHOUT_STOP:
        words = words[:-1]
    chance = source.random()
    if chance < LOWERED:
        return [word.lower() for word in words]
    if chance < LOWERED + RAISED:
        return [word.upper() for word in words]
    return words


def from_treebank(arguments: argparse.Namespace, source: random.Random) -> Iterator[list[str]]:
    sentences = [sentence for file in arguments.files for sentence in conllu.read(file)]
    others: dict[tuple[str, str], list[str]] = defaultdict(list)
    for sentence in sentences:
        for form, tags in zip(sentence.forms, _tags(sentence), strict=True):
            others[tags].append(form)
    for time in range(arguments.times + 1):
        for sentence in sentences:
            words = list(sentence.forms)
            share = REPLACED * source.random() if time else 0.0  # first the sentence itself
            for place, tags in enumerate(_tags(sentence)):
                if tags[0].startswith(OPEN) and source.random() < share:
                    words[place] = source.choice(others[tags])
            yield roughened(words, source) if time else words


def _tags(sentence: Sentence) -> Sequence[tuple[str, str]]:
    return list(zip(sentence.columns[XPOS], sentence.columns[FEATS], strict=True))


if __name__ == "__main__":
    main()
