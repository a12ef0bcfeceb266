"""The report of a study: Markdown, a LaTeX table, JSON and pictures, from its finished runs.

The program writes facts: numbers, what they are of, and how they were counted. What they mean
is for people to say.
"""

from __future__ import annotations

import json
from pathlib import Path

from arctree.errors import CallError, DataError
from arctree.files import cannot_write, open_output
from arctree.json_form import has_heading
from arctree.parsing.model_files import read_json
from arctree.study.configuring import Study
from arctree.study.gathering import gather
from arctree.study.judging import Json
from arctree.study.markdown import as_markdown
from arctree.study.pictures import PICTURES, draw_pictures
from arctree.study.splits import ALL_SPLITS, hash_of
from arctree.study.table import as_latex

FOLDER = "report"
PAGE, TABLE, DATA = "README.md", "table.tex", "report.json"


def systems_left_out(study: Study, folder: Path) -> list[str]:
    """The systems that the report in a folder tells of, and the study has not.

    A report of other data is that of another study, and not to be written over.
    """
    place = folder / FOLDER / DATA
    if not place.is_file():
        return []
    try:
        before = read_json(place)
        if not has_heading(before, "study"):
            raise DataError("no report of a study")
        data = [[file["sha256"] for file in before["data"][name]["files"]] for name in ALL_SPLITS]
        names = [system["name"] for system in before["systems"]]
    except (DataError, KeyError, TypeError) as error:
        raise DataError("not a report of arctree's", "remove it", file=str(place)) from error
    if data != [[hash_of(path) for path in getattr(study.data, name)] for name in ALL_SPLITS]:
        raise CallError(
            f"{place}: the report of a study of other data; name another folder for this one "
            "with -o, or remove that"
        )
    return [name for name in names if name not in [entry.name for entry in study.entries]]


def write_report(study: Study, folder: Path) -> Json:
    """Write the report of what is finished into ``report``; also what it says."""
    report = gather(study, folder)
    pictures = draw_pictures(report)
    texts = {
        DATA: json.dumps(report, ensure_ascii=False, indent=1) + "\n",
        TABLE: as_latex(report),
        **pictures,
        PAGE: as_markdown(report, list(pictures)),
    }
    place = folder / FOLDER
    with cannot_write(str(place)):
        place.mkdir(parents=True, exist_ok=True)
    for name in PICTURES:
        if name not in pictures:  # what an earlier report had drawn is not of this one
            (place / name).unlink(missing_ok=True)
    for name, text in texts.items():
        with open_output(str(place / name)) as stream:
            stream.write(text.encode("utf-8"))
    return report
