"""``arctree evaluate``: UD scores with intervals, and a paired test between two systems."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from arctree import conllu
from arctree.cli.options import AsJson, check_standard_input, check_standard_output
from arctree.cli.report import progress
from arctree.draw.width import visible
from arctree.errors import DataError
from arctree.files import display_name
from arctree.sentence import Sentence

if TYPE_CHECKING:
    from arctree.resampling import Interval
    from arctree.scores import Bucket, Comparison, Evaluation

EXAMPLES = """\b
Examples:
  arctree evaluate gold.conllu system.conllu
  arctree evaluate gold.conllu first.conllu second.conllu     is the second one better?
  arctree evaluate gold.conllu system.conllu --tables         by label and by length
  arctree evaluate gold.conllu system.conllu --json
"""


def run(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="CoNLL-U; - is standard input.")],
    system: Annotated[str, typer.Argument(metavar="SYSTEM", help="CoNLL-U over the same text.")],
    second: Annotated[
        str | None, typer.Argument(metavar="SYSTEM2", help="Another system, to be compared.")
    ] = None,
    tables: Annotated[
        bool, typer.Option("--tables", help="Also scores by label and by length.")
    ] = False,
    resamples: Annotated[
        int,
        typer.Option(
            "--resamples",
            metavar="N",
            min=1,
            help="Number of bootstrap and randomisation resamples.",
        ),
    ] = 10_000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the random numbers.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Score a system against gold: the official UD scores to the digit, and LAS over full labels.

    F1 in percent with its 95 % confidence interval over sentences. Words may be cut
    differently on the two sides, as long as the text is the same.
    """
    from arctree.scores import compare

    check_standard_output()
    check_standard_input(gold, system, second)
    gold_sentences = list(progress(conllu.read(gold), "gold sentences"))
    if not gold_sentences:
        raise DataError("no sentences to compare with", "name a file that holds some", file=gold)
    names = [system] if second is None else [system, second]
    evaluations = [_evaluated(gold, gold_sentences, name) for name in names]
    intervals = [found.intervals(resamples=resamples, seed=seed) for found in evaluations]
    compared = compare(*evaluations, resamples=resamples, seed=seed) if second else {}
    if as_json:
        form = evaluations[0].to_json(intervals[0])
        if compared:
            form["second"] = evaluations[1].to_json(intervals[1])
            form["comparison"] = {name: found.to_json() for name, found in compared.items()}
        print(json.dumps({**form, "resamples": resamples, "seed": seed}, ensure_ascii=False))
        return
    for name, evaluation, interval in zip(names, evaluations, intervals, strict=True):
        print(f"{visible(display_name(name))}\n{_scores_table(evaluation, interval)}\n")
        if tables:
            print(_label_table(evaluation) + "\n")
            print(_length_table("words of the sentence", evaluation.sentence_lengths) + "\n")
            print(_length_table("words from the head", evaluation.arc_lengths) + "\n")
    if compared:
        print(_comparison_table(compared, resamples))


def _evaluated(gold: str, gold_sentences: list[Sentence], system: str) -> Evaluation:
    from arctree.evaluation import evaluate

    return evaluate(
        gold_sentences,
        progress(conllu.read(system), "system sentences"),
        names=(display_name(gold), display_name(system)),
    )


def _scores_table(evaluation: Evaluation, intervals: dict[str, Interval]) -> str:
    lines = [f"{'score':<34}{'F1':>7}  {'95 % interval':^15}  {'P':>6}  {'R':>6}  {'aligned':>7}"]
    for name in _headline_first(evaluation.scores):
        score = evaluation[name]
        low, high = intervals[name]
        accuracy = score.aligned_accuracy
        lines.append(
            f"{name:<34}{100 * score.f1:>7.2f}  {100 * low:>6.2f} – {100 * high:>6.2f}  "
            f"{100 * score.precision:>6.2f}  {100 * score.recall:>6.2f}  "
            + (f"{100 * accuracy:>7.2f}" if accuracy is not None else "      –")
        )
    if not evaluation.has_trees:
        lines.append("no heads on either side: segmentation, tags and lemmas only")
    return "\n".join(lines)


def _headline_first(names: Iterable[str]) -> list[str]:
    """The headline first, the official scores next, then our own."""
    from arctree.scores import HEADLINE

    return sorted(names, key=lambda name: name != HEADLINE)


def _comparison_table(comparisons: dict[str, Comparison], resamples: int) -> str:
    lines = [
        f"second against first, {resamples:,} resamples: the difference, its 95 % interval by "
        "paired bootstrap,\nand p by approximate randomisation, two-sided",
        f"{'score':<34}{'first':>7}  {'second':>7}  {'delta':>7}  {'95 % interval':^15}  {'p':>6}",
    ]
    for name in _headline_first(comparisons):
        found = comparisons[name]
        low, high = found.interval
        lines.append(
            f"{name:<34}{100 * found.first:>7.2f}  {100 * found.second:>7.2f}  "
            f"{100 * found.delta:>+7.2f}  {100 * low:>+6.2f} – {100 * high:>+6.2f}  "
            f"{found.p_value:>6.4f}"
        )
    return "\n".join(lines)


def _label_table(evaluation: Evaluation) -> str:
    lines = [f"{'label':<24}{'gold':>8}{'system':>8}{'correct':>9}{'P':>8}{'R':>8}{'F1':>8}"]
    lines += [
        f"{label:<24}{score.gold:>8,}{score.system:>8,}{score.correct:>9,}"
        f"{100 * score.precision:>8.2f}{100 * score.recall:>8.2f}{100 * score.f1:>8.2f}"
        for label, score in evaluation.labels.items()
    ]
    return "\n".join(lines)


def _length_table(what: str, buckets: tuple[Bucket, ...]) -> str:
    lines = [f"{what:<24}{'sentences':>10}{'words':>10}{'UAS':>8}{'LAS (full)':>12}"]
    for bucket in buckets:
        if bucket.last == 0:
            name = "0 (the root)"
        elif bucket.last == bucket.first:
            name = f"{bucket.first}"
        else:
            name = f"{bucket.first} to {bucket.last}" if bucket.last else f"{bucket.first} or more"
        lines.append(
            f"{name:<24}{bucket.sentences:>10,}{bucket.words:>10,}"
            f"{100 * bucket.uas:>8.2f}{100 * bucket.las:>12.2f}"
        )
    return "\n".join(lines)
