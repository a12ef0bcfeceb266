"""Head-ordered dependency trees (Fernández-González and Martins 2015), the paper's neighbour.

A head-ordered dependency tree is a dependency tree in which every head attaches its dependents
in an order: each arc bears a *rank*, 1 for the dependent that is attached first. The order is
*strict* if every dependent of a head has a rank of its own; it is *weak* if some share one, and
then they are attached together, at one level. It has the *nesting* property if on either side
of the head closer words are attached no later than those farther away.

An arc-standard derivation attaches one dependent at a time, each side from the inside out. So
the derivations of a projective tree D and its strict nested orders are the same thing:
:func:`head_ordered` and :func:`derivation_of` map the ones to the others, ∏ C(l + r, l) of them
(:func:`arctree.oracle.count_derivations`). Two derivations of D differ exactly in the order at
some heads, which :func:`differences` tells, and T(D) is the same for all.

An ordered projective tree stands for a headed constituency tree without unary nodes, in which
every level of a head is one node (:func:`constituents`). A strict order makes it binary. T(D)
knows no order: it is the weak order in which all dependents of a head are at one level
(:meth:`HeadOrderedTree.tied`), and its constituency tree is T(D) but for the node that T(D) has
over a word without dependents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from arctree.dependency import check_heads, dependents, is_projective, nonprojective_arcs
from arctree.errors import DataError
from arctree.labels import escape
from arctree.transitions import (
    LEFTARC,
    RIGHTARC,
    SHIFT,
    Configuration,
    IllegalTransitionError,
    Transition,
)


@dataclass(frozen=True, slots=True)
class HeadOrderedTree:
    """A projective tree with a nested order at every head; valid by construction.

    ``heads[i - 1]`` is the head of word i, as in a dependency tree; ``ranks[i - 1]`` is the
    rank of word i among the dependents of its head. The ranks at a head go from 1 on without
    a gap.
    """

    heads: tuple[int, ...]
    ranks: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.heads) != len(self.ranks):
            raise DataError(f"{len(self.heads)} heads but {len(self.ranks)} ranks")
        check_heads(self.heads)
        if not is_projective(self.heads):
            head, dependent = nonprojective_arcs(self.heads)[0]
            raise DataError(
                f"not projective: the arc {head} -> {dependent} passes over words that do not "
                f"descend from {head}",
                "lift the tree first",
            )
        for head, row in enumerate(dependents(self.heads)):
            self._check_order(head, row)

    def _check_order(self, head: int, row: Sequence[int]) -> None:
        found = sorted({self.ranks[word - 1] for word in row})
        if found != list(range(1, len(found) + 1)):
            raise DataError(
                f"the dependents of word {head} have the ranks {', '.join(map(str, found))}",
                "ranks go from 1 on without a gap",
            )
        left = [word for word in reversed(row) if word < head]
        right = [word for word in row if word > head]
        for side in (left, right):
            for closer, farther in pairwise(side):
                if self.ranks[closer - 1] > self.ranks[farther - 1]:
                    raise DataError(
                        f"word {head} attaches word {farther} before word {closer}, which is "
                        "closer on the same side",
                        "each side is attached from the inside out",
                    )

    @property
    def is_strict(self) -> bool:
        """Whether no two dependents of a head share a rank."""
        return len(set(zip(self.heads, self.ranks, strict=True))) == len(self.heads)

    def levels(self) -> list[list[list[int]]]:
        """For each position 0..n its dependents by rank, those of one rank in surface order."""
        found: list[list[list[int]]] = []
        for row in dependents(self.heads):
            found.append(
                [[] for _ in range(max((self.ranks[word - 1] for word in row), default=0))]
            )
            for word in row:
                found[-1][self.ranks[word - 1] - 1].append(word)
        return found

    def tied(self) -> HeadOrderedTree:
        """The same tree with all dependents of a head at one level: what T(D) knows."""
        return HeadOrderedTree(self.heads, (1,) * len(self.heads))


def head_ordered(derivation: Sequence[Transition]) -> HeadOrderedTree:
    """The tree that a derivation builds, with the order in which it attaches the dependents."""
    configuration = Configuration.initial(derivation.count(SHIFT))
    for number, transition in enumerate(derivation, start=1):
        try:
            configuration = transition(configuration)
        except IllegalTransitionError as error:
            raise DataError(f"transition {number} of the derivation: {error}") from None
    if not configuration.is_terminal:
        raise DataError("the derivation ends before every word has a head")
    heads = [0] * len(configuration.arcs_added)
    ranks = [0] * len(heads)
    attached = [0] * (len(heads) + 1)
    for head, dependent in reversed(tuple(configuration.arcs_added)):
        attached[head] += 1
        heads[dependent - 1] = head
        ranks[dependent - 1] = attached[head]
    return HeadOrderedTree(tuple(heads), tuple(ranks))


def derivation_of(tree: HeadOrderedTree) -> tuple[Transition, ...]:
    """The derivation that attaches in this order: the inverse of :func:`head_ordered`.

    The word on top of the stack attaches what its order says. If that is a dependent on the
    right, its words have to be read first. Once the word has all its dependents, it is itself
    attached if its head lies below, or waits for a head that is still to come.
    """
    if not tree.is_strict:
        raise DataError(
            "some dependents of a head share a rank, but a derivation attaches one at a time",
            "give every dependent of a head a rank of its own",
        )
    # What each word has still to attach, the next one last.
    missing = [[word for (word,) in reversed(levels)] for levels in tree.levels()]
    done: list[Transition] = []
    stack = [0]
    word = 0
    while missing[0]:
        top = stack[-1]
        below = stack[-2] if top else None
        if missing[top] and missing[top][-1] == below:
            done.append(LEFTARC)
            del stack[-2]
            missing[top].pop()
        elif not missing[top] and tree.heads[top - 1] == below:
            done.append(RIGHTARC)
            stack.pop()
            missing[below].pop()
        else:
            done.append(SHIFT)
            word += 1
            stack.append(word)
    return tuple(done)


def differences(first: HeadOrderedTree, second: HeadOrderedTree) -> tuple[int, ...]:
    """The heads at which two orders of one tree differ; there are none if they are the same."""
    if first.heads != second.heads:
        raise DataError(
            "these are two dependency trees, not two orders of one", "compare orders of one tree"
        )
    ranks = zip(first.heads, first.ranks, second.ranks, strict=True)
    return tuple(sorted({head for head, one, other in ranks if one != other}))


def constituents(tree: HeadOrderedTree, words: Sequence[str]) -> str:
    """The headed constituency tree that the order stands for, in brackets.

    A node bears the word of its head. From the inside out each level of a head is a node: what
    was there before, and beside it the dependents of that level.

    >>> constituents(HeadOrderedTree((2, 0, 2), (1, 1, 2)), ("he", "sleeps", "well"))
    '(sleeps (sleeps he sleeps) well)'
    >>> constituents(HeadOrderedTree((2, 0, 2), (1, 1, 1)), ("he", "sleeps", "well"))
    '(sleeps he sleeps well)'
    """
    if len(words) != len(tree.heads):
        raise DataError(f"{len(tree.heads)} heads but {len(words)} words")
    levels = tree.levels()
    parts: list[str] = []
    (top,) = levels[0][0]
    agenda: list[tuple[int, int] | str] = [(top, len(levels[top]))]
    while agenda:
        item = agenda.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        head, level = item
        word = escape(words[head - 1])
        if not level:
            parts.append(f" {word}")
            continue
        parts.append(f" ({word}")
        children = {dependent: len(levels[dependent]) for dependent in levels[head][level - 1]}
        children[head] = level - 1
        agenda.append(")")
        agenda += sorted(children.items(), reverse=True)
    return "".join(parts)[1:]
