"""What the terminal can show."""

from __future__ import annotations

import shutil

from arctree.files import STANDARD

PLAIN_WIDTH = 120


def terminal_width(output: str) -> int:
    """How many cells wide a picture may be: the terminal's width, or 120 in a file or pipe."""
    if output != STANDARD:
        return PLAIN_WIDTH
    return shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns
