from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import BOOK, BRACKETS, TREEBANK, Arctree


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


def test_options_that_do_not_go_together_are_a_wrong_call(arctree: Arctree) -> None:
    assert arctree("draw", BOOK, "--document").status == 2
    assert arctree("draw", BOOK, "--to", "svg", "--document").status == 2
    assert arctree("recover", BOOK, "--from", "conllu", "--repair").status == 2


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
