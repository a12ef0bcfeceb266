"""Systems in Stanza learn φ(D) and answer with φ⁻¹ of what they have learnt."""

from __future__ import annotations

from pathlib import Path

import pytest

from arctree import conllu
from arctree.dependency import DependencyTree
from arctree.lifting import Scheme, lift, unlift
from arctree.sentence import from_tree
from arctree.study.stanza.settings import StanzaSettings
from arctree.study.stanza.systems import stanza_system
from arctree.study.system import Treebanks

pytestmark = pytest.mark.xdist_group("stanza")

# On "hearing" depends "issue", across "scheduled".
CROSSING = DependencyTree(
    ("a", "hearing", "is", "scheduled", "on", "the", "issue", "today"),
    (2, 4, 4, 0, 7, 7, 2, 4),
    ("det", "nsubj:pass", "aux:pass", "root", "case", "det", "nmod", "obl:tmod"),
)
PLAIN = DependencyTree(("the", "dog", "sees", "it"), (2, 3, 0, 3), ("det", "nsubj", "root", "obj"))
SETTINGS = StanzaSettings(
    epochs=6,
    epoch_size=100,
    batch=10,
    tree_options=(
        *("--hidden_size", "32", "--no_multistage", "--optim", "adamw"),
        *("--learning_rate", "0.01", "--oracle_initial_epoch", "1000"),
    ),
    steps=60,
    word_batch=200,
    graph_options=(
        *("--hidden_dim", "32", "--char_hidden_dim", "16", "--deep_biaff_hidden_dim", "32"),
        *("--lr", "0.01", "--optim", "adam", "--second_optim_start_step", "1000"),
    ),
)


@pytest.mark.parametrize("scheme", [Scheme.EXACT, Scheme.BASELINE])
@pytest.mark.parametrize("kind", ["stanza-mapped", "stanza-in-order"])
def test_what_was_lifted_comes_back_as_far_as_the_scheme_can_tell(
    kind: str, scheme: Scheme, tmp_path: Path
) -> None:
    """Two sentences, often enough to be learnt by heart."""
    path = str(tmp_path / "both.conllu")
    conllu.write([from_tree(tree) for tree in [CROSSING, PLAIN] * 20], path)
    system = stanza_system(kind, SETTINGS, Treebanks((path,), (path,), (path,), scheme), 1, "cpu")
    system.train(tmp_path / "model", lambda message: None)
    asked = [from_tree(CROSSING), from_tree(PLAIN)]
    outputs = system.load(tmp_path / "model")(asked)
    crossing, plain = outputs.sentences
    # Two a word; in order three, and two for the root's own node.
    words = len(CROSSING) + len(PLAIN)
    assert outputs.steps == (2 * words if kind == "stanza-mapped" else 3 * words + 2 * len(asked))
    assert outputs.ill_formed == 0
    wanted = unlift(lift(CROSSING, scheme))
    assert (wanted == CROSSING) is (scheme is Scheme.EXACT)
    assert crossing.tree.is_projective() is (scheme is Scheme.BASELINE)
    assert (crossing.heads, tuple(crossing.deprels)) == (wanted.heads, wanted.labels)
    assert (plain.heads, tuple(plain.deprels)) == (PLAIN.heads, PLAIN.labels)
