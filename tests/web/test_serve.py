"""``arctree serve``, as a person calls it."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path

import pytest

from command_line import BAD, PROJECT, TREEBANK, Arctree
from web.served import Served

BOOK = PROJECT / "examples" / "book.conllu"


@contextmanager
def started(
    *arguments: str | Path, **environment: str
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command in a process of its own, and what it has said once it answers."""
    with subprocess.Popen(
        [sys.executable, "-m", "arctree", "serve", "--port", "0", *map(str, arguments)],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    ) as process:
        try:
            assert process.stderr is not None
            said = ""
            for line in process.stderr:
                said += line
                if "the explorer is at" in line:
                    break
            yield process, said
        finally:
            if process.poll() is None:
                process.kill()


def served(said: str) -> Served:
    address = re.search(r"http://127\.0\.0\.1:([0-9]+)/", said)
    assert address, said
    return Served(int(address[1]))


def test_it_answers_offers_the_files_first_and_ends_quietly(tmp_path: Path) -> None:
    brackets = tmp_path / "trees.mrg"
    brackets.write_text("\n(root (_ a)\n  (UA (_ b)))\n(root (_ c))\n", "utf-8")
    with started(BOOK, brackets, "--no-browser") as (process, said):
        explorer = served(said)
        assert explorer.get("/").status == 200
        offered = json.loads(explorer.get("/examples.json").content)
        assert [item["name"] for item in offered[:4]] == ["book", "1", "2", "The paper's sentence"]
        assert [item["note"] for item in offered[:3]] == ["book.conllu", "trees.mrg", "trees.mrg"]
        assert explorer.get("/api/models").json["default"] == "en"
        assert explorer.post("/api/parse", {"text": "Go home."}).status == 200
        process.send_signal(signal.SIGINT)
        out, rest = process.communicate()
    assert (process.returncode, out, rest) == (0, "", "")


def test_ended_while_it_parses_it_is_quiet_too() -> None:
    text = {"text": "The fox that slept under the tree woke up and went to look for food. " * 150}
    with started("--no-browser") as (process, said), ThreadPoolExecutor(4) as pool:
        explorer = served(said)
        asked = [pool.submit(explorer.post, "/api/parse", text) for _ in range(4)]
        assert explorer.post("/api/parse", {"text": "Go."}).status == 200
        process.send_signal(signal.SIGINT)
        _, rest = process.communicate()
        wait(asked)
    assert (process.returncode, rest) == (0, "")


def test_told_to_end_it_ends() -> None:
    with started("--no-browser") as (process, _):
        process.terminate()
        _, rest = process.communicate()
    assert process.returncode in (128 + signal.SIGTERM, -signal.SIGTERM)
    assert "Traceback" not in rest


@pytest.mark.skipif(os.name != "posix", reason="the browser is a shell script")
def test_the_browser_is_opened_at_the_page(tmp_path: Path) -> None:
    browser, visited = tmp_path / "browser", tmp_path / "visited"
    os.mkfifo(visited)
    browser.write_text(f'#!/bin/sh\necho "$1" > {visited}\n', "utf-8")
    browser.chmod(0o755)
    with started(BROWSER=str(browser)) as (_, said):
        with visited.open() as pipe:
            address = pipe.read().strip()
        assert address in said


def test_a_port_that_is_taken_is_named_with_the_remedy(arctree: Arctree) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        outcome = arctree("serve", "--no-browser", "--port", str(port))
    assert outcome.status == 2
    assert f"port {port} is taken" in outcome.err
    assert "--port 0" in outcome.err


def test_an_address_that_is_not_there_is_named(arctree: Arctree) -> None:
    outcome = arctree("serve", "--no-browser", "--port", "0", "--host", "no such host")
    assert outcome.status == 2
    assert "no such address" in outcome.err
    outcome = arctree("serve", "--no-browser", "--port", "0", "--host", "192.0.2.1")
    assert outcome.status == 2
    assert "cannot listen there" in outcome.err


def test_bad_files_and_models_are_named(arctree: Arctree, tmp_path: Path) -> None:
    bad = tmp_path / "bad.conllu"
    bad.write_text(TREEBANK + BAD, "utf-8")
    outcome = arctree("serve", "--no-browser", bad)
    assert outcome.status == 1
    assert "bad.conllu:14" in outcome.err
    unclosed = tmp_path / "bad.mrg"
    unclosed.write_text("(root (_ a)\n", "utf-8")
    outcome = arctree("serve", "--no-browser", unclosed)
    assert outcome.status == 1
    assert "bad.mrg:1" in outcome.err
    outcome = arctree("serve", "--no-browser", tmp_path / "none.conllu")
    assert outcome.status == 2
    outcome = arctree("serve", "--no-browser", "--model", tmp_path / "none")
    assert outcome.status == 2
    assert "no such model directory" in outcome.err
    outcome = arctree("serve", "-", "-")
    assert outcome.status == 2
    assert "only once" in outcome.err


def test_a_treebank_is_offered_as_far_as_a_page_can(tmp_path: Path) -> None:
    treebank, long = tmp_path / "treebank.conllu", tmp_path / "long.mrg"
    treebank.write_text(BOOK.read_text("utf-8") * 201, "utf-8")
    long.write_text("(root (_ a)" + " (UA (_ b))" * 500 + ")\n", "utf-8")
    with started(long, treebank, "--no-browser") as (_, said):
        assert "sentence 1 has 501 words: it is left out" in said
        assert "the first 200 sentences only" in said
        offered = json.loads(served(said).get("/examples.json").content)
    assert offered[199]["name"] == "book"
    assert offered[200]["name"] == "The paper's sentence"


def test_bound_elsewhere_it_warns_and_answers_under_any_name() -> None:
    with started("--no-browser", "--host", "0.0.0.0") as (_, said):
        assert "can be reached from other machines" in said
        assert "without a password" in said
        explorer = served(said)
        assert explorer.get("/api/models", {"Host": "trees.example"}).status == 200


def test_on_this_machine_alone_it_does_not_warn() -> None:
    with started("--no-browser", "--host", "localhost") as (_, said):
        assert "password" not in said


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_without_the_extra_it_says_what_to_install(missing: str) -> None:
    program = (
        f"import sys; sys.modules[{missing!r}] = None; sys.argv = ['arctree', 'serve'];"
        "from arctree.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert f"needs {missing}" in done.stderr
    assert "pip install 'arctree[web]'" in done.stderr


def test_the_command_line_starts_without_a_server() -> None:
    program = (
        "import sys, arctree.cli; print({'starlette', 'uvicorn', 'asyncio'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


def test_help_shows_how_it_is_called(arctree: Arctree) -> None:
    outcome = arctree("serve", "--help")
    assert outcome.status == 0
    assert "arctree serve --model models/mine" in outcome.out
    assert "8420" in outcome.out
