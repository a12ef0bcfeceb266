"""What comes in, in the browser: typed, pasted, dropped, linked to; and what cannot be read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arctree.web.models import Models
from arctree.web.server import application
from command_line import PROJECT
from web.browsing import Explorer, Watched, tree_of
from web.conftest import Open
from web.served import Served, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

pytestmark = pytest.mark.xdist_group("browser-1")

BOOK = (PROJECT / "examples" / "book.conllu").read_text("utf-8")
HOSTILE = [
    "<script>alert(1)</script>",
    '"onload=alert(1)',
    "</script>",
    "&amp;",
    "<!--",
    "<img/src=x/onerror=alert(1)>",
    "${alert(1)}",
    "\\u003c",
]


def conllu(words: list[str], heads: list[int], label: str = "dep") -> str:
    lines = [
        f"{place}\t{word}\t_\tX\t_\t_\t{head}\t{label if head else 'root'}\t_\t_"
        for place, (word, head) in enumerate(zip(words, heads, strict=True), start=1)
    ]
    return "\n".join(lines) + "\n\n"


# ---- typing ----


def test_a_typed_sentence_is_parsed_by_the_model(explorer: Explorer, served: Served) -> None:
    field = explorer.page.locator("#sentence")
    field.fill("She wants to know when it leaves.")
    explorer.press("Enter")
    explorer.until("document.querySelector('#first').exploration.words[0].form === 'She'")
    (parsed,) = served.post("/api/parse", {"text": "She wants to know when it leaves."}).json[
        "explorations"
    ]
    assert explorer.actions == parsed["transitions"]
    assert explorer.words == [word["form"] for word in parsed["words"]]


def test_several_sentences_are_turned_over(explorer: Explorer) -> None:
    page = explorer.page
    page.locator("#sentence").fill("He sleeps. She reads a book. They left.")
    page.locator("#typed button[type=submit]").click()
    page.locator("#sentences").wait_for()
    assert page.locator("#sentence-choice option").count() == 3
    assert explorer.words[0] == "He"
    page.locator("#next-sentence").click()
    assert explorer.words[0] == "She"
    page.locator("#sentence-choice").select_option(index=2)
    assert explorer.words[0] == "They"
    assert page.locator("#next-sentence").is_disabled()
    page.locator("#previous-sentence").click()
    assert explorer.words[0] == "She"


def test_the_page_can_be_stepped_while_a_long_text_is_parsed(explorer: Explorer) -> None:
    page = explorer.page
    held: list[Route] = []
    page.route("**/api/parse", lambda route: held.append(route))  # on its way until we let it go
    sentence = "The people who had built the old mill left the valley in the spring of that year. "
    page.locator("#sentence").fill(sentence * 150)
    page.locator("#typed button[type=submit]").click()
    for answered in range(2):
        while len(held) <= answered:
            page.wait_for_timeout(20)
        page.locator("h1").click()
        explorer.press("Home", "ArrowRight", "ArrowRight", "ArrowRight")
        assert explorer.step == 3
        assert page.locator("#progress").is_visible()
        explorer.press("End")
        assert "finished" in explorer.state()["told"]
        held[answered].continue_()
    page.unroute_all()
    page.locator("#sentences").wait_for()
    page.locator("#cancel").click()
    explorer.until("document.querySelector('#progress').hidden")
    explorer.press("Home")
    assert explorer.step == 0


def test_without_a_model_the_page_takes_trees(browser: Browser) -> None:
    watch = Watched(browser)
    with serving(application(Models())) as served:
        page = Explorer(watch.context.new_page(), watch, f"http://127.0.0.1:{served.port}/")
        page.open()
        page.until("!document.querySelector('#no-model').hidden")
        assert page.page.locator("#typed").is_hidden()
        assert page.page.locator("#compare option").all_inner_texts()[-1] == "a pasted tree …"
        page.show(conllu(["good", "again"], [0, 1]), 2)
        assert page.page.locator("#first .chance:visible").count() == 0
        page.page.locator("h1").click()
        page.press("End")
        assert page.step == 4
        watch.context.close()
    assert watch.complaints == []


# ---- pasting ----


def test_a_tree_pasted_where_a_sentence_is_typed_is_taken_for_a_tree(explore: Open) -> None:
    explorer = explore(permissions=["clipboard-read", "clipboard-write"])
    tree = conllu(["pasted", "here"], [0, 1])
    explorer.page.evaluate("text => navigator.clipboard.writeText(text)", tree)
    explorer.page.locator("#sentence").focus()
    explorer.press("Control+v")
    explorer.until("document.querySelector('#first').exploration.words[0].form === 'pasted'")
    assert explorer.page.locator("#tree").input_value() == tree


@pytest.mark.parametrize(
    ("bad", "line", "told"),
    [
        (BOOK.replace("\t5\tdet", "\t9\tdet"), 5, "9"),
        (BOOK.replace("4\tmorning", "x\tmorning"), 6, ""),
        (BOOK + "1\tone\ttwo\n\n", 9, ""),
        (conllu(["a", "b"], [2, 1]), 1, ""),
        (conllu(["a", "b"], [0, 0]), 2, "roots"),
    ],
    ids=["head", "number", "columns", "cycle", "two-roots"],
)
def test_bad_conllu_names_its_line_and_the_page_lives_on(
    explorer: Explorer, bad: str, line: int, told: str
) -> None:
    explorer.watch.forgive("status of 422")
    explorer.paste(bad)
    fault = explorer.page.locator("#fault")
    fault.wait_for()
    assert f"Line {line}:" in fault.inner_text()
    assert told in fault.inner_text()
    assert explorer.words[-1] == "flight"
    explorer.show(conllu(["good", "again"], [0, 1]), 2)
    assert fault.is_hidden()
    explorer.page.locator("h1").click()
    explorer.press("End")
    assert explorer.step == 4


def test_bad_brackets_name_their_line_and_the_page_lives_on(explorer: Explorer) -> None:
    explorer.watch.forgive("status of 422")
    explorer.paste("(root (_ a))\n\n(root (_ a) (_ b))")
    fault = explorer.page.locator("#fault")
    fault.wait_for()
    assert "Line 3:" in fault.inner_text()
    explorer.show("(root (nsubj (PRP he)) (VBZ sleeps))", 2)
    assert fault.is_hidden()
    assert explorer.words == ["he", "sleeps"]
    assert explorer.actions == "SSLR"


def test_the_form_of_a_paste_is_told_while_it_is_typed(explorer: Explorer) -> None:
    page = explorer.page
    page.locator("#paste-open").click()
    told = page.locator("#detected")
    for text, words in {BOOK: "CoNLL-U", "(root (V go))": "brackets", "Go home": "text"}.items():
        page.locator("#tree").fill(text)
        assert words in told.inner_text()
    page.locator("#paste-open").click()
    assert page.locator("#pasted").is_hidden()


def test_a_file_is_opened(explorer: Explorer, tmp_path: Path) -> None:
    path = tmp_path / "trees.conllu"
    path.write_text("\ufeff" + conllu(["one"], [0]) + conllu(["and", "two"], [2, 0]), "utf-8")
    with explorer.page.expect_file_chooser() as choosing:
        explorer.page.locator("#file-open").click()
    choosing.value.set_files(path)
    explorer.page.locator("#sentences").wait_for()
    assert explorer.words == ["one"]
    explorer.page.locator("#next-sentence").click()
    assert explorer.words == ["and", "two"]


@pytest.mark.parametrize("kind", ["file", "text"])
def test_a_file_or_a_text_is_dropped(explorer: Explorer, kind: str) -> None:
    explorer.page.evaluate(
        """([text, kind]) => {
          const carried = new DataTransfer();
          if (kind === "file") carried.items.add(new File([text], "x.conllu"));
          else carried.setData("text/plain", text);
          for (const name of ["dragenter", "dragover", "drop"]) {
            const options = { dataTransfer: carried, bubbles: true, cancelable: true };
            document.querySelector("main").dispatchEvent(new DragEvent(name, options));
          }
        }""",
        [conllu(["dropped", "here"], [0, 1]), kind],
    )
    explorer.until("document.querySelector('#first').exploration.words[0].form === 'dropped'")
    assert not explorer.page.evaluate("document.body.classList.contains('dropping')")


def test_no_more_than_the_limit_is_taken_and_it_is_told(explorer: Explorer) -> None:
    explorer.watch.forgive("status of 413")
    explorer.watch.forgive("status of 422")
    explorer.paste(tree_of(501))
    fault = explorer.page.locator("#fault")
    fault.wait_for()
    assert "501" in fault.inner_text()
    assert explorer.words[-1] == "flight"


# ---- words as they are ----


def test_hostile_words_are_shown_as_they_are(explorer: Explorer) -> None:
    words = [word.replace(" ", "") for word in HOSTILE]
    label = "dep:<b>\"onload=&'"
    explorer.show(conllu(words, [0, *[1] * (len(words) - 1)], label), len(words))
    explorer.press("Escape")
    explorer.go(2 * len(words))
    said = explorer.everything_said()
    for word in (*words, label):
        assert word in said
    explorer.go(0)
    explorer.page.locator("#compare").select_option("model:en")
    explorer.page.locator("#comparison").wait_for()
    assert explorer.page.locator("#comparison script, #comparison img").count() == 0
    assert explorer.page.evaluate("document.images.length") == 0


def test_hostile_text_is_parsed_and_shown(explorer: Explorer) -> None:
    explorer.page.locator("#sentence").fill('Put <script>alert(1)</script> and "onload= here.')
    explorer.press("Enter")
    explorer.until("document.querySelector('#first').exploration.words[0].form === 'Put'")
    assert "script" in "".join(explorer.words)


# ---- scripts of the world ----


def centres(explorer: Explorer, view: str) -> list[float]:
    return list(
        explorer.page.locator(f'#first [data-view="{view}"] .word').evaluate_all(
            "words => words.map((word) => { const box = word.getBoundingClientRect();"
            " return box.x + box.width / 2; })"
        )
    )


def test_arabic_runs_from_right_to_left(explorer: Explorer) -> None:
    explorer.example("Arabic")
    for view in ("arcs", "buffer"):
        found = centres(explorer, view)
        assert found == sorted(found, reverse=True), view
    explorer.go(6)
    cells = explorer.page.locator('#first [data-view="table"] tr[aria-current] .unread')
    boxes = cells.evaluate_all("all => all.map((it) => it.getBoundingClientRect().x)")
    assert boxes in (sorted(boxes), sorted(boxes, reverse=True))  # one way, marks and all


@pytest.mark.parametrize("name", ["Korean", "Vietnamese", "Japanese"])
def test_other_scripts_run_from_left_to_right(explorer: Explorer, name: str) -> None:
    explorer.example(name)
    found = centres(explorer, "arcs")
    assert found == sorted(found)


# ---- links ----


def test_a_link_carries_sentence_derivation_and_step(explorer: Explorer, explore: Open) -> None:
    explorer.example("Dependents on both sides")
    explorer.command("next-derivation").click()
    explorer.go(7)
    shown = explorer.state()
    explorer.until("location.hash.length > 10")
    explorer.page.locator("#take-away-open").click()
    link = explorer.page.get_by_label("Link to this step").last.input_value()
    explorer.until("link => location.href === link", link)
    again = explore(fragment="#" + link.partition("#")[2])
    again.until("document.querySelector('#first').step === 7")
    for key in ("words", "actions", "step", "told"):
        assert again.state()[key] == shown[key]


def test_a_link_carries_a_what_if(explorer: Explorer, explore: Open) -> None:
    explorer.press("s", "s", "l", "s")
    shown = explorer.state()
    explorer.page.locator("#take-away-open").click()
    link = explorer.page.get_by_label("Link to this step").last.input_value()
    again = explore(fragment="#" + link.partition("#")[2])
    again.until("document.querySelector('#first').step === 4")
    assert again.state() == shown


def test_the_copied_link_is_the_address(explore: Open) -> None:
    explorer = explore(permissions=["clipboard-read", "clipboard-write"])
    explorer.press("ArrowRight", "ArrowRight")
    explorer.page.locator("#copy-link").click()
    explorer.until("document.querySelector('#toast').textContent === 'Link copied.'")
    copied = explorer.page.evaluate("navigator.clipboard.readText()")
    explorer.until("link => location.href === link", copied)


@pytest.mark.parametrize("fragment", ["#nonsense", "#%F0%00", "#WzEsW10", "#" + "x" * 5000])
def test_a_broken_link_is_told_and_the_page_lives_on(explore: Open, fragment: str) -> None:
    explorer = explore(fragment=fragment)
    fault = explorer.page.locator("#fault")
    fault.wait_for()
    assert "link" in fault.inner_text()
    explorer.press("End")
    assert explorer.step == 10
