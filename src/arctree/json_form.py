"""The JSON form of sentences, ordered trees and derivations, version 1.

Every object says ``"arctree": 1`` and its ``"kind"``; ``schema.json`` beside this file is the
schema, ``docs/json.md`` tells it in words. A tree is a flat list of nodes in preorder, each
with its parent's place in the list, so that depth costs nothing. A label is a string, or an
object with its parts where lifting has marked it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arctree.conllu import read_text
from arctree.dependency import NO_TAG, DependencyTree
from arctree.errors import DataError
from arctree.labels import Label, LiftedLabel
from arctree.oracle import Step
from arctree.ordered import OrderedTree, from_dependency
from arctree.sentence import COLUMNS, DEPREL, Sentence

VERSION = 1
_LARGEST_NUMBER = 2**53 - 1

Json = dict[str, Any]

_WORD_KEYS = [name.lower() for name in COLUMNS]
_WORD_KEYS[DEPREL] = "label"


def sentence_to_json(sentence: Sentence) -> Json:
    """A CoNLL-U sentence; columns that are ``_`` are left out."""
    words = []
    for position, columns in enumerate(zip(*sentence.columns, strict=True)):
        word: Json = {"id": position + 1}
        for key, value in zip(_WORD_KEYS[1:], columns[1:], strict=True):
            if value != "_" or key == "form":
                word[key] = value
        if sentence.heads is not None:
            word["head"] = sentence.heads[position]
        words.append(word)
    return {
        **heading("sentence"),
        "id": sentence.id,
        "text": sentence.text,
        "comments": list(sentence.comments),
        "words": words,
        "other_lines": [
            {"words_before": before, "columns": line.split("\t")}
            for before, line in sentence.other_lines
        ],
    }


def sentence_from_json(value: object) -> Sentence:
    """The inverse of :func:`sentence_to_json`."""
    form = _object(value, "sentence")
    rows = []
    for number, word in enumerate(_objects(form, "words"), start=1):
        if _integer(word, "id") != number:
            raise DataError(f"word {number} has the id {word['id']}", "ids count from 1 on")
        columns = [str(number), *(_column(word, key) for key in _WORD_KEYS[1:])]
        rows.append("\t".join(columns))
    for other in reversed(_objects(form, "other_lines")):
        rows.insert(_integer(other, "words_before"), "\t".join(_strings(other, "columns")))
    text = "\n".join([*_strings(form, "comments"), *rows]) + "\n\n"
    try:
        sentences = list(read_text(text))
    except DataError as error:  # its place is one in the CoNLL-U that was never written
        raise DataError(error.fault, error.remedy) from None
    if len(sentences) != 1:
        raise DataError(f"{len(sentences)} sentences in one object", "write an object for each")
    return sentences[0]


def tree_to_json(tree: OrderedTree) -> Json:
    """An ordered tree: its words, and its nodes in preorder."""
    nodes: list[Json] = []
    agenda: list[tuple[OrderedTree, int | None]] = [(tree, None)]
    while agenda:
        node, parent = agenda.pop()
        below = [(child, len(nodes)) for child in node.dependents]
        agenda.extend(reversed(below))
        nodes.append(
            {
                "label": label_to_json(node.label),
                "anchor": node.anchor.position,
                "first": node.first,
                "last": node.last,
                "parent": parent,
            }
        )
    words = [{"id": leaf.position, "form": leaf.word, "tag": leaf.tag} for leaf in tree.leaves()]
    return {**heading("tree"), "words": words, "nodes": nodes}


def tree_from_json(value: object) -> OrderedTree:
    """The inverse of :func:`tree_to_json`, for the tree of a whole sentence."""
    form = _object(value, "tree")
    words = _objects(form, "words")
    nodes = _objects(form, "nodes")
    heads = [0] * len(words)
    labels: list[Label] = [""] * len(words)
    for number, node in enumerate(nodes):
        anchor = _integer(node, "anchor")
        if not 1 <= anchor <= len(words) or labels[anchor - 1]:
            raise DataError(
                f"node {number} is anchored at {anchor}", "each word anchors exactly one node"
            )
        labels[anchor - 1] = label_from_json(node.get("label"))
        if node.get("parent") is not None:
            parent = _integer(node, "parent")
            if not 0 <= parent < number:
                raise DataError(f"node {number} has the parent {parent}", "parents come first")
            heads[anchor - 1] = _integer(nodes[parent], "anchor")
    tree = from_dependency(
        DependencyTree(
            tuple(_string(word, "form") for word in words),
            tuple(heads),
            tuple(labels),
            tuple(_string(word, "tag", NO_TAG) for word in words),
        )
    )
    if tree_to_json(tree)["nodes"] != nodes:
        raise DataError("the nodes' spans or order are not those of the tree", "write it again")
    return tree


def derivation_to_json(
    steps: Iterable[Step], tree: OrderedTree, *, sentence_id: str | None, derivations: int
) -> Json:
    """A derivation: its tree, how many derivations the tree has, and the steps.

    A number above 2^53 - 1, which many readers of JSON cannot hold, is null.

    A step tells the depth of the stack, the anchors of its two topmost items (0 is the root),
    the first word of the buffer, the transition, and the arc it adds. Replaying the
    transitions gives everything else.
    """
    rows = []
    for number, step in enumerate(steps):
        stack = step.configuration.stack
        top, below = stack.pop()
        second = below.top
        rows.append(
            {
                "step": number,
                "depth": stack.depth,
                "top": [top] if second is None else [second, top],
                "buffer": step.configuration.buffer[0] if step.configuration.buffer else None,
                "transition": step.transition.name if step.transition else None,
                "arc": dict(zip(("head", "dependent"), step.arc, strict=True))
                if step.arc
                else None,
            }
        )
    return {
        **heading("derivation"),
        "id": sentence_id,
        "derivations": derivations if derivations <= _LARGEST_NUMBER else None,
        "tree": tree_to_json(tree),
        "steps": rows,
    }


def label_to_json(label: Label) -> str | Json:
    """A string, or the parts of a lifted label."""
    if isinstance(label, str):
        return label
    return {
        "base": label.base,
        "lifted": label.lifted,
        "hint": label.hint,
        "rank": label.rank,
        "on_path": label.on_path,
    }


def label_from_json(value: object) -> Label:
    """The inverse of :func:`label_to_json`."""
    if isinstance(value, str) and value:
        return value
    if not isinstance(value, Mapping):
        raise DataError(f"{value!r} is no label", "a label is a string or an object")
    hint = value.get("hint")
    return LiftedLabel(
        _string(value, "base"),
        lifted=value.get("lifted") is True,
        hint=None if hint is None else _string(value, "hint"),
        rank=_integer(value, "rank"),
        on_path=value.get("on_path") is True,
    )


def heading(kind: str) -> Json:
    """What every object says of itself."""
    return {"arctree": VERSION, "kind": kind}


def has_heading(value: Mapping[str, Any], kind: str) -> bool:
    """Whether an object says of itself that it is of this kind, and of this version."""
    return value.items() >= heading(kind).items()


def _object(value: object, kind: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise DataError(f"no JSON object, where a {kind} should be", f"write a {kind} object")
    if value.get("arctree") != VERSION:
        raise DataError(
            f"the JSON form has version {value.get('arctree')!r}", f"this is version {VERSION}"
        )
    if value.get("kind") != kind:
        raise DataError(f"a {value.get('kind')!r} where a {kind} should be", f"write a {kind}")
    return value


def _objects(form: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    return [_item(item, key, Mapping) for item in _list(form, key)]


def _strings(form: Mapping[str, Any], key: str) -> list[str]:
    texts = [_item(item, key, str) for item in _list(form, key)]
    if any("\n" in text or "\t" in text for text in texts):
        raise DataError(f"a tab or a line break in {key!r}", "neither can stand there")
    return texts


def _list(form: Mapping[str, Any], key: str) -> Sequence[Any]:
    items = form.get(key)
    if not isinstance(items, list):
        raise DataError(f"{key!r} is missing or no list", "see docs/json.md")
    return items


def _item(item: Any, key: str, kind: type) -> Any:
    if not isinstance(item, kind):
        wanted = "text" if kind is str else "object"
        raise DataError(f"{key!r} holds something that is no {wanted}", "see docs/json.md")
    return item


def _integer(form: Mapping[str, Any], key: str) -> int:
    number = form.get(key)
    if not isinstance(number, int) or isinstance(number, bool):
        raise DataError(f"{key!r} is missing or no whole number", "see docs/json.md")
    return number


def _string(form: Mapping[str, Any], key: str, default: str | None = None) -> str:
    text = form.get(key, default)
    if not isinstance(text, str) or not text:
        raise DataError(f"{key!r} is missing or no text", "see docs/json.md")
    return text


def _column(word: Mapping[str, Any], key: str) -> str:
    if key == "head":
        return str(_integer(word, key)) if key in word else "_"
    text = _string(word, key, None if key == "form" else "_")
    if "\t" in text or "\n" in text:
        raise DataError(f"{key!r} contains a tab or a line break", "a column holds neither")
    return text
