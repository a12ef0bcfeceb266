from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock
from typing import Any

import pytest

from arctree.json_form import Json
from arctree.pipeline import Pipeline, folder_of, packaged_models
from arctree.web.models import Models
from arctree.web.server import STATIC, application
from web.served import VALIDATOR, Served, serving

AT_ONCE = 64


@pytest.fixture(scope="module")
def explorer() -> Iterator[Served]:
    with serving(application(Models.found())) as served:
        yield served


def test_the_page_and_its_files_are_served_with_their_types(explorer: Served) -> None:
    page = explorer.get("/")
    assert page.status == 200
    assert page.headers["content-type"].startswith("text/html")
    assert page.content == (STATIC / "index.html").read_bytes()
    script = explorer.get("/static/transitions.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert explorer.ask("HEAD", "/", None, {}).status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/static/",
        "/static/../server.py",
        "/static/%2e%2e/server.py",
        "/static/..%2fexamples%2f01-book.conllu",
        "/static//etc/passwd",
        "/static/none.js",
        "/static/a%00.js",
        f"/static/{'a' * 300}.js",
        "/server.py",
        "/api/none",
    ],
)
def test_nothing_else_is_served(explorer: Served, path: str) -> None:
    found = explorer.get(path)
    assert found.status == 404
    assert found.json["kind"] == "error"


def test_the_examples_come_as_they_are(explorer: Served) -> None:
    found = json.loads(explorer.get("/examples.json").content)
    assert found[0]["exploration"]["text"] == "Book me the morning flight"
    words = [word["form"] for item in found for word in item["exploration"]["words"]]
    assert "<script>alert('hi')</script>" in words
    for item in found:
        VALIDATOR.validate(item["exploration"])


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 200),
        ("GET", "/static/transitions.js", 200),
        ("GET", "/examples.json", 200),
        ("GET", "/api/models", 200),
        ("GET", "/none", 404),
        ("GET", "/api/parse", 405),
        ("POST", "/api/parse", 400),
    ],
)
def test_every_answer_has_the_headers_of_safety(
    explorer: Served, method: str, path: str, status: int
) -> None:
    found = explorer.ask(method, path, None, {})
    assert found.status == status
    policy = found.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert found.headers["x-content-type-options"] == "nosniff"
    assert found.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:1", "[::1]:8420", "LocalHost:8420"])
def test_the_names_of_this_machine_are_answered(explorer: Served, host: str) -> None:
    assert explorer.get("/", {"Host": host}).status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8420", "127.0.0.1.evil.example", "192.168.0.1", "["]
)
def test_a_name_made_to_point_here_is_refused(explorer: Served, host: str) -> None:
    found = explorer.get("/examples.json", {"Host": host})
    assert found.status == 421
    assert found.json["error"]["remedy"]
    assert "content-security-policy" in found.headers


def test_a_page_from_elsewhere_may_not_ask(explorer: Served) -> None:
    own = {"Origin": f"http://127.0.0.1:{explorer.port}"}
    assert explorer.post("/api/parse", {"text": "Go."}, own).status == 200
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1", "http://["):
        assert explorer.post("/api/parse", {"text": "Go."}, {"Origin": origin}).status == 403


def test_a_model_that_is_named_twice_is_there_once() -> None:
    packaged = packaged_models()
    assert Models.found(packaged[:1]).names == Models.found().names
    assert Models.found([folder_of(packaged[0]), *packaged]).names == Models.found().names


def test_a_server_for_others_answers_under_any_name() -> None:
    with serving(application(Models(), hosts=None)) as served:
        assert served.get("/examples.json", {"Host": "trees.example"}).status == 200


def test_a_server_for_others_keeps_their_pages_out_too() -> None:
    with serving(application(Models(), hosts=None)) as served:
        asked = {"Host": "trees.example", "Origin": "https://trees.example"}
        assert served.get("/examples.json", asked).status == 200
        assert (
            served.get("/examples.json", {**asked, "Origin": "https://evil.example"}).status == 403
        )


def test_a_body_over_the_limit_is_refused(explorer: Served) -> None:
    found = explorer.post("/api/derive", {"conllu": "x" * 1_000_000})
    assert found.status == 413
    assert "1,000,000 bytes" in found.json["error"]["fault"]


def test_without_a_model_the_page_lives_and_text_is_refused() -> None:
    with serving(application(Models())) as served:
        assert served.get("/").status == 200
        assert served.get("/api/models").json["models"] == []
        found = served.post("/api/parse", {"text": "Go."})
        assert found.status == 422
        assert "no model" in found.json["error"]["fault"]


def test_sentences_of_one_s_own_are_offered_first() -> None:
    own: Json = {"name": "mine", "note": "", "exploration": {}}
    with serving(application(Models(), [own])) as served:
        found = json.loads(served.get("/examples.json").content)
    assert found[0] == own
    assert found[1]["name"] == "The paper's sentence"


def test_many_requests_at_once_are_all_answered_and_the_page_meanwhile(explorer: Served) -> None:
    texts = [f"Book me {number} flights. They leave at noon." for number in range(AT_ONCE)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        parsed = [pool.submit(explorer.post, "/api/parse", {"text": text}) for text in texts]
        assert explorer.get("/").status == 200
        assert explorer.post("/api/derive", {"words": ["a"], "heads": [0]}).status == 200
        for text, future in zip(texts, parsed, strict=True):
            answer = future.result()
            assert answer.status == 200
            found = answer.json["explorations"]
            assert " ".join(item["text"] for item in found) == text
            assert all(item["transitions"] for item in found)


class Gated(Models):
    """Models that parse a text when they are let."""

    def __init__(self) -> None:
        super().__init__([Pipeline.load("en")])
        self.gate = Event()
        self.begun = Event()
        self.texts: list[str] = []
        self._lock = Lock()

    def parse_text(self, text: str, model: str | None = None) -> list[Json]:
        with self._lock:
            self.texts.append(text)
            if len(self.texts) == 2:
                self.begun.set()
        self.gate.wait(60)
        return super().parse_text(text, model)


def test_while_texts_are_parsed_everything_else_is_answered() -> None:
    models = Gated()
    with serving(application(models)) as served, ThreadPoolExecutor(AT_ONCE) as pool:
        waiting = [pool.submit(served.post, "/api/parse", {"text": "Go."}) for _ in range(AT_ONCE)]
        try:
            assert models.begun.wait(60)
            assert served.get("/").status == 200
            assert served.get("/examples.json").status == 200
            assert served.post("/api/derive", {"words": ["a"], "heads": [0]}).status == 200
            score = {"words": ["Go"], "actions": "S"}
            assert served.post("/api/score", score).status == 200
            assert not any(future.done() for future in waiting)
        finally:
            models.gate.set()
        assert [future.result().status for future in waiting] == [200] * AT_ONCE


def test_whoever_has_gone_is_not_parsed_for() -> None:
    models = Gated()
    with serving(application(models)) as served, ThreadPoolExecutor(4) as pool:
        try:
            first = [pool.submit(served.post, "/api/parse", {"text": "Go."}) for _ in range(2)]
            assert models.begun.wait(60)
            leave_at_once(served.port, {"text": "Gone."})
            # Once these are answered, the server has seen that nobody waits.
            assert {served.get("/api/models").status for _ in range(5)} == {200}
            # Turns come in the order of arrival.
            last = pool.submit(served.post, "/api/parse", {"text": "Last."})
        finally:
            models.gate.set()
        assert [future.result().status for future in (*first, last)] == [200] * 3
        assert sorted(models.texts) == ["Go.", "Go.", "Last."]


def leave_at_once(port: int, form: Any) -> None:
    body = json.dumps(form).encode("ascii")
    head = f"POST /api/parse HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(head.encode("ascii") + body)


def test_a_queue_that_is_full_says_so() -> None:
    with serving(application(Models(), most_waiting=0)) as served:
        found = served.post("/api/derive", {"words": ["a"], "heads": [0]})
    assert found.status == 503
    assert "waiting" in found.json["error"]["fault"]
