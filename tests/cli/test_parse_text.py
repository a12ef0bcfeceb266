"""Running text on the command line: one text, several files, every form."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import validate

import arctree as library
from arctree import conllu
from arctree.brackets import parse_tree
from arctree.cli.inputs import identifier
from command_line import Arctree
from piped import faults_of, toy_text
from toy_language import toy_treebank
from trained import ENVIRONMENT

pytestmark = pytest.mark.xdist_group("training")
SCHEMA = json.loads(files("arctree").joinpath("schema.json").read_text("utf-8"))
TEXT = "the dog sees the old cat. the bird\nleaves.\n\nthe cats want the tree."


def test_a_text_in_the_call_is_parsed(arctree: Arctree, pipeline_model: Path) -> None:
    outcome = arctree("parse", "--model", pipeline_model, "--text", TEXT)
    assert outcome.status == 0, outcome.err
    assert outcome.err == ""
    assert outcome.out == library.load(pipeline_model)(TEXT).to_conllu()
    assert faults_of(outcome.out) == []


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.txt.bz2", "a.txt.xz", "a.zst", "a"])
def test_a_file_is_text_unless_its_name_says_otherwise(
    arctree: Arctree, pipeline_model: Path, tmp_path: Path, name: str
) -> None:
    by_suffix: dict[str, Callable[[bytes], bytes]] = {
        ".gz": gzip.compress,
        ".bz2": bz2.compress,
        ".xz": lzma.compress,
        ".zst": zstandard.ZstdCompressor().compress,
    }
    compress = by_suffix.get(Path(name).suffix, bytes)
    path = tmp_path / name
    path.write_bytes(compress(b"\xef\xbb\xbf" + TEXT.encode()))
    outcome = arctree("parse", "--model", pipeline_model, path)
    assert outcome.out == library.load(pipeline_model)(TEXT).to_conllu()
    stdin = arctree("parse", "--model", pipeline_model, "-", stdin=TEXT.encode())
    assert stdin.out == outcome.out


def test_a_long_file_is_parsed_as_the_library_does(
    arctree: Arctree, pipeline_model: Path, tmp_path: Path
) -> None:
    text = toy_text(3000, 8)
    (tmp_path / "long.txt").write_text(text, "utf-8")
    outcome = arctree(
        "parse", "--model", pipeline_model, tmp_path / "long.txt", "-o", tmp_path / "out"
    )
    assert outcome.status == 0, outcome.err
    assert outcome.err.startswith("arctree parse: 3,000 sentences, ")
    assert (tmp_path / "out").read_text("utf-8") == library.load(pipeline_model)(text).to_conllu()


def test_a_line_may_be_a_sentence(arctree: Arctree, pipeline_model: Path) -> None:
    text = "the dog. the cat.\n\nthe bird\r\n the tree"
    outcome = arctree(
        "parse", "--model", pipeline_model, "--from", "lines", "-", stdin=text.encode()
    )
    sentences = list(conllu.read_text(outcome.out))
    assert [sentence.text for sentence in sentences] == [
        "the dog. the cat.",
        "the bird",
        "the tree",
    ]
    assert ["# newpar" in sentence.comments for sentence in sentences] == [True, True, False]
    assert faults_of(outcome.out) == []
    words = [w for s in library.load(pipeline_model).parse_tokens(sentences) for w in s]
    assert [text[word.start : word.end] for word in words] == text.replace(".", " .").split()


def test_conllu_that_is_read_as_text_is_told(arctree: Arctree, pipeline_model: Path) -> None:
    content = "".join(sentence.to_text() for sentence in toy_treebank(2, 1)).encode()
    outcome = arctree("parse", "--model", pipeline_model, "-", stdin=content)
    assert "<stdin> looks like CoNLL-U; --from conllu reads it as such" in outcome.err


def test_tokens_have_ids_and_offsets(arctree: Arctree, mapped_model: Path) -> None:
    text = "the  dog sees\n語 the cat\n"
    call = ("parse", "--model", mapped_model, "--from", "tokens", "--to", "json")
    outcome = arctree(*call, "-", stdin=text.encode())
    assert arctree(*call, "--text", text).out == outcome.out
    forms = [json.loads(line) for line in outcome.out.splitlines()]
    assert [form["id"] for form in forms] == ["1", "2"]
    words = [word for form in forms for word in form["words"]]
    assert [text[word["start"] : word["end"]] for word in words] == text.split()
    written = arctree(*call[:-2], "-", stdin=text.encode()).out
    assert faults_of(written) == []


def test_every_form_tells_the_same_trees(arctree: Arctree, pipeline_model: Path) -> None:
    call = ("parse", "--model", pipeline_model, "--text", TEXT, "--to")
    document = library.load(pipeline_model)(TEXT)
    brackets = arctree(*call, "brackets").out
    assert brackets == f"{document}\n"
    trees = [parse_tree(line) for line in brackets.splitlines()]
    assert [tree.to_dependency().heads for tree in trees] == [s.tree.heads for s in document]
    forms = [json.loads(line) for line in arctree(*call, "json").out.splitlines()]
    for form in forms:
        validate(form, SCHEMA)
    assert forms == [sentence.to_json() for sentence in document]
    for word in (word for form in forms for word in form["words"]):
        assert TEXT[word["start"] : word["end"]] == word["form"]
    table = arctree(*call, "table").out
    for word in document.words:
        assert word.text in table
        assert word.deprel in table
    assert "1  the dog sees the old cat.\n" in table
    assert "see/" not in table
    assert "sees/VE" in table  # in the ordered tree


def test_a_terminal_gets_the_table(pipeline_model: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "arctree", "parse", "--model", str(pipeline_model)]
    with subprocess.Popen(
        [*command, "--text", "the dog sees."], stdout=theirs, stderr=theirs, env=ENVIRONMENT
    ) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:
                break
            if not piece:
                break
            shown += piece
    os.close(ours)
    assert process.returncode == 0
    assert "← sees" in shown.decode()
    assert "dog/NO" in shown.decode()


def test_several_documents_follow_one_another_under_their_names(
    arctree: Arctree, pipeline_model: Path, tmp_path: Path
) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "a file.txt").write_text("the dog sees")
    (tmp_path / "one" / "a file.txt").write_text("the cat sees.\n\nthe tree")
    conllu.write(toy_treebank(2, 1), str(tmp_path / "b.conllu"))
    (tmp_path / "bad.txt").write_bytes(b"the dog.\n" * 9000 + b"\xff")
    outcome = arctree(
        *("parse", "--model", pipeline_model),
        *(tmp_path / name for name in ("a file.txt", "one/a file.txt", "bad.txt", "b.conllu")),
    )
    assert outcome.status == 1
    assert "bad.txt:9001: byte 1 of the line, 0xff, is not UTF-8" in outcome.err
    assert "3 documents, 5 sentences" in outcome.err
    assert "1 document failed, of 4" in outcome.err
    sentences = list(conllu.read_text(outcome.out))
    assert [sentence.id for sentence in sentences] == [
        *("a%20file-1", "a%20file~2-1", "a%20file~2-2", "toy-1", "toy-2")
    ]
    assert sentences[1].comments[:2] == ("# newdoc id = a%20file~2", "# newpar")
    text_only = "".join(sentence.to_text() for sentence in sentences[:3])
    assert faults_of(text_only) == []


@given(st.lists(st.text(st.characters(codec=None), min_size=1), min_size=2, max_size=5))
def test_no_two_names_become_the_same_part_of_an_id(names: list[str]) -> None:
    found = [identifier(name) for name in names]
    assert all(not any(c.isspace() or c == "/" for c in name) for name in found)
    for (name, part), (other, other_part) in pairwise(zip(names, found, strict=True)):
        if part == other_part:
            from unicodedata import normalize

            assert normalize("NFC", name) == normalize("NFC", other)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(
    st.lists(st.sampled_from(["the dog", " sees", ".", "\n", "\n\n", "語", "\ud800"])).map("".join)
)
def test_any_text_in_the_call_has_its_trees(
    arctree: Arctree, pipeline_model: Path, text: str
) -> None:
    outcome = arctree("parse", "--model", pipeline_model, "--text", text)
    assert outcome.status == 0, outcome.err
    assert sum(len(s) for s in conllu.read_text(outcome.out)) >= len(text.split()) * bool(text)


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (["--text", "a", "b.txt"], 2, "--text and files"),
        (["--text", "a", "--from", "conllu"], 2, "--text takes text"),
        (["nowhere.txt"], 2, "nowhere.txt: cannot be read: no such file"),
        (["-", "-"], 2, "can be read only once"),
        (["--text", "a", "--workers", "2", "--device", "cuda"], 2, "--workers goes with"),
        (["--text", "a", "--workers", "2", "--threads", "2"], 2, "one thread"),
        (["--text", "a", "--confidence", "--to", "table"], 2, "--confidence goes with"),
    ],
)
def test_calls_that_cannot_be_done_are_told(
    options: list[str], status: int, said: str, arctree: Arctree, pipeline_model: Path
) -> None:
    outcome = arctree("parse", "--model", pipeline_model, *options)
    assert outcome.status == status
    assert said in outcome.err


def test_a_model_that_is_not_there_is_told(arctree: Arctree) -> None:
    outcome = arctree("parse", "--model", "klingon", "--text", "nuqneH")
    assert outcome.status == 2
    assert "klingon: no such model directory, and no model of that name" in outcome.err


def test_help_has_examples(arctree: Arctree) -> None:
    outcome = arctree("parse", "--help")
    assert outcome.status == 0
    assert "arctree parse --text" in outcome.out.partition("Examples:")[2]
