"""The report of a study in Markdown, with its pictures."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from arctree.study.pictures import ARCS, DEPARTURES, OVERLAP, SENTENCES, finished, length_name
from arctree.study.splits import files_in_two

Report = Mapping[str, Any]
System = Mapping[str, Any]
_SHOWN_LABELS = 10


def as_markdown(report: Report, pictures: Sequence[str]) -> str:
    """The whole page."""
    parts = [
        f"# {plain(report['title'])}",
        _about(report),
        *_told_twice(report),
        *_missing(report),
        "## Scores",
        "UAS, and LAS over full labels, in percent; every word is counted. A trained system is "
        "told as mean ± half the distance between its best and its worst seed.",
        _scores(report),
        *_differences(report),
        "## Trees, and what they cost",
        _costs_about(report),
        _costs(report),
        *_speed_about(report),
        "## By the length of the sentence",
        "LAS on dev of the words in sentences of so many words.",
        *_picture(SENTENCES, pictures, "LAS by the length of the sentence"),
        _by_group(report, "sentence_lengths", "words", lambda row: row["las"]),
        "## By the length of the arc",
        "F1 on dev of labelled arcs of a length: precision over the system's arcs, recall over "
        "gold's. 0 is the arc of the root.",
        *_picture(ARCS, pictures, "F1 by the length of the arc"),
        _by_group(report, "arc_lengths", "gold", lambda row: row["las"]["f1"]),
        "## By the side of the head",
        "UAS on dev of the words that are the root's, stand on the left of their head, alone or "
        "with others of its dependents, or on its right.",
        _by_group(report, "sides", "words", lambda row: row["uas"]),
        *_more_groups(report),
        "## Shared errors",
        "Of the words of dev that the row's system attaches wrongly, the share in percent that "
        "the column's does, too: mean over all pairs of seeds. Of a system with itself, over "
        "pairs of different seeds; that is the yardstick for the others.",
        *_picture(OVERLAP, pictures, "Shared errors"),
        _overlap(report),
        *_departures(report, pictures),
        "## Files",
        "[`report.json`](report.json) has every number of this page and more, "
        "[`table.tex`](table.tex) the table for a paper.",
    ]
    return "\n\n".join(parts) + "\n"


def plain(text: str) -> str:
    """Text that Markdown shows as it is."""
    escaped = re.sub(r"([\\`*_{}\[\]<>#|~$])", r"\\\1", " ".join(text.split()))
    return re.sub(r"&(?=#?\w+;)", "&amp;", escaped)


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 2) -> str:
    """Rows under headings; so many columns of text, the others of numbers."""
    aligned = ["---"] * texts + ["--:"] * (len(headings) - texts)
    return "\n".join(f"| {' | '.join(row)} |" for row in (headings, aligned, *rows))


def _about(report: Report) -> str:
    files = [
        f"{', '.join(plain(file['name']) for file in facts['files'])} ({split}: "
        f"{facts['sentences']:,} sentences, {facts['words']:,} words, "
        f"{facts['nonprojective']:,} trees not projective)"
        for split, facts in report["data"].items()
    ]
    seeds = ", ".join(map(str, report["seeds"]))
    return (
        f"{'; '.join(files)}. Systems that learn trees learn them lifted by the scheme "
        f"`{report['lifting']}`, and what they answer is lowered again. Seeds: {seeds}. "
        "Scores, exact trees and ill-formed answers are told of dev, by which models were chosen, "
        f"or of test, as it says there; all else looks at dev. {_tags(report)}"
    )


def _tags(report: Report) -> str:
    """What systems know of tags: never an annotator's, of a sentence that they parse."""
    is_given = any(system["tags"] == "given" for system in finished(report))
    parts = ["" if is_given else "Systems are given words alone."]
    for value, told in (
        ("learnt", "learn the tags of the training file besides, as another task"),
        ("given", "are given words and the tags that a tagger trained on the same file makes"),
    ):
        for encoder in dict.fromkeys(system["encoder"] for system in finished(report)):
            alike = [system for system in finished(report) if system["encoder"] == encoder]
            some = [plain(system["title"]) for system in alike if system["tags"] == value]
            if some:
                who = "all" if len(some) == len(alike) else "; ".join(some)
                parts.append(f"With the encoder {plain(encoder)}, {who} {told}.")
    return " ".join(filter(None, parts))


def _told_twice(report: Report) -> list[str]:
    """Files that are in two splits, which makes scores worth less than they seem."""
    files = {split: facts["files"] for split, facts in report["data"].items()}
    return [f"**{plain(told)}.**" for told in files_in_two(files)]


def _missing(report: Report) -> list[str]:
    rows = [
        f"- {plain(system['name'])}: {len(system['seeds'])} of "
        f"{len(system['seeds']) + len(system['missing'])} seeds"
        for system in report["systems"]
        if system["missing"]
    ]
    return ["**Not all runs are finished.**", "\n".join(rows)] if rows else []


def _scores(report: Report) -> str:
    rows = [[*_names(system), *score_cells(system)] for system in finished(report)]
    return table(SCORES, rows)


SCORES = ("system", "encoder", "seeds", "dev UAS", "dev LAS", "test UAS", "test LAS")


def score_cells(system: System) -> list[str]:
    """How many seeds a system has finished, and UAS and LAS on dev and test."""
    scores = system["scores"]
    numbers = [_number(scores[s][name]) for s in ("dev", "test") for name in ("uas", "las")]
    return [str(len(system["seeds"])), *numbers]


def _differences(report: Report) -> list[str]:
    titles = {system["name"]: system["title"] for system in report["systems"]}
    rows = []
    for system in finished(report):
        found = system["differences"]
        if found is None:
            continue
        cells = []
        for split in ("dev", "test"):
            las = found[split]["las"]
            low, high = las["interval"]
            cells.append(f"{100 * las['delta']:+.2f} ({100 * low:+.2f} to {100 * high:+.2f})")
            cells.append(f"{las['p_value']:.4f}")
        rows.append([*_names(system), plain(titles[system["reference"]]), *cells])
    if not rows:
        return []
    return [
        "How much LAS a system has above the reference with the same encoder, over the seeds "
        f"that both have: the difference, its 95 % interval by paired bootstrap over sentences, "
        f"and p by approximate randomisation, two-sided; {report['resamples']:,} resamples. "
        "Neither knows of the chance that lies in the seeds.",
        table(["system", "encoder", "above", "dev", "p", "test", "p"], rows, texts=3),
    ]


def _costs_about(report: Report) -> str:
    return (
        "Exact: sentences of test with every head right, and every label besides, in percent. "
        "Labels: right ones among the words of dev whose head is right. Ill-formed: answers on "
        "dev and test, of all seeds, that were no ordered tree before they were repaired; – where "
        "there is none to be built, or they were not counted. Steps: "
        "transitions or symbols a word. Training: hours, minutes, seconds, the mean over seeds."
    )


def _costs(report: Report) -> str:
    rows = []
    has_rates = _has_rates(report)
    for system in finished(report):
        scores = system["scores"]
        speeds = [speed["systems"].get(system["name"]) for speed in report["speed"]]
        seconds, steps = system["training_seconds"]["mean"], system["steps_per_word"]
        rows.append(
            [
                *_names(system),
                _number(scores["test"]["trees"]),
                _number(scores["test"]["labelled_trees"]),
                _number(scores["dev"]["labels"]),
                _ill_formed(system),
                f"{steps:.2f}" if steps else "–",
                _count(system["parameters"]),
                f"{int(seconds // 3600)}:{time.strftime('%M:%S', time.gmtime(seconds))}",
                *([_rate(system)] if has_rates else []),
                *(_speed(speed) for speed in speeds),
            ]
        )
    headings = ["system", "encoder", "exact heads", "exact trees", "labels, dev", "ill-formed"]
    headings += ["steps", "parameters", "training"]
    headings += ["words/s"] if has_rates else []
    headings += [f"words/s, {_DEVICES[speed['device']]}" for speed in report["speed"]]
    return table(headings, rows)


def _has_rates(report: Report) -> bool:
    """Whether there is no better word on speed than what the runs themselves took."""
    told = any(system.get("words_per_second") for system in finished(report))
    return told and not report["speed"]


def _rate(system: System) -> str:
    found = system.get("words_per_second")
    return f"{found['mean']:,.0f}" if found else "–"


def _ill_formed(system: System) -> str:
    """Of how many; what takes no steps builds no ordered trees, whole or broken."""
    counts = system["ill_formed"].values()
    if not system["steps_per_word"] or None in counts:
        return "–"
    return f"{sum(counts):,} of {sum(system['answered'].values()):,}"


def _count(parameters: int) -> str:
    return f"{parameters / 1e6:.1f} M" if parameters >= 1e6 else f"{parameters:,}"


# Beside a speed that is not that of a model of the tables.
_OTHER = "†"


def _speed(found: Mapping[str, Any] | None) -> str:
    if found is None:
        return ""
    ratio = "" if found["ratio"] is None else f" ({found['ratio']:.2f} ×)"
    return f"{found['words_per_second']:,.0f}{ratio}{'' if found['is_of_these_runs'] else _OTHER}"


def _speed_about(report: Report) -> list[str]:
    where = sorted({name for system in finished(report) for name in system["hardware"]})
    parts = [f"Runs made on {', '.join(map(plain, where))}{_made_with(report)}."]
    if _has_rates(report):
        parts.append(
            "Words a second while dev and test were parsed, the mean over seeds; whatever else ran "
            "then slowed them (`arctree study CONFIG.toml --speed cpu` measures speed apart)."
        )
    parts += [
        f"Words a second on {plain(speed['hardware'])}"
        f"{', one thread' if speed['device'] == 'cpu' else ''}, over {speed['words']:,} words of "
        "dev, the systems taking turns; in brackets how many times as fast as the reference "
        "with the same encoder."
        for speed in report["speed"]
    ]
    if not all(
        found["is_of_these_runs"]
        for speed in report["speed"]
        for found in speed["systems"].values()
    ):
        parts.append(f"{_OTHER} Of another model than those of the tables.")
    return [" ".join(parts)]


def _made_with(report: Report) -> str:
    """By which versions of what, where reports tell it: an earlier arctree's do not."""
    found: dict[str, dict[str, None]] = {}
    for system in finished(report):
        for one in system.get("versions", ()):
            for name, version in one.items():
                found.setdefault(name, {})[plain(version)] = None
    told = [
        f"{plain(name)} {' or '.join(versions)}"
        for name, versions in found.items()
        if name != "python"
    ]
    return f", by {', '.join(told)}" if told else ""


def _by_group(report: Report, key: str, count: str, value: Any) -> str:
    systems = finished(report)
    headings = ["system", "encoder", *(_column(row) for row in systems[0][key])]
    counts = ["*how many*", "", *(f"*{row[count]:,}*" for row in systems[0][key])]
    rows = [
        [*_names(system), *(f"{100 * value(row):.2f}" for row in system[key])] for system in systems
    ]
    return table(headings, [counts, *rows])


def _more_groups(report: Report) -> list[str]:
    """What reports had not from the beginning, and the lifted words where there are some."""
    parts = []
    if all("frequencies" in system for system in finished(report)):
        parts += [
            "## By how often a word was seen",
            "UAS on dev of the words that stand in the training files so often, as they are spelt.",
            _by_group(report, "frequencies", "words", lambda row: row["uas"]),
        ]
    if all(len(system.get("lifting", ())) > 1 for system in finished(report)):
        parts += [
            "## Lifted words",
            "UAS on dev of the words whose head is another one in φ(D), and of the others.",
            _by_group(report, "lifting", "words", lambda row: row["uas"]),
        ]
    return parts


def _column(row: Report) -> str:
    return str(row["group"]) if "group" in row else length_name(row)


def _overlap(report: Report) -> str:
    systems = {system["name"]: system for system in report["systems"]}
    found = report["overlap"]
    rows = [
        [
            str(number),
            *_names(systems[name]),
            *("–" if share is None else f"{100 * share:.1f}" for share in shares),
        ]
        for number, (name, shares) in enumerate(
            zip(found["systems"], found["shares"], strict=True), start=1
        )
    ]
    numbers = [str(number) for number in range(1, len(rows) + 1)]
    return table(["", "system", "encoder", *numbers], rows, texts=3)


def _departures(report: Report, pictures: Sequence[str]) -> list[str]:
    systems = [system for system in finished(report) if system["departures"]]
    if not systems:
        return []
    parts = [
        "## Where the mapped system leaves the gold derivations",
        "A tree has several derivations; they are left with the first transition after which the "
        "gold tree, lifted, cannot be reached any more. All arcs before that are right. The "
        "label at stake is that of the word that gold would attach at this step or, where gold "
        "would shift, of the word that was attached instead. Counted on dev, over all seeds.",
        *_picture(DEPARTURES, pictures, "Leaving the gold derivations"),
        table(
            ["system", "encoder", *_DEPARTURE_HEADINGS],
            [[*_names(system), *_departure_cells(system["departures"])] for system in systems],
        ),
    ]
    for system in systems:
        found = system["departures"]
        rows = [
            [plain(row["label"]), f"{row['times']:,}", f"{100 * row['times'] / row['gold']:.1f}"]
            for row in found["labels"][:_SHOWN_LABELS]
        ]
        if rows:
            parts.append(
                f"Labels most often at stake, {plain(system['title'])} · "
                f"{plain(system['encoder'])}:"
            )
            parts.append(table(["label", "times", "% of its words"], rows, texts=1))
    return parts


_DEPARTURE_HEADINGS = (
    "never left, %",
    "by the canonical derivation",
    "by another one",
    "arcs built after leaving",
    "of them wrong, %",
    "wrong arcs in such a sentence",
)


def _departure_cells(found: Mapping[str, Any]) -> list[str]:
    sentences, departed = found["sentences"], found["departed"]
    after = found["arcs_after"]
    return [
        f"{100 * (1 - departed / sentences):.2f}",
        f"{100 * found['canonical'] / sentences:.2f}",
        f"{100 * found['other_derivation'] / sentences:.2f}",
        f"{after:,}",
        f"{100 * found['wrong_after'] / after:.2f}" if after else "–",
        f"{found['wrong_after'] / departed:.2f}" if departed else "–",
    ]


def _names(system: System) -> list[str]:
    return [plain(system["title"]), plain(system["encoder"])]


def _number(found: Mapping[str, Any]) -> str:
    mean = f"{100 * found['mean']:.2f}"
    return mean if len(found["values"]) == 1 else f"{mean} ± {100 * found['spread']:.2f}"


def _picture(name: str, pictures: Sequence[str], told: str) -> list[str]:
    return [f"![{told}]({name})"] if name in pictures else []


_DEVICES = {"cpu": "CPU", "cuda": "GPU"}
