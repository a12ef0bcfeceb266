"""The page for those who listen, and for those who only have a keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from web.browsing import Explorer
from web.conftest import Open

pytestmark = pytest.mark.xdist_group("browser-3")

FOCUSED = (Path(__file__).parent / "measures" / "focused.js").read_text("utf-8")

# Controls and pictures without an accessible name, by Chromium's own tree.
WANTED_ROLES = {
    "button",
    "textbox",
    "combobox",
    "slider",
    "checkbox",
    "link",
    "dialog",
    "img",
    "image",
    "group",
    "region",
    "toolbar",
    "navigation",
    "main",
    "table",
    "option",
}


def walk(explorer: Explorer, key: str = "Tab", most: int = 150) -> list[dict[str, Any]]:
    """All that gets the focus on the way through the page."""
    found: list[dict[str, Any]] = []
    for _ in range(most):
        explorer.press(key)
        at = explorer.page.evaluate(FOCUSED)
        if at is None or (found and at["key"] == found[0]["key"] and len(found) > 3):
            break
        found.append(at)
    return found


def test_everything_is_reached_by_tab_and_it_can_be_seen(explore: Open) -> None:
    explorer = explore(reduced_motion="reduce")
    explorer.example("Dependents on both sides")
    explorer.go(5)
    explorer.page.evaluate("document.activeElement?.blur(); window.focus()")
    found = walk(explorer)
    keys = [at["key"].removeprefix("first/").removeprefix("/") for at in found]
    page = ["skip", "sentence", "example", "paste-open", "file-open", "compare", "copy-link"]
    transport = ["first", "back", "play", "on", "last", "undo", "redo", "help"]
    derivation = [*transport, "S", "L", "R", "next-derivation", "arcs", "trees", "buffer", "table"]
    assert {*page, "take-away-open", *derivation} - set(keys) == set()
    assert [at["key"] for at in found if not at["seen"]] == []
    assert [at["key"] for at in found if not at["ringed"]] == []
    back = walk(explorer, "Shift+Tab")
    assert {at["key"] for at in back} >= {at["key"] for at in found[1:-1]}


@pytest.mark.parametrize("view", ["arcs", "trees", "buffer", "table"])
def test_arrows_go_through_every_item_of_a_view(explore: Open, view: str) -> None:
    explorer = explore(reduced_motion="reduce")
    step = 1 if view == "buffer" else 7
    explorer.go(step)
    items = explorer.page.locator(f'#first [data-view="{view}"] [data-item]')
    count = items.count()
    assert count >= 1
    one = explorer.page.locator(f'#first [data-view="{view}"] [data-item][tabindex="0"]')
    assert one.count() == 1  # one stop of the tab key; the others from there
    items.first.focus()
    for index in range(count):
        assert items.nth(index).evaluate("it => it.getRootNode().activeElement === it")
        assert explorer.page.evaluate(FOCUSED)["ringed"], f"item {index}"
        explorer.press("ArrowDown")
    explorer.press("ArrowUp")
    assert explorer.step == step


def test_a_sentence_is_parsed_changed_and_taken_by_keys_alone(explore: Open) -> None:
    explorer = explore(reduced_motion="reduce")
    page = explorer.page

    def tab_to(wanted: str) -> None:
        for _ in range(150):
            explorer.press("Tab")
            at = page.evaluate(FOCUSED)
            if at is not None and at["key"].endswith(wanted):
                return
        raise AssertionError(f"{wanted} is not reached")

    tab_to("/sentence")
    page.keyboard.type("He sleeps well")
    explorer.press("Enter")
    explorer.until("document.querySelector('#first').exploration.words[0].form === 'He'")
    tab_to("first/on")
    explorer.press("Enter", " ")
    assert explorer.step == 2
    tab_to("first/S")
    explorer.press("Enter")
    assert explorer.step == 3
    page.evaluate("document.activeElement.blur()")
    tab_to("/take-away-open")
    explorer.press("Enter")
    assert page.locator("#take-away").is_visible()
    with page.expect_download():
        page.get_by_role("button", name="Download CoNLL-U").press("Enter")
    explorer.press("Escape")
    assert page.locator("#take-away").is_hidden()
    assert page.evaluate(FOCUSED)["key"] == "/take-away-open"


def test_the_link_at_the_top_skips_to_the_derivation(explore: Open) -> None:
    explorer = explore(reduced_motion="reduce")
    explorer.press("Tab")
    assert explorer.page.evaluate(FOCUSED)["key"] == "/skip"
    explorer.press("Enter", "ArrowRight")
    assert explorer.step == 1


def test_everything_that_has_a_role_has_a_name(explore: Open) -> None:
    explorer = explore(reduced_motion="reduce")
    session = explorer.page.context.new_cdp_session(explorer.page)
    session.send("Accessibility.enable")
    for name, step in (("Dependents on both sides", 7), ("Not projective", 0)):
        explorer.example(name)
        explorer.go(step)
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
        nameless = [
            (node["role"]["value"], node.get("backendDOMNodeId"))
            for node in nodes
            if not node.get("ignored")
            and node["role"]["value"] in WANTED_ROLES
            and not node.get("name", {}).get("value", "").strip()
        ]
        told = [
            session.send("DOM.describeNode", {"backendNodeId": node})["node"]
            for _, node in nameless
        ]
        assert [(item["localName"], item.get("attributes")) for item in told] == []


def test_the_views_have_roles_and_names(explorer: Explorer) -> None:
    page = explorer.page
    explorer.go(6)
    for view in ("arcs", "trees", "buffer"):
        picture = page.locator(f'#first [data-view="{view}"] svg[role]').first
        assert picture.get_attribute("aria-label")
    assert page.locator('#first [data-view="table"]').get_attribute("aria-label")
    assert page.locator("#first table caption").count() == 1
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.get_by_role("main").count() == 1
    assert page.get_by_role("heading", level=1).count() == 1


def test_every_step_is_told_to_those_who_listen(explorer: Explorer) -> None:
    live = explorer.page.locator("#first [data-told]")
    assert live.get_attribute("aria-live") == "polite"
    told = [live.inner_text()]
    for letter in "SSRSSSLLRR":
        explorer.press("ArrowRight")
        told.append(live.inner_text())
        assert told[-1].startswith(f"Step {len(told) - 1} of 10. ")
        name = {"S": "SHIFT", "L": "LEFTARC", "R": "RIGHTARC"}[letter]
        assert name in told[-1]
    assert len(set(told)) == 11
    assert "morning becomes a left dependent of flight, with the label compound" in told[7]
    explorer.example("Not projective")
    assert "Theorem 1" in live.inner_text()


def test_the_slider_the_buttons_and_faults_speak(explorer: Explorer) -> None:
    page = explorer.page
    assert page.locator("#first input[type=range]").get_attribute("aria-label") == "Step"
    assert page.locator("#fault").get_attribute("role") == "alert"
    assert page.locator("#toast").get_attribute("role") == "status"
    names = page.locator("#first button:visible").evaluate_all(
        "all => all.map((one) => (one.getAttribute('aria-label') ?? one.textContent).trim())"
    )
    assert "" not in names
