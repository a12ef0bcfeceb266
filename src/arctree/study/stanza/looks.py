"""What Stanza's programs find when they look at dev: told, and the time until then counted."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from arctree.study.stanza.parts import Part
from arctree.study.stanza.replacing import Replacement


def telling(
    program: str, part: Part, say: Callable[[str], None], name: str, measure: str
) -> Replacement:
    """The scorer of one of Stanza's programs (``depparse``, ``pos``), which says what it found."""
    scorer = import_module(f"stanza.models.{program}.scorer")
    score = scorer.score

    def told(*arguments: Any, **options: Any) -> Any:
        found = score(*arguments, **options)
        say(f"{name} in Stanza, look {part.scored()}: dev {measure} {100 * found[-1]:.2f}")
        return found

    return Replacement(scorer, "score", told)
