"""The explorer's server: the page, its files, the examples, and the questions of the API.

The event loop only reads requests and writes answers; all work is done in threads. Requests to
parse stand in a queue of their own, so that the page and everything else are answered at once while
a long text is parsed. Whoever has gone by the time their turn comes is not parsed for.

Nothing that a page from elsewhere could do with it is allowed: every answer has a strict policy of
where content may come from, and on this machine's own address the server listens to its own names
and its own pages only, so that no other site can reach it through the reader's browser.
"""

from __future__ import annotations

import json
import re
from asyncio import Semaphore
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arctree.errors import ArctreeError
from arctree.json_form import Json, heading
from arctree.web.api import QUESTIONS, Question, answer, error_answer, fault
from arctree.web.examples import examples
from arctree.web.models import Models
from arctree.web.reading import MOST_BYTES, too_many

STATIC = Path(__file__).parent / "static"
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

# Requests under way at most; of those, how many parse at once, and how many do other work.
MOST_WAITING = 256
_PARSING_AT_ONCE = 2
_WORKING_AT_ONCE = 8

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
_MEDIA_TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}

_Endpoint = Callable[[Request], Awaitable[Response]]


def application(
    models: Models,
    offered: Iterable[Json] = (),
    *,
    hosts: frozenset[str] | None = LOOPBACK,
    most_waiting: int = MOST_WAITING,
) -> ASGIApp:
    """The explorer as an ASGI application.

    ``offered`` are sentences that the page offers before the examples, as
    :func:`arctree.web.examples.offer` makes them. ``hosts`` are the names under which it
    answers; None allows any, for servers that are meant to be reached from elsewhere. More than
    ``most_waiting`` requests at once are told to come again.
    """
    shown = _json([*offered, *examples()])
    known = _json({**heading("models"), **models.to_json()})
    desk = Desk(models, most_waiting)

    async def page(_: Request) -> Response:
        return _file("index.html")

    async def static(request: Request) -> Response:
        return _file(request.path_params["path"])

    async def examples_file(_: Request) -> Response:
        return _json_response(shown)

    async def models_file(_: Request) -> Response:
        return _json_response(known)

    routes = [
        Route("/", page),
        Route("/static/{path:path}", static),
        Route("/examples.json", examples_file),
        Route("/api/models", models_file),
    ]
    for name, question in QUESTIONS.items():
        routes.append(Route(f"/api/{name}", desk.endpoint(question), methods=["POST"]))
    handlers: Any = {HTTPException: _not_there, Exception: _broken}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), hosts)


class Desk:
    """Where questions are answered, in threads, each kind in a queue of its own."""

    def __init__(self, models: Models, most_waiting: int) -> None:
        self._models = models
        self._most_waiting = most_waiting
        self._waiting = 0
        self._parsing = Semaphore(_PARSING_AT_ONCE)
        self._working = Semaphore(_WORKING_AT_ONCE)

    def endpoint(self, question: Question) -> _Endpoint:
        """The endpoint of a question."""

        async def ask(request: Request) -> Response:
            try:
                return await self._answered(request, question, await _body(request))
            except ArctreeError as error:
                status, told = error_answer(error)
                return _json_response(_json(told), status)
            except ClientDisconnect:
                return Response(status_code=_GONE)

        return ask

    async def _answered(self, request: Request, question: Question, body: bytes) -> Response:
        if self._waiting >= self._most_waiting:
            told = fault("too many requests are waiting", "ask again in a moment")
            return _json_response(_json(told), 503)
        self._waiting += 1
        try:
            async with self._parsing if question.is_long else self._working:
                if await request.is_disconnected():
                    return Response(status_code=_GONE)
                return _json_response(await run_in_threadpool(self._work, question, body))
        finally:
            self._waiting -= 1

    def _work(self, question: Question, body: bytes) -> bytes:
        return _json(answer(question, body, self._models))


class Guard:
    """Security headers on every answer, and a check of who asks.

    A request that a page elsewhere sends is told apart by its origin; and on this machine's own
    address a page whose name was made to point here ("DNS rebinding") by the name it asks for.
    """

    def __init__(self, inner: ASGIApp, hosts: frozenset[str] | None) -> None:
        self._inner = inner
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        refusal = self._refusal(Headers(scope=scope))
        await (refusal or self._inner)(scope, receive, send_with_headers)

    def _refusal(self, headers: Headers) -> Response | None:
        host = headers.get("host", "")
        name = _PORT.sub("", host.lower()).strip("[]")
        if self._hosts is not None and name not in self._hosts:
            told = fault(f"no such host here: {host}", "use the address that arctree serve printed")
            return _json_response(_json(told), 421)
        origin = headers.get("origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            told = fault(f"a page of {origin} may not ask here", "open the explorer's own page")
            return _json_response(_json(told), 403)
        return None


_PORT = re.compile(r":[0-9]+$")
# What the log calls an answer that nobody waits for any more.
_GONE = 499


async def _body(request: Request) -> bytes:
    """The request's body, of which no more is read than is allowed."""
    parts = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BYTES:
            raise too_many("bytes", MOST_BYTES)
        parts.append(part)
    return b"".join(parts)


def _file(name: str) -> Response:
    """A file of the page, by the names there are: what was asked for never becomes a path."""
    path = _static_files().get(name)
    if path is None:
        raise HTTPException(404)
    return FileResponse(path, media_type=_MEDIA_TYPES[path.suffix])


@cache
def _static_files() -> dict[str, Path]:
    found = (path for path in STATIC.rglob("*") if path.suffix in _MEDIA_TYPES)
    return {path.relative_to(STATIC).as_posix(): path for path in found}


async def _not_there(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    remedy = "see docs/explorer-api.md for what can be asked"
    told = fault(f"{request.method} {request.url.path}: {error.detail}", remedy)
    return _json_response(_json(told), error.status_code, error.headers)


async def _broken(_: Request, __: Exception) -> Response:
    told = fault("a fault of the server's own", "its terminal tells more; please report it")
    return _json_response(_json(told), 500)


def _json(form: object) -> bytes:
    """JSON in UTF-8; half a character, which UTF-8 cannot hold, is escaped."""
    return json.dumps(form, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _json_response(
    content: bytes, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    return Response(content, status, headers, media_type="application/json")
