"""A batch of gold sequences, trained in few large operations; the loss is Stanza's own.

While Stanza trains by gold sequences alone, as it does for the mapped system and, before its
dynamic oracle starts, for in-order, the loss of a batch is a function of words and sequences. It
is computed here in the order of :mod:`arctree.study.stanza.schedule`, with the modules of Stanza's
network, and comes out the same: a test holds loss and gradients to those of Stanza. What differs
is the time, and which random number drops which element out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from stanza.models.constituency.lstm_tree_stack import LSTMTreeStack
from stanza.models.constituency.parser_training import EpochStats

from arctree.errors import DataError
from arctree.study.stanza.compositions import OF_ANY_NUMBER, OF_EQUAL_NUMBERS, composed
from arctree.study.stanza.schedule import Numbers, Plan, Pushing, Schedule, plan, schedule

Train = Callable[..., Any]


def forced(train: Train) -> Train:
    """Stanza's training of one batch, in few operations where that gives the same."""
    plans: dict[int, tuple[Any, Plan]] = {}

    def plan_of(sequence: Any, model: Any) -> Plan:
        # With the sequence, so that no other comes to have its number.
        known = plans.get(id(sequence))
        if known is None:
            known = plans[id(sequence)] = (sequence, plan(sequence, model))
        return known[1]

    def train_batch(
        epoch: int,
        number: int,
        model: Any,
        batch: Sequence[Any],
        answers: Any,
        process: Callable[[Any], Any],
        loss_of: Callable[[Any, Any], Any],
        oracle: Any,
        args: dict[str, Any],
    ) -> Any:
        if not _is_forced(epoch, model, oracle, args):
            counted = train(epoch, number, model, batch, answers, process, loss_of, oracle, args)
            if counted.nans:
                _check_weights(model)
            return counted
        queues = model.initial_word_queues([item.preterminals for item in batch])
        order = schedule(
            [plan_of(item.gold_sequence, model) for item in batch],
            len(model.constituent_opens),
            of_equal_numbers=model.constituency_composition not in OF_ANY_NUMBER,
        )
        scores = _scores(model, queues, order)
        loss = loss_of(process(scores), _on(scores, order.transitions))
        loss.backward()
        value = loss.item()
        is_broken = bool(np.isnan(value))
        if is_broken:
            _check_weights(model)
        found = scores.detach().argmax(dim=1).cpu().numpy()
        right, wrong = _counts(model, found, order.transitions)
        return EpochStats(0.0 if is_broken else value, right, wrong, Counter(), 0, int(is_broken))

    return train_batch


def _is_forced(epoch: int, model: Any, oracle: Any, args: dict[str, Any]) -> bool:
    """Whether only gold transitions are taken, by a network whose order is known."""
    return (
        (oracle is None or epoch < args["oracle_initial_epoch"])
        and isinstance(model.constituent_stack, LSTMTreeStack)
        and isinstance(model.transition_stack, LSTMTreeStack)
        and model.constituency_composition in OF_EQUAL_NUMBERS
        and model.num_tree_lstm_layers == 1
        and not model.reverse_sentence
        and not model.is_top_down
        and not args["watch_regex"]
    )


def _check_weights(model: Any) -> None:
    """Stanza leaves out a batch whose loss is no number; with such weights it would be all."""
    if not all(bool(weights.isfinite().all()) for weights in model.parameters()):
        raise DataError(
            "the tree parser's weights have come to be no numbers: it learnt too fast",
            "lower --learning_rate or set --grad_clipping in stanza.tree_options, "
            "and train it again in another folder",
        )


def _scores(model: Any, queues: list[Any], order: Schedule) -> Any:
    """The score of every transition at every step of every sentence."""
    words = torch.stack([node.hx for queue in queues for node in queue])
    vectors = _vectors(model, words, order)
    seen = [
        words[_on(words, order.next_words)],
        _history(model.transition_stack, model.transition_embedding, order),
        _states(model.constituent_stack, vectors, order.pushings)[_on(words, order.tops)],
    ]
    hidden = torch.cat(seen, dim=1)
    for layer in model.output_layers:
        hidden = model.predict_dropout(hidden)
        if not model.maxout_k:
            hidden = model.nonlinearity(hidden)
        hidden = layer(hidden)
    return hidden


def _vectors(model: Any, words: Any, order: Schedule) -> Any:
    """The vectors of all things that are pushed, numbered as in the schedule."""
    vectors = torch.cat([words, model.dummy_embedding.weight]) if order.has_labels else words
    for labels, children in order.compositions:
        below = vectors[_on(words, children)]
        vectors = torch.cat([vectors, composed(model, _on(words, labels), below)])
    return vectors


def _states(stack: Any, vectors: Any, pushings: Sequence[Pushing]) -> Any:
    """What the stack's LSTM says after each pushing, and first of all of the empty stack."""
    empty = stack.initial_state().value
    outputs = [empty.output[None]]
    hidden, cell = empty.lstm_hx[:, None], empty.lstm_cx[:, None]
    sizes = [len(part.vectors) for part in pushings]
    all_pushed = _on(vectors, np.concatenate([part.vectors for part in pushings]))
    inputs = stack.input_dropout(vectors[all_pushed]).split(sizes)
    for pushed, part in zip(inputs, pushings, strict=True):
        below = _on(vectors, part.below)
        output, (hidden, cell) = stack.lstm(pushed[None], (hidden[:, below], cell[:, below]))
        outputs.append(output[0])
    return torch.cat(outputs)


def _history(stack: Any, embedding: Any, order: Schedule) -> Any:
    """What the LSTM over past transitions says at each step; all of it at once."""
    start = stack.initial_state().value
    sentences = order.history.shape[1]
    first = start.output.expand(1, sentences, -1)
    inputs = stack.input_dropout(embedding(_on(start.output, order.history)))
    begin = tuple(
        state[:, None].expand(-1, sentences, -1).contiguous()
        for state in (start.lstm_hx, start.lstm_cx)
    )
    output, _ = stack.lstm(inputs, begin)
    return torch.cat([first, output]).flatten(0, 1)[_on(output, order.places)]


def _counts(
    model: Any, found: Numbers, wanted: Numbers
) -> tuple[Counter[str], Counter[tuple[str, str]]]:
    """How often which transition was found, and which one another was taken for."""
    names = [transition.short_name() for transition in model.transitions]
    pairs = Counter(zip(wanted.tolist(), found.tolist(), strict=True))
    right: Counter[str] = Counter()
    wrong: Counter[tuple[str, str]] = Counter()
    for (one, other), count in pairs.items():
        if one == other:
            right[names[one]] += count
        else:
            wrong[names[one], names[other]] += count
    return right, wrong


def _on(tensor: Any, numbers: Numbers) -> Any:
    """The numbers where the tensor is."""
    return torch.from_numpy(numbers).to(tensor.device, non_blocking=True)
