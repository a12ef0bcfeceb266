"""Stanza's files: whole under their names, or an error says why not; or why they cannot be read.

Stanza writes its one checkpoint over the last one: a run that is killed meanwhile would be left
with neither, and could not go on. And where its dependency parser, its tagger and its vectors are
saved, it passes over whatever goes wrong, a full disk or an interruption, and goes on with a
training whose best model is then an older one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from arctree.errors import ArctreeError, CallError, DataError
from arctree.study.stanza.replacing import Replacement

# What helps where a file is damaged or missing: a finished run is not done again by itself.
ANEW = "restore it, or remove the folder and those of the runs that it is a part of"
_PASSING_OVER = (
    ("stanza.models.depparse.trainer", "Trainer"),
    ("stanza.models.pos.trainer", "Trainer"),
    ("stanza.models.common.pretrain", "Pretrain"),
)


def saving_whole_files() -> list[Replacement]:
    """``torch.save`` writes whole files, and Stanza's ``save`` ends with what went wrong in it."""
    torch = import_module("torch")
    save = torch.save
    failed: list[BaseException] = []

    def save_whole(obj: Any, f: Any, *arguments: Any, **options: Any) -> None:
        if not isinstance(f, str | Path):
            save(obj, f, *arguments, **options)
            return
        new = Path(f"{f}.new")
        try:
            save(obj, new, *arguments, **options)
            new.replace(f)
        except BaseException as error:
            told = _told(error, Path(f))
            failed.append(told)
            with suppress(OSError):
                new.unlink()
            if told is error:
                raise
            raise told from error

    def or_error(passing_over: Callable[..., None]) -> Callable[..., None]:
        def save_or_raise(*arguments: Any, **options: Any) -> None:
            failed.clear()
            passing_over(*arguments, **options)
            if failed:
                raise failed.pop()

        return save_or_raise

    owners = [getattr(import_module(module), name) for module, name in _PASSING_OVER]
    return [
        Replacement(torch, "save", save_whole),
        *(Replacement(owner, "save", or_error(vars(owner)["save"])) for owner in owners),
    ]


def _told(error: BaseException, path: Path) -> BaseException:
    """The error, or what it means for whoever started the training."""
    if isinstance(error, OSError):
        return CallError(f"{path}: cannot be written: {error.strerror or error}")
    return error


@contextmanager
def reading_models(folder: Path) -> Iterator[None]:
    """Stanza reads a model or a checkpoint of the folder within.

    If that fails as a file is damaged or missing, that is told.
    """
    try:
        yield
    except ArctreeError:
        raise
    except Exception as error:
        is_missing = isinstance(error, FileNotFoundError)
        fault = f"a file is missing: {error}" if is_missing else _damage(folder)
        if not fault:  # whatever it is, the files are not to blame
            raise
        raise DataError(fault, ANEW, file=str(folder)) from error


def _damage(folder: Path) -> str:
    """Which of the files in the folder cannot be read, and why; nothing if all can."""
    torch = import_module("torch")
    for path in sorted(folder.rglob("*.pt")) + sorted(folder.rglob("*.npz")):
        try:
            if path.suffix == ".pt":
                torch.load(path, map_location="cpu", weights_only=True)
            else:
                with np.load(path, allow_pickle=False) as arrays:
                    list(arrays.values())
        except Exception as error:  # by whatever error, it cannot be read
            reason = f"{type(error).__name__}: {error}".splitlines()[0].removesuffix(": ")
            return f"{path.relative_to(folder)} cannot be read ({reason})"
    return ""
