from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from arctree.errors import CallError, DataError
from arctree.training.vectors import read_vectors

WORDS = ["the", ",", "of"]
MATRIX = np.array([[0.5, -1, 0.002], [1, 2, 3], [4, 5, 6]], dtype=np.float32)


def assert_read(found: tuple[list[str], NDArray[np.float32]], rows: list[int]) -> None:
    words, matrix = found
    assert words == [WORDS[row] for row in rows]
    assert matrix.dtype == np.float32
    assert matrix.shape == (len(rows), 3)
    assert (matrix == MATRIX[rows]).all()


@pytest.fixture
def saved(tmp_path: Path) -> Callable[..., str]:
    def save(matrix: NDArray[np.generic], listing: str = ".txt", words: object = WORDS) -> str:
        path = tmp_path / "vectors.npy"
        np.save(path, matrix)
        if isinstance(words, list) and listing == ".txt":
            path.with_suffix(".txt").write_text("".join(f"{word}\n" for word in words), "utf-8")
        else:
            path.with_suffix(listing).write_text(json.dumps(words), "utf-8")
        return str(path)

    return save


@pytest.mark.parametrize("listing", [".txt", ".json"])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_matrix_with_a_list_of_words_beside_it_is_read(
    saved: Callable[..., str], listing: str, kind: type
) -> None:
    path = saved(MATRIX.astype(kind), listing)
    assert_read(read_vectors(path), [0, 1, 2])
    assert_read(read_vectors(path, limit=2), [0, 1])
    assert_read(read_vectors(path, limit=0), [])


def test_the_first_row_of_a_word_counts(saved: Callable[..., str]) -> None:
    path = saved(np.concatenate([MATRIX, MATRIX[1:2]]), ".json", [*WORDS, "the"])
    assert_read(read_vectors(path), [0, 1, 2])


@pytest.mark.parametrize(
    ("matrix", "words", "fault"),
    [
        (MATRIX, WORDS[:2], "3 rows"),
        (MATRIX, {"the": 1}, "no list"),
        (MATRIX, ["the", ",", 3], "no list"),
        (MATRIX[0], WORDS, "shape"),
        (MATRIX.astype(int), WORDS, "type"),
        (MATRIX.astype(object), WORDS, "no matrix"),
        (MATRIX * np.array([1, np.inf, 1], dtype=np.float32), WORDS, "row 1"),
        (MATRIX.astype(float) * 1e39, WORDS, "row 1"),
    ],
)
def test_a_matrix_that_does_not_fit_is_refused(
    saved: Callable[..., str], matrix: NDArray[np.generic], words: object, fault: str
) -> None:
    path = saved(matrix, ".json", words)
    with pytest.raises(DataError, match=fault) as caught:
        read_vectors(path)
    assert Path(caught.value.file or "").stem == "vectors"


def test_a_matrix_without_words_or_with_broken_ones_is_refused(
    saved: Callable[..., str],
) -> None:
    path = saved(MATRIX, ".json")
    Path(path).with_suffix(".json").write_bytes(b"[" * 100_000)
    with pytest.raises(DataError, match="no JSON"):
        read_vectors(path)
    Path(path).with_suffix(".json").unlink()
    with pytest.raises(CallError, match=r"vectors\.txt"):
        read_vectors(path)
    Path(path).with_suffix(".txt").write_bytes(b"the\n\xff\nof\n")
    with pytest.raises(DataError, match=r"vectors\.txt:2: .*UTF-8"):
        read_vectors(path)


@pytest.mark.parametrize("content", [b"", b"no matrix", b"\x93NUMPY\x01\x00"])
def test_what_only_bears_the_name_of_a_matrix_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "vectors.npy"
    path.write_bytes(content)
    with pytest.raises(DataError, match="no matrix"):
        read_vectors(str(path))
