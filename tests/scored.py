"""Small treebanks for the tests of scores, and the official scores beside ours."""

from __future__ import annotations

import io
from collections.abc import Sequence

from udtools import udeval

from arctree.conllu import read_text
from arctree.evaluation import evaluate
from arctree.scores import (
    OFFICIAL_METRICS,
    Evaluation,
)


def word(
    form: str,
    head: int | str,
    label: str = "dep",
    upos: str = "X",
    *,
    lemma: str = "_",
    xpos: str = "_",
    feats: str = "_",
) -> str:
    return "\t".join([form, lemma, upos, xpos, feats, str(head), label, "_", "_"])


def multiword(form: str, *words: str) -> list[str]:
    return [form, *words]


def treebank(*sentences: Sequence[str | list[str]]) -> str:
    """CoNLL-U from words and multiword tokens, which are lists: the form, then the words."""
    lines = []
    for tokens in sentences:
        number = 0
        for token in tokens:
            form, *words = token if isinstance(token, list) else ["", token]
            if isinstance(token, list):
                last = number + len(words)
                lines.append(f"{number + 1}-{last}\t{form}" + "\t_" * 8)
            for columns in words:
                number += 1
                lines.append(f"{number}\t{columns}")
        lines.append("")
    return "\n".join(lines) + "\n"


def scored(gold: str, system: str) -> Evaluation:
    return evaluate(read_text(gold), read_text(system))


def official(gold: str, system: str) -> dict[str, tuple[object, ...]]:
    sides = [udeval.load_conllu(io.StringIO(text), "treebank", {}) for text in (gold, system)]
    result = udeval.evaluate(*sides)
    return {
        name: (
            *(result[name].correct, result[name].gold_total, result[name].system_total),
            *(result[name].precision, result[name].recall, result[name].f1),
            result[name].aligned_accuracy,
        )
        for name in OFFICIAL_METRICS
    }


def ours(evaluation: Evaluation) -> dict[str, tuple[object, ...]]:
    return {
        name: (
            *(score.correct, score.gold, score.system),
            *(score.precision, score.recall, score.f1, score.aligned_accuracy),
        )
        for name in OFFICIAL_METRICS
        for score in [evaluation[name]]
    }


def assert_official(gold: str, system: str) -> Evaluation:
    """Our scores, after they were found equal to the official ones in every digit."""
    evaluation = scored(gold, system)
    assert ours(evaluation) == official(gold, system)
    return evaluation


GOLD = treebank(
    [
        word("The", 2, "det", "DET", lemma="the", xpos="DT", feats="Definite=Def|PronType=Art"),
        word("dogs", 3, "nsubj", "NOUN", lemma="dog", xpos="NNS", feats="Number=Plur"),
        word("bark", 0, "root", "VERB", lemma="bark", feats="Mood=Ind|Tense=Pres|VerbForm=Fin"),
        word("loudly", 3, "advmod:emph", "ADV", lemma="loudly", xpos="RB"),
        word(".", 3, "punct", "PUNCT", lemma="."),
    ],
    [
        multiword(
            "Don't",
            word("Do", 3, "aux", "AUX", lemma="do", feats="Mood=Imp"),
            word("n't", 3, "advmod", "PART", lemma="not", feats="Polarity=Neg|Typo=Yes"),
        ),
        word("stop", 0, "root", "VERB", lemma="stop", feats="Mood=Imp"),
        word("!", 3, "punct", "PUNCT", lemma="!"),
    ],
)


def changed(old: str, new: str) -> str:
    assert old in GOLD
    return GOLD.replace(old, new)
