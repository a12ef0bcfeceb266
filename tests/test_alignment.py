from __future__ import annotations

import sys
import unicodedata
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from arctree import alignment
from scored import multiword, scored, treebank, word


def test_spaces_are_the_characters_of_category_zs() -> None:
    characters = map(chr, range(sys.maxunicode + 1))
    assert [c for c in characters if alignment._SPACE.fullmatch(c)] == [
        c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) == "Zs"
    ]


@given(
    st.lists(st.integers(0, 3), max_size=9),
    st.lists(st.integers(0, 3), max_size=9),
)
def test_a_common_subsequence_is_ascending_common_and_longest(
    gold: list[int], system: list[int]
) -> None:
    pairs = list(alignment._common_subsequence(gold, system))
    assert all(gold[left] == system[right] for left, right in pairs)
    for before, after in pairwise(pairs):
        assert before[0] < after[0]
        assert before[1] < after[1]
    longest = [[0] * (len(system) + 1) for _ in range(len(gold) + 1)]
    for left, one in enumerate(gold):
        for right, other in enumerate(system):
            longest[left + 1][right + 1] = max(
                longest[left][right] + (one == other),
                longest[left][right + 1],
                longest[left + 1][right],
            )
    assert len(pairs) == longest[-1][-1]


def test_a_multiword_token_of_thousands_of_words_is_aligned() -> None:
    size = 3000
    heads = [0] + [1] * (size - 1)
    forms = [str(number % 7) for number in range(size)]
    gold = treebank([multiword("m", *map(word, forms, heads))])
    system = treebank([multiword("m", *map(word, forms[3:] + forms[:3], heads))])
    # Without the first three words in gold and the last three in the system, both are the same;
    # a shift by four, forward, would leave one word more behind.
    assert scored(gold, system)["Words"].correct == size - 3
