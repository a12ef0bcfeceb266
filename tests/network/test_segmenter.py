from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from arctree.network.segmenter import SegmenterNetwork
from arctree.network.segmenter_graph import to_onnx
from arctree.parsing.characters import Alphabet, Reading
from arctree.parsing.settings import SegmenterSettings
from arctree.segmenter import _session
from arctree.training.segmenting import answer_of

ALPHABET = Alphabet("abcdefgh .,'", ("a", "bad", "cab", "."))
SETTINGS = SegmenterSettings(width=12, word_width=5, unit_width=10, layers=3)
TEXT = "A bad cab, a face.\nFeed a cab! 12 😀 z"


@pytest.fixture
def network() -> SegmenterNetwork:
    torch.manual_seed(1)
    return SegmenterNetwork(SETTINGS, ALPHABET).eval()


def test_the_graph_answers_as_the_network(network: SegmenterNetwork, tmp_path: Path) -> None:
    path = tmp_path / "graph.onnx"
    path.write_bytes(to_onnx(network))
    session = _session(path, 1)
    for text in (TEXT, "x", TEXT * 20):
        reading = ALPHABET.read(text, network.padding)
        for was, now in zip(answer_of(network)(reading), session(reading), strict=True):
            np.testing.assert_allclose(was, now, atol=1e-4)


def test_nothing_is_seen_across_a_paragraph_break(network: SegmenterNetwork) -> None:
    def answers(text: str) -> tuple[np.ndarray, np.ndarray, Reading]:
        reading = ALPHABET.read(text, network.padding)
        return (*answer_of(network)(reading), reading)

    alone, units, reading = answers(TEXT)
    real, real_units = reading.places >= 0, reading.words > 0
    before = "Bad bad!\n\n"
    both, both_units, other = answers(before + TEXT + "\n\nHead ache, a bad.")
    inside = (other.places >= len(before)) & (other.places < len(before) + len(TEXT))
    np.testing.assert_allclose(alone[real], both[inside], atol=1e-5)
    first = int(((other.places >= 0) & (other.places < len(before)))[other.first].sum())
    kept = np.flatnonzero(other.words > 0)[first : first + int(real_units.sum())]
    np.testing.assert_allclose(units[real_units], both_units[kept], atol=1e-5)


def test_what_is_hidden_in_training_is_not_hidden_later(network: SegmenterNetwork) -> None:
    reading = ALPHABET.read(TEXT, network.padding)
    first, second = answer_of(network)(reading)[1], answer_of(network)(reading)[1]
    np.testing.assert_array_equal(first, second)
    network.train()
    arrays = (reading.symbols, reading.first, reading.last, reading.words)
    scored = network(*map(torch.from_numpy, arrays))
    assert not np.allclose(scored.units.detach().numpy(), first)
