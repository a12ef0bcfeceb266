"""The lemmatiser: from a form and its tags to its lemma.

What training showed of a form with the same tags is known by heart. For any other form the
longest ending decides that forms with the same tags and casing had there, by the edit script
(:mod:`arctree.parsing.lemmas`) that most of them took: *blogged* as *jogged*, *Londons* as
*Smiths*. Tags are compared four times over, each time less strictly: UPOS, XPOS and FEATS, then
UPOS and FEATS, UPOS and XPOS, and UPOS alone.

Nothing is kept that shorter endings or less strict tags say as well.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from arctree.errors import DataError
from arctree.parsing import model_files
from arctree.parsing.casing import casing_of
from arctree.parsing.lemmas import apply_script, script_of
from arctree.sentence import Sentence

LONGEST_ENDING = 8
# Answers that are remembered; beyond them all are forgotten.
_REMEMBERED = 1 << 17

Words = Mapping[str, str]


class Tagged(NamedTuple):
    """A form with its tags."""

    form: str
    upos: str
    xpos: str
    feats: str


class Lemmatiser:
    """``words`` and ``endings``: for each level of strictness scripts by form, and by ending.

    Their keys hold the tags, and for endings the casing, before the form: see :func:`_keys`.
    """

    def __init__(self, words: Sequence[Words], endings: Sequence[Words]) -> None:
        self.words = words
        self.endings = endings
        self._remembered: dict[Tagged, str] = {}

    @classmethod
    def learn(cls, sentences: Iterable[Sentence], columns: Sequence[str]) -> Lemmatiser:
        """From the lemmas of annotated sentences, by those of their tags that will be known."""
        seen: list[dict[str, Counter[str]]] = [defaultdict(Counter) for _ in range(_LEVELS)]
        for sentence in sentences:
            for tagged, lemma in zip(tagged_words(sentence, columns), sentence.lemmas, strict=True):
                script = script_of(tagged.form, lemma)
                for level, tags in enumerate(_tags(tagged)):
                    seen[level][f"{tags}\t{tagged.form}"][script] += 1
        words = [{key: _usual(counts) for key, counts in level.items()} for level in seen]
        endings = [_pruned(_endings(level)) for level in words]
        return cls(_without_needless(words, endings), endings)

    def lemma(self, tagged: Tagged) -> str:
        """The lemma; ``_`` where it could not stand in a column."""
        found = self._remembered.get(tagged)
        if found is None:
            found = apply_script(self.script(tagged), tagged.form) or "_"
            if len(self._remembered) >= _REMEMBERED:
                self._remembered = {}
            self._remembered[tagged] = found
        return found

    def script(self, tagged: Tagged) -> str:
        """The edit script that makes the lemma."""
        return _script(tagged.form, _tags(tagged), self.words, self.endings)

    def to_json(self) -> dict[str, Any]:
        """As :meth:`from_json` reads it; every script stands there once."""
        scripts = Counter(
            script for level in (*self.words, *self.endings) for script in level.values()
        )
        numbers = {script: number for number, (script, _) in enumerate(scripts.most_common())}

        def numbered(levels: Sequence[Words]) -> list[dict[str, int]]:
            return [{key: numbers[script] for key, script in level.items()} for level in levels]

        return {
            "scripts": list(numbers),
            "words": numbered(self.words),
            "endings": numbered(self.endings),
        }

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> Lemmatiser:
        """The inverse of :meth:`to_json`; every script is tried first."""
        try:
            scripts = list(form["scripts"])
            for script in scripts:
                apply_script(script, "form")
            words, endings = (
                [{str(key): scripts[number] for key, number in level.items()} for level in levels]
                for levels in (form["words"], form["endings"])
            )
            if not len(words) == len(endings) == _LEVELS:
                raise ValueError(f"{len(words)} levels")
        except (DataError, ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
            raise DataError(f"the lemmas are damaged: {error!r}", "fetch them again") from error
        return cls(words, endings)


def lemmas_text(lemmatiser: Lemmatiser) -> str:
    """The lemmatiser as it stands in a model directory."""
    return json.dumps(lemmatiser.to_json(), ensure_ascii=False) + "\n"


def read_lemmatiser(folder: Path, config: Mapping[str, Any]) -> Lemmatiser | None:
    """That of a model directory, if its configuration lists one."""
    if model_files.LEMMAS not in config["files"]:
        return None
    path = folder / model_files.LEMMAS
    try:
        return Lemmatiser.from_json(model_files.read_json(path))
    except DataError as error:
        raise error.at(file=str(path)) from error


def tagged_words(sentence: Sentence, columns: Sequence[str]) -> Iterator[Tagged]:
    """The words with those of their tags that are in these columns."""
    absent = ("_",) * len(sentence)
    tags = (
        getattr(sentence, name) if name in columns else absent for name in ("upos", "xpos", "feats")
    )
    return map(Tagged, sentence.forms, *tags)


_LEVELS = 4


def _tags(tagged: Tagged) -> tuple[str, str, str, str]:
    """The tags at each level, as text."""
    _, upos, xpos, feats = tagged
    return f"{upos}\t{xpos}\t{feats}", f"{upos}\t\t{feats}", f"{upos}\t{xpos}\t", f"{upos}\t\t"


def _ending_key(tags: str, form: str, lowered: str, length: int) -> str:
    return f"{tags}\t{int(casing_of(form))}\t{lowered[len(lowered) - length :]}"


def _usual(counts: Counter[str]) -> str:
    """The most frequent script; of equals the one that was seen first."""
    return counts.most_common(1)[0][0]


def _endings(words: Words) -> dict[str, str]:
    """The usual script of every ending of the forms, but for those that write a whole lemma."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for key, script in words.items():
        if script.startswith("="):
            continue
        tags, _, form = key.rpartition("\t")
        lowered = form.lower()
        for length in range(min(len(lowered), LONGEST_ENDING) + 1):
            seen[_ending_key(tags, form, lowered, length)][script] += 1
    return {key: _usual(counts) for key, counts in seen.items()}


def _pruned(endings: Mapping[str, str]) -> dict[str, str]:
    """Without those of two and more characters whose answer the next shorter one gives too."""
    kept = {}
    for key, script in endings.items():
        tags, _, ending = key.rpartition("\t")
        if len(ending) < 2 or endings[f"{tags}\t{ending[1:]}"] != script:
            kept[key] = script
    return kept


def _without_needless(words: Sequence[Words], endings: Sequence[Words]) -> list[Words]:
    """The words whose script the levels that are asked after theirs would not tell as well.

    From the least strict level on; so what is left of the strictest makes sure that every form
    that was seen keeps its script under the tags that it was seen with.
    """
    kept: list[Words] = [{} for _ in words]
    for level in reversed(range(_LEVELS)):
        found = {}
        for key, script in words[level].items():
            upos, xpos, feats, form = key.split("\t", 3)
            levels = _tags(Tagged(form, upos, xpos, feats))[level:]
            if script != _script(form, levels, kept[level:], endings[level:]):
                found[key] = script
        kept[level] = found
    return kept


def _script(
    form: str, levels: Sequence[str], words: Sequence[Words], endings: Sequence[Words]
) -> str:
    """The script of a form, by heart if possible, else by its ending."""
    for level, tags in zip(words, levels, strict=True):
        if (found := level.get(f"{tags}\t{form}")) is not None:
            return found
    lowered = form.lower()
    for number, (level, tags) in enumerate(zip(endings, levels, strict=True)):
        least = 0 if number == len(levels) - 1 else 1
        for length in range(min(len(lowered), LONGEST_ENDING), least - 1, -1):
            if (found := level.get(_ending_key(tags, form, lowered, length))) is not None:
                return found
    return "k0|0"
