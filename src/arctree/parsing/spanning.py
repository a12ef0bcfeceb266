"""The best tree when every arc has a score: Chu and Liu (1965), Edmonds (1967).

A graph-based parser scores every head for every word, each on its own. The tree with the
highest sum is the maximum spanning arborescence. Where each word's best head makes a tree, that
is it. Otherwise a path is grown from word to best head. When it runs into itself, its end is a
cycle, and the cycle becomes a single node:

- an arc into the cycle replaces one arc of it, so from its score that of the arc it would
  replace is taken away;
- an arc out of the cycle keeps its score;
- of several arcs between the same two nodes the best one stays.

So the graph shrinks until nothing is left to attach. Then the nodes are opened again, the last
one first: the arc that enters a node enters one of its members, and breaks the cycle there.
Growing a path (Tarjan 1977) looks at one row per step. There are no more than 2n steps, and the
cycles have no more than 2n members in all, so time and memory go with n².

**One root.** A tree in Universal Dependencies has one word that hangs from the artificial root,
but the best spanning tree may have several. The usual remedy takes a constant away from every
root arc, larger than any two trees can differ by: then a tree with fewer root arcs beats every
tree with more, and among those with one root arc the order is what it was, for each of them
has paid the constant once. Here the constant is, in effect, infinite, and no digit is lost to
it: no cycle goes through the root, so a root arc has paid exactly once after any contraction,
and the comparison is always the same: the best other arc first, a root arc only where there is
no other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arctree.errors import DataError

_FORBIDDEN = -np.inf


def maximum_spanning_tree(scores: NDArray[np.floating[Any]]) -> NDArray[np.intp]:
    """The heads of the highest-scoring tree with exactly one dependent of the root.

    ``scores[d - 1, h]`` is the score of head h, from 0 for the root to n, for word d, from 1 to
    n. A score of minus infinity forbids an arc; what is said of a word as its own head is
    ignored. Of equally good heads for a word, the leftmost is tried first.
    """
    weights = _checked(scores)
    greedy: NDArray[np.intp] = weights[1:].argmax(axis=1)
    if _is_tree_with_one_root(greedy):
        return greedy
    return _ShrinkingGraph(weights).best_tree()


def _checked(scores: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """A copy with a row for the root, in which nothing can overflow."""
    if scores.ndim != 2 or scores.shape[1] != scores.shape[0] + 1:
        raise DataError(
            f"scores of shape {scores.shape}",
            "give a row for each of the n words and n + 1 columns, the root's first",
        )
    size = len(scores) + 1
    weights = np.full((size, size), _FORBIDDEN)
    weights[1:] = scores
    np.fill_diagonal(weights, _FORBIDDEN)
    if not (weights < np.inf).all():  # which a comparison with NaN is not either
        raise DataError("a score is NaN or +inf", "give numbers, and -inf for a forbidden arc")
    is_allowed = np.isfinite(weights)
    if not is_allowed[1:].any(axis=1).all():
        raise _no_tree()
    largest = np.abs(weights, where=is_allowed, out=np.zeros_like(weights)).max()
    # A power of two changes no digit, and sums of numbers up to 1 do not overflow.
    scaled: NDArray[np.float64] = np.ldexp(weights, -np.frexp(largest)[1])
    return scaled


def _is_tree_with_one_root(heads: NDArray[np.intp]) -> bool:
    ancestors = np.concatenate([[0], heads])
    for _ in range(len(heads).bit_length()):  # each turn goes up twice as far as the one before
        ancestors = ancestors[ancestors]
    return not ancestors.any() and int(np.count_nonzero(heads == 0)) <= 1


class _ShrinkingGraph:
    """The graph while its cycles become single nodes.

    Words are the nodes 1 to n; cycles are numbered on from there. Each node has a row and a
    column of the matrices, and a cycle takes over those of its first member.
    """

    def __init__(self, weights: NDArray[np.float64]) -> None:
        size = len(weights)
        self.weights = weights
        # The arc between words that each entry stands for: dependent · (n + 1) + head.
        self.arcs = np.arange(size * size).reshape(size, size)
        self.node_at = list(range(size))
        self.chosen_weight = np.zeros(size)  # by row
        self.chosen_arc = [0] * size  # by node
        self.cycle_of = [0] * size  # by node; 0 is none
        self.has_root = False

    def best_tree(self) -> NDArray[np.intp]:
        attached = {0}
        for start in range(1, len(self.weights)):
            path: list[int] = []
            place: dict[int, int] = {}
            row = start
            while row not in attached:
                if row in place:
                    self._contract(path[place[row] :])
                    del path[place[row] + 1 :]
                else:
                    place[row] = len(path)
                    path.append(row)
                row = self._choose_head(row)
            attached.update(place)
        return self._opened()

    def _choose_head(self, row: int) -> int:
        head = int(self.weights[row, 1:].argmax()) + 1
        if self.weights[row, head] == _FORBIDDEN:
            head = 0
            if self.has_root or self.weights[row, head] == _FORBIDDEN:
                raise _no_tree()
            self.has_root = True
        self.chosen_weight[row] = self.weights[row, head]
        self.chosen_arc[self.node_at[row]] = int(self.arcs[row, head])
        return head

    def _contract(self, members: list[int]) -> None:
        """Make one node of a cycle, in the row and column of its first member."""
        first, *others = members
        everywhere = np.arange(len(self.weights))
        into = self.weights[members] - self.chosen_weight[members, None]
        best = into.argmax(axis=0)
        self.weights[first] = into[best, everywhere]
        self.arcs[first] = self.arcs[members][best, everywhere]
        out_of = self.weights[:, members]
        best = out_of.argmax(axis=1)
        self.weights[:, first] = out_of[everywhere, best]
        self.arcs[:, first] = self.arcs[:, members][everywhere, best]
        self.weights[first, members] = _FORBIDDEN
        self.weights[:, others] = _FORBIDDEN
        cycle = len(self.cycle_of)
        for member in members:
            self.cycle_of[self.node_at[member]] = cycle
        self.node_at[first] = cycle
        self.chosen_arc.append(0)
        self.cycle_of.append(0)

    def _opened(self) -> NDArray[np.intp]:
        """The heads of the words, when every node outside a cycle has its arc for good."""
        size = len(self.weights)
        heads = np.zeros(size, dtype=np.intp)
        is_settled = [False] * len(self.cycle_of)
        for top in range(len(self.cycle_of) - 1, 0, -1):
            if is_settled[top]:
                continue
            # The arc goes to a word, and to every cycle between: it breaks all of them.
            node, head = divmod(self.chosen_arc[top], size)
            heads[node] = head
            while node != top:
                is_settled[node] = True
                node = self.cycle_of[node]
        return heads[1:]


def _no_tree() -> DataError:
    return DataError("no tree with one root does without a forbidden arc", "allow more arcs")
