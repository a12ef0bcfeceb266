"""Files by name: ``-`` is standard input or output, .gz .bz2 .xz .zst are compressed.

Output to a file appears under its name only when it is complete: a run that is killed
leaves the earlier file as it was.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from arctree.errors import CallError, DataError, MissingExtraError

STANDARD = "-"


def display_name(path: str) -> str:
    """What messages call the file."""
    return "<stdin>" if path == STANDARD else path


@contextmanager
def open_input(path: str) -> Iterator[IO[bytes]]:
    """A binary stream of the file's content, decompressed by its extension."""
    if path == STANDARD:
        yield sys.stdin.buffer
        return
    try:
        stream = _open(path, "rb")
    except OSError as error:
        raise CallError(f"{path}: cannot be read: {error.strerror or error}") from error
    with stream:
        yield stream


def read_chunks(path: str, size: int = 1 << 20) -> Iterator[bytes]:
    """The file's content in pieces; a damaged archive is a :class:`DataError`."""
    with open_input(path) as stream:
        # read1 hands over what a pipe holds without waiting for a whole piece.
        read = getattr(stream, "read1", stream.read)
        while True:
            try:
                chunk = read(size)
            except _damage() as error:
                if isinstance(error, IsADirectoryError):
                    raise CallError(f"{path}: is a folder, not a file") from error
                raise DataError(
                    f"cannot be decompressed: {error}",
                    "the file is damaged or cut short; fetch it again",
                    file=display_name(path),
                ) from error
            if not chunk:
                return
            yield chunk


def read_lines(path: str) -> Iterator[bytes]:
    """The lines of a file with their line feeds; no more than one line is held."""
    pieces: list[bytes] = []
    for chunk in read_chunks(path):
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            yield b"".join([*pieces, line, b"\n"])
            pieces = []
        pieces.append(rest)
    if any(pieces):
        yield b"".join(pieces)


@contextmanager
def open_output(path: str) -> Iterator[IO[bytes]]:
    """A binary stream that becomes the file when the block ends well."""
    if path == STANDARD:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(path)
    if target.exists() and not target.is_file():
        with _open_for_writing(path, path) as stream:  # a device or a named pipe
            yield stream
        return
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        with _open_for_writing(str(partial), path) as stream:
            yield stream
        os.replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def _open_for_writing(path: str, name: str) -> Iterator[IO[bytes]]:
    try:
        stream = _open(path, "wb", Path(name).suffix)
    except OSError as error:
        raise CallError(f"{name}: cannot be written: {error.strerror or error}") from error
    with stream:
        yield stream


def _open(path: str, mode: str, suffix: str | None = None) -> IO[bytes]:
    match Path(path).suffix if suffix is None else suffix:
        case ".gz":
            return cast(IO[bytes], gzip.open(path, mode))
        case ".bz2":
            return cast(IO[bytes], bz2.open(path, mode))
        case ".xz":
            return cast(IO[bytes], lzma.open(path, mode))
        case ".zst":
            return cast(IO[bytes], _zstandard().open(path, mode))
        case _:
            return cast(IO[bytes], open(path, mode))


def _zstandard() -> Any:
    try:
        import zstandard
    except ImportError as error:
        raise MissingExtraError("reading and writing .zst needs zstandard", "zst") from error
    return zstandard


def _damage() -> tuple[type[Exception], ...]:
    """What the decompressors raise on a damaged file."""
    known: tuple[type[Exception], ...] = (EOFError, OSError, lzma.LZMAError, zlib.error)
    module = sys.modules.get("zstandard")
    return known if module is None else (*known, module.ZstdError)
