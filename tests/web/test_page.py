"""The stand-alone page: as text, and in a real browser with the network off."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import as_file
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from arctree.dependency import DependencyTree
from arctree.json_form import Json
from arctree.oracle import derive
from arctree.web.exploration import Scores, exploration
from arctree.web.page import stand_alone, static_folder

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Frame, Page

# One browser serves them all.
pytestmark = pytest.mark.xdist_group("browser-page")

HOSTILE = DependencyTree(
    ("<script>alert(1)</script>", '"onload="', "</script>", "a\u2028b", "&lt;", "<!--"),
    (0, 1, 1, 1, 1, 1),
    ("root", "<marquee>", '"', "x", "&amp;", "-->"),
    ("<i>", "_", "_", "'", "_", "_"),
)
SLEEPS = DependencyTree(("he", "sleeps", "well"), (2, 0, 2), ("nsubj", "root", "advmod"))
CROSSING = DependencyTree(tuple("abcd"), (3, 4, 0, 3), ("x", "y", "root", "z"))


class Reader(HTMLParser):
    """What a browser's parser sees: elements with attributes, and what scripts and styles hold."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self.inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        self.inside = f"{tag} {attributes['type']}" if "type" in attributes else tag

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        self.texts[self.inside] = self.texts.get(self.inside, "") + data

    def policy(self) -> str:
        (policy,) = (
            attributes["content"]
            for _, attributes in self.elements
            if attributes.get("http-equiv") == "Content-Security-Policy"
        )
        assert policy is not None
        return policy


def page_of(*trees: DependencyTree, title: str = "some trees") -> str:
    return stand_alone([exploration(tree, latex=True) for tree in trees], title=title)


def test_the_data_is_the_explorations_whatever_their_words(book: DependencyTree) -> None:
    page = page_of(book, HOSTILE, title="</title><script>alert(1)</script>")
    reader = Reader(page)
    data = reader.texts["script application/json"]
    assert json.loads(data) == {
        "explorations": [exploration(tree, latex=True) for tree in (book, HOSTILE)],
        "actions": None,
    }
    assert not re.search("[<>&\u2028\u2029]", data)
    assert [tag for tag, _ in reader.elements].count("script") == 2
    assert reader.texts["title"] == "</title><script>alert(1)</script>"
    assert reader.texts["h1"] == "</title><script>alert(1)</script>"


def test_a_word_that_utf_8_cannot_hold_does_not_spoil_the_page() -> None:
    page = page_of(DependencyTree(("\ud800",), (0,), ("root",)), title="\ud800")
    page.encode("utf-8")
    data = json.loads(Reader(page).texts["script application/json"])
    assert data["explorations"][0]["words"][0]["form"] == "\ud800"


def test_the_policy_allows_the_page_s_own_script_and_style_and_nothing_else(
    book: DependencyTree,
) -> None:
    reader = Reader(page_of(book))
    rules = dict(rule.split(" ", 1) for rule in reader.policy().split("; "))
    assert rules.pop("default-src") == "'none'"
    assert rules.pop("script-src") == hashed(reader.texts["script module"])
    assert rules.pop("style-src") == hashed(reader.texts["style"])
    assert rules.pop("img-src") == "data: blob:"
    assert set(rules.values()) == {"'none'"}
    for _, attributes in reader.elements:
        assert not {"style", "src", "href", "srcset", "action"} & set(attributes)
        assert not [name for name in attributes if name.startswith("on")]


def hashed(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def test_the_page_needs_nothing_that_only_the_server_needs() -> None:
    program = (
        "import sys; sys.modules['starlette'] = sys.modules['uvicorn'] = None; "
        "import arctree; from arctree.web.exploration import Scores, exploration; "
        "from arctree.web.page import stand_alone; "
        "tree = arctree.DependencyTree(('a',), (0,), ('root',)); "
        "print(stand_alone([exploration(tree)], title='a')[:15], 'numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "<!doctype html> False\n"


def test_the_modules_lie_where_one_can_copy_them_from() -> None:
    assert (static_folder() / "derivation-element.js").is_file()


# ---- in the browser ----


Open = Callable[..., "Page"]


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Opens a page from a file, with no network; whatever the browser complains of fails."""
    context = browser.new_context(offline=True, accept_downloads=True)
    complaints: list[str] = []

    def open_page(text: str, fragment: str = "", **options: Any) -> Page:
        path = tmp_path / "page.html"
        path.write_text(text, "utf-8")
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.on(
            "request",
            lambda request: (
                complaints.append(request.url)
                if request.url.split(":")[0] not in ("file", "blob", "data")
                else None
            ),
        )
        page.goto(path.as_uri() + fragment)
        wait_until(page, "document.querySelector('arctree-derivation').exploration !== null")
        return page

    yield open_page
    context.close()
    assert complaints == []


def wait_until(page: Page | Frame, fact: str) -> None:
    """Ask from outside: the page's policy forbids what Playwright would wait with inside."""
    for _ in range(200):
        if page.evaluate(fact):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never became true: {fact}")


def state(page: Page) -> Json:
    return dict(
        page.evaluate(
            """() => {
              const { step, actions, exploration } = document.querySelector("arctree-derivation");
              return { step, actions, words: exploration.words.map(({ form }) => form) };
            }"""
        )
    )


def everything_said(page: Page) -> str:
    """All text of the page, that in shadow roots included."""
    return str(
        page.evaluate(
            """() => {
              const texts = [];
              const agenda = [document.body];
              while (agenda.length) {
                const node = agenda.pop();
                if (node.nodeType === 3) texts.push(node.data);
                if (node.shadowRoot) agenda.push(node.shadowRoot);
                if (!["SCRIPT", "STYLE"].includes(node.nodeName)) agenda.push(...node.childNodes);
              }
              return texts.join("\\n");
            }"""
        )
    )


def test_it_is_stepped_through_with_the_network_off(opened: Open, book: DependencyTree) -> None:
    page = opened(page_of(book))
    assert state(page) == {"step": 0, "actions": "SSRSSSLLRR", "words": list(book.words)}
    assert page.locator("#sentences").is_hidden()
    page.keyboard.press("ArrowRight")
    assert state(page)["step"] == 1
    page.keyboard.press("End")
    assert state(page)["step"] == 10
    page.keyboard.press("Home")
    assert state(page)["step"] == 0


def test_words_are_shown_as_they_are(opened: Open) -> None:
    page = opened(page_of(HOSTILE, title="<b>title</b>"))
    page.evaluate("document.querySelector('arctree-derivation').step = 12")
    said = everything_said(page)
    for word in ("<script>alert(1)</script>", '"onload="', "</script>", "a␤b", "&lt;", "<!--"):
        assert word in said
    for label in ("<marquee>", "&amp;", "-->"):  # short enough in any font
        assert label in said
    assert page.locator("h1").inner_text() == "<b>title</b>"
    assert page.locator("marquee").count() == 0


def test_several_sentences_are_turned_over_like_pages(opened: Open, book: DependencyTree) -> None:
    page = opened(page_of(book, SLEEPS, CROSSING))
    assert page.locator("#sentence-choice option").all_inner_texts() == [
        "1. book me the morning flight",
        "2. he sleeps well",
        "3. a b c d",
    ]
    assert page.locator("#previous-sentence").is_disabled()
    page.locator("#next-sentence").click()
    assert state(page)["words"] == list(SLEEPS.words)
    page.keyboard.press("ArrowRight")  # after a click the keys are the derivation's
    assert state(page)["step"] == 1
    page.locator("#sentence-choice").select_option(index=2)
    assert state(page)["words"] == list(CROSSING.words)
    assert page.locator("#next-sentence").is_disabled()
    page.locator("#previous-sentence").click()
    assert state(page)["words"] == list(SLEEPS.words)


def test_a_link_leads_back_to_the_sentence_the_derivation_and_the_step(
    opened: Open, book: DependencyTree
) -> None:
    text = page_of(book, SLEEPS)
    page = opened(text)
    page.locator("#next-sentence").click()
    page.evaluate(
        "() => { const e = document.querySelector('arctree-derivation');"
        " e.actions = 'SSSRLR'; e.step = 4; }"
    )
    page.locator("#take-away-open").click()
    link = page.get_by_label("Link to this step").last.input_value()
    wait_until(page, f"location.href === {json.dumps(link)}")  # the address follows
    fragment = "#" + link.partition("#")[2]
    again = opened(text, fragment)
    assert state(again) == {"step": 4, "actions": "SSSRLR", "words": list(SLEEPS.words)}
    assert again.locator("#sentence-choice").evaluate("choice => choice.selectedIndex") == 1


@pytest.mark.parametrize(("stage", "place"), [("lifts", 0), ("derivation", 0), ("returns", 0)])
def test_a_link_leads_back_to_the_place_on_the_journey(
    opened: Open, stage: str, place: int
) -> None:
    text = page_of(CROSSING)
    page = opened(text)
    page.evaluate(
        "([stage, place]) => Object.assign(document.querySelector('arctree-derivation'),"
        " { stage, place })",
        [stage, place],
    )
    page.locator("#take-away-open").click()
    link = page.get_by_label("Link to this step").last.input_value()
    again = opened(text, "#" + link.partition("#")[2])
    shown = "(({ stage, place }) => [stage, place])(document.querySelector('arctree-derivation'))"
    assert again.evaluate(shown) == [stage, place]


@pytest.mark.parametrize("fragment", ["#nonsense", "#%F0%00", "#" + "x" * 5000])
def test_a_link_that_leads_nowhere_is_told_and_the_page_lives_on(
    opened: Open, book: DependencyTree, fragment: str
) -> None:
    page = opened(page_of(book), fragment)
    assert "link" in page.locator("#toast").inner_text()
    assert state(page)["words"] == list(book.words)


def test_a_link_to_a_sentence_of_another_page_is_told(opened: Open, book: DependencyTree) -> None:
    page = opened(page_of(SLEEPS))
    page.evaluate("document.querySelector('arctree-derivation').step = 2")
    wait_until(page, "location.hash.length > 1")
    fragment = "#" + page.url.partition("#")[2]
    other = opened(page_of(book), fragment)
    assert "not on this page" in other.locator("#toast").inner_text()
    assert state(other)["words"] == list(book.words)


def test_a_sentence_too_long_for_a_link_is_shown_without_one(opened: Open) -> None:
    size = 600
    page = opened(page_of(DependencyTree(("x",) * size, (0, *range(1, size)), ("root",) * size)))
    page.keyboard.press("End")
    assert state(page)["step"] == 2 * size
    assert page.locator("#copy-link").is_hidden()
    page.locator("#take-away-open").click()
    assert page.get_by_role("button", name="Download CoNLL-U").is_visible()
    assert page.get_by_label("Link to this step").count() == 0


def test_another_derivation_than_the_canonical_one_can_be_the_first(opened: Open) -> None:
    page = opened(stand_alone([exploration(SLEEPS)], title="x", actions="SSSRLR"))
    assert state(page)["actions"] == "SSSRLR"


def test_the_page_can_be_taken_from_the_page_and_opened_again(
    opened: Open, book: DependencyTree, tmp_path: Path
) -> None:
    page = opened(page_of(book, HOSTILE))
    page.locator("#take-away-open").click()
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download Stand-alone HTML").click()
    taken = tmp_path / "taken.html"
    downloading.value.save_as(taken)
    text = taken.read_text("utf-8")
    again = opened(text)
    assert state(again)["words"] == list(book.words)
    assert (
        Reader(text).texts["script application/json"]
        == (Reader(page_of(book, HOSTILE)).texts["script application/json"])
    )
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download CoNLL-U").click()
    downloading.value.save_as(tmp_path / "taken.conllu")
    assert "morning" in (tmp_path / "taken.conllu").read_text("utf-8")


def test_a_page_taken_after_a_what_if_begins_with_it(opened: Open, tmp_path: Path) -> None:
    page = opened(page_of(SLEEPS))
    page.evaluate("document.querySelector('arctree-derivation').actions = 'SSSRLR'")
    page.locator("#take-away-open").click()
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download Stand-alone HTML").click()
    downloading.value.save_as(tmp_path / "taken.html")
    again = opened((tmp_path / "taken.html").read_text("utf-8"))
    assert state(again)["actions"] == "SSSRLR"


def test_marked_arcs_stand_out_and_say_so(opened: Open, book: DependencyTree) -> None:
    page = opened(page_of(book))
    page.evaluate("document.querySelector('arctree-derivation').marked = [2, 5]")
    page.keyboard.press("End")
    marked = page.locator("arctree-derivation .arc.marked")
    assert marked.count() == 2
    assert all("differs" in (arc.get_attribute("aria-label") or "") for arc in marked.all())
    page.evaluate("document.querySelector('arctree-derivation').marked = []")
    assert marked.count() == 0


def test_a_model_s_opinion_is_shown_under_its_name_or_not_at_all(opened: Open) -> None:
    scores = Scores("en", [[0.2, 0.3, 0.5]] * 6)
    page = opened(stand_alone([exploration(SLEEPS, scores=scores)], title="x"))
    chances = page.locator("arctree-derivation .chance:visible")
    assert chances.count() > 0
    page.evaluate("document.querySelector('arctree-derivation').model = 'the Latin model'")
    assert page.get_by_role("columnheader", name="Latin model").is_visible()
    assert "the Latin model" in page.locator("arctree-derivation .actions").inner_text()
    page.evaluate("document.querySelector('arctree-derivation').model = null")
    assert chances.count() == 0


@pytest.fixture
def folder_served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder, and the address at which it is served as it is."""
    folder = tmp_path / "served"
    folder.mkdir()
    handler = partial(Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield folder, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        pass


def test_the_element_works_in_any_page(
    browser: Browser, folder_served: tuple[Path, str], book: DependencyTree
) -> None:
    folder, address = folder_served
    with as_file(static_folder()) as modules:
        shutil.copytree(modules, folder / "arctree")
    form = json.dumps(exploration(book))
    (folder / "sleeps.json").write_text(json.dumps(exploration(SLEEPS)), "utf-8")
    (folder / "index.html").write_text(
        '<!doctype html><script type="module" src="arctree/derivation-element.js"></script>'
        '<arctree-derivation id="inside">'
        f'<script type="application/json">{form}</script></arctree-derivation>'
        '<arctree-derivation id="fetched" src="sleeps.json"></arctree-derivation>',
        "utf-8",
    )
    page = browser.new_page()
    page.goto(address)
    for name, size in (("inside", 5), ("fetched", 3)):
        wait_until(page, f"document.getElementById('{name}').actions?.length === {2 * size}")
        page.evaluate(f"document.getElementById('{name}').step = {2 * size}")
        assert page.evaluate(f"document.getElementById('{name}').step") == 2 * size
    page.close()


def test_a_notebook_s_frame_can_be_stepped_through(opened: Open, book: DependencyTree) -> None:
    derivation: Any = derive(book)
    page = opened(
        "<!doctype html><meta charset=utf-8><h1>A notebook</h1>"
        "<arctree-derivation></arctree-derivation>"
        "<script>document.querySelector('arctree-derivation').exploration = true</script>"
        + derivation._repr_html_()
    )
    frame = page.frames[1]
    wait_until(frame, "document.querySelector('arctree-derivation').exploration !== null")
    frame.locator("#explorer").click(position={"x": 2, "y": 2})
    page.keyboard.press("ArrowRight")
    wait_until(frame, "document.querySelector('arctree-derivation').step === 1")
    assert frame.locator("#masthead").is_hidden()
    # Nothing in the frame can reach the notebook.
    reach = "() => { try { return parent.document.title; } catch (error) { return error.name; } }"
    assert frame.evaluate(reach) == "SecurityError"
