"""The results of finished models as one table: mean and spread over seeds.

    python recipes/report.py MODEL_DIR [MODEL_DIR ...]

Directories are runs of the same recipe when their names differ in a final number only:
``minilm-mapped-1``, ``minilm-mapped-2``. Scores are read from what training wrote into
``config.json``; nothing is computed anew.
"""

from __future__ import annotations

import argparse
import re
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arctree.errors import DataError
from arctree.parsing.model_files import CONFIG, read_json
from arctree.scores import HEADLINE


def main() -> None:
    options = argparse.ArgumentParser(description="Finished models as a table.")
    options.add_argument("models", type=Path, nargs="+")
    print(table(options.parse_args().models))


def table(folders: Sequence[Path]) -> str:
    """Markdown: a row a recipe, dev and test, UAS / LAS over full labels."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for folder in folders:
        record = read_json(folder / CONFIG).get("record", {})
        if not record.get("finished"):
            raise DataError("not finished", "let its training end", file=str(folder))
        groups.setdefault(re.sub(r"-\d+$", "", folder.name), []).append(record)
    lines = ["| runs | seeds | dev UAS / LAS | test UAS / LAS | calibration error, dev | seconds |"]
    lines.append("|---|---|---|---|---|---|")
    for name, records in groups.items():
        seeds = sorted(record["configuration"]["training"]["seed"] for record in records)
        cells = [name, ", ".join(map(str, seeds))]
        for split in ("dev", "test"):
            scores = [record["scores"][split] for record in records if split in record["scores"]]
            cells.append(
                f"{spread([s['UAS'] for s in scores])} / {spread([s[HEADLINE] for s in scores])}"
                if scores
                else ""
            )
        cells.append(spread([record["calibration"]["dev"]["error"] for record in records]))
        cells.append(f"{statistics.mean(record['seconds'] for record in records):.0f}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def spread(values: Sequence[float]) -> str:
    """The mean in percent, and half the distance between the largest and the smallest."""
    mean = f"{100 * statistics.mean(values):.2f}"
    half = 50 * (max(values) - min(values))
    return f"{mean} ± {half:.2f}" if len(values) > 1 else mean


if __name__ == "__main__":
    main()
