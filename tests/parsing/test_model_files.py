from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arctree.errors import ArctreeError, CallError, DataError
from arctree.parsing.model_files import (
    CONFIG,
    ENCODER,
    TOKENIZER,
    VERSION,
    VOCABULARIES,
    WEIGHTS,
    file_hash,
    read_config,
    read_json,
    write_model,
)

SETTINGS = {"encoder": {"kind": "recurrent"}, "record": {"språk": "日本語"}}
TEXTS = {VOCABULARIES: '{"labels": ["é"]}\n', ENCODER: "{}", TOKENIZER: "{ }"}


def write(
    folder: Path, weights: bytes = b"old weights", texts: dict[str, str] | None = None
) -> None:
    write_model(folder, SETTINGS, TEXTS if texts is None else texts, {WEIGHTS: writer(weights)})


def writer(weights: bytes) -> Callable[[Path], None]:
    def write_weights(path: Path) -> None:
        path.write_bytes(weights)

    return write_weights


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "models" / "ewt"
    write(folder)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*")}


def change(folder: Path, **changes: Any) -> None:
    path = folder / CONFIG
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **changes}), "utf-8")


def test_what_was_written_is_read_again(folder: Path) -> None:
    config = read_config(folder)
    files = config.pop("files")
    assert config == {"arctree_model": VERSION, **SETTINGS}
    assert set(files) == {*TEXTS, WEIGHTS}
    assert set(contents(folder)) == {*TEXTS, WEIGHTS, CONFIG}
    assert read_json(folder / VOCABULARIES) == {"labels": ["é"]}
    assert (folder / WEIGHTS).read_bytes() == b"old weights"


def test_the_configuration_holds_size_and_hash_of_the_other_files(folder: Path) -> None:
    files = read_config(folder)["files"]
    assert files[TOKENIZER] == {
        "bytes": 3,
        "sha256": "257c1be96ae69f4b01c2c69bdb6d78605f59175819fb007d0bf245bf48444c4a",
    }
    for name, facts in files.items():
        assert facts == {
            "bytes": len((folder / name).read_bytes()),
            "sha256": file_hash(folder / name),
        }


def test_whoever_may_read_one_file_may_read_all(tmp_path: Path) -> None:
    def write_weights(path: Path) -> None:
        path.write_bytes(b"weights")
        path.chmod(0o600)  # as safetensors leaves it

    write_model(tmp_path, SETTINGS, TEXTS, {WEIGHTS: write_weights})
    assert len({path.stat().st_mode for path in tmp_path.iterdir()}) == 1


def test_what_a_killed_run_left_is_cleared_away(folder: Path) -> None:
    (folder / ".partial").mkdir()
    (folder / ".partial" / WEIGHTS).write_bytes(b"half")
    write(folder)
    assert not (folder / ".partial").exists()


def test_a_model_can_be_written_over_another(folder: Path) -> None:
    write(folder, b"new weights, longer", {VOCABULARIES: "{}"})
    assert set(read_config(folder)["files"]) == {VOCABULARIES, WEIGHTS}
    assert (folder / WEIGHTS).read_bytes() == b"new weights, longer"


def test_a_directory_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(CallError, match="absent: no such model directory"):
        read_config(tmp_path / "absent")


def test_a_file_is_no_model_directory(folder: Path) -> None:
    with pytest.raises(CallError, match=f"{CONFIG}: no such model directory"):
        read_config(folder / CONFIG)


def no_config(folder: Path) -> None:
    (folder / CONFIG).unlink()


def a_directory_for_a_config(folder: Path) -> None:
    no_config(folder)
    (folder / CONFIG).mkdir()


@pytest.mark.parametrize("spoil", [no_config, a_directory_for_a_config])
def test_a_directory_without_a_configuration_is_none_that_arctree_wrote(
    folder: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(folder)
    with pytest.raises(DataError, match=r"no config\.json in it; name a directory that arctree"):
        read_config(folder)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"arctree", "not JSON"),
        (b"\xff\xfe{}", "not JSON"),
        pytest.param(b"[" * 100_000, "not JSON", id="deep"),
        pytest.param(b"9" * 5000, "not JSON", id="large"),
        (b"[]", "not a JSON object"),
        (b"1", "not a JSON object"),
        (b"null", "not a JSON object"),
        (b"{}", "not the configuration of an arctree model"),
        (b'{"model_type": "bert", "files": {}}', "not the configuration of an arctree model"),
    ],
)
def test_a_foreign_configuration_is_refused(folder: Path, content: bytes, fault: str) -> None:
    (folder / CONFIG).write_bytes(content)
    with pytest.raises(DataError, match=fault) as caught:
        read_config(folder)
    assert caught.value.file == str(folder / CONFIG)
    assert caught.value.remedy


@pytest.mark.parametrize("version", [0, VERSION + 1, "1", None, [1], {}])
def test_a_model_of_another_version_is_told_with_both_versions(
    folder: Path, version: object
) -> None:
    change(folder, arctree_model=version)
    with pytest.raises(DataError) as caught:
        read_config(folder)
    assert str(caught.value) == (
        f"{folder / CONFIG}: the model has version {version!r}, this arctree reads version "
        f"{VERSION}; use the arctree that wrote it, or train it again"
    )


FACTS = {"bytes": 1, "sha256": "0"}


@pytest.mark.parametrize(
    "files",
    [
        None,
        [],
        [VOCABULARIES, WEIGHTS],
        {},
        {WEIGHTS: FACTS},
        {VOCABULARIES: FACTS},
        {ENCODER: FACTS, TOKENIZER: FACTS},
    ],
)
def test_a_list_of_files_without_the_files_of_every_model_is_damaged(
    folder: Path, files: object
) -> None:
    change(folder, files=files)
    with pytest.raises(DataError, match="its list of files is damaged; fetch it again") as caught:
        read_config(folder)
    assert caught.value.file == str(folder / CONFIG)


FOREIGN = ["../x", "/etc/passwd", "model.pkl", "pytorch_model.bin", "README.md", CONFIG, "", "."]


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_file_in_the_list_is_refused_though_it_be_there_and_intact(
    folder: Path, name: str
) -> None:
    (folder.parent / "x").write_bytes(b"x")
    (folder / "model.pkl").write_bytes(b"x")
    path = folder / name
    facts = {"bytes": path.stat().st_size, "sha256": file_hash(path)} if path.is_file() else FACTS
    files = read_config(folder)["files"]
    change(folder, files={**files, name: facts})
    with pytest.raises(DataError) as caught:
        read_config(folder)
    assert str(caught.value) == (
        f"{folder / CONFIG}: it lists a foreign file {name!r}; fetch it again"
    )


@pytest.mark.parametrize("facts", [None, 3, "sha256", []])
def test_a_file_of_which_the_list_says_nothing_is_refused(folder: Path, facts: object) -> None:
    change(folder, files={**read_config(folder)["files"], ENCODER: facts})
    with pytest.raises(DataError, match=ENCODER):
        read_config(folder)


@pytest.mark.parametrize("facts", [{}, {"bytes": 2}, {"sha256": ""}, {"bytes": "2", "sha256": 1}])
def test_a_file_without_its_size_and_hash_in_the_list_is_refused(
    folder: Path, facts: dict[str, object]
) -> None:
    change(folder, files={**read_config(folder)["files"], ENCODER: facts})
    with pytest.raises(DataError, match="fetch it again") as caught:
        read_config(folder)
    assert caught.value.file == str(folder / ENCODER)


every_file = pytest.mark.parametrize("name", [*TEXTS, WEIGHTS])


@every_file
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(DataError) as caught:
        read_config(folder)
    assert str(caught.value) == (
        f"{folder / name}: missing from the model directory; fetch it again"
    )


@every_file
def test_a_truncated_file_is_told_with_both_sizes(folder: Path, name: str) -> None:
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[:-1])
    with pytest.raises(DataError) as caught:
        read_config(folder)
    assert str(caught.value) == (
        f"{folder / name}: {len(content) - 1} bytes, where {CONFIG} says {len(content)}; "
        "it is cut short or belongs to another model; fetch it again"
    )


@every_file
def test_one_changed_byte_is_found(folder: Path, name: str) -> None:
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    with pytest.raises(DataError) as caught:
        read_config(folder)
    assert str(caught.value) == (
        f"{folder / name}: not the file that {CONFIG} was written with; "
        "it is damaged or belongs to another model; fetch it again"
    )


def test_the_weights_of_another_model_of_the_same_size_are_found(
    folder: Path, tmp_path: Path
) -> None:
    write(tmp_path / "other", b"new weights")
    (folder / WEIGHTS).write_bytes((tmp_path / "other" / WEIGHTS).read_bytes())
    with pytest.raises(DataError, match=f"{WEIGHTS}: not the file that"):
        read_config(folder)


def full_disk(path: Path) -> None:
    path.write_bytes(b"half of the wei")
    raise OSError(28, "No space left on device")


def bug(path: Path) -> None:
    path.write_bytes(b"half of the wei")
    raise ZeroDivisionError


def interrupt(path: Path) -> None:
    path.write_bytes(b"half of the wei")
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("write_weights", "error"),
    [(full_disk, CallError), (bug, ZeroDivisionError), (interrupt, KeyboardInterrupt)],
)
def test_a_write_that_fails_midway_leaves_the_old_model_and_nothing_else(
    folder: Path, write_weights: Callable[[Path], None], error: type[BaseException]
) -> None:
    before = contents(folder)
    with pytest.raises(error):
        write_model(folder, {}, {VOCABULARIES: "{}"}, {WEIGHTS: write_weights})
    assert contents(folder) == before
    assert read_config(folder)["encoder"] == SETTINGS["encoder"]


def test_a_configuration_that_json_cannot_hold_leaves_the_old_model(folder: Path) -> None:
    before = contents(folder)
    with pytest.raises(TypeError):
        write_model(folder, {"record": object()}, {VOCABULARIES: "{}"}, {WEIGHTS: writer(b"new")})
    assert contents(folder) == before


def test_a_failed_first_write_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(CallError, match="model: cannot be written: No space left on device"):
        write_model(tmp_path / "model", {}, TEXTS, {WEIGHTS: full_disk})
    assert contents(tmp_path / "model") == {}


def test_a_folder_that_cannot_be_made_is_named(folder: Path) -> None:
    inside_a_file = folder / CONFIG / "model"
    with pytest.raises(CallError) as caught:
        write(inside_a_file)
    assert str(caught.value) == f"{inside_a_file}: cannot be written: Not a directory"


def test_files_of_two_models_are_told_apart_when_a_write_stops_between_them(folder: Path) -> None:
    # A directory where the new encoder.json should go stops the write after the vocabularies.
    (folder / ENCODER).unlink()
    (folder / ENCODER).mkdir()
    with pytest.raises(CallError, match="cannot be written"):
        write(folder, b"new weights", {**TEXTS, VOCABULARIES: "{}"})
    with pytest.raises(ArctreeError, match="it is cut short or belongs to another model"):
        read_config(folder)
    assert not list(folder.glob(".partial*"))
