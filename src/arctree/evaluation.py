"""Evaluation: what a system got right, by the UD scores and our own.

Gold and system hold the same text, but may cut it differently, so scores compare the words that
:mod:`arctree.alignment` finds to be the same.

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

from array import array
from collections.abc import Iterable

import numpy as np

from arctree.alignment import (
    ROOT_HEAD,
    UNALIGNED,
    Flags,
    Numbers,
    Side,
    Vocabularies,
    Vocabulary,
    aligned_words,
    check_both_have_heads,
    check_same_text,
)
from arctree.scores import HEADLINE, Bucket, Evaluation, Score
from arctree.sentence import Sentence

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
    vocabularies = Vocabularies()
    gold_side = Side(gold, names[0], vocabularies)
    system_side = Side(system, names[1], vocabularies)
    check_same_text(gold_side, system_side)
    check_both_have_heads(gold_side, system_side)
    return _evaluation(gold_side, system_side, vocabularies)


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
        counts = np.stack(
            [np.bincount(places, minlength=self.size) for places in (correct, gold, system)]
        )
        counts.setflags(write=False)
        self.by_sentence[name] = counts
        self.scores[name] = Score(len(correct), len(gold), len(system), aligned)


class _Columns:
    """The columns of a side as arrays, with what follows from them."""

    def __init__(self, side: Side, vocabularies: Vocabularies) -> None:
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

    def _punctuation(self, vocabularies: Vocabularies) -> Flags:
        """The words tagged PUNCT or, in a sentence without tags, labelled ``punct``."""
        has_tag = vocabularies.upos.having(lambda tag: tag != "_")[self.upos]
        is_tagged = np.bincount(self.sentence[has_tag], minlength=len(self.sentence_sizes)) > 0
        by_tag = vocabularies.upos.having(lambda tag: tag == "PUNCT")[self.upos]
        by_label = _has_base_in(frozenset({"punct"}), vocabularies)[self.label]
        return np.where(is_tagged[self.sentence], by_tag, by_label)

    def arc_lengths(self) -> Numbers:
        """For each word its distance from its head; 0 for the root."""
        place = np.arange(len(self.head))
        return np.where(self.head == ROOT_HEAD, 0, np.abs(self.head - place))

    def function_words(self, chosen: Flags) -> Numbers:
        """For each word how many of the chosen function words depend on it."""
        heads = self.head[chosen & self.is_function_word & (self.head != ROOT_HEAD)]
        return np.bincount(heads, minlength=len(self.head))


def _numbers(values: array[int]) -> Numbers:
    return np.array(values, dtype=np.int64)


def _base(label: str) -> str:
    return label.split(":", 1)[0]


def _has_base_in(bases: frozenset[str], vocabularies: Vocabularies) -> Flags:
    return vocabularies.labels.having(lambda label: _base(label) in bases)


def _universal_features(feats: str) -> str:
    pairs = feats.split("|")
    return "|".join(sorted(pair for pair in pairs if pair.split("=", 1)[0] in UNIVERSAL_FEATURES))


def _evaluation(gold_side: Side, system_side: Side, vocabularies: Vocabularies) -> Evaluation:
    gold = _Columns(gold_side, vocabularies)
    system = _Columns(system_side, vocabularies)
    aligned = aligned_words(gold_side, system_side)
    left, right = (np.array(places, dtype=np.int64) for places in aligned)
    system_sentence = _holding(gold.sentence_starts, system.start)
    system_sentence[right] = gold.sentence[left]
    counts = _Counts(gold.sentence, system_sentence, left, len(gold.sentence_sizes))

    _count_segmentation(counts, gold, system)
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
    if gold_side.is_blind:
        return Evaluation(counts.scores, {}, (), (), counts.by_sentence, gold_side.digest)

    same_head = gold.head[left] == _gold_heads(system, left, right)[right]
    same_arc = same_head & (gold.label[left] == system.label[right])
    _count_trees(
        counts, gold, system, left, right, same_head, same_upos & same_features, same_lemma
    )
    right_words = left[same_head], left[same_arc]
    return Evaluation(
        counts.scores,
        _label_scores(gold.label, system.label, left[same_arc], vocabularies.labels),
        _buckets(SENTENCE_LENGTHS, gold.sentence_sizes[gold.sentence], gold, *right_words),
        _buckets(ARC_LENGTHS, gold.arc_lengths(), gold, *right_words),
        counts.by_sentence,
        gold_side.digest,
    )


def _count_segmentation(counts: _Counts, gold: _Columns, system: _Columns) -> None:
    for name, gold_starts, system_starts in (
        ("Tokens", gold.token_starts, system.token_starts),
        ("Sentences", gold.sentence_starts, system.sentence_starts),
    ):
        same, _ = _same_ranges(gold_starts, system_starts)
        gold_places = _holding(gold.sentence_starts, gold_starts[:-1])
        system_places = _holding(gold.sentence_starts, system_starts[:-1])
        counts.add_places(name, gold_places[same], gold_places, system_places)


def _holding(starts: Numbers, places: Numbers) -> Numbers:
    """The number of the range that holds each place."""
    return np.searchsorted(starts, places, side="right") - 1


def _same_ranges(gold_starts: Numbers, system_starts: Numbers) -> tuple[Numbers, Numbers]:
    """The numbers, on both sides, of the ranges that start and end together."""
    _, gold, system = np.intersect1d(
        gold_starts[:-1], system_starts[:-1], assume_unique=True, return_indices=True
    )
    same = gold_starts[gold + 1] == system_starts[system + 1]
    return gold[same], system[same]


def _gold_heads(system: _Columns, left: Numbers, right: Numbers) -> Numbers:
    """For each system word the gold word that its head is aligned to."""
    partner = np.full(len(system.head) + 1, UNALIGNED)
    partner[right] = left
    partner[ROOT_HEAD] = ROOT_HEAD  # the last entry, which the head of a root points at
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
    partner = np.full(counts.size, UNALIGNED)
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
    gold: Numbers, system: Numbers, correct: Numbers, labels: Vocabulary
) -> dict[str, Score]:
    """By full label, most frequent first: words that bear it, and right arcs among them."""
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
    """Gold words by length, and those of them whose head, or head and label, is right."""
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
                correct_heads=int(chosen[right_heads].sum()),
                correct_arcs=int(chosen[right_arcs].sum()),
            )
        )
    return tuple(buckets)
