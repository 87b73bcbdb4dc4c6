"""Searching stretch by stretch finds what one search through the whole text finds."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.runtime.cancellation import cancellable
from gui.core import savings, text_structure
from gui.core.text_structure import BEFORE_WORDS, LINE_END, first_match, matches

LINES = tuple(
    (one, LINE_END)
    for one in (
        *(
            text_structure._FENCE,
            text_structure._HEADING,
            text_structure._ROLE,
            savings._LINE,
            text_structure._CANDIDATE,
        ),
        *(savings._TRAILING, savings._INDENTATION, savings._DELIMITER_ROW),
        *(savings._CELL_PADDING, savings._DASHES),
    )
)
ALL = (
    *LINES,
    (text_structure._BLANK_LINES, BEFORE_WORDS),
    (savings._BLANK_RUN, BEFORE_WORDS),
    (savings._BASE64, savings._NO_BASE64),
    (savings._NAMES, savings._NO_NAME),
)
PARTS = st.sampled_from(
    (
        *("\n", "\r\n", "\n\n", " ", "\t", "  ", "x", "word ", "```", "~~~\n", "# ", "user:", "<|im_start|>", "[INST]"),
        *("| a | b |", "|---|:--:|", "   |", "-----", "{", "[1]", "=", "==", "é", "字", "\u2028", ","),
        *("A1b/" * 15, "+/Zz" * 25, "0123456789abcdef" * 2, "01234567-89ab-cdef-0123-456789abcdef"),
    )
)
TEXTS = st.lists(PARTS, max_size=25).map("".join)


@pytest.mark.parametrize(("pattern", "cut"), ALL)
@given(text=TEXTS, size=st.integers(0, 40), start=st.integers(0, 30), left=st.integers(0, 10))
def test_matches_are_those_of_one_search(
    pattern: re.Pattern[str], cut: re.Pattern[str], text: str, size: int, start: int, left: int
) -> None:
    start = min(start, len(text))
    stop = max(start, len(text) - left)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_structure, "CHUNK_CHARACTERS", size)
        found = list(matches(pattern, text, cut))
        within = list(matches(pattern, text, cut, start, stop))
        first = first_match(pattern, text, start, stop) if cut is LINE_END else None
    assert [match.span() for match in found] == [match.span() for match in pattern.finditer(text)]
    expected = [match.span() for match in pattern.finditer(text, start, stop)]
    assert [match.span() for match in within] == expected
    if cut is LINE_END:
        assert (None if first is None else first.span()) == (expected[0] if expected else None)


def test_a_long_line_is_not_gone_through_for_each_beginning_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    gone_through = []
    plainly = text_structure.chunks
    monkeypatch.setattr(text_structure, "chunks", lambda *given: gone_through.append(given) or plainly(*given))
    text = "{no JSON}\n" * 500 + "x" * (2 * text_structure.CHUNK_CHARACTERS)
    assert text_structure.json_blocks(text, [(0, len(text))]) == []
    assert len(gone_through) == 1


def test_whoever_waits_is_let_in_between_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_structure, "CHUNK_CHARACTERS", 10)
    times: list[int] = []
    with cancellable(lambda: times.append(1)):
        assert not list(matches(re.compile("x"), "some words\n" * 5))
    assert len(times) == 5
