"""How it looks, measured in the browser: nothing overlaps, nothing sticks out, all can be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from web.browsing import Explorer, tree_of
from web.conftest import Open

pytestmark = pytest.mark.xdist_group("browser-3")

MEASURES = Path(__file__).parent / "measures"
OVERLAPS = (MEASURES / "overlaps.js").read_text("utf-8")
CUT = (MEASURES / "cut.js").read_text("utf-8")
CONTRASTS = (MEASURES / "contrasts.js").read_text("utf-8")

SIZES = {"5 words": 5, "long": 60, "100 words": 100}


def shown(explorer: Explorer, size: int) -> None:
    if size == 60:
        explorer.example("A long sentence")
    elif size == 100:
        explorer.show(tree_of(100), 100)
        explorer.page.locator("#paste-open").click()


@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES.keys())
def test_no_text_overlaps_and_nothing_sticks_out(
    explore: Open, width: int, scheme: str, size: int
) -> None:
    explorer = explore(width=width, color_scheme=scheme, reduced_motion="reduce")
    shown(explorer, size)
    for step in (0, 1, size // 2, size, 2 * size - size // 3, 2 * size):
        explorer.go(step)
        where = f"{size} words, {width} pixels, {scheme}, step {step}"
        assert explorer.page.evaluate(OVERLAPS) == [], where
        assert explorer.page.evaluate(CUT) == [], where
        assert sticking_out(explorer) == 0, where


def sticking_out(explorer: Explorer) -> int:
    """By how many pixels the page is wider than the window."""
    width = "Math.max(0, document.scrollingElement.scrollWidth - innerWidth)"
    return int(explorer.page.evaluate(width))


@pytest.mark.parametrize("width", [1400, 390])
def test_no_text_overlaps_in_any_example_or_stage(explore: Open, width: int) -> None:
    explorer = explore(width=width, reduced_motion="reduce")
    names = explorer.page.locator("#example option:not([disabled])").all_inner_texts()
    for name in names:
        explorer.example(name)
        size = len(explorer.words)
        for step in (0, size // 2, size, 2 * size):
            explorer.go(step)
            assert explorer.page.evaluate(OVERLAPS) == [], f"{name}, step {step}"
            assert sticking_out(explorer) == 0, f"{name}, step {step}"
    explorer.example("Not projective")
    for stage in ("crossings", "lifts", "returns"):
        explorer.page.locator(f'#first [data-stage="{stage}"]').click()
        assert explorer.page.evaluate(OVERLAPS) == [], stage
        assert sticking_out(explorer) == 0, stage


@pytest.mark.parametrize("width", [1400, 390])
def test_long_words_and_labels_keep_their_distance(explore: Open, width: int) -> None:
    words = [
        "Donaudampfschifffahrtsgesellschaftskapitän",
        "ist",
        "W" * 120,
        "i",
        "日本語の長い単語です",
    ]
    lines = [
        f"{place}\t{word}\t_\tVERYLONGTAGINDEED\t_\t_\t{0 if place == 2 else 2}\t"
        f"{'root' if place == 2 else 'nsubj:passive:outer'}\t_\t_"
        for place, word in enumerate(words, start=1)
    ]
    explorer = explore(width=width, reduced_motion="reduce")
    explorer.paste("\n".join(lines) + "\n\n")
    explorer.until("document.querySelector('#first').exploration.words[1].form === 'ist'")
    for step in range(11):
        explorer.go(step)
        assert explorer.page.evaluate(OVERLAPS) == [], f"step {step}"
        assert sticking_out(explorer) == 0, f"step {step}"


@pytest.mark.parametrize("width", [1400, 390])
def test_nothing_sticks_out_beside_another_analysis(explore: Open, width: int) -> None:
    explorer = explore(width=width, reduced_motion="reduce")
    explorer.example("A long sentence")
    explorer.page.locator("#compare").select_option("model:en")
    explorer.page.locator("#comparison").wait_for()
    assert explorer.page.evaluate(OVERLAPS) == []
    assert sticking_out(explorer) == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read(explore: Open, scheme: str) -> None:
    explorer = explore(color_scheme=scheme, reduced_motion="reduce")
    page = explorer.page
    faults: dict[str, list[str]] = {}

    def look(state: str) -> None:
        faults[state] = page.evaluate(CONTRASTS)

    explorer.example("Dependents on both sides")
    explorer.until("document.querySelector('#first').shadowRoot.querySelector('.scored') !== null")
    for step in (0, 6, 12):
        explorer.go(step)
        look(f"step {step}")
    explorer.go(6)
    page.locator('#first [data-view="trees"] .node[data-position="3"]').focus()
    look("focus")
    explorer.press("l")
    look("what if")
    page.locator("#compare").select_option("model:en")
    page.locator("#comparison").wait_for()
    look("comparison")
    page.locator("#compare").select_option("")
    explorer.example("Not projective")
    for stage in ("crossings", "lifts", "derivation", "returns"):
        page.locator(f'#first [data-stage="{stage}"]').click()
        look(stage)
    page.locator("#take-away-open").click()
    look("take away")
    explorer.press("Escape")
    explorer.watch.forgive("status of 422")
    explorer.paste("1\tx\n\n")
    page.locator("#fault").wait_for()
    look("fault")
    explorer.press("Escape")
    explorer.command("help").click()
    look("help")
    assert {state: told for state, told in faults.items() if told} == {}


def test_the_look_follows_the_reader_s_scheme(explore: Open) -> None:
    def ground(explorer: Explorer) -> Any:
        return explorer.page.evaluate("getComputedStyle(document.body).backgroundColor")

    assert ground(explore(color_scheme="light")) != ground(explore(color_scheme="dark"))


def test_nothing_moves_for_readers_who_want_no_motion(explore: Open) -> None:
    still = explore(reduced_motion="reduce")
    still.example("Dependents on both sides")
    for step in range(1, 8):
        still.go(step)
        moving = "document.querySelector('#first').shadowRoot.getAnimations().length"
        assert still.page.evaluate(moving) == 0
        assert still.page.evaluate("document.getAnimations().length") == 0
    moved = explore(reduced_motion="no-preference")
    moved.example("Dependents on both sides")
    counts = [
        moved.page.evaluate(
            "step => { const e = document.querySelector('#first'); e.step = step;"
            " return e.shadowRoot.getAnimations().length; }",
            step,
        )
        for step in range(1, 8)
    ]
    assert max(counts) > 0
