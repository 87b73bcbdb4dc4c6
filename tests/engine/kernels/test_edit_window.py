"""The kernels of edits against the plain ways of doing the same."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.editing.edited_text import Measures, measure_pieces
from engine.editing.readers import first_cut, last_cut
from engine.editing.token_blocks import TokenBlock
from engine.kernels import block_layout as layout
from engine.kernels import edit_window
from engine.kernels._jit import kernel
from engine.kernels.primitives import move, part, span
from engine.split.safe_boundaries import BoundaryFinder, unit_properties
from engine.text.offsets import sound_text_of, units_of
from tests.engine.strategies import texts_with_surrogates

NO_IDS = np.empty(0, dtype=np.int32)
SPECIAL = ("<|endoftext|>", "a b", "é")


class UnitsArray:
    """An array of units as a text."""

    def __init__(self, units: np.ndarray) -> None:
        self._units = units

    def __len__(self) -> int:
        return len(self._units)

    def read_units(self, start: int, stop: int) -> np.ndarray:
        """Return the units between two offsets."""
        return self._units[start:stop]


class Asked:
    """An edit of a block that stands for a whole text, and what ``find_window`` says of it."""

    def __init__(self, text: str, start: int, removed: int, inserted: str, special=(), first=1, last=1) -> None:
        self.units = units_of(text)
        self.block = TokenBlock(self.units, NO_IDS, NO_IDS)
        self.window = np.zeros(layout.WINDOW_SIZE, dtype=np.uint8)
        new = units_of(inserted)
        self.window[layout.INSERTED_AT : layout.INSERTED_AT + 2 * len(new)] = new.view(np.uint8)
        reach = max((len(units_of(one)) for one in special), default=0)
        struct.pack_into("<6q", self.window.data, 0, start, removed, len(new), first, last, reach)
        self.after = np.concatenate([self.units[:start], new, self.units[start + removed :]])
        self.answer = edit_window.find_window(self.block.buffer, self.window, unit_properties(special))

    def word(self, place: int) -> int:
        return int(self.window[place : place + 8].view(np.int64)[0])

    @property
    def content(self) -> bytes:
        return self.window[layout.NEW_BYTES_AT : layout.NEW_BYTES_AT + self.word(layout.BYTES)].tobytes()


@st.composite
def edits(draw):
    """A text, and an edit of it as start, removed, inserted."""
    text = draw(texts_with_surrogates(12))
    length = len(units_of(text))
    start = draw(st.integers(0, length))
    return text, start, draw(st.integers(0, length - start)), draw(texts_with_surrogates(3))


@given(edits())
def test_a_window_lies_between_the_cuts_around_the_edit(case):
    _, start, removed, inserted = case
    asked = Asked(*case)
    assert asked.answer == layout.FOUND
    finder, whole = BoundaryFinder(), UnitsArray(asked.units)
    left = last_cut(whole, finder, 1, start - 1) or 0
    right = first_cut(whole, finder, start + removed + 1)
    right = len(asked.units) if right is None else right
    new_end = right + len(units_of(inserted)) - removed
    assert (asked.word(layout.START), asked.word(layout.OLD_END), asked.word(layout.NEW_END)) == (left, right, new_end)
    assert asked.content == sound_text_of(asked.after[left:new_end]).encode()


@given(edits())
def test_what_a_window_measures_more(case):
    asked = Asked(*case)
    assert asked.answer == layout.FOUND

    def measured(units):
        text = sound_text_of(units)
        return measure_pieces([text] if text else [], "")

    more = measured(asked.after) - measured(asked.units)
    assert more == Measures(
        characters=asked.word(layout.MORE_CHARACTERS),
        utf16_units=asked.word(layout.NEW_END) - asked.word(layout.OLD_END),
        utf8_bytes=asked.word(layout.MORE_BYTES),
        words=asked.word(layout.MORE_WORDS),
        newlines=asked.word(layout.MORE_NEWLINES),
    )


@given(edits())
def test_no_special_token_is_overlooked(case):
    """Where one may be, before or after, that reaches into the window or over its ends, the window is refused."""
    asked = Asked(*case, special=SPECIAL)
    if asked.answer == layout.SPECIAL:
        return
    assert asked.answer == layout.FOUND
    start = asked.word(layout.START)
    for units, end in ((asked.units, asked.word(layout.OLD_END)), (asked.after, asked.word(layout.NEW_END))):
        content = units.tobytes()
        for special in map(units_of, SPECIAL):
            for place in range(len(units)):
                if content[2 * place :].startswith(special.tobytes()):
                    assert place + len(special) <= start or place >= end


@given(edits())
def test_inside_of_a_text_a_window_needs_cuts(case):
    """Of the same edit in a block with text before and behind it that it does not see."""
    whole, inside = Asked(*case), Asked(*case, first=0, last=0)
    bounded = whole.word(layout.START) > 0 and whole.word(layout.OLD_END) < len(whole.units)
    assert inside.answer == (layout.FOUND if bounded else layout.BEYOND_BLOCK)


def test_a_special_token_may_reach_in_from_the_block_before():
    assert Asked("ab cd ef gh", 7, 0, "x", special=("z" * 6,), first=0, last=0).answer == layout.BEYOND_BLOCK
    assert Asked("ab cd ef gh", 7, 0, "x", special=("z" * 4,), first=0, last=0).answer == layout.FOUND


@pytest.mark.parametrize(("start", "removed"), [(-1, 0), (4, 0), (2, 2), (0, -1)])
def test_an_edit_outside_of_the_block_is_refused(start, removed):
    with pytest.raises(IndexError, match="within the block"):
        Asked("abc", start, removed, "")


@pytest.mark.parametrize(
    "broken", [(layout.UNITS, 10_000), (layout.UNITS, -1), (layout.TOKENS, 9_000), (layout.ENDS_AT, 70)]
)
def test_a_block_that_is_none_is_refused(broken):
    asked = Asked("some words", 6, 0, "x")
    place, value = broken
    asked.block.header[place // 8] = value
    with pytest.raises(IndexError, match="block"):
        edit_window.find_window(asked.block.buffer, asked.window, unit_properties(()))


def read_only(values, dtype) -> np.ndarray:
    array = np.array(values, dtype=dtype)
    array.flags.writeable = False
    return array


@given(edits(), st.data())
def test_a_window_is_replaced_in_its_block(case, data):
    asked = Asked(*case)
    total = len(asked.units)
    cuts = data.draw(st.sets(st.integers(1, max(total, 1)), max_size=8))
    cuts = sorted({cut for cut in cuts if cut < total} | {asked.word(layout.START), asked.word(layout.OLD_END), total})
    ends = [cut for cut in cuts if cut > 0]
    asked.block = TokenBlock(asked.units, np.arange(len(ends), dtype=np.int32), np.array(ends, dtype=np.int32))
    start, old_end, new_end = (asked.word(place) for place in (layout.START, layout.OLD_END, layout.NEW_END))
    new_ids = [1] * (new_end - start)
    assert edit_window.replace_window(
        asked.block.buffer, asked.window, read_only(new_ids, np.uint32), read_only([0, 1], np.int32)
    )
    kept = sum(end <= start for end in ends)
    dropped = sum(end <= old_end for end in ends)
    assert asked.block.units.tolist() == asked.after.tolist()
    assert asked.block.ids.tolist() == [*range(kept), *new_ids, *range(dropped, len(ends))]
    moved = [end + new_end - old_end for end in ends[dropped:]]
    assert asked.block.ends.tolist() == [*ends[:kept], *range(start + 1, new_end + 1), *moved]
    assert (asked.word(layout.FIRST_TOKEN), asked.word(layout.REMOVED_TOKENS)) == (kept, dropped - kept)


def test_a_block_without_room_stays_as_it_is():
    lengths = read_only([0, 1], np.int32)
    for ids, letters in (([1] * 100, 2), ([1], 100)):
        asked = Asked("word", 4, 0, "x" * letters)
        before = asked.block.buffer.copy()
        assert not edit_window.replace_window(asked.block.buffer, asked.window, read_only(ids, np.uint32), lengths)
        assert asked.block.buffer.tolist() == before.tolist()


def test_an_id_that_is_none_is_refused():
    asked = Asked("word", 4, 0, "x")
    with pytest.raises(IndexError, match="none"):
        edit_window.replace_window(
            asked.block.buffer, asked.window, read_only([2], np.uint32), read_only([0, 1], np.int32)
        )


@kernel
def moved(values, target, source, size):
    whole = span(values)
    move(part(whole, target, size), part(whole, source, size))


@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20))
def test_what_is_moved_may_overlap(target, source, size):
    values = np.arange(40, dtype=np.uint8)
    expected = values.copy()
    expected[target : target + size] = values[source : source + size]
    moved(values, target, source, size)
    assert values.tolist() == expected.tolist()
