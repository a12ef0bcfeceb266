from __future__ import annotations

import gzip
import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import validate

from arctree import conllu
from arctree.brackets import parse_tree
from arctree.sentence import Sentence
from command_line import Arctree
from toy_language import toy_treebank

pytestmark = pytest.mark.xdist_group("training")
SCHEMA = json.loads(
    (Path(conllu.__file__).parent / "schema.json").read_text("utf-8")  # as it is published
)


def forms_of(text: str) -> list[tuple[str, ...]]:
    return [sentence.forms for sentence in conllu.read_text(text)]


def test_as_many_sentences_come_out_as_went_in_in_the_same_order(
    arctree: Arctree, mapped_model: Path, tmp_path: Path
) -> None:
    sentences = toy_treebank(150, 5)
    conllu.write(sentences, str(tmp_path / "gold.conllu"))
    outcome = arctree("parse", "--model", mapped_model, tmp_path / "gold.conllu")
    assert outcome.status == 0, outcome.err
    parsed = list(conllu.read_text(outcome.out))
    assert [s.forms for s in parsed] == [s.forms for s in sentences]
    assert [s.comments for s in parsed] == [s.comments for s in sentences]


def test_heads_and_labels_that_are_there_do_not_count(
    arctree: Arctree, mapped_model: Path, tmp_path: Path
) -> None:
    sentences = toy_treebank(20, 6)
    blind = "".join(_blind(sentence) for sentence in sentences)
    chain = "".join(
        s.with_arcs(range(len(s)), ["root", *["dep"] * (len(s) - 1)]).to_text() for s in sentences
    )
    no_trees = [
        "".join(_with_heads(sentence, *heads) for sentence in sentences)
        for heads in (["2", "1"], ["99"], ["0", "0"], ["_", "0"], ["zz"], ["-1"])
    ]
    answers = [
        arctree("parse", "--model", mapped_model, "--from", "conllu", "-", stdin=text.encode())
        for text in (blind, chain, *no_trees)
    ]
    assert [answer.status for answer in answers] == [0] * len(answers)
    assert {answer.out for answer in answers} == {answers[0].out}
    assert forms_of(answers[0].out) == [s.forms for s in sentences]


def _blind(sentence: Sentence) -> str:
    return _with_heads(sentence)


def _with_heads(sentence: Sentence, *heads: str) -> str:
    """With these heads in its first words, and none in the others."""
    written = [*heads, *["_"] * len(sentence)]
    rows = [
        [*row[:6], head, "_" if head == "_" else "dep", *row[8:]]
        for row, head in zip(zip(*sentence.columns, strict=True), written, strict=False)
    ]
    lines = ["\t".join(row) for row in rows]
    return "\n".join([*sentence.comments, *lines]) + "\n\n"


ENHANCED = """# sent_id = old
1-2\tdogs\t_\t_\t_\t_\t_\t_\t_\t_
1\tthe\tthe\tDET\tX\t_\t2\tdet\t2:det\t_
2\tdog\t_\tNOUN\t_\t_\t0\troot\t0:root\tSpaceAfter=No
2.1\tsees\tsee\tVERB\t_\t_\t_\t_\t0:root\t_
3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t2:punct\t_

"""


@pytest.mark.parametrize("bad", ["1\tdog\n\n", "2\tdog" + "\t_" * 8 + "\n\n", "# alone\n\n"])
def test_what_is_no_conllu_is_told_though_heads_are_not_looked_at(
    arctree: Arctree, mapped_model: Path, bad: str
) -> None:
    outcome = arctree("parse", "--model", mapped_model, "--from", "conllu", "-", stdin=bad.encode())
    assert outcome.status == 1
    assert "<stdin>:1" in outcome.err or "<stdin>:2" in outcome.err


def test_stale_enhanced_graphs_are_cleared_and_the_person_is_told(
    arctree: Arctree, mapped_model: Path
) -> None:
    outcome = arctree(
        "parse", "--model", mapped_model, "--from", "conllu", "-", stdin=ENHANCED.encode()
    )
    assert outcome.status == 0, outcome.err
    (sentence,) = conllu.read_text(outcome.out)
    assert set(sentence.deps) == {"_"}
    assert [line.split("\t")[0] for _, line in sentence.other_lines] == ["1-2"]
    assert sentence.misc == ("_", "SpaceAfter=No", "_")
    assert "1 enhanced graph cleared, with 1 empty node" in outcome.err


def test_tokens_are_a_sentence_a_line(arctree: Arctree, mapped_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "text.gz"
    path.write_bytes(
        gzip.compress(b"\xef\xbb\xbfthe dog sees the cat .\r\nthe\xc2\xa0birds  hear\nHi\n")
    )
    outcome = arctree("parse", "--model", mapped_model, "--from", "tokens", path)
    assert outcome.status == 0, outcome.err
    assert forms_of(outcome.out) == [
        ("the", "dog", "sees", "the", "cat", "."),
        ("the", "birds", "hear"),
        ("Hi",),
    ]


def test_a_line_without_words_is_an_error_or_skipped(arctree: Arctree, mapped_model: Path) -> None:
    call = ("parse", "--model", mapped_model, "--from", "tokens", "-")
    outcome = arctree(*call, stdin=b"the dog\n\nthe cat\n")
    assert outcome.status == 1
    assert "<stdin>:2: a line without words" in outcome.err
    outcome = arctree(*call, "--on-error", "skip", stdin=b"the dog\n\nthe cat\n\xff\n")
    assert outcome.status == 0
    assert len(forms_of(outcome.out)) == 2
    assert "2 bad sentences skipped" in outcome.err


def test_brackets_come_back_as_the_same_trees(
    arctree: Arctree, mapped_model: Path, tmp_path: Path
) -> None:
    conllu.write(toy_treebank(60, 7), str(tmp_path / "in.conllu"))
    call = ("parse", "--model", mapped_model, tmp_path / "in.conllu")
    trees = list(conllu.read_text(arctree(*call).out))
    (tmp_path / "out.mrg").write_text(arctree(*call, "--to", "brackets").out, "utf-8")
    back = list(conllu.read_text(arctree("recover", tmp_path / "out.mrg").out))
    assert [s.heads for s in back] == [s.heads for s in trees]
    assert [s.deprels for s in back] == [s.deprels for s in trees]


def test_json_holds_confidences_and_the_derivation(
    arctree: Arctree, mapped_model: Path, graph_model: Path
) -> None:
    for model, steps in ((mapped_model, 12), (graph_model, 0)):
        outcome = arctree(
            *("parse", "--model", model, "--from", "tokens", "-", "--to", "json"),
            stdin=b"the dog sees the cat .\n",
        )
        form = json.loads(outcome.out)
        validate(form, SCHEMA)
        assert len(form["transitions"]) == steps
        assert all(0 < word["confidence"] <= 1 for word in form["words"])
        assert form["tree"]["nodes"][0]["label"] == "root"


def test_confidences_can_stand_in_misc(arctree: Arctree, mapped_model: Path) -> None:
    call = ("parse", "--model", mapped_model, "--from", "conllu", "--confidence", "-")
    (sentence,) = conllu.read_text(arctree(*call, stdin=ENHANCED.encode()).out)
    assert re.fullmatch(r"SpaceAfter=No\|Confidence=[01]\.\d{4}", sentence.misc[1])
    again = arctree(*call, stdin=sentence.to_text().encode()).out
    assert again == sentence.to_text()
    assert arctree(*call, "--to", "json", stdin=ENHANCED.encode()).status == 2


def test_output_appears_only_when_it_is_complete(
    arctree: Arctree, mapped_model: Path, tmp_path: Path
) -> None:
    (tmp_path / "bad.conllu").write_text(ENHANCED + "1\tx\n\n")
    output = tmp_path / "out.conllu"
    outcome = arctree("parse", "--model", mapped_model, tmp_path / "bad.conllu", "-o", output)
    assert outcome.status == 1
    assert "bad.conllu:8: 2 columns" in outcome.err
    assert not list(tmp_path.glob("*out*"))


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (["--model", "nowhere"], 2, "nowhere: no such model directory"),
        (["--model", "."], 1, "no config.json in it"),
        (["--model", "MODEL", "--device", "cuda"], 2, "CUDA was asked for"),
        (["--model", "MODEL", "--threads", "0"], 2, "--threads"),
    ],
)
def test_calls_that_cannot_be_done_are_told(
    options: list[str], status: int, said: str, arctree: Arctree, mapped_model: Path
) -> None:
    options = [str(mapped_model) if option == "MODEL" else option for option in options]
    outcome = arctree("parse", *options, "--from", "conllu", "-", stdin=ENHANCED.encode())
    assert outcome.status == status
    assert said in outcome.err


def test_more_threads_than_cores_are_as_many_as_cores(arctree: Arctree, mapped_model: Path) -> None:
    call = ("parse", "--model", mapped_model, "--from", "conllu", "-")
    outcome = arctree(*call, "--threads", "1000000", stdin=ENHANCED.encode())
    assert outcome.status == 0, outcome.err
    assert outcome.out == arctree(*call, stdin=ENHANCED.encode()).out


def test_a_run_that_is_told_to_end_leaves_nothing_half_written(
    mapped_model: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out.conllu"
    command = [sys.executable, "-m", "arctree", "parse", "--model", str(mapped_model)]
    command += ["--from", "conllu", "-"]
    with subprocess.Popen([*command, "-o", str(output)], stdin=subprocess.PIPE) as process:
        wait_until(lambda: any(tmp_path.iterdir()))
        process.terminate()
        assert process.wait(60) == 128 + signal.SIGTERM
    assert not list(tmp_path.iterdir())


def wait_until(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_very_long_sentence_is_parsed_whole(arctree: Arctree, mapped_model: Path) -> None:
    words = b"the dog sees the cat " * 400
    outcome = arctree(
        *("parse", "--model", mapped_model, "--from", "tokens", "-", "--to", "brackets"),
        stdin=words + b"\nthe dog\n",
    )
    assert outcome.status == 0, outcome.err
    trees = [parse_tree(line) for line in outcome.out.splitlines()]
    assert [len(list(tree.leaves())) for tree in trees] == [2000, 2]
