"""What every line of a file of requests counts, as a table for other programs: CSV, or JSON.

It is written while the lines are counted, so that a file of any size makes a table in bounded memory.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from engine.requests.types import KINDS
from engine.runtime.atomic_files import replacement_of

if TYPE_CHECKING:
    from engine.requests.types import Tally

COLUMNS = ("line", "tokens", *KINDS, "grade", "problem")

_ROWS_A_WRITE = 2000


@dataclass(frozen=True, slots=True)
class LineCount:
    """One line that is not empty, its number from 1. ``tally``: None where it is no request. ``problem``: why it is
    none, or what of it is not counted; else empty. It begins with words of ours, which no spreadsheet runs."""

    line: int
    tally: Tally | None
    problem: str = ""


@contextlib.contextmanager
def written_table(path: Path) -> Iterator[Callable[[LineCount], None]]:
    """What takes the lines of a table in their order. The table is JSON where the name ends so, else CSV; it takes the
    place of ``path`` when all went well. OSError."""
    with replacement_of(path) as file:
        table = _Table(file, is_json=path.suffix.casefold() == ".json")
        yield table.add
        table.finish()


class _Table:
    def __init__(self, file: IO[bytes], *, is_json: bool) -> None:
        self._file, self._is_json = file, is_json
        self._rows: list[tuple[int | str | None, ...]] = []
        self._written = 0
        file.write(b'{"rows": [' if is_json else _csv([COLUMNS]))

    def add(self, count: LineCount) -> None:
        tally = count.tally
        if tally is None:
            figures: tuple[int | str | None, ...] = (None,) * (len(KINDS) + 2)
        else:
            figures = (tally.tokens, *(tally.of(kind).tokens for kind in KINDS), tally.grade)
        self._rows.append((count.line, *figures, count.problem))
        if len(self._rows) == _ROWS_A_WRITE:
            self._write_rows()

    def finish(self) -> None:
        self._write_rows()
        if self._is_json:
            self._file.write(b"\n]}\n")

    def _write_rows(self) -> None:
        rows, self._rows = self._rows, []
        if not self._is_json:
            self._file.write(_csv(rows))
        elif rows:
            lines = [json.dumps(dict(zip(COLUMNS, row, strict=True)), ensure_ascii=False) for row in rows]
            lead = ",\n" if self._written else "\n"
            self._file.write((lead + ",\n".join(lines)).encode("utf-8", "backslashreplace"))
        self._written += len(rows)


def _csv(rows: list[tuple[int | str | None, ...]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode("utf-8", "backslashreplace")
