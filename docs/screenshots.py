"""Pictures of the explorer's main states, to be looked at, and a few of them for the README.

    python docs/screenshots.py FOLDER [--readme]

Every state is taken light and dark, 1400 and 390 pixels wide. Chromium takes them of a real
``arctree serve``. With ``--readme``, the pictures in docs/images are made anew, too.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

IMAGES = Path(__file__).parent / "images"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
WIDTHS = {1400: 1000, 390: 844}
MARGIN = 8
SCHEMES = ("light", "dark")
BOTH = "Dependents on both sides"
LONG = "A long sentence"
CROSSING = "Not projective"
MISTAKEN = """\
1\tThe\t_\tDT\t_\t_\t3\tdet\t_\t_
2\ttall\t_\tJJ\t_\t_\t3\tamod\t_\t_
3\tman\t_\tNN\t_\t_\t5\tnsubj\t_\t_
4\toutside\t_\tRB\t_\t_\t5\tadvmod\t_\t_
5\twaved\t_\tVBD\t_\t_\t0\troot\t_\t_
6\ttwice\t_\tRB\t_\t_\t5\tadvmod\t_\t_
"""

State = Callable[[Page], None]


def main() -> None:
    """Take every state in every look."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--readme", action="store_true", help="docs/images, too")
    options.add_argument("--only", default="", help="only states with this in their names")
    arguments = options.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with served() as address, sync_playwright() as playwright:
        path = next(filter(None, map(shutil.which, BROWSERS)))
        browser = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        for width, height in WIDTHS.items():
            for scheme in SCHEMES:
                context = browser.new_context(
                    viewport={"width": width, "height": height},
                    color_scheme="dark" if scheme == "dark" else "light",
                    reduced_motion="reduce",
                )
                for name, state in STATES.items():
                    if arguments.only in name:
                        page = opened(context.new_page(), address, state)
                        page.screenshot(
                            path=arguments.folder / f"{name}-{width}-{scheme}.png", full_page=True
                        )
                        page.close()
                context.close()
        if arguments.readme:
            for name, take in README.items():
                take(browser, address, IMAGES / f"explorer-{name}.png")
        browser.close()


@contextmanager
def served() -> Iterator[str]:
    """The address of an explorer that runs for us."""
    command = [sys.executable, "-m", "arctree", "serve", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:  # noqa: S603
        assert server.stderr is not None
        try:
            for line in server.stderr:
                found = re.search(r"http://\S+", line)
                if found:
                    yield found.group()
                    return
            raise SystemExit("arctree serve does not start")
        finally:
            server.terminate()


def opened(page: Page, address: str, state: State) -> Page:
    """The page in one of its states."""
    page.goto(address)
    wait(page, "document.querySelector('arctree-derivation')?.exploration !== null")
    state(page)
    wait(page, "document.getAnimations().length === 0")
    return page


def wait(page: Page, fact: str) -> None:
    """Wait for a fact; asked from outside, since the page's policy forbids eval."""
    for _ in range(600):
        if page.evaluate(fact):
            return
        page.wait_for_timeout(50)
    raise SystemExit(f"never became true: {fact}")


# ---- the states ----


def example(name: str, step: int | None = 0) -> State:
    """An example at a step; None is the last."""

    def show(page: Page) -> None:
        page.locator("#example").select_option(label=name)
        page.wait_for_load_state("networkidle")  # the model's probabilities have come
        if step is None:
            page.keyboard.press("End")
        else:
            page.evaluate("step => { document.querySelector('#first').step = step; }", step)

    return show


def acting(name: str, step: int, *keys: str) -> State:
    """An example at a step, and then these keys."""

    def show(page: Page) -> None:
        example(name, step)(page)
        for key in keys:
            page.keyboard.press(key)

    return show


def alternative(page: Page) -> None:
    """The second derivation of the tree, where it has gone another way."""
    example(BOTH, 5)(page)
    page.locator('#first [data-command="next-derivation"]').click()
    page.evaluate("document.querySelector('#first').step = 9")


def compared(page: Page) -> None:
    """Two analyses of one sentence, where they part."""
    example(BOTH)(page)
    page.locator("#compare").select_option("pasted")
    page.locator("#other-text").fill(MISTAKEN)
    page.locator("#other-form button[type=submit]").click()
    page.get_by_role("button", name="Go there").click()


def compared_long(page: Page) -> None:
    """The long sentence, beside what the model makes of it."""
    example(LONG)(page)
    page.locator("#compare").select_option("model:en")
    wait(page, "!document.querySelector('#comparison').hidden")
    if page.get_by_role("button", name="Go there").count():
        page.get_by_role("button", name="Go there").click()


def stage(name: str, place: int = 0) -> State:
    """A stage on the way of the tree that is not projective."""

    def show(page: Page) -> None:
        page.locator("#example").select_option(label=CROSSING)
        page.locator(f'#first [data-stage="{name}"]').click()
        for _ in range(place):
            page.keyboard.press("ArrowRight")

    return show


def looked_at(page: Page) -> None:
    """A word in focus."""
    example(BOTH, 7)(page)
    page.locator('#first [data-view="trees"] .node[data-position="3"]').focus()


def refused(page: Page) -> None:
    """A pasted tree that is none."""
    page.locator("#paste-open").click()
    page.locator("#tree").fill(MISTAKEN.replace("\t5\tnsubj", "\t9\tnsubj"))
    page.locator("#pasted button[type=submit]").click()
    wait(page, "!document.querySelector('#fault').hidden")


def taken_away(page: Page) -> None:
    """The dialog of what can be taken away."""
    example(BOTH, 6)(page)
    page.locator("#take-away-open").click()


STATES: dict[str, State] = {
    "start": example("The paper's sentence"),
    "middle": example("The paper's sentence", 6),
    "end": example("The paper's sentence", None),
    "both-middle": example(BOTH, 6),
    "illegal": acting(BOTH, 0, "l"),
    "what-if": acting(BOTH, 6, "l"),
    "what-if-end": acting(BOTH, 6, "l", "End"),
    "alternative": alternative,
    "focus": looked_at,
    "compare": compared,
    "compare-long": compared_long,
    "crossings": stage("crossings"),
    "lifts": stage("lifts"),
    "lifted": stage("derivation", 9),
    "returns": stage("returns"),
    "help": acting("The paper's sentence", 0, "?"),
    "take-away": taken_away,
    "fault": refused,
    "long-start": example(LONG, 0),
    "long-middle": example(LONG, 62),
    "long-end": example(LONG, None),
    "long-what-if": acting(LONG, 31, "s"),
    "korean": example("Korean", 9),
    "arabic": example("Arabic", 9),
    "odd-words": example("Odd words", 17),
    "japanese": example("Japanese", 12),
}


# ---- the README's ----


def picture(state: State, part: str, scheme: Any, height: int) -> Callable[[Any, str, Path], None]:
    """A part of the page in a state, wide enough to be read when the README makes it smaller."""

    def take(browser: Any, address: str, path: Path) -> None:
        context = browser.new_context(
            viewport={"width": 1120, "height": 1600}, color_scheme=scheme, reduced_motion="reduce"
        )
        page = opened(context.new_page(), address, state)
        box = page.locator(part).bounding_box() or {}
        top = max(0, box["y"] - MARGIN)
        clip = {"x": 0, "y": top, "width": 1120, "height": min(height, box["height"] + 2 * MARGIN)}
        page.screenshot(path=path, clip=clip)
        context.close()

    return take


README = {
    "middle": picture(example(BOTH, 6), "body", "light", 965),
    "what-if": picture(acting(BOTH, 6, "l"), "#first", "dark", 1000),
    "crossings": picture(stage("crossings"), "#first", "light", 900),
    "compare": picture(compared, "#comparison", "light", 900),
}


if __name__ == "__main__":
    main()
