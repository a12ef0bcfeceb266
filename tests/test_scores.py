import io
import json
import os
import random
import sys
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from udtools import udeval

from arctree import alignment, resampling, scores
from arctree.conllu import read, read_text
from arctree.errors import ArctreeError, DataError
from arctree.scores import (
    ARC_LENGTHS,
    HEADLINE,
    METRICS,
    OFFICIAL_METRICS,
    OWN_METRICS,
    SENTENCE_LENGTHS,
    Evaluation,
    Score,
    compare,
    evaluate,
)
from arctree.sentence import Sentence

SEGMENTATION_AND_TAGS = OFFICIAL_METRICS[: OFFICIAL_METRICS.index("UAS")]


# --- Small treebanks, written by hand ------------------------------------------------------


def word(
    form: str,
    head: int | str,
    label: str = "dep",
    upos: str = "X",
    *,
    lemma: str = "_",
    xpos: str = "_",
    feats: str = "_",
) -> str:
    return "\t".join([form, lemma, upos, xpos, feats, str(head), label, "_", "_"])


def multiword(form: str, *words: str) -> list[str]:
    return [form, *words]


def treebank(*sentences: Sequence[str | list[str]]) -> str:
    """CoNLL-U from words and multiword tokens, which are lists: the form, then the words."""
    lines = []
    for tokens in sentences:
        number = 0
        for token in tokens:
            form, *words = token if isinstance(token, list) else ["", token]
            if isinstance(token, list):
                last = number + len(words)
                lines.append(f"{number + 1}-{last}\t{form}" + "\t_" * 8)
            for columns in words:
                number += 1
                lines.append(f"{number}\t{columns}")
        lines.append("")
    return "\n".join(lines) + "\n"


def scored(gold: str, system: str) -> Evaluation:
    return evaluate(read_text(gold), read_text(system))


def official(gold: str, system: str) -> dict[str, tuple[object, ...]]:
    sides = [udeval.load_conllu(io.StringIO(text), "treebank", {}) for text in (gold, system)]
    result = udeval.evaluate(*sides)
    return {
        name: (
            *(result[name].correct, result[name].gold_total, result[name].system_total),
            *(result[name].precision, result[name].recall, result[name].f1),
            result[name].aligned_accuracy,
        )
        for name in OFFICIAL_METRICS
    }


def ours(evaluation: Evaluation) -> dict[str, tuple[object, ...]]:
    return {
        name: (
            *(score.correct, score.gold, score.system),
            *(score.precision, score.recall, score.f1, score.aligned_accuracy),
        )
        for name in OFFICIAL_METRICS
        for score in [evaluation[name]]
    }


def assert_official(gold: str, system: str) -> Evaluation:
    """Our scores, after they were found equal to the official ones in every digit."""
    evaluation = scored(gold, system)
    assert ours(evaluation) == official(gold, system)
    return evaluation


GOLD = treebank(
    [
        word("The", 2, "det", "DET", lemma="the", xpos="DT", feats="Definite=Def|PronType=Art"),
        word("dogs", 3, "nsubj", "NOUN", lemma="dog", xpos="NNS", feats="Number=Plur"),
        word("bark", 0, "root", "VERB", lemma="bark", feats="Mood=Ind|Tense=Pres|VerbForm=Fin"),
        word("loudly", 3, "advmod:emph", "ADV", lemma="loudly", xpos="RB"),
        word(".", 3, "punct", "PUNCT", lemma="."),
    ],
    [
        multiword(
            "Don't",
            word("Do", 3, "aux", "AUX", lemma="do", feats="Mood=Imp"),
            word("n't", 3, "advmod", "PART", lemma="not", feats="Polarity=Neg|Typo=Yes"),
        ),
        word("stop", 0, "root", "VERB", lemma="stop", feats="Mood=Imp"),
        word("!", 3, "punct", "PUNCT", lemma="!"),
    ],
)


def changed(old: str, new: str) -> str:
    assert old in GOLD
    return GOLD.replace(old, new)


# --- The official scores -------------------------------------------------------------------


def test_a_perfect_system_scores_one_everywhere() -> None:
    evaluation = assert_official(GOLD, GOLD)
    assert {name: evaluation[name].f1 for name in METRICS} == dict.fromkeys(METRICS, 1.0)


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        ("\tNOUN\t", "\tVERB\t", {"UPOS", "AllTags", "MLAS"}),
        ("\tDET\t", "\tPRON\t", {"UPOS", "AllTags", "MLAS"}),  # a function word of a content word
        ("\tDT\t", "\tXX\t", {"XPOS", "AllTags"}),
        ("Number=Plur", "Number=Sing", {"UFeats", "AllTags", "MLAS"}),
        ("Polarity=Neg|Typo=Yes", "Polarity=Neg", set()),  # Typo is not universal
        ("Definite=Def|PronType=Art", "PronType=Art|Definite=Def", set()),
        ("\tdogs\tdog\t", "\tdogs\tDog\t", {"Lemmas", "BLEX"}),
        ("\tThe\tthe\t", "\tThe\tThe\t", {"Lemmas"}),
        (
            "advmod:emph",
            "advmod",
            {HEADLINE, "LAS (full labels, no punctuation)", "Trees (labelled)"},
        ),
    ],
)
def test_one_change_costs_exactly_the_scores_about_it(old: str, new: str, lost: set[str]) -> None:
    evaluation = assert_official(GOLD, changed(old, new))
    assert {name for name in METRICS if evaluation[name].f1 < 1} == lost


def test_a_gold_lemma_that_is_missing_accepts_any() -> None:
    without = changed("\tdogs\tdog\t", "\tdogs\t_\t")
    assert assert_official(without, GOLD)["Lemmas"].f1 == 1
    assert assert_official(GOLD, without)["Lemmas"].f1 < 1


def test_a_wrong_head_costs_attachment_but_no_tags() -> None:
    evaluation = assert_official(GOLD, changed("RB\t_\t3\t", "RB\t_\t2\t"))
    assert evaluation["UAS"] == Score(8, 9, 9, 9)
    assert evaluation["LAS"] == Score(8, 9, 9, 9)
    assert evaluation["CLAS"] == Score(4, 5, 5, 5)
    assert evaluation["AllTags"].f1 == 1


def test_a_root_that_is_a_function_word_is_nobodys_function_word() -> None:
    gold = treebank([word("a", 0, "case"), word("b", 1, "obj"), word("c", 2, "det")])
    system = treebank([word("a", 2, "case"), word("b", 0, "obj"), word("c", 2, "det")])
    assert assert_official(gold, system)["MLAS"].correct == 0
    assert assert_official(gold, gold)["MLAS"].f1 == 1


@pytest.mark.parametrize(
    ("gold", "system", "aligned"),
    [
        (["abcd"], ["a", "b", "c", "d"], 0),
        (["a", "bc", "d"], ["a", "b", "c", "d"], 2),
        ([["bc", "b", "c"]], ["b", "c"], 2),
        (["a", ["bc", "b", "c"], "d"], ["a", "b", "cd"], 2),
        ([["ab", "a", "b"], ["cd", "bc", "d"]], ["a", "bc", "d"], 2),
        ([["abc", "a", "b", "c"], ["de", "d", "e"]], ["a", ["bcd", "b", "c", "d"], "e"], 5),
        ([["abcd", "x", "y", "x", "z"]], [["abcd", "y", "x", "y", "z"]], 3),
        ([["ab", "B", "A"]], [["ab", "a", "b"]], 1),
        ([["ab", "A", "B"]], [["ab", "a", "b"]], 2),
        ([["ab", "ab"]], ["ab"], 1),
        # The words of a multiword token keep their spaces, tokens lose them.
        ([["ab", "a b"]], ["a b"], 0),
        ([["ab", "ab"]], ["a\u3000b"], 1),
        ([["ab", "ab"], ["c", "c"]], ["a b", ["c", "c"]], 2),
        # Of two system words before a region the second one is in it; of two gold words, none.
        (["ab", ["cd", "b", "d"]], ["a", "b", ["cd", "c", "d"]], 2),
        (["a", "b", ["cd", "c", "d"]], ["ab", ["cd", "b", "d"]], 1),
    ],
)
def test_words_are_aligned_as_the_shared_task_aligns_them(
    gold: list[str | list[str]], system: list[str | list[str]], aligned: int
) -> None:
    def sentence(tokens: list[str | list[str]]) -> list[str | list[str]]:
        number = 0
        result: list[str | list[str]] = []
        for token in tokens:
            forms = token[1:] if isinstance(token, list) else [token]
            words = [word(form, min(1, number + place)) for place, form in enumerate(forms)]
            number += len(words)
            result.append([token[0], *words] if isinstance(token, list) else words[0])
        return result

    evaluation = assert_official(treebank(sentence(gold)), treebank(sentence(system)))
    assert evaluation["Words"].correct == aligned


def test_sentences_split_differently_still_align_their_words() -> None:
    one = treebank([word("a", 0, "root"), word("b", 1), word("c", 2)])
    two = treebank([word("a", 0, "root"), word("b", 1)], [word("c", 0, "root")])
    evaluation = assert_official(one, two)
    assert evaluation["Words"].f1 == 1
    assert evaluation["Sentences"] == Score(0, 1, 2)
    assert evaluation["UAS"] == Score(2, 3, 3, 3)
    assert evaluation["Trees (unlabelled)"] == Score(0, 1, 2)


def test_empty_nodes_are_not_scored() -> None:
    node = "2.1\tghost" + "\t_" * 8 + "\n"
    with_nodes = GOLD.replace("3\tbark", node + "3\tbark").replace(
        "2\tn't", "1.1" + node[3:] + "2\tn't"
    )
    assert with_nodes.count("ghost") == 2
    assert ours(assert_official(with_nodes, GOLD)) == ours(scored(GOLD, GOLD))


def test_no_sentences_at_all_score_zero() -> None:
    evaluation = assert_official("", "")
    assert {evaluation[name].f1 for name in METRICS} == {0.0}
    assert set(evaluation.intervals(resamples=3).values()) == {(0.0, 0.0)}
    assert compare(evaluation, evaluation, resamples=3)[HEADLINE].p_value == 1


def test_spaces_are_the_characters_of_category_zs() -> None:
    characters = map(chr, range(sys.maxunicode + 1))
    assert [c for c in characters if alignment._SPACE.fullmatch(c)] == [
        c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) == "Zs"
    ]


def test_content_and_function_labels_and_features_are_those_of_the_shared_task() -> None:
    assert scores.CONTENT_LABELS == udeval.CONTENT_DEPRELS
    assert scores.FUNCTION_LABELS == udeval.FUNCTIONAL_DEPRELS
    assert scores.UNIVERSAL_FEATURES == udeval.UNIVERSAL_FEATURES


# --- The same laws on random treebanks -----------------------------------------------------

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


# --- Real sentences ------------------------------------------------------------------------


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


# --- Our own scores and tables -------------------------------------------------------------


def test_punctuation_is_what_gold_tags_so() -> None:
    evaluation = scored(GOLD, changed("3\tpunct", "2\tpunct"))
    assert evaluation["UAS"] == Score(7, 9, 9, 9)
    for name in ("UAS", "LAS"):
        assert evaluation[f"{name} (no punctuation)"] == Score(7, 7, 7, 7)
    assert evaluation["LAS (full labels, no punctuation)"] == Score(7, 7, 7, 7)


def test_the_systems_own_tags_do_not_make_punctuation() -> None:
    evaluation = scored(GOLD, changed("\tNOUN\t", "\tPUNCT\t").replace("RB\t_\t3", "RB\t_\t2"))
    assert evaluation["UAS (no punctuation)"] == Score(6, 7, 7, 7)
    assert evaluation["LAS (full labels)"] == Score(8, 9, 9, 9)


def test_the_label_makes_punctuation_in_a_sentence_without_tags() -> None:
    def untagged(mark_upos: str) -> str:
        return treebank(
            [word("a", 0, "root", "_"), word(".", 1, "punct:end", mark_upos)],
            [word("b", 0, "root", "X"), word(".", 1, "punct", "X")],
        )

    assert scored(untagged("_"), untagged("_"))["UAS (no punctuation)"] == Score(3, 3, 3, 3)
    assert scored(untagged("SYM"), untagged("_"))["UAS (no punctuation)"] == Score(4, 4, 4, 4)


def test_an_unaligned_system_word_is_punctuation_by_its_own_tag() -> None:
    gold = treebank([word("a", 0, "root", "NOUN"), word("...", 1, "punct", "PUNCT")])
    marks = [word(".", 1, "punct", "PUNCT")] * 3
    system = treebank([word("a", 0, "root", "NOUN"), *marks])
    assert scored(gold, system)["UAS"] == Score(1, 2, 4, 1)
    assert scored(gold, system)["UAS (no punctuation)"] == Score(1, 1, 1, 1)


def test_trees_count_only_when_all_their_words_are_right() -> None:
    evaluation = scored(GOLD, changed("advmod:emph", "advmod"))
    assert evaluation["Trees (unlabelled)"] == Score(2, 2, 2)
    assert evaluation["Trees (labelled)"] == Score(1, 2, 2)
    # All gold words are right, but the system has a word more in the multiword token.
    gold = treebank([multiword("ab", word("a", 0, "root"))])
    system = treebank([multiword("ab", word("a", 0, "root"), word("b", 1))])
    assert scored(gold, system)["UAS"].recall == 1
    assert scored(gold, system)["Trees (unlabelled)"] == Score(0, 1, 1)


def test_labels_are_told_apart_with_their_subtypes() -> None:
    labels = scored(GOLD, changed("advmod:emph", "advmod")).labels
    assert labels["advmod"] == Score(1, 1, 2)
    assert labels["advmod:emph"] == Score(0, 1, 0)
    assert labels["punct"] == Score(2, 2, 2)
    assert [label for label, score in labels.items() if score.gold == 2] == ["punct", "root"]
    assert list(labels)[:2] == ["punct", "root"]


def test_a_right_label_on_a_wrong_head_is_not_a_correct_label() -> None:
    assert scored(GOLD, changed("RB\t_\t3\t", "RB\t_\t2\t")).labels["advmod:emph"] == Score(0, 1, 1)


def test_words_are_counted_by_the_length_of_their_sentence_and_arc() -> None:
    evaluation = scored(GOLD, changed("RB\t_\t3\t", "RB\t_\t2\t"))
    assert tuple((row.first, row.last) for row in evaluation.sentence_lengths) == SENTENCE_LENGTHS
    assert tuple((row.first, row.last) for row in evaluation.arc_lengths) == ARC_LENGTHS
    short = evaluation.sentence_lengths[0]
    assert (short.sentences, short.words, short.correct_heads, short.correct_arcs) == (2, 9, 8, 8)
    assert short.uas == short.las == 8 / 9
    by_length = {row.first: (row.words, row.correct_heads) for row in evaluation.arc_lengths}
    # Roots; the-dogs, dogs-bark, bark-loudly, n't-stop, stop-!; bark-., do-stop.
    assert by_length == {0: (2, 2), 1: (5, 4), 2: (2, 2), 3: (0, 0), 6: (0, 0), 11: (0, 0)}
    assert evaluation.arc_lengths[-1].uas == 0.0


def test_the_json_form_survives_json_and_names_every_score() -> None:
    evaluation = scored(GOLD, changed("RB\t_\t3\t", "RB\t_\t2\t"))
    intervals = evaluation.intervals(resamples=50)
    document = json.loads(json.dumps(evaluation.to_json(intervals)))
    assert tuple(document["scores"]) == METRICS
    assert document["scores"]["UAS"]["correct"] == 8
    assert document["scores"]["UAS"]["f1"] == evaluation["UAS"].f1
    assert document["scores"]["UAS"]["f1_interval"] == list(intervals["UAS"])
    assert document["labels"]["root"]["f1"] == 1
    assert document["sentence_lengths"][0]["words"] == 9
    assert document["arc_lengths"][1]["correct_heads"] == 4
    assert "f1_interval" not in json.dumps(evaluation.to_json())
    comparison = compare(evaluation, evaluation, resamples=9)[HEADLINE].to_json()
    assert json.loads(json.dumps(comparison))["p_value"] == 1


# --- What cannot be compared ---------------------------------------------------------------


def blind(text: str) -> str:
    lines = []
    for line in text.split("\n"):
        columns = line.split("\t")
        lines.append("\t".join([*columns[:6], "_", "_", *columns[8:]]) if line else line)
    return "\n".join(lines)


def test_two_blind_sides_have_segmentation_and_tags_but_no_tree_scores() -> None:
    evaluation = scored(blind(GOLD), blind(changed("\tNOUN\t", "\tVERB\t")))
    assert not evaluation.has_trees
    assert tuple(evaluation.scores) == SEGMENTATION_AND_TAGS
    expected = scored(GOLD, changed("\tNOUN\t", "\tVERB\t"))
    assert all(evaluation[name] == expected[name] for name in SEGMENTATION_AND_TAGS)
    assert evaluation.labels == {}
    assert evaluation.sentence_lengths == evaluation.arc_lengths == ()
    assert evaluation.to_json()["scores"]["LAS"] is None  # type: ignore[index]
    assert tuple(evaluation.intervals(resamples=5)) == SEGMENTATION_AND_TAGS
    with pytest.raises(DataError, match="there is no LAS: the sentences have no heads"):
        evaluation["LAS"]


@pytest.mark.parametrize(
    ("gold", "system", "blind_side"),
    [(blind(GOLD), GOLD, "gold"), (GOLD, blind(GOLD), "system")],
)
def test_one_blind_side_is_an_error_that_names_it(gold: str, system: str, blind_side: str) -> None:
    with pytest.raises(DataError, match=rf"^{blind_side}:1: a sentence without heads.*fill HEAD"):
        scored(gold, system)


def test_a_side_with_heads_in_some_sentences_only_is_an_error() -> None:
    first, second, _ = GOLD.split("\n\n")
    mixed = blind(first) + "\n\n" + second + "\n\n"
    with pytest.raises(DataError, match="system:7: the sentence has heads, but those before it"):
        scored(GOLD, mixed)
    mixed = first + "\n\n" + blind(second) + "\n\n"
    with pytest.raises(DataError, match="gold:7: the sentence has no heads, but those before it"):
        scored(mixed, GOLD)


def test_different_texts_are_an_error_that_shows_the_place_on_both_sides() -> None:
    system = "# sent_id = one\n" + changed("\tstop\t", "\tslop\t")
    with pytest.raises(DataError) as caught:
        evaluate(read_text(GOLD), read_text(system), names=("g.conllu", "s.conllu"))
    error = caught.value
    assert (error.file, error.line, error.sentence) == ("s.conllu", 8, None)
    assert "'slop!', where g.conllu has 'stop!' (line 7)" in error.fault
    assert "same characters" in error.remedy


@pytest.mark.parametrize(
    ("gold", "system", "said"),
    [
        (GOLD, GOLD + GOLD, "system:13: .*'Thedogs.*where gold has the end"),
        (GOLD, GOLD[: GOLD.index("\n\n") + 2], "system:1: .*the end, where gold has \"Don't"),
        (GOLD, "", "^system: .*the end, where gold has 'The"),
        ("", GOLD, "'Thedogs.*where gold has the end"),
    ],
)
def test_a_side_that_ends_early_is_an_error_that_says_so(gold: str, system: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        scored(gold, system)


def test_a_token_of_nothing_but_spaces_is_an_error() -> None:
    with pytest.raises(DataError, match="gold:1: the form of token 2 is nothing but white space"):
        scored(treebank([word("a", 0), word("\u3000", 1)]), treebank([word("a", 0)]))


def test_an_unknown_score_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(ArctreeError, match="no score 'ELAS'; the scores are Tokens, "):
        scored(GOLD, GOLD)["ELAS"]


# --- Intervals and comparisons -------------------------------------------------------------


def chains(errors: Sequence[int], size: int = 8) -> str:
    """A chain for each number, with that many words attached one word too far back."""
    return treebank(
        *([word("a", place - (place >= size - wrong)) for place in range(size)] for wrong in errors)
    )


PERFECT = chains([0] * 60)
GENERATOR = random.Random(5)
GOOD = chains([GENERATOR.choice([0, 0, 1, 2]) for _ in range(60)])
POOR = chains([GENERATOR.choice([0, 2, 3, 5]) for _ in range(60)])


def test_intervals_hold_the_score_and_are_the_same_for_the_same_seed() -> None:
    evaluation = scored(PERFECT, GOOD)
    intervals = evaluation.intervals(seed=3)
    assert tuple(intervals) == METRICS
    for name in ("UAS", "LAS", HEADLINE, "Trees (labelled)"):
        assert intervals[name].low < evaluation[name].f1 < intervals[name].high
    assert intervals == scored(PERFECT, GOOD).intervals(seed=3)
    assert intervals != evaluation.intervals(seed=4)


def test_a_perfect_score_has_the_interval_from_one_to_one() -> None:
    assert scored(PERFECT, PERFECT).intervals()[HEADLINE] == (1.0, 1.0)


def test_more_sentences_give_a_narrower_interval() -> None:
    few = scored(PERFECT, GOOD).intervals()["UAS"]
    many = scored(PERFECT * 16, GOOD * 16).intervals()["UAS"]
    ratio = (few.high - few.low) / (many.high - many.low)
    assert 3 < ratio < 5  # the square root of 16 is 4


def test_resampling_in_several_steps_draws_as_many_resamples() -> None:
    evaluation = scored(PERFECT, GOOD)
    matrix = evaluation._count_matrix()
    sums = resampling.bootstrap_sums(
        matrix, 40_000, resampling.generator_for(0, 1)
    )  # more than one step
    gold_sentences = list(evaluation.scores).index("Sentences") * 3 + 1
    assert sums.shape == (40_000, len(METRICS) * 3)
    assert set(sums[:, gold_sentences].tolist()) == {60.0}


def test_a_system_does_not_differ_from_itself() -> None:
    evaluation = scored(PERFECT, POOR)
    for name, comparison in compare(evaluation, scored(PERFECT, POOR)).items():
        assert (comparison.delta, comparison.p_value) == (0, 1), name
        assert comparison.interval == (0, 0)


def test_a_clearly_better_system_has_a_small_p_value_that_is_never_zero() -> None:
    poor, good = scored(PERFECT, POOR), scored(PERFECT, GOOD)
    comparison = compare(poor, good)["UAS"]
    assert comparison.p_value == 1 / 10_001
    assert 0 < comparison.interval.low < comparison.delta < comparison.interval.high
    assert comparison.delta == good["UAS"].f1 - poor["UAS"].f1
    opposite = compare(good, poor)["UAS"]
    assert opposite.delta == -comparison.delta
    assert opposite.p_value == comparison.p_value


def test_p_is_the_share_of_all_swaps_that_differ_as_much() -> None:
    # One sentence in three differs, by one word: swapped or not, the systems differ as much.
    first = scored(chains([0] * 3), chains([1, 0, 0]))
    second = scored(chains([0] * 3), chains([0] * 3))
    assert compare(first, second)["UAS"].p_value == 1
    # Three differ by one word each: 2 of the 8 swaps differ as much as the one seen.
    first = scored(chains([0] * 3), chains([1] * 3))
    assert compare(first, second, resamples=20_000)["UAS"].p_value == pytest.approx(0.25, abs=0.02)


def test_systems_alike_are_called_different_as_often_as_the_level_says() -> None:
    generator = random.Random(0)
    found = 0
    for seed in range(100):
        one, other = (
            scored(chains([0] * 20), chains([generator.choice([0, 1, 2, 3]) for _ in range(20)]))
            for _ in range(2)
        )
        found += compare(one, other, resamples=200, seed=seed)["UAS"].p_value <= 0.1
    assert 2 <= found <= 20


def test_systems_measured_on_different_gold_are_not_compared() -> None:
    other_gold = changed("advmod:emph", "advmod")
    with pytest.raises(DataError, match="not evaluated against the same gold"):
        compare(scored(GOLD, GOLD), scored(other_gold, GOLD))


@pytest.mark.parametrize(("resamples", "seed"), [(0, 0), (10, -1)])
def test_no_resamples_or_a_negative_seed_is_an_error(resamples: int, seed: int) -> None:
    evaluation = scored(GOLD, GOLD)
    with pytest.raises(ArctreeError, match="at least one, and no negative seed"):
        evaluation.intervals(resamples=resamples, seed=seed)
    with pytest.raises(ArctreeError, match="at least one, and no negative seed"):
        compare(evaluation, evaluation, resamples=resamples, seed=seed)


def test_own_scores_stand_beside_the_official_ones() -> None:
    assert METRICS == OFFICIAL_METRICS + OWN_METRICS
    assert len(OFFICIAL_METRICS) == 13
    assert tuple(scored(GOLD, GOLD).scores) == METRICS
