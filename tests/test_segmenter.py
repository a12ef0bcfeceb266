"""The segmenter at run time: any text, any length, exact places."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import tracemalloc
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from arctree import segmenter as segmenting
from arctree.errors import CallError, DataError
from arctree.network.segmenter import SegmenterNetwork
from arctree.parsing.characters import Alphabet
from arctree.parsing.model_files import SEGMENTER, SEGMENTER_GRAPH
from arctree.parsing.multiword import MultiwordTokens
from arctree.parsing.settings import SegmenterSettings
from arctree.segmenter import Knowledge, Segmenter
from arctree.segments import Token, to_sentence, token_ranges
from arctree.training.segmenting import write_segmenter

ANY_TEXT = st.text(
    st.one_of(st.characters(), st.sampled_from(" \n\r\t.,'aAbB\ud800\udc00\x00\u200bאب中😀"))
)
HARD = {
    "nothing": "",
    "white space": " \n\t\u3000 \r\n\r\n",
    "controls": "a\x00b \x07 c\x1b[0m\x7f d",
    "lone surrogates": "a\ud83d b\udc00. \ud800",
    "right to left": "مرحبا بالعالم. שלום עולם! \u202eabc\u202c",
    "emoji": "great😀!👩‍👧‍👦 ok ❤️🇧🇷🇧🇷",
    "combining": "e\u0301\u0301\u0301 cafe\u0301 \u0301",
    "no spaces": "吾輩は猫である。名前はまだ無い。",
    "addresses": "Mail a.b@c.de or see https://x.org/a?b=c#d, now",
    "byte order mark": "\ufeffHello\ufeff",
    "line ends": "a\rb\r\nc\n\rd\u2029e\x85f\x0bg\x0ch",
}


def random_segmenter(folder: Path, *, inner_spaces: bool) -> Segmenter:
    """One that has learnt nothing, and so cuts in all the wrong places."""
    alphabet = Alphabet("abcdeABCDE .,'\u4e2d", ("a", "b", ".", "ab"))
    torch.manual_seed(3)
    settings = SegmenterSettings(width=8, word_width=4, unit_width=8, layers=2)
    network = SegmenterNetwork(settings, alphabet).eval()
    with torch.no_grad():
        network.character_scores.weight.mul_(30)
        network.unit_scores.weight.mul_(30)
    tokens = MultiwordTokens.of([("a'b", ("a", "'b")), ("c'b", ("c", "'b")), ("ab", ("a", "b"))])
    write_segmenter(folder, Knowledge(alphabet, tokens, network.padding, inner_spaces), network)
    return Segmenter.load(folder)


@pytest.fixture(scope="module", params=[False, True], ids=["without", "with_inner_spaces"])
def segmenter(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Segmenter:
    return random_segmenter(tmp_path_factory.mktemp("segmenter"), inner_spaces=request.param)


def check(text: str, sentences: Iterable[Sequence[Token]]) -> None:
    """The tokens are all of the text but white space, and none crosses a paragraph break."""
    place = 0
    for tokens in sentences:
        assert tokens
        for token in tokens:
            assert not text[place : token.start].strip()
            surface = text[token.start : token.end]
            assert surface
            assert surface == surface.strip()
            assert "\n\n" not in surface
            assert len(token.words) != 1
            place = token.end
        sentence = to_sentence(text, tokens, begin=tokens[0].start, end=tokens[-1].end)
        assert all(token_ranges(sentence))
    assert not text[place:].strip()


@given(text=ANY_TEXT)
def test_the_places_of_the_tokens_give_back_any_text(segmenter: Segmenter, text: str) -> None:
    sentences = list(segmenter.segment(text))
    check(text, sentences)
    assert segmenter.segment_line(text) == tuple(token for tokens in sentences for token in tokens)


@pytest.mark.parametrize("text", HARD.values(), ids=HARD)
def test_hard_text_is_segmented(segmenter: Segmenter, text: str) -> None:
    check(text, segmenter.segment(text))


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\u2003\t"])
def test_nothing_comes_of_nothing(segmenter: Segmenter, text: str) -> None:
    assert list(segmenter.segment(text)) == []
    assert segmenter.segment_line(text) == ()


def long_text(size: int, seed: int, between: str = " ") -> str:
    source = Random(seed)
    words = ("a", "b.", "ab", "Cab,", "d'b", "12", "x" * 30, "中文", "  ", "\n", between)
    return " ".join(source.choices(words, k=size))


@pytest.mark.parametrize("between", [" ", "\n\n"])
def test_borders_of_blocks_change_nothing(
    segmenter: Segmenter, monkeypatch: pytest.MonkeyPatch, between: str
) -> None:
    text = long_text(4000, 1, between)
    whole = None
    for size in (1 << 20, 1000, 777):
        monkeypatch.setattr(segmenting, "BLOCK", size)
        found = list(segmenter.segment(text))
        check(text, found)
        assert whole is None or found == whole
        whole = found


def test_a_paragraph_is_segmented_as_if_it_were_alone(segmenter: Segmenter) -> None:
    texts = [long_text(size, size) for size in range(30)]
    alone = [list(segmenter.segment(text)) for text in texts]
    assert list(segmenter.segment_all(texts)) == alone
    assert list(segmenter.segment_all(iter([]))) == []


@pytest.mark.parametrize(
    "text",
    [pytest.param("ab " * 30_000, id="words"), pytest.param("x" * 100_000, id="one word")],
)
def test_a_text_without_a_break_is_cut_and_takes_bounded_memory(
    segmenter: Segmenter, text: str
) -> None:
    list(segmenter.segment("warm up"))
    tracemalloc.start()
    place, most = 0, 0
    for tokens in segmenter.segment(text):
        most = max(most, sum(len(token.words) or 1 for token in tokens))
        assert not text[place : tokens[0].start].strip()
        place = tokens[-1].end
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert place == len(text.rstrip())
    assert most <= 2000
    assert peak < 16_000_000


def test_threads_and_other_processes_find_the_same(tmp_path: Path) -> None:
    segmenter = random_segmenter(tmp_path, inner_spaces=False)
    texts = [long_text(300, seed) for seed in range(8)]
    expected = [list(segmenter.segment(text)) for text in texts]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda text: list(segmenter.segment(text)), texts)) == expected
    copy = pickle.loads(pickle.dumps(segmenter))
    assert [list(copy.segment(text)) for text in texts] == expected


def test_torch_is_not_needed(tmp_path: Path) -> None:
    random_segmenter(tmp_path, inner_spaces=False)
    program = (
        "import sys; from arctree.segmenter import Segmenter;"
        f"print(len(list(Segmenter.load({str(tmp_path)!r}).segment('A b. C d.'))) > 0,"
        "'torch' in sys.modules, 'onnx' in sys.modules)"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == ["True", "False", "False"]


def test_a_folder_without_a_segmenter_says_so(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no segmenter"):
        Segmenter.load(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        (SEGMENTER, b"{", "not JSON"),
        (SEGMENTER, b"{}", "version None"),
        (SEGMENTER, b'{"arctree_segmenter": 1}', "damaged"),
        (SEGMENTER_GRAPH, b"nothing", "no graph"),
    ],
)
def test_damaged_files_are_told(tmp_path: Path, name: str, content: bytes, fault: str) -> None:
    random_segmenter(tmp_path, inner_spaces=False)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=fault) as raised:
        Segmenter.load(tmp_path)
    assert name in str(raised.value)


def test_a_missing_graph_and_no_threads_are_told(tmp_path: Path) -> None:
    random_segmenter(tmp_path, inner_spaces=False)
    with pytest.raises(CallError, match="threads"):
        Segmenter.load(tmp_path, threads=0)
    (tmp_path / SEGMENTER_GRAPH).unlink()
    with pytest.raises(CallError, match="cannot be read"):
        Segmenter.load(tmp_path)


def test_what_it_knows_can_be_read_by_people(tmp_path: Path) -> None:
    random_segmenter(tmp_path, inner_spaces=False)
    form = json.loads((tmp_path / SEGMENTER).read_text("utf-8"))
    assert form["multiword"]["whole"]["a'b"] == ["a", "'b"]
    assert "中" in form["characters"]
