"""How fast the systems parse, measured apart from training and all together.

The systems are loaded side by side and given the same sentences, words only. After a round
that warms them up they take turns, so that a busy machine slows them all alike; what counts is
the median of the rounds, and of that the ratio between systems. On the CPU everything runs on
one thread and its seconds are counted, on a GPU those of the clock.

The file says which models were measured, by what they made of dev. So it may be brought to
results whose models are elsewhere, and the report tells speeds of other models apart.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

from arctree.errors import CallError, DataError
from arctree.json_form import has_heading, heading
from arctree.parser import missing_torch
from arctree.parsing.model_files import read_json
from arctree.sentence import Sentence
from arctree.study.configuring import Entry, Study
from arctree.study.identity import check_run
from arctree.study.provenance import hardware, versions
from arctree.study.running import Say, system_for
from arctree.study.runs import Run, model_folder, runs_of, write_json
from arctree.study.splits import read_split, words_only
from arctree.study.system import Parse

Device = Literal["cpu", "cuda"]
DEVICES: tuple[Device, ...] = ("cpu", "cuda")
ROUNDS = 5


def measure_speed(
    study: Study, folder: Path, device: Device, say: Say, names: Sequence[str] = ()
) -> None:
    """Measure all systems whose models are here, and keep that in ``speed-DEVICE.json``."""
    entries = [study.entry(name) for name in names] or list(study.entries)
    made_with = versions()
    _check_none_is_lost(folder, device, [entry.name for entry in entries])
    text = sentences_to_time(study)
    words = sum(map(len, text))
    with ExitStack() as stack:
        if device == "cpu":
            stack.enter_context(_one_thread())
        ready = _loaded(study, folder, entries, device, say)
        if not ready:
            raise CallError(f"{folder} holds no models of finished runs to measure")
        seconds: dict[str, list[float]] = {name: [] for name in ready}
        for number in range(ROUNDS + 1):
            for name, (parse, _) in ready.items():
                took = _seconds(parse, text, device)
                if number:
                    seconds[name].append(round(took, 6))
            say(f"round {number} of {ROUNDS}" if number else "warmed up")
    measured = {
        **heading("study-speed"),
        "device": device,
        "hardware": hardware(device),
        "versions": made_with,
        "sentences": len(text),
        "words": words,
        "systems": {
            name: {
                "seed": run.seed,
                "answers": run.answers,
                "seconds": seconds[name],
            }
            for name, (_, run) in ready.items()
        },
    }
    write_json(speed_file(folder, device), measured)


def _check_none_is_lost(folder: Path, device: Device, names: Sequence[str]) -> None:
    """Systems are compared that were measured together, so no part of a file is ever kept."""
    measured = read_speed(folder, device) or {"systems": {}}
    if lost := sorted(set(measured["systems"]) - set(names)):
        raise CallError(
            f"{speed_file(folder, device)} has the speed of {lost[0]}, too: measure all systems "
            "at once, or remove the file"
        )


def read_speed(folder: Path, device: Device) -> dict[str, Any] | None:
    """What was measured, if it was."""
    path = speed_file(folder, device)
    if not path.is_file():
        return None
    again = f"remove it, and measure again with --speed {device}"
    try:
        measured = read_json(path)
    except DataError as error:
        raise DataError(error.fault, again, file=str(path)) from error
    if not has_heading(measured, "study-speed") or not _is_whole(measured):
        raise DataError("not what this arctree writes of speed", again, file=str(path))
    return measured


def _is_whole(measured: dict[str, Any]) -> bool:
    """Whether all is told of the systems that were measured together, and of each of them."""
    systems = measured.get("systems")
    return (
        measured.keys() >= _TOLD
        and isinstance(systems, dict)
        and all(isinstance(one, dict) and one.keys() >= _OF_EACH for one in systems.values())
    )


_TOLD = {"device", "hardware", "versions", "sentences", "words", "systems"}
_OF_EACH = {"seed", "answers", "seconds"}


def speed_file(folder: Path, device: Device) -> Path:
    """Where it is kept."""
    return folder / f"speed-{device}.json"


def sentences_to_time(study: Study) -> list[Sentence]:
    """The first sentences of dev, with so many words as the study asks for, or all."""
    chosen: list[Sentence] = []
    words = 0
    for sentence in read_split(study, "dev"):
        if words >= study.settings.speed_words:
            break
        chosen.append(words_only(sentence))
        words += len(sentence)
    return chosen


def _loaded(
    study: Study, folder: Path, entries: Sequence[Entry], device: Device, say: Say
) -> dict[str, tuple[Parse, Run]]:
    """The first seed of each system that is finished and has its model here, ready to parse."""
    ready = {}
    for entry in entries:
        for run in runs_of(study, folder, [entry.name]):
            place = model_folder(study, run)
            if run.is_finished and place.is_dir():
                check_run(study, run)
                ready[entry.name] = _load(study, run, place, device), run
                say(f"{entry.name} loaded, seed {run.seed}")
                break
        else:
            say(f"{entry.name} left out: no finished run with its model here")
    return ready


def _load(study: Study, run: Run, place: Path, device: Device) -> Parse:
    system = system_for(study, run, device)
    try:
        system.trained(place)  # or an error that tells what it lacks
        return system.load(place)
    except DataError as error:
        raise error.at(file=str(place)) from error


def _seconds(parse: Parse, text: Sequence[Sentence], device: Device) -> float:
    # A GPU's answers are there when they have come back, so nothing needs to be waited for.
    clock = time.process_time if device == "cpu" else time.perf_counter
    start = clock()
    parse(text)
    return clock() - start


def _one_thread() -> Any:
    """Let torch and the numerical libraries run on one thread, until the block ends."""
    try:
        import torch
    except ImportError as error:
        raise missing_torch(error) from error
    from threadpoolctl import threadpool_limits

    stack = ExitStack()
    stack.callback(torch.set_num_threads, torch.get_num_threads())
    torch.set_num_threads(1)
    stack.enter_context(threadpool_limits(1))
    return stack
