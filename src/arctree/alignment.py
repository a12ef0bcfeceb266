"""Which words of two files are the same, when each cuts the same text in its own way.

The text is the tokens without their spaces; a token is a range of its characters, and two
tokens are the same when their ranges are. A word that is a token is aligned as one. The words
of multiword tokens have no range of their own: in each region that such tokens span, they are
aligned by a longest common subsequence of their forms. All of it as the CoNLL 2018 shared task
defines it, so that scores agree with its evaluation.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arctree.errors import DataError
from arctree.sentence import FORM, Sentence

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


class _Spans(NamedTuple):
    """Where the words of a side start and end, and whether they are in a multiword token."""

    starts: list[int]
    ends: list[int]
    in_multiword: bytearray

    def is_within(self, word: int, end: int) -> bool:
        """Whether the word belongs to a region that ends there."""
        if word == len(self.starts):
            return False
        return self.starts[word] < end if self.in_multiword[word] else self.ends[word] <= end


def aligned_words(gold: Side, system: Side) -> tuple[list[int], list[int]]:
    """The places of aligned words, in gold and in the system, both ascending."""
    gold_spans = _Spans(gold.word_starts(), gold.word_ends(), gold.in_multiword)
    system_spans = _Spans(system.word_starts(), system.word_ends(), system.in_multiword)
    gold_starts, gold_ends, gold_multiword = gold_spans
    system_starts, system_ends, system_multiword = system_spans
    gold_aligned: list[int] = []
    system_aligned: list[int] = []
    gold_word = system_word = 0
    while gold_word < len(gold_starts) and system_word < len(system_starts):
        if gold_multiword[gold_word] or system_multiword[system_word]:
            gold_region, system_region = _multiword_region(
                gold_spans, system_spans, gold_word, system_word
            )
            for left, right in _common_subsequence(
                gold.forms[gold_region.start : gold_region.stop],
                system.forms[system_region.start : system_region.stop],
            ):
                gold_aligned.append(gold_region.start + left)
                system_aligned.append(system_region.start + right)
            gold_word, system_word = gold_region.stop, system_region.stop
            continue
        gold_start, system_start = gold_starts[gold_word], system_starts[system_word]
        if gold_start == system_start and gold_ends[gold_word] == system_ends[system_word]:
            gold_aligned.append(gold_word)
            system_aligned.append(system_word)
            gold_word += 1
            system_word += 1
        elif gold_start <= system_start:
            gold_word += 1
        else:
            system_word += 1
    return gold_aligned, system_aligned


def _multiword_region(
    gold: _Spans, system: _Spans, gold_word: int, system_word: int
) -> tuple[range, range]:
    """The words of both sides in the region that starts at a multiword token.

    The region grows until no multiword token sticks out of it. It is meant to be as small as
    that allows, but is found as the shared task finds it: where two system words lie before
    it, only the first is passed over, and the second is taken in.
    """
    if gold.in_multiword[gold_word]:
        end = gold.ends[gold_word]
        if (
            not system.in_multiword[system_word]
            and system.starts[system_word] < gold.starts[gold_word]
        ):
            system_word += 1
    else:
        end = system.ends[system_word]
        if gold.starts[gold_word] < system.starts[system_word]:
            gold_word += 1
    gold_first, system_first = gold_word, system_word
    while gold.is_within(gold_word, end) or system.is_within(system_word, end):
        if system_word == len(system.starts) or (
            gold_word < len(gold.starts) and gold.starts[gold_word] <= system.starts[system_word]
        ):
            side, word = gold, gold_word
            gold_word += 1
        else:
            side, word = system, system_word
            system_word += 1
        if side.in_multiword[word]:
            end = max(end, side.ends[word])
    return range(gold_first, gold_word), range(system_first, system_word)


def _common_subsequence(gold: Sequence[int], system: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The places of a longest common subsequence; of several, the one with early gold matches.

    ``rows[g]`` describes the longest common subsequences of ``gold[g:]`` with each end of
    ``system``: its k-th bit is set when the end of k + 1 words has a longer one than the end
    of k words. A row follows from the one below it by one addition over all bits, where the
    carries move the matches (Hyyrö 2004), so a giant token costs integers, not a table.
    """
    same = 0
    while same < min(len(gold), len(system)) and gold[same] == system[same]:
        yield same, same
        same += 1
    gold, system = gold[same:], system[same:]
    if not gold or not system:
        return
    occurrences: dict[int, int] = {}
    for place, form in enumerate(reversed(system)):
        occurrences[form] = occurrences.get(form, 0) | 1 << place
    everywhere = (1 << len(system)) - 1
    open_places = everywhere
    rows = [0]
    for form in reversed(gold):
        found = open_places & occurrences.get(form, 0)
        open_places = ((open_places + found) | (open_places - found)) & everywhere
        rows.append(everywhere ^ open_places)
    rows.reverse()
    left = right = 0
    while left < len(gold) and right < len(system):
        rest = everywhere >> right
        if gold[left] == system[right]:
            yield same + left, same + right
            left += 1
            right += 1
        elif (rows[left] & rest).bit_count() == (rows[left + 1] & rest).bit_count():
            left += 1
        else:
            right += 1


class Vocabulary(dict[str, int]):
    """Numbers for texts, given out as they come, so that columns compare as arrays."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number

    def having(self, predicate: Callable[[str], bool]) -> Flags:
        """For each number whether its text is such."""
        return np.fromiter(map(predicate, self), np.bool_, len(self))

    def merged(self, function: Callable[[str], str]) -> Numbers:
        """For each number another one, the same for texts that the function makes equal."""
        numbers = Vocabulary()
        return np.fromiter((numbers[function(text)] for text in self), np.int64, len(self))


class Vocabularies:
    """One vocabulary for each column, common to both sides."""

    def __init__(self) -> None:
        self.forms = Vocabulary()
        self.lemmas = Vocabulary()
        self.upos = Vocabulary()
        self.xpos = Vocabulary()
        self.feats = Vocabulary()
        self.labels = Vocabulary()


class Side:
    """All sentences of one side as flat columns: place ``w`` is the w-th word of the file.

    Tokens follow each other without a gap, so a token ends where the next one starts; the
    lists of starts have one entry more than there are tokens or sentences.
    """

    def __init__(
        self, sentences: Iterable[Sentence], name: str, vocabularies: Vocabularies
    ) -> None:
        self.name = name
        self.is_blind = False
        self.sentence_names: list[tuple[int, str | None]] = []  # its line and id
        self.sentence_sizes = array("q")
        self.sentence_starts = array("q", [0])
        self.token_starts = array("q", [0])
        self.word_tokens = array("q")
        self.in_multiword = bytearray()
        self.forms = array("q")
        self.lemmas = array("q")
        self.upos = array("q")
        self.xpos = array("q")
        self.feats = array("q")
        self.labels = array("q")
        self.heads = array("q")
        texts: list[str] = []
        digest = blake2b(digest_size=16)
        for sentence in sentences:
            texts += self._add(sentence, vocabularies)
            digest.update(sentence.to_text().encode("utf-8", "surrogatepass"))
        self.text = "".join(texts)
        self.digest = digest.digest()

    def _add(self, sentence: Sentence, vocabularies: Vocabularies) -> list[str]:
        """Append the sentence to the columns; its tokens."""
        self._check(sentence)
        words_before = len(self.word_tokens)
        tokens, forms = self._add_tokens(sentence)
        self.token_starts.extend(
            list(accumulate(map(len, tokens), initial=self.token_starts[-1]))[1:]
        )
        self.sentence_starts.append(self.token_starts[-1])
        self.sentence_sizes.append(len(sentence))
        self.sentence_names.append((sentence.line, sentence.id))
        # Letter case does not tell the words of multiword tokens apart.
        self.forms.extend(map(vocabularies.forms.__getitem__, map(str.lower, forms)))
        self.lemmas.extend(map(vocabularies.lemmas.__getitem__, sentence.lemmas))
        self.upos.extend(map(vocabularies.upos.__getitem__, sentence.upos))
        self.xpos.extend(map(vocabularies.xpos.__getitem__, sentence.xpos))
        self.feats.extend(map(vocabularies.feats.__getitem__, sentence.feats))
        self.labels.extend(map(vocabularies.labels.__getitem__, sentence.deprels))
        shift = words_before - 1
        self.heads.extend([shift + head if head else ROOT_HEAD for head in sentence.heads or ()])
        return tokens

    def _check(self, sentence: Sentence) -> None:
        if not len(sentence):
            raise self._error(sentence, "a sentence without words", "remove it")
        if not self.sentence_sizes:
            self.is_blind = sentence.is_blind
        if self.is_blind != sentence.is_blind:
            raise self._error(
                sentence,
                f"the sentence has {'no ' if sentence.is_blind else ''}heads, "
                f"but those before it have {'none' if self.is_blind else 'some'}",
                "give heads to all sentences or to none",
            )

    def _error(self, sentence: Sentence, fault: str, remedy: str) -> DataError:
        return DataError(fault, remedy, file=self.name, line=sentence.line, sentence=sentence.id)

    def _add_tokens(self, sentence: Sentence) -> tuple[list[str], list[str]]:
        """Append which word is in which token; the tokens, and the forms of the words.

        Only what is a token loses its spaces: a word inside a multiword token keeps them.
        """
        forms = list(sentence.forms)
        multiword = {
            first: (last, columns[FORM]) for first, last, columns in sentence.multiword_tokens
        }
        number = len(self.token_starts) - 1
        if not multiword:
            tokens = forms = _without_spaces(forms)
            self.word_tokens.extend(range(number, number + len(forms)))
            self.in_multiword.extend(bytes(len(forms)))
        else:
            tokens = []
            word = 0
            while word < len(forms):
                last, form = multiword.get(word + 1, (word + 1, forms[word]))
                tokens += _without_spaces([form])
                if word + 1 in multiword:
                    self.in_multiword.extend(b"\1" * (last - word))
                else:
                    self.in_multiword.append(0)
                    forms[word] = tokens[-1]
                self.word_tokens.extend([number] * (last - word))
                number += 1
                word = last
        if "" in tokens:
            raise self._error(
                sentence,
                f"the form of token {tokens.index('') + 1} is nothing but white space",
                "give it a form or remove it",
            )
        return tokens, forms

    def word_starts(self) -> list[int]:
        return list(map(self.token_starts.__getitem__, self.word_tokens))

    def word_ends(self) -> list[int]:
        return [self.token_starts[token + 1] for token in self.word_tokens]


ROOT_HEAD = -1  # the head of a root
UNALIGNED = -2  # what a word without a partner is aligned to


def _without_spaces(forms: list[str]) -> list[str]:
    if _SPACE.search("".join(forms)) is None:
        return forms
    return [_SPACE.sub("", form) for form in forms]


_SPACE = re.compile("[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")  # Unicode category Zs


def check_same_text(gold: Side, system: Side) -> None:
    """Raise a :class:`DataError` that shows where the texts part, if they do."""
    if gold.text == system.text:
        return
    pairs = zip(gold.text, system.text, strict=False)
    shorter = min(len(gold.text), len(system.text))
    index = next((at for at, (left, right) in enumerate(pairs) if left != right), shorter)
    line, sentence = _place(system, index)
    gold_line, gold_sentence = _place(gold, index)
    raise DataError(
        f"the text differs: {_excerpt(system, index)}, where {gold.name} has "
        f"{_excerpt(gold, index)} (line {gold_line or 1}"
        + (f", sentence {gold_sentence})" if gold_sentence is not None else ")"),
        "both sides must hold the same characters, spaces aside; letter case, quotes and "
        "Unicode normalisation count",
        file=system.name,
        line=line,
        sentence=sentence,
    )


def _place(side: Side, index: int) -> tuple[int | None, str | None]:
    """Line and id of the sentence that holds the character, or of the last one."""
    if not side.sentence_names:
        return None, None
    number = min(bisect_right(side.sentence_starts, index), len(side.sentence_names)) - 1
    return side.sentence_names[number]


def _excerpt(side: Side, index: int) -> str:
    """The text from the token on that holds the character."""
    if index >= len(side.text):
        return "the end"
    start = side.token_starts[bisect_right(side.token_starts, index) - 1]
    start = max(start, index - 20)
    return repr(side.text[start : index + 20])


def check_both_have_heads(gold: Side, system: Side) -> None:
    """Raise a :class:`DataError` if one side is blind and the other is not."""
    if gold.is_blind == system.is_blind:
        return
    blind = gold if gold.is_blind else system
    line, sentence = blind.sentence_names[0]
    raise DataError(
        f"a sentence without heads, and {(system if gold.is_blind else gold).name} has heads",
        "fill HEAD and DEPREL, or write _ for all of them on both sides to compare "
        "segmentation, tags and lemmas alone",
        file=blind.name,
        line=line,
        sentence=sentence,
    )
