"""The report of a study: Markdown, a LaTeX table, JSON and pictures, from its finished runs.

The program writes facts: numbers, what they are of, and how they were counted. What they mean
is for people to say.
"""

from __future__ import annotations

import json
from pathlib import Path

from arctree.errors import CallError
from arctree.files import open_output
from arctree.study.configuring import Study
from arctree.study.gathering import gather
from arctree.study.judging import Json
from arctree.study.markdown import as_markdown
from arctree.study.pictures import PICTURES, draw_pictures
from arctree.study.table import as_latex

FOLDER = "report"
PAGE, TABLE, DATA = "README.md", "table.tex", "report.json"


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
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CallError(f"{place}: cannot be written: {error.strerror}") from error
    for name in PICTURES:
        if name not in pictures:  # what an earlier report had drawn is not of this one
            (place / name).unlink(missing_ok=True)
    for name, text in texts.items():
        with open_output(str(place / name)) as stream:
            stream.write(text.encode("utf-8"))
    return report
