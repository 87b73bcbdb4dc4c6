"""The tables of a comparison: encodings with their totals, parts of the text, and stretches where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QLocale, QObject, Qt

from gui.core.token_text import visible, visible_line
from gui.look.figures import figure
from gui.look.plain_tip import plain_tip
from gui.prompt.compare.labels import name_of, premium_text, ratio_text, tr
from gui.widgets.table_model import RowsModel

if TYPE_CHECKING:
    from engine.comparing.types import Difference, Part

ENCODING, TOKENS, RATIO, PREMIUM = range(4)
LINE, TEXT = range(2)
"""Columns of the differences before those of the encodings."""


class EncodingRow(NamedTuple):
    """``tokens`` and ``utf8_bytes`` are None as long as they are not counted."""

    name: str
    tokens: int | None = None
    utf8_bytes: int | None = None


class EncodingRowsModel(RowsModel):
    """The encodings that are compared, in their order, with what the whole text is in each."""

    COLUMNS = 4
    FIGURES = (TOKENS, RATIO, PREMIUM)

    def __init__(self, locale: QLocale, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._locale = locale
        self.base = 0

    def show_encodings(self, rows: Sequence[EncodingRow], base: int) -> None:
        """``base``: number of the encoding with which the others are compared."""
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
    """Scripts or kinds: bytes, then tokens in each encoding with the premium against the base."""

    def __init__(self, locale: QLocale, title: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._locale, self._title = locale, title
        self._names: tuple[str, ...] = ()
        self._base = 0
        self.COLUMNS, self.FIGURES = 2, (1,)

    def show_parts(self, parts: Sequence[Part], names: tuple[str, ...], base: int) -> None:
        """Show these; ``base``: number of the encoding that the others are compared with."""
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
    """Line, text, and tokens in each encoding; where the encodings differ most comes first."""

    def __init__(self, locale: QLocale, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._locale = locale
        self._names: tuple[str, ...] = ()
        self.COLUMNS, self.FIGURES = 2, (LINE,)

    def show_differences(self, found: Sequence[Difference], names: tuple[str, ...]) -> None:
        """Show these, in their order."""
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
