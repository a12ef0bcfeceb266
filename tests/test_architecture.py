"""The plan of the house: lower rooms never import upper ones, and the core needs little."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "arctree"
# From the bottom up. A room may use those before it.
ROOMS = [
    ["errors", "models"],
    ["labels", "files"],
    ["dependency"],
    ["sentence", "ordered"],
    ["conllu_faults", "segments"],
    ["conllu", "passages"],
    ["brackets", "lifting", "transitions", "alignment", "resampling"],
    ["oracle", "repair", "treebank", "in_order", "linearisation", "head_ordered"],
    ["theorems", "json_form"],
    ["scores"],
    ["evaluation"],
    ["parsing"],
    ["network"],
    ["parser", "segmenter"],
    ["document"],
    ["pipeline"],
    ["training"],
    ["interop", "draw"],
    ["study", "web"],
    ["notebook"],
    ["cli"],
]
FLOOR = {room: floor for floor, rooms in enumerate(ROOMS) for room in rooms}
CORE_MAY_IMPORT = {*sys.stdlib_module_names, "numpy", "zstandard", "arctree"}
RUN_TIME = ("parsing", "segmenter")
RUN_TIME_MAY_IMPORT = {*CORE_MAY_IMPORT, "onnxruntime", "safetensors", "tokenizers"}
RUN_TIME_MAY_IMPORT |= {"threadpoolctl"}
LEARNED = ("network", "parser", "training")
LEARNED_MAY_IMPORT = {*RUN_TIME_MAY_IMPORT, "onnx", "torch", "transformers"}


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports_of(path: Path) -> list[str]:
    names = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            module = node.module or ""
            names += [f"arctree.{a.name}" for a in node.names] if module == "arctree" else [module]
    return names


MODULES = [path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or path.stem[0] != "_"]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_arrows_point_downwards_only(path: Path) -> None:
    room = room_of(path)
    for name in imports_of(path):
        package, *rest = name.split(".")
        if package == "arctree":
            assert rest[0] == room or FLOOR[rest[0]] < FLOOR[room], f"{room} imports {name}"
        elif FLOOR[room] < FLOOR["interop"]:
            allowed = RUN_TIME_MAY_IMPORT if room in RUN_TIME else CORE_MAY_IMPORT
            allowed = LEARNED_MAY_IMPORT if room in LEARNED else allowed
            assert package in allowed, f"{room} imports {name}"


def test_every_room_is_on_the_plan() -> None:
    rooms = {room_of(path) for path in MODULES}
    assert rooms == set(FLOOR)


def test_nothing_pickles_or_evaluates() -> None:
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("eval", "exec"), path
        assert not {"pickle", "marshal", "shelve"} & set(imports_of(path)), path


def test_no_function_calls_itself() -> None:
    for path in PACKAGE.rglob("*.py"):
        module = ast.parse(path.read_text("utf-8"))
        methods = {
            id(function)
            for owner in ast.walk(module)
            if isinstance(owner, ast.ClassDef)
            for function in owner.body
        }
        for function in ast.walk(module):
            if not isinstance(function, ast.FunctionDef) or function.name == "forests":
                continue  # forests() enumerates, and goes as deep as the short sentences it is for
            wanted = f"self.{function.name}" if id(function) in methods else function.name
            calls = [
                ast.unparse(node.func) for node in ast.walk(function) if isinstance(node, ast.Call)
            ]
            assert wanted not in calls, f"{path}: {function.name} recurses"


def test_the_command_line_starts_without_numpy() -> None:
    program = "import sys, arctree.cli; print('numpy' in sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "False"
