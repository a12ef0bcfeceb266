"""Using the explorer's page as a person would, and asking what it shows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Download, Locator, Page, Request

# Playwright's own waiting would need eval, which the page's policy forbids: ask from outside.
_PATIENCE = 600
_PAUSE = 50
_LOCAL = ("http://127.0.0.1:", "file:", "blob:", "data:", "about:")

_STATE = """selector => {
  const { step, actions, focused, stage, place, exploration, isPlaying, shadowRoot } =
    document.querySelector(selector);
  const forms = exploration?.words.map(({ form }) => form) ?? null;
  const told = shadowRoot.querySelector("[data-told]").textContent;
  return { step, actions, focused, stage, place, isPlaying, told, words: forms };
}"""
_TEXTS = """() => {
  const texts = [];
  const agenda = [document.body];
  while (agenda.length) {
    const node = agenda.pop();
    if (node.nodeType === 3) texts.push(node.data);
    if (node.shadowRoot) agenda.push(node.shadowRoot);
    if (!["SCRIPT", "STYLE", "OPTION"].includes(node.nodeName)) agenda.push(...node.childNodes);
  }
  return texts.join("\\n");
}"""


class Watched:
    """A context of the browser in which everything that goes wrong is written down."""

    def __init__(self, browser: Browser, **options: Any) -> None:
        self.complaints: list[str] = []
        self.forgiven: list[str] = []
        self.context = browser.new_context(accept_downloads=True, **options)
        self.context.set_default_timeout(20_000)
        self.context.on("console", self._console)
        self.context.on("weberror", lambda told: self.complaints.append(str(told.error)))
        self.context.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.context.on("request", self._request)
        self.context.add_init_script(
            "addEventListener('securitypolicyviolation', (event) =>"
            " console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));"
        )

    def forgive(self, words: str) -> None:
        """A complaint with these words in it is what the test is about."""
        self.forgiven.append(words)

    def _console(self, message: ConsoleMessage) -> None:
        is_fault = message.type in ("error", "warning", "assert")
        if is_fault and not any(words in message.text for words in self.forgiven):
            self.complaints.append(message.text)

    def _request(self, request: Request) -> None:
        if not request.url.startswith(_LOCAL):
            self.complaints.append(f"a request to {request.url}")


class Explorer:
    """A page with ``<arctree-derivation>`` on it."""

    def __init__(self, page: Page, watch: Watched, address: str) -> None:
        self.page = page
        self.watch = watch
        self.address = address

    def open(self, fragment: str = "") -> None:
        """Go there; ready when a sentence is shown."""
        self.page.goto(self.address + fragment)
        self.until("document.querySelector('arctree-derivation')?.exploration?.words.length > 0")

    def until(self, fact: str, argument: object = None) -> None:
        """Wait until a JavaScript expression, or a function of the argument, is true."""
        for _ in range(_PATIENCE):
            if self.page.evaluate(fact, argument):
                return
            self.page.wait_for_timeout(_PAUSE)
        raise AssertionError(f"never became true: {fact}")

    # ---- what is shown ----

    def state(self, element: str = "arctree-derivation") -> dict[str, Any]:
        """Step, actions, focus, stage and words of an element, and what is told of the step."""
        return dict(self.page.evaluate(_STATE, element))

    @property
    def step(self) -> int:
        return int(self.state()["step"])

    @property
    def actions(self) -> str:
        return str(self.state()["actions"])

    @property
    def words(self) -> list[str]:
        return list(self.state()["words"])

    def heads(self) -> list[int]:
        """The heads that the derivation shown has built so far; -1 where there is none yet."""
        script = "document.querySelector('arctree-derivation').state.configuration.heads"
        return list(self.page.evaluate(script))

    def everything_said(self) -> str:
        """All text of the page, that in shadow roots included."""
        return str(self.page.evaluate(_TEXTS))

    def lit(self, view: str, kind: str) -> list[int]:
        """The words whose items of a kind (a CSS selector) are lit up in a view."""
        items = self.page.locator(f'[data-view="{view}"] {kind}.lit')
        return sorted(
            items.evaluate_all("items => items.map((item) => Number(item.dataset.position))")
        )

    # ---- what is done ----

    def point_at(self, item: Locator) -> None:
        """Move the pointer there, once nothing moves under it any more.

        The model's answers come when they come, and make the rows of the table higher: what the
        pointer then rests on is another row.
        """
        self.until(
            "document.querySelector('arctree-derivation').shadowRoot"
            ".querySelector('[data-view=table] table').classList.contains('scored')"
        )
        item.hover()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def go(self, step: int) -> None:
        """To a step of the derivation, without any control."""
        self.page.evaluate(
            "step => { document.querySelector('arctree-derivation').step = step; }", step
        )

    def command(self, name: str) -> Locator:
        """The button of a command of the first derivation."""
        return self.page.locator(f'#first [data-command="{name}"]')

    def action(self, letter: str) -> Locator:
        """The button of one of the three actions, S, L or R."""
        return self.page.locator(f'#first [data-action="{letter}"]')

    def example(self, name: str) -> None:
        """Pick an example by its name; ready when its sentence is shown."""
        before = self.words
        self.page.locator("#example").select_option(label=name)
        if name != "The paper's sentence":
            self.until(
                "told => !told.every((form, i) => form === document.querySelector("
                "'arctree-derivation').exploration.words[i]?.form)",
                before,
            )

    def paste(self, text: str) -> None:
        """Paste a tree into the field for it, and show it."""
        field = self.page.locator("#tree")
        if field.is_hidden():
            self.page.locator("#paste-open").click()
        field.fill(text)
        self.page.locator("#pasted button[type=submit]").click()

    def show(self, text: str, size: int) -> None:
        """Paste a tree of so many words that differ from what is shown; ready when it is."""
        self.paste(text)
        self.until(
            "size => document.querySelector('arctree-derivation').exploration.words.length"
            " === size && document.querySelector('#progress').hidden",
            size,
        )

    def take(self, name: str, folder: Path) -> Path:
        """Download by the button of this name in the dialog for it, which is open."""
        with self.page.expect_download() as downloading:
            self.page.get_by_role("button", name=name, exact=True).click()
        download: Download = downloading.value
        path = folder / download.suggested_filename
        download.save_as(path)
        return path


def tree_of(size: int) -> str:
    """CoNLL-U of a sentence of so many words: phrases of five, each hung on the one before."""
    words = ["the", "very", "old", "lighthouse", "keepers"]
    heads = {0: 5, 1: 3, 2: 5, 3: 5}
    lines = []
    for index in range(size):
        phrase, place = divmod(index, 5)
        anchor = min(phrase * 5 + 5, size)
        head = phrase * 5 + heads[place] if place in heads else phrase * 5
        head = min(head, size)
        if index + 1 == anchor:
            head = phrase * 5
        label = "root" if head == 0 else "amod" if head > index + 1 else "nmod"
        lines.append(f"{index + 1}\t{words[place]}\t_\tX\t_\t_\t{head}\t{label}\t_\t_")
    return "\n".join(lines) + "\n\n"
