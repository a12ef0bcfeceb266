"""What the property tests draw from: words, labels, trees and sentences of every kind."""

from __future__ import annotations

from hypothesis import strategies as st

from arctree.dependency import DependencyTree
from arctree.labels import LiftedLabel
from arctree.sentence import DEPS, FEATS, LEMMA, MISC, UPOS, XPOS, Sentence, from_tree
from arctree.theorems import random_projective_heads

# Pieces that escapes, markers, brackets and columns could trip over.
SPECIAL = ["(", ")", "-LRB-", "-RRB-", "-LRB", "-", "\\", "\\_", "_", " ", "\u3000", "\u00a0"]
SPECIAL += ["↑", "↓", "\\u{20}", "u{20}", "\u2028", "\x1c", "\x85", "LRB-", "#", "1-2", "é", "語"]

characters = st.characters(blacklist_categories=["Cs"], blacklist_characters="\t\n\r")
texts = st.lists(
    st.one_of(st.sampled_from(SPECIAL), st.text(characters, min_size=1, max_size=4)),
    min_size=1,
    max_size=4,
).map("".join)
plain_labels = st.one_of(st.sampled_from(["nsubj", "obj", "obl:tmod", "dep", "root", "UA"]), texts)


@st.composite
def lifted_labels(draw: st.DrawFn) -> LiftedLabel:
    base = draw(plain_labels)
    if not draw(st.booleans()):
        return LiftedLabel(base, lifted=False, on_path=True)
    hint = draw(st.none() | plain_labels)
    rank = draw(st.integers(1, 12)) if hint is not None else 1
    return LiftedLabel(base, hint=hint, rank=rank, on_path=draw(st.booleans()))


labels = st.one_of(plain_labels, lifted_labels())


@st.composite
def any_heads(draw: st.DrawFn, max_size: int = 12, min_size: int = 1) -> tuple[int, ...]:
    """A tree with one root, projective or not: each word hangs from one drawn before it."""
    size = draw(st.integers(min_size, max_size))
    order = draw(st.permutations(range(1, size + 1)))
    heads = [0] * size
    for place, word in enumerate(order[1:], start=1):
        heads[word - 1] = order[draw(st.integers(0, place - 1))]
    return tuple(heads)


@st.composite
def projective_heads(draw: st.DrawFn, max_size: int = 12) -> tuple[int, ...]:
    return random_projective_heads(
        draw(st.integers(1, max_size)), draw(st.randoms(use_true_random=False))
    )


@st.composite
def trees(
    draw: st.DrawFn,
    heads: st.SearchStrategy[tuple[int, ...]] | None = None,
    label: st.SearchStrategy[object] = plain_labels,
) -> DependencyTree:
    chosen = draw(any_heads() if heads is None else heads)
    size = len(chosen)
    words = draw(st.lists(texts, min_size=size, max_size=size))
    tags = draw(st.lists(st.just("_") | texts, min_size=size, max_size=size))
    drawn = draw(st.lists(label, min_size=size, max_size=size))
    return DependencyTree(tuple(words), chosen, tuple(drawn), tuple(tags))  # type: ignore[arg-type]


projective_trees = trees(projective_heads())
columns = st.just("_") | texts


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    """A sentence with comments, multiword tokens, empty nodes, and every column filled."""
    sentence = from_tree(draw(trees()))
    filled = list(sentence.columns)
    for place in (LEMMA, UPOS, XPOS, FEATS, DEPS, MISC):
        filled[place] = tuple(draw(columns) for _ in range(len(sentence)))
    comments = tuple(
        "#" + draw(st.text(characters, max_size=8)) for _ in range(draw(st.integers(0, 2)))
    )
    others = []
    first = 1
    while first <= len(sentence):
        if draw(st.integers(0, 4)) == 0:
            last = draw(st.integers(first, min(first + 2, len(sentence))))
            row = [f"{first}-{last}", draw(texts), *[draw(columns) for _ in range(8)]]
            others.append((first - 1, "\t".join(row)))
            first = last
        if draw(st.integers(0, 4)) == 0:
            # An empty node stands after the word whose number it bears.
            row = [f"{first}.1", draw(texts), *[draw(columns) for _ in range(8)]]
            others.append((first, "\t".join(row)))
        first += 1
    return Sentence(
        comments,
        tuple(filled),
        sentence.heads,
        tuple(others),
        draw(st.sampled_from(["\n", "\r\n"])),
        draw(st.integers(1, 3)),
    )
