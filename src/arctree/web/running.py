"""Running the explorer's server until it is told to end."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

# Seconds that answers under way are given when the server ends.
_GRACE = 1


def serve(explorer: ASGIApp, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Answer on a socket that listens; ``ready`` is called once answers can be had."""
    config = uvicorn.Config(
        explorer,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=_GRACE,
    )
    _Server(config, ready).run(sockets=[listening])


class _Server(uvicorn.Server):
    """A server that says when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Whoever ends the server knows that answers under way are lost.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        await super().shutdown(sockets)
