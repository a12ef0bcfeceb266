from __future__ import annotations

from pathlib import Path

from command_line import BOOK, BRACKETS, Arctree, Outcome


def test_convert_prints_the_paper_s_tree(arctree: Arctree) -> None:
    assert arctree("convert", BOOK) == Outcome(0, BRACKETS, "")


def test_convert_reads_standard_input(arctree: Arctree) -> None:
    assert arctree("convert", "-", stdin=BOOK.read_bytes()).out == BRACKETS


def test_convert_takes_the_tags_asked_for(arctree: Arctree) -> None:
    assert arctree("convert", BOOK, "--tags", "upos").out.startswith("(root (VERB book)")
    assert arctree("convert", BOOK, "--tags", "none").out.startswith("(root (_ book)")


def test_convert_unlabeled_says_that_labels_cannot_come_back(arctree: Arctree) -> None:
    result = arctree("convert", BOOK, "--unlabeled", "--tags", "none")
    assert (
        result.out == "(root (_ book) (UA (_ me)) (UA (UA (_ the)) (UA (_ morning)) (_ flight)))\n"
    )
    assert "recover cannot bring them back" in result.err


def test_convert_with_baseline_says_that_lifts_cannot_be_undone(
    arctree: Arctree, treebank: Path
) -> None:
    result = arctree("convert", treebank, "--lift", "baseline")
    assert result.status == 0
    assert "recover cannot undo the lifts" in result.err


def test_convert_without_lifting_names_the_arcs_of_a_nonprojective_sentence(
    arctree: Arctree, treebank: Path
) -> None:
    result = arctree("convert", treebank, "--lift", "none")
    assert result.status == 1
    assert "treebank.conllu:7: sentence two: not projective: " in result.err
    assert "the arc 1 a -> 4 d\u3000d passes over 3 c" in result.err
    skipping = arctree("convert", treebank, "--lift", "none", "--on-error", "skip")
    assert skipping.status == 0
    assert skipping.out.count("\n") == 1
    assert "1 bad sentence skipped" in skipping.err


def test_bad_input_stops_with_status_1_or_is_skipped_and_counted(
    arctree: Arctree, spoilt: Path
) -> None:
    stopped = arctree("convert", spoilt)
    assert stopped.status == 1
    assert "spoilt.conllu:2: sentence bad: the head of word 1 is '5', but" in stopped.err
    skipped = arctree("convert", spoilt, "--on-error", "skip")
    assert skipped.status == 0
    assert skipped.out.count("\n") == 2
    assert "2 bad sentences skipped" in skipped.err


def test_blind_sentences_are_bad_where_a_tree_is_needed(arctree: Arctree) -> None:
    blind = b"1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    result = arctree("convert", "-", stdin=blind)
    assert result.status == 1
    assert "without heads" in result.err
    assert arctree("check", "-", stdin=blind).status == 0
