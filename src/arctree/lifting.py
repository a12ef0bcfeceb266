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

from bisect import insort
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from arctree.dependency import DependencyTree, dependents, is_projective, preorder
from arctree.errors import DataError
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
    if not all(isinstance(label, str) for label in tree.labels):
        raise DataError("the tree bears marks of lifting already", "unlift it first")
    heads, paths = lift_heads(tree.heads)
    labels = tree.labels if scheme is Scheme.BASELINE else _marked(tree, heads, paths, scheme)
    return DependencyTree.trusted(tree.words, heads, labels, tree.tags)


def unlift(tree: DependencyTree) -> DependencyTree:
    """The tree φ⁻¹ that the marked labels of ``tree`` describe, with plain labels.

    It is total: on labels that no lifting wrote, a word whose head is not found stays where
    it is, and the result is a tree all the same.
    """
    if all(isinstance(label, str) for label in tree.labels):
        return tree
    search = _Search(tree.heads, tree.labels)
    lifted = {word for word, label in enumerate(tree.labels, start=1) if _is_lifted(label)}
    for word in _top_down(tree.heads, lifted):
        head = search.find_head(word)
        if head is not None:
            search.move(word, head)
    labels = tuple(base_label(label) for label in tree.labels)
    return DependencyTree.trusted(tree.words, tuple(search.heads), labels, tree.tags)


class Move(NamedTuple):
    """A word that leaves one head for another."""

    word: int
    old: int
    new: int


def lift_heads(heads: Sequence[int]) -> tuple[tuple[int, ...], dict[int, list[int]]]:
    """Projective heads, and for each lifted word the words it was lifted over."""
    lifted = list(heads)
    paths: dict[int, list[int]] = {}
    for word, old, new in lifts(heads):
        paths.setdefault(word, []).append(old)
        lifted[word - 1] = new
    return tuple(lifted), paths


def lifts(heads: Sequence[int]) -> Iterator[Move]:
    """The lifts that make a tree projective, one by one.

    A lift takes the word's subtree away from its old head and from nobody else, for the new
    head is the old one's. So only the old head's other arcs can become non-projective, and no
    arc becomes projective but by its own lift: a queue holds those that are not. Subtrees are
    sets of positions, as bits of an integer.
    """
    head_of = [0, *heads]
    lookup = dependents(heads)
    subtree = [1 << word for word in range(len(head_of))]
    for word in reversed(preorder(lookup)[1:]):
        subtree[head_of[word]] |= subtree[word]

    def is_nonprojective(word: int) -> bool:
        low, high = sorted((word, head_of[word]))
        between = (1 << high) - (2 << low)
        return bool(between & ~subtree[head_of[word]])

    def entry(word: int) -> tuple[int, int, int]:
        """Shortest first, the leftmost of equals."""
        return abs(word - head_of[word]), min(word, head_of[word]), word

    queue = [entry(word) for word in range(1, len(head_of)) if is_nonprojective(word)]
    heapify(queue)
    queued = {word for _, _, word in queue}
    while queue:
        _, _, lifted = heappop(queue)
        queued.discard(lifted)
        old, new = head_of[lifted], head_of[head_of[lifted]]
        yield Move(lifted, old, new)
        subtree[old] &= ~subtree[lifted]
        head_of[lifted] = new
        lookup[old].remove(lifted)
        lookup[new].append(lifted)
        for word in (lifted, *lookup[old]):
            if word not in queued and is_nonprojective(word):
                heappush(queue, entry(word))
                queued.add(word)


def returns(lifted: DependencyTree) -> list[Move]:
    """The words that :func:`unlift` moves back, top down and left to right."""
    back = unlift(lifted).heads
    moved = {word for word, head in enumerate(back, start=1) if head != lifted.heads[word - 1]}
    return [
        Move(word, lifted.heads[word - 1], back[word - 1])
        for word in _top_down(lifted.heads, moved)
    ]


def _marked(
    tree: DependencyTree, heads: Sequence[int], paths: Mapping[int, list[int]], scheme: Scheme
) -> tuple[Label, ...]:
    """The labels with what the scheme notes on them."""
    on_path: set[int] = set()
    if scheme in (Scheme.PATH, Scheme.HEAD_PATH):
        on_path = {passed for path in paths.values() for passed in path}
    ranks = _ranks(tree, heads, paths) if scheme is Scheme.EXACT else {}
    labels = [str(label) for label in tree.labels]  # plain ones, or lift() had refused
    marked: list[Label] = list(labels)
    for word in paths.keys() | on_path:
        tells_head = word in paths and scheme is not Scheme.PATH
        marked[word - 1] = LiftedLabel(
            labels[word - 1],
            lifted=word in paths,
            hint=labels[tree.heads[word - 1] - 1] if tells_head else None,
            rank=ranks.get(word, 1),
            on_path=word in on_path,
        )
    return tuple(marked)


def candidates(word: int, heads: Sequence[int], lookup: Sequence[Sequence[int]]) -> Iterator[int]:
    """The words that may be the true head of a lifted word, nearest first.

    Below the present head, breadth first and left to right; then the rest below the head's
    head, and so on up to the root. The word's own subtree is left out. ``lookup`` is what
    :func:`arctree.dependency.dependents` gives.
    """
    top = heads[word - 1]
    seen = {word, top}
    while top:
        for found in _breadth_first(lookup, top, lambda below: below not in seen):
            seen.add(found)
            yield found
        top = heads[top - 1]
        seen.add(top)


class _Search:
    """The search for true heads, in a tree that changes with each head found."""

    def __init__(self, heads: Sequence[int], labels: Sequence[Label]) -> None:
        self.heads = list(heads)
        self.lookup = dependents(heads)
        self.bases = [base_label(label) for label in labels]
        self.labels = labels
        self.on_path = {
            word
            for word, label in enumerate(labels, start=1)
            if not isinstance(label, str) and label.on_path
        }

    def move(self, word: int, head: int) -> None:
        self.lookup[self.heads[word - 1]].remove(word)
        insort(self.lookup[head], word)
        self.heads[word - 1] = head

    def find_head(self, word: int) -> int | None:
        """The true head that the word's label describes in the present tree, if there is one."""
        label = self.labels[word - 1]
        if isinstance(label, str) or not self.heads[word - 1]:
            return None
        head = self._find_along_path(word, label.hint) if self.on_path else None
        if head is not None or label.hint is None:
            return head
        rank = 0
        for found in candidates(word, self.heads, self.lookup):
            if self.bases[found - 1] == label.hint:
                head = found
                rank += 1
                if rank == label.rank:
                    break
        return head

    def rank_of(self, word: int, head: int) -> int:
        """The rank that leads from the word to its true head."""
        rank = 0
        for found in candidates(word, self.heads, self.lookup):
            rank += self.bases[found - 1] == self.bases[head - 1]
            if found == head:
                break
        return rank

    def _find_along_path(self, word: int, hint: str | None) -> int | None:
        """The first end of a path, going down by ↓ alone, that bears the hint if there is one.

        Where no end bears the hint, the first word on the path that does.
        """

        def is_open(below: int) -> bool:
            return below != word and below in self.on_path

        first = None
        for found in _breadth_first(self.lookup, self.heads[word - 1], is_open):
            if hint is None or self.bases[found - 1] == hint:
                if not any(map(is_open, self.lookup[found])):
                    return found
                first = first or found
        return first


def _ranks(tree: DependencyTree, lifted: Sequence[int], words: Collection[int]) -> dict[int, int]:
    """For each lifted word the rank of its true head, as :func:`unlift` will count it."""
    search = _Search(lifted, tree.labels)
    ranks = {}
    for word in _top_down(lifted, words):
        ranks[word] = search.rank_of(word, tree.heads[word - 1])
        search.move(word, tree.heads[word - 1])
    return ranks


def _is_lifted(label: Label) -> bool:
    return not isinstance(label, str) and label.lifted


def _top_down(heads: Sequence[int], words: Collection[int]) -> list[int]:
    """These words, level by level from the root, left to right."""
    return [word for word in _breadth_first(dependents(heads), 0) if word in words]


def _breadth_first(
    lookup: Sequence[Sequence[int]],
    top: int,
    is_open: Callable[[int], bool] = lambda below: True,
) -> Iterator[int]:
    """The words below ``top``, level by level, left to right, entering those that are open."""
    agenda = deque(lookup[top])
    while agenda:
        word = agenda.popleft()
        if is_open(word):
            yield word
            agenda.extend(lookup[word])
