"""The one place where Stanza is touched, and left as it was.

Stanza's constituency parser chooses its transitions, its gold sequences and its scorer by name
and by fixed lists. Within :func:`hosting` some of these names mean something else; what they
meant before they mean again when the context ends, by an exception too:

    ==========================================  =================================================
    name                                        means, within the context
    ==========================================  =================================================
    ``parser_training.EvaluateParser``          UAS by arctree, in place of the Java scorer
    ``transition_sequence.build_sequence``      (mapped) the canonical derivation of T(D); with
                                                supertags, where trees bear relations
    ``Transition.from_repr``                    reads shifts with supertags, and (mapped) SHIFT,
                                                LEFTARC and RIGHTARC, too
    ``parser_training.get_open_nodes``          (mapped) the labels of composed vectors
    ``LSTMModel.forward``                       the same in training; in parsing, transitions that
                                                differ by supertag or relation alone count as one
    ``LSTMModel.build_constituents``            the same; no number is beyond a bound
    ``parser_training.train_model_one_batch``   the same, many transitions at once
    ``LSTMTreeStack.push_states``               the same, with one operation in place of many
    ``LSTMModel.push_constituents``             the same, with one operation in place of many
    ``LSTMModel.initial_word_queues``           the same, with one operation in place of many
    ``LSTMModel.transform_word_to_constituent`` the same, without a slice that cuts nothing off
    ``unsort``                                  sentences that Stanza gave up on may be missing
    ``torch.save``                              the same; the file is there when it is complete
    ``save`` of three classes                   the same; what goes wrong in it is an error
    ``tqdm`` of four modules                    no progress bars
    the loggers of Stanza                       silent
    ==========================================  =================================================

Encoder, features, optimisers, schedules, checkpoints and model files are Stanza's own, and so is
the code that trains, saves, loads and parses. Of Stanza's dependency parser five names are
replaced in the same way, by :mod:`arctree.study.stanza.graph_parser`: what predicts heads, while
they are given, the scorer, which is listened to, and three that do the same with fewer operations.
Of its tagger it is the scorer, and what scores tags, by :mod:`arctree.study.stanza.tagger`.

Stanza's transition schemes are an enumeration, and it is looked up by name when a model is
loaded. The mapped system borrows the name ``IN_ORDER_UNARY``, for which Stanza has no oracle and
makes no assumption in training. Outside the context such a model file is refused by Stanza,
which knows no transition called LEFTARC, and so is one whose shifts have supertags.

Which names there are and what they do differs between releases, so another release than the
tested one is refused.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from io import StringIO
from typing import Any, NamedTuple

from arctree.errors import CallError, DataError, MissingExtraError
from arctree.study.stanza.model_files import saving_whole_files
from arctree.study.stanza.replacing import Replacement, replaced

TESTED = "1.15.0"
# The scheme under whose name the mapped system runs.
SCHEME = "IN_ORDER_UNARY"

# The tags of a sentence's words, by these words.
Tags = Mapping[tuple[str, ...], Sequence[str]]
# Scores dev: from Stanza's (gold, predicted) pairs of trees to a number, the higher the better.
Score = Callable[[Sequence[tuple[Any, Any]]], float]


def check_release() -> None:
    """Raise an error with the remedy unless the tested release of Stanza is installed."""
    try:
        found = version("stanza")
    except PackageNotFoundError:
        raise MissingExtraError("this system runs in Stanza", "stanza") from None
    if found != TESTED:
        raise CallError(
            f"Stanza {found} is installed, and this adapter was tested with {TESTED} only: "
            f"install that with  pip install 'arctree[stanza]'  or  pip install stanza=={TESTED}"
        )


@contextmanager
def hosting(
    *, mapped: bool, score: Score | None = None, tags: Tags | None = None
) -> Iterator[None]:
    """Stanza's constituency parser, with the mapped system in it or its own, scored by UAS.

    ``tags`` are those of sentences, to be learnt in supertags where trees bear relations.
    """
    check_release()
    with silent(), replaced(_replacements(mapped=mapped, score=score, tags=tags or {})):
        yield


@contextmanager
def silent() -> Iterator[None]:
    """Stanza's loggers say nothing, and nobody is warned of files that it left open."""
    import_module("stanza.models._training_logging")  # which sets the level of its logger itself
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    levels = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def check_options(program: str, own: Sequence[str], options: Sequence[str]) -> dict[str, Any]:
    """What one of Stanza's programs makes of its options; an error unless it takes them.

    By itself it would say how it is used, and end the whole study. What the adapter's ``own``
    options say of a run, such as its seed and its transitions, no other may say otherwise, but
    for a few that are usual and no more.
    """
    usual, taken = (_taken(program, some) for some in (own, options))
    named = {option.removeprefix("--") for option in own if option.startswith("--")}
    for name in sorted(((named - _FREE) | _SETTLED) & usual.keys()):
        if taken[name] != usual[name]:
            raise DataError(
                f"{_OPTIONS_OF[program]} gives {name} as {taken[name]}, and it is {usual[name]} "
                "by what else the study says",
                f"leave it out of {_OPTIONS_OF[program]}",
            )
    return taken


def _taken(program: str, arguments: Sequence[str]) -> dict[str, Any]:
    said = StringIO()
    try:
        with silent(), redirect_stderr(said), redirect_stdout(said):
            program_of = import_module(f"stanza.models.{program}")
            taken: dict[str, Any] = program_of.parse_args(list(arguments))
            return taken
    except (SystemExit, ValueError) as error:
        is_told = isinstance(error, SystemExit)
        reason = said.getvalue().strip().rpartition("error: ")[2] if is_told else str(error)
        raise DataError(
            f"Stanza's program {program} does not take its options: {reason}",
            f"change {_OPTIONS_OF[program]}",
        ) from None


# Of what the adapter gives, what is usual and no more; and what it settles by leaving it out.
_FREE = {"eval_batch_size", "eval_interval", "second_optim_start_step", "tag_embedding_dim"}
_SETTLED = {
    *("mode", "model_type", "finetune", "load_name", "continue_from", "checkpoint_save_name"),
    *("silver_file", "retag_method", "use_upos", "use_xpos", "use_ufeats", "fix_eval_interval"),
    *("pretrain", "wordvec_file", "charlm", "charlm_forward_file", "charlm_backward_file"),
    "reversed",  # sentences from right to left: transitions would be told of other words
}
_OPTIONS_OF = {
    "constituency_parser": "tree_options",
    "parser": "graph_options",
    "tagger": "tagger_options",
}
_LOGGERS = (
    "stanza",
    "stanza.constituency",
    "stanza.constituency.trainer",
    "stanza.models.pos.xpos_vocab_factory",
)


def _replacements(*, mapped: bool, score: Score | None, tags: Tags) -> list[Replacement]:
    training = import_module("stanza.models.constituency.parser_training")
    lstm_stack = import_module("stanza.models.constituency.lstm_tree_stack")
    lstm_model = import_module("stanza.models.constituency.lstm_model")
    utilities = import_module("stanza.models.common.utils")
    lighter = import_module("arctree.study.stanza.lighter")
    forcing = import_module("arctree.study.stanza.teacher_forcing")
    beside = import_module("arctree.study.stanza.beside")
    compositions = import_module("arctree.study.stanza.compositions")
    network = lstm_model.LSTMModel
    found = [
        *saving_whole_files(),
        Replacement(training, "unsort", _unsorted),
        Replacement(utilities, "unsort", _unsorted),
        Replacement(lstm_stack.LSTMTreeStack, "push_states", lighter.push_states),
        *(Replacement(network, name, vars(lighter)[name]) for name in _LIGHTER),
        Replacement(network, "forward", beside.summed(vars(network)["forward"])),
        Replacement(network, _BUILD, compositions.bounded(vars(network)[_BUILD])),
        Replacement(training, _TRAIN_BATCH, forcing.forced(vars(training)[_TRAIN_BATCH])),
        *(Replacement(import_module(name), "tqdm", _no_bar) for name in _WITH_BARS),
    ]
    if score is not None:
        found.append(Replacement(training, "EvaluateParser", _evaluator(score)))
    return found + _transitions(training, mapped=mapped, tags=tags)


_TRAIN_BATCH = "train_model_one_batch"
_BUILD = "build_constituents"
_LIGHTER = ("push_constituents", "initial_word_queues", "transform_word_to_constituent")
_WITH_BARS = tuple(
    f"stanza.models.constituency.{name}"
    for name in ("parser_training", "transition_sequence", "tree_reader", "utils")
)


def _transitions(training: Any, *, mapped: bool, tags: Tags) -> list[Replacement]:
    """What there is of transitions, and which of them are gold."""
    sequences = import_module("stanza.models.constituency.transition_sequence")
    transitions = import_module("stanza.models.constituency.parse_transitions")
    actions = import_module("arctree.study.stanza.actions")
    beside = import_module("arctree.study.stanza.beside")
    schemes = transitions.TransitionScheme
    build_sequence, get_open_nodes = sequences.build_sequence, training.get_open_nodes
    from_repr = transitions.Transition.from_repr
    kinds = (beside.TaggedShift, *(actions.KINDS if mapped else ()))

    def is_ours(scheme: Any) -> bool:
        return mapped and scheme is schemes[SCHEME]

    def sequence_of(tree: Any, transition_scheme: Any = schemes.TOP_DOWN_UNARY) -> Any:
        words = beside.supertags(tree, tags)
        if is_ours(transition_scheme):
            return actions.gold_sequence(tree, words)
        sequence = build_sequence(tree, transition_scheme)
        return beside.with_supertags(sequence, words) if words else sequence

    def open_nodes(trees: Any, transition_scheme: Any) -> Any:
        if is_ours(transition_scheme):
            return list(actions.COMPOSED)
        return get_open_nodes(trees, transition_scheme)

    def read_transition(text: str) -> Any:
        return beside.read_told(text, kinds) or from_repr(text)

    return [
        Replacement(sequences, "build_sequence", sequence_of),
        Replacement(training, "get_open_nodes", open_nodes),
        Replacement(transitions.Transition, "from_repr", staticmethod(read_transition)),
    ]


class _Response(NamedTuple):
    """What Stanza asks of its scorer; ``f1`` is what it selects models by."""

    f1: float
    kbestF1: None = None  # noqa: N815 - Stanza's name
    treeF1: float = 0.0  # noqa: N815 - Stanza's name

    def HasField(self, _: str) -> bool:  # noqa: N802 - Stanza's name
        return False


def _evaluator(score: Score) -> type:
    """What takes the place of Stanza's client of the Java scorer."""

    class Evaluator:
        def __init__(self, kbest: int | None = None) -> None:
            assert kbest is None, "the study has no k-best lists"

        def __enter__(self) -> Evaluator:
            return self

        def __exit__(self, *_: object) -> None: ...

        def process(self, treebank: Sequence[Any]) -> _Response:
            return _Response(
                score([(result.gold, result.predictions[0].tree) for result in treebank])
            )

    return Evaluator


def _no_bar(iterable: Any = (), *_: object, **__: object) -> Any:
    return iterable


def _unsorted(items: Sequence[Any], places: Sequence[int]) -> list[Any]:
    """The items in the order of their places.

    If some are missing, because Stanza gave up on a sentence, nobody knows which; as they are.
    """
    if len(items) != len(places):
        return list(items)
    return [items[number] for number in sorted(range(len(items)), key=places.__getitem__)]
