"""Training many transitions at once: loss, gradients and counts are those of Stanza."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pytest
import torch
from stanza.models import constituency_parser
from stanza.models.common.char_model import CharacterLanguageModel
from stanza.models.common.pretrain import Pretrain
from stanza.models.common.vocab import CharVocab
from stanza.models.constituency import parse_transitions, parser_training, transition_sequence
from stanza.models.constituency.lstm_model import LSTMModel
from stanza.models.constituency.parse_transitions import TransitionScheme
from stanza.models.constituency.tree_reader import read_trees

from arctree.errors import DataError
from arctree.study.stanza import actions
from arctree.study.stanza.adapter import SCHEME, hosting
from arctree.study.stanza.schedule import plan, schedule
from arctree.study.stanza.trees import ending, format_for_stanza
from arctree.study.stanza.vectors import write_pretrain
from arctree.transitions import Configuration, Transition

OWN = parser_training.train_model_one_batch
KINDS = ("mapped", "in-order")


def random_heads(size: int, source: random.Random) -> list[int]:
    """Those of a random derivation."""
    configuration = Configuration.initial(size)
    while not configuration.is_terminal:
        legal = [transition for transition in Transition if transition.is_legal(configuration)]
        configuration = source.choice(legal)(configuration)
    return [head for _, head in sorted((word, head) for head, word in configuration.arcs)]


class Lesson(NamedTuple):
    """A small network of Stanza's with random weights, and trees to learn."""

    model: Any
    batch: list[Any]


def reader(*, is_forward: bool) -> Any:
    """A model of characters with random weights, which does not learn any more."""
    options = {"char_emb_dim": 3, "char_hidden_dim": 4, "char_num_layers": 1, "char_dropout": 0.5}
    characters = CharVocab([list("word0123456789 \n")])
    model = CharacterLanguageModel(
        {**options, "char_rec_dropout": 0.0}, {"char": characters}, is_forward_lm=is_forward
    )
    model.eval()
    model.finetune = False
    return model


def lesson(
    folder: Path,
    kind: str,
    *options: str,
    sizes: tuple[int, ...] = (1, 2, 9, 4),
    reads: bool = False,
    relations: tuple[str, ...] = ("UA",),
    tags: bool = False,
) -> Lesson:
    source = random.Random(7)
    lines, of_words = [], {}
    for size in sizes:
        heads = random_heads(size, source)
        words = [f"word{source.randrange(20)}" for _ in range(size)]
        if tags:
            of_words[tuple(words)] = [word[-1] for word in words]
        borne = [source.choice(relations) for _ in range(size)]
        lines.append(format_for_stanza(words, heads, list(map(ending, words)), borne))
    scheme = TransitionScheme[SCHEME if kind == "mapped" else "IN_ORDER"]
    with hosting(mapped=kind == "mapped", tags=of_words):
        trees = [tree for line in lines for tree in read_trees(line)]
        sequences = transition_sequence.build_treebank(trees, scheme)
        opens = parser_training.get_open_nodes(trees, scheme)
    write_pretrain((), 1, folder / "vectors.pt")
    arguments = constituency_parser.parse_args(
        [
            *("--hidden_size", "8", "--transition_hidden_size", "5", "--no_retag"),
            *("--tag_embedding_dim", "3", "--device", "cpu", "--transition_scheme", scheme.name),
            *("--word_dropout", "0", "--predict_dropout", "0", "--lstm_input_dropout", "0"),
            *("--rare_word_unknown_frequency", "0.5", "--tag_unknown_frequency", "0.5"),
            *options,
        ]
    )
    torch.manual_seed(1)
    words = sorted({word for tree in trees for word in tree.leaf_labels()})
    model = LSTMModel(
        Pretrain(str(folder / "vectors.pt")),
        *((reader(is_forward=True), reader(is_forward=False)) if reads else (None, None)),
        *(None, None, False, None),
        sorted({transition for sequence in sequences for transition in sequence}),
        ["ROOT", *relations],
        ["rd1", "rd2", "rd3", "d11"],
        words[:-2],
        words[:3],
        ["ROOT"],
        opens,
        3,
        arguments,
    )
    return Lesson(model.train(), parser_training.compose_train_data(trees, sequences))


class Outcome(NamedTuple):
    """What a batch did: what Stanza counts, and the gradients, by name."""

    counted: Any
    gradients: dict[str, Any]


def outcome(train: Any, lesson: Lesson, oracle: Any = None, epoch: int = 1) -> Outcome:
    model = lesson.model
    model.zero_grad()
    random.seed(3)
    answers = {
        transition: torch.tensor([number]) for number, transition in enumerate(model.transitions)
    }
    loss = torch.nn.CrossEntropyLoss(reduction="sum")
    counted = train(
        epoch, 0, model, lesson.batch, answers, lambda scores: scores, loss, oracle, model.args
    )
    gradients = {
        name: weight.grad for name, weight in model.named_parameters() if weight.grad is not None
    }
    return Outcome(counted, gradients)


def assert_the_same(lesson: Lesson, **options: Any) -> None:
    """Stanza as it is, its compositions too, and within the context."""
    with mock.patch.object(actions, "_compose", return_value=None):
        theirs = outcome(OWN, lesson, **options)
    with hosting(mapped=True):
        ours = outcome(parser_training.train_model_one_batch, lesson, **options)
    assert ours.counted.epoch_loss == pytest.approx(theirs.counted.epoch_loss, rel=1e-5)
    assert ours.counted._replace(epoch_loss=0) == theirs.counted._replace(epoch_loss=0)
    assert sum(ours.counted.transitions_incorrect.values()) > 5
    assert set(ours.gradients) == set(theirs.gradients)
    for name, gradient in theirs.gradients.items():
        assert torch.allclose(ours.gradients[name], gradient, atol=1e-4), name


def scheduled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the batches that are trained in few operations, as they come."""
    sizes: list[int] = []

    def counted(plans: Any, labels: int, **options: Any) -> Any:
        sizes.append(len(plans))
        return schedule(plans, labels, **options)

    monkeypatch.setattr("arctree.study.stanza.teacher_forcing.schedule", counted)
    return sizes


@pytest.mark.parametrize("composition", ["untied_max", "max", "bilstm", "untied_key", "tree_lstm"])
@pytest.mark.parametrize("kind", KINDS)
def test_loss_gradients_and_counts_are_those_of_stanza(
    composition: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = lesson(tmp_path, kind, "--constituency_composition", composition)
    quick = scheduled(monkeypatch)
    assert_the_same(given)
    assert quick == ([] if composition == "tree_lstm" else [len(given.batch)])


@pytest.mark.parametrize("composition", ["untied_max", "max", "bilstm", "untied_key"])
@pytest.mark.parametrize("kind", KINDS)
def test_relations_and_supertags_are_learnt_as_by_stanza(
    composition: str, kind: str, tmp_path: Path
) -> None:
    options = ("--constituency_composition", composition)
    given = lesson(tmp_path, kind, *options, relations=("root", "det", "nsubj"), tags=True)
    shifts = [one for one in given.model.transitions if isinstance(one, parse_transitions.Shift)]
    assert len(shifts) > 4
    assert len(given.model.transitions) - len(shifts) > 3
    assert_the_same(given)


@pytest.mark.parametrize("option", ["lstm_input_dropout", "predict_dropout", "word_dropout"])
@pytest.mark.parametrize("composition", ["untied_max", "max", "bilstm", "untied_key"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_is_dropped_out(kind: str, composition: str, option: str, tmp_path: Path) -> None:
    """Where all is dropped there is no chance in it."""
    dropping = ("--constituency_composition", composition, f"--{option}", "1")
    assert_the_same(lesson(tmp_path, kind, *dropping))


def test_trees_with_as_many_children_are_composed_together(tmp_path: Path) -> None:
    """No child is named twice then, and whatever is needed has been composed before."""
    given = lesson(tmp_path, "in-order", sizes=(12, 12, 12))
    plans = [plan(item.gold_sequence, given.model) for item in given.batch]
    counts = sorted(count for one in plans for count in one.counts.tolist() if count)
    assert len(set(counts)) > 2
    order = schedule(plans, 2, of_equal_numbers=True)
    composed = [row for part in order.compositions for row in part.children.tolist()]
    assert sorted(map(len, composed)) == sorted(len(set(row)) for row in composed) == counts
    first = max(max(part.vectors) for part in order.pushings) + 1 - len(composed)
    for part in order.compositions:
        assert part.children.max() < first
        first += len(part.labels)


@pytest.mark.parametrize(
    "options",
    [
        ("--sentence_boundary_vectors", "words"),
        ("--sentence_boundary_vectors", "none"),
        ("--maxout_k", "2"),
        ("--num_lstm_layers", "1"),
        ("--num_tree_lstm_layers", "2", "--constituency_composition", "max"),
        ("--transition_stack", "attn", "--transition_heads", "5"),
        ("--pattn_num_layers", "1", "--pattn_d_model", "16", "--pattn_num_heads", "2"),
        ("--reversed",),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_whatever_the_network_is(options: tuple[str, ...], kind: str, tmp_path: Path) -> None:
    torch.manual_seed(2)
    given = lesson(tmp_path, kind, *options)
    given.model.eval()  # attention has dropout of its own
    given.model.training = True
    assert_the_same(given)


@pytest.mark.parametrize("kind", KINDS)
def test_models_of_characters_are_read_once_for_each_sentence(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = lesson(tmp_path, kind, reads=True)
    assert given.model.word_input_size == 1 + 100 + 3 + 4 + 4
    read: list[int] = []
    plain = CharacterLanguageModel.build_char_representation

    def counted(model: Any, sentences: list[list[str]]) -> Any:
        read.append(len(sentences))
        return plain(model, sentences)

    monkeypatch.setattr(CharacterLanguageModel, "build_char_representation", counted)
    assert_the_same(given)
    assert_the_same(given)
    # Twice by Stanza, for each direction, and once by us.
    assert read == [len(given.batch)] * 6


@pytest.mark.parametrize("kind", KINDS)
def test_sentences_of_one_word(kind: str, tmp_path: Path) -> None:
    given = lesson(tmp_path, kind, sizes=(1, 1))
    theirs = outcome(OWN, given)
    with hosting(mapped=True):
        ours = outcome(parser_training.train_model_one_batch, given)
    assert ours.counted.epoch_loss == pytest.approx(theirs.counted.epoch_loss, rel=1e-5)


def test_the_oracle_of_in_order_is_stanzas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From its first epoch on every transition is taken one by one; before, many at once."""
    from stanza.models.constituency.in_order_oracle import InOrderOracle

    given = lesson(tmp_path, "in-order", "--oracle_initial_epoch", "3")
    oracle = InOrderOracle(["ROOT"], None, None, None)
    quick = scheduled(monkeypatch)
    assert_the_same(given, oracle=oracle, epoch=2)
    assert quick == [len(given.batch)]
    assert_the_same(given, oracle=oracle, epoch=3)
    assert quick == [len(given.batch)]


def test_a_context_in_a_context_changes_nothing_more(tmp_path: Path) -> None:
    given = lesson(tmp_path, "mapped")
    with hosting(mapped=True), hosting(mapped=True):
        twice = outcome(parser_training.train_model_one_batch, given)
    theirs = outcome(OWN, given)
    assert twice.counted.epoch_loss == pytest.approx(theirs.counted.epoch_loss, rel=1e-5)
    assert parser_training.train_model_one_batch is OWN


def test_a_loss_that_is_no_number_is_told(tmp_path: Path) -> None:
    given = lesson(tmp_path, "mapped")
    with torch.no_grad():
        given.model.output_layers[-1].weight.fill_(3e38)
    with hosting(mapped=True):
        counted = outcome(parser_training.train_model_one_batch, given).counted
    assert (counted.epoch_loss, counted.nans) == (0.0, 1)


@pytest.mark.parametrize("composition", ["untied_max", "tree_lstm"])
def test_weights_that_are_no_numbers_end_the_training(composition: str, tmp_path: Path) -> None:
    """Stanza would leave out every batch from then on, and say nothing of it here."""
    given = lesson(tmp_path, "mapped", "--constituency_composition", composition)
    with torch.no_grad():
        given.model.constituent_stack.lstm.weight_ih_l0[:, 3] = float("nan")
    with (
        hosting(mapped=True),
        pytest.raises(DataError, match=r"no numbers.*--learning_rate.*tree_options"),
    ):
        outcome(parser_training.train_model_one_batch, given)


@pytest.mark.parametrize("kind", KINDS)
def test_few_operations_for_many_transitions(kind: str, tmp_path: Path) -> None:
    """As many rounds as trees are high and stacks deep, not as many as there are transitions."""
    given = lesson(tmp_path, kind, sizes=(30,) * 20)
    order = schedule([plan(item.gold_sequence, given.model) for item in given.batch], 3)
    steps = [len(item.gold_sequence) for item in given.batch]
    assert len(order.transitions) == sum(steps)
    taken = sum(len(part.vectors) for part in order.pushings)
    assert taken == sum(steps) - len(steps)
    rounds = len(order.compositions) + len(order.pushings)
    assert rounds < max(steps)
    for before, after in zip(order.pushings, order.pushings[1:], strict=False):
        assert 0 <= after.below.min() <= after.below.max() < len(before.vectors)


def test_what_the_mapped_system_pushes(tmp_path: Path) -> None:
    """The two transitions of a word, and none that opens a node."""
    given = lesson(tmp_path, "mapped", sizes=(6,))
    [item] = given.batch
    found = plan(item.gold_sequence, given.model)
    assert found.transition.tolist() == [
        given.model.transition_map[transition] for transition in item.gold_sequence
    ]
    assert (found.source > 0).sum() == 6
    assert (found.source < 0).sum() == 0
    assert set(found.counts[found.source == 0].tolist()) == {2}
    assert len(found.children) == 10
    assert actions.taken(item.gold_sequence)[-1].name == "RIGHTARC"
