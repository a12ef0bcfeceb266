"""Scores of a model on English treebanks: gold tokens and raw text, by genre.

    python recipes/english/evaluate.py [--model DIR] [--genres] TREEBANK.conllu...

Any English UD treebank will do. Genres are what stands before the first hyphen of a sent_id,
as in English-EWT and English-GUM.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import arctree
from arctree import conllu
from arctree.evaluation import evaluate
from arctree.parsing.raw_text import in_paragraphs, raw_text
from arctree.scores import Evaluation
from arctree.sentence import Sentence

SHOWN = (
    *("Tokens", "Words", "Sentences", "UPOS", "XPOS", "UFeats", "Lemmas"),
    *("UAS", "LAS", "LAS (full labels)", "MLAS", "BLEX"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--model", default="en")
    parser.add_argument("--genres", action="store_true")
    arguments = parser.parse_args()
    nlp = arctree.load(arguments.model)
    for file in arguments.files:
        gold = list(conllu.read(file))
        print(f"## {file.rpartition('/')[2]}: {len(gold):,} sentences\n")
        parsed = [found.sentence for found in nlp.parse_tokens(gold)]
        found = {"gold tokens": evaluate(gold, parsed)}
        text = raw_text(in_paragraphs(gold)).text
        found["raw text"] = evaluate(gold, [some.sentence for some in nlp.stream(text)])
        print(table(found))
        if arguments.genres:
            print(table(by_genre(gold, parsed), ("UPOS", "XPOS", "UAS", "LAS (full labels)")))


def by_genre(gold: Sequence[Sentence], parsed: Sequence[Sentence]) -> dict[str, Evaluation]:
    places: dict[str, list[int]] = defaultdict(list)
    for place, sentence in enumerate(gold):
        places[(sentence.id or "?").partition("-")[0]].append(place)

    def some(sentences: Sequence[Sentence], numbers: Sequence[int]) -> list[Sentence]:
        return [replace(sentences[number]) for number in numbers]

    return {
        f"{genre} ({len(numbers):,})": evaluate(some(gold, numbers), some(parsed, numbers))
        for genre, numbers in sorted(places.items())
    }


def table(found: dict[str, Evaluation], shown: Sequence[str] = SHOWN) -> str:
    lines = ["| | " + " | ".join(shown) + " |", "|---" * (1 + len(shown)) + "|"]
    for name, evaluation in found.items():
        cells = [f"{100 * evaluation[score].f1:.2f}" for score in shown]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
