"""The README and the manual are run: every console block, every Python block, every link."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import asdict
from pathlib import Path

import pytest

from arctree.parsing.settings import Configuration, TrainingSettings
from arctree.study.stanza.settings import StanzaSettings
from command_line import PROJECT

PAGES = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *sorted(PROJECT.glob("docs/*.md"))]


def console_commands() -> list[tuple[str, str, str]]:
    """Page, command and what it prints, for each ``$`` line of the console blocks."""
    found = []
    for page in PAGES:
        for block in re.findall(r"^```console\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S):
            for piece in re.split(r"^\$ ", block, flags=re.M)[1:]:
                command, _, printed = piece.partition("\n")
                found.append((page.name, command, printed))
    return found


@pytest.mark.parametrize(("page", "command", "printed"), console_commands())
def test_a_documented_command_prints_what_the_page_says(
    page: str, command: str, printed: str
) -> None:
    here = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{here}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("COLUMNS", None)
    result = subprocess.run(
        ["bash", "-c", command],
        cwd=PROJECT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert result.stdout == printed


def test_the_pages_hold_commands() -> None:
    assert len(console_commands()) >= 10


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_python_examples_of_a_page_hold(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)
    failures, _ = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert failures == 0


def test_the_example_in_the_package_s_docstring_holds() -> None:
    import arctree

    failures, tried = doctest.testmod(arctree)
    assert tried >= 5
    assert failures == 0


LINKED = [
    *PAGES,
    *sorted(PROJECT.glob("recipes/**/*.md")),
    *sorted(PROJECT.glob("benchmarks/*.md")),
]


@pytest.mark.parametrize("page", LINKED, ids=lambda page: str(page.relative_to(PROJECT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target, place in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", page.read_text("utf-8")):
        if "://" in target:
            continue
        goal = page.parent / target if target else page
        assert goal.exists(), target
        assert not place or place in headings(goal), f"{target}#{place}"


def headings(page: Path) -> set[str]:
    """The names by which links know the headings of a page."""
    found = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


def test_the_settings_of_stanza_on_the_page_are_all_and_have_their_defaults() -> None:
    page = (PROJECT / "docs" / "study.md").read_text("utf-8")
    blocks = map(tomllib.loads, re.findall(r"^```toml\n(.*?)^```$", page, re.M | re.S))
    told = next(block["settings"]["small"] for block in blocks if "small" in block["settings"])
    assert told["stanza"].keys() == asdict(StanzaSettings()).keys()
    assert StanzaSettings.read(told["stanza"]) == StanzaSettings()


def test_the_configuration_on_the_page_has_the_defaults() -> None:
    page = (PROJECT / "docs" / "training.md").read_text("utf-8")
    blocks = re.findall(r"^```toml\n(.*?)^```$", page, re.M | re.S)
    scratch, pretrained = map(tomllib.loads, blocks)
    files = {key: scratch["data"][key] for key in ("train", "dev")}
    assert Configuration.read(scratch) == Configuration.read({"data": files})
    shown, gentle = (
        Configuration.read({**scratch, "encoder": pretrained["encoder"], "training": {}}),
        Configuration.read({"data": files, "encoder": {"source": pretrained["encoder"]["source"]}}),
    )
    assert shown == gentle
    changed = {
        key: value
        for key, value in asdict(gentle.training).items()
        if value != getattr(TrainingSettings(), key)
    }
    assert changed == {"epochs": 20, "rate": 1e-3}
