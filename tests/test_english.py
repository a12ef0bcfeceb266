"""The English model that comes with arctree, on sentences checked by hand and on hard inputs."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import ThreadpoolController

import arctree
from arctree.document import Document
from arctree.errors import CallError
from arctree.parsing import model_files
from arctree.parsing.sessions import BOUNDED
from arctree.pipeline import PACKAGED, Pipeline

LARGEST = 25_000_000

# A sentence a line: each word with its lemma, UPOS, head and label.
CHECKED = """
Book/book/VERB/0/root me/I/PRON/1/iobj the/the/DET/5/det morning/morning/NOUN/5/compound \
flight/flight/NOUN/1/obj to/to/ADP/7/case Boston/Boston/PROPN/5/nmod ././PUNCT/1/punct
The/the/DET/4/det quick/quick/ADJ/4/amod brown/brown/ADJ/4/amod fox/fox/NOUN/5/nsubj \
jumps/jump/VERB/0/root over/over/ADP/9/case the/the/DET/9/det lazy/lazy/ADJ/9/amod \
dog/dog/NOUN/5/obl ././PUNCT/5/punct
She/she/PRON/4/nsubj did/do/AUX/4/aux n't/not/PART/4/advmod know/know/VERB/0/root \
that/that/SCONJ/9/mark he/he/PRON/9/nsubj had/have/AUX/9/aux already/already/ADV/9/advmod \
left/leave/VERB/4/ccomp ././PUNCT/4/punct
What/what/PRON/4/obl are/be/AUX/4/aux you/you/PRON/4/nsubj looking/look/VERB/0/root \
at/at/ADP/1/case ?/?/PUNCT/4/punct
John/John/PROPN/3/nmod:poss 's/'s/PART/1/case brother/brother/NOUN/4/nsubj gave/give/VERB/0/root \
Mary/Mary/PROPN/4/iobj an/a/DET/8/det expensive/expensive/ADJ/8/amod book/book/NOUN/4/obj \
yesterday/yesterday/NOUN/4/obl:unmarked ././PUNCT/4/punct
We/we/PRON/4/nsubj ca/can/AUX/4/aux n't/not/PART/4/advmod go/go/VERB/0/root \
there/there/ADV/4/advmod because/because/SCONJ/9/mark it/it/PRON/9/nsubj 's/be/AUX/9/aux \
raining/rain/VERB/4/advcl ././PUNCT/4/punct
The/the/DET/2/det book/book/NOUN/7/nsubj:pass that/that/PRON/5/obj I/I/PRON/5/nsubj \
bought/buy/VERB/2/acl:relcl was/be/AUX/7/aux:pass written/write/VERB/0/root by/by/ADP/9/case \
Jane/Jane/PROPN/7/obl:agent Austen/Austen/PROPN/9/flat ././PUNCT/7/punct
Apples/apple/NOUN/7/nsubj:pass ,/,/PUNCT/3/punct oranges/orange/NOUN/1/conj and/and/CCONJ/5/cc \
pears/pear/NOUN/1/conj are/be/AUX/7/aux:pass sold/sell/VERB/0/root here/here/ADV/7/advmod \
././PUNCT/7/punct
There/there/PRON/2/expl were/be/VERB/0/root three/three/NUM/4/nummod cats/cat/NOUN/2/nsubj \
sleeping/sleep/VERB/4/acl on/on/ADP/9/case the/the/DET/9/det old/old/ADJ/9/amod \
sofa/sofa/NOUN/5/obl ././PUNCT/2/punct
Is/be/VERB/0/root there/there/PRON/1/expl anything/anything/PRON/1/nsubj I/I/PRON/6/nsubj \
should/should/AUX/6/aux bring/bring/VERB/3/acl:relcl ?/?/PUNCT/1/punct
GREAT/great/ADJ/2/amod FOOD/food/NOUN/0/root AND/and/CCONJ/5/cc FRIENDLY/friendly/ADJ/5/amod \
STAFF/staff/NOUN/2/conj !!!/!!!/PUNCT/2/punct
He/he/PRON/2/nsubj wants/want/VERB/0/root to/to/PART/4/mark learn/learn/VERB/2/xcomp \
quickly/quickly/ADV/4/advmod ././PUNCT/2/punct
""".strip().splitlines()
TEXTS = [
    "Book me the morning flight to Boston.",
    "The quick brown fox jumps over the lazy dog.",
    "She didn't know that he had already left.",
    "What are you looking at?",
    "John's brother gave Mary an expensive book yesterday.",
    "We can't go there because it's raining.",
    "The book that I bought was written by Jane Austen.",
    "Apples, oranges and pears are sold here.",
    "There were three cats sleeping on the old sofa.",
    "Is there anything I should bring?",
    "GREAT FOOD AND FRIENDLY STAFF!!!",
    "He wants to learn quickly.",
]


@pytest.fixture(scope="module")
def nlp() -> Pipeline:
    return arctree.load("en")


def shown(document: Document) -> list[str]:
    return [
        " ".join(f"{w.text}/{w.lemma}/{w.upos}/{w.head}/{w.deprel}" for w in sentence)
        for sentence in document.sentences
    ]


@pytest.mark.parametrize(("text", "expected"), list(zip(TEXTS, CHECKED, strict=True)))
def test_a_sentence_is_parsed_as_a_linguist_would(nlp: Pipeline, text: str, expected: str) -> None:
    assert shown(nlp(text)) == [expected]


def test_sentences_of_one_text_are_told_apart_and_parsed_as_alone(nlp: Pipeline) -> None:
    assert shown(nlp(" ".join(TEXTS[:10]))) == CHECKED[:10]


@pytest.mark.parametrize("piece", ["anna.b@example.com", "https://example.com/a?b=c#d", "😀", ":)"])
def test_addresses_and_smileys_stay_whole(nlp: Pipeline, piece: str) -> None:
    words = [word.text for word in nlp(f"Please write to {piece} as soon as you can.").words]
    assert piece in words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I love it 😍.", ["I", "love", "it", "😍", "."]),
        ("Wow 😀! Really 👍, yes", ["Wow", "😀", "!", "Really", "👍", ",", "yes"]),
        ("ok👍🏽 ❤️!", ["ok", "👍🏽", "❤️", "!"]),
        ("We are 👩‍👩‍👧.", ["We", "are", "👩‍👩‍👧", "."]),
    ],
)
def test_emoji_stand_apart_from_words_and_punctuation(
    nlp: Pipeline, text: str, words: list[str]
) -> None:
    assert [word.text for word in nlp(text).words] == words


@pytest.mark.parametrize(
    "wrong",
    [
        lambda nlp: list(nlp.pipe("a text")),
        lambda nlp: list(nlp.pipe(None)),
        lambda nlp: list(nlp.parse_lines("a line")),
        lambda nlp: list(nlp.parse_tokens([None])),
        lambda nlp: nlp(b"bytes"),
        lambda nlp: arctree.load(None),  # type: ignore[arg-type]
        lambda nlp: arctree.load(""),
        lambda nlp: arctree.load("no such model"),
        lambda nlp: arctree.load("en", threads="2"),  # type: ignore[arg-type]
        lambda nlp: arctree.load("en", threads=0),
        lambda nlp: arctree.load("en", device="foo"),
    ],
)
def test_a_wrong_call_is_told(nlp: Pipeline, wrong: Callable[[Pipeline], object]) -> None:
    with pytest.raises(CallError):
        wrong(nlp)


def test_the_threads_of_matrix_products_are_bounded_and_then_as_before(nlp: Pipeline) -> None:
    controller = ThreadpoolController().select(user_api="blas")

    def threads() -> list[int]:
        return [library["num_threads"] for library in controller.info()]

    with controller.limit(limits=2):
        list(nlp.pipe(TEXTS))
        before = threads()
        with BOUNDED.at_most(1):
            with BOUNDED.at_most(1):
                assert set(threads()) <= {1}
            assert set(threads()) <= {1}
        assert threads() == before


def test_a_sentence_needs_no_final_stop_and_a_paragraph_ends_one(nlp: Pipeline) -> None:
    document = nlp("thanks for your help\n\nsee you on Monday")
    assert [len(sentence.sentence) for sentence in document.sentences] == [4, 4]


def test_a_line_break_inside_a_sentence_is_white_space(nlp: Pipeline) -> None:
    wrapped = nlp("The quick brown fox\njumps over the lazy dog.")
    assert shown(wrapped) == [CHECKED[1]]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t \n\n",
        "\x00",
        "a\x00b \x07 c",
        "\ud800 is a lone surrogate \udfff.",
        "مرحبا بالعالم. كيف حالك؟",
        "שלום עולם",
        "你好，世界。今天天气很好！",
        "I ❤️ 👩‍👩‍👧‍👦!!! 🇧🇷🇧🇷",
        "e\u0301te\u0301 \u200bzero\u200dwidth\ufeff",
        "WHY IS EVERYBODY SHOUTING AT ME ALL THE TIME",
        "x" * 3000,
        "\r\n".join(["one line", "", "two lines", "three lines"]),
    ],
)
def test_any_input_comes_back_with_exact_offsets(nlp: Pipeline, text: str) -> None:
    check_offsets(text, nlp(text))


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=120))
def test_offsets_reconstruct_any_text(text: str) -> None:
    check_offsets(text, ENGLISH(text))


def check_offsets(text: str, document: Document) -> None:
    """Words stand in order where they say; between them there is white space only."""
    last = (0, 0)
    for word in document.words:
        assert word.start is not None
        assert word.end is not None
        place = (word.start, word.end)
        if place != last:  # the words of a multiword token share its place
            assert last[1] <= word.start < word.end, "tokens overlap"
            assert not text[last[1] : word.start].strip(), "something was left out"
        last = place
    assert not text[last[1] :].strip()


ENGLISH = arctree.load("en")


def test_much_text_without_a_break_is_parsed_in_pieces(nlp: Pipeline) -> None:
    text = "and so on " * 5000
    parsed = list(nlp.stream(text))
    assert sum(len(found.sentence) for found in parsed) == 15_000
    assert len(parsed) > 5


def test_a_sentence_has_the_same_tree_whatever_is_parsed_with_it(nlp: Pipeline) -> None:
    alone = [shown(nlp(text)) for text in TEXTS]
    together = [shown(document) for document in nlp.pipe(TEXTS * 5)]
    assert together == alone * 5


def test_two_threads_give_the_same_trees(nlp: Pipeline) -> None:
    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(nlp, TEXTS * 4))
    assert [shown(document) for document in found] == [shown(nlp(text)) for text in TEXTS] * 4


def test_two_processes_give_the_same_trees(nlp: Pipeline) -> None:
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as processes:
        found = list(processes.map(nlp, TEXTS))
    assert [shown(document) for document in found] == [shown(nlp(text)) for text in TEXTS]


def test_the_files_fit_and_are_all_listed() -> None:
    folder = PACKAGED / "en"
    names = {path.name for path in folder.iterdir()}
    listed = set(model_files.read_config(folder)["files"])
    assert names == listed | {model_files.CONFIG, model_files.CARD}
    assert sum(path.stat().st_size for path in folder.iterdir()) <= LARGEST


def test_the_card_tells_data_licences_scores_and_limits() -> None:
    card = (PACKAGED / "en" / model_files.CARD).read_text("utf-8")
    for told in ("CC BY-SA 4.0", "Apache-2.0", "MiniLM", "sha256", "Limits", "int8", "weblog"):
        assert told in card, told


@pytest.mark.skipif(sys.platform != "linux", reason="it measures memory as Linux tells it")
def test_a_long_sentence_takes_bounded_memory(nlp: Pipeline) -> None:
    words = ["word"] * 20_000

    def resident() -> int:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
        return pages * 4096

    list(nlp.parse_tokens([words[:1000]]))
    before = resident()
    (parsed,) = nlp.parse_tokens([words])
    assert len(parsed.sentence) == 20_000
    assert resident() - before < 600_000_000
