"""What is taken away from the page, opened again: pictures, trees, LaTeX, pages."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from arctree import brackets, conllu, json_form
from arctree.dependency import DependencyTree
from arctree.transitions import Configuration, Transition
from command_line import Arctree
from web.browsing import Explorer, Watched
from web.conftest import Open

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

pytestmark = pytest.mark.xdist_group("browser-2")

Contexts = Callable[..., "BrowserContext"]
ODD = "Odd words"
HOSTILE = "<script>alert('hi')</script>"
VIEWS = ["All of this moment", "Sentence and arcs", "Stack as trees", "Buffer", "Derivation table"]
SVG = "{http://www.w3.org/2000/svg}"


def opened(explorer: Explorer, name: str, step: int) -> None:
    """The dialog of what can be taken of an example at a step."""
    explorer.example(name)
    explorer.go(step)
    explorer.page.locator("#take-away-open").click()


def tree_shown(explorer: Explorer) -> tuple[list[str], list[int], list[str]]:
    shown = explorer.page.evaluate("document.querySelector('#first').exploration")
    return explorer.words, shown["heads"], shown["labels"]


# ---- trees ----


@pytest.mark.parametrize("name", [ODD, "Not projective", "Arabic"])
def test_the_tree_comes_back_from_every_format(
    explorer: Explorer, tmp_path: Path, name: str
) -> None:
    opened(explorer, name, 3)
    words, heads, labels = tree_shown(explorer)
    (sentence,) = conllu.read(str(explorer.take("Download CoNLL-U", tmp_path)))
    tree = sentence.tree
    assert (list(tree.words), list(tree.heads)) == (words, heads)
    assert [str(label) for label in tree.labels] == labels
    form = json.loads(explorer.take("Download JSON", tmp_path).read_text("utf-8"))
    again = json_form.sentence_from_json(form).tree
    assert (list(again.words), list(again.heads)) == (words, heads)
    lifted = name == "Not projective"
    label = "Download Brackets (of the lifted tree)" if lifted else "Download Brackets"
    (item,) = brackets.read(str(explorer.take(label, tmp_path)))
    assert isinstance(item, brackets.BracketedTree)
    recovered = item.parse().to_dependency()
    target = explorer.page.evaluate(
        "document.querySelector('#first').exploration.lifting?.heads ?? null"
    )
    assert list(recovered.words) == words
    assert list(recovered.heads) == (target if lifted else heads)


def test_the_tree_of_a_what_if_can_be_taken_too(explorer: Explorer, tmp_path: Path) -> None:
    """To where it leads; what has left the given tree has another head and no label."""
    explorer.example("Dependents on both sides")
    explorer.go(2)
    explorer.press("r")
    built = Configuration.initial(6)
    for letter in explorer.actions:
        built = next(one for one in Transition if one.value[0] == letter)(built)
    explorer.page.locator("#take-away-open").click()
    _, given, labels = tree_shown(explorer)
    heads = [head for _, head in sorted((word, head) for head, word in built.arcs)]
    assert heads != given
    (sentence,) = conllu.read(str(explorer.take("Download CoNLL-U of the what-if", tmp_path)))
    (item,) = brackets.read(str(explorer.take("Download Brackets of the what-if", tmp_path)))
    assert isinstance(item, brackets.BracketedTree)
    for tree in (sentence.tree, item.parse().to_dependency()):
        assert list(tree.heads) == heads
        assert [str(label) for label in tree.labels] == [
            label if head == before else ("UA" if head else "root")
            for head, before, label in zip(heads, given, labels, strict=True)
        ]
    (sentence,) = conllu.read(str(explorer.take("Download CoNLL-U", tmp_path)))
    assert list(sentence.tree.heads) == given


def test_what_is_copied_is_what_is_downloaded(explore: Open, tmp_path: Path) -> None:
    explorer = explore(permissions=["clipboard-read", "clipboard-write"])
    opened(explorer, ODD, 3)
    for name in ("CoNLL-U", "Brackets", "JSON"):
        explorer.page.get_by_role("button", name=f"Copy {name}", exact=True).click()
        explorer.until(
            "document.querySelector('#export').shadowRoot.textContent.includes('Copied.')"
        )
        copied = explorer.page.evaluate("navigator.clipboard.readText()")
        assert copied == explorer.take(f"Download {name}", tmp_path).read_text("utf-8")


def test_latex_escapes_what_means_something_to_it(explorer: Explorer, tmp_path: Path) -> None:
    opened(explorer, ODD, 3)
    for name in ("Arcs", "Ordered tree", "Derivation table"):
        text = explorer.take(f"Download {name}", tmp_path).read_text("utf-8")
        assert "\\begin{" in text
        assert "\\%" in text
        assert "100%_{forms}" not in text


# ---- pictures ----


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_are_opened_again(
    explore: Open, watched: Contexts, tmp_path: Path, scheme: str
) -> None:
    explorer = explore(color_scheme=scheme)
    opened(explorer, ODD, 17)
    context = watched(offline=True)
    for view in VIEWS:
        path = explorer.take(f"SVG {view}", tmp_path)
        root = ElementTree.parse(path).getroot()
        assert root.tag == f"{SVG}svg"
        assert {element.tag for element in root.iter()}.isdisjoint(
            {f"{SVG}script", f"{SVG}image", "{http://www.w3.org/1999/xhtml}script"}
        )
        attributes = [name for element in root.iter() for name in element.attrib]
        assert not [name for name in attributes if name.lower().startswith("on")]
        said = "".join(root.itertext())
        if view in ("Sentence and arcs", "Stack as trees"):
            assert HOSTILE in said
            assert '"onload=' in said
        page = context.new_page()
        page.goto(path.as_uri())
        box = page.locator("svg").first.bounding_box()
        assert box is not None
        assert box["width"] > 100
        assert box["height"] > 30
        page.close()
        width, height, colours = png(explorer.take(f"PNG {view}", tmp_path))
        assert width >= 100
        assert height >= 30
        assert colours > 8, f"{view} is blank"


def test_a_picture_shows_the_whole_of_a_long_sentence(explorer: Explorer, tmp_path: Path) -> None:
    opened(explorer, "A long sentence", 110)
    root = ElementTree.parse(explorer.take("SVG Sentence and arcs", tmp_path)).getroot()
    said = "".join(root.itertext())
    assert "settlers" in said
    assert "built" in said
    assert float(root.attrib["width"].removesuffix("px")) > 2000
    width, height, colours = png(explorer.take("PNG All of this moment", tmp_path))
    assert width > 2000
    assert height > 300
    assert colours > 8


def png(path: Path) -> tuple[int, int, int]:
    """Width, height, and how many different bytes there are in the middle of a PNG."""
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", content[16:24])
    data, place = b"", 8
    while place < len(content):
        (length,) = struct.unpack(">I", content[place : place + 4])
        if content[place + 4 : place + 8] == b"IDAT":
            data += content[place + 8 : place + 8 + length]
        place += length + 12
    return width, height, len(set(zlib.decompress(data)))


# ---- pages that stand alone ----


def alone(context: BrowserContext, watch: Watched, path: Path) -> Explorer:
    """A file opened with the network off."""
    explorer = Explorer(context.new_page(), watch, path.as_uri())
    explorer.open()
    return explorer


@pytest.fixture
def offline(browser: Browser) -> Watched:
    return Watched(browser, offline=True)


def test_the_stand_alone_page_is_stepped_with_the_network_off(
    explorer: Explorer, offline: Watched, tmp_path: Path
) -> None:
    opened(explorer, ODD, 5)
    page = alone(offline.context, offline, explorer.take("Download Stand-alone HTML", tmp_path))
    assert page.words == explorer.words
    page.press("End")
    assert page.step == 2 * len(page.words)
    page.press("Home", "s", "s", "l")
    assert page.step == 3
    page.press("Control+z")
    assert page.step == 2
    assert HOSTILE in page.everything_said()
    page.page.locator("#take-away-open").click()
    (sentence,) = conllu.read(str(page.take("Download CoNLL-U", tmp_path)))
    assert list(sentence.tree.words) == explorer.words
    root = ElementTree.parse(page.take("SVG Stack as trees", tmp_path)).getroot()
    assert HOSTILE in "".join(root.itertext())
    offline.context.close()
    assert offline.complaints == []


def test_a_page_drawn_by_the_command_line_is_stepped_with_the_network_off(
    arctree: Arctree, offline: Watched, tmp_path: Path
) -> None:
    words = ("<script>alert(1)</script>", '"onload=', "</script>", "&")
    tree = DependencyTree(words, (2, 0, 4, 2), ("a", "root", "b", "c"))
    source = tmp_path / "odd.conllu"
    lines = [
        f"{place}\t{word}\t_\t_\t_\t_\t{head}\t{label}\t_\t_\n"
        for place, (word, head, label) in enumerate(
            zip(tree.words, tree.heads, tree.labels, strict=True), start=1
        )
    ]
    source.write_text("".join(lines) + "\n", "utf-8")
    path = tmp_path / "page.html"
    drawn = arctree("draw", source, "--to", "html", "-o", path)
    assert drawn.status == 0, drawn.err
    page = alone(offline.context, offline, path)
    assert page.words == list(words)
    page.press("End")
    assert page.step == 8
    assert page.heads() == [2, 0, 4, 2]
    said = page.everything_said()
    for word in words:
        assert word in said
    offline.context.close()
    assert offline.complaints == []
