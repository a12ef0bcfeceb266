"""Confidence: from what a parser believes of an arc to how often such arcs are right.

Greedy transitions are too sure of themselves: each is trained where all before it were right.
So the probability of an arc is passed through a logistic curve with two parameters, fitted to
the arcs that the parser finds on dev (Platt 1999). The curve rises, so it ranks arcs as before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from arctree.parsing.settings import Settings, between

Numbers = np.ndarray[Any, np.dtype[np.float64]]

# Probabilities nearer than this to 0 or 1 are taken for this near.
_LEAST = 1e-6
_STEPS = 100


@dataclass(frozen=True)
class Confidence(Settings):
    """The curve: the log-odds of a probability times ``slope`` plus ``offset``."""

    section: ClassVar[str] = "confidence"
    slope: float = between(0, 100, 1.0)
    offset: float = between(-100, 100, 0.0)

    def of(self, probabilities: Numbers) -> Numbers:
        """How often arcs of these probabilities are right."""
        return _logistic(self.slope * _log_odds(probabilities) + self.offset)

    @classmethod
    def fitted(
        cls, probabilities: Numbers, is_right: np.ndarray[Any, np.dtype[np.bool_]]
    ) -> Confidence:
        """The curve under which what was right and what was not is likeliest.

        A few arcs do not bend it: departing from the straight one costs as much as one arc.
        """
        odds = _log_odds(probabilities)
        factors = np.stack([odds, np.ones_like(odds)], axis=-1)
        straight = np.array([1.0, 0.0])

        def cost(values: Numbers) -> float:
            margins = np.where(is_right, 1, -1) * (factors @ values)
            return float(np.logaddexp(0, -margins).sum() + np.square(values - straight).sum() / 2)

        values = straight
        for _ in range(_STEPS):  # Newton's method; the cost is convex
            found = _logistic(factors @ values)
            gradient = factors.T @ (found - is_right) + values - straight
            curvature = (factors * (found * (1 - found))[:, None]).T @ factors + np.eye(2)
            step = np.linalg.solve(curvature, gradient)
            while cost(values - step) > cost(values) and np.abs(step).max() > _LEAST:
                step = step / 2
            values = values - step
            if np.abs(step).max() <= _LEAST:
                break
        slope, offset = values.tolist()
        return cls(max(slope, 0.0), offset)


def _log_odds(probabilities: Numbers) -> Numbers:
    inside = np.clip(probabilities.astype(np.float64), _LEAST, 1 - _LEAST)
    odds: Numbers = np.log(inside / (1 - inside))
    return odds


def _logistic(odds: Numbers) -> Numbers:
    found: Numbers = np.exp(-np.logaddexp(0, -odds))
    return found
