"""Runs over folders: mirrored names, failed documents, runs that are killed and go on, workers."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arctree import conllu
from arctree.cli.inputs import Input, Source, bundled
from command_line import Arctree
from piped import faults_of, toy_text
from toy_language import toy_treebank
from trained import ENVIRONMENT

pytestmark = pytest.mark.xdist_group("training")
JOURNAL = ".arctree-run.jsonl"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Documents of many kinds, three of which cannot be read, in folders."""
    folder = tmp_path / "corpus"
    (folder / "sub" / "deep").mkdir(parents=True)
    for number, place in enumerate(["", "sub", "sub/deep"] * 2):
        (folder / place / f"doc {number}.txt").write_text(toy_text(1 + 20 * number, number))
    (folder / "long.txt.gz").write_bytes(gzip.compress(toy_text(1800, 7).encode()))
    (folder / "empty.txt").write_text("")
    conllu.write(toy_treebank(30, 3), str(folder / "sub" / "trees.conllu"))
    (folder / "bad.txt").write_bytes(b"the dog\nsees \xff")
    (folder / "cut.txt.gz").write_bytes(gzip.compress(b"the dog sees. " * 100)[:40])
    (folder / "sub" / "bad.conllu").write_text("1\tx\n\n")
    (folder / "notes.md").write_text("no document")
    (folder / ".hidden.txt").write_text("the dog")
    return folder


def written(folder: Path) -> dict[str, bytes]:
    """The documents in a folder; nothing else may lie there but the journal."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != JOURNAL
    }


def journal_of(folder: Path) -> list[str]:
    rows = [json.loads(line) for line in (folder / JOURNAL).read_text().splitlines()[1:]]
    return [row["document"] for row in rows]


EXPECTED = {
    *("doc 0.conllu", "sub/doc 1.conllu", "sub/deep/doc 2.conllu", "doc 3.conllu"),
    *("sub/doc 4.conllu", "sub/deep/doc 5.conllu", "long.conllu.gz", "empty.conllu"),
    "sub/trees.conllu",
}


def test_a_folder_is_mirrored_and_failures_are_told(
    arctree: Arctree, pipeline_model: Path, corpus: Path, tmp_path: Path
) -> None:
    call = ("parse", "--model", pipeline_model, corpus, "-o", tmp_path / "out")
    outcome = arctree(*call)
    assert outcome.status == 1
    assert set(written(tmp_path / "out")) == EXPECTED
    assert "bad.txt:2: byte 6 of the line, 0xff, is not UTF-8" in outcome.err
    assert "cut.txt.gz: cannot be decompressed" in outcome.err
    assert "bad.conllu:1: 2 columns instead of 10" in outcome.err
    assert "9 documents, " in outcome.err
    assert "3 documents failed, of 12" in outcome.err
    texts = [
        (gzip.decompress(content) if name.endswith(".gz") else content).decode()
        for name, content in written(tmp_path / "out").items()
        if "trees" not in name
    ]
    assert faults_of("".join(texts)) == []
    assert any("# sent_id = sub:deep:doc%205-1\n" in text for text in texts)
    again = arctree(*call)
    assert again.status == 1
    assert "9 documents done already, and skipped" in again.err


def test_workers_write_the_same_bytes(
    arctree: Arctree, pipeline_model: Path, corpus: Path, tmp_path: Path
) -> None:
    call = ("parse", "--model", pipeline_model, corpus)
    assert arctree(*call, "-o", tmp_path / "alone").status == 1
    outcome = arctree(*call, "-o", tmp_path / "together", "--workers", "2")
    assert outcome.status == 1
    assert "3 documents failed, of 12" in outcome.err
    assert written(tmp_path / "together") == written(tmp_path / "alone")
    # Names, too, and in the same order, where everything goes to one place.
    joined = arctree(*call, "--to", "json")
    assert joined.status == 1
    assert arctree(*call, "--to", "json", "--workers", "2").out == joined.out


@pytest.mark.parametrize("workers", [0, 2])
def test_a_run_that_is_killed_goes_on_without_losing_or_doubling_a_document(
    arctree: Arctree, pipeline_model: Path, corpus: Path, tmp_path: Path, workers: int
) -> None:
    options = ["--model", str(pipeline_model), str(corpus), "--workers", str(workers)]
    arctree("parse", *options, "-o", tmp_path / "whole")
    output = tmp_path / "out"
    command = [sys.executable, "-m", "arctree", "parse", *options, "-o", str(output)]
    for finished in (1, 4):  # killed twice, in the middle
        with subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.DEVNULL) as process:
            while lines_in(output / JOURNAL) <= finished and process.poll() is None:
                time.sleep(0.005)
            process.kill()
    before = journal_of(output)
    assert len(before) == len(set(before)) >= 1
    outcome = arctree("parse", *options, "-o", output)
    if len(before) < len(EXPECTED):
        assert f"{len(before)} document" in outcome.err
    assert written(output) == written(tmp_path / "whole")
    assert sorted(journal_of(output)) == sorted(journal_of(tmp_path / "whole"))


def lines_in(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def wait_until(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_what_has_changed_is_parsed_again_and_nothing_else(
    arctree: Arctree, pipeline_model: Path, tmp_path: Path
) -> None:
    corpus, output = tmp_path / "in", tmp_path / "out"
    corpus.mkdir()
    for name in "abc":
        (corpus / f"{name}.txt").write_text("the dog sees.")
    call = ("parse", "--model", pipeline_model, corpus, "-o", output)
    assert arctree(*call).status == 0
    (corpus / "a.txt").write_text("the cat leaves.")
    (output / "b.conllu").unlink()
    outcome = arctree(*call)
    assert "2 documents changed or lost since, and parsed again" in outcome.err
    assert "1 document done already, and skipped" in outcome.err
    assert b"cat" in written(output)["a.conllu"]
    assert arctree(*call).err == "arctree parse: 3 documents done already, and skipped\n"
    outcome = arctree(*call, "--confidence")
    assert f"{output} was written with other settings (confidence)" in outcome.err
    assert "3 documents, 3 sentences, 12 words parsed" in outcome.err
    assert all(b"Confidence=" in content for content in written(output).values())


@given(st.lists(st.integers(0, 100_000), max_size=40))
def test_bundles_hold_every_document_in_order_and_are_small(
    sizes: list[int],
) -> None:
    letters = "x" * max(sizes, default=0)
    inputs = [
        Input("", str(number), Source.TEXT, letters[:size]) for number, size in enumerate(sizes)
    ]
    bundles = list(bundled(inputs))
    assert [item for bundle in bundles for item in bundle] == inputs
    for bundle in bundles:
        assert len(bundle) == 1 or sum(len(item.text or "") for item in bundle) <= 1 << 16


def test_small_documents_are_parsed_together_and_written_one_by_one(
    arctree: Arctree, pipeline_model: Path, tmp_path: Path
) -> None:
    corpus, output = tmp_path / "in", tmp_path / "out"
    corpus.mkdir()
    for number, sentence in enumerate(toy_treebank(300, 2)):
        (corpus / f"{number:03}.txt").write_text(" ".join(sentence.forms))
    (corpus / "007.txt").write_bytes(b"\xff")
    call = ("parse", "--model", pipeline_model, corpus, "-o", output)
    outcome = arctree(*call)
    assert outcome.status == 1
    assert "007.txt:1: byte 1 of the line" in outcome.err
    assert "299 documents, 2" in outcome.err
    whole = written(output)
    assert len(whole) == 299
    for name in ("000.conllu", "150.conllu", "299.conllu"):
        (output / name).unlink()
    times = {path: path.stat().st_mtime_ns for path in output.glob("*.conllu")}
    outcome = arctree(*call)
    assert "296 documents done already, and skipped" in outcome.err
    assert "3 documents, " in outcome.err
    assert written(output) == whole
    assert all(path.stat().st_mtime_ns == modified for path, modified in times.items())
    assert len(set(journal_of(output))) == 299


def test_a_journal_that_was_cut_short_does_no_harm(
    arctree: Arctree, pipeline_model: Path, tmp_path: Path
) -> None:
    corpus, output = tmp_path / "in", tmp_path / "out"
    corpus.mkdir()
    for name in "abc":
        (corpus / f"{name}.txt").write_text("the dog sees.")
    call = ("parse", "--model", pipeline_model, corpus, "-o", output)
    arctree(*call)
    whole, content = written(output), (output / JOURNAL).read_bytes()
    for end in range(0, len(content), 13):
        (output / JOURNAL).write_bytes(content[:end])
        (output / ".arctree-999999999-0.partial").write_text("of a run that was killed")
        assert arctree(*call).status == 0
        assert written(output) == whole
        assert sorted(journal_of(output)[-3:]) == ["a", "b", "c"]


def test_answers_beside_the_documents_are_not_read_as_documents(
    arctree: Arctree, pipeline_model: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("the dog sees.")
    call = ("parse", "--model", pipeline_model, tmp_path, "-o", tmp_path / "out")
    assert arctree(*call).status == 0
    assert "1 document done already" in arctree(*call).err


def test_nothing_is_overwritten_that_is_read(
    arctree: Arctree, pipeline_model: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("the dog sees.")
    conllu.write(toy_treebank(1, 1), str(tmp_path / "b.conllu"))
    before = written(tmp_path)
    call = ("parse", "--model", pipeline_model, tmp_path / "a.txt", tmp_path / "b.conllu", "-o")
    outcome = arctree(*call, tmp_path)
    assert outcome.status == 2
    assert "b.conllu would be overwritten" in outcome.err
    outcome = arctree(*call, tmp_path / "all.conllu")
    assert outcome.status == 2
    assert "the name of a file" in outcome.err
    outcome = arctree(*call, tmp_path / "a.txt")
    assert "this is a file" in outcome.err
    conllu.write(toy_treebank(1, 1), str(tmp_path / "a.conllu"))
    outcome = arctree("parse", "--model", pipeline_model, tmp_path, "-o", tmp_path / "new")
    assert outcome.status == 2
    assert "would both be written as a.conllu" in outcome.err
    (tmp_path / "a.conllu").unlink()
    assert {name: written(tmp_path)[name] for name in before} == before


def test_a_worker_that_dies_is_told_by_its_document_and_the_rest_goes_on(
    pipeline_model: Path, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text(toy_text(6000, 1))
    (tmp_path / "in" / "b.txt").write_text("the dog sees.")
    command = [sys.executable, "-m", "arctree", "parse", "--model", str(pipeline_model)]
    command += [str(tmp_path / "in"), "-o", str(tmp_path / "out"), "--workers", "1"]
    with subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True) as process:
        # When the first passage is written, the worker is at the second.
        wait_until(lambda: any(path.stat().st_size for path in partials(tmp_path / "out")))
        os.kill(workers_of(process.pid)[-1], signal.SIGKILL)
        _, said = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "a.txt: the worker process that parsed it was killed by signal 9" in said
    assert set(written(tmp_path / "out")) == {"b.conllu"}


def partials(folder: Path) -> list[Path]:
    return list(folder.glob(".arctree-[0-9]*.partial"))


def workers_of(parent: int) -> list[int]:
    command = ["ps", "-ww", "-A", "-o", "pid=", "-o", "ppid=", "-o", "args="]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    return [
        int(row[0]) for row in rows if row[1] == str(parent) and "spawn_main" in "".join(row[2:])
    ]


@pytest.mark.parametrize("workers", [0, 1])
def test_an_interrupted_run_stops_cleanly(
    pipeline_model: Path, tmp_path: Path, workers: int
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text(toy_text(12_000, 1))
    command = [sys.executable, "-m", "arctree", "parse", "--model", str(pipeline_model)]
    command += [str(tmp_path / "in"), "-o", str(tmp_path / "out"), "--workers", str(workers)]
    with subprocess.Popen(
        command,
        env=ENVIRONMENT,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests in the background has them ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        wait_until(lambda: bool(partials(tmp_path / "out")))
        workers_before = workers_of(process.pid)
        assert len(workers_before) == workers
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "the same command goes on" in said
    assert "Traceback" not in said
    assert written(tmp_path / "out") == {}
    for number in workers_before:
        assert not Path(f"/proc/{number}/cmdline").exists()


def test_ten_megabytes_are_parsed_in_bounded_memory(pipeline_model: Path, tmp_path: Path) -> None:
    """The words are long, so that there are few of them: what counts is the text."""
    paragraph = ("the " + "dog" * 40 + " sees the " + "cat" * 40 + ".\n") * 9 + "\n"
    peaks = []
    for size in (1_000_000, 10_000_000):
        (tmp_path / "in.txt").write_text(paragraph * (size // len(paragraph)))
        command = [sys.executable, "-m", "arctree", "parse", "--model", str(pipeline_model)]
        command += [str(tmp_path / "in.txt"), "-o", str(tmp_path / "out.conllu")]
        process = subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        peaks.append(used.ru_maxrss // 1024)
    assert peaks[1] - peaks[0] < 50
