"""Trees as lists of nodes, and where these are drawn."""

from __future__ import annotations

from itertools import pairwise

import pytest

import engine
from engine.analysis.merge_steps import merge_spans, trace_of
from engine.encoding.encoding import Encoding
from engine.split.patterns import CL100K
from engine.types import MergeTree
from gui.tokenizers.merges.service import ForestNode, MergeForest, forest_of, forest_of_trace
from gui.tokenizers.merges.tree_view import GAP, TREE_GAP, lay_out

WIDTH, HEIGHT = 30.0, 20.0


def trees(text: str, name: str = "cl100k_base") -> list[MergeTree]:
    encoding = engine.get_encoding(name)
    return [encoding.merge_tree(token_id) for token_id in encoding.encode_ordinary(text)]


def forest_of_pretoken(encoding: Encoding, text: str) -> MergeForest:
    trace = trace_of(encoding, text)
    return forest_of_trace(trace, merge_spans(trace))


def texts(forest: MergeForest) -> list[str]:
    return [forest.nodes[place].token_bytes.decode("latin-1") for place in forest.reading_order()]


def chain(size: int) -> MergeTree:
    """A tree that is as deep as it has leaves."""
    byte = MergeTree(97, b"a", 97, None, None)
    tree = byte
    for length in range(2, size + 1):
        tree = MergeTree(254 + length, b"a" * length, 254 + length, tree, byte)
    return tree


def test_a_forest_holds_every_part_of_every_token():
    forest = forest_of(trees("berry"))
    assert texts(forest) == ["berry", "b", "erry", "err", "er", "e", "r", "r", "y"]
    assert (forest.roots, forest.left_out, forest.is_cut) == (1, 0, False)
    starts = {forest.nodes[place].byte_start for place in forest.reading_order() if forest.nodes[place].is_leaf}
    assert starts == set(range(5))
    for place, node in enumerate(forest.nodes):
        if not node.is_leaf:
            parts = forest.nodes[node.left], forest.nodes[node.right]
            assert b"".join(part.token_bytes for part in parts) == node.token_bytes
            assert {part.parent for part in parts} == {place}


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base", "deepseek"])
@pytest.mark.parametrize("text", [" strawberry", "    ", "antidisestablishmentarianism"])
def test_merges_are_numbered_in_the_order_in_which_they_happen(name, text):
    forest = forest_of(trees(text, name))
    made = sorted((node.step, node.byte_start, node.token_id) for node in forest.nodes if node.step)
    steps = engine.get_encoding(name).merge_steps(text)
    assert [(start, token_id) for _, start, token_id in made] == [(step.byte_start, step.token_id) for step in steps]


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base", "tekken"])
@pytest.mark.parametrize("text", ["strawberry", "a", "🚀", "xylitol", " " * 60])
def test_the_forest_of_a_pretoken_is_that_of_its_tokens(name, text):
    encoding = engine.get_encoding(name)
    assert forest_of_pretoken(encoding, text) == forest_of(
        [encoding.merge_tree(token_id) for token_id in encoding._encode_single_piece(text)]
    )


def test_a_pretoken_that_is_looked_up_is_a_node():
    ranks = {bytes([value]): value for value in range(256)} | {b"xyz": 256}
    own = Encoding("own", pat_str=CL100K.expression, mergeable_ranks=ranks, special_tokens={})
    assert forest_of_pretoken(own, "xyz").nodes == (ForestNode(256, b"xyz", 0),)


def test_what_is_too_large_is_cut_from_below():
    forest = forest_of(trees(" strawberry"), most_nodes=4)
    assert len(forest.nodes) == 3
    assert [node.is_cut for node in forest.nodes] == [False, True, True]
    assert forest.is_cut
    assert {node.step for node in forest.nodes} == {0}


def test_more_trees_than_there_is_room_for():
    forest = forest_of([chain(2)] * 5, most_nodes=3)
    assert (len(forest.nodes), forest.roots, forest.left_out, forest.is_cut) == (3, 3, 2, True)


def test_trees_deeper_than_the_stack():
    forest = forest_of([chain(1400)])
    assert len(forest.nodes) == 2 * 1400 - 1
    assert lay_out(forest, [WIDTH] * len(forest.nodes), HEIGHT).levels[0] == 1399


def test_boxes_stand_above_their_parts_and_never_overlap():
    forest = forest_of([*trees("strawberry"), *trees(" a" * 3)])
    layout = lay_out(forest, [WIDTH + 7 * (place % 5) for place in range(len(forest.nodes))], HEIGHT)
    for row in layout.rows:
        for before, after in pairwise(row):
            assert layout.boxes[before][0] + layout.boxes[before][2] + GAP <= layout.boxes[after][0] + 1e-6
    for place, node in enumerate(forest.nodes):
        left, top, width = layout.boxes[place]
        assert 0 <= left <= left + width <= layout.width + 1e-6
        assert 0 <= top <= layout.height - HEIGHT + 1e-6
        if not node.is_leaf:
            parts = [layout.boxes[part] for part in (node.left, node.right)]
            assert all(part[1] >= top + HEIGHT for part in parts)
            assert parts[0][0] < left + width / 2 < parts[1][0] + parts[1][2]
        else:
            assert top == layout.height - HEIGHT


def test_a_wide_token_over_narrow_parts_keeps_them_in_its_middle():
    forest = forest_of([chain(2), chain(2)])
    layout = lay_out(forest, [200.0, 200.0, 10.0, 10.0, 10.0, 10.0], HEIGHT)
    assert [box[0] for box in layout.boxes] == pytest.approx(
        [0, 200 + TREE_GAP, 85, 95 + GAP, 285 + TREE_GAP, 295 + GAP + TREE_GAP]
    )


def test_nodes_are_found_by_place():
    forest = forest_of(trees("berry"))
    layout = lay_out(forest, [WIDTH] * len(forest.nodes), HEIGHT)
    for place, (left, top, width) in enumerate(layout.boxes):
        assert layout.node_at(left + width / 2, top + 1) == place
    assert layout.node_at(-1, -1) == -1
    assert layout.node_at(0, 1) == -1
    everything = set(layout.around(0, 0, layout.width, layout.height))
    assert everything == set(range(len(forest.nodes)))
    left_byte = next(place for place in layout.rows[0])
    assert left_byte in set(layout.around(0, layout.height - 1, 1, layout.height))
    assert set(layout.around(0, 0, layout.width, 1)) == {0}


def test_a_picture_of_a_part_has_all_lines_that_cross_it():
    forest = forest_of([chain(60)])
    layout = lay_out(forest, [WIDTH] * len(forest.nodes), HEIGHT)
    middle = layout.boxes[forest.nodes[40].left]
    shown = set(layout.around(middle[0], middle[1], middle[0] + 1, middle[1] + 1))
    assert 0 in shown, "the line of the token on top goes down past everything"


def test_nothing_is_nowhere():
    layout = lay_out(MergeForest(), (), HEIGHT)
    assert (layout.width, layout.height, layout.rows) == (0, 0, ())
    assert layout.node_at(0, 0) == -1


def test_the_neighbour_in_a_row():
    layout = lay_out(MergeForest(tuple(ForestNode(one, b"a", one) for one in range(3)), 3), [WIDTH] * 3, HEIGHT)
    assert [layout.beside(1, -1), layout.beside(1, 1), layout.beside(2, 1), layout.beside(0, -1)] == [0, 2, 2, 0]
