"""Many modules as one script: what is followed, what is kept apart, what is refused."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from arctree.web.bundle import BundleError, bundle
from arctree.web.page import static_folder

MODULES = {
    "entry.js": """
        // @ts-check
        import "./effect.js";
        import { double, PI as circle } from "./numbers.js";
        import {
          Box,
          later,
        } from "./parts/box.js";
        console.log(double(21), circle, new Box(7).held, later.name, helper());
        function helper() {
          return "mine";
        }
    """,
    "effect.js": "import { double } from \"./numbers.js\";\nconsole.log('effect', double(1));\n",
    "numbers.js": """
        /** @typedef {import("./parts/box.js").Box} Box */
        export const PI = 3;
        export function double(number) {
          return 2 * number;
        }
        function helper() {
          return "theirs";
        }
        console.log("numbers", helper(), "</script>", /<\\/script>/u.test("</script>"));
    """,
    "parts/box.js": """
        import { double } from "../numbers.js";
        export class Box {
          constructor(content) {
            this.held = double(content);
          }
        }
        async function soon() {
          return "later";
        }
        export { soon as later, double };
    """,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, source in MODULES.items():
        write(tmp_path, name, source)
    return tmp_path


def write(folder: Path, name: str, source: str) -> None:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(re.sub("^ {8}", "", source, flags=re.M), "utf-8")


def run(script: str, folder: Path) -> str:
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node")
    path = folder / "bundled.mjs"
    path.write_text(script, "utf-8")
    return subprocess.run(
        [node, str(path)], capture_output=True, text=True, check=True, encoding="utf-8"
    ).stdout


def test_one_script_does_what_the_modules_do(folder: Path) -> None:
    # A name may stand in two modules, and each module runs once, after those it imports.
    assert run(bundle(folder, "entry.js"), folder) == (
        "numbers theirs </script> true\neffect 2\n42 3 14 soon mine\n"
    )


def test_no_module_can_end_the_script(folder: Path) -> None:
    assert "</script" not in bundle(folder, "entry.js")
    write(folder, "numbers.js", "export const double = '<!-- <script>', PI = 3;\n")
    with pytest.raises(BundleError, match="<!--"):
        bundle(folder, "effect.js")


@pytest.mark.parametrize(
    "form",
    [
        'import all from "./numbers.js";',
        'import * as all from "./numbers.js";',
        'import { double } from "somewhere";',
        'import("./numbers.js");',
        "console.log(import.meta.url);",
        "export default 3;",
        "export let changing = 3;",
        "export const { a, b } = {};",
        'export * from "./numbers.js";',
        'export { double } from "./numbers.js";',
    ],
)
def test_a_form_that_cannot_be_inlined_is_refused(folder: Path, form: str) -> None:
    write(folder, "odd.js", form + "\n")
    with pytest.raises(BundleError, match=re.escape("odd.js: a form that cannot be inlined")):
        bundle(folder, "odd.js")


def test_modules_that_import_each_other_are_refused(folder: Path) -> None:
    write(folder, "one.js", 'import { two } from "./two.js";\nexport const one = 1;\n')
    write(folder, "two.js", 'import { one } from "./one.js";\nexport const two = 2;\n')
    with pytest.raises(BundleError, match="import each other"):
        bundle(folder, "one.js")


def test_a_module_that_is_missing_or_outside_is_named(folder: Path) -> None:
    write(folder, "lost.js", 'import "./nowhere.js";\n')
    with pytest.raises(BundleError, match=r"no module nowhere\.js"):
        bundle(folder, "lost.js")
    write(folder, "out.js", 'import "../secret.js";\n')
    with pytest.raises(BundleError, match="outside the folder"):
        bundle(folder, "out.js")


def test_the_explorer_s_own_modules_make_one_script_that_javascript_can_read(
    tmp_path: Path,
) -> None:
    script = bundle(static_folder(), "page.js")
    assert "// derivation-element.js" in script
    node = shutil.which("node")
    if node is not None:
        path = tmp_path / "bundled.mjs"
        path.write_text(script, "utf-8")
        done = subprocess.run([node, "--check", str(path)], capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
