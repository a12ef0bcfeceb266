"""What cannot be exported is told so; what can is a few plain files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from transformers import RobertaConfig, RobertaModel

from arctree.errors import CallError
from arctree.network.model import Model
from arctree.network.pretrained import PretrainedEncoder
from arctree.parser import Parser
from arctree.parsing.lemmatiser import Lemmatiser
from arctree.parsing.model_files import read_config
from arctree.parsing.runtime import Runtime
from arctree.parsing.settings import Pretrained
from arctree.training.exporting import export
from berts import PIECES, SIZES, load_encoder, random_model, write_bert
from tiny import OUTCOMES, SETTINGS, tiny_network
from toy_language import toy_treebank

PLAIN = {
    *("config.json", "vocabularies.json", "encoder.json", "tokenizer.json"),
    *("encoder.onnx", "heads.onnx", "decoder.safetensors"),
}


def assert_refused(model: Model, folder: Path, match: str) -> None:
    with pytest.raises(CallError, match=match):
        export(model, folder / "exported")
    assert not (folder / "exported").exists()


def test_an_encoder_from_scratch_is_not_exported(tmp_path: Path) -> None:
    model = Model(tiny_network(), OUTCOMES, SETTINGS)
    assert_refused(model, tmp_path, "only parsers on a BERT can be exported so far")


def test_the_graph_based_baseline_is_not_exported(bert: Path, tmp_path: Path) -> None:
    model = random_model(load_encoder(bert), kind="graph")
    assert_refused(model, tmp_path, "kind graph is not exported")


def test_a_parser_with_a_beam_is_not_exported(bert: Path, tmp_path: Path) -> None:
    model = random_model(load_encoder(bert)).with_beam(4)
    assert_refused(model, tmp_path, "greedy, and this one has a beam of 4")


def test_another_architecture_is_not_exported(bert: Path, tmp_path: Path) -> None:
    tokenizer = load_encoder(bert).subwords.tokenizer
    config = RobertaConfig(vocab_size=len(PIECES), pad_token_id=1, **SIZES)
    encoder = PretrainedEncoder(RobertaModel(config), tokenizer, Pretrained("roberta"))
    assert_refused(random_model(encoder), tmp_path, "only parsers on a BERT")


@pytest.mark.parametrize("activation", ["relu", "gelu_new"])
def test_a_bert_with_another_activation_is_not_exported(tmp_path: Path, activation: str) -> None:
    # The graphs have exact GELU; another one would change every answer without a word.
    write_bert(tmp_path / "bert", hidden_act=activation)
    model = random_model(load_encoder(tmp_path / "bert"))
    assert_refused(model, tmp_path, f"{activation}")


def test_a_bert_whose_inputs_are_opened_by_no_token_is_not_exported(
    bert: Path, tmp_path: Path
) -> None:
    encoder = load_encoder(bert)
    encoder.subwords.opening.clear()
    assert_refused(random_model(encoder), tmp_path, "opened and closed by one token each")


def test_an_exported_model_is_a_few_plain_files_with_their_hashes(
    bert: Path, tmp_path: Path
) -> None:
    model = random_model(load_encoder(bert))
    export(Model(model.network, OUTCOMES, model.parser, record={"best": 3}), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == PLAIN
    config = read_config(tmp_path)
    assert set(config["files"]) == PLAIN - {"config.json"}
    assert config["record"] == {"best": 3}
    assert json.loads((tmp_path / "config.json").read_text("utf-8")) == config


def test_the_lemmatiser_and_what_can_be_answered_go_along(bert: Path, tmp_path: Path) -> None:
    model = random_model(load_encoder(bert))
    lemmatiser = Lemmatiser.learn(toy_treebank(5, seed=1), ("upos",))
    export(Model(model.network, OUTCOMES, model.parser, lemmatiser=lemmatiser), tmp_path)
    runtime = Runtime(tmp_path)
    assert runtime.lemmatiser is not None
    assert runtime.lemmatiser.to_json() == lemmatiser.to_json()
    assert runtime.outcomes == OUTCOMES


def test_an_exported_model_is_searched_with_a_beam_by_torch(bert: Path, tmp_path: Path) -> None:
    """Greedily it runs in onnxruntime; only a beam takes the other way, from the same files."""
    model = random_model(load_encoder(bert))
    export(model, tmp_path)
    words = [["the", "books", "abed"], ["books"]]

    def heads(parser: Parser) -> list[tuple[int, ...]]:
        return [found.tree.heads for found in parser.parse(words)]

    assert (
        heads(Parser.load(tmp_path, beam=1)) == heads(Parser.load(tmp_path)) == heads(Parser(model))
    )
    assert heads(Parser.load(tmp_path, beam=4)) == heads(Parser(model.with_beam(4)))


def test_the_same_model_is_exported_to_the_same_bytes(bert: Path, tmp_path: Path) -> None:
    model = random_model(load_encoder(bert))
    for name in ("first", "second"):
        export(model, tmp_path / name, [["the", "books"], ["abed"]])
    for name in sorted(PLAIN):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()


def test_a_folder_that_cannot_be_written_is_named(bert: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(CallError, match="file/model: cannot be written"):
        export(random_model(load_encoder(bert)), tmp_path / "file" / "model")
