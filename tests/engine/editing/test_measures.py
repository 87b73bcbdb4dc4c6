"""Measures of pieces add up to those of the whole text, however it is cut."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.editing import edited_text
from engine.editing.edited_text import Measures, measure_pieces

texts = st.text(st.sampled_from("ab \n\t\u00a0\u3000😀é"), max_size=60)


@given(texts, st.lists(st.integers(0, 60), max_size=4), st.sampled_from(("", " ", "x")), st.integers(1, 9))
def test_pieces_add_up(text: str, cuts: list[int], before: str, part: int):
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[start:end] for start, end in itertools.pairwise(places) if start < end]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edited_text, "_PART_CHARACTERS", part)
        found = measure_pieces(pieces, before)
    assert found == Measures(
        len(text),
        len(text.encode("utf-16-le")) // 2,
        len(text.encode()),
        len((before + text).split()) - len(before.split()),
        text.count("\n"),
    )


def test_words_of_a_large_text_are_not_all_there_at_once(monkeypatch: pytest.MonkeyPatch):
    asked = []
    monkeypatch.setattr(edited_text, "interruptible", lambda parts, every: (asked.append(at) or at for at in parts))
    text = "some words\n" * 20_000
    assert measure_pieces([text], "").words == 40_000
    assert len(asked) == -(-len(text) // edited_text._PART_CHARACTERS) > 5
