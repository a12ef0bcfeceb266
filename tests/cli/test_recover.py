from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import BOOK, BRACKETS, TREEBANK, Arctree, Outcome


@pytest.mark.parametrize("form", ["brackets", "conllu", "json"])
@pytest.mark.parametrize("lift", ["exact", "head", "path", "head+path"])
def test_recover_onto_the_original_gives_it_back_byte_for_byte(
    arctree: Arctree, treebank: Path, form: str, lift: str
) -> None:
    converted = arctree("convert", treebank, "--to", form, "--lift", lift)
    back = arctree("recover", "-", "--from", form, "--onto", treebank, stdin=converted.out.encode())
    assert back == Outcome(0, TREEBANK, "")


@pytest.mark.parametrize("form", ["conllu", "json"])
def test_conllu_and_json_hold_the_whole_sentence(
    arctree: Arctree, treebank: Path, form: str
) -> None:
    converted = arctree("convert", treebank, "--to", form)
    assert "1 of them lifted" in converted.err
    back = arctree("recover", "-", "--from", form, stdin=converted.out.encode())
    assert back.out == TREEBANK


def test_recover_without_the_original_writes_what_the_brackets_hold(arctree: Arctree) -> None:
    result = arctree("recover", "-", stdin=BRACKETS.encode())
    lines = result.out.splitlines()
    assert lines[0] == "1\tbook\t_\t_\tVB\t_\t0\troot\t_\t_"
    assert lines[4] == "5\tflight\t_\t_\tNN\t_\t1\tdobj\t_\t_"
    upos = arctree("recover", "-", "--tags", "upos", stdin=BRACKETS.encode())
    assert upos.out.startswith("1\tbook\t_\tVB\t_\t_\t0\troot\t_\t_\n")
    none = arctree("recover", "-", "--tags", "none", stdin=BRACKETS.encode())
    assert none.out.startswith("1\tbook\t_\t_\t_\t_\t0\troot\t_\t_\n")


def test_recover_of_unlabelled_trees_says_so(arctree: Arctree) -> None:
    result = arctree("recover", "-", stdin=b"(root (_ go) (UA (_ home)))\n")
    assert "1 tree without labels: DEPREL is UA" in result.err


def test_recover_refuses_what_is_no_ordered_tree_and_repairs_it_when_told(arctree: Arctree) -> None:
    text = b"(root (VB go) (NN home))\n"
    refused = arctree("recover", "-", stdin=text)
    assert refused.status == 1
    assert "<stdin>:1: the node root over words 1-2 (go home) has 2 anchors" in refused.err
    repaired = arctree("recover", "-", "--repair", stdin=text)
    assert repaired.status == 0
    assert "2\thome\t_\t_\tNN\t_\t1\tdep" in repaired.out
    assert "<stdin>:1: made home a dependent of go" in repaired.err


def test_recover_onto_a_file_of_other_words_is_an_error(arctree: Arctree, treebank: Path) -> None:
    result = arctree("recover", "-", "--onto", treebank, stdin=BRACKETS.encode())
    assert result.status == 1
    assert "are not those of the sentence at" in result.err


def test_recover_onto_wants_a_tree_for_every_sentence(arctree: Arctree, treebank: Path) -> None:
    converted = arctree("convert", treebank).out.splitlines(keepends=True)
    missing = arctree("recover", "-", "--onto", treebank, stdin=converted[0].encode())
    assert missing.status == 1
    assert "sentence two: no tree for this sentence" in missing.err
    extra = arctree(
        "recover", "-", "--onto", treebank, stdin="".join([*converted, converted[0]]).encode()
    )
    assert extra.status == 1
    assert "after the last sentence" in extra.err


def test_sentences_skipped_on_the_way_there_are_passed_over_on_the_way_back(
    arctree: Arctree, spoilt: Path
) -> None:
    converted = arctree("convert", spoilt, "--lift", "none", "--on-error", "skip")
    assert converted.err.count("skipped: ") == 3
    assert "3 bad sentences skipped" in converted.err
    back = arctree(
        "recover", "-", "--onto", spoilt, "--on-error", "skip", stdin=converted.out.encode()
    )
    assert back.status == 0
    assert back.out == TREEBANK.partition("# sent_id = two")[0]
    assert "sentence two: no tree for this sentence" in back.err


def test_a_bad_tree_among_good_ones_does_not_shift_the_others(
    arctree: Arctree, treebank: Path
) -> None:
    trees = arctree("convert", treebank).out.splitlines(keepends=True)
    broken = "(root (A a) (B b))\n" + trees[1]
    back = arctree("recover", "-", "--onto", treebank, "--on-error", "skip", stdin=broken.encode())
    assert back.out == "# sent_id = two" + TREEBANK.partition("# sent_id = two")[2]
    assert "1 bad sentence skipped" in back.err


def test_errors_of_recover_name_the_file_of_the_trees(
    arctree: Arctree, treebank: Path, tmp_path: Path
) -> None:
    trees = tmp_path / "trees.mrg"
    trees.write_text(BRACKETS)
    assert f"{trees}:1: the tree's words" in arctree("recover", trees, "--onto", treebank).err
    lines = arctree("convert", treebank, "--to", "json").out.splitlines()
    form = json.loads(lines[0])
    form["words"][0]["head"] = 7
    bad = arctree("recover", "-", "--from", "json", stdin=json.dumps(form).encode())
    assert "<stdin>:1: the head of word 1 is '7'" in bad.err
    assert arctree("convert", "-", "--lift", "none", stdin=TREEBANK.encode()).err.startswith(
        "arctree: <stdin>:7: sentence two"
    )


def test_a_json_tree_over_other_words_than_its_sentence_is_an_error(
    arctree: Arctree, treebank: Path
) -> None:
    first, second = (
        json.loads(line) for line in arctree("convert", treebank, "--to", "json").out.splitlines()
    )
    first["tree"] = second["tree"]
    result = arctree("recover", "-", "--from", "json", stdin=json.dumps(first).encode())
    assert result.status == 1
    assert "are not those of the sentence" in result.err


def test_a_stray_line_among_the_trees_costs_no_sentence(arctree: Arctree, treebank: Path) -> None:
    trees = "parser finished\n" + arctree("convert", treebank).out
    back = arctree("recover", "-", "--onto", treebank, "--on-error", "skip", stdin=trees.encode())
    assert back.out == TREEBANK
    assert "1 bad sentence skipped" in back.err


def test_a_tree_that_is_skipped_is_matched_with_its_own_sentence(
    arctree: Arctree, tmp_path: Path
) -> None:
    # Three sentences of the same words: the second one's tree is bad.
    path = tmp_path / "same.conllu"
    path.write_text("".join(BOOK.read_text().replace("= book", f"= {n}") for n in "123"))
    trees = arctree("convert", path).out.splitlines(keepends=True)
    trees[1] = trees[1].replace("(iobj (PRP me))", "(PRP me)")
    back = arctree(
        "recover", "-", "--onto", path, "--on-error", "skip", stdin="".join(trees).encode()
    )
    assert [line for line in back.out.splitlines() if "sent_id" in line] == [
        "# sent_id = 1",
        "# sent_id = 3",
    ]
    assert "1 bad sentence skipped" in back.err


def test_a_sentence_that_cannot_be_read_twice_counts_once(arctree: Arctree, spoilt: Path) -> None:
    good = arctree("convert", spoilt, "--to", "conllu", "--on-error", "skip").out
    broken = good.replace("\t0\troot\t0:root", "\t9\troot\t0:root")
    back = arctree(
        *("recover", "-", "--from", "conllu", "--onto", spoilt, "--on-error", "skip"),
        stdin=broken.encode(),
    )
    assert back.out == "# sent_id = two" + TREEBANK.partition("# sent_id = two")[2]
    # The original's two bad sentences, and the one whose tree is bad.
    assert "3 bad sentences skipped" in back.err


def test_blank_lines_between_json_objects_are_passed_over(arctree: Arctree, treebank: Path) -> None:
    text = arctree("convert", treebank, "--to", "json").out.replace("\n", "\n\n")
    assert arctree("recover", "-", "--from", "json", stdin=text.encode()).out == TREEBANK
    bad = arctree("recover", "-", "--from", "json", stdin=b"{")
    assert bad.err.startswith("arctree: <stdin>:1: no JSON: ")
