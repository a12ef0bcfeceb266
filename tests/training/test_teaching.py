"""Teachers annotate together; what they say can be kept, joined, and learnt from."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from arctree.errors import ArctreeError, CallError, DataError
from arctree.network.inference import to_tensors
from arctree.network.model import Model
from arctree.network.network import Shares
from arctree.parsing.answers import Analysis, Outcomes
from arctree.parsing.lemmatiser import Lemmatiser
from arctree.parsing.machine import SLOTS, GoldDerivation, Machine
from arctree.parsing.vocabulary import Vocabulary
from arctree.training.batching import to_batch
from arctree.training.corpus import Example
from arctree.training.packing import PackedSilver, PackedWords
from arctree.training.silver import ARRAYS, FORMS, HEAD, KEPT, WHOLE, Silver
from arctree.training.teaching import LONGEST, teach
from berts import INVISIBLE, PIECES, load_encoder, random_model, write_bert
from tiny import CPU, OUTCOMES, SETTINGS, tiny_network
from toy_language import toy_treebank

words_drawn = st.lists(
    st.sampled_from(["the", "books", "abed", "Book", "THE", "?", "語", *INVISIBLE]),
    min_size=1,
    max_size=9,
)
sentences_drawn = st.lists(words_drawn, min_size=1, max_size=8)


@pytest.fixture(scope="module")
def models(bert: Path) -> list[Model]:
    """Two teachers that disagree."""
    return [random_model(load_encoder(bert), seed=seed) for seed in (0, 3)]


@pytest.fixture(scope="module")
def model(models: list[Model]) -> Model:
    return models[0]


def by_length(sentences: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    return sorted(sentences, key=len)


def sentences_of(silver: Silver) -> list[list[str]]:
    return [
        [silver.forms[number] for number in silver.words[first:last]]
        for first, last in zip(silver.starts, silver.starts[1:], strict=False)
    ]


def assert_equal(one: Silver, other: Silver) -> None:
    assert list(one.forms) == list(other.forms)
    for name in ("starts", "words", "heads", "states", "transitions"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
    assert set(one.answers) == set(other.answers)
    for name, (values, shares) in one.answers.items():
        np.testing.assert_array_equal(values, other.answers[name].values, name)
        np.testing.assert_array_equal(shares, other.answers[name].shares, name)
    assert one.outcomes == other.outcomes


@settings(max_examples=30)
@given(sentences=sentences_drawn)
def test_one_teacher_teaches_what_it_answers(model: Model, sentences: list[list[str]]) -> None:
    silver = teach([model], sentences, {})
    assert sentences_of(silver) == by_length(sentences)
    analyses = model.analyse(by_length(sentences))

    def of_all(part: Callable[[Analysis], Any]) -> list[int]:
        return [int(number) for analysis in analyses for number in part(analysis)]

    def best(name: str) -> list[int]:
        found: list[int] = silver.answers[name].values[:, 0].tolist()
        return found

    assert silver.heads.tolist() == of_all(lambda analysis: analysis.heads)
    assert best("labels") == of_all(lambda analysis: analysis.labels)
    assert best("marks") == of_all(lambda analysis: analysis.marks)
    for tag in model.outcomes.tags:
        assert best(tag) == [int(n) for analysis in analyses for n in analysis.tags[tag]]
    taken = of_all(lambda analysis: analysis.transitions)
    shares = silver.transitions
    # Rounded to a byte two may be alike.
    assert (shares[np.arange(len(shares)), taken] == shares.max(-1)).all()


@settings(max_examples=20)
@given(sentences=sentences_drawn)
def test_shares_sum_to_about_one_and_the_largest_comes_first(
    models: list[Model], sentences: list[list[str]]
) -> None:
    silver = teach(models, sentences, {})
    assert np.abs(silver.transitions.astype(int).sum(-1) - WHOLE).max() <= 2
    for values, shares in silver.answers.values():
        assert values.shape == shares.shape
        assert values.shape[1] <= KEPT
        assert np.abs(shares.astype(int).sum(-1) - WHOLE).max() <= KEPT // 2
        assert (np.diff(shares.astype(int), axis=-1) <= 0).all()
        assert all(len(set(row)) == len(row) for row in values.tolist())


@settings(max_examples=15)
@given(sentences=sentences_drawn)
def test_two_equal_teachers_teach_what_one_does(model: Model, sentences: list[list[str]]) -> None:
    assert_equal(teach([model, model], sentences, {}), teach([model], sentences, {}))


def test_teachers_that_disagree_are_averaged(models: list[Model]) -> None:
    sentences = [["the", "books"], ["abed", "the", "Book"], ["?", "the", "b", "a"]]
    silver = teach(models, sentences, {})
    one, other = (teach([model], sentences, {}) for model in models)
    assert not np.array_equal(one.answers["upos"].shares, other.answers["upos"].shares)

    def shares_of(silver: Silver) -> np.ndarray[Any, Any]:
        values, shares = silver.answers["upos"]
        found = np.zeros((len(values), KEPT))
        np.put_along_axis(found, values.astype(int), shares.astype(float), -1)
        return found

    between = (shares_of(one) + shares_of(other)) / 2
    np.testing.assert_allclose(shares_of(silver), between, atol=1.01)


def replayed(sentence: Sequence[str], analysis: Analysis, model: Model) -> Example:
    """What there would be to learn from an analysis if it were gold."""
    machine = Machine([len(sentence)])
    rows, legal = [], []
    for transition in analysis.transitions:
        rows.append(machine.rows()[0])
        legal.append(machine.legal()[0])
        machine.step(np.array([transition]))
    assert machine.heads_of_sentences() == [analysis.heads.tolist()]
    seen = np.where(np.array(rows) == machine.absent, -1, np.array(rows))
    (prepared,) = model.network.encoder.prepare([sentence])
    return Example(
        prepared,
        analysis.heads,
        analysis.labels,
        analysis.marks,
        analysis.tags,
        GoldDerivation(seen, np.array(legal), analysis.transitions),
    )


@settings(max_examples=20)
@given(sentences=sentences_drawn, source=st.randoms(use_true_random=False))
def test_a_silver_batch_is_the_batch_of_the_teacher_s_own_parses(
    model: Model, sentences: list[list[str]], source: Any
) -> None:
    silver = teach([model], sentences, {})
    packed = PackedSilver(silver, model.network.encoder, CPU)  # type: ignore[arg-type]
    ordered = by_length(sentences)
    numbers = list(range(len(ordered)))
    source.shuffle(numbers)
    chosen = [ordered[number] for number in numbers]
    examples = [
        replayed(sentence, analysis, model)
        for sentence, analysis in zip(chosen, model.analyse(chosen), strict=True)
    ]
    assert packed.costs == [model.network.encoder.prepare([s])[0].cost for s in ordered]
    assert packed.sizes == [len(sentence) for sentence in ordered]
    assert packed.weights == [1.0] * len(ordered)
    found, expected = packed.batch(numbers), to_batch(examples, model.network.encoder, CPU)
    assert list(found.sizes) == list(expected.sizes)
    assert found.gold.states.shape[1] == len(SLOTS)
    for name in ("words", "heads", "is_root", "states", "legal"):
        assert torch.equal(getattr(found.gold, name), getattr(expected.gold, name)), name
    assert isinstance(found.gold.labels, Shares)
    assert torch.equal(found.gold.labels.values[:, 0], expected.gold.labels)  # type: ignore[arg-type]
    with torch.inference_mode():
        vectors = [model.network.encoder(batch.inputs) for batch in (found, expected)]
    torch.testing.assert_close(*vectors, atol=1e-5, rtol=0)
    losses = model.network(found)
    assert set(losses) == {"arcs", "labels", "marks", *model.outcomes.tags}
    assert all(loss.isfinite() for loss in losses.values())


@settings(max_examples=20)
@given(sentences=sentences_drawn, casing=st.booleans())
def test_packed_words_have_the_vectors_of_prepared_sentences(
    bert: Path, sentences: list[list[str]], casing: bool
) -> None:
    encoder = load_encoder(bert, casing=casing)
    if encoder.casing is not None:
        torch.nn.init.normal_(encoder.casing.weight)
    forms = list({word: None for words in sentences for word in words})
    words = np.array([forms.index(word) for sentence in sentences for word in sentence])
    starts = np.cumsum([0, *map(len, sentences)])
    packed = PackedWords(encoder, forms, words, starts, CPU)
    numbers = np.arange(len(sentences))[::-1].copy()
    prepared = encoder.prepare([sentences[number] for number in numbers])
    with torch.inference_mode():
        found = encoder(packed.lay_out(numbers))
        expected = encoder(to_tensors(encoder.lay_out(prepared), CPU))
    torch.testing.assert_close(found, expected, atol=1e-6, rtol=0)


def test_sentences_too_long_to_be_read_whole_are_left_out(model: Model) -> None:
    reach = model.network.encoder.reach
    assert isinstance(reach, int)
    kept = [["the"] * reach, ["the"]]
    too_long = [["the"] * (reach + 1), ["books"] * (reach // 2 + 1), ["a"] * (LONGEST + 1), []]
    silver = teach([model], [*too_long, *kept], {})
    assert sentences_of(silver) == by_length(kept)


def test_no_sentence_short_enough_is_told(model: Model) -> None:
    nothing: list[list[list[str]]] = [[], [[]], [["a"] * (LONGEST + 1)]]
    for sentences in nothing:
        with pytest.raises(CallError, match="no sentence of 1 to 200 words"):
            teach([model], sentences, {})


def test_a_sentence_beyond_the_student_s_reach_is_not_learnt_from(
    bert: Path, model: Model, tmp_path: Path
) -> None:
    silver = teach([model], [["the"] * 30, ["the"] * 3], {})
    write_bert(tmp_path / "shorter", max_position_embeddings=20)
    packed = PackedSilver(silver, load_encoder(tmp_path / "shorter"), CPU)
    assert packed.weights == [1.0, 0.0]


def test_the_watcher_is_told_how_far_the_teachers_are(model: Model) -> None:
    told: list[float] = []
    teach([model], [["the"] * 30] * 400, {}, told.append)
    assert len(told) > 1
    assert told == sorted(told)
    assert told[-1] == 1


@pytest.fixture(scope="module")
def lemmatiser() -> Lemmatiser:
    return Lemmatiser.learn(toy_treebank(5, seed=1), ("upos",))


@pytest.mark.parametrize("has_lemmas", [True, False])
def test_a_silver_corpus_is_read_as_it_was_written(
    model: Model, lemmatiser: Lemmatiser, tmp_path: Path, has_lemmas: bool
) -> None:
    teacher = replace(model, lemmatiser=lemmatiser if has_lemmas else None)
    silver = teach([teacher], [["the", "語", "é"], ["\x00"], ["books"]], {"texts": ["日本"]})
    silver.save(tmp_path / "a" / "silver")
    again = Silver.load(tmp_path / "a" / "silver")
    assert_equal(again, silver)
    assert again.record == {"texts": ["日本"]}
    assert len(again) == 3
    assert again.sizes.tolist() == [1, 1, 3]
    if has_lemmas:
        assert again.lemmatiser is not None
        assert again.lemmatiser.to_json() == lemmatiser.to_json()
    else:
        assert again.lemmatiser is None


@settings(max_examples=15)
@given(parts=st.lists(sentences_drawn, min_size=1, max_size=3))
def test_joined_corpora_are_as_if_taught_one_after_the_other(
    model: Model, parts: list[list[list[str]]]
) -> None:
    corpora = [teach([model], sentences, {}) for sentences in parts]
    joined = Silver.joined(corpora, {"name": "all"})
    assert joined.record == {"name": "all"}
    assert sentences_of(joined) == [words for part in parts for words in by_length(part)]
    packed = PackedSilver(joined, model.network.encoder, CPU)  # type: ignore[arg-type]
    first = 0
    for corpus in corpora:
        alone = PackedSilver(corpus, model.network.encoder, CPU)  # type: ignore[arg-type]
        numbers = range(len(corpus))
        found = packed.batch([first + number for number in numbers]).gold
        expected = alone.batch(list(numbers)).gold
        for name in ("words", "heads", "states", "legal"):
            assert torch.equal(getattr(found, name), getattr(expected, name)), name
        for name, values in expected.tags.items():
            assert torch.equal(found.tags[name][1], values[1]), name
        first += len(corpus)


def test_corpora_of_different_teachers_are_not_joined(models: list[Model]) -> None:
    one = teach([models[0]], [["the"]], {})
    other = replace(one, outcomes=renamed(OUTCOMES))
    with pytest.raises(CallError, match="different labels or tags"):
        Silver.joined([one, other], {})


def renamed(outcomes: Outcomes) -> Outcomes:
    """As many tags, with other names."""
    return Outcomes(outcomes.labels, outcomes.marks, {**outcomes.tags, "xpos": Vocabulary(["c"])})


def test_teachers_with_different_outcomes_are_refused(bert: Path, model: Model) -> None:
    other = random_model(load_encoder(bert), renamed(OUTCOMES))
    with pytest.raises(CallError, match="different labels or tags; train them alike"):
        teach([model, other], [["the"]], {})


def test_teachers_with_different_tokenizers_are_refused(model: Model, tmp_path: Path) -> None:
    write_bert(tmp_path / "other", [*PIECES, "zoo"])
    other = random_model(load_encoder(tmp_path / "other"))
    with pytest.raises(CallError, match="give them the same tokenizer"):
        teach([model, other], [["the"]], {})


def test_a_graph_based_teacher_is_refused(bert: Path) -> None:
    with pytest.raises(CallError, match="teachers are mapped parsers"):
        teach([random_model(load_encoder(bert), kind="graph")], [["the"]], {})


def test_a_teacher_from_scratch_is_refused() -> None:
    with pytest.raises(CallError, match="a teacher has no pretrained encoder"):
        teach([Model(tiny_network(), OUTCOMES, SETTINGS)], [["the"]], {})


@pytest.fixture
def folder(model: Model, tmp_path: Path) -> Path:
    teach([model], [["the", "books"]], {}).save(tmp_path / "silver")
    return tmp_path / "silver"


@pytest.mark.parametrize("name", [HEAD, FORMS, ARRAYS])
def test_a_corpus_without_one_of_its_files_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(ArctreeError) as caught:
        Silver.load(folder)
    assert str(folder) in str(caught.value)


@pytest.mark.parametrize("name", [HEAD, FORMS, ARRAYS])
def test_a_corpus_with_a_file_cut_short_is_damaged(folder: Path, name: str) -> None:
    (folder / name).write_bytes((folder / name).read_bytes()[:-3])
    with pytest.raises(DataError) as caught:
        Silver.load(folder)
    assert str(folder) in str(caught.value)
    assert caught.value.remedy


def test_a_corpus_of_another_version_or_with_missing_arrays_is_refused(folder: Path) -> None:
    arrays = load_file(folder / ARRAYS)
    save_file({name: a for name, a in arrays.items() if name != "upos.values"}, folder / ARRAYS)
    with pytest.raises(DataError, match=r"the silver corpus is damaged: .*upos\.values"):
        Silver.load(folder)
    head = json.loads((folder / HEAD).read_text("utf-8"))
    (folder / HEAD).write_text(json.dumps({**head, "arctree_silver": 99}), "utf-8")
    with pytest.raises(DataError, match="not a silver corpus that this arctree reads"):
        Silver.load(folder)


def test_a_folder_that_cannot_be_written_is_named(model: Model, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(CallError, match="file/silver: cannot be written"):
        teach([model], [["the"]], {}).save(tmp_path / "file" / "silver")
