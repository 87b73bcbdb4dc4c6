"""Tables for spreadsheets: no cell is a formula, and every table reads back."""

from __future__ import annotations

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from gui.core.exports import FORMULA_STARTS, ExportTable, harmless, to_csv, to_tsv

HOSTILE = st.builds(
    lambda start, rest: start + rest,
    st.sampled_from(["", *FORMULA_STARTS, "\t", "\r", "\n", " ", '"', ";", ",", "'", "\ufeff", "\u200b"]),
    st.text(st.characters(exclude_categories=["Cs"])),
)
ROWS = st.lists(st.tuples(HOSTILE, HOSTILE), min_size=1, max_size=4)


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet runs a cell, blanks before it or not."""
    return cell[:1] in ("\t", "\r", "\n") or cell.lstrip()[:1] in tuple(FORMULA_STARTS)


@given(ROWS)
def test_no_cell_of_an_export_is_a_formula(rows: list[tuple[str, str]]):
    table = ExportTable(rows[-1], tuple(rows), (("file", rows[0][0]),))
    for line in csv.reader(io.StringIO(to_csv(table), newline="")):
        assert not any(is_formula(cell) for cell in line)
    for line in to_tsv(table).split("\n"):
        assert not any(is_formula(cell) for cell in line.split("\t"))


@given(ROWS)
def test_an_export_reads_back(rows: list[tuple[str, str]]):
    """As it was, with an apostrophe before what a spreadsheet would have run."""
    table = ExportTable(("text", "more"), tuple(rows))
    read = list(csv.reader(io.StringIO(to_csv(table), newline="")))
    assert read[1:] == [[harmless(cell) for cell in row] for row in rows]
    for line, row in zip(read[1:], rows, strict=True):
        assert [
            shown.removeprefix("'") if is_formula(cell) else shown for shown, cell in zip(line, row, strict=True)
        ] == list(row)
