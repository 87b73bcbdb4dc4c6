"""Differences and counts of encodings, as rows of tables and as sentences."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QLocale, QObject, Qt

from gui.core.exports import ExportTable, Value
from gui.core.token_text import visible, visible_line
from gui.look.plain_text import plain_tip
from gui.look.quantities import figure
from gui.widgets.table_model import RowsModel

if TYPE_CHECKING:
    from engine.analysis.comparison.types import Difference, Part, TextComparison

_NAMES = {
    "letters": QT_TRANSLATE_NOOP("Comparison", "letters"),
    "digits": QT_TRANSLATE_NOOP("Comparison", "digits"),
    "punctuation": QT_TRANSLATE_NOOP("Comparison", "punctuation"),
    "symbols": QT_TRANSLATE_NOOP("Comparison", "symbols and emoji"),
    "white space": QT_TRANSLATE_NOOP("Comparison", "whitespace"),
    "no letters": QT_TRANSLATE_NOOP("Comparison", "no letters"),
    "other scripts": QT_TRANSLATE_NOOP("Comparison", "other scripts"),
}
"""Names of parts of a text; a script that is not listed is shown by its own name."""

COLUMNS = ("encoding", "part", "name", "bytes", "tokens", "bytes_per_token", "premium_percent", "base")
_TENTH, _FINE = Decimal("0.1"), Decimal("0.0001")


def tr(text: str) -> str:
    """Translate in the context of comparisons."""
    return QCoreApplication.translate("Comparison", text)


def name_of(key: str) -> str:
    """Return the name of a script or a kind of characters."""
    return tr(_NAMES[key]) if key in _NAMES else key


def premium_percent(tokens: int, base_tokens: int) -> Decimal | None:
    """Return the percentage of tokens above the base, to a tenth; negative if fewer, None if the base has none."""
    if not base_tokens:
        return None
    return (Decimal(100 * (tokens - base_tokens)) / base_tokens).quantize(_TENTH, ROUND_HALF_UP)


def premium_text(tokens: int, base_tokens: int) -> str:
    """Return ``premium_percent`` as text with its sign; a dash if there is none."""
    percent = premium_percent(tokens, base_tokens)
    if percent is None:
        return "–"
    if percent == 0:
        return "±0%" if tokens == base_tokens else "±0.0%"
    return f"{percent:+,}%".replace("-", "\N{MINUS SIGN}")


def ratio_text(n_bytes: int, tokens: int) -> str:
    """Return bytes per token, to a hundredth."""
    return f"{n_bytes / tokens:.2f}" if tokens else "–"


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
    return ExportTable(COLUMNS, tuple(rows), numeric=frozenset(COLUMNS[3:7]))


def _row(
    comparison: TextComparison, kind: str, name: str, n_bytes: int, tokens: tuple[int, ...], number: int, base: int
) -> tuple[Value, ...]:
    count = tokens[number]
    percent = premium_percent(count, tokens[base])
    # In parts by kind, bytes belong to characters, tokens to what they stand for, so their ratio is meaningless.
    ratio = (Decimal(n_bytes) / count).quantize(_FINE, ROUND_HALF_UP) if count and kind != "kind" else None
    names = comparison.names
    return (names[number], kind, name, n_bytes, count, ratio, percent, names[base])


def differences_table(comparison: TextComparison, *, by_lines: bool) -> ExportTable:
    """Return the spans where the encodings differ most, a row for each span and encoding."""
    found = comparison.lines if by_lines else comparison.stretches
    rows = [
        (rank, one.line, one.spread, one.beginning, name, count)
        for rank, one in enumerate(found, 1)
        for name, count in zip(comparison.names, one.tokens, strict=True)
    ]
    columns = ("rank", "line", "difference", "text", "encoding", "tokens")
    return ExportTable(columns, tuple(rows), numeric=frozenset(("rank", "line", "difference", "tokens")))


ENCODING, TOKENS, RATIO, PREMIUM = range(4)
LINE, TEXT = range(2)
"""Columns of the differences, before those of the encodings."""


class EncodingRow(NamedTuple):
    """Row of an encoding; ``tokens`` and ``utf8_bytes`` are None until they are counted."""

    name: str
    tokens: int | None = None
    utf8_bytes: int | None = None


class EncodingRowsModel(RowsModel):
    """Encodings that are compared, in order, with the count of the whole text in each."""

    COLUMNS = 4
    FIGURES = (TOKENS, RATIO, PREMIUM)

    def __init__(self, locale: QLocale, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._locale = locale
        self.base = 0

    def show_encodings(self, rows: Sequence[EncodingRow], base: int) -> None:
        """Show the encodings; ``base``: index of the baseline."""
        self.base = base
        self.set_rows(tuple(rows))

    def titles(self) -> tuple[str, ...]:
        return tr("Encoding"), tr("Tokens"), tr("Bytes per token"), tr("vs. base")

    def cell(self, row: EncodingRow, column: int) -> str:
        if column == ENCODING:
            return visible_line(row.name)
        if row.tokens is None or row.utf8_bytes is None:
            return "…"
        if column == TOKENS:
            return figure(self._locale, row.tokens)
        if column == RATIO:
            return ratio_text(row.utf8_bytes, row.tokens)
        base = self.rows[self.base]
        return tr("base") if row is base else premium_text(row.tokens, base.tokens or 0)


class PartsModel(RowsModel):
    """Scripts or kinds: bytes, then tokens in each encoding with the premium over the baseline."""

    def __init__(self, locale: QLocale, title: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._locale, self._title = locale, title
        self._names: tuple[str, ...] = ()
        self._base = 0
        self.COLUMNS, self.FIGURES = 2, (1,)

    def show_parts(self, parts: Sequence[Part], names: tuple[str, ...], base: int) -> None:
        """Show these parts; ``base``: index of the baseline."""
        self._names, self._base = names, base
        self.COLUMNS = 2 + len(names)
        self.FIGURES = tuple(range(1, self.COLUMNS))
        self.set_rows(tuple(parts))

    def titles(self) -> tuple[str, ...]:
        return self._title, tr("Bytes"), *map(visible_line, self._names)

    def cell(self, part: Part, column: int) -> str:
        if column == 0:
            return name_of(part.key)
        if column == 1:
            return figure(self._locale, part.utf8_bytes)
        tokens = part.tokens[column - 2]
        words = figure(self._locale, tokens)
        if column - 2 == self._base:
            return words
        return f"{words} ({premium_text(tokens, part.tokens[self._base])})"


class DifferencesModel(RowsModel):
    """Line, text, and tokens in each encoding; the largest differences come first."""

    def __init__(self, locale: QLocale, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._locale = locale
        self._names: tuple[str, ...] = ()
        self.COLUMNS, self.FIGURES = 2, (LINE,)

    def show_differences(self, found: Sequence[Difference], names: tuple[str, ...]) -> None:
        """Show these differences, in their order."""
        self._names = names
        self.COLUMNS = 2 + len(names)
        self.FIGURES = (LINE, *range(2, 2 + len(names)))
        self.set_rows(found)

    def titles(self) -> tuple[str, ...]:
        return tr("Line"), tr("Text"), *(visible_line(name).removesuffix("_base") for name in self._names)

    def cell(self, one: Difference, column: int) -> str:
        if column == LINE:
            return figure(self._locale, one.line)
        if column == TEXT:
            return visible(one.beginning.encode())
        return figure(self._locale, one.tokens[column - 2])

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.ToolTipRole and section > TEXT and orientation is Qt.Orientation.Horizontal:
            return plain_tip(tr("Tokens in {name}").format(name=visible_line(self._names[section - 2])))
        return super().headerData(section, orientation, role)
