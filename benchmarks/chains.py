"""Whether time is linear in the length of a sentence: ``python benchmarks/chains.py``.

Chains as deep as they are long (left-branching, right-branching, nested) and a flat tree go
through everything, at three lengths. Each number is CPU seconds; the last column is the time of
the longest by the time of the one half as long: 2 is linear, 4 quadratic.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise

from arctree.brackets import format_tree, parse_tree
from arctree.dependency import DependencyTree
from arctree.draw import text
from arctree.oracle import canonical_derivation, derive
from arctree.ordered import from_dependency

LENGTHS = (5_000, 10_000, 20_000)


def left_branching(size: int) -> list[int]:
    return [*range(2, size + 1), 0]


def right_branching(size: int) -> list[int]:
    return list(range(size))


def nested(size: int) -> list[int]:
    order = [word for low in range(1, size // 2 + 1) for word in (low, size + 1 - low)]
    heads = [0] * size
    for above, below in pairwise(order):
        heads[below - 1] = above
    return heads


def flat(size: int) -> list[int]:
    return [0 if word == size // 2 else size // 2 for word in range(1, size + 1)]


def steps(tree: DependencyTree) -> int:
    return sum(1 for _ in derive(tree))


WORK: dict[str, Callable[[DependencyTree], object]] = {
    "convert (Algorithm 1)": from_dependency,
    "print": lambda tree: format_tree(from_dependency(tree)),
    "recover": lambda tree: parse_tree(format_tree(from_dependency(tree))).to_dependency(),
    "compare": lambda tree: from_dependency(tree) == from_dependency(tree),
    "derive": canonical_derivation,
    "derive, both readings": steps,
    "draw arcs": text.draw_arcs,
    "draw tree": lambda tree: text.draw_tree(from_dependency(tree)),
    "draw derivation": lambda tree: text.draw_derivation(derive(tree)),
}


def main() -> None:
    header = "".join(f"{length:>10,}" for length in LENGTHS)
    print(f"{'CPU seconds':<24}{header}   longest / half as long")
    for shape in (left_branching, right_branching, nested, flat):
        print(shape.__name__.replace("_", "-"))
        trees = [tree_of(shape(length)) for length in LENGTHS]
        for name, work in WORK.items():
            times = [best_time(work, tree) for tree in trees]
            row = "".join(f"{seconds:>10.3f}" for seconds in times)
            print(f"  {name:<22}{row}{times[-1] / times[-2]:>12.1f}")


def tree_of(heads: list[int]) -> DependencyTree:
    words = tuple(f"w{place}" for place in range(1, len(heads) + 1))
    return DependencyTree(words, tuple(heads), ("dep",) * len(heads))


def best_time(work: Callable[[DependencyTree], object], tree: DependencyTree) -> float:
    times = []
    for _ in range(3):
        start = time.process_time()
        work(tree)
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    main()
