from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from arctree.errors import DataError
from arctree.training.checkpoint import (
    has_checkpoint,
    load_checkpoint,
    read_progress,
    remove_checkpoints,
    save_checkpoint,
)

PROGRESS: dict[str, Any] = {"step": 12, "epoch": 1, "best": {"las": 0.5}, "log": [{"loss": None}]}


def built(seed: int, width: int = 4) -> tuple[nn.Module, torch.optim.Optimizer]:
    """A network with a frozen part and a buffer, and its optimiser."""
    torch.manual_seed(seed)
    network = nn.Sequential(nn.Linear(3, width), nn.BatchNorm1d(width), nn.Linear(width, 2))
    frozen = nn.Embedding(5, 2, dtype=torch.float16).requires_grad_(False)
    network.add_module("frozen", frozen)
    learnt = [parameter for parameter in network.parameters() if parameter.requires_grad]
    return network, torch.optim.AdamW(learnt, lr=0.1, weight_decay=0.01)


def step(network: nn.Module, optimizer: torch.optim.Optimizer, number: int) -> None:
    torch.manual_seed(number)
    states = torch.randn(6, 3)
    for layer in list(network.children())[:3]:
        states = layer(states)
    torch.autograd.backward(states.square().sum())
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def trained(steps: int) -> tuple[nn.Module, torch.optim.Optimizer]:
    network, optimizer = built(1)
    for number in range(steps):
        step(network, optimizer, number)
    return network, optimizer


def assert_same_state(
    network: nn.Module,
    optimizer: torch.optim.Optimizer,
    other: nn.Module,
    other_optimizer: torch.optim.Optimizer,
) -> None:
    weights, other_weights = network.state_dict(), other.state_dict()
    assert weights.keys() == other_weights.keys()
    for name, tensor in weights.items():
        assert tensor.dtype == other_weights[name].dtype
        assert torch.equal(tensor, other_weights[name]), name
    parameters, others = dict(network.named_parameters()), dict(other.named_parameters())
    for name, parameter in parameters.items():
        state, other_state = optimizer.state[parameter], other_optimizer.state[others[name]]
        assert state.keys() == other_state.keys()
        for kind, value in state.items():
            assert torch.equal(torch.as_tensor(value), torch.as_tensor(other_state[kind]))


@pytest.mark.parametrize("steps", [0, 1, 5])
def test_weights_moments_and_progress_come_back(tmp_path: Path, steps: int) -> None:
    saved = trained(steps)
    save_checkpoint(tmp_path, *saved, PROGRESS)
    loaded = built(2)
    assert read_progress(tmp_path) == PROGRESS
    load_checkpoint(tmp_path, *loaded)
    assert_same_state(*saved, *loaded)


def test_a_run_that_goes_on_from_a_checkpoint_ends_with_the_same_weights_bit_for_bit(
    tmp_path: Path,
) -> None:
    save_checkpoint(tmp_path, *trained(3), PROGRESS)
    network, optimizer = built(2)
    load_checkpoint(tmp_path, network, optimizer)
    for number in range(3, 8):
        step(network, optimizer, number)
    assert_same_state(*trained(8), network, optimizer)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_only_the_newest_checkpoint_stays(tmp_path: Path) -> None:
    assert not has_checkpoint(tmp_path)
    for place, number in enumerate((1, 5, 50, 1000), start=1):
        save_checkpoint(tmp_path, *trained(number % 3), {"step": number})
        assert names(tmp_path) == [f"checkpoint-{place:09d}"]
        assert has_checkpoint(tmp_path)
        assert read_progress(tmp_path) == {"step": number}


def test_a_checkpoint_of_the_same_step_replaces_the_one_before(tmp_path: Path) -> None:
    save_checkpoint(tmp_path, *trained(1), {"step": 7, "epoch": 0})
    saved = trained(2)
    save_checkpoint(tmp_path, *saved, {"step": 7, "epoch": 1})
    loaded = built(2)
    assert read_progress(tmp_path)["epoch"] == 1
    load_checkpoint(tmp_path, *loaded)
    assert_same_state(*saved, *loaded)
    assert names(tmp_path) == ["checkpoint-000000002"]


def test_of_two_checkpoints_the_newer_one_is_loaded(tmp_path: Path) -> None:
    # As a run leaves them that is killed before it has removed the older one.
    save_checkpoint(tmp_path / "other", *trained(1), {"step": 99})
    for number in (99, 100):
        save_checkpoint(tmp_path, *trained(2), {"step": number})
    shutil.move(tmp_path / "other" / "checkpoint-000000001", tmp_path)
    assert read_progress(tmp_path) == {"step": 100}
    save_checkpoint(tmp_path, *trained(2), {"step": 101})
    assert names(tmp_path) == ["checkpoint-000000003", "other"]


def test_what_a_killed_run_left_half_written_is_no_checkpoint_and_goes_away(tmp_path: Path) -> None:
    (tmp_path / ".partial").mkdir()
    (tmp_path / ".partial" / "state.safetensors").write_bytes(b"half")
    assert not has_checkpoint(tmp_path)
    save_checkpoint(tmp_path, *trained(1), PROGRESS)
    assert names(tmp_path) == ["checkpoint-000000001"]
    assert set(names(tmp_path / "checkpoint-000000001")) == {"progress.json", "state.safetensors"}


def test_a_file_of_that_name_is_no_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "checkpoint-000000001").write_bytes(b"")
    assert not has_checkpoint(tmp_path)


def killed_at(call: int, patch: pytest.MonkeyPatch) -> None:
    """Stop for good before the so-and-so-manyth time that a folder is moved or removed."""
    calls = iter(range(1, 100))

    def stopping(function: Callable[..., None]) -> Callable[..., None]:
        def stop(*arguments: Any, **options: Any) -> None:
            if next(calls) >= call:
                raise KeyboardInterrupt
            function(*arguments, **options)

        return stop

    for module, name in ((os, "replace"), (os, "rename"), (shutil, "rmtree")):
        patch.setattr(module, name, stopping(getattr(module, name)))


@pytest.mark.parametrize("number", [8, 7], ids=["a later step", "the same step"])
@pytest.mark.parametrize("call", range(1, 6))
def test_whenever_a_save_is_stopped_there_is_one_whole_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, call: int
) -> None:
    before, after = trained(1), trained(2)
    save_checkpoint(tmp_path, *before, {"step": 7, "epoch": 1})
    with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
        killed_at(call, patch)
        save_checkpoint(tmp_path, *after, {"step": number, "epoch": 2})
    assert has_checkpoint(tmp_path)
    loaded = built(2)
    epoch = read_progress(tmp_path)["epoch"]
    load_checkpoint(tmp_path, *loaded)
    assert_same_state(*(before if epoch == 1 else after), *loaded)


def test_a_progress_that_json_cannot_hold_leaves_the_checkpoint_before(tmp_path: Path) -> None:
    save_checkpoint(tmp_path, *trained(1), {"step": 7})
    with pytest.raises(TypeError):
        save_checkpoint(tmp_path, *trained(2), {"step": 8, "best": object()})
    assert read_progress(tmp_path) == {"step": 7}


def test_checkpoints_can_be_forgotten_and_nothing_else_is(tmp_path: Path) -> None:
    save_checkpoint(tmp_path, *trained(1), PROGRESS)
    (tmp_path / "log.jsonl").write_text("{}\n", "utf-8")
    remove_checkpoints(tmp_path)
    assert names(tmp_path) == ["log.jsonl"]
    remove_checkpoints(tmp_path / "absent")


def without(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def with_content(name: str, content: bytes) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / name).write_bytes(content)

    return write


def cut_short(name: str) -> Callable[[Path], None]:
    def cut(folder: Path) -> None:
        path = folder / name
        path.write_bytes(path.read_bytes()[:-1])

    return cut


def cut_in_the_middle(folder: Path) -> None:
    path = folder / "progress.json"
    path.write_bytes(path.read_bytes()[:20])


def read_all(folder: Path) -> None:
    read_progress(folder)
    load_checkpoint(folder, *built(2))


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(without("state.safetensors"), id="no state"),
        pytest.param(without("progress.json"), id="no progress"),
        pytest.param(cut_short("state.safetensors"), id="state cut short"),
        pytest.param(cut_in_the_middle, id="progress cut short"),
        pytest.param(with_content("state.safetensors", b""), id="empty state"),
        pytest.param(with_content("state.safetensors", b"\x80\x04pickle"), id="a pickle"),
        pytest.param(with_content("progress.json", b""), id="empty progress"),
        pytest.param(with_content("progress.json", b"\xff"), id="no text"),
    ],
)
def test_a_damaged_checkpoint_is_named_with_what_to_do(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    save_checkpoint(tmp_path, *trained(1), PROGRESS)
    folder = tmp_path / "checkpoint-000000001"
    damage(folder)
    with pytest.raises(DataError, match="the checkpoint cannot be read") as caught:
        read_all(tmp_path)
    assert caught.value.file == str(folder)
    assert caught.value.remedy == "remove the folder to start anew"


def test_the_checkpoint_of_another_network_is_refused(tmp_path: Path) -> None:
    save_checkpoint(tmp_path, *trained(1), PROGRESS)
    with pytest.raises(DataError, match="the checkpoint cannot be read"):
        load_checkpoint(tmp_path, *built(2, width=5))


def test_a_checkpoint_is_plain_files(tmp_path: Path) -> None:
    save_checkpoint(tmp_path, *trained(1), PROGRESS)
    folder = tmp_path / "checkpoint-000000001"
    assert json.loads((folder / "progress.json").read_text("utf-8")) == PROGRESS
    header = (folder / "state.safetensors").read_bytes()
    size = int.from_bytes(header[:8], "little")
    assert "weights.0.weight" in json.loads(header[8 : 8 + size])
