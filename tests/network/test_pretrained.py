from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

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
    BertTokenizerFast,
    RobertaConfig,
    RobertaModel,
    RobertaTokenizerFast,
)

from arctree.errors import CallError, DataError
from arctree.network.inference import to_tensors
from arctree.network.pretrained import PretrainedEncoder
from arctree.parsing.settings import Pretrained
from arctree.parsing.windows import overlapping_windows

CPU = torch.device("cpu")
LAYERS = 2
SIZES: dict[str, Any] = {
    "hidden_size": 16,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 2,
    "intermediate_size": 32,
}
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "book", "##s", "##ed", "?"]
PIECES += [piece for letter in "abcdefghijkl" for piece in (letter, f"##{letter}")]
# Words for which WordPiece has no piece at all: control and zero-width characters, and spaces.
INVISIBLE = ["\u200b", "\x00", "\x7f", "\u00ad", "\u2060", " ", "\u3000"]


@cache
def scratch_folder() -> Path:
    return Path(mkdtemp(prefix="arctree-test-"))


@pytest.fixture(scope="module", autouse=True)
def _removed_at_the_end() -> Any:
    yield
    shutil.rmtree(scratch_folder(), ignore_errors=True)
