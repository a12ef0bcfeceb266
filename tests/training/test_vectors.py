from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from arctree.errors import CallError, DataError
from arctree.training.vectors import read_vectors

GLOVE = b"the 0.5 -1 2e-3\n, 1 2 3\nof 4 5 6\n"
WORDS = ["the", ",", "of"]
MATRIX = np.array([[0.5, -1, 0.002], [1, 2, 3], [4, 5, 6]], dtype=np.float32)


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., str]:
    def write(content: bytes, name: str = "vectors.txt") -> str:
        path = tmp_path / name
        path.write_bytes(content)
        return str(path)

    return write


def assert_read(found: tuple[list[str], NDArray[np.float32]], rows: list[int]) -> None:
    words, matrix = found
    assert words == [WORDS[row] for row in rows]
    assert matrix.dtype == np.float32
    assert matrix.shape == (len(rows), 3)
    assert (matrix == MATRIX[rows]).all()


@pytest.mark.parametrize("content", [GLOVE, b"3 3\n" + GLOVE, GLOVE.removesuffix(b"\n")])
def test_text_with_and_without_a_first_line_of_counts_is_read(
    written: Callable[..., str], content: bytes
) -> None:
    assert_read(read_vectors(written(content)), [0, 1, 2])


def test_fasttext_s_space_and_windows_line_ends_are_no_fields(
    written: Callable[..., str],
) -> None:
    assert_read(read_vectors(written(b"3 3 \r\n" + GLOVE.replace(b"\n", b" \r\n"))), [0, 1, 2])


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
        (".zst", zstandard.ZstdCompressor().compress),
    ],
)
def test_compressed_text_is_read(
    written: Callable[..., str], suffix: str, compress: Callable[[bytes], bytes]
) -> None:
    assert_read(read_vectors(written(compress(GLOVE), "vectors.txt" + suffix)), [0, 1, 2])


def test_a_word_may_contain_spaces(written: Callable[..., str]) -> None:
    content = GLOVE + b". . . 7 8 9\nat name@domain.com 1 1 1\n"
    words, matrix = read_vectors(written(content))
    assert words == [*WORDS, ". . .", "at name@domain.com"]
    assert matrix[3:].tolist() == [[7, 8, 9], [1, 1, 1]]


def test_no_more_than_the_first_words_are_looked_at(written: Callable[..., str]) -> None:
    path = written(b"3 3\n" + GLOVE + b"a line that nobody looks at")
    assert_read(read_vectors(path, limit=2), [0, 1])
    assert_read(read_vectors(path, limit=0), [])


def test_the_first_vector_of_a_word_counts(written: Callable[..., str]) -> None:
    path = written(GLOVE + b"the 9 9 9\n")
    assert_read(read_vectors(path), [0, 1, 2])


def test_words_are_split_at_spaces_alone(written: Callable[..., str]) -> None:
    content = "naïve 1 2\na\u00a0b 3 4\n\u2028 5 6\nc\u0085d 7 8\n".encode()
    words, matrix = read_vectors(written(content))
    assert words == ["naïve", "a\u00a0b", "\u2028", "c\u0085d"]
    assert matrix.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]


FAULTS = [
    (GLOVE + b"short 1 2\n", 4, "fields"),
    (GLOVE + b"\n" + GLOVE, 4, "fields"),
    (GLOVE + b" 1 2 3\n", 4, "fields"),
    (GLOVE + b"bad 1 x 3\n", 4, "no number"),
    (GLOVE + b"bad 1 1_0 3\n", 4, "no number"),
    (GLOVE + "bad 1 ² 3\n".encode(), 4, "no number"),
    (GLOVE + b"gap 1  3\n", 4, "no number"),
    (b"3 3\n" + GLOVE.replace(b"-1", b"nan"), 2, "not finite"),
    (GLOVE + b"bad 1 -inf 3\n", 4, "not finite"),
    (GLOVE + b"bad 1 1e39 3\n", 4, "not finite"),
    (GLOVE + b"\xff 1 2 3\n", 4, "UTF-8"),
    (b"", 1, "no word"),
    (b"\n", 1, "no word"),
    (b"word\n", 1, "no word"),
    (b"3 0\n", 1, "no word"),
]


@pytest.mark.parametrize(("content", "line", "fault"), FAULTS)
def test_a_fault_is_told_by_file_and_line(
    written: Callable[..., str], content: bytes, line: int, fault: str
) -> None:
    path = written(content)
    with pytest.raises(DataError, match=fault) as caught:
        read_vectors(path)
    assert (caught.value.file, caught.value.line) == (path, line)


def test_a_fault_is_told_by_its_line_among_thousands(written: Callable[..., str]) -> None:
    lines = [f"word{number} {number} 0" for number in range(1, 10001)]
    lines[8999] = "word 0 zero"
    with pytest.raises(DataError, match=":9000: has a field"):
        read_vectors(written("\n".join(lines).encode()))


@pytest.mark.parametrize("count", [b"2", b"4"])
def test_a_file_with_more_or_fewer_words_than_it_says_is_refused(
    written: Callable[..., str], count: bytes
) -> None:
    with pytest.raises(DataError, match="has 3 words"):
        read_vectors(written(count + b" 3\n" + GLOVE))


names = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="\n\r "), min_size=1
)


@given(st.data())
def test_text_gives_back_the_vectors_that_were_written(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    words = data.draw(st.lists(names, min_size=1, max_size=6, unique=True))
    matrix = data.draw(
        arrays(np.float32, (len(words), 4), elements=st.floats(-(2.0**99), 2.0**99, width=32))
    )
    lines = [
        " ".join([word, *map(repr, row)])
        for word, row in zip(words, matrix.astype(float).tolist(), strict=True)
    ]
    path = tmp_path_factory.mktemp("vectors") / "vectors.vec"
    path.write_bytes(f"{len(words)} 4\n{chr(10).join(lines)}\n".encode())
    found_words, found = read_vectors(str(path))
    assert found_words == words
    assert (found == matrix).all()


@pytest.mark.parametrize("name", ["absent.txt", "absent.npy"])
def test_a_missing_file_is_told_by_its_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(CallError, match=f"{name}: cannot be read"):
        read_vectors(str(tmp_path / name))
