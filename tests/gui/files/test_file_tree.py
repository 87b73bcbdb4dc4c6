"""Trees of files as arrays: against sums that are made file by file."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.files.file_tree import TOP, FileChoice, FileTree, enough_of, tree_of
from gui.files.treemap import squarified

ROOT = Path(os.sep) / "root"
names = st.sampled_from(["a", "b", "c.txt", "ab"])
ways = st.lists(st.lists(names, min_size=1, max_size=4).map(tuple), max_size=25, unique=True)


def made(ways: list[tuple[str, ...]], roots: tuple[Path, ...] = (ROOT,)) -> FileTree:
    """A tree of files that could be on a disk: no file is a folder, too. Tokens are 1, 2, 3 and so on."""
    folders = {way[:depth] for way in ways for depth in range(1, len(way))}
    paths = [str(ROOT.joinpath(*way)) for way in sorted(way for way in ways if way not in folders)]
    sizes = np.arange(1, len(paths) + 1, dtype=np.int64)
    return tree_of(roots, ("one", "ten"), paths, 100 * sizes, np.stack([sizes, 10 * sizes]))


@given(ways)
def test_every_node_has_the_files_below_it(ways):
    tree = made(ways)
    for node in range(1, len(tree)):
        path = tree.path_of(node)
        below = [index for index, file in enumerate(map(Path, tree.paths)) if path in (file, *file.parents)]
        files = tree.files_of(node)
        assert list(range(files.start, files.stop)) == below
        assert tree.file_counts[node] == len(below)
        assert tree.node_bytes[node] == sum(tree.file_bytes[index] for index in below)
        assert tree.node_tokens[:, node].tolist() == [int(row[below].sum()) for row in tree.tokens]
        assert tree.is_file(node) == (str(path) in tree.paths)
    assert tree.node_tokens[0, TOP] == tree.tokens[0].sum()
    assert [str(tree.path_of(node)) for node in tree.file_nodes] == list(tree.paths)
    assert len({tree.path_to(node) for node in range(len(tree))}) == len(tree)


def test_several_roots_and_a_file_named_outright():
    other, single = Path(os.sep) / "other", Path(os.sep) / "some" / "single.txt"
    paths = [str(other / "x"), str(ROOT / "a" / "b"), str(single)]
    ones = np.ones(3, dtype=np.int64)
    tree = tree_of((other, ROOT, single), ("one",), paths, ones, ones[None])
    assert [tree.path_to(int(node)) for node in tree.file_nodes] == [
        (str(other), "x"),
        (str(ROOT), "a", "b"),
        (str(single.parent), "single.txt"),
    ]


def test_a_root_whose_name_begins_like_another():
    inner = Path(os.sep) / "roots"
    ones = np.ones(1, dtype=np.int64)
    tree = tree_of((ROOT, inner), ("one",), [str(inner / "x")], ones, ones[None])
    assert tree.path_to(int(tree.file_nodes[0])) == (str(inner), "x")


@given(ways, st.lists(st.tuples(st.integers(0, 60), st.booleans()), max_size=8))
def test_check_marks_and_sums(ways, clicks):
    tree = made(ways)
    choice, plain = FileChoice(tree), [True] * len(tree.paths)
    for place, checked in clicks:
        node = place % len(tree)
        choice.set_checked((node,), checked)
        plain[tree.files_of(node)] = [checked] * int(tree.file_counts[node])
    assert choice.checked.tolist() == plain
    sums = choice.sums()
    assert (sums.files, sums.file_bytes) == (sum(plain), sum(tree.file_bytes[np.array(plain, dtype=bool)]))
    assert sums.tokens == tuple(int(row[np.array(plain, dtype=bool)].sum()) for row in tree.tokens)
    for node in range(len(tree)):
        mine = plain[tree.files_of(node)]
        assert choice.checked_files(node) == sum(mine)
        assert choice.is_partly(node) == (any(mine) and not all(mine))


@given(ways, st.integers(0, 400), st.sampled_from(["files", "folders"]), st.integers(0, 60))
def test_a_proposal_fits_and_says_what_it_does(ways, limit, way, unchecked):
    tree = made(ways)
    choice = FileChoice(tree)
    if len(tree) > 1:
        choice.set_checked((1 + unchecked % (len(tree) - 1),), False)
    before = choice.sums().tokens[0]
    proposal = choice.fit(limit, way)
    assert proposal.left <= limit
    assert proposal.left + proposal.dropped == before
    for node in proposal.nodes:
        assert choice.checked_files(node)
        choice.set_checked((node,), False)
    assert choice.sums().tokens[0] == proposal.left
    assert (not proposal.nodes) == (before <= limit)


@given(ways, st.lists(st.integers(0, 60), max_size=8))
def test_many_are_checked_as_one_after_the_other(ways, places):
    tree = made(ways)
    nodes = [place % len(tree) for place in places]
    at_once, one_by_one = FileChoice(tree), FileChoice(tree)
    at_once.set_checked(nodes, False)
    for node in nodes:
        one_by_one.set_checked((node,), False)
    assert at_once.checked.tolist() == one_by_one.checked.tolist()
    assert [at_once.checked_files(node) for node in range(len(tree))] == [
        one_by_one.checked_files(node) for node in range(len(tree))
    ]


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(-3, 60))
def test_enough_is_what_taking_one_after_the_other_takes(sizes, needed):
    expected, left = [], dict(enumerate(sizes))
    still_needed = needed
    while still_needed > 0 and any(left.values()):
        enough = [index for index, size in left.items() if size >= still_needed]
        largest = max(left, key=lambda index: left[index])
        taken = min(enough, key=lambda index: left[index]) if enough else largest
        still_needed -= left.pop(taken)
        expected.append(taken)
    assert enough_of(np.array(sizes, dtype=np.int64), needed).tolist() == expected


def test_a_proposal_of_folders_says_how_far_it_is_and_can_be_ended():
    tree = made([("x", "a"), ("y", "b"), ("z", "c"), ("d",)])
    told: list[float] = []
    FileChoice(tree).fit(1, "folders", report=told.append)
    assert told == sorted(told)
    assert 0 < told[0] < told[-1] <= 1

    def ended(fraction: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        FileChoice(tree).fit(1, "folders", report=ended)


def test_the_smallest_that_is_enough_goes():
    tree = made([(name,) for name in "abcde"])  # 1, 2, 3, 4, 5 tokens
    names = [tree.names[node] for node in FileChoice(tree).fit(12, "files").nodes]
    assert names == ["c"]
    names = [tree.names[node] for node in FileChoice(tree).fit(8, "files").nodes]
    assert names == ["e", "b"]


def test_folders_go_before_files():
    tree = made([("x", "a"), ("x", "b"), ("y", "a"), ("z",)])  # 3, 3 and 4 tokens
    names = [tree.names[node] for node in FileChoice(tree).fit(7, "folders").nodes]
    assert names == ["x"]
    names = [tree.names[node] for node in FileChoice(tree).fit(3, "folders").nodes]
    assert names == ["x", "y", "z"]


def test_marks_are_taken_over_by_path():
    before = FileChoice(made([("a",), ("b",), ("x", "c")]))
    before.set_checked((int(before.tree.file_nodes[1]),), False)
    after = FileChoice(made([("a",), ("aa",), ("b",), ("x", "d")]))
    after.take_over(before)
    assert after.checked.tolist() == [True, True, False, True]
    assert after.checked_files(TOP) == 3


@given(st.lists(st.floats(0.5, 1e6), min_size=1, max_size=60), st.floats(10, 2000), st.floats(10, 2000))
def test_tiles_have_their_areas_and_fill_the_room(sizes, width, height):
    sizes = sorted(sizes, reverse=True)
    tiles = squarified(sizes, width, height)
    assert len(tiles) == len(sizes)
    for size, tile in zip(sizes, tiles, strict=True):
        assert tile.width * tile.height == pytest.approx(size * width * height / sum(sizes), rel=1e-3)
        assert -1e-3 * width <= tile.x <= tile.x + tile.width <= width * 1.001
        assert -1e-3 * height <= tile.y <= tile.y + tile.height <= height * 1.001


def test_tiles_do_not_cross():
    tiles = squarified([9.0, 7, 7, 5, 3, 2, 2, 1], 300, 200)
    for index, one in enumerate(tiles):
        for other in tiles[:index]:
            wide = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
            high = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
            assert wide < 1e-6 or high < 1e-6


def test_no_tiles_of_nothing():
    assert squarified([], 10, 10) == []
    assert squarified([1.0], 0, 10) == []


def test_types_of_file_are_told_apart_by_their_tokens():
    paths = [str(ROOT / name) for name in ("a/one.PY", "a/two.md", "b/none", "b/three.py", "c.a", "c.b", "c.c", "c.d")]
    tokens = np.array([5, 9, 100, 7, 4, 3, 2, 1], dtype=np.int64)
    tree = tree_of((ROOT,), ("one",), paths, tokens, tokens[None])
    assert [tuple(one) for one in tree.file_types] == [
        (".py", 12),
        (".md", 9),
        (".a", 4),
        (".b", 3),
        (".c", 2),
        ("", 101),
    ]
    kinds = {tree.path_within_root(node): tree.file_types[tree.node_types[node]].suffix for node in range(2, len(tree))}
    assert kinds["a"] == kinds["a/two.md"] == ".md"
    assert kinds["a/one.PY"] == ".py"
    assert kinds["b"] == kinds["c.d"] == ""
    assert tree.path_within_root(1) == str(ROOT)
