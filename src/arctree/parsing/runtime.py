"""The run-time on the CPU: onnxruntime and numpy, no torch.

Sentences are grouped by length and encoded in micro-batches, small enough that what lies
between two layers stays in the processor's cache; those of a few thousand words are then
decoded together. A sentence longer than the encoder's reach is read through overlapping
windows, so memory is bounded by the batch, not by the sentence.

Nothing that is computed for a sentence depends on the others in its batch, but for the order
of additions inside a kernel; so the batch changes probabilities in the last digits at most.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from arctree.errors import DataError
from arctree.parsing import model_files
from arctree.parsing.answers import Analysis, Outcomes, outcomes_from_json
from arctree.parsing.batches import in_groups
from arctree.parsing.casing import Casing
from arctree.parsing.confidence import Confidence
from arctree.parsing.decoding import ActionDecoder, ArcLabeller
from arctree.parsing.lemmatiser import read_lemmatiser
from arctree.parsing.machine import SLOTS, row_starts
from arctree.parsing.sessions import BOUNDED, checked_threads, session
from arctree.parsing.settings import ParserSettings
from arctree.parsing.subwords import Pieces, Subwords
from arctree.parsing.windows import overlapping_windows

# Sub-words that are encoded at once, padding included; words that are decoded at once.
ENCODED_AT_ONCE = 256
DECODED_AT_ONCE = 4096

Array = np.ndarray[Any, Any]


class Runtime:
    """An exported model. It is read-only, and may be used by several threads at once."""

    window = 16_384

    def __init__(self, folder: Path, threads: int = 1) -> None:
        config = model_files.read_config(folder)
        self._threads = checked_threads(threads)
        try:
            vocabularies = model_files.read_json(folder / model_files.VOCABULARIES)
            self.outcomes: Outcomes = outcomes_from_json(vocabularies)
            self.confidence = Confidence.read(config["confidence"])
            self.lemmatiser = read_lemmatiser(folder, config)
            settings = ParserSettings.read(config["parser"])
            self._subwords = _subwords(folder)
            weights = _weights(folder / model_files.DECODER)
            self._root = weights["encoder.root"]
            self._decoder = ActionDecoder(weights, settings)
            self._labeller = ArcLabeller("labeller", weights, settings, self.outcomes.labels)
            self._marker: ArcLabeller | None = None
            if len(self.outcomes.marks) > 1:
                self._marker = ArcLabeller("marker", weights, settings, self.outcomes.marks)
            self._encoder = session(folder / model_files.ENCODER_GRAPH, threads)
            self._heads = session(folder / model_files.HEADS_GRAPH, threads)
            self._check(weights, settings)
        except DataError as error:
            raise error.at(file=str(folder)) from error
        except Exception as error:  # whatever settings that nobody checked make of libraries
            raise DataError(
                f"the model cannot be opened: {error!r}", "fetch it again", file=str(folder)
            ) from error
        self._sees_casing = any(found.name == "casing" for found in self._encoder.get_inputs())
        self._answers = [found.name for found in self._heads.get_outputs()]

    def _check(self, weights: Mapping[str, Array], settings: ParserSettings) -> None:
        """Whoever made the files: their parts fit together, and are numbers."""
        for name, array in weights.items():
            if not np.isfinite(array).all():
                raise ValueError(f"{name} is not finite")
        inputs = {found.name for found in self._encoder.get_inputs()}
        if not {"tokens", "lengths"} <= inputs <= {"tokens", "lengths", "casing"}:
            raise ValueError(f"the encoder takes {sorted(inputs)}")
        if not 0 <= self._subwords.padding < self._subwords.tokenizer.get_vocab_size():
            raise ValueError(f"the padding is {self._subwords.padding}, which is no token")
        expected = {"arcs": len(SLOTS) * settings.hidden}
        expected |= {f"tags.{name}": len(values) for name, values in self.outcomes.tags.items()}
        widths = {found.name: found.shape[-1] for found in self._heads.get_outputs()}
        for name, width in expected.items():
            if widths.get(name) != width:
                raise ValueError(f"{name} has {widths.get(name)} numbers a word, not {width}")
        for labeller, values in (
            ("labeller", self.outcomes.labels),
            ("marker", self.outcomes.marks),
        ):
            for part in ("pairs", "classify.2.bias"):
                found = weights.get(f"{labeller}.{part}")
                if found is not None and len(found) != len(values):
                    raise ValueError(f"{labeller} tells {len(found)} values, not {len(values)}")

    def analyse(self, sentences: Sequence[Sequence[str]]) -> list[Analysis]:
        """The analyses of sentences, given as their words."""
        prepared = self._subwords.prepare(sentences)
        costs, sizes = [item.cost for item in prepared], [item.size for item in prepared]
        analyses: dict[int, Analysis] = {}
        with BOUNDED.at_most(self._threads):
            for group in in_groups(costs, sizes, ENCODED_AT_ONCE, DECODED_AT_ONCE):
                found = self._analyse([[prepared[number] for number in batch] for batch in group])
                analyses.update(zip(chain.from_iterable(group), found, strict=True))
        return [analyses[number] for number in range(len(prepared))]

    def score(
        self, sentences: Sequence[Sequence[str]], transitions: Sequence[Sequence[int]]
    ) -> list[Array]:
        """The probabilities of the three transitions in each configuration along given ones.

        The configurations are those of :func:`arctree.parsing.decoding.configurations_along`.
        """
        prepared = self._subwords.prepare(sentences)
        costs, sizes = [item.cost for item in prepared], [item.size for item in prepared]
        scores: dict[int, Array] = {}
        with BOUNDED.at_most(self._threads):
            for group in in_groups(costs, sizes, ENCODED_AT_ONCE, DECODED_AT_ONCE):
                projected = [
                    self._heads.run(
                        ["arcs"], {"vectors": self._vectors([prepared[n] for n in batch])}
                    )[0]
                    for batch in group
                ]
                numbers = list(chain.from_iterable(group))
                found = self._decoder.probabilities(
                    projected, [sizes[n] for n in numbers], [transitions[n] for n in numbers]
                )
                scores.update(zip(numbers, found, strict=True))
        return [scores[number] for number in range(len(prepared))]

    def _analyse(self, batches: Sequence[Sequence[Pieces]]) -> list[Analysis]:
        """Encode batch by batch, decode all together."""
        parts: list[dict[str, Array]] = []
        sizes = [item.size for batch in batches for item in batch]
        for batch in batches:
            answers = self._heads.run(None, {"vectors": self._vectors(batch)})
            found = dict(zip(self._answers, answers, strict=True))
            for name in self.outcomes.tags:
                found[f"tags.{name}"] = found[f"tags.{name}"].argmax(-1)
            parts.append(found)
        by_name = {name: [part[name] for part in parts] for name in self._answers}
        derived = self._decoder.decode(by_name.pop("arcs"), sizes)
        rows = {name: np.concatenate(found) for name, found in by_name.items()}
        starts = row_starts(sizes)
        words = np.delete(np.arange(starts[-1]), starts[:-1])
        heads = derived.heads[words]
        head_rows = np.repeat(starts[:-1], sizes) + heads
        is_root = heads == 0

        def best(labeller: ArcLabeller, name: str) -> tuple[Array, Array]:
            dependents, governors = rows[f"{name}.as_dependent"], rows[f"{name}.as_head"]
            return labeller.best(dependents[words], governors[head_rows], is_root)

        sure, labels = best(self._labeller, "labeller")
        marks = np.zeros_like(labels)
        if self._marker is not None:
            sure_of_mark, marks = best(self._marker, "marker")
            sure = sure * sure_of_mark
        by_word = (heads, derived.head_probabilities[words], labels, marks, sure)
        by_step = (derived.transitions, derived.probabilities)
        tags = {name: rows[f"tags.{name}"][words] for name in self.outcomes.tags}
        ends = np.cumsum(sizes).tolist()
        return [
            Analysis(
                {name: values[first:last] for name, values in tags.items()},
                *(values[first:last] for values in by_word),
                *(values[2 * first : 2 * last] for values in by_step),
            )
            for first, last in zip([0, *ends], ends, strict=False)
        ]

    def _vectors(self, batch: Sequence[Pieces]) -> Array:
        """One vector a row: the mean of a word's sub-words; of the root the opening token's."""
        inputs, source, counts, roots = self._lay_out(batch)
        hidden = self._encoded(inputs)
        first = np.cumsum(counts) - counts
        vectors: Array = hidden[source[first]]
        is_cut = np.flatnonzero(counts > 1)
        place = 1
        while len(is_cut):
            vectors[is_cut] += hidden[source[first[is_cut] + place]]
            place += 1
            is_cut = is_cut[counts[is_cut] > place]
        vectors /= counts[:, None].astype(np.float32)
        vectors[roots] += self._root
        if not np.isfinite(vectors).all():
            raise DataError("the model's answers are not numbers", "fetch it again")
        return vectors

    def _encoded(self, inputs: Mapping[str, Array]) -> Array:
        """The encoder's vectors; of a long sentence it reads a few windows at once."""
        count, width = inputs["tokens"].shape
        at_once = max(1, ENCODED_AT_ONCE // width)
        if count <= at_once:
            found: Array = self._encoder.run(None, inputs)[0]
            return found
        parts = [
            {name: array[first : first + at_once] for name, array in inputs.items()}
            for first in range(0, count, at_once)
        ]
        return np.concatenate([self._encoder.run(None, part)[0] for part in parts])

    def _lay_out(self, batch: Sequence[Pieces]) -> tuple[Mapping[str, Array], Array, Array, Array]:
        """Inputs of the encoder; where each sub-word's vector stands; how many a row has; roots."""
        cut = self._subwords
        opening = len(cut.opening)
        windows = [
            (item, window)
            for item in batch
            for window in overlapping_windows(len(item.ids), cut.reach)
        ]
        longest = max(window.stop - window.start for _, window in windows)
        shape = (len(windows), longest + opening + len(cut.closing))
        tokens = np.full(shape, cut.padding, np.int32)
        casing = np.full(shape, Casing.NO_WORD, np.int32)
        lengths = np.empty(len(windows), np.int32)
        source: list[Array] = []
        for number, (item, window) in enumerate(windows):
            end = opening + window.stop - window.start
            line = tokens[number]
            line[:opening] = cut.opening
            line[opening:end] = item.ids[window.start : window.stop]
            line[end : end + len(cut.closing)] = cut.closing
            casing[number, opening:end] = item.casing[window.start : window.stop]
            lengths[number] = end + len(cut.closing)
            place = number * shape[1] + opening - window.start
            first = place + window.first - (1 if window.first == 0 else 0)
            source.append(np.arange(first, place + window.last))
        sizes = np.array([item.size for item in batch])
        roots = np.cumsum(sizes + 1) - sizes - 1
        counts = np.concatenate(
            [np.bincount(item.words, minlength=item.size + 1) for item in batch]
        )
        counts[roots] = 1
        inputs = {"tokens": tokens, "lengths": lengths}
        if self._sees_casing:
            inputs["casing"] = casing
        return inputs, np.concatenate(source), counts, roots


def _subwords(folder: Path) -> Subwords:
    from tokenizers import Tokenizer

    config = model_files.read_json(folder / model_files.ENCODER)
    tokenizer = Tokenizer.from_file(str(folder / model_files.TOKENIZER))
    return Subwords(
        tokenizer, config.get("max_position_embeddings") or 0, config.get("pad_token_id") or 0
    )


def _weights(path: Path) -> dict[str, Array]:
    from safetensors.numpy import load_file

    return {name: array.astype(np.float32) for name, array in load_file(path).items()}
