from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from arctree.dependency import DependencyTree
from arctree.draw.layout import arc_levels, lay_out_arcs, lay_out_tree
from arctree.ordered import Leaf, OrderedTree, from_dependency
from strategies import any_heads, projective_trees, trees

spans = any_heads(max_size=14).map(
    lambda heads: [
        (min(word, head), max(word, head)) for word, head in enumerate(heads, start=1) if head
    ]
)


@given(spans)
def test_an_arc_lies_above_all_arcs_it_covers_and_crossing_arcs_stay_apart(
    spans: list[tuple[int, int]],
) -> None:
    levels = arc_levels(spans)
    for (first, first_level), (second, second_level) in combinations(
        zip(spans, levels, strict=True), 2
    ):
        share_a_gap = max(first[0], second[0]) < min(first[1], second[1])
        if not share_a_gap:
            continue
        assert first_level != second_level
        if first[0] <= second[0] and second[1] <= first[1]:
            assert first_level > second_level
        if second[0] <= first[0] and first[1] <= second[1]:
            assert second_level > first_level


@given(spans)
def test_no_arc_lies_higher_than_it_must(spans: list[tuple[int, int]]) -> None:
    levels = arc_levels(spans)
    for span, level in zip(spans, levels, strict=True):
        if level > 1:
            assert any(
                other_level == level - 1 and max(span[0], other[0]) < min(span[1], other[1])
                for other, other_level in zip(spans, levels, strict=True)
            )


def test_a_chain_of_neighbours_has_one_level_and_a_fan_has_many() -> None:
    assert arc_levels([(1, 2), (2, 3), (3, 4)]) == [1, 1, 1]
    assert arc_levels([(1, 2), (1, 3), (1, 4)]) == [1, 2, 3]
    assert arc_levels([(1, 3), (2, 4)]) == [1, 2]
    assert arc_levels([]) == []


@given(trees(), st.data())
def test_words_do_not_touch_and_labels_fit_their_arcs(
    tree: DependencyTree, data: st.DataObject
) -> None:
    sizes = data.draw(st.lists(st.integers(1, 60), min_size=len(tree), max_size=len(tree)))
    labels = data.draw(st.lists(st.integers(1, 90), min_size=len(tree), max_size=len(tree)))
    layout = lay_out_arcs(tree, sizes, labels, gap=5, slot=9)
    for (left, left_size), (right, right_size) in pairwise(zip(layout.places, sizes, strict=True)):
        assert right - left >= (left_size + right_size) / 2 + 5
    assert layout.places[0] >= sizes[0] / 2
    assert layout.extent >= layout.places[-1] + sizes[-1] / 2
    for arc in layout.arcs:
        assert abs(arc.end - arc.start) >= labels[arc.arc.dependent - 1]
        assert (arc.start < arc.end) == (arc.arc.head < arc.arc.dependent)


@given(trees())
def test_arcs_meet_a_word_in_different_places(tree: DependencyTree) -> None:
    layout = lay_out_arcs(tree, [80] * len(tree), [0] * len(tree), gap=5, slot=9)
    ends: dict[int, list[int]] = {tree.root: [layout.root_place]}
    for arc in layout.arcs:
        ends.setdefault(arc.arc.head, []).append(arc.start)
        ends.setdefault(arc.arc.dependent, []).append(arc.end)
    for word, places in ends.items():
        assert len(set(places)) == len(places)
        assert all(abs(place - layout.places[word - 1]) <= 40 for place in places)


@given(projective_trees, st.integers(0, 4))
def test_no_two_nodes_of_a_depth_touch_and_leaves_are_in_surface_order(
    dependencies: DependencyTree, gap: int
) -> None:
    tree = from_dependency(dependencies)

    def size(item: OrderedTree | Leaf) -> int:
        return len(item.word) if isinstance(item, Leaf) else len(str(item.label))

    layout = lay_out_tree(tree, size, gap=gap)
    rows: dict[int, list[tuple[int, int]]] = {}
    for node in layout.nodes:
        start = node.place - size(node.item) // 2
        rows.setdefault(node.depth, []).append((start, start + size(node.item)))
    for row in rows.values():
        assert row == sorted(row)
        assert all(after[0] - before[1] >= gap for before, after in pairwise(row))
        assert row[0][0] >= 0
        assert row[-1][1] <= layout.extent
    leaves = [node for node in layout.nodes if isinstance(node.item, Leaf)]
    assert [leaf.item for leaf in leaves] == tree.leaves()
    assert all(
        layout.nodes[leaf.parent].depth + 1 == leaf.depth
        and isinstance(layout.nodes[leaf.parent].item, OrderedTree)
        for leaf in leaves
    )
