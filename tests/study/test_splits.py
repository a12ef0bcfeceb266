"""Files that are in two splits are told of, whatever they are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from arctree.study.configuring import load_study
from arctree.study.splits import ALL_SPLITS, files_in_two, files_of
from studied import write_study


@pytest.mark.parametrize(
    ("train", "dev", "test", "told"),
    [
        ("a", "b", "c", []),
        ("ab", "cd", "ef", []),
        ("a", "a", "b", ["a of train is in dev, too: what is told of dev is of sentences"]),
        ("abc", "d", "cb", ["b, c of train is in test, too: what is told of test is"]),
        ("a", "bc", "c", ["c of dev is in test, too: what is told of test is of sentences that"]),
        ("a", "a", "a", ["a of train is in dev", "a of train is in test", "a of dev is in test"]),
    ],
)
def test_splits_that_share_files_are_told(train: str, dev: str, test: str, told: list[str]) -> None:
    named = zip(ALL_SPLITS, (train, dev, test), strict=True)
    files = {
        split: [{"name": letter, "sha256": f"hash of {letter}"} for letter in letters]
        for split, letters in named
    }
    found = files_in_two(files)
    assert len(found) == len(told)
    assert all(line.startswith(start) for line, start in zip(found, told, strict=True))


def test_it_is_the_content_that_counts(tmp_path: Path) -> None:
    study = load_study(str(write_study(tmp_path, train=20, dev=5)))
    files = {split: files_of(study, split) for split in ALL_SPLITS}
    assert files_in_two(files) == []
    (tmp_path / "copy.conllu").write_bytes((tmp_path / "train.conllu").read_bytes())
    text = Path(study.file).read_text("utf-8")
    (tmp_path / "other.toml").write_text(text.replace("/test.conllu", "/copy.conllu"), "utf-8")
    study = load_study(str(tmp_path / "other.toml"))
    files = {split: files_of(study, split) for split in ALL_SPLITS}
    assert files_in_two(files) == [
        "train.conllu of train is in test, too: what is told of test is of sentences that were "
        "learnt"
    ]
