from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from arctree.network.inference import to_tensors
from arctree.network.scratch import UNKNOWN, ScratchEncoder, ScratchVocabularies
from arctree.parsing.windows import overlapping_windows
from tiny import CPU, LEARNT, tiny_encoder, vectors_of

KINDS = ["recurrent", "attentive"]
each_kind = pytest.mark.parametrize("kind", KINDS)
ENCODERS = {kind: tiny_encoder(kind) for kind in KINDS}

# Known words, unknown ones, unknown characters, half a surrogate pair, and nothing to see.
words = st.sampled_from(["the", "DOG", "x", "dogs", "語", "🦜", "\ud83e", "\x00", " ", "a" * 99])
words |= st.text(min_size=1, max_size=5)
sentences_drawn = st.lists(st.lists(words, min_size=1, max_size=12), min_size=1, max_size=5)


def assert_close(found: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)


@each_kind
@settings(max_examples=30)
@given(sentences=sentences_drawn)
def test_there_is_a_row_for_each_root_and_word_the_same_alone_as_in_a_batch(
    kind: str, sentences: list[list[str]]
) -> None:
    encoder = ENCODERS[kind]
    found = vectors_of(encoder, sentences)
    assert found.shape == (sum(len(sentence) + 1 for sentence in sentences), encoder.width)
    assert found.isfinite().all()
    assert_close(found, torch.cat([vectors_of(encoder, [sentence]) for sentence in sentences]))


@each_kind
@pytest.mark.parametrize(("width", "expected"), [(16, (16, 16)), (19, (18, 16)), (2, (2, 8))])
def test_the_width_of_the_vectors_is_the_one_asked_for_as_near_as_it_divides(
    kind: str, width: int, expected: tuple[int, int]
) -> None:
    encoder = tiny_encoder(kind, width=width)
    assert encoder.width == expected[KINDS.index(kind)]
    assert vectors_of(encoder, [["the"]]).shape == (2, encoder.width)


@each_kind
def test_a_vector_depends_on_the_words_before_and_after_and_on_their_order(kind: str) -> None:
    encoder = ENCODERS[kind]
    before = vectors_of(encoder, [["the", "dog", "sees"]])
    for changed in (["old", "dog", "sees"], ["the", "dog", "cat"]):
        assert (vectors_of(encoder, [changed])[2] - before[2]).abs().max() > 1e-3
    turned = vectors_of(encoder, [["sees", "dog", "the"]])
    assert (turned[2] - before[2]).abs().max() > 1e-3


def test_words_are_known_by_their_lower_case_when_they_occur_twice() -> None:
    vocabularies = ScratchVocabularies.of([["The", "dog"], ["the", "Cat", "ran"]], ["x"])
    assert vocabularies.words.values == (UNKNOWN, "the")
    assert set(vocabularies.characters.values[1:]) == set("ThedogtCarn")
    encoder = tiny_encoder()
    (prepared,) = encoder.prepare([["the", "THE", "cat", "zebra"]])
    known = encoder.vocabularies.words
    assert prepared.known.tolist() == [known["the"], known["the"], 0, 0]
    assert prepared.cost == 5


@each_kind
def test_unknown_words_are_told_apart_by_their_spelling(kind: str) -> None:
    encoder = ENCODERS[kind]
    one, other, turned = (vectors_of(encoder, [[word]]) for word in ("gods", "doge", "sdog"))
    assert not torch.allclose(one, other)
    assert not torch.allclose(one, turned)


@each_kind
def test_unknown_characters_are_all_alike_and_like_no_known_one(kind: str) -> None:
    encoder = ENCODERS[kind]
    found = [vectors_of(encoder, [[word]]) for word in ("語語", "🦜\ud83e", "\x00Ω", "dd")]
    assert torch.equal(found[0], found[1])
    assert torch.equal(found[0], found[2])
    assert not torch.allclose(found[0], found[3])


def test_every_character_of_the_training_data_has_a_number_of_its_own() -> None:
    encoder = tiny_encoder()
    letters = sorted({letter for sentence in LEARNT for word in sentence for letter in word})
    laid_out = encoder.lay_out(encoder.prepare([letters, ["語", "\x00", "gé"]]))
    table = laid_out["characters"]
    known = table[: len(letters), 0].tolist()
    # 0 pads, 1 is unknown, and the others follow the vocabulary.
    characters = encoder.vocabularies.characters
    assert known == [characters[letter] + 1 for letter in letters]
    assert len({0, 1, *known}) == len(letters) + 2
    assert max(known) < encoder.spelling.characters.num_embeddings
    assert table[len(letters) :].tolist() == [[1, 0], [1, 0], [characters["g"] + 1, 1]]


def test_an_encoder_without_any_known_word_or_character_reads_all_the_same() -> None:
    settings = tiny_encoder().settings
    empty = ScratchEncoder(settings, ScratchVocabularies.of([], []), 0).eval()
    assert vectors_of(empty, [["the", "語"]]).isfinite().all()


@each_kind
def test_of_a_word_longer_than_64_characters_beginning_and_end_are_spelt(kind: str) -> None:
    encoder = ENCODERS[kind]
    beginning, end = ("dog" * 11)[:32], ("cat" * 11)[-32:]
    whole = vectors_of(encoder, [["the", beginning + end]])
    for middle in ("x", "the", "語" * 1000):
        assert torch.equal(vectors_of(encoder, [["the", beginning + middle + end]]), whole)


@pytest.mark.parametrize("size", [1, 63, 64, 65, 66, 1000])
def test_no_more_than_64_characters_of_a_word_are_spelt(size: int) -> None:
    encoder = tiny_encoder()
    word = ("birdseatcatsnot" * 100)[:size]
    spelt = encoder.lay_out(encoder.prepare([[word, "cat"]]))["characters"][0]
    numbers = [encoder.vocabularies.characters[letter] + 1 for letter in word]
    expected = numbers if size <= 64 else [*numbers[:32], *numbers[-32:]]
    assert spelt[: min(size, 64)].tolist() == expected
    assert not spelt[64:].any()


@each_kind
@pytest.mark.parametrize("size", [511, 512, 1300])
def test_long_sentences_are_read_whole_and_the_same_beside_short_ones(kind: str, size: int) -> None:
    encoder = ENCODERS[kind]
    long = [LEARNT[0][place % 6] for place in range(size)]
    found = vectors_of(encoder, [["dog"], long, ["cat", "sees"]])
    assert found.shape == (2 + size + 1 + 3, encoder.width)
    assert found.isfinite().all()
    assert_close(found[2 : size + 3], vectors_of(encoder, [long]))
    assert_close(found[:2], vectors_of(encoder, [["dog"]]))
    assert_close(found[-3:], vectors_of(encoder, [["cat", "sees"]]))


def test_an_attentive_encoder_reads_512_rows_at_a_time_in_overlapping_windows() -> None:
    encoder = ENCODERS["attentive"]
    long = ["dog"] * 1000
    before = vectors_of(encoder, [long])
    long[599] = "cat"
    changed = ((vectors_of(encoder, [long]) - before).abs().max(dim=1).values > 1e-6).tolist()
    # Row 600 lies in the windows from 256 on and from 489 on, but not in the first one, which
    # rows up to 384 are taken from.
    assert changed == [False] * 384 + [True] * 617


def test_each_row_is_taken_from_its_place_in_its_window() -> None:
    context = ENCODERS["attentive"].context
    assert isinstance(context.inward, torch.nn.Linear)
    source = torch.Generator().manual_seed(0)
    rows = torch.randn(1301, context.inward.in_features, generator=source)

    def read(some: Tensor) -> Tensor:
        with torch.inference_mode():
            vectors: Tensor = context(some, to_tensors(context.lay_out(np.array([len(some)])), CPU))
        return vectors

    by_hand = [
        read(rows[window.start : window.stop])[window.first - window.start :][
            : window.last - window.first
        ]
        for window in overlapping_windows(1301, 512)
    ]
    assert len(by_hand) == 5
    assert_close(read(rows), torch.cat(by_hand))


STATIC = ["dog", "Cat", "zebra"]
STATIC_VECTORS = np.array([[1, 0, 0], [0, 2, 0], [0, 0, 3]], dtype=np.float32)


def with_vectors(
    vectors: np.ndarray[tuple[int, int], np.dtype[np.float32]] = STATIC_VECTORS,
    kind: str = "recurrent",
) -> ScratchEncoder:
    encoder = tiny_encoder(kind, STATIC, 3)
    encoder.set_static(vectors)
    return encoder


def test_static_vectors_are_found_by_the_word_or_else_by_its_lower_case() -> None:
    (prepared,) = with_vectors().prepare([["dog", "DOG", "Cat", "cat", "Zebra", "yak", UNKNOWN]])
    assert prepared.static.tolist() == [1, 1, 2, 0, 3, 0, 0]


def test_static_vectors_are_kept_in_half_precision_at_a_common_size_and_zero_is_unknown() -> None:
    for scale in (0.001, 1, 1000):
        static = with_vectors(STATIC_VECTORS * np.float32(scale)).static
        assert static is not None
        assert static.weight.dtype is torch.float16
        kept = static.weight.float()
        assert (kept[0] == 0).all()
        assert kept[1:].square().mean() == pytest.approx(1, rel=1e-2)
        torch.testing.assert_close(
            kept[1:] / kept[1, 0], torch.from_numpy(STATIC_VECTORS), atol=1e-2, rtol=0
        )


def test_static_vectors_that_are_all_zero_are_taken_as_they_are() -> None:
    static = with_vectors(np.zeros_like(STATIC_VECTORS)).static
    assert static is not None
    assert (static.weight == 0).all()


@each_kind
def test_static_vectors_are_used(kind: str) -> None:
    swapped = STATIC_VECTORS[[1, 0, 2]]
    one, other = with_vectors(kind=kind), with_vectors(swapped, kind)
    # The weights are the same but for the vectors, and only "dog" has another one.
    assert_close(vectors_of(one, [["yak", "the"]]), vectors_of(other, [["yak", "the"]]))
    assert not torch.allclose(vectors_of(one, [["dog"]]), vectors_of(other, [["dog"]]))


@each_kind
def test_static_vectors_are_never_learnt_and_all_else_is(kind: str) -> None:
    encoder = with_vectors(kind=kind).train()
    assert encoder.static is not None
    kept = encoder.static.weight.clone()
    before = {name: value.detach().clone() for name, value in encoder.named_parameters()}
    optimizer = torch.optim.AdamW(encoder.parameters(), lr=0.1)
    inputs = to_tensors(encoder.lay_out(encoder.prepare([STATIC, ["the", "old"]])), CPU)
    source = torch.Generator().manual_seed(0)
    encoder(inputs).mul(torch.randn(7, encoder.width, generator=source)).sum().backward()
    optimizer.step()
    assert torch.equal(encoder.static.weight, kept)
    still = [name for name, value in encoder.named_parameters() if torch.equal(value, before[name])]
    assert still == ["static.weight"]


def test_an_encoder_with_the_same_weights_and_vocabularies_gives_the_same_vectors() -> None:
    for kind in KINDS:
        encoder = with_vectors(kind=kind)
        again = ScratchEncoder(encoder.settings, encoder.vocabularies, 3).eval()
        again.load_state_dict(encoder.state_dict())
        sentences = [["dog", "語"], ["the"] * 600]
        assert torch.equal(vectors_of(again, sentences), vectors_of(encoder, sentences))


def columns_at_zero(vectors: Tensor, sizes: Sequence[int]) -> list[list[list[bool]]]:
    parts: list[Tensor] = list(torch.split(vectors == 0, [size + 1 for size in sizes]))
    return [part.tolist() for part in parts]


def test_a_recurrent_encoder_drops_the_same_numbers_at_every_position_of_a_sentence() -> None:
    encoder = tiny_encoder(dropout=0.5).train()
    inputs = to_tensors(encoder.lay_out(encoder.prepare([["the"] * 5, ["dog", "sees"]])), CPU)
    torch.manual_seed(1)
    one, other = columns_at_zero(encoder(inputs), [5, 2])
    assert one == [one[0]] * 6
    assert other == [other[0]] * 3
    assert one[0] != other[0]
    assert True in one[0]
    assert False in one[0]


@each_kind
def test_dropout_is_for_training_only(kind: str) -> None:
    encoder = tiny_encoder(kind, dropout=0.5, word_dropout=0.5)
    assert torch.equal(vectors_of(encoder, [["the"]]), vectors_of(encoder, [["the"]]))
    encoder.train()
    assert not torch.equal(vectors_of(encoder, [["the"]]), vectors_of(encoder, [["the"]]))


@each_kind
def test_in_training_words_spellings_and_static_vectors_are_now_and_then_left_out(
    kind: str,
) -> None:
    encoder = tiny_encoder(kind, STATIC, 3, word_dropout=0.5)
    encoder.set_static(STATIC_VECTORS)
    encoder.train()
    torch.manual_seed(0)
    seen = torch.stack([vectors_of(encoder, [["dog"]])[1] for _ in range(100)])
    # Each of the three is there or not: eight ways to read one word.
    assert len(torch.unique(seen.round(decimals=4), dim=0)) == 8
