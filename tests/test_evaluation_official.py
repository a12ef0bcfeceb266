"""Our scores equal the official ones on treebanks drawn at random and on real sentences."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arctree.conllu import read, read_text
from arctree.errors import ArctreeError
from arctree.evaluation import evaluate
from arctree.scores import (
    HEADLINE,
    OFFICIAL_METRICS,
    Evaluation,
    compare,
)
from arctree.sentence import Sentence
from scored import assert_official, scored, treebank, word

SEGMENTATION_AND_TAGS = OFFICIAL_METRICS[: OFFICIAL_METRICS.index("UAS")]


FORMS = st.text("abAB\u00a0", min_size=1, max_size=3)
LABELS = st.sampled_from(
    ["root", "nsubj", "nsubj:pass", "obj", "case", "det", "det:poss", "aux", "punct", "odd", ":x"]
)
FEATS = st.sampled_from(
    ["_", "Case=Nom", "Case=Nom|Number=Sing", "Number=Sing|Case=Nom", "Typo=Yes", "Case", "|"]
)


@st.composite
def trees(draw: st.DrawFn, size: int) -> list[int]:
    """Heads: in a random order, each word depends on one before it, the first on the root."""
    order = draw(st.permutations(range(1, size + 1)))
    heads = [0] * size
    for place, dependent in enumerate(order[1:], start=1):
        heads[dependent - 1] = order[draw(st.integers(0, place - 1))]
    return heads


@st.composite
def segments(draw: st.DrawFn, size: int) -> list[int]:
    """The ends of random pieces of a sequence of that size."""
    return [*sorted(draw(st.sets(st.integers(1, size - 1)) if size > 1 else st.just(set()))), size]


@st.composite
def treebanks_over(draw: st.DrawFn, text: str) -> str:
    tokens = []
    start = 0
    for end in draw(segments(len(text))):
        # A token may have a space inside, which is no part of the text.
        form = text[start:end] if draw(st.booleans()) else " ".join(text[start:end])
        words = draw(st.none() | st.lists(FORMS, min_size=1, max_size=4))
        tokens.append((form, words))
        start = end
    sentences = []
    start = 0
    for end in draw(segments(len(tokens))):
        size = sum(len(words or "1") for _, words in tokens[start:end])
        heads = iter(draw(trees(size)))
        sentence: list[str | list[str]] = []
        for form, words in tokens[start:end]:
            columns = [
                word(
                    each,
                    next(heads),
                    draw(LABELS),
                    draw(st.sampled_from(["_", "NOUN", "PUNCT"])),
                    lemma=draw(st.sampled_from(["_", "a", "b"])),
                    xpos=draw(st.sampled_from(["_", "N"])),
                    feats=draw(FEATS),
                )
                for each in words or [form]
            ]
            sentence.append(columns[0] if words is None else [form, *columns])
        sentences.append(sentence)
        start = end
    return treebank(*sentences)


@st.composite
def treebank_pairs(draw: st.DrawFn) -> tuple[str, str]:
    text = draw(st.text("abAB", min_size=1, max_size=10))
    return draw(treebanks_over(text)), draw(treebanks_over(text))


@settings(max_examples=400, deadline=None)
@given(treebank_pairs())
def test_scores_equal_the_official_ones_on_any_two_treebanks_of_one_text(
    pair: tuple[str, str],
) -> None:
    evaluation = assert_official(*pair)
    assert_consistent(evaluation)


def assert_consistent(evaluation: Evaluation) -> None:
    """What holds between the parts of any evaluation with trees."""
    for name, score in evaluation.scores.items():
        assert 0 <= score.correct <= min(score.gold, score.system), name
        counts = evaluation.sentence_counts[name]
        assert (counts[0] <= counts[1:].min(axis=0)).all(), name
        assert counts.sum(axis=1).tolist() == [score.correct, score.gold, score.system], name
    headline, unlabelled = evaluation[HEADLINE], evaluation["UAS"]
    assert headline.correct <= evaluation["LAS"].correct <= unlabelled.correct
    rows = evaluation.labels.values()
    assert sum(row.correct for row in rows) == headline.correct
    assert sum(row.gold for row in rows) == headline.gold
    assert sum(row.system for row in rows) == headline.system
    for table in (evaluation.sentence_lengths, evaluation.arc_lengths):
        assert sum(bucket.words for bucket in table) == headline.gold
        assert sum(bucket.correct_heads for bucket in table) == unlabelled.correct
        assert sum(bucket.correct_arcs for bucket in table) == headline.correct
    sentences = evaluation["Sentences"]
    assert sum(bucket.sentences for bucket in evaluation.sentence_lengths) == sentences.gold
    assert evaluation["Trees (labelled)"].correct <= evaluation["Trees (unlabelled)"].correct
    assert evaluation["Trees (unlabelled)"].correct <= sentences.correct


@settings(max_examples=100, deadline=None)
@given(st.text("abAB", min_size=1, max_size=12).flatmap(treebanks_over))
def test_a_treebank_agrees_with_itself_and_resampling_it_changes_nothing(text: str) -> None:
    evaluation = assert_official(text, text)
    assert_consistent(evaluation)
    assert {evaluation[name].f1 for name in ("Tokens", "Words", HEADLINE, "AllTags")} == {1.0}
    assert evaluation["Trees (labelled)"].f1 == 1
    assert evaluation.intervals(resamples=20)[HEADLINE] == (1.0, 1.0)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.text("\t\n01-._# aé\u3000", max_size=40), max_size=6).map("\n\n".join) | st.text(),
    treebank_pairs(),
)
def test_bad_input_raises_nothing_but_our_errors(noise: str, pair: tuple[str, str]) -> None:
    for gold, system in ((noise, pair[0]), (pair[0], noise), (pair[0], pair[1] + noise)):
        assert outcome(gold, system)


def outcome(gold: str, system: str) -> str:
    """The scores, or the message that says why there are none."""
    try:
        return json.dumps(scored(gold, system).to_json())
    except ArctreeError as error:
        return str(error)


@pytest.fixture(scope="module")
def real_treebank() -> list[Sentence]:
    folder = os.environ.get("ARCTREE_DATA")
    if not folder:
        pytest.skip("ARCTREE_DATA does not name a folder of treebanks")
    # Portuguese has many multiword tokens.
    paths = sorted(Path(folder, "ud").glob("*Bosque*/*dev.conllu"))
    paths = paths or sorted(Path(folder, "ud").glob("*/*.conllu"))
    if not paths:
        pytest.skip("ARCTREE_DATA has no ud/*/*.conllu")
    return [sentence for sentence, _ in zip(read(str(paths[0])), range(600), strict=False)]


def perturbed(sentences: list[Sentence], seed: int, rate: float) -> list[Sentence]:
    """The sentences with some heads, labels, tags, lemmas and tokens changed."""
    generator = random.Random(seed)
    changed_sentences = []
    for sentence in sentences:
        assert sentence.heads is not None
        heads, labels = list(sentence.heads), list(sentence.deprels)
        for place, head in enumerate(heads):
            if head and generator.random() < rate:
                labels[place] = generator.choice(labels)
            # A word without dependents may depend on any other.
            if head and place + 1 not in heads and generator.random() < rate:
                others = [other for other in range(1, len(heads) + 1) if other != place + 1]
                heads[place] = generator.choice(others)
        lines = sentence.with_arcs(heads, labels).to_text().split("\n")
        for place, line in enumerate(lines):
            columns = line.split("\t")
            if len(columns) == 10 and columns[0].isdigit() and generator.random() < rate:
                column = generator.choice([2, 3, 4, 5])
                columns[column] = generator.choice(["_", "NOUN", "Number=Sing", columns[1]])
                lines[place] = "\t".join(columns)
        sentence = next(read_text("\n".join(lines)))
        if generator.random() < rate:
            sentence = joined_or_split(sentence, generator)
        changed_sentences.append(sentence)
    return changed_sentences


def joined_or_split(sentence: Sentence, generator: random.Random) -> Sentence:
    """The sentence with other tokens, as a chain: each word depends on the one before it."""
    pieces: list[list[str]] = []  # the form of a token, and its words if there are several
    multiwords = {first: (last, row) for first, last, row in sentence.multiword_tokens}
    number = 1
    while number <= len(sentence):
        form = sentence.forms[number - 1]
        last, row = multiwords.get(number, (number, ()))
        if row and generator.random() < 0.7:
            pieces.append([row[1], *sentence.forms[number - 1 : last]])
        elif row:
            pieces.append([row[1]])
        elif pieces and generator.random() < 0.1:
            pieces.append([pieces.pop()[0] + form])
        elif len(form) > 1 and generator.random() < 0.2:
            pieces.append([form, form[:1], form[1:]] if generator.random() < 0.5 else [form[:1]])
            if len(pieces[-1]) == 1:
                pieces.append([form[1:]])
        else:
            pieces.append([form])
        number = last + 1
    number = 0
    tokens: list[str | list[str]] = []
    for form, *words in pieces:
        columns = []
        for each in words or [form]:
            columns.append(word(each, number, "dep" if number else "root", "NOUN"))
            number += 1
        tokens.append([form, *columns] if words else columns[0])
    return next(read_text(treebank(tokens)))


def as_text(sentences: list[Sentence]) -> str:
    return "".join(sentence.to_text() for sentence in sentences)


@pytest.mark.parametrize("rate", [0.02, 0.3])
def test_scores_equal_the_official_ones_on_real_sentences(
    real_treebank: list[Sentence], rate: float
) -> None:
    evaluation = assert_official(
        as_text(real_treebank), as_text(perturbed(real_treebank, seed=7, rate=rate))
    )
    assert_consistent(evaluation)
    assert 0 < evaluation[HEADLINE].f1 < 1
    assert evaluation["Words"].f1 < 1


def test_a_lightly_perturbed_system_is_found_better_on_real_sentences(
    real_treebank: list[Sentence],
) -> None:
    worse, better = (
        evaluate(real_treebank, perturbed(real_treebank, seed=1, rate=rate)) for rate in (0.2, 0.1)
    )
    comparison = compare(worse, better)[HEADLINE]
    assert comparison.p_value < 0.01
    assert 0 < comparison.interval.low < comparison.delta < comparison.interval.high
