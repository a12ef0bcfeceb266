"""The wheel: built, installed into an empty environment without torch, and run there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("wheel")  # so that the environment is made once
ROOT = Path(__file__).parent.parent
# What wheel and dependencies may take on disk.
LARGEST = 250_000_000


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an environment that holds the wheel and what it depends on."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-q"]
    subprocess.run([*command, "-w", str(folder), str(ROOT)], check=True, env=clean_environment())
    (wheel,) = folder.glob("arctree-*.whl")
    home = folder / "environment"
    venv.create(home, with_pip=True)
    install = [str(home / "bin" / "python"), "-m", "pip", "install", "-q", str(wheel)]
    done = subprocess.run(
        [*install, "-c", str(ROOT / "constraints.txt")],
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode and "No matching distribution" in done.stderr:
        pytest.skip("the package index cannot be reached")
    assert done.returncode == 0, done.stderr
    return home


def clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def run(home: Path, *arguments: str, text: str = "") -> str:
    done = subprocess.run(
        [str(home / "bin" / arguments[0]), *arguments[1:]],
        input=text,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
        cwd=home,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_parses_text_offline_and_without_torch(environment: Path) -> None:
    answer = run(environment, "arctree", "parse", "--text", "Book me the morning flight.")
    assert "1\tBook\tbook\tVERB\tVB\tMood=Imp|VerbForm=Fin\t0\troot" in answer
    form = json.loads(run(environment, "arctree", "parse", "-", "--to", "json", text="It works."))
    assert [word["lemma"] for word in form["words"]] == ["it", "work", "."]
    code = "import importlib.util as u; print(u.find_spec('torch'), u.find_spec('onnx'))"
    assert run(environment, "python", "-c", code) == "None None\n"


def test_the_explorer_lies_in_it(environment: Path, tmp_path: Path) -> None:
    """As one file, which needs no more than the wheel."""
    page = tmp_path / "page.html"
    source = ROOT / "examples" / "book.conllu"
    run(environment, "arctree", "draw", str(source), "--to", "html", "-o", str(page))
    text = page.read_text("utf-8")
    assert "arctree-derivation" in text
    assert '"morning"' in text


def test_what_needs_torch_says_which_extra_to_install(environment: Path) -> None:
    done = subprocess.run(
        [str(environment / "bin" / "arctree"), "train", "--train", "a", "--dev", "b", "-o", "c"],
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "arctree[train]" in done.stderr


def test_wheel_and_dependencies_are_small(environment: Path) -> None:
    (packages,) = environment.glob("lib/python*/site-packages")
    own = [path for path in packages.iterdir() if not path.name.startswith(("pip", "setuptools"))]
    size = sum(
        file.stat().st_size for path in own for file in [path, *path.rglob("*")] if file.is_file()
    )
    assert size < LARGEST, f"{size / 1e6:.0f} MB"
