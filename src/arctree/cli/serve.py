"""``arctree serve``: the explorer, in the browser."""

from __future__ import annotations

import errno
import ipaddress
import os
import signal
import socket
import sys
import webbrowser
from pathlib import Path
from threading import Thread
from typing import Annotated

import typer

from arctree.cli.options import check_standard_input
from arctree.cli.report import say
from arctree.errors import CallError, DataError, MissingExtraError
from arctree.files import display_name
from arctree.json_form import Json

EXAMPLES = """\b
Examples:
  arctree serve                                 type a sentence, or pick an example
  arctree serve treebank.conllu                 its sentences are offered first
  arctree serve --model models/mine --port 0    another parser, any free port
  arctree serve --no-browser                    only print the address
"""


def run(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE", help="CoNLL-U or brackets, to be offered first."),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="The address to listen on.")
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option("--port", metavar="N", min=0, max=65535, help="The port; 0 is any free one."),
    ] = 8420,
    models: Annotated[
        list[str] | None,
        typer.Option("--model", metavar="DIR", help="A model to parse with, too; may be repeated."),
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Open no browser; only print the address.")
    ] = False,
) -> None:
    """Watch derivations build trees: a page in the browser, served by this machine to itself.

    The model that comes with arctree parses what is typed; without one, the page takes trees.
    Ctrl-C ends it.
    """
    try:
        from arctree.web.models import Models
        from arctree.web.running import serve
        from arctree.web.server import LOOPBACK, application
    except ImportError as error:
        raise MissingExtraError(f"the explorer needs {error.name}", "web") from error
    known = Models.found(models or ())
    offered = _offered(files or [])
    listening = _listening(host, port)
    address = _address(listening)
    if not _is_loopback(host):
        say(
            "serve",
            f"{host} can be reached from other machines: whoever reaches it may use the explorer "
            "without a password; leave out --host to keep it to this one",
        )
    explorer = application(
        known, offered, hosts=LOOPBACK | {host.lower()} if _is_loopback(host) else None
    )

    def ready() -> None:
        say("serve", f"the explorer is at {address} (Ctrl-C ends it)")
        if not no_browser and _has_screen():
            # Some browsers come back only when they are closed.
            Thread(target=webbrowser.open, args=[address], daemon=True).start()

    Thread(target=known.load).start()
    try:
        serve(explorer, listening, ready)
    except KeyboardInterrupt:
        # A parse that is under way is waited for, as it cannot be broken off; a second Ctrl-C
        # does not wait.
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _offered(files: list[str]) -> list[Json]:
    """The sentences of the files, as many as a page can offer."""
    from arctree.web.examples import offer, own_sentences
    from arctree.web.reading import MOST_SENTENCES, MOST_WORDS_OF_A_SENTENCE

    check_standard_input(*files)
    offered: list[Json] = []
    for file in files:
        place = display_name(file)
        for name, sentence in own_sentences(file):
            if len(sentence) > MOST_WORDS_OF_A_SENTENCE:
                said = f"sentence {name} has {len(sentence):,} words"
                say("serve", f"{place}: {said}: it is left out")
                continue
            if len(offered) == MOST_SENTENCES:
                say("serve", f"{place}: the page offers the first {MOST_SENTENCES} sentences only")
                return offered
            try:
                offered.append(offer(name, Path(place).name, sentence))
            except DataError as error:
                raise error.at(file=place, line=sentence.line, sentence=name) from None
    return offered


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens on the address."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError):
        raise CallError(f"--host {host}: no such address on this machine") from None
    listening = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":  # elsewhere this would let two servers share the port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(place)
        listening.listen(socket.SOMAXCONN)
    except OSError as error:
        listening.close()
        raise _unusable(host, port, error) from None
    return listening


def _unusable(host: str, port: int, error: OSError) -> CallError:
    if error.errno == errno.EADDRINUSE:
        return CallError(
            f"port {port} is taken, perhaps by another arctree serve; "
            f"give another one with --port {port % 65535 + 1}, or any free one with --port 0"
        )
    said = error.strerror or str(error)
    if isinstance(error, PermissionError):
        return CallError(f"port {port}: {said}; give one above 1023 with --port")
    return CallError(f"{host}, port {port}: cannot listen there: {said}")


def _address(listening: socket.socket) -> str:
    """The address of the page, for a browser on this machine."""
    host, port = listening.getsockname()[:2]
    if ipaddress.ip_address(host).is_unspecified:
        host = "127.0.0.1"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _has_screen() -> bool:
    """Whether a browser would open a window, rather than take over this terminal."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
