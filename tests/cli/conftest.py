"""Files for the commands to run on."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import BAD, TREEBANK


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    path = tmp_path / "treebank.conllu"
    path.write_text(TREEBANK, "utf-8")
    return path


@pytest.fixture
def spoilt(tmp_path: Path) -> Path:
    path = tmp_path / "spoilt.conllu"
    path.write_text(BAD + TREEBANK + BAD, "utf-8")
    return path
