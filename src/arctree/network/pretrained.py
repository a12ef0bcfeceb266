"""Pretrained transformers: sub-words are encoded in context, and averaged to words.

A word's vector is the mean of its sub-words' last hidden states; the root's is that of the
token that opens the input ([CLS]), plus a learnt vector. A sentence with more sub-words than
the transformer takes is read through overlapping windows. A word for which the tokenizer
has nothing at all (a control character, say) is read as the unknown token.

A tokenizer that lowercases loses what tells names from other words. Such a transformer is
given the casing of each word as a learnt vector, zero at first, on the embedding of each of
its sub-words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from arctree.errors import CallError, DataError
from arctree.network.encoder import Arrays, Encoder, Inputs
from arctree.parsing.casing import Casing
from arctree.parsing.settings import Pretrained
from arctree.parsing.subwords import Pieces, Subwords
from arctree.parsing.windows import overlapping_windows

# How many sub-words, padding included, the transformer is given at once when no gradient is
# needed: what bounds memory however long the sentences are.
_MOST_AT_ONCE = 16_384


class PretrainedEncoder(Encoder):
    """A transformer with its tokenizer."""

    def __init__(self, transformer: Any, tokenizer: Tokenizer, settings: Pretrained) -> None:
        super().__init__()
        self.settings = settings
        for module in transformer.modules():
            if isinstance(module, nn.Dropout):
                module.p = settings.dropout
        self.transformer = transformer
        self.configuration: Any = transformer.config
        longest = getattr(self.configuration, "max_position_embeddings", None) or 0
        self.subwords = Subwords(tokenizer, longest, self.configuration.pad_token_id or 0)
        self.width = int(self.configuration.hidden_size)
        self.root = nn.Parameter(torch.zeros(self.width))
        self.casing: nn.Embedding | None = None
        if settings.casing and not self.subwords.tells_case:
            inward = transformer.get_input_embeddings().weight.shape[1]
            self.casing = nn.Embedding(len(Casing), inward, padding_idx=Casing.NO_WORD)
            nn.init.zeros_(self.casing.weight)

    @property
    def reach(self) -> int:
        """How many sub-words it takes at once."""
        return self.subwords.reach

    @classmethod
    def from_source(cls, settings: Pretrained) -> PretrainedEncoder:
        """With pretrained weights, from a local directory or by hub name."""
        from transformers import AutoModel, AutoTokenizer

        changes = {"num_hidden_layers": settings.layers} if settings.layers else {}
        try:
            with _quiet():
                tokenizer = AutoTokenizer.from_pretrained(settings.source, add_prefix_space=True)
                transformer, loaded = AutoModel.from_pretrained(
                    settings.source,
                    use_safetensors=True,
                    dtype=torch.float32,
                    output_loading_info=True,
                    **changes,
                )
            _check_loaded(transformer, tokenizer, loaded["missing_keys"])
            return cls(_bare(transformer), tokenizer.backend_tokenizer, settings)
        except Exception as error:  # whatever a foreign file makes these libraries raise
            raise CallError(
                f"the encoder {settings.source!r} cannot be loaded: {_first_line(error)}; "
                "name a directory with config.json, tokenizer.json and model.safetensors, "
                "or a model of the hub"
            ) from error

    @classmethod
    def from_files(
        cls, configuration: str, tokenizer: str, settings: Pretrained
    ) -> PretrainedEncoder:
        """With the texts of its configuration and tokenizer, and weights yet to be loaded."""
        from transformers import AutoConfig, AutoModel

        try:
            values = json.loads(configuration)
            with _quiet():
                architecture: Any = AutoModel
                transformer = architecture.from_config(
                    AutoConfig.for_model(values.pop("model_type"), **values)
                )
            return cls(_bare(transformer), Tokenizer.from_str(tokenizer), settings)
        except Exception as error:  # whatever a foreign file makes these libraries raise
            raise DataError(
                f"the encoder cannot be built: {_first_line(error)}",
                "the model directory is damaged, or was written with a newer transformers",
            ) from error

    @property
    def special(self) -> tuple[int, int, int]:
        """The tokens that open and close an input, where there is one each, and padding."""
        if len(self.subwords.opening) != 1 or len(self.subwords.closing) != 1:
            raise CallError("its inputs are not opened and closed by one token each")
        return self.subwords.opening[0], self.subwords.closing[0], self.subwords.padding

    def files(self) -> tuple[str, str]:
        """What :meth:`from_files` needs: the texts of the configuration and the tokenizer."""
        return self.configuration.to_json_string(use_diff=False), self.subwords.tokenizer.to_str()

    def prepare(self, sentences: Sequence[Sequence[str]]) -> list[Pieces]:
        return self.subwords.prepare(sentences)

    def lay_out(self, prepared: Sequence[Pieces]) -> Arrays:
        windows: list[np.ndarray[Any, Any]] = []
        casings: list[np.ndarray[Any, Any]] = []
        # For each vector that is used: its window, its place in it, the row it adds to.
        used: list[tuple[np.ndarray[Any, Any], ...]] = []
        opening, start = len(self.subwords.opening), 0
        for sentence in prepared:
            if opening:
                used.append((np.array([len(windows)]), np.array([0]), np.array([start])))
            for window in overlapping_windows(len(sentence.ids), self.reach):
                taken = np.arange(window.first, window.last)
                used.append(
                    (
                        np.full(len(taken), len(windows)),
                        opening + taken - window.start,
                        start + sentence.words[taken],
                    )
                )
                ids = sentence.ids[window.start : window.stop]
                windows.append(np.concatenate([self.subwords.opening, ids, self.subwords.closing]))
                casings.append(sentence.casing[window.start : window.stop])
            start += sentence.size + 1
        longest = max(map(len, windows))
        tokens = np.full((len(windows), longest), self.subwords.padding, dtype=np.int64)
        mask = np.zeros((len(windows), longest), dtype=np.int64)
        casing = np.full_like(tokens, Casing.NO_WORD)
        for number, (ids, kinds) in enumerate(zip(windows, casings, strict=True)):
            tokens[number, : len(ids)] = ids
            mask[number, : len(ids)] = 1
            casing[number, opening : opening + len(kinds)] = kinds
        window_of, place, row = (np.concatenate(parts) for parts in zip(*used, strict=True))
        counts = np.maximum(np.bincount(row, minlength=start), 1).astype(np.float32)
        roots = np.cumsum([0, *(sentence.size + 1 for sentence in prepared[:-1])])
        return {
            "tokens": tokens,
            "mask": mask,
            "casing": casing,
            "source": window_of * longest + place,
            "row": row,
            "share": (1 / counts[row])[:, None],
            "roots": roots,
            "rows": np.array(start),
        }

    def forward(self, inputs: Inputs) -> Tensor:
        hidden = self._hidden(inputs).flatten(0, 1)[inputs["source"]]
        vectors = hidden.new_zeros(int(inputs["rows"]), self.width, dtype=torch.float32)
        vectors = vectors.index_add(0, inputs["row"], hidden.float() * inputs["share"])
        return vectors.index_add(
            0, inputs["roots"], self.root.expand(len(inputs["roots"]), self.width)
        )

    def _hidden(self, inputs: Inputs) -> Tensor:
        tokens, casing = inputs["tokens"], inputs["casing"]
        at_once = len(tokens)
        if not torch.is_grad_enabled():
            at_once = max(1, _MOST_AT_ONCE // tokens.shape[1])
        if self.training and self.settings.masking:
            is_hidden = torch.rand(tokens.shape, device=tokens.device) < self.settings.masking
            tokens = tokens.masked_fill(is_hidden & (casing != Casing.NO_WORD), self.subwords.mask)
        parts = (torch.split(part, at_once) for part in (tokens, inputs["mask"], casing))
        return torch.cat(
            [
                self.transformer(attention_mask=mask, **self._inward(some, kinds)).last_hidden_state
                for some, mask, kinds in zip(*parts, strict=True)
            ]
        )

    def _inward(self, tokens: Tensor, casing: Tensor) -> dict[str, Tensor]:
        if self.casing is None:
            return {"input_ids": tokens}
        embedded = self.transformer.get_input_embeddings()(tokens)
        return {"inputs_embeds": embedded + self.casing(casing)}


def _check_loaded(transformer: Any, tokenizer: Any, missing: Iterable[str]) -> None:
    """The libraries make up what a directory does not have, weights and words included."""
    unused = ["pooler", *(["decoder."] if transformer.config.is_encoder_decoder else [])]
    lacking = sorted(name for name in missing if not any(part in name for part in unused))
    if lacking:
        raise ValueError(f"it has no weights {lacking[0]}" + (", …" if len(lacking) > 1 else ""))
    if getattr(tokenizer, "backend_tokenizer", None) is None:
        raise ValueError("it has no fast tokenizer")
    if len(tokenizer) <= len(tokenizer.all_special_tokens):
        raise ValueError("its tokenizer knows no words")


def _bare(transformer: Any) -> Any:
    """The transformer without what no word vector passes through."""
    if transformer.config.is_encoder_decoder:
        transformer = transformer.get_encoder()
    if getattr(transformer, "pooler", None) is not None:
        transformer.pooler = None
    return transformer


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the library's remarks on unused heads to itself."""
    from transformers.utils import logging

    library: Any = logging
    level, has_bar = library.get_verbosity(), library.is_progress_bar_enabled()
    library.set_verbosity_error()
    library.disable_progress_bar()
    try:
        yield
    finally:
        library.set_verbosity(level)
        if has_bar:
            library.enable_progress_bar()
