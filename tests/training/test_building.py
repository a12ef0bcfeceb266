from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, processors
from transformers import BertConfig, BertModel

from arctree.errors import CallError
from arctree.network.network import Network
from arctree.network.pretrained import PretrainedEncoder
from arctree.network.scratch import ScratchEncoder
from arctree.parsing.settings import Pretrained, Scratch, TrainingSettings
from arctree.training.building import build_encoder, build_optimizer, rate_at
from tiny import LEARNT, OUTCOMES, SETTINGS, WIDTHS, tiny_encoder, tiny_network, vectors_of

shares = st.floats(0, 1)


@given(shares, st.floats(0.001, 0.999))
def test_the_rate_rises_in_a_line_and_falls_in_a_line(done: float, warmup: float) -> None:
    expected = done / warmup if done < warmup else (1 - done) / (1 - warmup)
    assert rate_at(done, warmup) == pytest.approx(expected)
    assert 0 <= rate_at(done, warmup) <= 1 + 1e-9


@given(st.floats(0.001, 0.999))
def test_the_rate_begins_and_ends_at_zero_and_is_full_after_the_warmup(warmup: float) -> None:
    assert rate_at(0, warmup) == 0
    assert rate_at(warmup, warmup) == pytest.approx(1)
    assert rate_at(1, warmup) == 0


def test_without_warmup_the_rate_only_falls_and_with_nothing_else_it_only_rises() -> None:
    assert [rate_at(done, 0) for done in (0, 0.25, 1)] == [1, 0.75, 0]
    assert [rate_at(done, 1) for done in (0, 0.25, 1)] == [0, 0.25, 0]


def transformer_network() -> Network:
    pieces = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "the": 4}
    tokenizer = Tokenizer(models.WordPiece(pieces, unk_token="[UNK]"))
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    sizes: dict[str, Any] = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = BertConfig(vocab_size=5, intermediate_size=16, **sizes)
    transformer = BertModel(config, add_pooling_layer=False)
    return Network(
        PretrainedEncoder(transformer, tokenizer, Pretrained("tiny")), SETTINGS, OUTCOMES
    )


def scratch_network() -> Network:
    return tiny_network("mapped", tiny_encoder(static=["the", "dog"], static_width=3))


@pytest.mark.parametrize("build", [transformer_network, scratch_network])
def test_every_weight_that_is_learnt_is_in_the_group_of_its_rate_and_decay(
    build: Callable[[], Network],
) -> None:
    network = build()
    settings = TrainingSettings(rate=0.5, encoder_rate=0.25, weight_decay=0.125, second_moment=0.75)
    optimizer = build_optimizer(network, settings)
    found = {
        id(parameter): (group["full_rate"], group["weight_decay"])
        for group in optimizer.param_groups
        for parameter in group["params"]
    }
    assert len(found) == sum(len(group["params"]) for group in optimizer.param_groups)
    for name, parameter in network.named_parameters():
        if name == "encoder.static.weight":
            assert id(parameter) not in found
            continue
        rate, decay = found.pop(id(parameter))
        assert rate == (0.25 if name.startswith("encoder.transformer.") else 0.5), name
        assert decay == (0.125 if parameter.ndim > 1 else 0), name
    assert not found
    assert all(group["betas"] == (0.9, 0.75) for group in optimizer.param_groups)
    assert isinstance(optimizer, torch.optim.AdamW)


def test_a_transformer_is_trained_at_two_rates_with_and_without_decay() -> None:
    groups = build_optimizer(transformer_network(), TrainingSettings()).param_groups
    assert len({(group["full_rate"], group["weight_decay"]) for group in groups}) == 4


def write_vectors(path: Path, vectors: dict[str, list[float]]) -> str:
    lines = [" ".join([word, *map(str, numbers)]) for word, numbers in vectors.items()]
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return str(path)


ONE = {"the": [1.0, 2.0], "dog": [-1.0, 0.5], "sees": [0.0, 3.0]}
OTHER = {"cat": [5.0, 1.0, -2.0], "the": [4.0, 0.0, 1.0]}


def built(*paths: str, limit: int = 1000) -> ScratchEncoder:
    torch.manual_seed(0)
    encoder = build_encoder(Scratch(**WIDTHS, vectors=paths, vector_limit=limit), LEARNT)
    assert isinstance(encoder, ScratchEncoder)
    return encoder.eval()


def static_of(encoder: ScratchEncoder) -> torch.Tensor:
    assert encoder.static is not None
    return encoder.static.weight.float()


def test_several_vector_files_stand_side_by_side_with_zeros_where_one_lacks_a_word(
    tmp_path: Path,
) -> None:
    one = write_vectors(tmp_path / "one.txt", ONE)
    other = write_vectors(tmp_path / "other.txt", OTHER)
    encoder = built(one, other)
    words = encoder.vocabularies.static
    assert set(words.values[1:]) == {"the", "dog", "sees", "cat"}
    static = static_of(encoder)
    assert static.shape == (5, 5)
    for columns, vectors in ((slice(0, 2), ONE), (slice(2, 5), OTHER)):
        part = static[:, columns]
        scale = part[words["the"], 0] / vectors["the"][0]
        for word in ("the", "dog", "sees", "cat"):
            numbers = vectors.get(word, [0.0] * part.shape[1])
            expected = scale * torch.tensor(numbers)
            torch.testing.assert_close(part[words[word]], expected, atol=2e-3, rtol=0)
    assert not static[0].any()


def test_every_vector_file_counts_the_same_whatever_its_scale(tmp_path: Path) -> None:
    one = write_vectors(tmp_path / "one.txt", ONE)
    other = write_vectors(tmp_path / "other.txt", OTHER)
    louder = write_vectors(
        tmp_path / "louder.txt",
        {word: [1000 * number for number in numbers] for word, numbers in OTHER.items()},
    )
    torch.testing.assert_close(
        static_of(built(one, louder)), static_of(built(one, other)), atol=2e-3, rtol=0
    )


def test_only_the_first_words_of_a_vector_file_are_kept_up_to_the_limit(tmp_path: Path) -> None:
    one = write_vectors(tmp_path / "one.txt", ONE)
    other = write_vectors(tmp_path / "other.txt", OTHER)
    assert built(one, limit=2).vocabularies.static.values[1:] == ("the", "dog")
    assert set(built(one, other, limit=1).vocabularies.static.values[1:]) == {"the", "cat"}


def test_without_vectors_there_is_no_static_part() -> None:
    encoder = built()
    assert encoder.static is None
    assert vectors_of(encoder, [["the", "zebra"]]).shape == (3, encoder.width)


def test_words_and_characters_of_the_training_data_are_known() -> None:
    encoder = built()
    assert set(encoder.vocabularies.words.values[1:]) == {"the", "old", "dog", "sees"}
    letters = {letter for sentence in LEARNT for word in sentence for letter in word}
    assert set(encoder.vocabularies.characters.values[1:]) == letters


def test_a_vector_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CallError, match=r"absent\.txt: cannot be read"):
        built(str(tmp_path / "absent.txt"))
