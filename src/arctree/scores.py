"""How well a system's trees agree with the gold trees: the UD scores, and what to make of them.

Gold and system hold the same text, but may cut it differently, so scores compare *aligned*
words. The text is the tokens without their spaces (Unicode category Zs); a token is a range of
its characters, and two tokens are the same when their ranges are. A word that is a token is
aligned as one. The words of multiword tokens have no range of their own: they are aligned,
in each region that such tokens span, by a longest common subsequence of their forms.

A score counts what is correct among what gold has and what the system has:

    precision = correct / system     recall = correct / gold     F1 = 2 correct / (gold + system)

============================  ==================================================================
score                         a correct unit is
============================  ==================================================================
Tokens, Sentences             a token, a sentence with the same range
Words                         an aligned word
UPOS, XPOS, Lemmas            an aligned word with the same one (any lemma where gold has ``_``)
UFeats                        an aligned word with the same universal features
AllTags                       the three of UPOS, XPOS and UFeats at once
UAS                           an aligned word whose head is aligned to the gold head
LAS                           ... and whose label is the same, subtypes aside
CLAS                          ... counting words with a content label only
MLAS                          ... with the same UPOS, UFeats and function-word dependents
BLEX                          CLAS with the same lemma
============================  ==================================================================

These thirteen are those of the CoNLL 2018 shared task, equal to its evaluation to the last
digit. Beside them stand ours:

- ``LAS (full labels)``, the headline, compares labels with their subtypes;
- ``(no punctuation)`` leaves out punctuation: the words whose gold UPOS is PUNCT or, in a
  sentence without UPOS, whose label is ``punct``. A system word that is aligned goes with its
  gold word; one that is not is judged by its own columns;
- ``Trees`` counts sentences of the same range and the same words in which every head is right
  and, when labelled, every full label.

Sentences without heads (blind ones) have no trees to compare: where both sides are blind, only
the scores up to Lemmas exist; where one is, that is an error.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from arctree.conllu import FORM, Sentence
from arctree.errors import ArctreeError, DataError

if TYPE_CHECKING:  # numpy is imported where it is used: this module is cheap to import
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Flags = NDArray[np.bool_]
    Reals = NDArray[np.float64]

HEADLINE = "LAS (full labels)"
OFFICIAL_METRICS = (
    *("Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"),
    *("UAS", "LAS", "CLAS", "MLAS", "BLEX"),
)
OWN_METRICS = (
    HEADLINE,
    "UAS (no punctuation)",
    "LAS (no punctuation)",
    "LAS (full labels, no punctuation)",
    "Trees (unlabelled)",
    "Trees (labelled)",
)
METRICS = OFFICIAL_METRICS + OWN_METRICS

# The guidelines have gained features since (ExtPos, Typo, ...); scores stay comparable
# because the list of the shared task stays.
# fmt: off
UNIVERSAL_FEATURES = frozenset({
    "Abbr", "Animacy", "Aspect", "Case", "Definite", "Degree", "Evident", "Foreign", "Gender",
    "Mood", "NumType", "Number", "Person", "Polarity", "Polite", "Poss", "PronType", "Reflex",
    "Tense", "VerbForm", "Voice",
})
CONTENT_LABELS = frozenset({
    "acl", "advcl", "advmod", "amod", "appos", "ccomp", "compound", "conj", "csubj", "dep",
    "discourse", "dislocated", "expl", "fixed", "flat", "goeswith", "iobj", "list", "nmod",
    "nsubj", "nummod", "obj", "obl", "orphan", "parataxis", "reparandum", "root", "vocative",
    "xcomp",
})
FUNCTION_LABELS = frozenset({"aux", "case", "cc", "clf", "cop", "det", "mark"})
# fmt: on

SENTENCE_LENGTHS = ((1, 5), (6, 10), (11, 20), (21, 30), (31, 40), (41, None))
ARC_LENGTHS = ((0, 0), (1, 1), (2, 2), (3, 5), (6, 10), (11, None))

SCHEMA = "arctree-scores-1"


def evaluate(
    gold: Iterable[Sentence],
    system: Iterable[Sentence],
    *,
    names: tuple[str, str] = ("gold", "system"),
) -> Evaluation:
    """Compare the system's sentences with the gold sentences, over the same text.

    ``names`` is what messages call the two sides, usually their files. Both sides are read
    once, in order; time is linear in their words, but for a multiword token of very many
    words, which takes the product of both sides' words in it.
    """
    vocabularies = _Vocabularies()
    gold_side = _Side(gold, names[0], vocabularies)
    system_side = _Side(system, names[1], vocabularies)
    _check_same_text(gold_side, system_side)
    _check_both_have_heads(gold_side, system_side)
    return _evaluation(gold_side, system_side, vocabularies)


@dataclass(frozen=True, slots=True)
class Score:
    """What is correct among what gold has and what the system has.

    ``aligned`` counts the aligned words that were compared; segmentation has none.
    """

    correct: int
    gold: int
    system: int
    aligned: int | None = None

    @property
    def precision(self) -> float:
        return self.correct / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        total = self.gold + self.system
        return 2 * self.correct / total if total else 0.0

    @property
    def aligned_accuracy(self) -> float | None:
        """The share of the aligned words that is correct."""
        if self.aligned is None:
            return None
        return self.correct / self.aligned if self.aligned else 0.0

    def to_json(self) -> dict[str, object]:
        return {
            "correct": self.correct,
            "gold": self.gold,
            "system": self.system,
            "aligned": self.aligned,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "aligned_accuracy": self.aligned_accuracy,
        }


@dataclass(frozen=True, slots=True)
class Bucket:
    """Attachment among the gold words whose sentence or arc has ``first`` to ``last`` words.

    ``last`` is None when there is no upper end; an arc of length 0 is the root's. ``uas`` and
    ``las`` are shares of the gold words, and ``las`` is over full labels.
    """

    first: int
    last: int | None
    sentences: int
    words: int
    correct_heads: int
    correct_arcs: int

    @property
    def uas(self) -> float:
        return self.correct_heads / self.words if self.words else 0.0

    @property
    def las(self) -> float:
        return self.correct_arcs / self.words if self.words else 0.0

    def to_json(self) -> dict[str, object]:
        return {
            "first": self.first,
            "last": self.last,
            "sentences": self.sentences,
            "words": self.words,
            "correct_heads": self.correct_heads,
            "correct_arcs": self.correct_arcs,
            "uas": self.uas,
            "las": self.las,
        }


class Interval(NamedTuple):
    """Where 95 % of the resampled values lie."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """The scores of one system, by name, and the tables that explain them.

    ``labels`` has for each full label how many words bear it, and on how many the system has
    both head and label right; most frequent first. Without trees it is empty, and so are the
    tables by length.

    >>> from arctree.conllu import read_text
    >>> gold = list(read_text("1\\tgo\\t_\\t_\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"))
    >>> evaluate(gold, gold)["LAS"].f1
    1.0
    """

    scores: Mapping[str, Score]
    labels: Mapping[str, Score]
    sentence_lengths: tuple[Bucket, ...]
    arc_lengths: tuple[Bucket, ...]
    # For each score the correct, gold and system counts of each gold sentence.
    sentence_counts: Mapping[str, Numbers] = field(repr=False)
    gold_digest: bytes = field(repr=False)

    def __getitem__(self, name: str) -> Score:
        if name in self.scores:
            return self.scores[name]
        if name in METRICS:
            raise DataError(
                f"there is no {name}: the sentences have no heads",
                "give heads on both sides to compare trees",
            )
        raise ArctreeError(f"there is no score {name!r}; the scores are {', '.join(METRICS)}")

    @property
    def has_trees(self) -> bool:
        """Whether heads were compared; blind sentences have none."""
        return HEADLINE in self.scores

    def intervals(self, *, resamples: int = 1000, seed: int = 0) -> dict[str, Interval]:
        """The 95 % confidence interval of every F1, by bootstrap.

        The gold sentences are drawn anew with replacement, as many as there are; F1 comes from
        the summed counts of those drawn; the interval is what lies between the 2.5th and the
        97.5th percentile. A system word counts in the sentence of its gold word or, when it is
        not aligned, in the sentence where it begins.
        """
        generator = _generator(seed, resamples)
        values = _f1(_bootstrap_sums(self._count_matrix(), resamples, generator))
        return dict(zip(self.scores, _percentile_intervals(values), strict=True))

    def to_json(self, intervals: Mapping[str, Interval] | None = None) -> dict[str, object]:
        """All of it as plain values; a score that could not be computed is null."""
        scores: dict[str, object] = {}
        for name in METRICS:
            score = self.scores.get(name)
            scores[name] = None if score is None else score.to_json()
            if score is not None and intervals is not None and name in intervals:
                scores[name] = {**score.to_json(), "f1_interval": list(intervals[name])}
        return {
            "schema": SCHEMA,
            "scores": scores,
            "labels": {label: score.to_json() for label, score in self.labels.items()},
            "sentence_lengths": [bucket.to_json() for bucket in self.sentence_lengths],
            "arc_lengths": [bucket.to_json() for bucket in self.arc_lengths],
        }

    def _count_matrix(self) -> Reals:
        """A row for each gold sentence; correct, gold and system for each score, side by side."""
        import numpy as np

        # Counts are whole numbers far below 2**53, so that sums of reals are exact.
        return np.concatenate(list(self.sentence_counts.values())).T.astype(np.float64)


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a second system fares against a first one, by one score's F1."""

    first: float
    second: float
    interval: Interval
    p_value: float

    @property
    def delta(self) -> float:
        """By how much the second system is better."""
        return self.second - self.first

    def to_json(self) -> dict[str, object]:
        return {
            "first": self.first,
            "second": self.second,
            "delta": self.delta,
            "delta_interval": list(self.interval),
            "p_value": self.p_value,
        }


def compare(
    first: Evaluation, second: Evaluation, *, resamples: int = 10_000, seed: int = 0
) -> dict[str, Comparison]:
    """For every score, whether two systems differ by more than chance on the same gold.

    The p-value is that of approximate randomisation (Noreen 1989), two-sided: if the systems
    were alike, swapping their outputs on any sentences would give as large a difference as
    the one seen. ``p = (k + 1) / (resamples + 1)``, where k of the random swaps did. It is
    chosen over a bootstrap p-value because it tests that very hypothesis without taking the
    sentences for a fair sample of anything, and suits scores that are no means over sentences,
    such as F1 (Yeh 2000; Riezler and Maxwell 2005 find the bootstrap to reject too readily).
    The interval of the difference, which needs a sample, is the paired bootstrap's.
    """
    import numpy as np

    if first.gold_digest != second.gold_digest or first.scores.keys() != second.scores.keys():
        raise DataError(
            "the two systems were not evaluated against the same gold sentences",
            "evaluate both against the same file",
        )
    generator = _generator(seed, resamples)
    first_counts, second_counts = first._count_matrix(), second._count_matrix()
    width = first_counts.shape[1]
    both = np.hstack([first_counts, second_counts])
    sums = _bootstrap_sums(both, resamples, generator)
    intervals = _percentile_intervals(_f1(sums[:, width:]) - _f1(sums[:, :width]))

    observed = both.sum(axis=0, keepdims=True)
    first_f1, second_f1 = _f1(observed[:, :width])[0], _f1(observed[:, width:])[0]
    moved = _swap_sums(second_counts - first_counts, resamples, generator)
    swapped = _f1(observed[:, width:] - moved) - _f1(observed[:, :width] + moved)
    # Differences that are equal on paper may differ in their last bits.
    as_large = np.abs(swapped) >= np.abs(second_f1 - first_f1) - 1e-12
    p_values = (as_large.sum(axis=0) + 1) / (resamples + 1)
    return {
        name: Comparison(first[name].f1, second[name].f1, interval, float(p_value))
        for name, interval, p_value in zip(first.scores, intervals, p_values, strict=True)
    }


# --- Resampling --------------------------------------------------------------------------


def _generator(seed: int, resamples: int) -> np.random.Generator:
    import numpy as np

    if resamples < 1 or seed < 0:
        raise ArctreeError(
            f"{resamples} resamples with seed {seed}: give at least one, and no negative seed"
        )
    return np.random.default_rng(seed)


def _bootstrap_sums(counts: Reals, resamples: int, generator: np.random.Generator) -> Reals:
    """The column sums of rows drawn with replacement, one row of sums for each resample."""
    import numpy as np

    size = len(counts)

    def times_drawn(rows: int) -> Reals:
        drawn = generator.integers(0, size, (rows, size))
        drawn += np.arange(0, rows * size, size)[:, np.newaxis]
        times = np.bincount(drawn.ravel(), minlength=rows * size)
        return times.reshape(rows, size).astype(np.float64)

    return _weighted_sums(counts, resamples, times_drawn)


def _swap_sums(differences: Reals, resamples: int, generator: np.random.Generator) -> Reals:
    """The column sums of rows chosen by the toss of a coin each."""
    import numpy as np

    size = len(differences)

    def is_swapped(rows: int) -> Reals:
        return generator.integers(0, 2, (rows, size), dtype=np.int8).astype(np.float64)

    return _weighted_sums(differences, resamples, is_swapped)


def _weighted_sums(counts: Reals, resamples: int, weights: Callable[[int], Reals]) -> Reals:
    """``weights @ counts``, a few resamples at a time, so that memory stays small."""
    import numpy as np

    size, width = counts.shape
    sums = np.zeros((resamples, width))
    step = max(1, 2_000_000 // max(1, size))
    for start in range(0, resamples if size else 0, step):
        rows = min(step, resamples - start)
        sums[start : start + rows] = weights(rows) @ counts
    return sums


def _f1(sums: Reals) -> Reals:
    """The F1 of each score from its three neighbouring sums."""
    import numpy as np

    correct, total = sums[:, 0::3], sums[:, 1::3] + sums[:, 2::3]
    return np.divide(2 * correct, total, out=np.zeros_like(correct), where=total > 0)


def _percentile_intervals(values: Reals) -> list[Interval]:
    import numpy as np

    low, high = np.percentile(values, [2.5, 97.5], axis=0)
    return [Interval(*ends) for ends in zip(low.tolist(), high.tolist(), strict=True)]


# --- The two sides as columns ------------------------------------------------------------


class _Vocabulary(dict[str, int]):
    """Numbers for texts, given out as they come, so that columns compare as arrays."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number

    def having(self, predicate: Callable[[str], bool]) -> Flags:
        """For each number whether its text is such."""
        import numpy as np

        return np.fromiter(map(predicate, self), np.bool_, len(self))

    def merged(self, function: Callable[[str], str]) -> Numbers:
        """For each number another one, the same for texts that the function makes equal."""
        import numpy as np

        numbers = _Vocabulary()
        return np.fromiter((numbers[function(text)] for text in self), np.int64, len(self))


class _Vocabularies:
    """One vocabulary for each column, common to both sides."""

    def __init__(self) -> None:
        self.forms = _Vocabulary()
        self.lemmas = _Vocabulary()
        self.upos = _Vocabulary()
        self.xpos = _Vocabulary()
        self.feats = _Vocabulary()
        self.labels = _Vocabulary()


class _Side:
    """All sentences of one side as flat columns: place ``w`` is the w-th word of the file.

    Tokens follow each other without a gap, so a token ends where the next one starts; the
    lists of starts have one entry more than there are tokens or sentences.
    """

    def __init__(
        self, sentences: Iterable[Sentence], name: str, vocabularies: _Vocabularies
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
            digest.update("\t".join(sentence.fields).encode("utf-8", "surrogatepass"))
            digest.update(repr(sentence.other_lines).encode("utf-8", "surrogatepass"))
        self.text = "".join(texts)
        self.digest = digest.digest()

    def _add(self, sentence: Sentence, vocabularies: _Vocabularies) -> list[str]:
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
        self.heads.extend([shift + head if head else _ROOT for head in sentence.heads or ()])
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


_ROOT = -1  # the head of a root
_UNALIGNED = -2  # what a word without a partner is aligned to


def _without_spaces(forms: list[str]) -> list[str]:
    if _SPACE.search("".join(forms)) is None:
        return forms
    return [_SPACE.sub("", form) for form in forms]


_SPACE = re.compile("[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")  # Unicode category Zs


def _check_same_text(gold: _Side, system: _Side) -> None:
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


def _place(side: _Side, index: int) -> tuple[int | None, str | None]:
    """Line and id of the sentence that holds the character, or of the last one."""
    if not side.sentence_names:
        return None, None
    number = min(bisect_right(side.sentence_starts, index), len(side.sentence_names)) - 1
    return side.sentence_names[number]


def _excerpt(side: _Side, index: int) -> str:
    """The text from the token on that holds the character."""
    if index >= len(side.text):
        return "the end"
    start = side.token_starts[bisect_right(side.token_starts, index) - 1]
    start = max(start, index - 20)
    return repr(side.text[start : index + 20])


def _check_both_have_heads(gold: _Side, system: _Side) -> None:
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


# --- Which words are the same ------------------------------------------------------------


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


def _aligned_words(gold: _Side, system: _Side) -> tuple[list[int], list[int]]:
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


# --- Counting ----------------------------------------------------------------------------


class _Counts:
    """Correct, gold and system counts of each gold sentence, score by score.

    ``add`` takes for each aligned word whether it is correct, and optionally which words of
    either side the score is about.
    """

    def __init__(
        self, gold_sentence: Numbers, system_sentence: Numbers, gold_aligned: Numbers, size: int
    ) -> None:
        self.size = size
        self.gold_sentence = gold_sentence
        self.system_sentence = system_sentence
        self.gold_aligned = gold_aligned
        self.by_sentence: dict[str, Numbers] = {}
        self.scores: dict[str, Score] = {}

    def add(
        self,
        name: str,
        correct: Flags,
        about_gold: Flags | None = None,
        about_system: Flags | None = None,
        *,
        with_aligned: bool = True,
    ) -> None:
        gold_places, system_places = self.gold_sentence, self.system_sentence
        aligned = len(self.gold_aligned)
        if about_gold is not None and about_system is not None:
            correct = correct & about_gold[self.gold_aligned]
            aligned = int(about_gold[self.gold_aligned].sum())
            gold_places = gold_places[about_gold]
            system_places = system_places[about_system]
        correct_places = self.gold_sentence[self.gold_aligned[correct]]
        self.add_places(
            name, correct_places, gold_places, system_places, aligned if with_aligned else None
        )

    def add_places(
        self,
        name: str,
        correct: Numbers,
        gold: Numbers,
        system: Numbers,
        aligned: int | None = None,
    ) -> None:
        """Add a score from the gold sentence of each unit that is correct, gold or system."""
        import numpy as np

        counts = np.stack(
            [np.bincount(places, minlength=self.size) for places in (correct, gold, system)]
        )
        counts.setflags(write=False)
        self.by_sentence[name] = counts
        self.scores[name] = Score(len(correct), len(gold), len(system), aligned)


class _Columns:
    """The columns of a side as arrays, with what follows from them."""

    def __init__(self, side: _Side, vocabularies: _Vocabularies) -> None:
        import numpy as np

        self.sentence_starts = _numbers(side.sentence_starts)
        self.token_starts = _numbers(side.token_starts)
        self.sentence_sizes = _numbers(side.sentence_sizes)
        self.sentence = np.repeat(np.arange(len(self.sentence_sizes)), self.sentence_sizes)
        self.start = self.token_starts[_numbers(side.word_tokens)]
        self.lemma = _numbers(side.lemmas)
        self.upos = _numbers(side.upos)
        self.xpos = _numbers(side.xpos)
        self.features = vocabularies.feats.merged(_universal_features)[_numbers(side.feats)]
        self.label = _numbers(side.labels)
        self.base = vocabularies.labels.merged(_base)[self.label]
        self.head = _numbers(side.heads)
        self.is_content = _has_base_in(CONTENT_LABELS, vocabularies)[self.label]
        self.is_function_word = _has_base_in(FUNCTION_LABELS, vocabularies)[self.label]
        self.is_punctuation = self._punctuation(vocabularies)

    def _punctuation(self, vocabularies: _Vocabularies) -> Flags:
        """The words tagged PUNCT or, in a sentence without tags, labelled ``punct``."""
        import numpy as np

        has_tag = vocabularies.upos.having(lambda tag: tag != "_")[self.upos]
        is_tagged = np.bincount(self.sentence[has_tag], minlength=len(self.sentence_sizes)) > 0
        by_tag = vocabularies.upos.having(lambda tag: tag == "PUNCT")[self.upos]
        by_label = _has_base_in(frozenset({"punct"}), vocabularies)[self.label]
        return np.where(is_tagged[self.sentence], by_tag, by_label)

    def function_words(self, chosen: Flags) -> Numbers:
        """For each word how many of the chosen function words depend on it."""
        import numpy as np

        heads = self.head[chosen & self.is_function_word & (self.head != _ROOT)]
        return np.bincount(heads, minlength=len(self.head))


def _numbers(values: array[int]) -> Numbers:
    import numpy as np

    return np.array(values, dtype=np.int64)


def _base(label: str) -> str:
    return label.split(":", 1)[0]


def _has_base_in(bases: frozenset[str], vocabularies: _Vocabularies) -> Flags:
    return vocabularies.labels.having(lambda label: _base(label) in bases)


def _universal_features(feats: str) -> str:
    pairs = feats.split("|")
    return "|".join(sorted(pair for pair in pairs if pair.split("=", 1)[0] in UNIVERSAL_FEATURES))


def _evaluation(gold_side: _Side, system_side: _Side, vocabularies: _Vocabularies) -> Evaluation:
    import numpy as np

    gold = _Columns(gold_side, vocabularies)
    system = _Columns(system_side, vocabularies)
    aligned = _aligned_words(gold_side, system_side)
    left, right = (np.array(places, dtype=np.int64) for places in aligned)

    system_sentence = _holding(gold.sentence_starts, system.start)
    system_sentence[right] = gold.sentence[left]
    counts = _Counts(gold.sentence, system_sentence, left, len(gold.sentence_sizes))

    for name, gold_starts, system_starts in (
        ("Tokens", gold.token_starts, system.token_starts),
        ("Sentences", gold.sentence_starts, system.sentence_starts),
    ):
        same, _ = _same_ranges(gold_starts, system_starts)
        gold_places = _holding(gold.sentence_starts, gold_starts[:-1])
        system_places = _holding(gold.sentence_starts, system_starts[:-1])
        counts.add_places(name, gold_places[same], gold_places, system_places)

    same_upos = gold.upos[left] == system.upos[right]
    same_xpos = gold.xpos[left] == system.xpos[right]
    same_features = gold.features[left] == system.features[right]
    no_lemma = vocabularies.lemmas.having(lambda lemma: lemma == "_")[gold.lemma[left]]
    same_lemma = no_lemma | (gold.lemma[left] == system.lemma[right])
    counts.add("Words", np.ones(len(left), np.bool_), with_aligned=False)
    counts.add("UPOS", same_upos)
    counts.add("XPOS", same_xpos)
    counts.add("UFeats", same_features)
    counts.add("AllTags", same_upos & same_xpos & same_features)
    counts.add("Lemmas", same_lemma)

    labels: dict[str, Score] = {}
    sentence_lengths: tuple[Bucket, ...] = ()
    arc_lengths: tuple[Bucket, ...] = ()
    if not gold_side.is_blind:
        same_head = gold.head[left] == _gold_heads(system, left, right)[right]
        same_arc = same_head & (gold.label[left] == system.label[right])
        same_tags = same_upos & same_features
        _count_trees(counts, gold, system, left, right, same_head, same_tags, same_lemma)
        labels = _label_scores(gold.label, system.label, left[same_arc], vocabularies.labels)
        right_heads, right_arcs = (
            np.bincount(left[chosen], minlength=len(gold.head)) for chosen in (same_head, same_arc)
        )
        place = np.arange(len(gold.head))
        distance = np.where(gold.head == _ROOT, 0, np.abs(gold.head - place))
        sentence_lengths = _buckets(
            SENTENCE_LENGTHS, gold.sentence_sizes[gold.sentence], gold, right_heads, right_arcs
        )
        arc_lengths = _buckets(ARC_LENGTHS, distance, gold, right_heads, right_arcs)
    return Evaluation(
        counts.scores,
        labels,
        sentence_lengths,
        arc_lengths,
        counts.by_sentence,
        gold_side.digest,
    )


def _holding(starts: Numbers, places: Numbers) -> Numbers:
    """The number of the range that holds each place."""
    import numpy as np

    return np.searchsorted(starts, places, side="right") - 1


def _same_ranges(gold_starts: Numbers, system_starts: Numbers) -> tuple[Numbers, Numbers]:
    """The numbers, on both sides, of the ranges that start and end together."""
    import numpy as np

    _, gold, system = np.intersect1d(
        gold_starts[:-1], system_starts[:-1], assume_unique=True, return_indices=True
    )
    same = gold_starts[gold + 1] == system_starts[system + 1]
    return gold[same], system[same]


def _gold_heads(system: _Columns, left: Numbers, right: Numbers) -> Numbers:
    """For each system word the gold word that its head is aligned to."""
    import numpy as np

    partner = np.full(len(system.head) + 1, _UNALIGNED)
    partner[right] = left
    partner[_ROOT] = _ROOT  # the last entry, which the head of a root points at
    return partner[system.head]


def _count_trees(
    counts: _Counts,
    gold: _Columns,
    system: _Columns,
    left: Numbers,
    right: Numbers,
    same_head: Flags,
    same_tags: Flags,
    same_lemma: Flags,
) -> None:
    import numpy as np

    same_base = same_head & (gold.base[left] == system.base[right])
    same_label = same_head & (gold.label[left] == system.label[right])
    content = (gold.is_content, system.is_content)
    counts.add("UAS", same_head)
    counts.add("LAS", same_base)
    counts.add("CLAS", same_base, *content)

    # Alignment keeps the order of words, so the function words below two aligned heads agree
    # when there are equally many and each one's partner has the same head, label and tags.
    agreeing = np.zeros(len(gold.head), np.bool_)
    agreeing[left] = same_base & same_tags
    function_words = gold.function_words(np.ones_like(agreeing))
    same_function_words = (gold.function_words(agreeing) == function_words)[left] & (
        function_words[left] == system.function_words(np.ones(len(system.head), np.bool_))[right]
    )
    counts.add("MLAS", same_base & same_tags & same_function_words, *content)
    counts.add("BLEX", same_base & same_lemma, *content)

    counts.add(HEADLINE, same_label)
    no_punctuation = (~gold.is_punctuation, ~system.is_punctuation)
    no_punctuation[1][right] = no_punctuation[0][left]
    counts.add("UAS (no punctuation)", same_head, *no_punctuation)
    counts.add("LAS (no punctuation)", same_base, *no_punctuation)
    counts.add("LAS (full labels, no punctuation)", same_label, *no_punctuation)

    matched, partners = _same_ranges(gold.sentence_starts, system.sentence_starts)
    partner = np.full(counts.size, _UNALIGNED)
    same_size = gold.sentence_sizes[matched] == system.sentence_sizes[partners]
    partner[matched[same_size]] = partners[same_size]
    inside = partner[gold.sentence[left]] == system.sentence[right]
    for name, correct in (("Trees (unlabelled)", same_head), ("Trees (labelled)", same_label)):
        words = np.bincount(gold.sentence[left[correct & inside]], minlength=counts.size)
        counts.add_places(
            name,
            np.flatnonzero(words == gold.sentence_sizes),
            np.arange(counts.size),
            _holding(gold.sentence_starts, system.sentence_starts[:-1]),
        )


def _label_scores(
    gold: Numbers, system: Numbers, correct: Numbers, labels: _Vocabulary
) -> dict[str, Score]:
    """By full label, most frequent first: words that bear it, and right arcs among them."""
    import numpy as np

    counts = zip(
        labels,
        *(
            np.bincount(column, minlength=len(labels)).tolist()
            for column in (gold[correct], gold, system)
        ),
        strict=True,
    )
    rows = sorted(counts, key=lambda row: (-row[2], -row[3], row[0]))
    return {label: Score(*numbers) for label, *numbers in rows}


def _buckets(
    bounds: Iterable[tuple[int, int | None]],
    lengths: Numbers,
    gold: _Columns,
    right_heads: Numbers,
    right_arcs: Numbers,
) -> tuple[Bucket, ...]:
    import numpy as np

    buckets = []
    for first, last in bounds:
        chosen = lengths >= first
        if last is not None:
            chosen &= lengths <= last
        buckets.append(
            Bucket(
                first,
                last,
                sentences=len(np.unique(gold.sentence[chosen])),
                words=int(chosen.sum()),
                correct_heads=int(right_heads[chosen].sum()),
                correct_arcs=int(right_arcs[chosen].sum()),
            )
        )
    return tuple(buckets)
