"""Files by name: ``-`` is standard input or output, .gz .bz2 .xz .zst are compressed.

Output to a file appears under its name only when it is complete: a run that is killed
leaves the earlier file as it was.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import shutil
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import IO, Any, Literal

from arctree.errors import CallError, DataError, MissingExtraError

STANDARD = "-"


def display_name(path: str) -> str:
    """What messages call the file."""
    return "<stdin>" if path == STANDARD else path


def read_chunks(path: str, size: int = 1 << 16) -> Iterator[bytes]:
    """The file's content in pieces, decompressed; a damaged archive is a :class:`DataError`."""
    if path == STANDARD:
        if sys.stdin is None:
            raise CallError("standard input is closed")
        yield from _pieces(sys.stdin.buffer, size)
        return
    suffix = Path(path).suffix
    try:
        with _open(path, "rb", suffix) as stream:
            yield from _zstd_pieces(stream, size) if suffix == ".zst" else _pieces(stream, size)
    except _damage() as error:
        if suffix in _COMPRESSED and not (isinstance(error, OSError) and error.errno):
            raise DataError(
                f"cannot be decompressed: {error}",
                "the file is damaged or cut short; fetch it again",
                file=path,
            ) from error
        reason = error.strerror if isinstance(error, OSError) else None
        raise CallError(f"{path}: cannot be read: {reason or error}") from error


def not_utf_8(byte: int, place: int) -> DataError:
    """The error of a byte that is not UTF-8, told by its place in the line."""
    return DataError(
        f"byte {place} of the line, {byte:#04x}, is not UTF-8",
        "convert the file to UTF-8, for example with iconv",
    )


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
        if sys.stdout is None:
            raise CallError("standard output is closed")
        with cannot_write("standard output"):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    target = Path(os.path.realpath(path))  # behind a link, the file that it names
    with cannot_write(path):
        if target.exists() and not target.is_file():
            with _open(str(target), "wb", target.suffix) as stream:  # a device or a named pipe
                yield stream
            return
        partial = target.with_name(f".arctree-{os.getpid()}-{next(_numbers)}.partial")
        try:
            with _open(str(partial), "wb", target.suffix) as stream:
                yield stream
            if target.exists():
                shutil.copymode(target, partial)
            os.replace(partial, target)
        finally:
            with suppress(OSError):
                partial.unlink()


@contextmanager
def cannot_write(name: str) -> Iterator[None]:
    """Tell of a full disk or a missing folder by the name of the output."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CallError(f"{name}: cannot be written: {error.strerror or error}") from error


_numbers = count()
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


@contextmanager
def _open(path: str, mode: Literal["rb", "wb"], suffix: str) -> Iterator[IO[bytes]]:
    with ExitStack() as stack:
        stream: IO[bytes] = stack.enter_context(open(path, mode))
        enter: Callable[[Any], IO[bytes]] = stack.enter_context
        match suffix:
            case ".gz":
                # Without a name and a time inside, the same content gives the same file.
                yield enter(gzip.GzipFile("", mode, fileobj=stream, mtime=0))
            case ".bz2":
                yield enter(bz2.BZ2File(stream, mode))
            case ".xz":
                yield enter(lzma.LZMAFile(stream, mode))  # noqa: SIM115
            case ".zst" if mode == "wb":
                compressor = _zstandard().ZstdCompressor()
                yield enter(compressor.stream_writer(stream, closefd=False))
            case _:
                yield stream


def _pieces(stream: IO[bytes], size: int) -> Iterator[bytes]:
    # read1 hands over what a pipe holds without waiting for a whole piece.
    read = getattr(stream, "read1", stream.read)
    while piece := read(size):
        yield piece


def _zstd_pieces(stream: IO[bytes], size: int) -> Iterator[bytes]:
    """Frame by frame: the library's own reader takes a frame that is cut short for complete."""
    decompressor = _zstandard().ZstdDecompressor()
    frame = None
    while compressed := stream.read(size // 16):  # it may be many times as long when it comes out
        while compressed:
            frame = frame or decompressor.decompressobj()
            piece = frame.decompress(compressed)
            compressed = frame.unused_data if frame.eof else b""
            if frame.eof:
                frame = None
            if piece:
                yield piece
    if frame is not None:
        raise EOFError("the last frame is not complete")


def _zstandard() -> Any:
    try:
        import zstandard
    except ImportError as error:
        raise MissingExtraError("reading and writing .zst needs zstandard", "zst") from error
    return zstandard


def _damage() -> tuple[type[Exception], ...]:
    """What reading raises on a damaged or unreadable file."""
    known: tuple[type[Exception], ...] = (EOFError, OSError, lzma.LZMAError, zlib.error)
    module = sys.modules.get("zstandard")
    return known if module is None else (*known, module.ZstdError)
