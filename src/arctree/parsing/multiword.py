"""Multiword tokens: the words that a token stands for, as *don't* stands for *do* and *n't*.

Whether a token is one in its context is for the segmenter to say; here is which words it then
stands for. What training has seen is looked up (*zum* → *zu dem*). What it has not is split
by the longest known ending, or beginning, that differs from the words: *Fido's* ends in *'s*
like *Rex's*, and *fazê-lo* in *ê-lo*, which stands for *er* and *lo*, like *trazê-lo*.

Both are kept in lower case and with plain apostrophes; the words get the case and, as far as
they are found in it, the characters of the token: *DON’T* → *DO N’T*, *Zum* → *Zu dem*.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from arctree.parsing.characters import lowered

Words = tuple[str, ...]


class Rule(NamedTuple):
    """What an ending or a beginning stands for, and how often it does among those learnt from."""

    words: Words
    share: float


@dataclass(frozen=True)
class MultiwordTokens:
    """What tokens stand for, by the whole token, by its ending, and by its beginning.

    An ending stands for the words, of which the first lacks what came before the ending; a
    beginning for the words, of which the last lacks what comes after.
    """

    whole: Mapping[str, Words]
    endings: Mapping[str, Rule]
    beginnings: Mapping[str, Rule]

    @classmethod
    def of(cls, tokens: Iterable[tuple[str, Words]]) -> MultiwordTokens:
        """Learnt from tokens and their words; of several readings the most frequent is kept."""
        whole = _most_frequent(
            (_plain(token), tuple(map(_plain, words))) for token, words in tokens if token
        )
        turned = {_turned_token(token): _turned(words) for token, words in whole.items()}
        return cls(whole, _endings(whole), _endings(turned))

    def words_of(self, token: str) -> Words:
        """The words that a token stands for; none if nothing tells."""
        small = _plain(token)
        words = self.whole.get(small) or self._by_rule(small)
        return cased(token, words) if words else ()

    def _by_rule(self, token: str) -> Words:
        """By ending or beginning, whichever held more often."""
        words, share = _applied(self.endings, token)
        turned, other = _applied(self.beginnings, _turned_token(token))
        return words if share >= other else _turned(turned)

    def to_json(self) -> dict[str, Any]:
        """As it can be read again."""
        return {
            "whole": dict(self.whole),
            "endings": dict(self.endings),
            "beginnings": dict(self.beginnings),
        }

    @classmethod
    def read(cls, form: Mapping[str, Any]) -> MultiwordTokens:
        """The inverse of :meth:`to_json`."""
        return cls(
            {str(token): tuple(map(str, words)) for token, words in form["whole"].items()},
            *(
                {
                    str(part): Rule(tuple(map(str, words)), float(share))
                    for part, (words, share) in form[name].items()
                }
                for name in ("endings", "beginnings")
            ),
        )


def cased(token: str, words: Words) -> Words:
    """The words, given in lower case, in the case of the token that stands for them.

    A word that is found in the token, after the one before it, is taken from there.
    """
    small = _plain(token)
    found: list[str] = []
    start = 0
    for word in words:
        place = small.find(word, start)
        if place >= 0:
            start = place + len(word)
            found.append(token[place:start])
        elif token.isupper() and len(token) > 1:
            found.append(word.upper())
        elif not found and token[:1].isupper():
            found.append(word[:1].upper() + word[1:])
        else:
            found.append(word)
    return tuple(found)


def _plain(token: str) -> str:
    """In lower case, with the typewriter's apostrophe."""
    return lowered(token).replace("\u2019", "'")


def _endings(whole: Mapping[str, Words]) -> dict[str, Rule]:
    """By what the tokens differ from the beginning of their first word, and how far that holds."""
    rules = _most_frequent(
        (token[shared:], (words[0][shared:], *words[1:]))
        for token, words in whole.items()
        if (shared := _shared(token, words[0]))
    )
    tried: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for token, words in whole.items():
        for cut in range(1, len(token)):
            if rest := rules.get(token[cut:]):
                tried[token[cut:]] += 1
                if (token[:cut] + rest[0], *rest[1:]) == words:
                    right[token[cut:]] += 1
                    break  # shorter ones are not asked
    shares = {ending: round(right[ending] / (tried[ending] + 1), 4) for ending in tried}
    return {
        ending: Rule(words, shares[ending])
        for ending, words in rules.items()
        if shares.get(ending, 0) >= _LEAST_SHARE
    }


def _shared(left: str, right: str) -> int:
    """With how many equal characters both begin."""
    for place, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return place
    return min(len(left), len(right))


def _applied(rules: Mapping[str, Rule], token: str) -> Rule:
    """The token by its longest ending that is well known, or else by its longest one."""
    found = [
        Rule((token[:cut] + rule.words[0], *rule.words[1:]), rule.share)
        for cut in range(max(1, len(token) - _LONGEST_ENDING), len(token))
        if (rule := rules.get(token[cut:]))
    ]
    known = [rule for rule in found if rule.share >= _WELL_KNOWN]
    return (known or found or [Rule((), 0.0)])[0]


def _most_frequent(readings: Iterable[tuple[str, Words]]) -> dict[str, Words]:
    counts: defaultdict[str, Counter[Words]] = defaultdict(Counter)
    for token, words in readings:
        counts[token][words] += 1
    return {
        token: min(found, key=lambda words: (-found[words], words))
        for token, found in sorted(counts.items())
    }


# A beginning is the ending of what is written backwards.
def _turned_token(token: str) -> str:
    return token[::-1]


def _turned(words: Words) -> Words:
    return tuple(map(_turned_token, reversed(words)))


# A rule that one token told and none denied has a half, one that three told three quarters.
_LEAST_SHARE, _WELL_KNOWN = 0.5, 0.75
_LONGEST_ENDING = 32
