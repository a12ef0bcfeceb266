from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arctree.conllu import read
from arctree.errors import DataError
from arctree.parsing.lemmas import apply_script, script_of

# Letters that change length or depend on their neighbours when their case changes, letters
# with a title case of their own, and what a script is written with.
ODD = ["ß", "ẞ", "İ", "ı", "Σ", "σ", "ς", "ŉ", "ǆ", "ǅ", "Ǆ", "ﬁ", "ΐ", "\u0307", "𐐀", "한"]
ODD += ["|", "\\", "+", "=", "_", "0", "7", "l", "k", "c", "\n", "\u2028", "\x00"]
characters = st.sampled_from(ODD) | st.characters()
texts = st.text(characters, max_size=12)


def in_every_case(text: str) -> list[str]:
    return [text, text.lower(), text.upper(), text.title(), text.swapcase()]


@st.composite
def inflected(draw: st.DrawFn) -> tuple[str, str]:
    """A form and a lemma with a stem in common, in any case."""
    stem = draw(texts)
    form = draw(texts) + draw(st.sampled_from(in_every_case(stem))) + draw(texts)
    return form, draw(texts) + stem + draw(texts)


@given(inflected() | st.tuples(texts, texts))
@example(("STRASSE", "Straße"))
@example(("İSTANBUL", "İstanbul"))
@example(("ΟΔΥΣΣΕΥΣ", "Ὀδυσσεύς"))
@example(("ΛΟΓΟΣ", "λόγος"))
@example(("", "x"))
@example(("x", ""))
@example(("_", "_"))
@example(("=", "="))
@example(("a|b", "|\\a|b"))
def test_the_script_of_a_form_and_a_lemma_makes_the_lemma_of_the_form(
    pair: tuple[str, str],
) -> None:
    form, lemma = pair
    assert apply_script(script_of(form, lemma), form) == lemma


def test_all_short_words_in_both_cases_come_out_as_their_lemmas() -> None:
    words = ["".join(word) for size in range(4) for word in product("aAbB|", repeat=size)]
    for form, lemma in product(words, repeat=2):
        assert apply_script(script_of(form, lemma), form) == lemma


@given(inflected() | st.tuples(texts, texts), texts)
def test_a_script_can_be_applied_to_any_form(pair: tuple[str, str], other: str) -> None:
    lemma = apply_script(script_of(*pair), other)
    assert lemma or not other or not pair[1]


@given(inflected())
def test_a_script_survives_json(pair: tuple[str, str]) -> None:
    script = script_of(*pair)
    assert json.loads(json.dumps(script, ensure_ascii=False).encode()) == script


@pytest.mark.parametrize(
    ("form", "lemma", "script"),
    [
        ("walked", "walk", "l0|2"),
        ("Studies", "study", "l0|3+y"),
        ("London", "London", "k0|0"),
        ("NATO", "NATO", "k0|0"),
        ("IRAQ", "Iraq", "c0|0"),
        ("walk", "walk", "l0|0"),
        ("THE", "the", "l0|0"),
        (",", ",", "l0|0"),
        ("2,000", "2,000", "l0|0"),
        ("Iraqis", "Iraqi", "k0|1"),
        ("women", "woman", "l0|2+an"),
        ("running", "run", "l0|4"),
        ("gemacht", "machen", "l2|1+en"),
        ("are", "be", "l2+b|0"),
        ("went", "go", "=go"),
        ("better", "good", "=good"),
        ("was", "be", "=be"),
        ("'s", "be", "=be"),
        ("gone", "_", "=_"),
        ("_", "_", "=_"),
    ],
)
def test_scripts_read_as_the_docstring_says(form: str, lemma: str, script: str) -> None:
    assert script_of(form, lemma) == script
    assert apply_script(script, form) == lemma


@pytest.mark.parametrize(
    ("pairs", "script"),
    [
        ([("walked", "walk"), ("Talked", "talk"), ("LOOKED", "look")], "l0|2"),
        ([("cities", "city"), ("Studies", "study"), ("flies", "fly")], "l0|3+y"),
        ([("getting", "get"), ("Running", "run"), ("sitting", "sit")], "l0|4"),
        ([("London", "London"), ("McDonald", "McDonald"), ("U.S.", "U.S.")], "k0|0"),
        ([("gemacht", "machen"), ("Gekauft", "kaufen"), ("geholt", "holen")], "l2|1+en"),
    ],
)
def test_words_that_inflect_alike_have_the_same_script(
    pairs: list[tuple[str, str]], script: str
) -> None:
    assert {script_of(form, lemma) for form, lemma in pairs} == {script}


def test_a_script_lemmatises_words_it_was_not_made_from() -> None:
    assert apply_script(script_of("walked", "walk"), "Jumped") == "jump"
    assert apply_script(script_of("studies", "study"), "fairies") == "fairy"
    assert apply_script(script_of("went", "go"), "WENT") == "go"


@pytest.mark.parametrize(
    ("script", "form", "lemma"),
    [
        ("l0|4", "Ing", "ing"),
        ("l0|4", "King", "king"),
        ("k2+x|2+y", "Four", "Four"),
        ("c999999999|999999999", "oF", "Of"),
        ("l0|1", "", ""),
    ],
)
def test_a_script_that_would_leave_nothing_only_changes_the_case(
    script: str, form: str, lemma: str
) -> None:
    assert apply_script(script, form) == lemma


NO_SCRIPTS = ["", "l", "l0", "0|0", "x0|0", "l0|", "l|0", "l00|0", "l0+|0", "l0|0+", "l-1|0"]
NO_SCRIPTS += ["l0|٣", "l0|0y", "l0+a\\b|0", "l0+\\|0", " l0|0", "l0|0\n", "l0|1234567890", "walk"]


@pytest.mark.parametrize("text", NO_SCRIPTS)
def test_a_text_that_is_no_script_is_refused(text: str) -> None:
    with pytest.raises(DataError, match="no script"):
        apply_script(text, "walked")


def test_ewt_train_has_far_fewer_scripts_than_lemmas(ewt_train: Path) -> None:
    pairs = {
        pair
        for sentence in read(str(ewt_train))
        for pair in zip(sentence.forms, sentence.lemmas, strict=True)
    }
    lemmas = {lemma for _, lemma in pairs}
    scripts = {script_of(form, lemma) for form, lemma in pairs}
    assert all(apply_script(script_of(form, lemma), form) == lemma for form, lemma in pairs)
    assert 20 * len(scripts) < len(lemmas)
