"""Stepping through a derivation in the browser: every control, every key, and linked views."""

from __future__ import annotations

import pytest

from web.browsing import Explorer
from web.conftest import Open

pytestmark = pytest.mark.xdist_group("browser-1")

BOOK = "SSRSSSLLRR"
BOTH = "Dependents on both sides"


# ---- the page as it opens ----


def test_it_opens_with_the_paper_s_sentence_before_its_first_step(explorer: Explorer) -> None:
    shown = explorer.state()
    assert shown["words"] == ["Book", "me", "the", "morning", "flight"]
    assert (shown["step"], shown["actions"]) == (0, BOOK)
    assert shown["told"].startswith("Step 0 of 10.")
    assert explorer.page.locator("#example option:checked").inner_text() == "The paper's sentence"


def test_every_example_is_shown_to_its_end(explorer: Explorer) -> None:
    names = explorer.page.locator("#example option:not([disabled])").all_inner_texts()
    assert len(names) >= 7
    for name in names:
        explorer.example(name)
        size = len(explorer.words)
        explorer.go(2 * size)
        assert explorer.step == 2 * size, name
        assert "finished" in explorer.state()["told"]


# ---- keys ----


def test_arrows_home_and_end_move(explorer: Explorer) -> None:
    moved = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowRight", "Home", "ArrowLeft"):
        explorer.press(key)
        moved.append(explorer.step)
    assert moved == [1, 2, 1, 10, 10, 0, 0]


def test_s_l_and_r_take_their_actions(explorer: Explorer) -> None:
    for step, letter in enumerate(BOOK, start=1):
        explorer.press(letter.lower())
        assert explorer.step == step
    assert explorer.actions == BOOK
    assert explorer.heads() == [0, 1, 5, 5, 1]


def test_control_z_undoes_and_control_shift_z_does_again(explorer: Explorer) -> None:
    explorer.press("s", "s", "l")
    other = explorer.actions
    assert other.startswith("SSL")
    explorer.press("Control+z")
    assert (explorer.step, explorer.actions) == (2, BOOK)
    explorer.press("Control+Shift+z")
    assert (explorer.step, explorer.actions) == (3, other)
    explorer.press("Control+z", "Control+z", "Control+z", "Control+z")
    assert (explorer.step, explorer.actions) == (0, BOOK)


def test_space_plays_and_pauses(explorer: Explorer) -> None:
    explorer.press(" ")
    assert explorer.state()["isPlaying"]
    explorer.until("document.querySelector('arctree-derivation').step >= 1")
    explorer.press(" ")
    assert not explorer.state()["isPlaying"]
    step = explorer.step
    explorer.press("ArrowRight")
    assert explorer.step == step + 1


def test_playing_goes_on_to_the_end_and_then_stops(explorer: Explorer) -> None:
    explorer.go(8)
    explorer.page.locator("#first").get_by_label("Speed").select_option("4")
    explorer.command("play").click()
    assert explorer.command("play").get_attribute("aria-label") == "Pause"
    explorer.until("!document.querySelector('arctree-derivation').isPlaying")
    assert explorer.step == 10
    assert explorer.command("play").get_attribute("aria-label") == "Play"


def test_escape_stops_the_play_and_lets_go_of_the_focused_word(explorer: Explorer) -> None:
    explorer.point_at(explorer.page.locator('[data-view="arcs"] .word').first)
    assert explorer.state()["focused"] == 1
    explorer.press(" ", "Escape")
    assert not explorer.state()["isPlaying"]
    assert explorer.state()["focused"] is None


def test_a_question_mark_opens_the_help_and_escape_closes_it(explorer: Explorer) -> None:
    dialog = explorer.page.locator("dialog.help").first
    explorer.press("?")
    assert dialog.is_visible()
    assert "ctrl-shift-z" in dialog.inner_text()
    explorer.press("ArrowRight")
    assert explorer.step == 0
    explorer.press("Escape")
    assert dialog.is_hidden()
    explorer.command("help").click()
    dialog.get_by_role("button", name="Close").click()
    assert dialog.is_hidden()


def test_keys_are_letters_while_somebody_types(explorer: Explorer) -> None:
    field = explorer.page.locator("#sentence")
    field.click()
    explorer.page.keyboard.type("s l r ? ")
    explorer.press("ArrowLeft", "Home", "End")
    assert field.input_value() == "s l r ? "
    assert (explorer.step, explorer.actions) == (0, BOOK)
    assert explorer.page.locator("dialog.help").first.is_hidden()
    explorer.page.locator("#paste-open").click()
    explorer.page.locator("#tree").click()
    explorer.page.keyboard.type("slr ")
    assert explorer.step == 0


# ---- buttons, slider ----


def test_the_buttons_move(explorer: Explorer) -> None:
    moved = []
    for name in ("on", "on", "back", "last", "on", "first", "back"):
        explorer.command(name).click(force=True)
        moved.append(explorer.step)
    assert moved == [1, 2, 1, 10, 10, 0, 0]


def test_buttons_with_nothing_to_do_say_so_and_keep_the_focus(explorer: Explorer) -> None:
    def off(name: str) -> bool:
        return explorer.command(name).get_attribute("aria-disabled") == "true"

    assert [off(name) for name in ("first", "back", "on", "last", "undo", "redo")] == [
        True,
        True,
        False,
        False,
        True,
        True,
    ]
    explorer.command("last").focus()
    explorer.press("Enter")
    assert off("on")
    assert off("last")
    assert explorer.command("last").evaluate("it => it.getRootNode().activeElement === it")


def test_the_slider_is_dragged_and_keyed(explorer: Explorer) -> None:
    slider = explorer.page.locator("#first input[type=range]")
    slider.fill("7")
    assert explorer.step == 7
    assert slider.get_attribute("aria-valuetext") == "7 of 10"
    slider.focus()
    explorer.press("ArrowRight")
    assert explorer.step == 8
    explorer.press("Home")
    assert explorer.step == 0
    explorer.press("End")
    assert explorer.step == 10


def test_a_row_of_the_table_leads_to_its_step(explorer: Explorer) -> None:
    row = explorer.page.locator('[data-view="table"] tbody tr')
    assert row.count() == 11
    row.nth(4).click()
    assert explorer.step == 4
    row.nth(4).focus()
    explorer.press("ArrowDown", "ArrowDown", "Enter")
    assert explorer.step == 6
    assert row.nth(6).get_attribute("aria-current") == "step"


def test_the_table_holds_the_derivation(explorer: Explorer) -> None:
    rows = explorer.page.locator('[data-view="table"] tbody tr')
    actions = rows.locator("td.action > span:first-child").all_inner_texts()
    names = {"S": "SHIFT", "L": "LEFTARC", "R": "RIGHTARC"}
    assert actions == [*(names[letter] for letter in BOOK), "DONE"]
    relations = rows.locator("td.relation").all_inner_texts()
    assert relations[2].lower() == "book → me"
    assert relations[9].lower() == "root → book"
    headings = explorer.page.locator('[data-view="table"] thead th').all_inner_texts()
    assert [told.lower() for told in headings[:5]] == [
        "step",
        "stack",
        "buffer",
        "action",
        "relation added",
    ]


# ---- linked views ----


def lit_everywhere(explorer: Explorer) -> dict[str, list[int]]:
    return {
        "word": explorer.lit("arcs", ".word"),
        "arc": explorer.lit("arcs", ".arc"),
        "node": explorer.lit("trees", ".node"),
        "buffer": explorer.lit("buffer", ".word"),
        "row": explorer.lit("table", "tr"),
    }


@pytest.mark.parametrize(
    ("item", "also"),
    [
        ('[data-view="arcs"] .word[data-position="4"]', []),
        ('[data-view="trees"] .node[data-position="4"]', []),
        ('[data-view="arcs"] .arc[data-position="4"]', [5]),
        ('[data-view="table"] tr[data-position="4"] >> nth=-1', [5]),
    ],
    ids=["word", "node", "arc", "row"],
)
@pytest.mark.parametrize("way", ["hover", "focus"])
def test_what_is_looked_at_lights_up_in_all_views(
    explorer: Explorer, item: str, also: list[int], way: str
) -> None:
    explorer.go(7)
    target = explorer.page.locator(item)
    if way == "focus":
        target.focus()
    elif ".arc[" in item:
        label = '[data-view="arcs"] .arc-label[data-position="4"] text'
        explorer.point_at(explorer.page.locator(label))
    elif "tr[" in item:
        explorer.point_at(target.locator("td").first)
    else:
        explorer.point_at(target.locator("text >> nth=-1"))
    lit = lit_everywhere(explorer)
    assert lit["word"] == sorted([4, *also])
    assert lit["node"] == sorted([4, *also])
    assert lit["arc"] == [4]
    assert lit["row"] == [4, 4]  # shifted, and attached
    assert explorer.state()["focused"] == 4


def test_a_word_in_the_buffer_lights_up_in_all_views(explorer: Explorer) -> None:
    explorer.point_at(explorer.page.locator('[data-view="buffer"] .word[data-position="5"]'))
    lit = lit_everywhere(explorer)
    assert (lit["word"], lit["buffer"], lit["row"]) == ([5], [5], [5, 5])
    explorer.page.mouse.move(5, 5)
    assert explorer.state()["focused"] is None


# ---- invariants ----


def test_the_invariants_hold_at_every_step_and_tell_of_the_focused_tree(explore: Open) -> None:
    explorer = explore()
    explorer.example(BOTH)
    panel = explorer.page.locator("#first .invariants")
    for step in range(2 * len(explorer.words) + 1):
        explorer.go(step)
        told = panel.inner_text()
        assert told.count("✓") == 3, f"step {step}: {told}"
        assert "✕" not in told
    explorer.go(12)
    explorer.page.locator('[data-view="trees"] .node[data-position="3"]').focus()
    looked = panel.locator(".looked").inner_text()
    assert "man" in looked
    assert "1–4" in looked
