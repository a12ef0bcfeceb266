"""Pseudo-projective lifting and its inverse (the paper's φ and φ⁻¹).

A non-projective arc is *lifted* by moving its dependent up to the head's head. Lifting the
shortest non-projective arc first, the leftmost of equals, until none is left makes every
tree projective (Nivre and Nilsson 2005). Their schemes write on the labels what the
inverse needs; a word that was never lifted and lies on no path keeps its label:

    ==========  =============================  ==================  =====================
    scheme      a lifted word's label          a word on the path  comes back
    ==========  =============================  ==================  =====================
    baseline    label                          label               no
    head        label↑hint                     label               nearly always
    path        label↑                         label↓              nearly always
    head+path   label↑hint                     label↓              nearly always
    exact       label↑hint or label↑hint↑rank  label               always
    ==========  =============================  ==================  =====================

The hint is the label of the true head. The path of a lift consists of the words that were
lifted over: the true head and its ancestors below the new head.

:func:`unlift` needs no scheme: the labels say all. It goes through the lifted words top
down, left to right, and searches for each one's head among :func:`candidates`, a
breadth-first search below its present head. Each word that is moved changes the tree in
which the next one is searched. ``exact`` is ours: while lifting, it runs that very search,
and adds the rank of the true head among the candidates that bear the hint where it is not
the first. So what it writes leads back to the same tree, whatever the tree.

Why that always works: lifting moves a word to an ancestor of its head, so in every tree
between the lifted and the original one each word's head is one of its original ancestors.
Hence no such tree has a cycle, and the true head is never below the word itself. It may
lie outside the present head's subtree, though (heads 3 4 0 1), so the search goes on below
the head's head, and so on upwards: it visits every word that could be the head.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum

from arctree.dependency import DependencyTree, dependents, is_projective, nonprojective_arcs
from arctree.labels import Label, LiftedLabel, base_label


class Scheme(StrEnum):
    """What lifting writes on the labels."""

    EXACT = "exact"
    HEAD = "head"
    PATH = "path"
    HEAD_PATH = "head+path"
    BASELINE = "baseline"


def lift(tree: DependencyTree, scheme: Scheme = Scheme.EXACT) -> DependencyTree:
    """The projective tree φ(D); :func:`unlift` is the inverse.

    A projective tree comes back as it is, the same object.
    """
    if is_projective(tree.heads):
        return tree
    heads, paths = lift_heads(tree.heads)
    lifted_words = {word for word, path in paths.items() if path}
    labels = list(tree.labels)
    hints: dict[int, str | None] = dict.fromkeys(lifted_words)
    ranks = dict.fromkeys(lifted_words, 1)
    on_path: set[int] = set()
    if scheme is Scheme.BASELINE:
        return DependencyTree.trusted(tree.words, heads, tree.labels, tree.tags)
    if scheme is not Scheme.PATH:
        hints = {word: base_label(tree.labels[tree.heads[word - 1] - 1]) for word in lifted_words}
    if scheme is Scheme.EXACT:
        ranks = _ranks(tree, heads, lifted_words)
    if scheme in (Scheme.PATH, Scheme.HEAD_PATH):
        on_path = {passed for path in paths.values() for passed in path}
    for word in lifted_words | on_path:
        labels[word - 1] = LiftedLabel(
            base_label(tree.labels[word - 1]),
            lifted=word in lifted_words,
            hint=hints.get(word),
            rank=ranks.get(word, 1),
            on_path=word in on_path,
        )
    return DependencyTree.trusted(tree.words, heads, tuple(labels), tree.tags)


def unlift(tree: DependencyTree) -> DependencyTree:
    """The tree φ⁻¹ that the marked labels of ``tree`` describe, with plain labels.

    It is total: on labels that no lifting wrote, a word whose head is not found stays where
    it is, and the result is a tree all the same.
    """
    if all(isinstance(label, str) for label in tree.labels):
        return tree
    heads = list(tree.heads)
    for word in lifted_in_order(tree):
        head = _find_head(word, heads, tree.labels)
        if head is not None:
            heads[word - 1] = head
    labels = tuple(base_label(label) for label in tree.labels)
    return DependencyTree.trusted(tree.words, tuple(heads), labels, tree.tags)


def lift_heads(heads: Sequence[int]) -> tuple[tuple[int, ...], dict[int, list[int]]]:
    """Projective heads, and for each lifted word the words it was lifted over."""
    lifted = list(heads)
    paths: dict[int, list[int]] = {}
    while arcs := nonprojective_arcs(lifted):
        head, dependent = min(arcs, key=lambda arc: (abs(arc[0] - arc[1]), min(arc)))
        paths.setdefault(dependent, []).append(head)
        lifted[dependent - 1] = lifted[head - 1]
    return tuple(lifted), paths


def lifted_in_order(tree: DependencyTree) -> list[int]:
    """The words whose label says that they were lifted, top down, left to right."""
    marked = {
        word
        for word, label in enumerate(tree.labels, start=1)
        if not isinstance(label, str) and label.lifted
    }
    return [word for word in _breadth_first(dependents(tree.heads), 0) if word in marked]


def candidates(word: int, heads: Sequence[int]) -> Iterator[int]:
    """The words that may be the true head of a lifted word, nearest first.

    Below the present head, breadth first and left to right; then the rest below the head's
    head, and so on up to the root. The word's own subtree is left out.
    """
    lookup = dependents(heads)
    top = heads[word - 1]
    seen = {word, top}
    while top:
        for found in _breadth_first(lookup, top, closed=seen):
            seen.add(found)
            yield found
        top = heads[top - 1]
        seen.add(top)


def _find_head(word: int, heads: Sequence[int], labels: Sequence[Label]) -> int | None:
    """The true head that the word's label describes in the present tree, if there is one."""
    label = labels[word - 1]
    if isinstance(label, str) or not heads[word - 1]:
        return None
    head = _find_along_path(word, heads, labels, label.hint)
    if head is not None or label.hint is None:
        return head
    rank = 0
    for found in candidates(word, heads):
        if base_label(labels[found - 1]) == label.hint:
            head = found
            rank += 1
            if rank == label.rank:
                break
    return head


def _find_along_path(
    word: int, heads: Sequence[int], labels: Sequence[Label], hint: str | None
) -> int | None:
    """The first end of a path, going down by ↓ alone, that bears the hint if there is one.

    Where no end bears the hint, the first word on the path that does.
    """
    lookup = [
        [below for below in row if below != word and _is_on_path(labels[below - 1])]
        for row in dependents(heads)
    ]
    first = None
    for found in _breadth_first(lookup, heads[word - 1]):
        if hint is None or base_label(labels[found - 1]) == hint:
            if not lookup[found]:
                return found
            first = first or found
    return first if hint is not None else None


def _is_on_path(label: Label) -> bool:
    return not isinstance(label, str) and label.on_path


def _ranks(tree: DependencyTree, lifted: Sequence[int], words: set[int]) -> dict[int, int]:
    """For each lifted word the rank of its true head, as :func:`unlift` will count it."""
    heads = list(lifted)
    ranks = {}
    for word in _breadth_first(dependents(lifted), 0):
        if word in words:
            head = tree.heads[word - 1]
            hint = base_label(tree.labels[head - 1])
            rank = 0
            for found in candidates(word, heads):
                rank += base_label(tree.labels[found - 1]) == hint
                if found == head:
                    break
            ranks[word] = rank
            heads[word - 1] = head
    return ranks


def _breadth_first(
    lookup: Sequence[Sequence[int]], top: int, closed: Collection[int] = ()
) -> Iterator[int]:
    """The words below ``top``, level by level, left to right, not entering closed ones."""
    agenda = deque(lookup[top])
    while agenda:
        word = agenda.popleft()
        if word not in closed:
            yield word
            agenda.extend(lookup[word])
