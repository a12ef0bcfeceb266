"""Parts of Stanza's network that compute the same with fewer operations.

Stanza hands the rows of a matrix out by slices, and goes through sentences one by one. For each
slice the backward pass fills a matrix of zeros as large as the whole, and for each sentence the
gradient of a whole layer is made and added: together most of the time of training. Here rows are
handed out by one operation, and a batch's sentences go through the encoder together. Numbers and
random choices stay what they are, except which element dropout takes.

This module imports Stanza; :mod:`arctree.study.stanza.adapter` imports it once it knows that
the right one is there.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import torch
from stanza.models.common.vocab import UNK_ID
from stanza.models.constituency.lstm_model import (
    ConstituencyComposition,
    Constituent,
    LSTMModel,
    SentenceBoundary,
    WordNode,
)
from stanza.models.constituency.lstm_tree_stack import LSTMTreeStack, Node
from torch.nn.utils.rnn import pack_sequence, pad_packed_sequence

_word_queues = LSTMModel.initial_word_queues
_word_to_constituent = LSTMModel.transform_word_to_constituent
_TREE_LSTMS = (ConstituencyComposition.TREE_LSTM, ConstituencyComposition.TREE_LSTM_CX)


def push_states(
    self: LSTMTreeStack, stacks: list[Any], values: list[Any], inputs: Any
) -> list[Any]:
    """One step of the stacks' LSTM."""
    hidden = torch.stack([stack.value.lstm_hx for stack in stacks], dim=1)
    cell = torch.stack([stack.value.lstm_cx for stack in stacks], dim=1)
    output, (hidden, cell) = self.lstm(self.input_dropout(inputs), (hidden, cell))
    states = zip(stacks, values, hidden.unbind(1), cell.unbind(1), output[0].unbind(0), strict=True)
    return [stack.push(Node(value, *state)) for stack, value, *state in states]


def push_constituents(self: LSTMModel, stacks: list[Any], constituents: list[Any]) -> Any:
    """The last layer of the vectors of new trees goes to the stack's LSTM."""
    layers = [constituent.tree_hx for constituent in constituents]
    together = torch.cat([hidden if len(hidden) == 1 else hidden[-1:] for hidden in layers])
    return self.constituent_stack.push_states(stacks, constituents, together[None])


def transform_word_to_constituent(self: LSTMModel, state: Any) -> Any:
    """The word next in the queue as a tree; without a slice that cuts nothing off."""
    node = state.get_word(state.word_position)
    if len(node.hx) != self.hidden_size or self.constituency_composition in _TREE_LSTMS:
        return _word_to_constituent(self, state)
    return Constituent(node.value, node.hx.unsqueeze(0), None)


def initial_word_queues(self: LSTMModel, sentences: Sequence[Sequence[Any]]) -> list[Any]:
    """The words of each sentence with their vectors, between two ends that have vectors, too."""
    if not _is_plain(self):
        return list(_word_queues(self, sentences))
    together = torch.cat([_inputs(self, sentences), self.word_start_embedding[None]])
    together = torch.cat([together, self.word_end_embedding[None]])
    words, rows = sum(map(len, sentences)), []
    first = 0
    for sentence in sentences:
        rows += [words, *range(first, first + len(sentence)), words + 1]
        first += len(sentence)
    lengths = [len(sentence) + 2 for sentence in sentences]
    inputs = self.word_dropout(together[torch.tensor(rows, device=together.device)])
    packed = pack_sequence(inputs.split(lengths), enforce_sorted=False)
    output, _ = pad_packed_sequence(self.word_lstm(packed)[0], batch_first=True)
    places = torch.arange(output.shape[1])[None] < torch.tensor(lengths)[:, None]
    output = output.flatten(0, 1)[places.flatten().nonzero()[:, 0].to(output.device)]
    vectors = iter(self.nonlinearity(self.word_to_constituent(output)).unbind(0))
    return [
        [WordNode(word, next(vectors)) for word in (None, *sentence, None)]
        for sentence in sentences
    ]


def _is_plain(model: LSTMModel) -> bool:
    """Whether words are vectors, of which a part is learnt, tags and characters, no more."""
    others = (
        model.bert_model,
        model.partitioned_transformer_module,
        model.label_attention_module,
        model.rel_attn_forward,
        model.rel_attn_reverse,
    )
    return (
        all(other is None for other in others)
        and model.sentence_boundary_vectors is not SentenceBoundary.NONE
        and not model.reverse_sentence
    )


def _inputs(model: LSTMModel, sentences: Sequence[Sequence[Any]]) -> Any:
    """The vectors of all words before they are read; rare words and tags are hidden at times."""
    args, is_training = model.args, model.training
    fixed: list[int] = []
    learnt: list[int] = []
    tags: list[int] = []
    for sentence in sentences:
        for node in sentence:
            word = node.children[0].label
            fixed.append(_vector_of(model.emb_vocab, word))
            hidden = (
                is_training
                and word in model.rare_words
                and random.random() < args["rare_word_unknown_frequency"]
            )
            learnt.append(UNK_ID if hidden else model.delta_word_map.get(word, UNK_ID))
        for node in sentence if model.tag_embedding_dim else ():
            hidden = is_training and random.random() < args["tag_unknown_frequency"]
            tags.append(UNK_ID if hidden else model.tag_map.get(node.label, UNK_ID))
    device = model.word_zeros.device
    parts = [
        model.embedding(torch.tensor(fixed, device=device)),
        model.delta_embedding(torch.tensor(learnt, device=device)),
    ]
    if model.tag_embedding_dim:
        parts.append(model.tag_embedding(torch.tensor(tags, device=device)))
    words = [tuple(node.children[0].label for node in sentence) for sentence in sentences]
    readers = [model.forward_charlm, model.backward_charlm]
    parts += [
        torch.cat(_read(reader, words, is_training=is_training))
        for reader in readers
        if reader is not None
    ]
    return torch.cat(parts, dim=1)


def _read(reader: Any, sentences: Sequence[tuple[str, ...]], *, is_training: bool) -> list[Any]:
    """The vectors that a character model, which does not learn any more, gives to words.

    The sentences of the training come again and again, and their vectors are kept: of two models
    of width 256, 2 KB a word, 420 MB for English-EWT.
    """
    if not is_training:
        return list(reader.build_char_representation(list(map(list, sentences))))
    kept = _READ.setdefault(reader, {})
    new = [sentence for sentence in dict.fromkeys(sentences) if sentence not in kept]
    if new:
        kept.update(zip(new, reader.build_char_representation(list(map(list, new))), strict=True))
    return [kept[sentence] for sentence in sentences]


_READ: WeakKeyDictionary[Any, dict[tuple[str, ...], Any]] = WeakKeyDictionary()


def _vector_of(vocabulary: Any, word: str) -> int:
    number: int = vocabulary.unit2id(word)
    return number if number != UNK_ID else int(vocabulary.unit2id(word.lower()))
