"""``<arctree-derivation>`` in somebody else's page: its properties, its events, its keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from shutil import copytree
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from arctree.dependency import DependencyTree
from arctree.web.exploration import exploration
from arctree.web.page import static_folder
from web.browsing import Explorer, Watched

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.xdist_group("browser-3")

SLEEPS = DependencyTree(("he", "sleeps", "well"), (2, 0, 2), ("nsubj", "root", "advmod"))
PAGE = """<!doctype html><meta charset="utf-8"><title>Mine</title><link rel="icon" href="data:,">
<script type="module" src="static/derivation-element.js"></script>
<p><input id="field"></p>
<arctree-derivation id="one" src="sleeps.json"></arctree-derivation>
<arctree-derivation id="two" keys="focus"><script type="application/json">%s</script>
</arctree-derivation>
<arctree-derivation id="three"></arctree-derivation>
"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        return


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Explorer]:
    copytree(str(static_folder()), tmp_path / "static")
    form = json.dumps(exploration(SLEEPS))
    (tmp_path / "sleeps.json").write_text(form, "utf-8")
    (tmp_path / "index.html").write_text(PAGE % form, "utf-8")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    Thread(target=server.serve_forever, daemon=True).start()
    watch = Watched(browser)
    opened = Explorer(watch.context.new_page(), watch, f"http://127.0.0.1:{server.server_port}/")
    opened.open()
    opened.until("document.querySelector('#two').exploration !== null")
    yield opened
    watch.context.close()
    server.shutdown()
    server.server_close()
    assert watch.complaints == []


def test_it_reads_its_source_or_what_stands_inside(page: Explorer) -> None:
    for name in ("#one", "#two"):
        assert page.state(name)["words"] == list(SLEEPS.words)
    assert "no sentence yet" in page.page.locator("#three .empty").inner_text()


def test_properties_are_set_and_events_come_out(page: Explorer) -> None:
    told = page.page.evaluate(
        """() => {
          const told = [];
          for (const name of ["arctree-step", "arctree-focus"]) {
            const tell = ({ detail, target }) => told.push([name, target.id, detail]);
            document.addEventListener(name, tell);
          }
          const one = document.querySelector("#one");
          one.step = 2;
          one.actions = "SSSRLR";
          one.focused = 3;
          return told;
        }"""
    )
    assert [(name, target) for name, target, _ in told] == [
        ("arctree-step", "one"),
        ("arctree-step", "one"),
        ("arctree-focus", "one"),
    ]
    assert told[0][2]["step"] == 2
    assert told[1][2]["actions"] == "SSSRLR"
    assert told[2][2]["position"] == 3


def test_an_illegal_derivation_is_an_error_and_changes_nothing(page: Explorer) -> None:
    said = page.page.evaluate(
        "() => { try { document.querySelector('#one').actions = 'SL'; return null; }"
        " catch (error) { return error.message; } }"
    )
    assert said
    assert page.state("#one")["actions"] == "SSLSRR"


def test_keys_belong_to_the_element_used_last(page: Explorer) -> None:
    page.press("ArrowRight")
    assert (page.state("#one")["step"], page.state("#two")["step"]) == (1, 0)
    page.page.locator("#two [data-command=on]").click()
    assert (page.state("#one")["step"], page.state("#two")["step"]) == (1, 1)
    page.press("ArrowRight")
    assert (page.state("#one")["step"], page.state("#two")["step"]) == (1, 2)
    page.page.locator("#field").focus()
    page.press("ArrowRight", "s")
    assert (page.state("#one")["step"], page.state("#two")["step"]) == (1, 2)


def test_a_sentence_can_be_put_in_and_taken_out(page: Explorer) -> None:
    page.page.evaluate(
        "form => { document.querySelector('#three').exploration = form; }",
        exploration(DependencyTree(("go",), (0,), ("root",))),
    )
    assert page.state("#three")["words"] == ["go"]
    page.page.evaluate("document.querySelector('#three').exploration = null")
    assert "no sentence yet" in page.page.locator("#three .empty").inner_text()


def test_a_source_that_is_not_there_is_told(page: Explorer) -> None:
    page.watch.forgive("404")
    page.page.evaluate("document.querySelector('#three').setAttribute('src', 'nowhere.json')")
    page.until(
        "document.querySelector('#three').shadowRoot.textContent.includes('could not be read')"
    )
    assert "404" in page.page.locator("#three .empty").inner_text()
