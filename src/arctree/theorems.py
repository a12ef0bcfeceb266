"""The paper's theorems as checks that can fail.

:func:`verify_length` goes through everything of one length:

Theorem 1 (projective characterisation), by two enumerations that know nothing of each other:
all single-headed trees, sorted by a test for crossing arcs that knows no spans; and all
ordered trees, by their own recursion. ``arcs()`` must map the second set one to one onto the
projective part of the first.

Theorem 2 (transition correspondence), by walking through every sequence of legal transitions:
in every configuration the three invariants hold, and for every transition that is legal there
the square commutes, f(θ(c)) = θ̂(f(c)); those that are not legal are refused in both readings.
Each sequence ends in a projective tree D, and its tree T(δ) is the T(D) of Algorithm 1. So
these sequences are all the derivations of all the projective trees; they must be the ones
that :mod:`arctree.oracle` lists, as many as its closed form says, and the canonical one must be
the one that reduces soonest.

Theorem 3 (recoverability): the arcs of every T(δ) are those of D.

:func:`verify_random` does the same for random trees of hundreds of words, along the canonical
derivation and a random one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from arctree.dependency import ROOT, UNLABELED_ARC, DependencyTree, is_projective
from arctree.errors import ArctreeError
from arctree.oracle import (
    canonical_derivation,
    count_derivations,
    derivations,
    derive,
    random_derivation,
)
from arctree.ordered import Leaf, OrderedTree, from_dependency
from arctree.transitions import (
    Configuration,
    IllegalTransitionError,
    MappedConfiguration,
    Transition,
    as_trees,
    broken_invariant,
)

Heads = tuple[int, ...]
Derivation = tuple[Transition, ...]
Progress = Callable[[str], None]


class ViolationError(ArctreeError):
    """A statement of the paper does not hold, with the case in which it does not."""

    def __init__(self, theorem: str, fault: str, case: str) -> None:
        super().__init__(f"{theorem} is violated: {fault} ({case})")
        self.theorem = theorem
        self.fault = fault
        self.case = case


@dataclass(frozen=True, slots=True)
class Checked:
    """What has been gone through for one length."""

    length: int
    trees: int
    projective: int
    derivations: int
    configurations: int


def verify_length(length: int, progress: Progress = lambda _: None) -> Checked:
    """Check all three theorems on every tree of a length; raises :class:`ViolationError`."""
    progress(f"length {length}: all single-headed trees")
    trees = 0
    projective: set[Heads] = set()
    for heads in all_heads(length):
        trees += 1
        if not has_crossing_arcs(heads):
            projective.add(heads)
        if is_projective(heads) != (heads in projective):
            raise ViolationError("Theorem 1", "the projectivity tests disagree", f"heads {heads}")
    progress(f"length {length}: all ordered trees")
    _check_characterization(length, projective)
    progress(f"length {length}: all derivations")
    endings, configurations = _check_all_sequences(length)
    progress(f"length {length}: the oracle")
    _check_oracle(projective, endings)
    walked = sum(len(ways) for ways in endings.values())
    return Checked(length, trees, len(projective), walked, configurations)


def verify_random(length: int, seed: int) -> Checked:
    """Check Theorems 2 and 3 on a random projective tree of a length."""
    source = random.Random(f"{seed} {length}")
    tree = _unlabeled_dependency(random_projective_heads(length, source))
    configurations = 0
    ways = [canonical_derivation(tree), random_derivation(tree, source)]
    for way in ways:
        for step in derive(tree, way):
            configurations += 1
            _check_readings(step.configuration, step.mapped, tree.words)
        if _check_ending(step.configuration, step.mapped, way) != tree.heads:
            raise ViolationError(
                "Theorem 2", "the derivation ends in another tree", f"{tree.heads}"
            )
    return Checked(length, 1, 1, len(set(ways)), configurations)


def all_heads(length: int) -> Iterator[Heads]:
    """Every single-headed tree over 1..n with one root: n^(n-1) of them.

    Heads are given word by word, never one that closes a cycle or makes a second root.
    """
    heads = [-1] * (length + 1)  # heads[0] is not used; -1 is "not given yet"
    word = 1
    while word:
        heads[word] += 1
        if heads[word] > length:
            heads[word] = -1
            word -= 1
        elif not _closes_cycle(word, heads) and (heads[word] or 0 not in heads[1:word]):
            if word < length:
                word += 1
            elif 0 in heads:
                yield tuple(heads[1:])


def _closes_cycle(word: int, heads: Sequence[int]) -> bool:
    above = heads[word]
    while above > 0 and above != word:
        above = heads[above]
    return above == word


def has_crossing_arcs(heads: Heads) -> bool:
    """Whether two arcs cross, drawn above the sentence, the root at position 0."""
    arcs = [
        (head, word) if head < word else (word, head) for word, head in enumerate(heads, start=1)
    ]
    for (first, last), (other_first, other_last) in combinations(arcs, 2):
        if first < other_first < last < other_last or other_first < first < other_last < last:
            return True
    return False


def all_ordered_trees(length: int) -> Sequence[OrderedTree]:
    """Every unlabelled ordered tree over the words 1..n: an anchor, and forests beside it."""

    @cache
    def trees(first: int, last: int) -> list[OrderedTree]:
        return [
            OrderedTree(UNLABELED_ARC, left, Leaf(anchor, f"w{anchor}"), right)
            for anchor in range(first, last + 1)
            for left in forests(first, anchor - 1)
            for right in forests(anchor + 1, last)
        ]

    @cache
    def forests(first: int, last: int) -> list[tuple[OrderedTree, ...]]:
        if first > last:
            return [()]
        return [
            (tree, *rest)
            for middle in range(first, last + 1)
            for tree in trees(first, middle)
            for rest in forests(middle + 1, last)
        ]

    return [tree.with_label(ROOT) for tree in trees(1, length)]


def random_projective_heads(length: int, source: random.Random) -> Heads:
    """A projective tree: a random head for the span, random cuts beside it, and so on."""
    heads = [0] * length
    agenda = [(1, length, 0)]
    while agenda:
        first, last, parent = agenda.pop()
        anchor = source.randint(first, last)
        heads[anchor - 1] = parent
        for low, high in ((first, anchor - 1), (anchor + 1, last)):
            while low <= high:
                cut = source.randint(low, high)
                agenda.append((low, cut, anchor))
                low = cut + 1
    return tuple(heads)


def _check_characterization(length: int, projective: set[Heads]) -> None:
    seen: dict[Heads, OrderedTree] = {}
    for ordered in all_ordered_trees(length):
        heads = _heads_by_arcs(ordered)
        if heads in seen:
            raise ViolationError("Theorem 1", "two ordered trees have these arcs", f"{heads}")
        if heads not in projective:
            raise ViolationError("Theorem 1", "an ordered tree has crossing arcs", f"{heads}")
        if from_dependency(_unlabeled_dependency(heads)) != ordered:
            raise ViolationError("Theorem 1", "Algorithm 1 builds another tree", f"{heads}")
        seen[heads] = ordered
    for heads in projective - seen.keys():
        raise ViolationError("Theorem 1", "a projective tree has no ordered tree", f"{heads}")


def _check_all_sequences(length: int) -> tuple[dict[Heads, set[Derivation]], int]:
    """Walk through all legal sequences; those that end in each tree, and how many steps."""
    words = _words(length)
    endings: dict[Heads, set[Derivation]] = {}
    configurations = 0
    agenda: list[tuple[Configuration, MappedConfiguration, Derivation]] = [
        (Configuration.initial(length), MappedConfiguration.initial(words), ())
    ]
    while agenda:
        configuration, mapped, done = agenda.pop()
        configurations += 1
        _check_readings(configuration, mapped, words)
        if configuration.is_terminal:
            heads = _check_ending(configuration, mapped, done)
            endings.setdefault(heads, set()).add(done)
        for transition in Transition:
            moved = _check_move(transition, configuration, mapped, done)
            if moved is not None:
                agenda.append((*moved, (*done, transition)))
    return endings, configurations


def _check_readings(
    configuration: Configuration, mapped: MappedConfiguration, words: Sequence[str]
) -> None:
    """The invariants hold, and the tree reading is f of the arc reading."""
    case = f"arcs {sorted(configuration.arcs)}, stack {[*configuration.stack][::-1]}"
    broken = broken_invariant(mapped)
    if broken is not None:
        raise ViolationError("Theorem 2", f"invariant {broken}", case)
    if as_trees(configuration, words) != mapped:
        raise ViolationError("Theorem 2", "the square does not commute", case)


def _check_move(
    transition: Transition,
    configuration: Configuration,
    mapped: MappedConfiguration,
    done: Derivation,
) -> tuple[Configuration, MappedConfiguration] | None:
    """Both readings after a transition that is legal; nothing if both refuse it."""
    refused: list[str] = []
    moved = []
    for reading in (configuration, mapped):
        try:
            moved.append(transition(reading))
        except IllegalTransitionError as error:
            refused.append(str(error))
        except AssertionError:
            refused.append("it cannot be carried out")
    legal = transition.is_legal(configuration)
    if len(refused) != (0 if legal else 2):
        fault = f"{transition.name} is {'' if legal else 'not '}legal, but not in both readings"
        raise ViolationError("Theorem 2", fault, _names(done))
    if not legal:
        return None
    after, mapped_after = moved
    assert isinstance(after, Configuration)
    assert isinstance(mapped_after, MappedConfiguration)
    return after, mapped_after


def _check_ending(
    configuration: Configuration, mapped: MappedConfiguration, done: Sequence[Transition]
) -> Heads:
    """The sequence built T(D), and D's arcs come back from it (Theorems 2 and 3)."""
    heads = [0] * len(mapped.leaves)
    for head, dependent in configuration.arcs:
        heads[dependent - 1] = head
    found = tuple(heads)
    tree = mapped.finished
    if tree is None or len(configuration.arcs) != len(found):
        raise ViolationError("Theorem 2", "the derivation ends without a tree", _names(done))
    if tree != from_dependency(_unlabeled_dependency(found)):
        raise ViolationError("Theorem 2", "T(δ) is not T(D)", _names(done))
    if _heads_by_arcs(tree) != found:
        raise ViolationError("Theorem 3", "the arcs of T(δ) are not those of D", _names(done))
    return found


def _check_oracle(projective: set[Heads], endings: dict[Heads, set[Derivation]]) -> None:
    """The derivations found are those of the oracle, for every projective tree."""
    for heads in projective | endings.keys():
        if heads not in projective or heads not in endings:
            raise ViolationError(
                "Theorem 2", "the projective trees are not those with derivations", f"{heads}"
            )
        tree = _unlabeled_dependency(heads)
        listed = list(derivations(tree))
        if set(listed) != endings[heads] or len(listed) != len(endings[heads]):
            raise ViolationError("the oracle", "it lists other derivations", f"{heads}")
        if len(listed) != count_derivations(heads):
            raise ViolationError(
                "the closed form", f"it says {count_derivations(heads)} derivations", f"{heads}"
            )
        soonest = min(endings[heads], key=lambda way: [move is Transition.SHIFT for move in way])
        if not soonest == canonical_derivation(tree) == listed[0]:
            raise ViolationError(
                "the oracle", "the canonical derivation does not reduce at once", f"{heads}"
            )


def _heads_by_arcs(tree: OrderedTree) -> Heads:
    """The heads that arcs() tells, each word's once."""
    heads = {arc.dependent: arc.head for arc in tree.arcs()}
    if len(heads) != len(tree) or len(tree.arcs()) != len(tree):
        raise ViolationError("Theorem 3", "arcs() does not give each word one head", repr(tree))
    return tuple(heads[word] for word in sorted(heads))


def _unlabeled_dependency(heads: Heads) -> DependencyTree:
    return DependencyTree(_words(len(heads)), heads, (UNLABELED_ARC,) * len(heads)).unlabeled()


def _words(length: int) -> tuple[str, ...]:
    return tuple(f"w{position}" for position in range(1, length + 1))


def _names(done: Sequence[Transition]) -> str:
    return " ".join(transition.name for transition in done)
