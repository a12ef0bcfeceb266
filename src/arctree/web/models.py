"""The models that the explorer parses with; there may be none, and then it only takes trees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from pathlib import Path

from arctree.errors import CallError, DataError
from arctree.json_form import Json
from arctree.lifting import lift
from arctree.oracle import canonical_derivation
from arctree.parser import Parsed
from arctree.pipeline import Pipeline, folder_of, packaged_models
from arctree.transitions import Transition
from arctree.web.exploration import Scores, configuration_after, sentence_exploration
from arctree.web.reading import MOST_CHARACTERS, too_many, within_limits
from arctree.web.scoring import probabilities

_TITLES = {"en": "English"}
_ALPHABETS = {"en": "abcdefghijklmnopqrstuvwxyz"}


class Models:
    """Pipelines by their names, the default one first. Each is loaded when it is first needed."""

    def __init__(self, pipelines: Iterable[Pipeline] = ()) -> None:
        self._pipelines: dict[str, Pipeline] = {}
        for pipeline in pipelines:
            self._pipelines[self._free(pipeline.folder.resolve().name)] = pipeline

    @classmethod
    def found(cls, folders: Sequence[str | Path] = ()) -> Models:
        """The models in these folders, and then those that come with arctree; each once."""
        named = {folder_of(model).resolve(): model for model in (*folders, *packaged_models())}
        return cls(Pipeline.load(model) for model in named.values())

    def __len__(self) -> int:
        return len(self._pipelines)

    @property
    def names(self) -> list[str]:
        return list(self._pipelines)

    def to_json(self) -> Json:
        """Each model's name, a title for people, and whether it reads text or words only.

        And the letters of its language, where they are known: of a sentence in other letters it
        has no opinion worth showing.
        """
        models = [
            {
                "name": name,
                "title": _TITLES.get(name, name),
                "text": pipeline.has_segmenter,
                "alphabet": _ALPHABETS.get(name),
            }
            for name, pipeline in self._pipelines.items()
        ]
        return {"models": models, "default": models[0]["name"] if models else None}

    def load(self) -> None:
        """Load the default model now, so that the first sentence need not wait for it.

        A model that cannot be loaded is complained of when it is used.
        """
        for pipeline in list(self._pipelines.values())[:1]:
            try:
                next(pipeline.parse_tokens([["Hello"]]))
                if pipeline.has_segmenter:
                    list(pipeline.stream("Hello."))
            except (CallError, DataError, OSError):
                return

    def parse_text(self, text: str, model: str | None = None) -> list[Json]:
        """The explorations of the sentences of a text."""
        name, pipeline = self._named(model)
        if len(text) > MOST_CHARACTERS:
            raise too_many("characters of text", MOST_CHARACTERS, len(text))
        return _explored(name, pipeline, pipeline.stream(text))

    def parse_words(self, words: Sequence[str], model: str | None = None) -> list[Json]:
        """The exploration of a sentence whose words are given, as a list of one."""
        name, pipeline = self._named(model)
        return _explored(name, pipeline, pipeline.parse_tokens([words]))

    def score(
        self, words: Sequence[str], transitions: Sequence[Transition], model: str | None = None
    ) -> list[list[float]]:
        """The probability of each transition in each configuration along a derivation's start."""
        configuration_after(transitions, len(words))
        name, pipeline = self._named(model)
        found = probabilities(pipeline.parser, [words], [transitions])
        if found is None:
            raise CallError(f"the model {name} does not score SHIFT, LEFTARC and RIGHTARC")
        return found[0]

    def _named(self, name: str | None) -> tuple[str, Pipeline]:
        if not self._pipelines:
            raise CallError(
                "there is no model to parse with; start arctree serve with --model, or send trees"
            )
        if name is None:
            name = self.names[0]
        if name not in self._pipelines:
            raise CallError(f"no model {name!r}; there is: {', '.join(self.names)}")
        return name, self._pipelines[name]

    def _free(self, name: str) -> str:
        free, number = name, 1
        while free in self._pipelines:
            number += 1
            free = f"{name}~{number}"
        return free


def _explored(name: str, pipeline: Pipeline, parsed: Iterable[Parsed]) -> list[Json]:
    """The explorations of what was parsed, with the model's scores along their derivations."""
    sentences = list(within_limits(item.sentence for item in parsed))
    if not sentences:
        return []
    derivations = [canonical_derivation(lift(sentence.tree)) for sentence in sentences]
    words = [sentence.forms for sentence in sentences]
    found = probabilities(pipeline.parser, words, derivations)
    scores: Iterable[Scores | None] = repeat(None)
    if found is not None:
        scores = [Scores(name, rows) for rows in found]
    return [
        sentence_exploration(sentence, scores=some)
        for sentence, some in zip(sentences, scores, strict=False)
    ]
