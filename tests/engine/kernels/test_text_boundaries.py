"""The kernels that look for safe cuts find those of the plain finder."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels._jit import COMPILED
from engine.kernels.edit_window import find_chunks, first_cut_in, last_cut_in
from engine.split.safe_boundaries import BoundaryFinder, QuickBoundaryFinder, unit_properties
from tests.engine.strategies import texts_with_surrogates
from tests.thoroughness import examples

pytestmark = pytest.mark.skipif(not COMPILED, reason="these kernels only exist compiled")

WIDTHS = ("", "\u3001", "\U0001f680")
"""What makes Python keep a text in one, two or four bytes a character."""


def assert_same(text: str, start: int, end: int) -> None:
    plain, quick = BoundaryFinder(), QuickBoundaryFinder()
    assert quick.first(text, start, end) == plain.first(text, start, end)
    assert quick.last(text, start, end) == plain.last(text, start, end)


@pytest.mark.parametrize("widest", WIDTHS)
def test_every_two_characters(widest):
    """Every character of the rules, and some others, before and behind one of every class."""
    points = [*range(0x100), 0x17F, 0x21F, 0x220, 0x391, 0x1680, 0x2000, 0x200B, 0x2028, 0x3000, 0x4E00, 0x9FA6]
    points += [*range(0x3000, 0x3015), *range(0xFF00, 0xFF22), 0xD800, 0xDFFF, 0xFFFF, 0x10000, 0x10FFFF]
    limit = max(map(ord, widest), default=0xFF)
    points = [point for point in points if point <= limit or (limit == 0x3001 and point < 0x10000)]
    for before in ("a", "Z", "5", "é", " ", "\n", "\t", "'", ".", "\x85", "\x7f"):
        for point in points:
            text = "x" * 70 + before + chr(point) + "x" * 70 + widest
            assert_same(text, 65, 130)


@pytest.mark.deep
@pytest.mark.parametrize("widest", WIDTHS)
@examples(150)
@given(data=st.data())
def test_cuts_of_random_texts(widest, data):
    pieces = st.sampled_from(["a" * 63, "中" * 40, " " * 70, "\n" * 65, "0123456789" * 7, "?!" * 40])
    text = "".join(data.draw(st.lists(st.one_of(pieces, texts_with_surrogates(5)), max_size=8))) + widest
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text) + 1)] * 2)))
    assert_same(text, start, end)


@pytest.mark.parametrize("widest", WIDTHS)
def test_one_cut_anywhere_in_a_long_run(widest):
    rng = random.Random(71)
    for cut in [1, 2, 63, 64, 65, 127, 128, 129, *rng.sample(range(130, 998), 30)]:
        text = "a" * cut + " " * (1000 - cut) + widest
        for start in (0, 1, 64, 500):
            assert_same(text, start, 1000)


@pytest.mark.deep
@pytest.mark.parametrize("widest", WIDTHS)
@examples(150)
@given(data=st.data())
def test_pieces_of_random_texts(widest, data):
    pieces = st.sampled_from(["a" * 63, "words, words ", " " * 70, "\n" * 65, "one. two\n", "?!" * 40])
    text = "".join(data.draw(st.lists(st.one_of(pieces, texts_with_surrogates(5)), max_size=30))) + widest
    size = data.draw(st.integers(1, len(text) + 2))
    spans = QuickBoundaryFinder().spans(text, size)
    assert (
        spans.tolist()
        == BoundaryFinder().spans(text, size).tolist()
        == list(map(list, BoundaryFinder().chunks(text, size)))
    )


def test_pieces_of_one_character_and_of_nothing():
    properties = unit_properties(())
    assert find_chunks("", 1, properties).shape == BoundaryFinder().spans("", 1).shape == (0, 2)
    text = "a.b.c.d" * 20
    assert find_chunks(text, 1, properties).tolist() == BoundaryFinder().spans(text, 1).tolist()
    with pytest.raises(IndexError, match="pieces"):
        find_chunks(text, 0, properties)


def test_texts_without_a_cut():
    for text in ("a" * 1000, " " * 1000, "\n" * 1000, "中" * 1000, "ab" * 500, "!" * 1000, "0123456789" * 100):
        assert QuickBoundaryFinder().first(text, 0, len(text)) == QuickBoundaryFinder().last(text, 0, len(text)) == -1


def test_no_place_outside_of_the_text():
    properties = unit_properties(())
    for start, end in ((0, 2), (-1, 2), (3, 2), (1, 6)):
        with pytest.raises(IndexError):
            first_cut_in("a b c", start, end, properties)
        with pytest.raises(IndexError):
            last_cut_in("a b c", start, end, properties)
    for find in (first_cut_in, last_cut_in):
        with pytest.raises(IndexError):
            find("a b c", 1, 5, properties[:100])
