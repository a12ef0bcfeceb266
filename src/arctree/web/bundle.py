"""One script of many modules, for a page that can fetch nothing.

A browser fetches the modules that a module imports; a stand-alone page has to bring them along.
Each module becomes a function that is called once and returns what the module exports, after
those that it imports; so names that a module keeps to itself stay its own. No tool is needed,
because the explorer's modules keep to the forms that stand here, and anything else is refused:

    import "./style.js";                       export const name = …
    import { name, other as mine } from "…";   export function, async function, class
                                               export { name, mine as other };
"""

from __future__ import annotations

import re
from importlib.resources.abc import Traversable
from posixpath import dirname, join, normpath

from arctree.errors import ArctreeError


class BundleError(ArctreeError):
    """A module cannot be put into one script with the others."""


def bundle(folder: Traversable, entry: str) -> str:
    """The script of a module with all that it imports, in the order in which they are needed."""
    sources = _needed(folder, entry)
    names = {module: f"module_{number}" for number, module in enumerate(sources, start=1)}
    script = "".join(_as_function(module, source, names) for module, source in sources.items())
    if "<!--" in script:
        raise BundleError("<!-- in a module: a script inside a page cannot hold it")
    # Wherever this may stand, in a comment, a string or a pattern, the backslash changes nothing.
    return re.sub("</(?=script)", r"<\\/", script, flags=re.IGNORECASE)


def _needed(folder: Traversable, entry: str) -> dict[str, str]:
    """The modules that an entry leads to with their sources, each after those it imports."""
    needed: dict[str, str] = {}
    sources: dict[str, str] = {}
    agenda = [entry]
    while agenda:
        module = agenda[-1]
        if module not in sources:
            sources[module] = _read(folder, module)
        missing = [other for other in _imports(module, sources[module]) if other not in needed]
        waiting = [other for other in missing if other in agenda]
        if waiting:
            raise BundleError(f"{module} and {waiting[0]} import each other")
        if not missing:
            needed[module] = sources[module]
            agenda.pop()
        else:
            agenda.append(missing[0])
    return needed


def _read(folder: Traversable, module: str) -> str:
    place = folder
    for part in module.split("/"):
        if part == "..":
            raise BundleError(f"{module} lies outside the folder")
        place = place / part
    if not place.is_file():
        raise BundleError(f"there is no module {module}")
    return place.read_text("utf-8")


def _imports(module: str, source: str) -> list[str]:
    return [_path(module, match["path"]) for match in _IMPORT.finditer(source)]


def _path(module: str, target: str) -> str:
    """The path from the folder on of what a module names from where it stands."""
    return normpath(join(dirname(module), target))


def _as_function(module: str, source: str, names: dict[str, str]) -> str:
    exported: list[str] = []

    def take_import(match: re.Match[str]) -> str:
        if match["names"] is None:
            return ""
        taken = ", ".join(
            name if name == alias else f"{name}: {alias}"
            for name, alias in _aliases(match["names"])
        )
        return f"const {{ {taken} }} = {names[_path(module, match['path'])]};"

    def take_export(match: re.Match[str]) -> str:
        exported.append(match["name"])
        return ""

    def take_list(match: re.Match[str]) -> str:
        exported.extend(
            name if name == alias else f"{alias}: {name}"
            for name, alias in _aliases(match["names"])
        )
        return ""

    source = _IMPORT.sub(take_import, source)
    source = _EXPORT_LIST.sub(take_list, _EXPORT.sub(take_export, source))
    left = _LEFT.search(_COMMENT.sub("", source))
    if left:
        raise BundleError(f"{module}: a form that cannot be inlined: {left.group().strip()}")
    body = source.strip("\n")
    returned = f"return {{ {', '.join(exported)} }};\n" if exported else ""
    return f"// {module}\nconst {names[module]} = (() => {{\n{body}\n{returned}}})();\n\n"


def _aliases(names: str) -> list[tuple[str, str]]:
    """The names of a list, each with what it is called on the other side."""
    pairs = []
    for item in names.split(","):
        name, _, alias = item.strip().partition(" as ")
        if name:
            pairs.append((name.strip(), (alias or name).strip()))
    return pairs


_IMPORT = re.compile(
    r"""^import\s+(?:\{(?P<names>[\w$,\s]*)\}\s*from\s+)?"(?P<path>\.{1,2}/[\w./-]+)";""",
    re.MULTILINE,
)
_EXPORT = re.compile(
    r"^export\s+(?=(?:(?:async\s+)?function\b\s*\*?|class\b|const\b)\s*(?P<name>[\w$]+))",
    re.MULTILINE,
)
_EXPORT_LIST = re.compile(r"^export\s*\{(?P<names>[\w$,\s]*)\};", re.MULTILINE)
# Types in comments are named by import(…), which does no harm.
_COMMENT = re.compile(r"/\*[\s\S]*?\*/|^[ \t]*//.*$", re.MULTILINE)
# What is left of import and export, and what asks where the module came from.
_LEFT = re.compile(r"^(?:import|export)\b.*$|\bimport\s*[(.].*$", re.MULTILINE)
