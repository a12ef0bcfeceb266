"""Where a mapped system first leaves the gold derivations.

A tree has several derivations (:mod:`arctree.oracle`), and which of them a parser takes does
not matter. So it *leaves* them with the first transition after which φ(D), the gold tree as it
was lifted, cannot be reached any more. All arcs built before are right; of those built after,
one at least is wrong. The *word at stake* is the one that gold would attach at this step or,
where gold would shift, the one that was attached instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from arctree.dependency import DependencyTree
from arctree.errors import DataError
from arctree.evaluation import ARC_LENGTHS
from arctree.lifting import lift_heads
from arctree.oracle import walk
from arctree.sentence import Sentence
from arctree.transitions import LEFTARC, RIGHTARC, SHIFT, Transition

# In how many parts a derivation is cut to say where in it something happens.
PARTS = 10
# So many wrong arcs, or more, after leaving.
MOST_WRONG = 6


@dataclass(frozen=True)
class Departure:
    """A transition that leaves the gold derivations, the step it is taken at, from 0 on."""

    step: int
    gold: Transition
    taken: Transition
    word: int


@dataclass(frozen=True)
class Followed:
    """How a derivation went along the gold ones; ``is_canonical`` until it left them, if so."""

    departure: Departure | None
    is_canonical: bool


def follow(tree: DependencyTree, taken: Sequence[Transition]) -> Followed:
    """Follow a derivation as long as the projective tree can still be reached."""
    if len(taken) != 2 * len(tree):
        raise DataError(f"{len(taken)} transitions over {len(tree)} words", "there must be 2n")
    left: list[tuple[int, Transition]] = []
    is_canonical = True
    steps = iter(enumerate(taken))

    def choose(choices: Sequence[Transition]) -> Sequence[Transition]:
        nonlocal is_canonical
        step, transition = next(steps)
        if not left and transition in choices:
            is_canonical &= transition is choices[0]
            return (transition,)
        if not left:
            left.append((step, choices[0]))
        return choices[:1]  # to the end, wherever that leads

    next(walk(tree, choose))
    if not left:
        return Followed(None, is_canonical)
    [(step, gold)] = left
    second, top = _topmost(taken[:step])
    decided = taken[step] if gold is SHIFT else gold
    word = second if decided is LEFTARC else top
    return Followed(Departure(step, gold, taken[step], word), is_canonical)


def heads_built(taken: Sequence[Transition]) -> tuple[int, ...]:
    """The heads that a derivation builds."""
    heads = [0] * (len(taken) // 2)
    stack, shifted = [0], 0
    for transition in taken:
        if transition is SHIFT:
            shifted += 1
            stack.append(shifted)
            continue
        top, second = stack.pop(), stack.pop()
        head, dependent = (top, second) if transition is LEFTARC else (second, top)
        heads[dependent - 1] = head
        stack.append(head)
    return tuple(heads)


@dataclass
class Departures:
    """What is counted over sentences, and seeds."""

    sentences: int = 0
    canonical: int = 0
    same_tree: int = 0
    confusion: Counter[tuple[Transition, Transition]] = field(default_factory=Counter)
    parts: Counter[int] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    gold_labels: Counter[str] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)
    gold_lengths: Counter[int] = field(default_factory=Counter)
    wrong: Counter[int] = field(default_factory=Counter)
    arcs_before: int = 0
    arcs_after: int = 0

    def add(self, sentence: Sentence, taken: Sequence[Transition]) -> None:
        """Count what a system did with a sentence."""
        gold = sentence.tree
        heads, _ = lift_heads(gold.heads)
        projective = DependencyTree.trusted(gold.words, heads, gold.labels, gold.tags)
        followed = follow(projective, taken)
        self.sentences += 1
        self.gold_labels.update(sentence.deprels)
        self.gold_lengths.update(_lengths(heads))
        if followed.departure is None:
            self.canonical += followed.is_canonical
            self.same_tree += not followed.is_canonical
            return
        departure = followed.departure
        self.confusion[departure.gold, departure.taken] += 1
        self.parts[departure.step * PARTS // len(taken)] += 1
        self.labels[sentence.deprels[departure.word - 1]] += 1
        self.lengths[_lengths(heads)[departure.word - 1]] += 1
        built = heads_built(taken)
        self.wrong[sum(was != now for was, now in zip(heads, built, strict=True))] += 1
        before = sum(step is not SHIFT for step in taken[: departure.step])
        self.arcs_before += before
        self.arcs_after += len(heads) - before

    def to_json(self) -> dict[str, Any]:
        """All of it as plain values; labels by how often they are at stake."""
        wrong = sum(count * times for count, times in self.wrong.items())
        return {
            "sentences": self.sentences,
            "canonical": self.canonical,
            "other_derivation": self.same_tree,
            "departed": self.sentences - self.canonical - self.same_tree,
            "confusion": [
                {"gold": gold.value, "taken": taken.value, "times": self.confusion[gold, taken]}
                for gold in (SHIFT, LEFTARC, RIGHTARC)
                for taken in (SHIFT, LEFTARC, RIGHTARC)
                if gold is not taken
            ],
            "positions": [self.parts[part] for part in range(PARTS)],
            "labels": [
                {"label": label, "times": times, "gold": self.gold_labels[label]}
                for label, times in sorted(self.labels.items(), key=lambda row: (-row[1], row[0]))
            ],
            "arc_lengths": [
                {
                    "first": first,
                    "last": last,
                    "times": _total(self.lengths, first, last),
                    "gold": _total(self.gold_lengths, first, last),
                }
                for first, last in ARC_LENGTHS
            ],
            "wrong_arcs": [
                *(self.wrong[count] for count in range(1, MOST_WRONG)),
                sum(times for count, times in self.wrong.items() if count >= MOST_WRONG),
            ],
            "arcs_before": self.arcs_before,
            "arcs_after": self.arcs_after,
            "wrong_after": wrong,
        }


def departures_of(
    gold: Sequence[Sentence], seeds: Iterable[Sequence[Sequence[Transition]]]
) -> Departures:
    """What a mapped system does, over all its seeds."""
    found = Departures()
    for derivations in seeds:
        if len(derivations) != len(gold):
            raise DataError(f"{len(derivations)} derivations of {len(gold)} sentences")
        for sentence, taken in zip(gold, derivations, strict=True):
            found.add(sentence, taken)
    return found


def _topmost(taken: Sequence[Transition]) -> tuple[int, int]:
    """The two topmost items of the stack after these transitions, the top last.

    The root alone has nothing below it, and is never left there: gold shifts, and so must all.
    """
    stack, shifted = [0], 0
    for transition in taken:
        if transition is SHIFT:
            shifted += 1
            stack.append(shifted)
        else:
            del stack[-2 if transition is LEFTARC else -1]
    return stack[-2], stack[-1]


def _lengths(heads: Sequence[int]) -> list[int]:
    """How far each word is from its head; 0 for the root."""
    return [abs(head - word) if head else 0 for word, head in enumerate(heads, start=1)]


def _total(counts: Counter[int], first: int, last: int | None) -> int:
    return sum(
        times
        for length, times in counts.items()
        if length >= first and (last is None or length <= last)
    )
