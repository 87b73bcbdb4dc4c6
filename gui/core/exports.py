"""Tables as text for other programs: TSV, CSV, Markdown, JSON. No Qt.

Numbers are written exactly, with a point and without group separators, whatever the user's locale is. What is unknown
is an empty cell (``null`` in JSON), never 0.

Spreadsheets run cells that begin with ``=``, ``+``, ``-`` or ``@`` as formulas. Text in TSV and CSV that a spreadsheet
could take for one gets an apostrophe in front, as OWASP's page on CSV injection advises; numbers do not need it. The
names of columns are text like any other: models and encodings stand in them, by names that strangers gave.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from engine.runtime.cancellation import interruptible

Value = str | int | Decimal | date | None
"""What a cell can hold. bool is an int to Python and is written as ``true`` or ``false``."""

FORMULA_STARTS = "=+-@＝＋－＠"
"""First characters that make a spreadsheet read a cell as a formula; the wide ones do so in East Asian locales."""


_ASKING = 256
"""After so many rows others get a turn of the interpreter."""


@dataclass(frozen=True, slots=True)
class ExportTable:
    """A table to write: names of the columns, rows of as many cells, and lines about the whole (name, value).

    ``numeric`` names the columns that hold numbers, as values or as text like ``≈ 17,000–20,000``.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    about: tuple[tuple[str, Value], ...] = ()
    numeric: frozenset[str] = frozenset()


def plain(value: Value) -> str:
    """A cell as text: exact, in the C locale, empty for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        from pricing.money import exact_usd

        return exact_usd(value)
    if isinstance(value, date):
        return value.isoformat()
    return str(value)


def harmless(value: Value) -> str:
    """A cell as text that no spreadsheet runs as a formula."""
    text = plain(value)
    if isinstance(value, str) and (text[:1] in ("\t", "\r", "\n") or text.lstrip()[:1] in tuple(FORMULA_STARTS)):
        return "'" + text
    return text


def to_tsv(table: ExportTable) -> str:
    """Tab separated, one line a row, the names of the columns first. Tabs and line ends inside cells become spaces."""
    lines = [[harmless(value) for value in line] for line in (table.columns, *table.rows)]
    return "".join("\t".join(_one_line(cell) for cell in line) + "\n" for line in lines)


def to_csv(table: ExportTable) -> str:
    """CSV as RFC 4180 has it (CRLF), after a block of lines ``# name,value`` about the table."""
    import csv
    import io

    buffer = io.StringIO()
    writer = csv.writer(buffer)
    for name, value in table.about:
        writer.writerow([f"# {name}", harmless(value)])
    writer.writerow([harmless(value) for value in table.columns])
    writer.writerows([harmless(value) for value in line] for line in interruptible(table.rows, _ASKING))
    return buffer.getvalue()


def to_markdown(table: ExportTable) -> str:
    """A table of GitHub's Markdown; columns of numbers are right-aligned."""
    rows = [[_markdown_cell(plain(value)) for value in row] for row in table.rows]
    rule = ["---:" if name in table.numeric else "---" for name in table.columns]
    lines = [[_markdown_cell(name) for name in table.columns], rule, *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def to_json(table: ExportTable) -> str:
    """``{"about": {...}, "rows": [{column: value}]}``; money is a string: a JSON number would go through a float."""
    import json

    def written(names: Iterable[str], values: Iterable[Value], depth: int) -> str:
        of_names = {name: _json_value(value) for name, value in zip(names, values, strict=True)}
        return json.dumps(of_names, ensure_ascii=False, indent=2).replace("\n", "\n" + "  " * depth)

    # Row by row: as a whole, the rows of a vocabulary would be millions of small pieces for a moment.
    rows = ",\n".join(f"    {written(table.columns, row, 2)}" for row in interruptible(table.rows, _ASKING))
    members = [f'  "about": {written(*zip(*table.about, strict=True), 1)}'] if table.about else []
    members.append(f'  "rows": [\n{rows}\n  ]' if rows else '  "rows": []')
    return "{\n" + ",\n".join(members) + "\n}\n"


def _one_line(text: str) -> str:
    return " ".join(text.splitlines()).replace("\t", " ")


def _markdown_cell(text: str) -> str:
    for character in "\\|*`<":
        text = text.replace(character, "\\" + character)
    return _one_line(text)


def _json_value(value: Value) -> str | int | bool | None:
    if value is None or isinstance(value, bool | int):
        return value
    return plain(value)
