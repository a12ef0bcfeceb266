"""The model card: what a model is, what it was made of, how good it is, what it is not for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from arctree.network.model import Model

_SHOWN = (
    *("UPOS", "XPOS", "UFeats", "Lemmas"),
    *("UAS", "LAS", "LAS (full labels)", "CLAS", "MLAS", "BLEX", "Trees (labelled)"),
)

_PARSERS = {
    "mapped": "a mapped arc-standard parser: SHIFT, LEFTARC and RIGHTARC build the ordered tree, "
    "its arcs are read back and then labelled",
    "in-order": "an in-order parser: SHIFT, PROJECT and REDUCE build the ordered tree, its arcs "
    "are read back and then labelled",
    "linearised": "a linearisation parser: the ordered tree is written symbol by symbol, its arcs "
    "are read back and then labelled",
    "graph": "a graph-based biaffine parser with maximum spanning tree",
}
_CONFIDENCES = {
    "mapped": "the least probability of a transition taken while the word was one of the two "
    "topmost items",
    "graph": "the probability of the head",
}
_LEAST = "the least probability of a step taken while the head of the word was at stake"


def model_card(record: Mapping[str, Any], model: Model) -> str:
    """The card, in Markdown, from the record of the run."""
    configuration = record["configuration"]
    encoder = configuration["encoder"]
    described = (
        f"the pretrained encoder `{encoder['source'].rstrip('/').rpartition('/')[2]}`"
        if encoder["kind"] == "pretrained"
        else f"a {encoder['kind']} encoder trained from scratch"
        + (" with static vectors" if encoder["vectors"] else "")
    )
    parser = _PARSERS[configuration["parser"]["kind"]]
    columns = ", ".join(model.outcomes.tags) or "none"
    learnt = sum(p.numel() for p in model.network.parameters() if p.requires_grad)
    parts = [
        "# A dependency parser, trained with arctree",
        f"{parser[0].upper()}{parser[1:]}; on {described}. {learnt / 1e6:.1f} million learnt "
        f"parameters. Other columns it fills: {columns}.",
        "```\narctree parse --model DIR --from conllu FILE\n```",
        "## Data",
        _files_table(record["files"]),
        "The model is bound by the licences of these files, and of the encoder or vectors it "
        "was made from; the hashes are SHA-256 of the content.",
        _lifting_words(configuration),
        "## Scores",
        "F1 in percent on gold words, every word counted; tags are the model's own. Dev chose "
        "the epoch, test was looked at once.",
        _scores_table(record["scores"]),
        *_segmenter_words(record),
        "## Confidence",
        "The confidence of an arc comes from "
        + _CONFIDENCES.get(configuration["parser"]["kind"], _LEAST)
        + " times the probability of the label, by a logistic curve. Temperatures and curve were "
        "fitted on dev. "
        + " ".join(
            f"Expected calibration error on {name}: {100 * found['error']:.2f} %."
            for name, found in record["calibration"].items()
        ),
        _reliability_table(record["calibration"]["dev"]["bins"]),
        "## Training",
        f"Seed {configuration['training']['seed']}, best epoch {record['best_epoch']} of "
        f"{configuration['training']['epochs']}, {record['seconds']:.0f} s, "
        f"{record['processes']} process(es), {record['hardware']}. "
        "The whole configuration stands in `config.json`, under `record`.",
        "## Limits",
        "It parses text like its training data, cut into words as there. On other genres it is "
        "worse than the scores say. Its trees are guesses: look at the confidences.",
    ]
    return "\n\n".join(parts) + "\n"


def with_segmenter(card: str, record: Mapping[str, Any]) -> str:
    """A card with what is known of a segmenter that came later, in place of what it told."""
    parts = re.split(r"(?m)^(?=## )", card)
    kept = [part.rstrip() for part in parts if not part.startswith("## Segmenter")]
    return "\n\n".join([*filter(None, kept), *_segmenter_words({"segmenter": record})]) + "\n"


def _segmenter_words(record: Mapping[str, Any]) -> list[str]:
    found = record.get("segmenter")
    if not found:
        return []
    return [
        "## Segmenter",
        f"Sentences and words of raw text are found by a network over characters, of "
        f"{found['parameters'] / 1e6:.2f} million parameters, learnt from the same files (best "
        f"epoch {found['best_epoch']}, {found['seconds']:.0f} s). F1 in percent on the raw text "
        "of the files:",
        _scores_table(found["scores"], ("Tokens", "Words", "Sentences")),
    ]


def _files_table(files: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    rows = [
        "| use | file | sentences | words | non-projective | sha256 |",
        "|---|---|---|---|---|---|",
    ]
    rows += [
        f"| {use} | {facts['name']} | {facts['sentences']:,} | {facts['words']:,} "
        f"| {facts['non_projective']:,} | `{facts['sha256']}` |"
        for use, some in files.items()
        for facts in some
    ]
    return "\n".join(rows)


def _lifting_words(configuration: Mapping[str, Any]) -> str:
    if configuration["parser"]["kind"] == "graph":
        return "Non-projective trees were learnt as they are."
    scheme = configuration["data"]["lifting"]
    return f"Non-projective trees were lifted with the scheme `{scheme}` and are lowered again."


def _scores_table(scores: Mapping[str, Mapping[str, float]], shown: Sequence[str] = _SHOWN) -> str:
    rows = [f"| score | {' | '.join(scores)} |", "|---" * (1 + len(scores)) + "|"]
    for name in shown:
        if not any(name in found for found in scores.values()):
            continue
        cells = [f"{100 * found[name]:.2f}" if name in found else "" for found in scores.values()]
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _reliability_table(bins: Sequence[Sequence[float]]) -> str:
    rows = ["| confidence on dev | arcs | mean confidence | right |", "|---|---|---|---|"]
    rows += [
        f"| {number / len(bins):.1f} to {(number + 1) / len(bins):.1f} | {count:,} "
        f"| {100 * confidence:.1f} | {100 * accuracy:.1f} |"
        for number, (count, confidence, accuracy) in enumerate(bins)
        if count
    ]
    return "\n".join(rows)
