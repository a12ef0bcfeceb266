"""What a step of the explorer costs in the browser, and how its server answers a crowd.

    python benchmarks/explorer.py [--words N ...] [--requests N]

A step is what the script does when ``element.step`` is set, on the page as it is served, with
the layout that follows from it; the frame that is then painted is the browser's own. Every step
of a derivation is measured, forwards and backwards, and what-ifs all along it. A page that shall
not stutter has 16 ms for it. On a busy machine the longest ones are those in which somebody else
was given the processor; the last column is CPU time on average, that of a what-if with the way
back from it.
Then as many requests as are given ask ``/api/parse`` at once.
"""

from __future__ import annotations

import argparse
import json
import shutil
import socket
import statistics
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from random import Random
from threading import Event, Thread
from typing import TYPE_CHECKING

from arctree.training.hardware import processor
from arctree.web.models import Models
from arctree.web.running import serve
from arctree.web.server import application

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page

FRAME = 16.0
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
SENTENCE = "The people who had built the old mill left the valley in the spring of that year."

# Milliseconds of each step: the script's, and those of the script with the layout it causes.
STEPS = """() => {
  const element = document.querySelector("arctree-derivation");
  const last = element.actions.length;
  const steps = [...Array(last).keys()].map((step) => step + 1);
  const times = [];
  for (const step of [...steps, ...steps.map((step) => last - step)]) {
    const start = performance.now();
    element.step = step;
    const script = performance.now();
    element.getBoundingClientRect();
    element.shadowRoot.querySelector("[data-view]").getBoundingClientRect();
    times.push([script - start, performance.now() - start]);
  }
  return times;
}"""
# The same for an action that leaves the derivation, wherever one is legal, and for its undoing.
WHAT_IFS = """() => {
  const element = document.querySelector("arctree-derivation");
  const gold = element.actions;
  const times = [];
  const apart = Math.ceil(gold.length / 50);
  for (let step = 0; step < gold.length; step += apart) {
    element.step = step;
    for (const action of ["S", "L", "R"]) {
      if (action === gold[step]) continue;
      const start = performance.now();
      element.act(action);
      const script = performance.now();
      element.getBoundingClientRect();
      if (element.actions === gold) continue;
      times.push([script - start, performance.now() - start]);
      element.actions = gold;
      element.step = step;
      break;
    }
  }
  return times;
}"""


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--words", type=int, nargs="+", default=[20, 100, 400])
    options.add_argument("--requests", type=int, default=64)
    arguments = options.parse_args()
    models = Models.found()
    models.load()
    with served(models) as port:
        measure_steps(port, arguments.words)
        print()
        measure_answers(port, arguments.requests)


def measure_steps(port: int, sizes: Sequence[int]) -> None:
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        raise SystemExit(f"there is no browser: none of {', '.join(BROWSERS)} is installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        print(f"{processor()}, Chromium {browser.version}; milliseconds a step")
        print(f"{'':17}{'script':^23}{'script and layout':^23}{'CPU':>8}")
        print(f"{'words':>7}{'':10}{'  median   95 %   most' * 2}{'mean':>9}")
        for size in sizes:
            page = browser.new_page(viewport={"width": 1400, "height": 900})
            page.goto(f"http://127.0.0.1:{port}/#{fragment(size)}")
            wait(
                page, f"document.querySelector('arctree-derivation')?.actions.length === {2 * size}"
            )
            wait(
                page,
                "document.querySelector('#first').shadowRoot.querySelector('.scored') !== null",
            )
            page.evaluate(STEPS)  # once to warm up
            clock = page.context.new_cdp_session(page)
            clock.send("Performance.enable", {"timeDomain": "threadTicks"})
            for what, script in {"step": STEPS, "what if": WHAT_IFS}.items():
                before = cpu_time(clock)
                times = page.evaluate(script)
                report(size, what, times, (cpu_time(clock) - before) / len(times))
            page.close()
        browser.close()


def cpu_time(clock: CDPSession) -> float:
    """Milliseconds of CPU that the page's thread has worked for."""
    metrics = clock.send("Performance.getMetrics")["metrics"]
    return 1000 * float(next(item["value"] for item in metrics if item["name"] == "TaskDuration"))


def report(size: int, what: str, times: list[list[float]], mean: float) -> None:
    columns = []
    for part in zip(*times, strict=True):
        ordered = sorted(part)
        columns += [statistics.median(part), ordered[int(0.95 * (len(ordered) - 1))], ordered[-1]]
    cells = "".join(
        f"{value:{9 if place % 3 == 0 else 7}.1f}" for place, value in enumerate(columns)
    )
    within = "" if columns[0] < FRAME else f"   over {FRAME:.0f} ms"
    print(f"{size:7,}  {what:8}{cells}{mean:9.1f}{within}")


def measure_answers(port: int, requests: int) -> None:
    """Everybody asks at once, each for another text."""

    def ask(number: int) -> tuple[int, float]:
        start = time.perf_counter()
        connection = HTTPConnection("127.0.0.1", port, timeout=300)
        form = json.dumps({"text": f"{SENTENCE} It was {number}."})
        connection.request("POST", "/api/parse", form)
        response = connection.getresponse()
        response.read()
        connection.close()
        return response.status, time.perf_counter() - start

    start = time.perf_counter()
    with ThreadPoolExecutor(requests) as crowd:
        answers = list(crowd.map(ask, range(requests)))
    seconds = time.perf_counter() - start
    good = sum(status == 200 for status, _ in answers)
    slowest = max(waited for _, waited in answers)
    print(f"{requests} requests to /api/parse at once: {good} answered with 200,")
    print(f"the last after {slowest:.2f} s, {requests / seconds:.0f} answers/s")


def fragment(size: int) -> str:
    """The link to a projective sentence of so many words, mostly with short arcs."""
    from base64 import urlsafe_b64encode

    random = Random(size)
    heads = short_arcs(size, random)
    labels = [
        "root" if head == 0 else random.choice(["nsubj", "obl", "amod", "conj"]) for head in heads
    ]
    words = [random.choice(["settlers", "of", "valley", "the", "found"]) for _ in heads]
    actions = ""  # the canonical ones are made by the page
    content = json.dumps([1, words, 0, heads, labels, actions, 0], separators=(",", ":"))
    return urlsafe_b64encode(content.encode("utf-8")).decode("ascii").rstrip("=")


def short_arcs(size: int, random: Random) -> list[int]:
    """Heads of a random projective tree: neighbouring trees are joined until one is left."""
    heads = [0] * size
    anchors = list(range(1, size + 1))
    while len(anchors) > 1:
        place = random.randrange(len(anchors) - 1)
        one, other = anchors[place : place + 2]
        head, dependent = (one, other) if random.random() < 0.5 else (other, one)
        heads[dependent - 1] = head
        anchors[place : place + 2] = [head]
    return heads


def wait(page: Page, fact: str) -> None:
    """Wait for a fact; asked from outside, since the page's policy forbids eval."""
    for _ in range(1200):
        if page.evaluate(fact):
            return
        page.wait_for_timeout(50)
    raise SystemExit(f"never became true: {fact}")


@contextmanager
def served(models: Models) -> Iterator[int]:
    """The port of an explorer that runs in a thread until this program ends."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=256)
    ready = Event()
    Thread(target=serve, args=(application(models), listening, ready.set), daemon=True).start()
    ready.wait()
    yield listening.getsockname()[1]


if __name__ == "__main__":
    main()
