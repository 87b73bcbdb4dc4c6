"""Rows of a screen, beside a plain way to cut them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.analysis.comparison import FEWEST_COLUMNS, row_starts
from engine.text.offsets import units_of
from tests.engine.strategies import texts


def width(character: str) -> int:
    if character == "\n" or "\u0300" <= character <= "\u036f":
        return 0
    if character == "\t":
        return 4
    return 2 if character >= "\u0530" else 1


def plain_rows(text: str, columns: int) -> list[str]:
    rows = []
    for line in split(text):
        while sum(map(width, line)) > columns:
            stop = taken = 0
            while taken + width(line[stop]) <= columns:
                taken += width(line[stop])
                stop += 1
            spaces = [place for place in range(1, stop + 1) if line[place - 1] == " "]
            if spaces and 2 * sum(map(width, line[: spaces[-1]])) >= columns:
                stop = spaces[-1]
            rows.append(line[:stop])
            line = line[stop:]
        rows.append(line)
    return rows


def split(text: str) -> list[str]:
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] or len(lines) == 1 else lines[:-1]


def rows_of(text: str, columns: int) -> list[str]:
    units = units_of(text)
    starts = row_starts(units, columns).tolist()
    assert starts[0] == 0
    return [
        units[start:stop].tobytes().decode("utf-16-le")
        for start, stop in zip(starts, [*starts[1:], len(units)], strict=True)
    ]


@given(texts(), st.integers(FEWEST_COLUMNS, 30))
def test_rows_are_cut_where_the_plain_way_does(text, columns):
    assert rows_of(text, columns) == plain_rows(text, columns)


def test_an_empty_text_has_a_row_and_words_stay_whole():
    assert rows_of("", 20) == [""]
    assert rows_of("several words in a row\nand more", 12) == ["several ", "words in a ", "row\n", "and more"]
    assert rows_of("😀" * 5, 1) == ["😀" * 4, "😀"]
