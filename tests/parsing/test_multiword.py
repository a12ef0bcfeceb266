from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arctree.parsing.multiword import MultiwordTokens, cased

ENGLISH = MultiwordTokens.of(
    [
        ("don't", ("do", "n't")),
        ("isn't", ("is", "n't")),
        ("Didn't", ("Did", "n't")),
        ("can't", ("ca", "n't")),
        ("I'm", ("I", "'m")),
        ("Rex's", ("Rex", "'s")),
        ("dog's", ("dog", "'s")),
        ("family's", ("family", "'s")),
        ("Ally's", ("Al", "ly's")),
        ("cannot", ("can", "not")),
        ("gonna", ("gon", "na")),
    ]
)
OTHERS = MultiwordTokens.of(
    [
        ("zum", ("zu", "dem")),
        ("da", ("de", "a")),
        ("trazê-lo", ("trazer", "lo")),
        ("vê-lo", ("ver", "lo")),
        ("fazê-la", ("fazer", "la")),
        ("wabayt", ("wa", "bayt")),
        ("wakitab", ("wa", "kitab")),
    ]
)


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("don't", ["do", "n't"]),
        ("Don't", ["Do", "n't"]),
        ("DON'T", ["DO", "N'T"]),
        ("Don’t", ["Do", "n’t"]),
        ("Fido’s", ["Fido", "’s"]),
        ("shouldn't", ["should", "n't"]),
        ("Fido's", ["Fido", "'s"]),
        ("IBM's", ["IBM", "'s"]),
        ("Monthly's", ["Monthly", "'s"]),
        ("CANNOT", ["CAN", "NOT"]),
        ("nothing", []),
    ],
)
def test_english_tokens_are_split(token: str, words: list[str]) -> None:
    assert ENGLISH.words_of(token) == tuple(words)


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("zum", ["zu", "dem"]),
        ("Zum", ["Zu", "dem"]),
        ("ZUM", ["ZU", "DEM"]),
        ("Da", ["De", "a"]),
        ("DA", ["DE", "A"]),
        ("dizê-lo", ["dizer", "lo"]),
        ("wamadina", ["wa", "madina"]),
    ],
)
def test_tokens_that_are_not_their_words_put_together(token: str, words: list[str]) -> None:
    assert OTHERS.words_of(token) == tuple(words)


def test_a_word_in_the_token_keeps_its_letters() -> None:
    assert cased("Clinton-Hosokawa", ("clinton", "hosokawa")) == ("Clinton", "Hosokawa")


@given(st.text(min_size=1))
def test_any_token_has_words_or_none_and_never_empty_ones(token: str) -> None:
    for tokens in (ENGLISH, OTHERS, MultiwordTokens.of([])):
        words = tokens.words_of(token)
        assert not words or len(words) > 1
        assert all(words)


@given(
    st.lists(
        st.tuples(
            st.text("abcs'-", min_size=2, max_size=6),
            st.lists(st.text("abcs'", min_size=1, max_size=4), min_size=2, max_size=3).map(tuple),
        )
    )
)
def test_what_was_seen_most_is_found_again(seen: list[tuple[str, tuple[str, ...]]]) -> None:
    tokens = MultiwordTokens.of(seen)
    for token, _ in seen:
        assert (token, tokens.words_of(token)) in seen
    assert MultiwordTokens.read(json.loads(json.dumps(tokens.to_json()))) == tokens
