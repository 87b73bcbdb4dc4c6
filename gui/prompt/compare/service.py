"""Comparison of encodings on a text, its rows for a view, and its figures as tables to export."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING

from gui.core.exports import ExportTable, Value
from gui.core.text_chunks import ChunkedText, as_chunked, chunked
from gui.editor.offsets import utf16_to_char
from gui.editor.token_spans import TokenSpans

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.analysis.comparison import TextComparison
    from engine.types import TokenPatch
    from gui.core.user_encodings import OpenEncoding
    from gui.runtime.jobs import Ticket

PROMPT, SELECTION, TYPED = SOURCES = ("prompt", "selection", "typed")
"""Sources of the text to compare."""
EXPORTED = ("encoding", "part", "name", "bytes", "tokens", "bytes_per_token", "premium_percent", "base")
"""Columns of the exported figures."""


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """Text, and the encodings to compare on it. ``first``: UTF-16 offset of the text in the prompt, None if it is not
    from the prompt; ``prompt_revision``: revision of the prompt. ``part``: compare only the text between these UTF-16
    offsets."""

    revision: int
    text: ChunkedText | str
    names: tuple[str, ...]
    first: int | None = None
    prompt_revision: int = -1
    part: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Result of a comparison. ``request``: with the text that was compared. ``spans``: token spans of each encoding."""

    request: CompareRequest
    comparison: TextComparison
    spans: tuple[TokenSpans, ...]


@dataclass(frozen=True, slots=True, eq=False)
class RowsRequest:
    """Request to break the text of a comparison into rows of ``columns`` columns."""

    compared: Compared
    columns: int


def compare_text(open_encoding: OpenEncoding, request: CompareRequest, ticket: Ticket) -> Compared:
    """Compare encodings. Runs on a worker thread. Raises EngineError and JobCancelled."""
    from engine.analysis.comparison import compare

    text = as_chunked(request.text).text(ticket.wait_while_busy)
    if request.part is not None:
        text = _between(text, request.part)
        request = replace(request, text=chunked([text]), part=None)
    ticket.progress(0.0)
    comparison, columns = compare([open_encoding(name) for name in request.names], text, ticket.progress)
    length = len(comparison.units)
    spans = [_spans(length, column.utf16_ends, column.ids, column.continues) for column in columns]
    return Compared(request, comparison, tuple(spans))


def _between(text: str, part: tuple[int, int]) -> str:
    """Return the text between two UTF-16 offsets."""
    import numpy as np

    start, end = utf16_to_char(np.array(part, dtype=np.int32), text).tolist()
    return text[start:end]


def spans_of_patch(patch: TokenPatch) -> TokenSpans:
    """Return the token spans of a patch of a whole text."""
    return _spans(patch.utf16_new_end, patch.utf16_ends, patch.ids, patch.continues)


def _spans(
    length: int, utf16_ends: NDArray[np.int32], ids: NDArray[np.int32], continues: NDArray[np.bool_]
) -> TokenSpans:
    spans = TokenSpans(length)
    if len(ids):
        spans.apply(0, length, utf16_ends, ids, continues)
    return spans


def cut_rows(request: RowsRequest, _ticket: Ticket | None = None) -> NDArray[np.int32]:
    """Return the starts of the rows, as UTF-16 offsets (int32[rows]). Runs on a worker thread if they are many."""
    from engine.analysis.comparison import row_starts

    return row_starts(request.compared.comparison.units, request.columns)


def cut_short_text(text: str, columns: int) -> tuple[NDArray[np.uint16], NDArray[np.int32]]:
    """Return the UTF-16 units of a text and the starts of its rows, at once; for texts of some thousand characters."""
    from engine.analysis.comparison import row_starts
    from engine.text.offsets import units_of

    units = units_of(text)
    return units, row_starts(units, columns)


def premium_percent(tokens: int, base_tokens: int) -> Decimal | None:
    """Return the percentage of tokens above the base, to a tenth; negative if fewer, None if the base has none."""
    if not base_tokens:
        return None
    return (Decimal(100 * (tokens - base_tokens)) / base_tokens).quantize(Decimal("0.1"), ROUND_HALF_UP)


def export_table(comparison: TextComparison, base: int) -> ExportTable:
    """Return all figures shown, a row for each part of the text and encoding. ``base``: index of the baseline."""
    whole: list[tuple[str, str, int, tuple[int, ...]]] = [("text", "", comparison.utf8_bytes, comparison.tokens)]
    whole += [("script", part.key, part.utf8_bytes, part.tokens) for part in comparison.scripts]
    whole += [("kind", part.key, part.utf8_bytes, part.tokens) for part in comparison.kinds]
    rows = [
        _row(comparison, kind, name, n_bytes, tokens, number, base)
        for kind, name, n_bytes, tokens in whole
        for number in range(len(comparison.tokens))
    ]
    return ExportTable(EXPORTED, tuple(rows), numeric=frozenset(EXPORTED[3:7]))


def _row(
    comparison: TextComparison, kind: str, name: str, n_bytes: int, tokens: tuple[int, ...], number: int, base: int
) -> tuple[Value, ...]:
    count = tokens[number]
    percent = premium_percent(count, tokens[base])
    # In parts by kind, bytes belong to characters, tokens to what they stand for, so their ratio is meaningless.
    ratio = (Decimal(n_bytes) / count).quantize(Decimal("0.0001"), ROUND_HALF_UP) if count and kind != "kind" else None
    names = comparison.names
    return (names[number], kind, name, n_bytes, count, ratio, percent, names[base])


def differences_table(comparison: TextComparison, *, by_lines: bool) -> ExportTable:
    """Return the spans where the encodings differ most, a row for each span and encoding."""
    found = comparison.lines if by_lines else comparison.spans
    rows = [
        (rank, one.line, one.spread, one.beginning, name, count)
        for rank, one in enumerate(found, 1)
        for name, count in zip(comparison.names, one.tokens, strict=True)
    ]
    columns = ("rank", "line", "difference", "text", "encoding", "tokens")
    return ExportTable(columns, tuple(rows), numeric=frozenset(("rank", "line", "difference", "tokens")))
