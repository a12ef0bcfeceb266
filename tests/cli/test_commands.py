from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import PROJECT, Arctree, Outcome

BOOK = PROJECT / "examples" / "book.conllu"
BRACKETS = (
    "(root (VB book) (iobj (PRP me)) (dobj (det (DT the)) (compound (NN morning)) (NN flight)))\n"
)
# Words with spaces and brackets, a multiword token, an empty node, enhanced dependencies, and
# crossing arcs of which one head lies outside the new head's subtree.
TREEBANK = """\
# sent_id = one
1-2\tNew York(\t_\t_\t_\t_\t_\t_\t_\t_
1\tNew York\tN\tPROPN\tNNP\tNumber=Sing\t2\tnsubj\t2:nsubj\tX=1
2\t(-LRB-\tl\tPUNCT\t-LRB- x\t_\t0\troot\t0:root\t_
2.1\te\t_\t_\t_\t_\t_\t_\t2:x\t_

# sent_id = two
1\ta\t_\t_\t_\t_\t3\tobl↑x\t_\t_
2\tb\\\t_\t_\t_\t_\t4\tobj\t_\t_
3\tc\t_\t_\t_\t_\t0\troot\t_\t_
4\td\u3000d\t_\t_\t_\t_\t1\tnmod\t_\t_

"""
BAD = "# sent_id = bad\n1\tx\t_\t_\t_\t_\t5\troot\t_\t_\n\n"


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    path = tmp_path / "treebank.conllu"
    path.write_text(TREEBANK, "utf-8")
    return path


@pytest.fixture
def spoilt(tmp_path: Path) -> Path:
    path = tmp_path / "spoilt.conllu"
    path.write_text(BAD + TREEBANK + BAD, "utf-8")
    return path


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


def test_output_goes_to_a_file_compressed_by_its_name(arctree: Arctree, tmp_path: Path) -> None:
    path = tmp_path / "trees.mrg.gz"
    result = arctree("convert", BOOK, "-o", path)
    assert gzip.decompress(path.read_bytes()).decode() == BRACKETS
    assert result.err == "arctree convert: 1 sentence converted, 0 of them lifted\n"


def test_a_failed_run_leaves_the_earlier_file_alone(
    arctree: Arctree, spoilt: Path, tmp_path: Path
) -> None:
    path = tmp_path / "trees.mrg"
    path.write_text("earlier")
    assert arctree("convert", spoilt, "-o", path).status == 1
    assert path.read_text() == "earlier"


def test_a_missing_file_or_a_wrong_option_is_status_2(arctree: Arctree) -> None:
    missing = arctree("convert", "nowhere.conllu")
    assert missing.status == 2
    assert "nowhere.conllu: cannot be read" in missing.err
    assert arctree("convert", BOOK, "--lift", "sideways").status == 2
    assert arctree("nothing").status == 2
    assert arctree("derive", BOOK, "--sentence", "12").status == 2
    assert "no sentence '12'" in arctree("derive", BOOK, "--sentence", "12").err


def test_blind_sentences_are_bad_where_a_tree_is_needed(arctree: Arctree) -> None:
    blind = b"1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    result = arctree("convert", "-", stdin=blind)
    assert result.status == 1
    assert "without heads" in result.err
    assert arctree("check", "-", stdin=blind).status == 0


def test_derive_shows_table_2(arctree: Arctree) -> None:
    result = arctree("derive", BOOK)
    assert result.out.startswith("book, derivation 1 of 1 (canonical)\n")
    assert [line for line in result.out.splitlines() if "DONE" in line]
    assert result.out.count("SHIFT") == 5
    assert "flight → morning" in result.out


def test_derive_shows_any_derivation_by_its_number(arctree: Arctree) -> None:
    both = PROJECT / "examples" / "choice.conllu"
    first = arctree("derive", both, "--to", "json")
    second = arctree("derive", both, "--to", "json", "--derivation", "2")
    forms = [json.loads(result.out) for result in (first, second)]
    assert [form["derivations"] for form in forms] == [2, 2]
    assert forms[0]["tree"] == forms[1]["tree"]
    assert forms[0]["steps"] != forms[1]["steps"]
    assert arctree("derive", both, "--derivation", "3").status == 2


def test_derive_and_draw_lift_first_and_say_so(arctree: Arctree, treebank: Path) -> None:
    derived = arctree("derive", treebank, "--sentence", "two")
    assert derived.status == 0
    assert "sentence two is not projective: 2 of its arcs lifted" in derived.err
    drawn = arctree("draw", treebank, "--sentence", "2", "--view", "tree")
    assert "sentence two is not projective: 2 of its arcs lifted" in drawn.err


@pytest.mark.parametrize("view", ["arcs", "tree", "derivation"])
@pytest.mark.parametrize(
    ("form", "mark"), [("text", "flight"), ("svg", "<svg"), ("latex", "\\begin{")]
)
def test_draw_draws_every_view_with_every_pen(
    arctree: Arctree, tmp_path: Path, view: str, form: str, mark: str
) -> None:
    printed = arctree("draw", BOOK, "--view", view, "--to", form)
    assert printed.status == 0
    assert mark in printed.out
    path = tmp_path / "picture"
    assert arctree("draw", BOOK, "--view", view, "--to", form, "-o", path).status == 0
    assert mark in path.read_text("utf-8")


def test_draw_makes_a_whole_latex_document(arctree: Arctree, treebank: Path) -> None:
    result = arctree("draw", treebank, "--to", "latex", "--document")
    assert result.out.startswith("\\documentclass")
    assert result.out.count("\\begin{dependency}") == 2


def test_an_svg_file_holds_one_sentence(arctree: Arctree, treebank: Path) -> None:
    assert arctree("draw", treebank, "--to", "svg").status == 2
    assert arctree("draw", treebank, "--to", "svg", "--sentence", "one").status == 0


def test_check_tells_what_is_wrong_and_fails(arctree: Arctree, spoilt: Path) -> None:
    result = arctree("check", spoilt)
    assert result.status == 1
    assert "2 problems" in result.out
    assert "spoilt.conllu:2: sentence bad" in result.out
    form = json.loads(arctree("check", spoilt, spoilt, "--json").out)
    assert [each["sentences"] for each in form["files"]] == [2, 2]
    assert form["files"][1]["compared"] == {"unseen_labels": [], "shared_sentences": 2}


def test_check_is_content_with_a_good_treebank(arctree: Arctree) -> None:
    result = arctree("check", BOOK)
    assert result.status == 0
    assert "0 problems" in result.out
    assert "1 sentence, 5 words" in result.out


def test_verify_prints_what_it_went_through(arctree: Arctree) -> None:
    result = arctree("verify", "--max-length", "4", "--random", "2", "--random-length", "30")
    assert result.status == 0
    rows = [line.split() for line in result.out.splitlines()[1:5]]
    assert [row[:4] for row in rows] == [
        ["1", "1", "1", "1"],
        ["2", "2", "2", "2"],
        ["3", "9", "7", "8"],
        ["4", "64", "30", "40"],
    ]
    form = json.loads(arctree("verify", "--max-length", "3", "--random", "0", "--json").out)
    assert form["holds"] is True
    assert [row["projective"] for row in form["exhaustive"]] == [1, 2, 7]


def test_verify_fails_with_status_1_and_the_case(
    arctree: Arctree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arctree.theorems.count_derivations", lambda heads: 1)
    result = arctree("verify", "--max-length", "3")
    assert result.status == 1
    assert "(2, 0, 2)" in result.err
    assert json.loads(arctree("verify", "--max-length", "3", "--json").out)["holds"] is False


def test_evaluate_scores_one_system_and_compares_two(
    arctree: Arctree, treebank: Path, tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.conllu"
    wrong.write_text(TREEBANK.replace("obj", "iobj"), "utf-8")
    table = arctree("evaluate", treebank, wrong, "--tables")
    assert table.status == 0
    assert table.out.splitlines()[2].split()[3:4] == ["83.33"]
    assert "nmod" in table.out
    form = json.loads(arctree("evaluate", treebank, wrong, treebank, "--json").out)
    assert form["scores"]["UAS"]["f1"] == 1
    assert form["comparison"]["LAS"]["second"] == 1
    assert form["comparison"]["LAS"]["first"] == pytest.approx(5 / 6)


def test_evaluate_of_different_texts_is_an_error(arctree: Arctree, treebank: Path) -> None:
    result = arctree("evaluate", treebank, BOOK)
    assert result.status == 1
    assert "the text differs" in result.err


@pytest.mark.parametrize(
    "command", ["convert", "recover", "derive", "draw", "check", "verify", "evaluate"]
)
def test_every_command_has_help_with_examples(arctree: Arctree, command: str) -> None:
    result = arctree(command, "--help")
    assert result.status == 0
    assert f"arctree {command} " in result.out.partition("Examples:")[2]


def test_the_program_tells_its_version_and_commands(arctree: Arctree) -> None:
    assert arctree("--version").out.startswith("arctree 0.")
    assert "recover" in arctree("--help").out


def test_a_reader_that_has_had_enough_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "long.conllu"
    path.write_text(BOOK.read_text() * 20_000)
    with subprocess.Popen(
        [sys.executable, "-m", "arctree", "convert", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().decode() == BRACKETS
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_gold_from_standard_input_serves_both_systems(arctree: Arctree, treebank: Path) -> None:
    result = arctree("evaluate", "-", treebank, treebank, stdin=TREEBANK.encode())
    assert result.status == 0
    assert "second against first" in result.out


@pytest.mark.parametrize(
    "call", [("evaluate", "-", "-"), ("check", "-", "-"), ("recover", "-", "--onto", "-")]
)
def test_standard_input_given_twice_is_a_wrong_call(arctree: Arctree, call: tuple[str]) -> None:
    result = arctree(*call, stdin=TREEBANK.encode())
    assert result.status == 2
    assert "can be read only once" in result.err


@pytest.mark.parametrize("where", ["no/such/folder/x", "book.conllu/x", "x" * 300])
def test_an_output_that_cannot_be_written_is_a_wrong_call(
    arctree: Arctree, tmp_path: Path, where: str
) -> None:
    (tmp_path / "book.conllu").write_bytes(BOOK.read_bytes())
    result = arctree("convert", BOOK, "-o", tmp_path / where)
    assert result.status == 2
    assert "cannot be written" in result.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("command", ["convert", "check", "draw"])
def test_a_full_disk_is_told_without_a_traceback(command: str) -> None:
    program = [sys.executable, "-m", "arctree", command, str(BOOK)]
    with open("/dev/full", "wb") as full:
        result = subprocess.run(program, stdout=full, stderr=subprocess.PIPE, check=False)
    assert result.returncode == 2
    assert b"No space left" in result.stderr
    assert b"Traceback" not in result.stderr


def in_shell(command: str) -> subprocess.CompletedProcess[bytes]:
    program = f'arctree() {{ {sys.executable} -m arctree "$@"; }}; {command}'
    environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    return subprocess.run(
        ["bash", "-c", program], capture_output=True, check=False, env=environment
    )


@pytest.mark.parametrize(
    "call", ["convert - <&-", f"convert {BOOK} >&-", f"check {BOOK} >&-", "verify >&-"]
)
def test_a_closed_stream_is_a_wrong_call(call: str) -> None:
    result = in_shell(f"arctree {call}")
    assert result.returncode == 2
    assert b"is closed" in result.stderr


@pytest.mark.parametrize("command", ["convert", "derive", "draw"])
def test_a_closed_stream_that_is_not_needed_does_no_harm(command: str, tmp_path: Path) -> None:
    path = tmp_path / "out"
    assert in_shell(f"arctree {command} {BOOK} -o {path} >&-").returncode == 0
    assert path.stat().st_size
    quiet = in_shell(f"arctree {command} {BOOK} 2>&-")
    assert quiet.returncode == 0
    assert quiet.stdout == path.read_bytes()


def test_output_is_utf_8_whatever_the_locale(treebank: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "arctree", "evaluate", str(treebank), str(treebank)],
        capture_output=True,
        check=False,
        env={"PYTHONIOENCODING": "latin-1"},
    )
    assert result.returncode == 0
    assert "–" in result.stdout.decode("utf-8")


def test_control_characters_in_the_data_do_not_reach_the_terminal(arctree: Arctree) -> None:
    text = BOOK.read_text().replace("sent_id = book", "sent_id = \x1b[31mred")
    for command in (("derive",), ("draw",), ("convert", "--lift", "none")):
        result = arctree(command[0], "-", *command[1:], stdin=text.encode())
        assert "\x1b" not in result.out + result.err
    bad = arctree("convert", "-", stdin=text.replace("\t1\tiobj", "\tx\tiobj").encode())
    assert bad.status == 1
    assert "\x1b" not in bad.err


def test_a_huge_number_of_derivations_is_told_by_its_magnitude(arctree: Arctree) -> None:
    size = 15_000
    middle = size // 2
    rows = [
        f"{word}\tw\t_\t_\t_\t_\t{0 if word == middle else middle}\tdep\t_\t_\n"
        for word in range(1, size + 1)
    ]
    text = ("".join(rows) + "\n").encode()
    assert "of about 10^4" in arctree("derive", "-", stdin=text).out[:100]
    assert json.loads(arctree("derive", "-", "--to", "json", stdin=text).out)["derivations"] is None


def test_options_that_do_not_go_together_are_a_wrong_call(arctree: Arctree) -> None:
    assert arctree("draw", BOOK, "--document").status == 2
    assert arctree("draw", BOOK, "--to", "svg", "--document").status == 2
    assert arctree("recover", BOOK, "--from", "conllu", "--repair").status == 2


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


def test_the_number_of_a_sentence_is_that_in_the_file(arctree: Arctree, spoilt: Path) -> None:
    call = ("draw", spoilt, "--on-error", "skip", "--sentence")
    assert arctree(*call, "2").out.startswith("one\n")
    assert arctree(*call, "3").out.startswith("two\n")
    assert arctree(*call, "1").status == 2


def test_nothing_to_draw_or_to_compare_with_is_an_error(arctree: Arctree) -> None:
    assert arctree("draw", "-", "--to", "svg").status == 1
    assert arctree("evaluate", "-", BOOK).status == 1


def test_output_through_a_link_goes_to_the_file_it_names(arctree: Arctree, tmp_path: Path) -> None:
    target, link = tmp_path / "target.mrg", tmp_path / "link.mrg"
    target.write_text("earlier")
    target.chmod(0o640)
    link.symlink_to(target)
    assert arctree("convert", BOOK, "-o", link).status == 0
    assert link.is_symlink()
    assert target.read_text() == BRACKETS
    assert target.stat().st_mode & 0o777 == 0o640


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


def test_drawings_are_titled_by_the_number_in_the_file(arctree: Arctree) -> None:
    text = (
        (BAD + BOOK.read_text()).replace("# sent_id = bad\n", "").replace("# sent_id = book\n", "")
    )
    result = arctree("draw", "-", "--on-error", "skip", stdin=text.encode())
    assert result.out.startswith("2\n")


def test_blank_lines_between_json_objects_are_passed_over(arctree: Arctree, treebank: Path) -> None:
    text = arctree("convert", treebank, "--to", "json").out.replace("\n", "\n\n")
    assert arctree("recover", "-", "--from", "json", stdin=text.encode()).out == TREEBANK
    bad = arctree("recover", "-", "--from", "json", stdin=b"{")
    assert bad.err.startswith("arctree: <stdin>:1: no JSON: ")
