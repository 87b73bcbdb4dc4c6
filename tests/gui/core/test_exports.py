from __future__ import annotations

import csv
import io
import json
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.core.exports import ExportTable, harmless, plain, to_csv, to_json, to_markdown, to_tsv

TABLE = ExportTable(
    columns=("model", "note", "tokens", "usd", "checked", "retired"),
    rows=(
        ("acme/large", "plain", 12345, Decimal("0.00450"), date(2026, 11, 8), False),
        ("=HYPERLINK(1)", 'a "b", c | d\nnext\tcell', None, Decimal("1E+3"), None, True),
    ),
    about=(("exported", "2026-11-21T10:00:00+01:00"), ("factor", Decimal("1.10")), ("file", "=cmd")),
    numeric=frozenset({"tokens", "usd"}),
)


def test_tsv_is_one_line_a_row_with_exact_numbers():
    assert to_tsv(TABLE) == (
        "model\tnote\ttokens\tusd\tchecked\tretired\n"
        "acme/large\tplain\t12345\t0.0045\t2026-11-08\tfalse\n"
        '\'=HYPERLINK(1)\ta "b", c | d next cell\t\t1000\t\ttrue\n'
    )


def test_csv_has_a_header_block_and_quotes_what_needs_it():
    assert to_csv(TABLE) == (
        "# exported,2026-11-21T10:00:00+01:00\r\n"
        "# factor,1.1\r\n"
        "# file,'=cmd\r\n"
        "model,note,tokens,usd,checked,retired\r\n"
        "acme/large,plain,12345,0.0045,2026-11-08,false\r\n"
        '\'=HYPERLINK(1),"a ""b"", c | d\nnext\tcell",,1000,,true\r\n'
    )


def test_csv_reads_back_as_it_was():
    read = list(csv.reader(io.StringIO(to_csv(TABLE), newline="")))
    assert read[3] == list(TABLE.columns)
    assert read[5][1] == TABLE.rows[1][1]


def test_markdown_aligns_numbers_and_escapes_what_would_break_the_table():
    assert to_markdown(TABLE) == (
        "| model | note | tokens | usd | checked | retired |\n"
        "| --- | --- | ---: | ---: | --- | --- |\n"
        "| acme/large | plain | 12345 | 0.0045 | 2026-11-08 | false |\n"
        '| =HYPERLINK(1) | a "b", c \\| d next cell |  | 1000 |  | true |\n'
    )


def test_json_keeps_money_as_strings_and_the_unknown_as_null():
    document = json.loads(to_json(TABLE))
    assert document["about"] == {"exported": "2026-11-21T10:00:00+01:00", "factor": "1.1", "file": "=cmd"}
    assert document["rows"][0] == {
        "model": "acme/large",
        "note": "plain",
        "tokens": 12345,
        "usd": "0.0045",
        "checked": "2026-11-08",
        "retired": False,
    }
    assert document["rows"][1]["tokens"] is None
    assert document["rows"][1]["model"] == "=HYPERLINK(1)"


def test_json_without_a_header_block_holds_rows_only():
    assert set(json.loads(to_json(ExportTable(("a",), ((1,),))))) == {"rows"}


_MONEY = st.decimals(allow_nan=False, allow_infinity=False)
_VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5), _MONEY)


@given(st.lists(st.tuples(_VALUES, _VALUES), max_size=3), st.lists(st.tuples(st.text(max_size=3), _VALUES), max_size=2))
def test_json_is_laid_out_as_in_one_piece(rows, about):
    about = tuple(dict(about).items())
    text = to_json(ExportTable(("a", "b\n"), tuple(rows), about))
    assert text == json.dumps(json.loads(text), ensure_ascii=False, indent=2) + "\n"
    assert len(json.loads(text)["rows"]) == len(rows)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", " =1", "\t=1", "\rx", "＝1", "＠x"])
def test_text_that_a_spreadsheet_would_run_is_defused(text):
    assert harmless(text) == "'" + text


@pytest.mark.parametrize("value", ["gpt-4o", "a=b", "", 5, -5, Decimal("-0.5"), None])
def test_what_is_harmless_stays_as_it_is(value):
    assert harmless(value) == plain(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Decimal("0.1234567890123456789"), "0.1234567890123456789"),
        (Decimal("1E-10"), "0.0000000001"),
        (Decimal("0.00"), "0"),
        (Decimal("100"), "100"),
        (Decimal("2.50"), "2.5"),
        (None, ""),
        (True, "true"),
    ],
)
def test_plain_is_exact(value, text):
    assert plain(value) == text
