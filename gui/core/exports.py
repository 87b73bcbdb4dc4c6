"""Export of tables for other programs: TSV, CSV, Markdown, JSON. No Qt.

Numbers are written exactly, with a decimal point and without group separators, in every locale. An unknown value is an
empty cell (``null`` in JSON), never 0.

Spreadsheets run cells that begin with ``=``, ``+``, ``-`` or ``@`` as formulas. In TSV and CSV, text that a spreadsheet
could read as a formula is prefixed with an apostrophe, as OWASP's page on CSV injection advises; numbers do not need
it. Column names are escaped as well: they contain model and encoding names from untrusted files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from engine.runtime.cancellation import interruptible

Value = str | int | Decimal | date | None
"""Type of a cell. bool is a subclass of int; it is written as ``true`` or ``false``."""

FORMULA_STARTS = "=+-@＝＋－＠"
"""First characters that make a spreadsheet read a cell as a formula; the full-width ones in East Asian locales."""


_ROWS_BETWEEN_CHECKS = 256
"""Number of rows between two checks for cancellation."""


@dataclass(frozen=True, slots=True)
class ExportTable:
    """A table to export: column names, rows of the same length, and (name, value) pairs about the whole table.

    ``numeric``: names of the columns that hold numbers, as values or as text like ``≈ 17,000–20,000``.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    about: tuple[tuple[str, Value], ...] = ()
    numeric: frozenset[str] = frozenset()


def plain(value: Value) -> str:
    """Return a cell as text: exact, in the C locale, empty for None."""
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
    """Return a cell as text that no spreadsheet runs as a formula."""
    text = plain(value)
    if isinstance(value, str) and (text[:1] in ("\t", "\r", "\n") or text.lstrip()[:1] in tuple(FORMULA_STARTS)):
        return "'" + text
    return text


def to_tsv(table: ExportTable) -> str:
    """Return tab-separated lines, the column names first. Tabs and line breaks inside cells become spaces."""
    lines = [[harmless(value) for value in line] for line in (table.columns, *table.rows)]
    return "".join("\t".join(_one_line(cell) for cell in line) + "\n" for line in lines)


def to_csv(table: ExportTable) -> str:
    """Return CSV as in RFC 4180 (CRLF), after a block of lines ``# name,value`` about the table."""
    import csv
    import io

    buffer = io.StringIO()
    writer = csv.writer(buffer)
    for name, value in table.about:
        writer.writerow([f"# {name}", harmless(value)])
    writer.writerow([harmless(value) for value in table.columns])
    writer.writerows([harmless(value) for value in line] for line in interruptible(table.rows, _ROWS_BETWEEN_CHECKS))
    return buffer.getvalue()


def to_markdown(table: ExportTable) -> str:
    """Return a table in GitHub's Markdown; numeric columns are right-aligned."""
    return markdown_table(table, _markdown_cell, _markdown_cell)


def markdown_table(table: ExportTable, title: Callable[[str], str], cell: Callable[[str], str]) -> str:
    """Like ``to_markdown``; ``title`` and ``cell`` escape the names of columns and the texts of cells."""
    rows = [[cell(plain(value)) for value in row] for row in table.rows]
    rule = ["---:" if name in table.numeric else "---" for name in table.columns]
    lines = [[title(name) for name in table.columns], rule, *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def to_json(table: ExportTable) -> str:
    """Return ``{"about": {...}, "rows": [{column: value}]}``. Money is a string: a JSON number would become a float."""
    import json

    def written(names: Iterable[str], values: Iterable[Value], depth: int) -> str:
        of_names = {name: _json_value(value) for name, value in zip(names, values, strict=True)}
        return json.dumps(of_names, ensure_ascii=False, indent=2).replace("\n", "\n" + "  " * depth)

    # Row by row: as a whole, the rows of a vocabulary would become millions of small objects at once.
    rows = ",\n".join(
        f"    {written(table.columns, row, 2)}" for row in interruptible(table.rows, _ROWS_BETWEEN_CHECKS)
    )
    names, values = [name for name, _ in table.about], [value for _, value in table.about]
    members = [f'  "about": {written(names, values, 1)}'] if table.about else []
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
