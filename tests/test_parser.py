from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from threading import Event

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from arctree.dependency import check_heads
from arctree.errors import CallError, DataError
from arctree.network import model as model_module
from arctree.network.model import Model
from arctree.parser import Parser
from arctree.parsing.confidence import Confidence
from tiny import OUTCOMES, SETTINGS, tiny_network

words_drawn = st.lists(st.sampled_from(["the", "dog", "sees", "語", "."]), min_size=1, max_size=9)


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser(Model(tiny_network(), OUTCOMES, SETTINGS))


@given(st.lists(words_drawn, max_size=12), st.integers(1, 20))
def test_every_sentence_has_its_tree_in_the_order_in_which_they_came(
    parser: Parser, sentences: list[list[str]], window: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(model_module._WINDOW, "cpu", window)
        parsed = list(parser.parse(sentences))
    assert [found.sentence.forms for found in parsed] == [tuple(words) for words in sentences]
    for found, words in zip(parsed, sentences, strict=True):
        check_heads(found.tree.heads)
        assert len(found.confidences) == len(words)
        assert len(found.transitions) == len(found.probabilities) == 2 * len(words)


def test_a_stream_is_parsed_as_it_comes(parser: Parser) -> None:
    def endless() -> Iterator[list[str]]:
        while True:
            yield ["the", "dog"]

    assert len(list(islice(parser.parse(endless()), 3))) == 3


def test_confidences_go_through_the_curve_of_the_model(parser: Parser) -> None:
    (straight,) = parser.parse([["the", "dog", "sees"]])
    curve = Confidence(0.5, 1.0)
    (bent,) = Parser(Model(tiny_network(), OUTCOMES, SETTINGS, curve)).parse(
        [["the", "dog", "sees"]]
    )
    assert bent.tree == straight.tree
    np.testing.assert_allclose(bent.confidences, curve.of(np.array(straight.confidences)))


@pytest.mark.parametrize("bad", ["the dog", [1, 2], [b"dog"], [None]])
def test_what_is_no_list_of_words_is_told(parser: Parser, bad: list[str]) -> None:
    with pytest.raises(CallError, match="give"):
        list(parser.parse([bad]))


def test_a_sentence_without_words_is_told(parser: Parser) -> None:
    with pytest.raises(DataError, match="a sentence without words"):
        list(parser.parse([["the"], []]))


@pytest.mark.parametrize("threads", [0, -1])
def test_no_threads_at_all_are_told(threads: int, tmp_path: Path) -> None:
    with pytest.raises(CallError, match="give one or more"):
        Parser.load(tmp_path, threads=threads)


def test_parsers_in_several_threads_leave_no_bound_behind(tmp_path: Path) -> None:
    """The second begins within the first, and ends after it."""
    Model(tiny_network(), OUTCOMES, SETTINGS).save(tmp_path)
    parsers = [Parser.load(tmp_path, threads=1) for _ in range(2)]
    steps = [Event() for _ in range(4)]
    own, seen = torch.get_num_threads(), []

    def parse(parser: Parser, begun: Event, awaited: Event, ended: Event) -> None:
        def wait(*_: object) -> None:
            seen.append(torch.get_num_threads())
            begun.set()
            assert awaited.wait(60)

        assert isinstance(parser.model, Model)
        with parser.model.network.encoder.register_forward_hook(wait):
            list(parser.parse([["the", "dog"]]))
        seen.append(torch.get_num_threads())
        ended.set()

    try:
        torch.set_num_threads(3)
        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(parse, parsers[0], steps[0], steps[1], steps[2])
            assert steps[0].wait(60)
            second = pool.submit(parse, parsers[1], steps[1], steps[2], steps[3])
            first.result()
            second.result()
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(torch.get_num_threads).result() == 3
        assert seen == [1, 1, 3, 3]
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(own)


def test_threads_are_bounded_while_it_parses_and_for_nothing_else(tmp_path: Path) -> None:
    Model(tiny_network(), OUTCOMES, SETTINGS).save(tmp_path)
    own = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        bounded, free = Parser.load(tmp_path, threads=1), Parser.load(tmp_path)
        for parser, expected in ((bounded, 1), (free, 3), (bounded, 1)):
            assert isinstance(parser.model, Model)
            seen: list[int] = []
            with parser.model.network.encoder.register_forward_hook(
                lambda *_, seen=seen: seen.append(torch.get_num_threads())
            ):
                list(parser.parse([["the", "dog", "sees"]]))
                parser.model.score([["the", "dog"]], [[0, 0, 1, 2]])
            assert seen == [expected] * 2
            assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(own)
