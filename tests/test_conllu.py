from __future__ import annotations

import bz2
import gzip
import lzma
import random
import tracemalloc
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from arctree import conllu
from arctree.conllu import read, read_text, write
from arctree.dependency import DependencyTree
from arctree.errors import CallError, DataError
from arctree.files import open_output
from arctree.sentence import ID, UPOS, XPOS, Sentence, from_tree
from strategies import any_heads, sentences, trees

EVERYTHING = """\
# newdoc id = d1
# sent_id = s1
# text = I don't see (it).
1\tI\tI\tPRON\tPRP\tCase=Nom\t4\tnsubj\t4:nsubj\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\tNote=x|y
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t4:aux\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t4:advmod\t_
4\tsee\tsee\tVERB\tVB\t_\t0\troot\t0:root\t_
4.1\tghost\tghost\tVERB\t_\t_\t_\t_\t4:conj\tCopyOf=4
5\t(\t(\tPUNCT\t-LRB-\t_\t6\tpunct\t6:punct\tSpaceAfter=No
6\tit\tit\tPRON\tPRP\t_\t4\tobj\t4:obj|4.1:obj\tSpaceAfter=No

# sent_id = s2
0.1\tnothing\t_\t_\t_\t_\t_\t_\t0:root\t_
1\tNew York\t_\tPROPN\t_\t_\t0\troot\t_\t_

"""


def one(text: str) -> Sentence:
    (sentence,) = read_text(text)
    return sentence


def rows(*heads_and_labels: tuple[object, str]) -> str:
    return "".join(
        f"{number}\tw{number}\t_\t_\t_\t_\t{head}\t{label}\t_\t_\n"
        for number, (head, label) in enumerate(heads_and_labels, start=1)
    )


GOOD = rows((2, "det"), (0, "root"))


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
@pytest.mark.parametrize("between", ["", "\n", "\n\n"])
def test_a_file_with_everything_in_it_comes_back_byte_for_byte(
    line_break: str, between: str
) -> None:
    text = EVERYTHING.replace("\n\n# sent", "\n\n" + between + "# sent").replace("\n", line_break)
    found = list(read_text(text))
    assert len(found) == 2
    assert "".join(sentence.to_text() for sentence in found) == text


@given(st.lists(sentences(), max_size=4), st.integers(1, 60))
def test_reading_undoes_writing_however_the_file_is_cut_into_pieces(
    treebank: list[Sentence], size: int
) -> None:
    content = "".join(sentence.to_text() for sentence in treebank).encode()
    pieces = iter([content[start : start + size] for start in range(0, len(content), size)])
    found = list(conllu._sentences(pieces, "pieces", None))
    assert found == treebank
    assert [sentence.heads for sentence in found] == [sentence.heads for sentence in treebank]


def test_the_columns_are_what_the_file_says() -> None:
    first, second = read_text(EVERYTHING)
    assert first.id == "s1"
    assert first.text == "I don't see (it)."
    assert first.metadata("newdoc id") == "d1"
    assert first.metadata("nothing") is None
    assert len(first) == 6
    assert first.forms == ("I", "do", "n't", "see", "(", "it")
    assert first.lemmas[2] == "not"
    assert first.upos[0] == "PRON"
    assert first.xpos == ("PRP", "VBP", "RB", "VB", "-LRB-", "PRP")
    assert first.feats[0] == "Case=Nom"
    assert first.heads == (4, 4, 4, 0, 6, 4)
    assert first.deprels[-1] == "obj"
    assert first.deps[-1] == "4:obj|4.1:obj"
    assert first.misc[4] == "SpaceAfter=No"
    assert first.columns[ID] == ("1", "2", "3", "4", "5", "6")
    assert [(start, end, row[1]) for start, end, row in first.multiword_tokens] == [(2, 3, "don't")]
    assert second.forms == ("New York",)
    assert second.line == 13
    assert [first.line_of(word) for word in range(1, 7)] == [4, 6, 7, 8, 10, 11]


def test_a_tree_takes_its_tags_from_the_column_asked_for() -> None:
    first, _ = read_text(EVERYTHING)
    assert first.tree.tags == ("_",) * 6
    assert first.tree_with_tags(XPOS).tags[0] == "PRP"
    assert first.tree_with_tags(UPOS).tags[0] == "PRON"


def test_new_arcs_leave_every_other_column_alone() -> None:
    first, _ = read_text(EVERYTHING)
    changed = first.with_arcs((2, 0, 2, 2, 6, 4), ("a", "b", "c", "d", "e", "f"))
    assert changed.heads == (2, 0, 2, 2, 6, 4)
    back = changed.with_arcs(first.heads or (), first.deprels)
    assert back.to_text() == first.to_text()


@given(sentences(), st.data())
def test_with_arcs_takes_any_tree_and_refuses_what_is_none(
    sentence: Sentence, data: st.DataObject
) -> None:
    size = len(sentence)
    heads = data.draw(any_heads(min_size=size, max_size=size))
    changed = sentence.with_arcs(heads, ["x"] * size)
    assert one(changed.to_text()).heads == heads
    with pytest.raises(DataError, match="cycle"):
        sentence.with_arcs([1, *range(1, size)], ["x"] * size)


@given(trees())
def test_a_sentence_made_of_a_tree_holds_that_tree(tree: DependencyTree) -> None:
    sentence = from_tree(tree)
    assert one(sentence.to_text()).tree_with_tags(XPOS) == tree


@pytest.mark.parametrize("word", ["a\tb", "a\nb", "\ud800"])
def test_a_word_that_no_column_can_hold_is_refused(word: str) -> None:
    with pytest.raises(DataError, match="cannot stand in a column"):
        from_tree(DependencyTree((word,), (0,), ("root",)))


def test_a_blind_sentence_is_read_and_has_no_tree() -> None:
    sentence = one(rows(("_", "_"), ("_", "_")) + "\n")
    assert sentence.is_blind
    with pytest.raises(DataError, match="without heads"):
        _ = sentence.tree


BAD = {
    "nine columns": (GOOD.replace("2\tw2\t_", "2\tw2"), 2, "9 columns"),
    "spaces for tabs": (GOOD.replace("\t", " "), 1, "1 column instead"),
    "one column less, one more": (
        "1\tw\t_\t_\t_\t_\t0\troot\t_\n2\t2\tw\t_\t_\t_\t_\t1\tx\t_\t_\n",
        1,
        "9 columns",
    ),
    "ids out of sequence": (GOOD.replace("2\tw2", "3\tw2"), 2, "out of sequence"),
    "an id that is none": (GOOD.replace("2\tw2", "x\tw2"), 2, "out of sequence"),
    "an id with a zero": (GOOD.replace("2\tw2", "02\tw2"), 2, "out of sequence"),
    "a head that is no integer": (rows((2, "a"), (0, "root"), ("x", "b")), 3, "no number"),
    "a head with a sign": (rows(("+2", "a"), (0, "root")), 1, "no number"),
    "a head with an underscore": (rows(("1_0", "a"), (0, "root")), 1, "no number"),
    "a head in other digits": (rows(("٢", "a"), (0, "root")), 1, "no number"),
    "one head missing": (rows(("_", "_"), (0, "root")), 1, "no number"),
    "a label without a head": (rows(("_", "a"), ("_", "_")), 1, "no number"),
    "a head out of range": (rows((2, "a"), (0, "root"), (7, "b")), 3, "the last word is 3"),
    "a huge head": (rows((10**30, "a"), (0, "root")), 1, "the last word is 2"),
    "a negative head": (rows((-1, "a"), (0, "root")), 1, "no id of a word"),
    "a head with a leading zero": (rows(("02", "a"), (0, "root")), 1, "no id of a word"),
    "a cycle": (rows((2, "a"), (3, "b"), (2, "c"), (0, "root")), 2, "a cycle: 2 -> 3 -> 2"),
    "a word that heads itself": (rows((1, "a"), (0, "root")), 1, "a cycle: 1 -> 1"),
    "no root": (rows((2, "a"), (1, "b")), 1, "no root"),
    "several roots": (rows((0, "root"), (1, "b"), (0, "root")), 3, "2 roots"),
    "an empty form": (GOOD.replace("w2", ""), 2, "FORM is empty"),
    "an empty last column": (GOOD.replace("_\n2", "\n2"), 1, "MISC is empty"),
    "no words": ("", 1, "without words"),
    "a comment in the middle": (GOOD.replace("\n2", "\n# no\n2"), 2, "a comment inside"),
    "a line of spaces": (GOOD.replace("\n2", "\n \n2"), 2, "nothing but white space"),
    "a multiword token too late": (GOOD + "1-2\tx" + "\t_" * 8 + "\n", 3, "does not fit"),
    "a multiword token too long": ("1-3\tx" + "\t_" * 8 + "\n" + GOOD, 1, "does not fit"),
    "overlapping multiword tokens": (
        "1-2\tx" + "\t_" * 8 + "\n" + GOOD.replace("\n2", "\n2-2\ty" + "\t_" * 8 + "\n2"),
        3,
        "does not fit",
    ),
    "an empty node out of sequence": (GOOD + "2.2\tx" + "\t_" * 8 + "\n", 3, "out of sequence"),
    "an id of no kind": (GOOD + "2.x\tx" + "\t_" * 8 + "\n", 3, "is no id"),
    "a multiword token with nine columns": ("1-2\tx" + "\t_" * 7 + "\n" + GOOD, 1, "9 columns"),
    "a carriage return inside a line": (GOOD.replace("w2", "w\r2"), 2, "a carriage return"),
    "ten columns in all, but not in each line": (
        "1-2" + "\tx" * 8 + "\n1\t10.1" + "\ty" * 9 + "\n" + GOOD,
        1,
        "9 columns",
    ),
    "a byte order mark": ("\ufeff" + GOOD, 1, "byte order mark"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named_by_file_line_sentence_fault_and_remedy(case: str) -> None:
    body, line, fault = BAD[case]
    comment = "" if case == "a byte order mark" else "# sent_id = bad-1\n"
    text = "1\tfirst\t_\t_\t_\t_\t0\troot\t_\t_\n\n" + comment + body + "\n" + GOOD + "\n"
    with pytest.raises(DataError) as caught:
        list(read_text(text, name="some.conllu"))
    error = caught.value
    assert fault in error.fault
    assert error.remedy
    assert error.file == "some.conllu"
    assert error.line == 2 + len(comment.splitlines()) + line
    assert error.sentence == ("bad-1" if comment else None)
    assert str(error).startswith(f"some.conllu:{error.line}: ")
    problems: list[DataError] = []
    found = list(read_text(text, on_error=problems.append))
    assert len(problems) == 1
    assert [len(sentence) for sentence in found] == [1, 2]


def test_a_file_cut_short_is_an_error_at_its_last_line() -> None:
    whole = GOOD + "\n" + "# sent_id = last\n" + GOOD + "\n"
    for cut, fault in ((1, "without the blank line"), (4, "middle of a line")):
        with pytest.raises(DataError, match=fault) as caught:
            list(read_text(whole[:-cut]))
        assert caught.value.line == 6
        assert caught.value.sentence == "last"


def test_bytes_that_are_not_utf8_are_named_and_the_rest_is_read() -> None:
    content = (GOOD + "\n# sent_id = latin\n" + GOOD + "\n" + GOOD + "\n").encode()
    content = content.replace(
        b"latin\n1\tw1\t_\t_\t_\t_\t2\tdet\t_\t_\n2\tw2",
        b"latin\n1\tw1\t_\t_\t_\t_\t2\tdet\t_\t_\n2\tw\xe9",
    )
    problems: list[DataError] = []
    assert len(list(read_text(content, on_error=problems.append))) == 2
    (problem,) = problems
    assert "byte 4 of the line, 0xe9" in problem.fault
    assert problem.line == 6
    assert problem.sentence == "latin"


def test_mixed_line_ends_in_a_sentence_are_an_error() -> None:
    with pytest.raises(DataError, match="CR LF"):
        list(read_text(GOOD.replace("\n2", "\r\n2") + "\n"))
    with pytest.raises(DataError, match="CR LF"):
        list(read_text(GOOD + "\r\n"))


def test_a_blank_line_before_the_first_sentence_is_reported_and_the_sentence_read() -> None:
    problems: list[DataError] = []
    (sentence,) = read_text("\n\n" + GOOD + "\n", on_error=problems.append)
    assert "blank line before" in problems[0].fault
    assert sentence.line == 3


def test_an_empty_sent_id_is_none() -> None:
    bad = GOOD.replace("\t0\t", "\t9\t")
    with pytest.raises(DataError) as caught:
        list(read_text("# sent_id =\n# text = hello\n" + bad + "\n"))
    assert caught.value.sentence is None


@pytest.mark.parametrize("size", range(1, 12))
def test_where_the_file_is_cut_into_pieces_changes_nothing(size: int) -> None:
    nasty = ["\n\n", "\r\n\r", "\r", GOOD + "\n", (GOOD + "\n").replace("\n", "\r\n"), "\n\r\n"]
    source = random.Random(size)
    for _ in range(60):
        content = "".join(source.choice(nasty) for _ in range(source.randint(1, 6))).encode()
        outcomes = []
        for step in (size, len(content)):
            pieces = iter([content[at : at + step] for at in range(0, len(content), step)])
            problems: list[DataError] = []
            found = list(conllu._sentences(pieces, "x", problems.append))
            outcomes.append((found, [(problem.line, problem.fault) for problem in problems]))
        assert outcomes[0] == outcomes[1], content


def test_an_empty_file_holds_no_sentence() -> None:
    assert list(read_text("")) == []


fuzzed = st.lists(
    st.sampled_from([*GOOD, "\t", "\n", "\n\n", "\r\n", "#", "1-2", "1.1", "\ufeff", "0", "_", "é"])
    | st.text(max_size=3),
    max_size=60,
).map("".join)


@given(fuzzed)
def test_any_text_gives_sentences_or_our_own_error(text: str) -> None:
    problems: list[DataError] = []
    for sentence in read_text(text, on_error=problems.append):
        assert one(sentence.to_text()).to_text() == sentence.to_text()
    assert all(problem.line is not None and problem.remedy for problem in problems)


@given(st.binary(max_size=300))
def test_any_bytes_give_sentences_or_our_own_error(content: bytes) -> None:
    problems: list[DataError] = []
    found = list(read_text(content, on_error=problems.append))
    assert found or problems or not content


@given(st.lists(sentences(), min_size=1, max_size=3), st.data())
def test_a_damaged_file_gives_sentences_or_our_own_error(
    treebank: list[Sentence], data: st.DataObject
) -> None:
    content = bytearray("".join(sentence.to_text() for sentence in treebank).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(content) - 1))
        match data.draw(st.sampled_from(["change", "drop", "insert"])):
            case "change":
                content[place] = data.draw(st.integers(0, 255))
            case "drop":
                del content[place]
            case "insert":
                content[place:place] = data.draw(st.sampled_from([b"\t", b"\n", b"1", b"-", b"\r"]))
        if not content:
            return
    problems: list[DataError] = []
    found = list(read_text(bytes(content), on_error=problems.append))
    assert all(one(sentence.to_text()) == sentence for sentence in found)
    if not problems:
        assert "".join(sentence.to_text() for sentence in found).encode() == bytes(content)


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [
        ("", bytes),
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
    ],
)
def test_files_are_compressed_by_their_extension(
    tmp_path: Path, suffix: str, compress: object
) -> None:
    path = tmp_path / f"treebank.conllu{suffix}"
    path.write_bytes(compress(EVERYTHING.encode()))  # type: ignore[operator]
    found = list(read(str(path)))
    assert "".join(sentence.to_text() for sentence in found) == EVERYTHING
    again = tmp_path / f"again.conllu{suffix}"
    write(found, str(again))
    assert list(read(str(again))) == found
    if suffix:
        assert again.read_bytes() != EVERYTHING.encode()


def test_zstandard_files_are_read_and_written(tmp_path: Path) -> None:
    path = str(tmp_path / "treebank.conllu.zst")
    write(read_text(EVERYTHING), path)
    assert "".join(sentence.to_text() for sentence in read(path)) == EVERYTHING


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
    ],
)
def test_a_truncated_archive_is_our_own_error(
    tmp_path: Path, suffix: str, compress: object
) -> None:
    path = tmp_path / f"treebank.conllu{suffix}"
    content = compress((EVERYTHING * 50).encode())  # type: ignore[operator]
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(DataError) as caught:
        list(read(str(path)))
    assert caught.value.file == str(path)


def test_a_zstandard_file_cut_at_a_block_is_our_own_error(tmp_path: Path) -> None:
    compressor = zstandard.ZstdCompressor().compressobj()
    first = compressor.compress(EVERYTHING.encode())
    first += compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    rest = compressor.compress(EVERYTHING.encode()) + compressor.flush()
    path = tmp_path / "treebank.conllu.zst"
    path.write_bytes(first + rest + zstandard.compress(EVERYTHING.encode()))
    assert len(list(read(str(path)))) == 6
    path.write_bytes(first)
    problems: list[DataError] = []
    found = list(read(str(path), on_error=problems.append))
    assert len(found) == 2
    assert [(problem.file, problem.line) for problem in problems] == [(str(path), 17)]
    assert "not complete" in problems[0].fault


def test_what_is_whole_before_the_damage_of_an_archive_is_read(tmp_path: Path) -> None:
    path = tmp_path / "treebank.conllu.gz"
    path.write_bytes(gzip.compress(EVERYTHING.encode())[:-4])
    problems: list[DataError] = []
    assert len(list(read(str(path), on_error=problems.append))) == 2
    assert len(problems) == 1


def test_a_missing_file_is_a_wrong_call(tmp_path: Path) -> None:
    with pytest.raises(CallError, match="cannot be read"):
        list(read(str(tmp_path / "none.conllu")))
    with pytest.raises(CallError):
        list(read(str(tmp_path)))


def test_a_file_is_replaced_only_when_the_new_one_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "out.conllu"
    path.write_text("earlier")

    def breaks_off() -> object:
        yield one(GOOD + "\n")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write(breaks_off(), str(path))  # type: ignore[arg-type]
    assert path.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [path]


def test_two_outputs_may_be_open_in_one_folder(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a", "b")]
    with open_output(str(paths[0])) as first, open_output(str(paths[1])) as second:
        first.write(b"one")
        second.write(b"two")
    assert [path.read_bytes() for path in paths] == [b"one", b"two"]


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_the_same_content_gives_the_same_file(tmp_path: Path, suffix: str) -> None:
    paths = [tmp_path / f"{name}.conllu{suffix}" for name in ("a", "b")]
    for path in paths:
        write(read_text(EVERYTHING), str(path))
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    peaks = []
    for copies in (8_000, 16_000):
        path = tmp_path / f"{copies}.conllu"
        path.write_text(EVERYTHING * copies)
        tracemalloc.start()
        count = sum(1 for _ in read(str(path)))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert count == 2 * copies
    assert peaks[1] < 1.1 * peaks[0]
