from __future__ import annotations

import json
from pathlib import Path

from command_line import BOOK, Arctree


def test_check_tells_what_is_wrong_and_fails(arctree: Arctree, spoilt: Path) -> None:
    result = arctree("check", spoilt)
    assert result.status == 1
    assert "2 problems" in result.out
    assert "spoilt.conllu:2: sentence bad" in result.out
    form = json.loads(arctree("check", spoilt, spoilt, "--json").out)
    assert [each["sentences"] for each in form["files"]] == [2, 2]
    assert form["files"][1]["compared"] == {"unseen_labels": [], "shared_sentences": 2}


def test_check_is_content_with_a_good_treebank(arctree: Arctree) -> None:
    result = arctree("check", BOOK)
    assert result.status == 0
    assert "0 problems" in result.out
    assert "1 sentence, 5 words" in result.out
