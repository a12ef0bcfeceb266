from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from importlib.resources import files
from itertools import count, islice
from multiprocessing import get_context
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arctree
from arctree import conllu
from arctree.dependency import check_heads
from arctree.document import Document
from arctree.errors import CallError, DataError
from arctree.json_form import sentence_from_json
from arctree.passages import Passage, blind_sentences
from arctree.pipeline import Pipeline
from arctree.segments import Token
from arctree.sentence import FORM, ID, MISC
from piped import faults_of, toy_text
from trained import ENVIRONMENT

pytestmark = pytest.mark.xdist_group("training")
VALIDATOR = jsonschema.Draft202012Validator(
    json.loads(files("arctree").joinpath("schema.json").read_text("utf-8"))
)
PIECES = [
    *("the dog sees", "the cat.", "birds", ".", "...", "I", "don't", "a@b.org", "http://x.y/z?q=1"),
    *(" ", " ", "  ", "\n", "\n\n", "\r\n", "\t", "\u00a0", "\u2029", "\ufeff", "\u200b"),
    *(
        "語は。",
        "שלום עולם",
        "\u202e",
        "👩\u200d👩\u200d👧",
        "e\u0301",
        "\u0301",
        "\x00",
        "\ud800",
        "|",
        "#",
        "_",
    ),
]
texts = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


@pytest.fixture(scope="module")
def nlp(pipeline_model: Path) -> Pipeline:
    return arctree.load(pipeline_model)


def test_a_text_comes_out_as_sentences_words_and_trees(nlp: Pipeline) -> None:
    document = nlp("the old dog sees the cats.  the bird\nleaves.\n\nthe cat wants the tree.")
    assert [sentence.text for sentence in document] == [
        "the old dog sees the cats.",
        "the bird leaves.",
        "the cat wants the tree.",
    ]
    dog = document[0].words[2]
    assert (dog.id, dog.text, dog.lemma, dog.upos, dog.xpos) == (3, "dog", "dog", "NOUN", "NO")
    assert (dog.head, dog.deprel, dog.feats, dog.features) == (
        *(4, "nsubj", "Number=Sing"),
        {"Number": "Sing"},
    )
    assert (dog.start, dog.end) == (8, 11)
    assert 0.5 < dog.confidence <= 1
    assert [word.text for word in document[1]] == ["the", "bird", "leaves", "."]
    assert len(document) == 3
    assert len(document.words) == 7 + 4 + 6
    assert [s.sentence.comments[:-2] for s in document] == [
        ("# newdoc", "# newpar"),
        (),
        ("# newpar",),
    ]
    assert str(document[1]) == (
        "(root (nsubj (det (DE the)) (NO bird)) (VE leaves) (punct (PU .)))"
    )
    assert repr(document).endswith("3 sentences, 17 words>")
    assert repr(document[1]) == "<ParsedSentence 'the bird leaves.', 4 words>"
    assert str(document).count("\n") == 2


@given(texts)
def test_offsets_point_at_every_word_of_any_text(nlp: Pipeline, text: str) -> None:
    document = nlp(text)
    covered = [0] * len(text)
    for sentence in document:
        check_heads(sentence.tree.heads)
        assert len(sentence.words) == len(sentence) == len(sentence.confidences)
        for place in {(word.start, word.end) for word in sentence}:
            assert place[0] is not None
            assert place[1] is not None
            for character in range(place[0], place[1]):
                covered[character] += 1
    wanted = [not character.isspace() for character in text]
    assert [bool(count) for count in covered] == wanted
    assert max(covered, default=1) <= 1 or not any(wanted)
    starts = [word.start for word in document.words]
    assert starts == sorted(starts)  # type: ignore[type-var]


@given(texts)
def test_what_is_written_can_be_read_again(nlp: Pipeline, text: str) -> None:
    document = nlp(text)
    sentences = list(conllu.read_text(document.to_conllu()))
    assert sentences == [sentence.sentence for sentence in document]
    form = document.to_json()
    VALIDATOR.validate(form)
    assert form["text"] == text
    assert [sentence_from_json(item) for item in form["sentences"]] == sentences
    for item, sentence in zip(form["sentences"], document, strict=True):
        places = [(word["start"], word["end"]) for word in item["words"]]
        assert places == [(word.start, word.end) for word in sentence]


@given(texts)
def test_the_text_can_be_put_together_again_from_the_conllu(nlp: Pipeline, text: str) -> None:
    # Of these a column holds something else.
    for lost in ("e\u0301", "\u0301", "\ud800"):
        text = text.replace(lost, "")
    pieces: list[str] = []
    for sentence in conllu.read_text(nlp(text).to_conllu()):
        tokens = [columns for _, _, columns in sentence.multiword_tokens]
        inside = {
            word for first, last, _ in sentence.multiword_tokens for word in range(first, last + 1)
        }
        rows = [*zip(*sentence.columns, strict=True)]
        tokens += [row for row in rows if int(row[ID]) not in inside]
        for row in sorted(tokens, key=lambda row: int(row[ID].partition("-")[0])):
            facts = dict(item.partition("=")[::2] for item in row[MISC].split("|"))
            pieces.append(unescaped(facts.get("SpacesBefore", "")) + row[FORM])
            after = "" if facts.get("SpaceAfter") == "No" else " "
            pieces.append(unescaped(facts["SpacesAfter"]) if "SpacesAfter" in facts else after)
    assert "".join(pieces).rstrip() == (text.rstrip() if pieces else "")


def unescaped(space: str) -> str:
    known = {"s": " ", "t": "\t", "n": "\n", "r": "\r", "p": "|", "\\": "\\"}
    return re.sub(
        r"\\(?:u\{([0-9a-f]+)\}|(.))",
        lambda found: chr(int(found[1], 16)) if found[1] else known[found[2]],
        space,
    )


@settings(max_examples=40)
@given(st.lists(texts, max_size=3))
def test_the_official_validator_accepts_what_comes_out(nlp: Pipeline, drawn: list[str]) -> None:
    # It takes U+FFFD, which stands for what cannot be written, for a fault of the file.
    drawn = [text.replace("\ud800", "") for text in drawn]
    written = "".join(document.to_conllu() for document in nlp.pipe([*drawn, "the dog sees."]))
    assert faults_of(written) == []


@given(st.lists(texts, max_size=6))
def test_many_texts_give_what_each_of_them_gives(nlp: Pipeline, drawn: list[str]) -> None:
    together = list(nlp.pipe(drawn))
    assert [document.text for document in together] == drawn
    for document, text in zip(together, drawn, strict=True):
        alone = nlp(text)
        assert trees_of(document) == trees_of(alone)
        assert [word.start for word in document.words] == [word.start for word in alone.words]
    ids = [sentence.id for document in together for sentence in document]
    assert len(set(ids)) == len(ids)


def trees_of(document: Document) -> list[object]:
    return [sentence.tree for sentence in document]


def test_texts_without_end_are_parsed_as_they_come(nlp: Pipeline) -> None:
    def endless() -> Iterator[str]:
        while True:
            yield "the dog sees the cat."
            yield ""

    found = list(islice(nlp.pipe(endless()), 9000))
    assert [len(document) for document in found] == [1, 0] * 4500


def test_a_long_text_is_the_same_as_its_paragraphs(nlp: Pipeline) -> None:
    text = toy_text(3000, 3)
    assert len(text) > 1 << 17  # so there are three passages
    document = nlp(text)
    assert list(nlp.stream(text)) == list(document)
    paragraphs = text.removesuffix("\n\n").split("\n\n")
    parts = [sentence for part in nlp.pipe(paragraphs) for sentence in part]
    assert [sentence.tree.heads for sentence in parts] == [s.tree.heads for s in document]
    for word in document.words:
        assert text[word.start : word.end] == word.text
    assert [sentence.id for sentence in document] == [
        str(number) for number in range(1, len(document) + 1)
    ]
    assert faults_of(document.to_conllu()) == []


def test_a_line_may_be_a_sentence(nlp: Pipeline) -> None:
    lines = ["the dog sees. the cat leaves.", "the bird", " \n", "the\ttree\n"]
    found = list(nlp.parse_lines(iter(lines)))
    assert [sentence.sentence.forms for sentence in found] == [
        ("the", "dog", "sees", ".", "the", "cat", "leaves", "."),
        ("the", "bird"),
        ("the", "tree"),
    ]
    assert [sentence.id for sentence in found] == ["1", "2", "3"]
    assert [(word.start, word.end) for word in found[2]] == [(0, 3), (4, 8)]
    assert "# newpar" in found[2].sentence.comments
    assert faults_of("".join(sentence.to_conllu() for sentence in found)) == []


def test_words_may_be_given(nlp: Pipeline) -> None:
    (given_words, read) = nlp.parse_tokens(
        [["the", "dog", "sees"], next(conllu.read_text("1\tcat" + "\t_" * 8 + "\n\n"))]
    )
    assert given_words.text == "the dog sees"
    assert [word.start for word in given_words] == [None] * 3
    assert given_words.tree.heads == (2, 3, 0)
    assert "start" not in given_words.to_json()["words"][0]
    assert read.sentence.comments == ()
    assert faults_of(given_words.to_conllu()) == []


def test_the_words_of_a_multiword_token_stand_where_it_stands(nlp: Pipeline) -> None:
    passage = Passage("the dog dont see. we dont")
    first = [Token(0, 3), Token(4, 7), Token(8, 12, ("do", "nt")), Token(13, 16), Token(16, 17)]
    second = [Token(18, 20), Token(21, 25, ("do", "nt"))]
    numbers = count(1)
    blind = blind_sentences(passage, [first, second], lambda: str(next(numbers)))
    sentences = list(nlp.parse_sentences(blind))
    assert [(word.text, word.start, word.end) for word in sentences[1]] == [
        ("we", 18, 20),
        ("do", 21, 25),
        ("nt", 21, 25),
    ]
    assert [word["start"] for word in sentences[0].to_json()["words"]] == [0, 4, 8, 8, 13, 16]
    assert sentences[0].text == "the dog dont see."
    assert faults_of("".join(sentence.to_conllu() for sentence in sentences)) == []


def test_two_threads_find_the_same_trees(pipeline_model: Path) -> None:
    text = toy_text(200, 4)
    expected = arctree.load(pipeline_model)(text)
    shared = arctree.load(pipeline_model)  # loaded while both threads ask for it
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(shared, [text] * 4))
    assert found == [expected] * 4


def test_two_processes_find_the_same_trees(nlp: Pipeline) -> None:
    text = toy_text(200, 5)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        found = list(pool.map(nlp, [text] * 4))
    assert found == [nlp(text)] * 4


def test_a_pickled_pipeline_is_its_folder_and_its_options(nlp: Pipeline) -> None:
    nlp("the dog sees.")
    content = pickle.dumps(nlp)
    assert len(content) < 1000
    again = pickle.loads(content)
    assert (again.folder, again.device, again.threads) == (nlp.folder, "cpu", 1)
    assert again("the dog sees.") == nlp("the dog sees.")
    assert pickle.loads(content) is again  # and so is loaded once
    assert pickle.loads(pickle.dumps(again("the dog."))) == again("the dog.")


def test_loading_is_put_off_until_it_is_needed(pipeline_model: Path) -> None:
    program = (
        "import sys, arctree; heavy = {'numpy', 'torch', 'onnxruntime'}; "
        "assert not heavy & set(sys.modules); nlp = arctree.load(sys.argv[1]); "
        "assert not heavy & set(sys.modules); print(len(nlp('the dog sees.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(pipeline_model)], capture_output=True, check=False
    )
    assert done.stdout.strip() == b"1", done.stderr


def test_what_cannot_be_read_is_told(nlp: Pipeline, mapped_model: Path, tmp_path: Path) -> None:
    with pytest.raises(CallError, match=r"klingon: no such model directory.*arctree train"):
        arctree.load("klingon")
    with pytest.raises(DataError, match=r"no config\.json in it"):
        arctree.load(tmp_path)
    with pytest.raises(CallError, match="is no text; give a str"):
        nlp(b"the dog")  # type: ignore[arg-type]
    with pytest.raises(CallError, match="is no text; give a str"):
        list(nlp.pipe(["the dog", None]))  # type: ignore[list-item]
    with pytest.raises(CallError, match="give a list of its words"):
        list(nlp.parse_tokens(["the dog"]))
    blind = arctree.load(mapped_model)
    with pytest.raises(CallError, match=r"no segmenter.*--from tokens.*\[segmenter\]"):
        blind("the dog")
    assert len(list(blind.parse_tokens([["the", "dog"]]))) == 1


def test_ten_megabytes_are_parsed_in_bounded_memory(pipeline_model: Path) -> None:
    """The words are long, so that there are few of them: what counts is the text."""
    program = f"""
import resource, sys, arctree
nlp = arctree.load({str(pipeline_model)!r})
paragraph = ("the " + "dog" * 40 + " sees the " + "cat" * 40 + ".\\n") * 9 + "\\n"
def peak(size):
    text = paragraph * (size // len(paragraph))
    sentences = sum(1 for sentence in nlp.stream(text))
    return sentences, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
(few, before), (many, after) = peak(1_000_000), peak(10_000_000)
assert many > 9 * few > 0
print((after - before) // 1024)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 60
