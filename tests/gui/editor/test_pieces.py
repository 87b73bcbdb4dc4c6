from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.editor import text_transfer
from gui.editor.text_transfer import Piece, between, gathered

texts = st.text(st.sampled_from("ab\n😀é"), max_size=60)


def written(text: str, made: tuple[Piece, ...]) -> str:
    """The text after the pieces, put in from the last to the first, as the editor does."""
    units = text.encode("utf-16-le")
    for piece in reversed(made):
        new = piece.text.encode("utf-16-le")
        units = units[: 2 * piece.utf16_start] + new + units[2 * piece.utf16_end :]
    return units.decode("utf-16-le")


@given(texts, texts, st.integers(1, 20))
def test_between_makes_one_text_to_the_other(before: str, after: str, largest: int):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_transfer, "LARGEST_PIECE", largest)
        made = between(before, after)
    assert written(before, made) == after
    assert bool(made) == (before != after)
    assert all(piece.utf16_end - piece.utf16_start <= 2 * largest for piece in made)


def test_only_what_differs_is_written():
    assert between("one two three", "one 2 three") == (Piece(4, 7, "2"),)
    assert between("aaa", "aa") == (Piece(2, 3, ""),)


@given(texts, st.data())
def test_gathered_changes_are_all_done(text: str, data: st.DataObject):
    places = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=12)))
    changes = [(start, end, "x") for start, end in zip(places[::2], places[1::2], strict=False)]
    expected, place = "", 0
    for start, end, new in changes:
        expected, place = expected + text[place:start] + new, end
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_transfer, "MAX_BETWEEN", 3)
        patch.setattr(text_transfer, "LARGEST_PIECE", 8)
        made = gathered(text, changes)
    assert written(text, made) == expected + text[place:]
    assert len(made) <= len(changes)
