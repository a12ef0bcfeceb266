from __future__ import annotations

import json

import pytest
from udtools import udeval

from arctree import evaluation
from arctree.conllu import read_text
from arctree.errors import ArctreeError, DataError
from arctree.evaluation import ARC_LENGTHS, SENTENCE_LENGTHS, evaluate
from arctree.scores import (
    HEADLINE,
    METRICS,
    OFFICIAL_METRICS,
    Score,
    compare,
)
from scored import GOLD, assert_official, changed, multiword, ours, scored, treebank, word

SEGMENTATION_AND_TAGS = OFFICIAL_METRICS[: OFFICIAL_METRICS.index("UAS")]


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


def test_content_and_function_labels_and_features_are_those_of_the_shared_task() -> None:
    assert evaluation.CONTENT_LABELS == udeval.CONTENT_DEPRELS
    assert evaluation.FUNCTION_LABELS == udeval.FUNCTIONAL_DEPRELS
    assert evaluation.UNIVERSAL_FEATURES == udeval.UNIVERSAL_FEATURES


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
