"""The explorer in a real browser: Debian's Chromium, a running server, and the packaged model."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from arctree.web.models import Models
from arctree.web.server import application
from web.browsing import Explorer, Watched
from web.served import Served, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

NAMES = ("chromium", "chromium-browser", "google-chrome")
# No sandbox, since a test machine often is a container of its own; and nothing calls home.
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
Open = Callable[..., Explorer]


@pytest.fixture(scope="session")
def chromium() -> str:
    """Where Chromium is."""
    for name in NAMES:
        path = shutil.which(name)
        if path is not None:
            return path
    pytest.skip(f"there is no browser: none of {', '.join(NAMES)} is installed")


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    """One browser for all tests of this process; tests have contexts of their own."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """A running server that has loaded the model which comes with arctree."""
    models = Models.found()
    models.load()
    with serving(application(models)) as running:
        yield running


@pytest.fixture
def watched(browser: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """Makes contexts; whatever a browser complains of in them fails the test."""
    watches: list[Watched] = []

    def make(**options: object) -> BrowserContext:
        watches.append(Watched(browser, **options))
        return watches[-1].context

    yield make
    for watch in watches:
        watch.context.close()
    assert [complaint for watch in watches for complaint in watch.complaints] == []


@pytest.fixture
def explore(browser: Browser, served: Served) -> Iterator[Open]:
    """Opens the explorer in a context of its own: ``explore(width=390, fragment="#...")``.

    Console errors, page errors, dialogs, requests to elsewhere and violations of the
    Content-Security-Policy fail the test.
    """
    watches: list[Watched] = []

    def open_explorer(
        *, width: int = 1400, height: int = 900, fragment: str = "", **options: object
    ) -> Explorer:
        watch = Watched(browser, viewport={"width": width, "height": height}, **options)
        watches.append(watch)
        explorer = Explorer(watch.context.new_page(), watch, f"http://127.0.0.1:{served.port}/")
        explorer.open(fragment)
        return explorer

    yield open_explorer
    for watch in watches:
        watch.context.close()
    assert [complaint for watch in watches for complaint in watch.complaints] == []


@pytest.fixture
def explorer(explore: Open) -> Explorer:
    """The explorer as it opens, with the paper's sentence."""
    return explore()
