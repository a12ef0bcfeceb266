from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from torch import Tensor
from transformers import (
    AutoModel,
    BertConfig,
    BertModel,
    RobertaConfig,
    RobertaModel,
    RobertaTokenizerFast,
    XLNetConfig,
    XLNetModel,
)

from arctree.errors import CallError, DataError
from arctree.network.inference import to_tensors
from arctree.network.pretrained import PretrainedEncoder
from arctree.parsing.casing import Casing
from arctree.parsing.settings import Pretrained
from arctree.parsing.windows import overlapping_windows
from berts import INVISIBLE, LAYERS, LONG, PIECES, SIZES, load_encoder, write_bert

CPU = torch.device("cpu")


def write_roberta(folder: Path) -> None:
    """Byte-level BPE, <s> … </s>; its first two positions are for padding."""
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    numbers = {piece: number for number, piece in enumerate([*special, *letters, "Ġt", "he"])}
    tokenizer = Tokenizer(models.BPE(numbers, [("Ġ", "t"), ("h", "e")], unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    RobertaTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder)
    torch.manual_seed(2)
    config = RobertaConfig(
        vocab_size=len(numbers), max_position_embeddings=40, pad_token_id=1, **SIZES
    )
    RobertaModel(config).save_pretrained(folder)


@pytest.fixture(scope="module")
def roberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("encoders") / "roberta"
    write_roberta(folder)
    return folder


@pytest.fixture(scope="module", params=["bert", "roberta"])
def encoder(request: pytest.FixtureRequest) -> PretrainedEncoder:
    return load_encoder(request.getfixturevalue(request.param))


def vectors(encoder: PretrainedEncoder, sentences: Sequence[Sequence[str]]) -> Tensor:
    inputs = to_tensors(encoder.lay_out(encoder.prepare(sentences)), CPU)
    with torch.inference_mode():
        found: Tensor = encoder(inputs)
    return found


def by_hand(encoder: PretrainedEncoder, words: Sequence[str]) -> Tensor:
    """The rows of a sentence as the module's docstring has them, one window after the other."""
    (pieces,) = encoder.prepare([words])
    opening, closing = ([2], [3]) if encoder.subwords.tokenizer.token_to_id("[CLS]") else ([0], [2])
    found: dict[int, list[Tensor]] = {row: [] for row in range(len(words) + 1)}
    for window in overlapping_windows(len(pieces.ids), encoder.reach):
        ids = [*opening, *pieces.ids[window.start : window.stop].tolist(), *closing]
        with torch.inference_mode():
            states = encoder.transformer(torch.tensor([ids])).last_hidden_state[0]
        if not window.start:
            found[0].append(states[0] + encoder.root.detach())
        for place in range(window.first, window.last):
            found[int(pieces.words[place])].append(states[1 + place - window.start])
    return torch.stack([torch.stack(parts).mean(0) for parts in found.values()])


word = st.sampled_from(["the", "books", "abed", "[SEP]", "x", "語", "\ud800", "a b", *INVISIBLE])
sentences_drawn = st.lists(
    st.lists(word, min_size=1, max_size=8) | st.lists(word, min_size=30, max_size=60),
    min_size=1,
    max_size=4,
)


@settings(max_examples=25)
@given(sentences=sentences_drawn)
def test_a_word_is_the_mean_of_its_sub_words_and_the_root_the_opening_token_and_a_learnt_vector(
    encoder: PretrainedEncoder, sentences: list[list[str]]
) -> None:
    expected = torch.cat([by_hand(encoder, words) for words in sentences])
    found = vectors(encoder, sentences)
    assert found.shape == (sum(len(words) + 1 for words in sentences), encoder.width)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)


def test_the_sub_words_are_those_of_the_tokenizer_word_by_word(bert: Path) -> None:
    (pieces,) = load_encoder(bert).prepare([["books", "the", "abed", "xyz"]])
    assert [PIECES[number] for number in pieces.ids] == [
        *("book", "##s", "the", "a", "##b", "##ed", "[UNK]")
    ]
    assert pieces.words.tolist() == [1, 1, 2, 3, 3, 3, 4]
    assert pieces.cost == 9


def test_the_root_is_not_like_any_word(encoder: PretrainedEncoder) -> None:
    root, *words = vectors(encoder, [["the", "books", "the"]])
    assert all((root - vector).abs().max() > 0.1 for vector in words)


def test_the_same_word_in_another_context_has_another_vector(encoder: PretrainedEncoder) -> None:
    found = vectors(encoder, [["the", "books"], ["the", "abed"]])
    assert (found[1] - found[4]).abs().max() > 1e-3


@pytest.mark.parametrize("invisible", INVISIBLE)
def test_a_word_without_sub_words_is_read_as_the_unknown_token(bert: Path, invisible: str) -> None:
    encoder = load_encoder(bert)
    for pattern in (["{}"], ["the", "{}"], ["{}", "the"], ["a", "{}", "{}", "books", "{}"]):
        words, unknown = ([part.format(word) for part in pattern] for word in (invisible, "[UNK]"))
        assert (
            encoder.prepare([words])[0].ids.tolist() == encoder.prepare([unknown])[0].ids.tolist()
        )
        assert torch.equal(vectors(encoder, [words]), vectors(encoder, [unknown]))


@pytest.mark.parametrize("odd", ["[CLS]", "[PAD]", "[MASK]", "<s>", "<pad>", "<mask>", "</s>"])
def test_words_that_look_like_special_tokens_have_rows_like_others(
    encoder: PretrainedEncoder, odd: str
) -> None:
    (pieces,) = encoder.prepare([["the", odd, "books"]])
    assert set(pieces.words.tolist()) == {1, 2, 3}
    assert vectors(encoder, [["the", odd, "books"]]).isfinite().all()


def test_a_lone_surrogate_is_read_as_a_question_mark(encoder: PretrainedEncoder) -> None:
    torn = vectors(encoder, [["the", "\ud83d", "a\udc00b"]])
    assert torch.equal(torn, vectors(encoder, [["the", "?", "a?b"]]))


@pytest.mark.parametrize("size", [1, 35, 36, 37, 38, 39, 150])
def test_every_word_of_a_sentence_beyond_the_reach_has_a_vector(
    encoder: PretrainedEncoder, size: int
) -> None:
    found = vectors(encoder, [LONG[:size]])
    assert found.shape == (size + 1, encoder.width)
    assert found.isfinite().all()
    assert (found.abs().max(dim=1).values > 1e-3).all()


def test_what_lies_farther_than_a_window_does_not_matter_and_what_is_near_does(bert: Path) -> None:
    encoder = load_encoder(bert)
    words = ["the"] * 100
    before = vectors(encoder, [words])
    words[50] = "books"
    difference = (vectors(encoder, [words]) - before).abs().max(dim=1).values
    assert (difference[[0, 1, 10, 100]] < 1e-6).all()
    assert (difference[45:58] > 1e-6).all()


def test_a_word_of_more_sub_words_than_the_reach_is_read_whole(roberta: Path) -> None:
    encoder = load_encoder(roberta)
    word = "abcdefghij" * 20
    (pieces,) = encoder.prepare([["the", word]])
    assert pieces.words.tolist().count(2) == 201
    other = word[:-1] + "x"
    assert (vectors(encoder, [["the", word]]) - vectors(encoder, [["the", other]]))[2].any()


@settings(max_examples=25)
@given(sentences=sentences_drawn)
def test_the_vectors_of_a_sentence_do_not_depend_on_the_others_in_the_batch(
    encoder: PretrainedEncoder, sentences: list[list[str]]
) -> None:
    alone = torch.cat([vectors(encoder, [words]) for words in sentences])
    torch.testing.assert_close(vectors(encoder, sentences), alone, atol=1e-5, rtol=0)


def test_a_batch_too_large_to_be_read_at_once_has_the_same_vectors(bert: Path) -> None:
    encoder = load_encoder(bert)
    inputs = to_tensors(encoder.lay_out(encoder.prepare([["a"] * 30, ["b"] * 30] * 270)), CPU)
    assert inputs["tokens"].numel() > 16_384
    expected = vectors(encoder, [["a"] * 30, ["b"] * 30])
    with torch.inference_mode():
        found = encoder(inputs)
    torch.testing.assert_close(found, expected.repeat(270, 1), atol=1e-5, rtol=0)


def test_gradients_reach_the_transformer_and_the_root(encoder: PretrainedEncoder) -> None:
    found = encoder(to_tensors(encoder.lay_out(encoder.prepare([["the", "books"]])), CPU))
    torch.testing.assert_close(found.detach(), vectors(encoder, [["the", "books"]]))
    names = dict(encoder.named_parameters())
    gradients = torch.autograd.grad(found.square().sum(), list(names.values()), allow_unused=True)
    reached = {
        name for name, gradient in zip(names, gradients, strict=True) if gradient is not None
    }
    assert reached == set(names)


def test_from_its_files_and_with_the_same_weights_an_encoder_gives_the_same_vectors(
    encoder: PretrainedEncoder,
) -> None:
    again = PretrainedEncoder.from_files(*encoder.files(), encoder.settings).eval()
    sentences = [["the", "books", *INVISIBLE], LONG]
    assert not torch.equal(vectors(again, sentences), vectors(encoder, sentences))
    again.load_state_dict(encoder.state_dict())
    assert torch.equal(vectors(again, sentences), vectors(encoder, sentences))
    assert again.files() == encoder.files()
    assert (again.width, again.reach) == (16, encoder.reach)


def trained_casing(encoder: PretrainedEncoder) -> PretrainedEncoder:
    assert encoder.casing is not None
    with torch.no_grad():
        encoder.casing.weight[1:] = torch.randn(len(Casing) - 1, encoder.width)
    return encoder


def test_casing_is_nothing_at_first_and_then_tells_words_apart_that_the_tokenizer_does_not(
    bert: Path,
) -> None:
    encoder = load_encoder(bert)
    cased, lowered = [["The", "book"]], [["the", "book"]]
    assert torch.equal(vectors(encoder, cased), vectors(encoder, lowered))
    torch.testing.assert_close(
        vectors(encoder, cased), vectors(load_encoder(bert, casing=False), cased), atol=1e-6, rtol=0
    )
    assert load_encoder(bert, casing=False).casing is None
    trained_casing(encoder)
    assert not torch.allclose(vectors(encoder, cased), vectors(encoder, lowered), atol=1e-3)
    again = PretrainedEncoder.from_files(*encoder.files(), encoder.settings).eval()
    again.load_state_dict(encoder.state_dict())
    assert torch.equal(vectors(again, cased), vectors(encoder, cased))


def test_every_sub_word_has_the_casing_of_its_word_and_special_tokens_have_none(
    bert: Path,
) -> None:
    encoder = load_encoder(bert)
    sentence = ["The", "BOOKS", "abed", "?", "Books", "\x00"]
    inputs = encoder.lay_out(encoder.prepare([sentence, ["the"], LONG]))
    title, upper, lower, none = Casing.TITLE, Casing.UPPER, Casing.LOWER, Casing.UNCASED
    kinds = [title, upper, upper, lower, lower, lower, none, title, title, none]
    assert inputs["casing"][0, :12].tolist() == [0, *kinds, 0]
    is_special = np.isin(inputs["tokens"], [2, 3]) | (inputs["mask"] == 0)
    assert ((inputs["casing"] == Casing.NO_WORD) == is_special).all()


def test_casing_in_windows_is_that_of_the_words_there(bert: Path) -> None:
    encoder = trained_casing(load_encoder(bert))
    cased = [*LONG[:-1], "ABED"]
    changed = (vectors(encoder, [cased]) != vectors(encoder, [LONG])).any(-1)
    assert changed[-1]
    assert not changed[: -encoder.reach].any()


def test_an_encoder_that_tells_case_is_given_no_casing(roberta: Path) -> None:
    assert load_encoder(roberta).casing is None


@pytest.mark.parametrize(("source", "mask"), [("bert", "[MASK]"), ("roberta", "<mask>")])
def test_masking_hides_sub_words_in_training_but_no_special_token(
    source: str, mask: str, request: pytest.FixtureRequest
) -> None:
    encoder = load_encoder(request.getfixturevalue(source), masking=0.5).train()
    seen: list[Tensor] = []

    def see(_: object, inputs: tuple[Tensor]) -> None:
        seen.append(inputs[0])

    encoder.transformer.get_input_embeddings().register_forward_pre_hook(see)
    inputs = to_tensors(encoder.lay_out(encoder.prepare([LONG, ["the"]])), CPU)
    torch.manual_seed(1)
    encoder(inputs)
    encoder.eval()(inputs)
    masked, plain = seen
    assert torch.equal(plain, inputs["tokens"])
    is_word = inputs["casing"] != Casing.NO_WORD
    assert torch.equal(masked[~is_word], plain[~is_word])
    is_masked = (masked != plain)[is_word]
    assert set(masked[is_word][is_masked].tolist()) == {
        encoder.subwords.tokenizer.token_to_id(mask)
    }
    assert 0.4 < is_masked.float().mean() < 0.6


def test_layers_keeps_only_the_first_so_many(bert: Path) -> None:
    one, all_layers = load_encoder(bert, layers=1), load_encoder(bert)
    assert len(one.transformer.encoder.layer) == 1
    assert len(all_layers.transformer.encoder.layer) == LAYERS
    ids = torch.tensor([[2, 5, 6, 3]])
    with torch.inference_mode():
        states = all_layers.transformer(ids, output_hidden_states=True).hidden_states
    torch.testing.assert_close(vectors(one, [["the", "book"]])[1:], states[1][0, 1:3])
    torch.testing.assert_close(vectors(all_layers, [["the", "book"]])[1:], states[2][0, 1:3])
    again = PretrainedEncoder.from_files(*one.files(), one.settings)
    assert len(again.transformer.encoder.layer) == 1


def test_a_transformer_that_sees_any_distance_reads_windows_all_the_same() -> None:
    config = XLNetConfig(vocab_size=len(PIECES), d_model=16, n_layer=1, n_head=2, d_inner=16)
    assert config.max_position_embeddings == -1
    numbers = {piece: number for number, piece in enumerate(PIECES)}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    encoder = PretrainedEncoder(XLNetModel(config), tokenizer, Pretrained("xlnet")).eval()
    assert encoder.reach == 512
    assert vectors(encoder, [["the", "book"], ["the"] * 600]).shape == (604, 16)


def test_a_transformer_with_no_room_for_a_word_is_refused(tmp_path: Path) -> None:
    write_bert(tmp_path / "bert")
    config = BertConfig(vocab_size=len(PIECES), max_position_embeddings=4, **SIZES)
    BertModel(config).save_pretrained(tmp_path / "bert")
    with pytest.raises(CallError, match="it takes inputs of 4 tokens, too few for a word"):
        load_encoder(tmp_path / "bert")


def test_more_layers_than_the_transformer_has_are_refused(bert: Path) -> None:
    # They would be random, and nothing would say so.
    with pytest.raises(CallError, match="layer"):
        load_encoder(bert, layers=LAYERS + 1)


def test_truncation_and_padding_in_the_tokenizer_s_file_are_not_followed(
    bert: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "truncating"
    shutil.copytree(bert, folder)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=64)
    tokenizer.save(str(folder / "tokenizer.json"))
    sentences = [["the"] * 10, ["books"]]
    torch.testing.assert_close(
        vectors(load_encoder(folder), sentences), vectors(load_encoder(bert), sentences)
    )


def test_a_directory_that_does_not_exist_is_named_with_what_to_name_instead(tmp_path: Path) -> None:
    with pytest.raises(CallError) as caught:
        load_encoder(tmp_path / "absent")
    assert str(tmp_path / "absent") in str(caught.value)
    assert "config.json, tokenizer.json and model.safetensors" in str(caught.value)


def without(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def cut_short(name: str) -> Callable[[Path], None]:
    def cut(folder: Path) -> None:
        path = folder / name
        path.write_bytes(path.read_bytes()[:-100])

    return cut


def with_config(**changes: object) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / "config.json"
        path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **changes}), "utf-8")

    return change


def foreign_weights(folder: Path) -> None:
    weights = {"something.else": torch.zeros(3)}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def foreign_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("{}", "utf-8")


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(without("config.json"), id="no config"),
        pytest.param(without("model.safetensors"), id="no weights"),
        pytest.param(without("tokenizer.json"), id="no tokenizer"),
        pytest.param(cut_short("config.json"), id="config cut short"),
        pytest.param(cut_short("model.safetensors"), id="weights cut short"),
        pytest.param(cut_short("tokenizer.json"), id="tokenizer cut short"),
        pytest.param(with_config(model_type="abacus"), id="unknown architecture"),
        pytest.param(with_config(hidden_size=32), id="another width"),
        pytest.param(with_config(hidden_size="wide"), id="no width"),
        pytest.param(with_config(num_hidden_layers=3), id="a layer without weights"),
        pytest.param(foreign_weights, id="foreign weights"),
        pytest.param(foreign_tokenizer, id="foreign tokenizer"),
    ],
)
def test_a_damaged_directory_is_refused_and_named(
    bert: Path, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(bert, folder)
    damage(folder)
    with pytest.raises(CallError, match="damaged"):
        load_encoder(folder)


def test_a_checkpoint_with_heads_that_no_word_vector_passes_through_is_loaded(
    bert: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "more"
    shutil.copytree(bert, folder)
    weights = {
        f"bert.{name}": value
        for name, value in AutoModel.from_pretrained(bert).state_dict().items()
    }
    weights["cls.predictions.bias"] = torch.zeros(len(PIECES))
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    assert torch.equal(
        vectors(load_encoder(folder), [["the", "books"]]),
        vectors(load_encoder(bert), [["the", "books"]]),
    )


@pytest.mark.parametrize("spoilt", ["", "[]", "{}", '{"model_type": "abacus"}', "\x00"])
def test_files_that_describe_no_encoder_are_a_data_error(bert: Path, spoilt: str) -> None:
    configuration, tokenizer = load_encoder(bert).files()
    for files in ((spoilt, tokenizer), (configuration, spoilt)):
        with pytest.raises(DataError, match="the encoder cannot be built") as caught:
            PretrainedEncoder.from_files(*files, Pretrained("bert"))
        assert caught.value.remedy


def test_no_pooler_is_kept(bert: Path) -> None:
    assert not [name for name in load_encoder(bert).state_dict() if "pooler" in name]
