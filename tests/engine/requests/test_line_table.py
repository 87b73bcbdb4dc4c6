"""What every line of a file counts, as a table."""

from __future__ import annotations

import csv
import io
import json

import pytest

import engine
from engine.requests import lines
from engine.requests.counting import RequestCounter
from engine.requests.lines import COLUMNS, LineCount, RequestLines, written_table
from engine.requests.templates import TEMPLATES
from tests.engine.requests.test_lines import alone, chat

ROWS = [
    chat("one"),
    "",
    "{",
    chat("two two", tools=[{"type": "=HYPERLINK(1)"}]),
    '{"messages": [{"role": "user", "content": [{"type": "\\ud800"}, {"type": "file"}]}]}',
]


def table_of(path, text):
    counter = RequestCounter(TEMPLATES["openai"], engine.get_encoding("o200k_base"))
    with written_table(path) as tell:
        counting = RequestLines(io.BytesIO(text.encode()), counter.tally, tell)
        while not counting.done:
            counting.advance(0)
    return counting.report()


def rows_of(path):
    """The table, empty cells as None and figures as numbers."""
    if path.suffix == ".json":
        return json.loads(path.read_text("utf-8"))["rows"]
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row |= {name: int(row[name]) if row[name] else None for name in COLUMNS[:-2]}
        row["grade"] = row["grade"] or None
    return rows


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.JSON", "a"])
@pytest.mark.parametrize("rows_a_write", [1, 2, 2000])
def test_every_line_that_is_not_empty(tmp_path, monkeypatch, name, rows_a_write):
    monkeypatch.setattr(lines, "_ROWS_A_WRITE", rows_a_write)
    path = tmp_path / name
    report = table_of(path, "\n".join(ROWS))
    if name == "a.JSON":
        path = path.rename(tmp_path / "b.json")
    rows = rows_of(path)
    assert [row["line"] for row in rows] == [1, 3, 4, 5]
    assert [row["tokens"] for row in rows] == [alone("one"), None, alone("two two"), alone("")]
    assert sum(row["tokens"] or 0 for row in rows) == report.tokens
    for row in rows:
        if row["tokens"] is not None:
            assert row["tokens"] == sum(row[kind] for kind in ("overhead", "tools", "images", "text"))
            assert row["grade"] == ("estimate" if row["problem"] else "formula")
    half = "\ud800" if path.suffix == ".json" else "\\ud800"  # JSON can spell half a character, CSV cannot
    assert [row["problem"] for row in rows] == [
        "",
        "not a request: column 2: not valid JSON: Expecting property name enclosed in double quotes",
        "not counted: =HYPERLINK(1)",
        f"not counted: {half}, file",
    ]


@pytest.mark.parametrize("name", ["a.csv", "a.json"])
def test_a_file_without_lines(tmp_path, name):
    table_of(tmp_path / name, "\n\n")
    assert rows_of(tmp_path / name) == []


def test_what_is_broken_off_leaves_the_old_table(tmp_path):
    (tmp_path / "a.csv").write_text("old")

    def break_off():
        with written_table(tmp_path / "a.csv") as tell:
            tell(LineCount(1, None, "x"))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        break_off()
    assert (tmp_path / "a.csv").read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["a.csv"]
