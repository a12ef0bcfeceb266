"""Lemmas by form and tags: by heart where the form was seen, else by its ending."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arctree.errors import DataError
from arctree.parsing.lemmas import apply_script, script_of
from arctree.parsing.lemmatiser import (
    LONGEST_ENDING,
    Lemmatiser,
    Tagged,
    lemmas_text,
    read_lemmatiser,
    tagged_words,
)
from arctree.parsing.model_files import LEMMAS
from arctree.sentence import DEPREL, FEATS, FORM, HEAD, ID, LEMMA, UPOS, WIDTH, XPOS, Sentence
from toy_language import toy_treebank

ALL = ("upos", "xpos", "feats")
Word = tuple[str, str, str, str, str]  # form, lemma, UPOS, XPOS, FEATS


def sentence_of(words: Sequence[Word]) -> Sentence:
    columns: list[tuple[str, ...]] = [("_",) * len(words)] * WIDTH
    for place, values in zip(
        (FORM, LEMMA, UPOS, XPOS, FEATS), zip(*words, strict=True), strict=True
    ):
        columns[place] = values
    columns[ID] = tuple(str(number) for number in range(1, len(words) + 1))
    columns[HEAD] = tuple(str(number) for number in range(len(words)))
    columns[DEPREL] = ("dep",) * len(words)
    return Sentence((), tuple(columns), tuple(range(len(words))))


def learnt(*words: Word) -> Lemmatiser:
    return Lemmatiser.learn([sentence_of(words)], ALL)


def past(form: str, lemma: str) -> Word:
    return form, lemma, "VERB", "VBD", "Tense=Past"


PAST = ("VERB", "VBD", "Tense=Past")

forms = st.one_of(
    st.sampled_from(["walked", "Walked", "WALKED", "went", "be", "'s", "İ", "ß", "語", "a|b\\"]),
    st.text(st.characters(exclude_characters="\t\n\r"), min_size=1, max_size=12),
)
words_drawn = st.tuples(
    forms,
    st.one_of(forms, st.just("_")),
    st.sampled_from(["VERB", "NOUN", "_"]),
    st.sampled_from(["a", "b", "_"]),
    st.sampled_from(["x=1", "x=2|y=1", "_"]),
)
lexicons = st.lists(words_drawn, min_size=1, max_size=25)


def usual_scripts(words: Sequence[Word]) -> dict[Tagged, str]:
    counts: dict[Tagged, Counter[str]] = defaultdict(Counter)
    for form, lemma, *tags in words:
        counts[Tagged(form, *tags)][script_of(form, lemma)] += 1
    return {tagged: some.most_common(1)[0][0] for tagged, some in counts.items()}


@given(lexicons)
def test_what_was_seen_is_known(words: list[Word]) -> None:
    lemmatiser = learnt(*words)
    for tagged, script in usual_scripts(words).items():
        assert lemmatiser.script(tagged) == script
        assert lemmatiser.lemma(tagged) == (apply_script(script, tagged.form) or "_")


def test_every_word_of_the_little_language_is_known_after_training() -> None:
    sentences = toy_treebank(100, seed=3)
    lemmatiser = Lemmatiser.learn(sentences, ALL)
    for sentence in sentences:
        found = [lemmatiser.lemma(word) for word in tagged_words(sentence, ALL)]
        assert found == list(sentence.lemmas)


@given(lexicons, st.lists(st.tuples(st.text(max_size=20), st.sampled_from(["VERB", "X", "_"]))))
def test_any_text_has_a_lemma_that_is_not_empty(
    words: list[Word], asked: list[tuple[str, str]]
) -> None:
    lemmatiser = learnt(*words)
    for form, upos in asked:
        assert lemmatiser.lemma(Tagged(form, upos, "a", "x=1"))


@given(lexicons, st.lists(st.tuples(forms, st.sampled_from(["VERB", "NOUN", "X"]))))
def test_from_json_is_the_inverse_of_to_json(
    words: list[Word], asked: list[tuple[str, str]]
) -> None:
    lemmatiser = learnt(*words)
    again = Lemmatiser.from_json(json.loads(lemmas_text(lemmatiser)))
    assert (again.words, again.endings) == (lemmatiser.words, lemmatiser.endings)
    for tagged in (*usual_scripts(words), *(Tagged(form, u, "a", "x=1") for form, u in asked)):
        assert again.lemma(tagged) == lemmatiser.lemma(tagged)


@pytest.mark.parametrize(
    ("form", "lemma"),
    [
        ("jogged", "jog"),
        ("talked", "talk"),
        ("tried", "try"),
        ("Talked", "talk"),
        ("baked", "bake"),
    ],
)
def test_unseen_forms_go_by_their_endings(form: str, lemma: str) -> None:
    lemmatiser = learnt(
        past("walked", "walk"),
        past("asked", "ask"),
        past("worked", "work"),
        past("Walked", "walk"),
        past("blogged", "blog"),
        past("cried", "cry"),
        past("raked", "rake"),
        past("took", "take"),
    )
    assert lemmatiser.lemma(Tagged(form, *PAST)) == lemma


def test_the_longest_ending_decides_against_the_many() -> None:
    many = [past(f"{stem}ed", stem) for stem in ("walk", "ask", "jump", "rest", "want", "call")]
    lemmatiser = learnt(*many, past("cried", "cry"))
    assert lemmatiser.lemma(Tagged("dried", *PAST)) == "dry"
    assert lemmatiser.lemma(Tagged("tested", *PAST)) == "test"


def test_a_lemma_that_has_nothing_of_its_form_is_no_model_for_others() -> None:
    lemmatiser = learnt(past("went", "go"), past("walked", "walk"))
    assert lemmatiser.lemma(Tagged("went", *PAST)) == "go"
    assert lemmatiser.lemma(Tagged("bent", *PAST)) != "go"


def test_tags_tell_forms_apart() -> None:
    lemmatiser = learnt(
        ("saw", "see", "VERB", "VBD", "Tense=Past"),
        ("saw", "saw", "NOUN", "NN", "Number=Sing"),
        ("leaves", "leave", "VERB", "VBZ", "_"),
        ("leaves", "leaf", "NOUN", "NNS", "_"),
    )
    assert lemmatiser.lemma(Tagged("saw", *PAST)) == "see"
    assert lemmatiser.lemma(Tagged("saw", "NOUN", "NN", "Number=Sing")) == "saw"
    # With tags that were not seen together the less strict ones decide.
    assert lemmatiser.lemma(Tagged("leaves", "NOUN", "NN", "Number=Plur")) == "leaf"
    assert lemmatiser.lemma(Tagged("leaves", "VERB", "VBP", "Number=Plur")) == "leave"


def test_names_keep_their_case_and_other_words_lose_it() -> None:
    lemmatiser = learnt(
        ("London", "London", "PROPN", "NNP", "_"),
        ("Smiths", "Smith", "PROPN", "NNPS", "_"),
        ("The", "the", "DET", "DT", "_"),
        ("Dogs", "dog", "NOUN", "NNS", "_"),
        ("dogs", "dog", "NOUN", "NNS", "_"),
    )
    assert lemmatiser.lemma(Tagged("Berlin", "PROPN", "NNP", "_")) == "Berlin"
    assert lemmatiser.lemma(Tagged("Londons", "PROPN", "NNPS", "_")) == "London"
    assert lemmatiser.lemma(Tagged("This", "DET", "DT", "_")) == "this"
    assert lemmatiser.lemma(Tagged("Cats", "NOUN", "NNS", "_")) == "cat"


def test_a_word_with_tags_never_seen_is_its_own_lemma() -> None:
    assert learnt(past("walked", "walk")).lemma(Tagged("Ouch", "INTJ", "UH", "_")) == "Ouch"


def test_the_usual_lemma_wins_and_of_equals_the_first() -> None:
    words = [past("felt", "feel"), past("felt", "fell"), past("felt", "fell"), past("a", "b")]
    assert learnt(*words).lemma(Tagged("felt", *PAST)) == "fell"
    assert learnt(*words[:2]).lemma(Tagged("felt", *PAST)) == "feel"


def test_tags_that_will_not_be_known_are_not_learnt_from() -> None:
    sentence = sentence_of([("saw", "see", "VERB", "VBD", "a"), ("saw", "saw", "NOUN", "NN", "b")])
    lemmatiser = Lemmatiser.learn([sentence], ("upos",))
    asked = list(tagged_words(sentence, ("upos",)))
    assert asked[0] == Tagged("saw", "VERB", "_", "_")
    assert [lemmatiser.lemma(word) for word in asked] == ["see", "saw"]


def test_endings_are_of_bounded_length_and_nothing_needless_is_kept() -> None:
    words = [past(f"{stem}ed", stem) for stem in ("walk", "overcompensat", "talk", "park")]
    lemmatiser = learnt(*words)
    assert all(
        len(key.rpartition("\t")[2]) <= LONGEST_ENDING
        for level in lemmatiser.endings
        for key in level
    )
    # All take the same script, so that one ending says it for all, at every level.
    assert not any(lemmatiser.words)
    assert all(len(key.rpartition("\t")[2]) <= 1 for level in lemmatiser.endings for key in level)


def test_a_form_known_by_heart_stands_at_the_least_strict_level_that_tells_it() -> None:
    assert [len(level) for level in learnt(past("went", "go")).words] == [0, 0, 0, 1]


def test_an_ending_under_strict_tags_decides_against_many_under_less_strict_ones() -> None:
    many = [(f"{stem}s", f"{stem}s", "NOUN", "NN", "_") for stem in ("bu", "ga", "len", "cro")]
    lemmatiser = learnt(*many, ("cats", "cat", "NOUN", "NNS", "Number=Plur"))
    assert lemmatiser.lemma(Tagged("dogs", "NOUN", "NNS", "Number=Plur")) == "dog"
    assert lemmatiser.lemma(Tagged("virus", "NOUN", "NN", "_")) == "virus"


def damaged(**changes: Any) -> dict[str, Any]:
    return {**learnt(past("walked", "walk"), past("went", "go")).to_json(), **changes}


@pytest.mark.parametrize(
    "form",
    [
        {},
        damaged(scripts=None),
        damaged(scripts=["?"]),
        damaged(scripts=[3]),
        damaged(scripts=[]),
        damaged(words=[]),
        damaged(words=[{}, {}, {}]),
        damaged(words=None),
        damaged(endings=[{"a": 99}, {}, {}, {}]),
        damaged(endings=[{"a": "0"}, {}, {}, {}]),
        damaged(endings=[[], [], [], []]),
        damaged(endings={}),
    ],
)
def test_damaged_json_is_a_data_error(form: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="the lemmas are damaged") as caught:
        Lemmatiser.from_json(form)
    assert caught.value.remedy


def test_a_model_directory_has_the_lemmatiser_that_it_lists(tmp_path: Path) -> None:
    lemmatiser = learnt(past("walked", "walk"))
    path = tmp_path / LEMMAS
    path.write_text(lemmas_text(lemmatiser), "utf-8")
    assert read_lemmatiser(tmp_path, {"files": {}}) is None
    found = read_lemmatiser(tmp_path, {"files": {LEMMAS: {}}})
    assert found is not None
    assert found.to_json() == lemmatiser.to_json()
    path.write_text("{}", "utf-8")
    with pytest.raises(DataError) as caught:
        read_lemmatiser(tmp_path, {"files": {LEMMAS: {}}})
    assert caught.value.file == str(path)


@settings(max_examples=20)
@given(st.lists(forms, min_size=1, max_size=10))
def test_answers_that_are_forgotten_are_found_again(asked: list[str]) -> None:
    from arctree.parsing import lemmatiser as module

    lemmatiser = learnt(past("walked", "walk"), past("cried", "cry"))
    expected = [lemmatiser.lemma(Tagged(form, *PAST)) for form in asked]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_REMEMBERED", 2)
        fresh = Lemmatiser(lemmatiser.words, lemmatiser.endings)
        for _ in range(2):
            assert [fresh.lemma(Tagged(form, *PAST)) for form in asked] == expected
            assert len(fresh._remembered) <= 2
