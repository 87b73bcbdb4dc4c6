"""Sets of code points behave as sets, and ignoring case is what tiktoken does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.character_classes import EVERYTHING, CodePoints, category, cells, matching

POINTS = 40
some = st.frozensets(st.integers(0, POINTS - 1), max_size=POINTS)


def made(points: frozenset[int]) -> CodePoints:
    return CodePoints.of(*points)


def members(points: CodePoints) -> frozenset[int]:
    return frozenset(np.flatnonzero(points.contains(np.arange(POINTS))).tolist())


@given(some, some)
def test_set_algebra(left, right):
    assert members(made(left) & made(right)) == left & right
    assert members(made(left) - made(right)) == left - right
    assert members(made(left) ^ made(right)) == left ^ right
    assert members(CodePoints.union([made(left), made(right)])) == left | right
    assert members(~made(left)) == frozenset(range(POINTS)) - left
    assert (made(left) == made(right)) == (left == right)


def test_the_empty_and_the_full_set():
    assert CodePoints() == CodePoints.of() == EVERYTHING - EVERYTHING
    assert ~CodePoints() == EVERYTHING
    assert EVERYTHING.edges == (0, 0x110000)


@given(st.lists(some, max_size=5))
def test_cells_tell_apart_what_a_set_tells_apart(groups):
    table, members = cells([made(group) for group in groups])
    for group, own in zip(groups, members, strict=True):
        assert {point for point in range(POINTS) if int(table[point]) in own} == group
    assert len(table) == 0x110000
    signatures = {tuple(point in group for group in groups) for point in range(POINTS + 1)}
    assert len(np.unique(table)) == len(signatures)


@pytest.mark.parametrize("expression", ["[a-z]", "k", "[\u01c5µß]", r"[\u0370-\u03ff]", r"[\x{10400}-\x{10410}]"])
def test_ignoring_case_is_what_tiktoken_does(expression):
    assert matching(expression).ignoring_case() == matching(f"(?i:{expression})")


@pytest.mark.deep
@pytest.mark.parametrize("name", ["L", "Lu", "N", "Nd", "P", "S", "Z", "Zs", "C", "M"])
def test_categories_are_what_tiktoken_says(name):
    surrogates = CodePoints.between(0xD800, 0xDFFF)
    ours = category(name)
    assert ours is not None
    assert ours - surrogates == matching(rf"\p{{{name}}}") - surrogates


def test_no_category():
    assert category("Han") is None
    assert category("") is None
