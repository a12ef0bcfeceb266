"""Projective trees of ten thousand words, as deep and as wide as they come; and small counts."""

from __future__ import annotations

import random

from arctree.theorems import random_projective_heads

CHAIN = 10_000
DEEP = {
    "to the right": (0, *range(1, CHAIN)),
    "to the left": (*range(2, CHAIN + 1), 0),
    "flat": tuple(5000 if word != 5000 else 0 for word in range(1, CHAIN + 1)),
    "any": random_projective_heads(CHAIN, random.Random(5)),
}

# How many ordered trees there are over 1, 2, ..., 6 words.
ORDERED_TREES = [1, 2, 7, 30, 143, 728]
