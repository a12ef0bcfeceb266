"""Vocabularies: the values that a network tells apart, numbered by how often they occur."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence


class Vocabulary:
    """Values and their numbers. A value that is not in it has the number ``unknown``, if given."""

    __slots__ = ("_numbers", "unknown", "values")

    def __init__(self, values: Sequence[str], unknown: int = -1) -> None:
        self.values = tuple(values)
        self.unknown = unknown
        self._numbers = {value: number for number, value in enumerate(self.values)}

    @classmethod
    def of(
        cls,
        values: Iterable[str],
        *,
        least: int = 1,
        reserved: Sequence[str] = (),
        unknown: int = -1,
    ) -> Vocabulary:
        """All values that occur at least so often, the most frequent first, after the reserved."""
        counts = Counter(values)
        kept = sorted(
            (value for value, count in counts.items() if count >= least and value not in reserved),
            key=lambda value: (-counts[value], value),
        )
        return cls((*reserved, *kept), unknown)

    def __len__(self) -> int:
        return len(self.values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        return (self.values, self.unknown) == (other.values, other.unknown)

    def __hash__(self) -> int:
        return hash((self.values, self.unknown))

    def __contains__(self, value: str) -> bool:
        return value in self._numbers

    def __getitem__(self, value: str) -> int:
        return self._numbers.get(value, self.unknown)

    def numbers(self, values: Iterable[str]) -> list[int]:
        find, unknown = self._numbers.get, self.unknown
        return [find(value, unknown) for value in values]
