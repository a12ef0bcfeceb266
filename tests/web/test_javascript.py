"""The explorer's modules without a page: their own tests, and that they agree with the core.

The modules in ``web/static`` say again in JavaScript what the core says in Python. Here all
small trees and all configurations go through both, and everything must be the same. One
process of node answers all questions.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from arctree.brackets import format_tree
from arctree.dependency import DependencyTree, is_projective
from arctree.draw.layout import arc_levels
from arctree.draw.width import visible
from arctree.labels import escape, print_label
from arctree.lifting import Scheme, lift
from arctree.oracle import canonical_derivation, count_derivations, derivations
from arctree.ordered import OrderedTree, from_dependency
from arctree.sentence import from_tree
from arctree.theorems import all_heads
from arctree.transitions import Configuration, MappedConfiguration, Transition
from command_line import PROJECT, Arctree

FOLDER = PROJECT / "tests" / "web" / "js"
LONGEST = 5
LETTERS = {Transition.SHIFT: "S", Transition.LEFTARC: "L", Transition.RIGHTARC: "R"}
TRANSITIONS = {letter: transition for transition, letter in LETTERS.items()}

NASTY = (
    ("(", "-LRB-"),
    (")", ")"),
    ("-LRB-", "-RRB-"),
    ("--LRB", "-"),
    ("New York", "N N"),
    ("back\\slash\\", "\\"),
    ("\\u{5c}", "_"),
    ("<script>alert(1)</script>", '"onload='),
    ("شكرا", "ن"),
    ("ideo\u3000graphic", "名"),
    ("no\u00a0break\u0085\u2028", "\u001c"),
    ("\ufeffmark\u200b", "&amp;"),
    ("up↑down↓", "↑"),
    ("😀👩‍👩‍👧", "SYM"),
    ("#", "_"),
)
NASTY_LABELS = ("root", "nsubj:pass", "a b", "obl↑x", "(", "\\", "_", "-LRB-", "<b>")


@pytest.fixture(scope="module")
def node() -> str:
    """The node program, if there is one that takes these files for modules."""
    program = shutil.which("node") or _node_of_playwright()
    if program is None:
        pytest.skip("node is not installed, nor is Playwright, which brings its own")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    major, minor = map(int, re.findall(r"\d+", said)[:2])
    if (major, minor) < (20, 19) or (21, 0) <= (major, minor) < (22, 7):
        pytest.skip(f"node {said.strip()} is too old: 20.19 or 22.7 knows modules by their syntax")
    return program


def _node_of_playwright() -> str | None:
    found = importlib.util.find_spec("playwright")
    if found is None or found.origin is None:
        return None
    program = Path(found.origin).parent / "driver" / "node"
    return str(program) if program.is_file() else None


@pytest.fixture(scope="module")
def answers(node: str) -> dict[str, list[Any]]:
    """What the modules say to all questions of this file."""
    done = subprocess.run(
        [node, str(FOLDER / "answers.js")],
        input=json.dumps(
            {
                "sequences": [
                    {"size": configuration_size, "actions": actions}
                    for configuration_size, actions in all_sequences()
                ],
                "trees": [
                    {"heads": heads, "derivations": listed_derivations(heads)}
                    for heads in every_tree()
                ],
                "choices": [
                    {"heads": heads, "sequences": sequences_for(heads)}
                    for heads in projective_trees()
                ],
                "spans": [spans(heads) for heads in every_tree()],
                "written": [written_question(tree) for tree in written_trees()],
            }
        ),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def test_the_modules_pass_their_own_tests(node: str) -> None:
    files = sorted(map(str, FOLDER.glob("*.test.js")))
    done = subprocess.run(
        [node, "--test", *files], capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.search(r"pass (\d+)", done.stdout)
    assert passed is not None, done.stdout
    assert int(passed.group(1)) >= len(files)


def test_every_configuration_is_that_of_python(answers: dict[str, list[Any]]) -> None:
    """Stack, buffer, arcs and trees after every legal sequence, and every obstacle."""
    found = answers["configurations"]
    for (size, actions), said in zip(all_sequences(), found, strict=True):
        configuration = Configuration.initial(size)
        mapped = MappedConfiguration.initial(("w",) * size)
        for letter in actions:
            configuration = TRANSITIONS[letter](configuration)
            mapped = TRANSITIONS[letter](mapped)
        arcs = [list(arc) for arc in configuration.arcs_added][::-1]
        head_of = {dependent: head for head, dependent in arcs}
        stacked = [item for item in mapped.stack if isinstance(item, OrderedTree)][::-1]
        trees = stacked if mapped.finished is None else [mapped.finished]
        assert said == {
            "stack": list(configuration.stack)[::-1],
            "next": configuration.buffer.start,
            "heads": [head_of.get(word, -1) for word in range(1, size + 1)],
            "arcs": arcs,
            "terminal": configuration.is_terminal,
            "obstacles": [transition.obstacle(configuration) for transition in LETTERS],
            "trees": [shape(tree) for tree in trees],
            "invariants": True,
        }


def test_derivations_are_counted_ranked_and_listed_as_in_python(
    answers: dict[str, list[Any]],
) -> None:
    for heads, said in zip(every_tree(), answers["trees"], strict=True):
        if not is_projective(heads):
            assert said == {"count": "0"}
            continue
        listed = listed_derivations(heads)
        assert said == {
            "count": str(count_derivations(heads)),
            "canonical": letters(canonical_derivation(plain_tree(heads))),
            "nth": listed,
            "ranks": [str(place) for place in range(len(listed))],
            "next": [*listed[1:], None],
            "previous": [None, *listed[:-1]],
        }


def test_choices_are_the_actions_after_which_the_tree_can_be_reached(
    answers: dict[str, list[Any]],
) -> None:
    """At every configuration that is on the way to a tree, and at many that are not."""
    for heads, said in zip(projective_trees(), answers["choices"], strict=True):
        listed = listed_derivations(heads)
        for actions, found in zip(sequences_for(heads), said, strict=True):
            going_on = [way for way in listed if way.startswith(actions)]
            # In Python's order the canonical way comes first, and so does its next action.
            choices = dict.fromkeys(way[len(actions) : len(actions) + 1] for way in going_on)
            assert found == {
                "choices": "".join(choices),
                "left": None if going_on else first_departure(actions, listed),
                "completed": going_on[0] if going_on else None,
            }


def test_arcs_have_the_levels_of_the_drawings(answers: dict[str, list[Any]]) -> None:
    for heads, levels in zip(every_tree(), answers["levels"], strict=True):
        assert levels == arc_levels(spans(heads))


def test_brackets_and_conllu_are_those_of_the_core(answers: dict[str, list[Any]]) -> None:
    """Of plain trees, and of lifted ones, whose labels are printed in CoNLL-U."""
    for tree, said in zip(written_trees(), answers["written"], strict=True):
        plain = tree if unmarked(tree) else tree.with_arcs(tree.heads, printed(tree))
        assert said["conllu"] == from_tree(plain).to_text()
        if is_projective(tree.heads):
            assert said["brackets"] == format_tree(from_dependency(tree))
        else:
            assert said["brackets"] is None


def test_brackets_and_json_are_what_convert_writes(
    answers: dict[str, list[Any]], arctree: Arctree, tmp_path: Path
) -> None:
    """Of the CoNLL-U that the modules write, crossing trees included."""
    written = list(zip(written_trees(), answers["written"], strict=True))
    trees = {tree: said for tree, said in written if unmarked(tree)}
    file = tmp_path / "trees.conllu"
    file.write_text("".join(said["conllu"] for said in trees.values()), encoding="utf-8")
    all_said = dict(written)
    lines = [all_said[lift(tree, Scheme.EXACT)]["brackets"] + "\n" for tree in trees]
    assert arctree("convert", str(file), "--tags", "xpos").out == "".join(lines)
    *objects, rest = arctree("convert", str(file), "--to", "json").out.split("\n")
    assert rest == ""
    assert [json.loads(line) for line in objects] == [said["json"] for said in trees.values()]


def test_every_character_is_escaped_and_shown_as_in_python(answers: dict[str, Any]) -> None:
    everything = [(point, chr(point)) for point in range(0x110000)]
    for change, said in ((escape, answers["escaped"]), (visible, answers["visible"])):
        changed = {str(point): change(text) for point, text in everything if change(text) != text}
        assert changed == said


def every_tree() -> Iterator[tuple[int, ...]]:
    for size in range(1, LONGEST + 1):
        yield from all_heads(size)


def projective_trees() -> list[tuple[int, ...]]:
    return [heads for heads in every_tree() if is_projective(heads)]


def all_sequences() -> Iterator[tuple[int, str]]:
    """Every legal sequence of actions, finished or not."""
    for size in range(1, LONGEST + 1):
        agenda = [(Configuration.initial(size), "")]
        while agenda:
            configuration, actions = agenda.pop()
            yield size, actions
            agenda.extend(
                (transition(configuration), actions + letter)
                for transition, letter in LETTERS.items()
                if transition.is_legal(configuration)
            )


def sequences_for(heads: Sequence[int]) -> list[str]:
    """Every legal sequence for a short sentence; for a long one, those on the way to the tree."""
    if len(heads) < LONGEST:
        return [actions for size, actions in all_sequences() if size == len(heads)]
    ways = listed_derivations(heads)
    return sorted({way[:length] for way in ways for length in range(len(way) + 1)})


def first_departure(actions: str, ways: Sequence[str]) -> int:
    """The index of the action after which no way begins like these actions."""
    return next(
        length
        for length in range(len(actions))
        if not any(way.startswith(actions[: length + 1]) for way in ways)
    )


def listed_derivations(heads: Sequence[int]) -> list[str]:
    if not is_projective(heads):
        return []
    return [letters(way) for way in derivations(plain_tree(heads))]


def letters(way: Sequence[Transition]) -> str:
    return "".join(LETTERS[transition] for transition in way)


def plain_tree(heads: Sequence[int]) -> DependencyTree:
    size = len(heads)
    return DependencyTree(("w",) * size, tuple(heads), ("x",) * size, ("_",) * size)


def shape(tree: OrderedTree) -> list[list[int]]:
    return [
        [node.anchor.position, node.first, node.last, len(node.left), len(node.right)]
        for node in tree.nodes()
    ]


def spans(heads: Sequence[int]) -> list[tuple[int, int]]:
    return [
        (min(head, dependent), max(head, dependent))
        for dependent, head in enumerate(heads, start=1)
        if head
    ]


def written_trees() -> Iterator[DependencyTree]:
    """Small trees with nasty words, tags and labels; after a crossing one, the same lifted."""
    for number, heads in enumerate(every_tree()):
        words = [NASTY[(number + place) % len(NASTY)] for place in range(len(heads))]
        tree = DependencyTree(
            tuple(form for form, _ in words),
            heads,
            tuple(NASTY_LABELS[(number + 2 * head) % len(NASTY_LABELS)] for head in heads),
            tuple(tag for _, tag in words),
        )
        yield tree
        if not is_projective(heads):
            yield lift(tree, Scheme.EXACT)


def unmarked(tree: DependencyTree) -> bool:
    return all(isinstance(label, str) for label in tree.labels)


def written_question(tree: DependencyTree) -> dict[str, Any]:
    lifted = lift(tree, Scheme.EXACT)
    return {
        "words": [
            {"form": form, "tag": tag} for form, tag in zip(tree.words, tree.tags, strict=True)
        ],
        "heads": tree.heads,
        "labels": printed(tree),
        "lifting": None if lifted is tree else {"heads": lifted.heads, "labels": printed(lifted)},
    }


def printed(tree: DependencyTree) -> list[str]:
    return [print_label(label) for label in tree.labels]
