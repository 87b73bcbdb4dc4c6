"""Figures of a comparison in words, and the tables that are taken elsewhere. No Qt widgets."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from gui.core.exports import ExportTable, Value

if TYPE_CHECKING:
    from engine.comparing.types import TextComparison

_NAMES = {
    "letters": QT_TRANSLATE_NOOP("Comparison", "letters"),
    "digits": QT_TRANSLATE_NOOP("Comparison", "digits"),
    "punctuation": QT_TRANSLATE_NOOP("Comparison", "punctuation"),
    "symbols": QT_TRANSLATE_NOOP("Comparison", "symbols and emoji"),
    "white space": QT_TRANSLATE_NOOP("Comparison", "white space"),
    "no letters": QT_TRANSLATE_NOOP("Comparison", "no letters"),
    "other scripts": QT_TRANSLATE_NOOP("Comparison", "other scripts"),
}
"""Of parts of a text; a script that is not among them goes by its own name."""

COLUMNS = ("encoding", "part", "name", "bytes", "tokens", "bytes_per_token", "premium_percent", "base")
_TENTH, _FINE = Decimal("0.1"), Decimal("0.0001")


def tr(text: str) -> str:
    """Translated, in the context of comparisons."""
    return QCoreApplication.translate("Comparison", text)


def name_of(key: str) -> str:
    """A script or a kind of characters, in words."""
    return tr(_NAMES[key]) if key in _NAMES else key


def premium_percent(tokens: int, base_tokens: int) -> Decimal | None:
    """How many per cent more tokens than the base, to a tenth; negative for fewer, None where the base has none."""
    if not base_tokens:
        return None
    return (Decimal(100 * (tokens - base_tokens)) / base_tokens).quantize(_TENTH, ROUND_HALF_UP)


def premium_text(tokens: int, base_tokens: int) -> str:
    """The same with its sign; a dash where there is nothing to compare with."""
    percent = premium_percent(tokens, base_tokens)
    if percent is None:
        return "–"
    if percent == 0:
        return "±0%" if tokens == base_tokens else "±0.0%"
    return f"{percent:+,}%".replace("-", "\N{MINUS SIGN}")


def ratio_text(n_bytes: int, tokens: int) -> str:
    """Bytes for each token, to a hundredth."""
    return f"{n_bytes / tokens:.2f}" if tokens else "–"


def export_table(comparison: TextComparison, base: int) -> ExportTable:
    """Everything that is shown, a row for each part of the text and encoding. ``base``: number of the base."""
    whole: list[tuple[str, str, int, tuple[int, ...]]] = [("text", "", comparison.utf8_bytes, comparison.tokens)]
    whole += [("script", part.key, part.utf8_bytes, part.tokens) for part in comparison.scripts]
    whole += [("kind", part.key, part.utf8_bytes, part.tokens) for part in comparison.kinds]
    rows = [
        _row(comparison, kind, name, n_bytes, tokens, number, base)
        for kind, name, n_bytes, tokens in whole
        for number in range(len(comparison.tokens))
    ]
    return ExportTable(COLUMNS, tuple(rows), numeric=frozenset(COLUMNS[3:7]))


def _row(
    comparison: TextComparison, kind: str, name: str, n_bytes: int, tokens: tuple[int, ...], number: int, base: int
) -> tuple[Value, ...]:
    count = tokens[number]
    percent = premium_percent(count, tokens[base])
    # By kind, bytes are of characters and tokens of what they stand for: a ratio of the two would say nothing.
    ratio = (Decimal(n_bytes) / count).quantize(_FINE, ROUND_HALF_UP) if count and kind != "kind" else None
    names = comparison.names
    return (names[number], kind, name, n_bytes, count, ratio, percent, names[base])


def differences_table(comparison: TextComparison, *, by_lines: bool) -> ExportTable:
    """Where the encodings differ most, a row for each stretch and encoding."""
    found = comparison.lines if by_lines else comparison.stretches
    rows = [
        (rank, one.line, one.spread, one.beginning, name, count)
        for rank, one in enumerate(found, 1)
        for name, count in zip(comparison.names, one.tokens, strict=True)
    ]
    columns = ("rank", "line", "difference", "text", "encoding", "tokens")
    return ExportTable(columns, tuple(rows), numeric=frozenset(("rank", "line", "difference", "tokens")))
