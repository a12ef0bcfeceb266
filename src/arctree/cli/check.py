"""``arctree check``: what a treebank holds, and what is wrong with it."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from arctree import conllu
from arctree.cli.options import AsJson, check_standard_input, check_standard_output
from arctree.cli.report import plural, progress
from arctree.files import display_name
from arctree.json_form import heading
from arctree.treebank import RARE, Comparison, LabelUse, Survey, compare, survey

EXAMPLES = """\b
Examples:
  arctree check treebank.conllu
  arctree check train.conllu dev.conllu test.conllu     (dev and test are compared to train)
  arctree check treebank.conllu --json | jq '.files[0].problems'
"""


def run(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE", help="CoNLL-U; the first one is the training split."),
    ],
    as_json: AsJson = False,
) -> None:
    """Check treebanks: projectivity, lifts and their way back, roots, lengths, labels, faults.

    Exit status 1 if there are problems.
    """
    check_standard_output()
    check_standard_input(*files)
    surveys: list[Survey] = []
    comparisons: list[Comparison | None] = []
    for file in files:
        found = Survey(display_name(file))
        sentences = conllu.read(file, on_error=found.problems.append)
        surveys.append(survey(found, progress(sentences, f"sentences of {file}")))
        comparisons.append(compare(surveys[0], surveys[-1]) if len(surveys) > 1 else None)
        if not as_json:
            print(_text(surveys[-1], comparisons[-1], surveys[0].file))
    if as_json:
        forms = [
            {**found.to_json(), "compared": compared.to_json() if compared else None}
            for found, compared in zip(surveys, comparisons, strict=True)
        ]
        print(json.dumps({**heading("survey"), "files": forms}, ensure_ascii=False))
    if any(found.problems for found in surveys):
        raise typer.Exit(1)


def _text(found: Survey, compared: Comparison | None, first: str) -> str:
    shortest, middle, longest = found.length_range
    lines = [
        found.file,
        f"  {plural(found.sentences, 'sentence')}, {plural(found.words, 'word')}, "
        f"{plural(found.multiword_tokens, 'multiword token')}, "
        f"{plural(found.empty_nodes, 'empty node')}"
        + (f", {found.blind:,} without heads" if found.blind else ""),
        f"  lengths      {shortest} to {longest} words, median {middle:g}",
        f"  labels       {len(found.labels)}"
        + (f"; roots are labelled {_listed(found.root_labels)}" if found.trees else ""),
    ]
    if found.trees:
        lines += [
            f"  projective   {plural(found.trees - found.nonprojective_sentences, 'sentence')}; "
            f"from their ordered trees come back {found.returned_directly:,}",
            f"  lifted       {plural(found.nonprojective_sentences, 'sentence')} "
            f"({_percent(found.nonprojective_sentences, found.trees)}), "
            f"{plural(found.nonprojective_arcs, 'non-projective arc')}, "
            f"{plural(found.lifted_arcs, 'word')} moved",
            f"  {'scheme':<12}{'come back':>10}{'share':>12}{'labels':>8}",
        ]
        lines += [
            f"    {scheme.value:<10}{result.returned:>10,}"
            f"{_percent(result.returned, found.trees):>12}{len(result.labels):>8,}"
            for scheme, result in found.schemes.items()
        ]
    rare = found.rare_labels()
    if rare:
        lines.append(f"  {plural(len(rare), 'label')} at most {RARE} times: {_used(rare)}")
    if compared is not None:
        lines.append(
            f"  against {first}: "
            f"{plural(len(compared.unseen_labels), 'label')} unseen there"
            + (f" ({_used(compared.unseen_labels)})" if compared.unseen_labels else "")
            + f", {plural(compared.shared_sentences, 'sentence')} the same"
        )
    lines.append(f"  {plural(len(found.problems), 'problem')}")
    lines += [f"    {problem}" for problem in found.problems]
    return "\n".join(lines) + "\n"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} %"


def _used(uses: list[LabelUse], most: int = 8) -> str:
    shown = [f"{use.label} ({use.times:,} from line {use.line:,} on)" for use in uses[:most]]
    return ", ".join(shown) + (", …" if len(uses) > most else "")


def _listed(counts: dict[str, int], most: int = 8) -> str:
    shown = [f"{label} ({count:,})" for label, count in list(counts.items())[:most]]
    return ", ".join(shown) + (", …" if len(counts) > most else "")
