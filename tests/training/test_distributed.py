from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from arctree.training.distributed import Processes


@given(st.lists(st.integers(), unique=True), st.integers(1, 9))
def test_the_shares_of_all_processes_are_a_partition_of_the_batch(
    batch: list[int], count: int
) -> None:
    shares = [Processes(rank, count).share(batch) for rank in range(count)]
    assert sorted(number for share in shares for number in share) == sorted(batch)
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_processes_without_a_sentence_of_their_own_come_last() -> None:
    assert [Processes(rank, 4).share([7, 8]) for rank in range(4)] == [[7], [8], [], []]


def test_without_torchrun_there_is_one_process_which_does_everything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("WORLD_SIZE", "RANK", "LOCAL_RANK"):
        monkeypatch.delenv(name, raising=False)
    alone = Processes.join(torch.device("cpu"))
    assert alone == Processes(0, 1, 0)
    assert alone.is_first
    assert not Processes(1, 2).is_first
    assert alone.share([3, 1, 2]) == [3, 1, 2]
    network = torch.nn.Linear(1, 1)
    assert alone.wrap(network) is network
    assert alone.total(0.25) == 0.25
    alone.wait()
    alone.leave()
    assert not torch.distributed.is_initialized()
