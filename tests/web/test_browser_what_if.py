"""What if, in the browser: other actions, other derivations, the model, and trees beside others."""

from __future__ import annotations

from itertools import product

import pytest

from arctree.oracle import count_derivations
from web.browsing import Explorer
from web.served import Served

pytestmark = pytest.mark.xdist_group("browser-2")

BOOK = "SSRSSSLLRR"
BOTH = "Dependents on both sides"
CROSSING = "Not projective"
MISTAKEN = """\
1\tThe\t_\tDT\t_\t_\t3\tdet\t_\t_
2\ttall\t_\tJJ\t_\t_\t3\tamod\t_\t_
3\tman\t_\tNN\t_\t_\t5\tnsubj\t_\t_
4\toutside\t_\tRB\t_\t_\t5\tadvmod\t_\t_
5\twaved\t_\tVBD\t_\t_\t0\troot\t_\t_
6\ttwice\t_\tRB\t_\t_\t5\tadvmod\t_\t_
"""


# ---- the three actions ----


def test_the_oracle_s_choice_is_marked_at_every_step(explorer: Explorer) -> None:
    for letter in BOOK:
        marked = explorer.page.locator("#first button.action.oracle")
        assert marked.count() == 1
        assert marked.get_attribute("data-action") == letter
        assert "oracle" in marked.inner_text()
        explorer.action(letter).click()
    assert explorer.page.locator("#first button.action.oracle").count() == 0


def test_another_action_leads_to_another_tree_and_undoing_leads_back(explorer: Explorer) -> None:
    gold = [0, 1, 5, 5, 1]
    explorer.action("S").click()
    explorer.action("S").click()
    explorer.action("L").click()  # book becomes a dependent of me
    page = explorer.page
    notice = page.locator("#first .alternatives .notice")
    assert "left the tree" in notice.inner_text()
    assert "out of reach" in explorer.state()["told"]
    assert page.locator('#first [data-view="arcs"] .arc.lost').count() > 0
    assert "leaves the tree" in page.locator('#first [data-view="table"] tr.leaving').inner_text()
    explorer.action("S").click()
    explorer.action("S").click()
    explorer.action("S").click()
    explorer.action("L").click()
    explorer.action("L").click()
    explorer.action("L").click()
    explorer.action("R").click()
    assert explorer.step == 10
    assert explorer.actions == "SSLSSSLLLR"
    assert explorer.heads() == [2, 5, 5, 5, 0]
    assert explorer.heads() != gold
    shown = page.locator('#first [data-view="arcs"] .arc.other')
    assert sorted(
        shown.evaluate_all(
            "all => all.map((arc) => `${arc.dataset.other}-${arc.dataset.position}`)"
        )
    ) == ["0-5", "2-1", "5-2"]
    assert "finished" in explorer.state()["told"]
    for _ in range(10):
        explorer.command("undo").click()
    assert (explorer.step, explorer.actions) == (0, BOOK)
    for _ in range(10):
        explorer.command("redo").click()
    assert explorer.heads() == [2, 5, 5, 5, 0]
    page.locator('#first [data-command="gold"]').click()
    assert explorer.actions == BOOK
    assert page.locator('#first [data-command="gold"]').is_hidden()
    explorer.press("End")
    assert explorer.heads() == gold


def test_an_illegal_action_gives_its_reason_and_changes_nothing(explorer: Explorer) -> None:
    names = {"S": "SHIFT", "L": "LEFTARC", "R": "RIGHTARC"}
    told = explorer.page.locator("#first .reason")
    for step, letter in product(range(11), names):
        explorer.go(step)
        button = explorer.action(letter)
        if button.get_attribute("aria-disabled") != "true":
            continue
        reason = button.locator(".verdict").inner_text()
        if step % 2:
            button.click(force=True)
        else:
            explorer.press(letter.lower())
        assert told.inner_text() == f"{names[letter]} is not legal here: {reason}."
        assert (explorer.step, explorer.actions) == (step, BOOK)


# ---- other derivations of the same tree ----


def test_the_paper_s_tree_has_one_derivation(explorer: Explorer) -> None:
    card = explorer.page.locator("#first .alternatives")
    assert "The only derivation" in card.inner_text()
    assert explorer.command("next-derivation").is_hidden()


def test_every_derivation_of_a_tree_is_reached_and_builds_the_same_tree(explorer: Explorer) -> None:
    explorer.example(BOTH)
    heads = explorer.page.evaluate("document.querySelector('#first').exploration.heads")
    count = count_derivations(heads)
    assert count == 6
    card = explorer.page.locator("#first .alternatives")
    seen = []
    for number in range(1, count + 1):
        assert f"Derivation {number} of {count}" in card.inner_text()
        assert "T(D) is the same" in card.inner_text()
        seen.append(explorer.actions)
        explorer.press("End")
        assert explorer.heads() == heads
        explorer.press("Home")
        if number < count:
            explorer.command("next-derivation").click()
    assert len(set(seen)) == count
    assert explorer.command("next-derivation").get_attribute("aria-disabled") == "true"
    for actions in reversed(seen[:-1]):
        explorer.command("previous-derivation").click()
        assert explorer.actions == actions


def test_an_action_that_keeps_the_tree_changes_over_to_another_derivation(
    explorer: Explorer,
) -> None:
    explorer.example(BOTH)
    for step in range(12):
        explorer.go(step)
        keeping = explorer.page.locator("#first button.action.keeps")
        if keeping.count():
            break
    assert "also reaches the tree" in keeping.inner_text()
    keeping.click()
    assert "Another derivation of the same tree" in explorer.everything_said()
    assert "out of reach" not in explorer.state()["told"]
    explorer.press("End")
    heads = explorer.page.evaluate("document.querySelector('#first').exploration.heads")
    assert explorer.heads() == heads


# ---- the model ----


def test_the_model_s_probabilities_are_those_of_the_server(
    explorer: Explorer, served: Served
) -> None:
    explorer.until("document.querySelector('#first').shadowRoot.querySelector('.scored') !== null")
    asked = {"words": explorer.words, "actions": explorer.actions}
    rows = served.post("/api/score", asked).json["probabilities"]
    for step in (0, 2, 6):
        explorer.go(step)
        for letter, probability in zip("SLR", rows[step], strict=True):
            told = explorer.action(letter).locator(".percent").inner_text()
            assert close(told, probability), f"step {step}, {letter}: {told}, not {probability}"


def close(told: str, probability: float) -> bool:
    if told[0] in "<>":
        return (probability < 0.001) if told[0] == "<" else (probability > 0.999)
    return abs(float(told.rstrip("%")) / 100 - probability) < 0.0006


def test_where_the_model_would_leave_the_gold_derivation_is_marked(
    explorer: Explorer, served: Served
) -> None:
    words = ["I", "saw", "the", "man", "with", "a", "telescope"]
    (parsed,) = served.post("/api/parse", {"words": words}).json["explorations"]
    heads = parsed["heads"]
    other = [*heads]
    other[6] = 4 if heads[6] == 2 else 2
    lines = [
        f"{position}\t{word}\t_\t_\t_\t_\t{head}\t{'root' if head == 0 else 'dep'}\t_\t_"
        for position, (word, head) in enumerate(zip(words, other, strict=True), start=1)
    ]
    explorer.show("\n".join(lines) + "\n\n", len(words))
    marked = explorer.page.locator('#first [data-view="table"] tr.model-leaves')
    marked.first.wait_for()
    step = int(marked.first.get_attribute("data-step") or -1)
    rows = served.post("/api/score", {"words": words, "actions": explorer.actions}).json[
        "probabilities"
    ]
    best = ["SLR"[row.index(max(row))] for row in rows]
    expected = next(
        i for i, (b, a) in enumerate(zip(best, explorer.actions, strict=True)) if b != a
    )
    assert step == expected
    assert "would leave" in marked.first.inner_text()


# ---- two analyses ----


def test_two_analyses_stand_side_by_side(explorer: Explorer) -> None:
    explorer.example(BOTH)
    page = explorer.page
    page.locator("#compare").select_option("pasted")
    page.locator("#other-text").fill(MISTAKEN)
    page.locator("#other-form button[type=submit]").click()
    panel = page.locator("#comparison")
    panel.wait_for()
    assert "1 word has another head" in panel.inner_text()
    assert "They part at transition 7" in panel.inner_text()
    assert "RIGHTARC" in panel.inner_text()
    assert "SHIFT" in panel.inner_text()
    rows = panel.locator("tbody tr").all_inner_texts()
    assert len(rows) == 1
    assert "outside" in rows[0]
    page.get_by_role("button", name="Go there").click()
    second = "#second-analysis arctree-derivation"
    assert (explorer.step, explorer.state(second)["step"]) == (6, 6)
    assert explorer.actions[:6] == explorer.state(second)["actions"][:6]
    assert explorer.actions[6] != explorer.state(second)["actions"][6]
    explorer.press("ArrowRight")
    assert (explorer.step, explorer.state(second)["step"]) == (7, 7)
    page.get_by_label("Step together").uncheck()
    explorer.command("on").click()
    assert (explorer.step, explorer.state(second)["step"]) == (8, 7)
    page.locator("#compare").select_option("")
    assert panel.is_hidden()


def test_a_tree_of_other_words_cannot_be_compared(explorer: Explorer) -> None:
    page = explorer.page
    page.locator("#compare").select_option("pasted")
    page.locator("#other-text").fill(MISTAKEN)
    page.locator("#other-form button[type=submit]").click()
    fault = page.locator("#other-fault")
    fault.wait_for()
    assert "No sentence in it has the words" in fault.inner_text()
    explorer.press("Escape")
    assert page.locator("#comparison").is_hidden()


def test_the_gold_tree_is_compared_with_the_model_s(explorer: Explorer, served: Served) -> None:
    explorer.example(BOTH)
    words = explorer.words
    (parsed,) = served.post("/api/parse", {"words": words}).json["explorations"]
    explorer.page.locator("#compare").select_option("model:en")
    explorer.page.locator("#comparison").wait_for()
    shown = explorer.page.evaluate(
        "document.querySelector('#second-analysis arctree-derivation').exploration.heads"
    )
    assert shown == parsed["heads"]


# ---- beyond projective ----


def test_a_non_projective_tree_goes_through_its_four_stages(explorer: Explorer) -> None:
    explorer.example(CROSSING)
    page = explorer.page
    told = page.locator("#first .lifting .told")
    assert explorer.state()["stage"] == "crossings"
    assert page.locator('#first [data-view="arcs"] .arc.crossing').count() == 1
    assert page.locator('#first [data-view="arcs"] .arc.crossed').count() >= 1
    assert "hearing → issue" in told.inner_text()
    assert "Theorem 1" in told.inner_text()
    bars = page.locator('#first [data-view="yields"]')
    assert bars.locator(".bar.yield").count() == 2
    assert bars.locator(".bar.gap").count() == 1
    assert bars.locator(".bar.between").count() == 1
    explorer.press("ArrowRight")
    assert explorer.state()["stage"] == "lifts"
    assert "Lift 1 of 1" in told.inner_text()
    assert "every arc is projective" in told.inner_text()
    assert page.locator('#first [data-view="arcs"] .arc.crossing').count() == 0
    assert page.locator('#first [data-view="arcs"] .arc.gone').count() == 1
    assert bars.locator(".bar.gap").count() == 0
    explorer.press("ArrowRight")
    assert (explorer.state()["stage"], explorer.step) == ("derivation", 0)
    explorer.press("End")
    lifted = page.evaluate("document.querySelector('#first').exploration.lifting.heads")
    assert explorer.heads() == lifted
    explorer.press("ArrowRight")
    assert explorer.state()["stage"] == "returns"
    assert "back from scheduled to hearing" in told.inner_text()
    assert "those of the original tree" in told.inner_text()
    page.locator('#first [data-stage="crossings"]').click()
    assert explorer.state()["stage"] == "crossings"


def test_invariants_hold_along_the_derivation_of_the_lifted_tree(explorer: Explorer) -> None:
    explorer.example(CROSSING)
    panel = explorer.page.locator("#first .invariants")
    for step in range(1, 19):
        explorer.go(step)
        assert panel.inner_text().count("✓") == 3


def test_space_plays_the_whole_journey(explorer: Explorer) -> None:
    explorer.show(
        "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t4\tx\t_\t_\n"
        "3\tc\t_\t_\t_\t_\t1\ty\t_\t_\n4\td\t_\t_\t_\t_\t1\tz\t_\t_\n\n",
        4,
    )
    assert explorer.state()["stage"] == "crossings"
    explorer.page.locator("#first").get_by_label("Speed").select_option("4")
    explorer.page.locator("h1").click()
    explorer.press(" ")
    explorer.until("!document.querySelector('#first').isPlaying")
    assert explorer.state()["stage"] == "returns"
