from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from arctree.network.labeller import LABELLERS, AdditiveLabeller, BiaffineLabeller, Labeller
from tiny import LABELS, ON_OTHERS, ON_ROOT, SETTINGS, randomise

WIDTH = 8


KINDS = st.sampled_from(sorted(LABELLERS))


def random_labeller(seed: int = 0, kind: str = "biaffine") -> Labeller:
    places = torch.tensor(ON_ROOT), torch.tensor(ON_OTHERS)
    labeller = LABELLERS[kind](WIDTH, SETTINGS.label_width, SETTINGS, *places).eval()
    randomise(labeller, seed)
    return labeller


def random_arcs(count: int, seed: int = 0) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Vectors of ten rows, and arcs between any of them, every third of which is a root arc."""
    source = torch.Generator().manual_seed(seed)
    vectors = 3 * torch.randn(10, WIDTH, generator=source)
    words, heads = torch.randint(10, (2, count), generator=source)
    return vectors, words, heads, torch.arange(count) % 3 == 0


@given(st.integers(1, 30), st.integers(0, 1000), KINDS)
def test_labels_of_root_arcs_stand_on_root_arcs_only_and_root_arcs_take_no_others(
    count: int, seed: int, kind: str
) -> None:
    vectors, words, heads, is_root = random_arcs(count, seed)
    scores = random_labeller(seed, kind)(vectors, words, heads, is_root)
    assert scores.shape == (count, len(LABELS))
    for row, on_root, best in zip(scores.tolist(), is_root, scores.argmax(-1), strict=True):
        allowed = ON_ROOT if on_root else ON_OTHERS
        assert [score > -torch.inf for score in row] == list(allowed)
        assert allowed[best]


def test_every_label_is_the_best_of_some_arc() -> None:
    # Otherwise the law above would say little.
    vectors, words, heads, is_root = random_arcs(300)
    best = random_labeller()(vectors, words, heads, is_root).argmax(-1)
    assert set(best[is_root].tolist()) == {0, 1}
    assert set(best[~is_root].tolist()) == {1, 2, 3, 4}


def test_a_score_is_one_layer_over_the_sum_of_dependent_and_head() -> None:
    labeller = random_labeller(kind="additive")
    assert isinstance(labeller, AdditiveLabeller)
    vectors, words, heads, is_root = random_arcs(20)
    scores = labeller(vectors, words, heads, is_root)
    for row, word, head in zip(scores, words, heads, strict=True):
        summed = labeller.as_dependent(vectors[word]) + labeller.as_head(vectors[head])
        expected = labeller.classify(summed)
        possible = row > -torch.inf
        torch.testing.assert_close(row[possible], expected[possible])


def test_a_score_is_the_biaffine_of_dependent_and_head() -> None:
    labeller = random_labeller()
    assert isinstance(labeller, BiaffineLabeller)
    vectors, words, heads, is_root = random_arcs(20)
    scores = labeller(vectors, words, heads, is_root)
    for row, word, head in zip(scores, words, heads, strict=True):
        left = torch.cat([labeller.as_dependent(vectors[word]), torch.ones(1)])
        right = torch.cat([labeller.as_head(vectors[head]), torch.ones(1)])
        for label in range(len(LABELS)):
            if row[label] > -torch.inf:
                torch.testing.assert_close(row[label], left @ labeller.pairs[label] @ right)


def test_arcs_scored_in_several_goes_without_gradients_have_the_same_scores() -> None:
    labeller = random_labeller()
    for count in (1, 255, 256, 257, 2000):
        arcs = random_arcs(count)
        with torch.no_grad():
            in_several_goes = labeller(*arcs)
        assert in_several_goes.shape == (count, len(LABELS))
        torch.testing.assert_close(in_several_goes, labeller(*arcs).detach())
