"""A server of the explorer that runs in a thread, and a way to ask it; nothing stands in for it."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from importlib.resources import files
from threading import Event, Thread
from typing import Any

import jsonschema
import uvicorn
from starlette.types import ASGIApp

VALIDATOR = jsonschema.Draft202012Validator(
    json.loads(files("arctree.web").joinpath("exploration-schema.json").read_text("utf-8"))
)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode("utf-8")

    @property
    def json(self) -> Any:
        """The JSON of the answer, which is in the schema."""
        form = json.loads(self.content)
        VALIDATOR.validate(form)
        return form


@dataclass(frozen=True)
class Served:
    """A running server."""

    port: int

    def get(self, path: str, headers: dict[str, str] | None = None) -> Answer:
        return self.ask("GET", path, None, headers or {})

    def post(self, path: str, form: object, headers: dict[str, str] | None = None) -> Answer:
        return self.ask("POST", path, json.dumps(form).encode("ascii"), headers or {})

    def ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Answer:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            told = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, told, response.read())
        finally:
            connection.close()


@contextmanager
def serving(explorer: ASGIApp) -> Iterator[Served]:
    """The explorer on a free port of this machine, until the block ends."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=256)
    config = uvicorn.Config(explorer, log_level="error", access_log=False, lifespan="off")
    server = uvicorn.Server(config)
    stopped = Event()

    def run() -> None:
        try:
            server.run(sockets=[listening])
        finally:
            stopped.set()

    Thread(target=run, daemon=True).start()
    try:
        yield Served(listening.getsockname()[1])
    finally:
        server.should_exit = True
        stopped.wait(30)
        listening.close()
