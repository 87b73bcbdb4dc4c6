"""Delegates that paint cells: plain texts, coloured runs, and text columns set apart from numbers."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import (
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from gui.core.token_text import ADDED, REMOVED, Runs
from gui.look.fonts import fixed_font
from gui.look.theme import Theme

RUNS_ROLE = Qt.ItemDataRole.UserRole
"""Role of the runs of a cell."""
_LINE_SEPARATOR = "\u2028"
_FROM_THE_RIGHT = Qt.LayoutDirection.RightToLeft
_AS_NUMBERS = "\u2066{}\u2069"
"""Isolates numbers as left-to-right, so that signs and units stay in place in right-to-left windows: ``−57%``, not
``57%−``."""


class Texts(Protocol):
    """A model whose cells are texts."""

    def shown(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        raise NotImplementedError

    def side(self, column: int) -> Qt.AlignmentFlag:
        """Return the alignment of a column."""
        raise NotImplementedError


class TextDelegate(QStyledItemDelegate):
    """Delegate that queries its model, which must be that of the view, once per cell. Qt's delegate queries it seven
    times through QVariant, each time perhaps waiting for the GIL."""

    def __init__(self, model: Texts, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        row, column = index.row(), index.column()
        side = option.displayAlignment = self._model.side(column)
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDisplay
        text = self.written(row, column).replace("\n", _LINE_SEPARATOR)
        figures = bool(side & Qt.AlignmentFlag.AlignRight)
        option.text = _AS_NUMBERS.format(text) if figures and option.direction == _FROM_THE_RIGHT else text

    def written(self, row: int, column: int) -> str:
        """Return the text of a cell, without a call into Qt."""
        return self._model.shown(row, column)


Index = QModelIndex | QPersistentModelIndex

MARGIN = 4
GROUNDS = {REMOVED: "error", ADDED: "success"}
"""Theme role of a marked run's text; its background has the suffix ``_base``."""


class RunsDelegate(QStyledItemDelegate):
    """Delegate for cells whose model provides runs. Text that does not fit is clipped; the tooltip has all of it.

    A window full of changes has some two thousand runs, so the model is queried for nothing else, and fonts are cached.
    """

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        font = fixed_font()
        self._metrics = QFontMetrics(font)
        struck, underlined = QFont(font), QFont(font)
        struck.setStrikeOut(True)
        underlined.setUnderline(True)
        self._widths: dict[str, int] = {}
        self._fonts = {"": font, REMOVED: struck, ADDED: underlined}

    def room(self, column_width: int) -> int:
        """Return the maximum width of a text in a column."""
        return column_width - 2 * MARGIN

    def width(self, character: str) -> int:
        """Return the width of a character."""
        width = self._widths.get(character)
        if width is None:
            width = self._widths[character] = self._metrics.horizontalAdvance(character)
        return width

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        runs: Runs | None = index.data(RUNS_ROLE)
        if runs is None:
            super().paint(painter, option, index)
            return
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)  # all but the text
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text
        painter.save()
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # runs are laid out from the left
        painter.setClipRect(option.rect)
        self._paint_runs(painter, option.rect.adjusted(MARGIN, 0, -MARGIN, 0), runs, option.palette.color(role))
        painter.restore()

    def _paint_runs(self, painter: QPainter, area: QRect, runs: Runs, plain: QColor) -> None:
        metrics, right = self._metrics, area.right()
        top, height = area.top(), area.height()
        baseline = top + (height - metrics.height() + 1) // 2 + metrics.ascent()
        colours = {
            mark: (self._theme.colour(role), self._theme.colour(f"{role}_base")) for mark, role in GROUNDS.items()
        }
        left = area.left() - self._out_of_sight(runs, area.width())
        for run in runs:
            if left > right:
                break
            width = metrics.horizontalAdvance(run.text)
            colour = plain
            if run.mark:
                colour, ground = colours[run.mark]
                painter.fillRect(left, top + 2, width, height - 4, ground)
            if left + width > area.left():
                painter.setFont(self._fonts[run.mark])
                painter.setPen(colour)
                painter.drawText(left, baseline, run.text)
            left += width

    def _out_of_sight(self, runs: Runs, room: int) -> int:
        """Return the number of pixels to skip at the start of a line whose first mark would be out of sight."""
        before = 0
        for run in runs:
            width = self._metrics.horizontalAdvance(run.text)
            if run.mark:
                return max(0, before - room // 2) if before + width > room else 0
            before += width
        return 0


GAP = "\N{EN SPACE}" * 2
"""Painted before the text and its title; part of neither."""


def part_text_from_figures(table: QTableView, column: int) -> None:
    """Add a gap before the texts of a column."""
    part_title(table, column)
    table.setItemDelegateForColumn(column, _Delegate(table))


def part_title(table: QTableView, column: int) -> None:
    """Add a gap before the title of a column whose delegate adds ``GAP`` to its texts. Replaces the header."""
    table.setHorizontalHeader(_Header(column, table))


class _Delegate(QStyledItemDelegate):
    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        option.text = GAP + option.text


class _Header(QHeaderView):
    def __init__(self, column: int, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._column = column
        self.setSectionsClickable(True)  # as in a table's own header

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, logicalIndex: int) -> None:
        super().initStyleOptionForIndex(option, logicalIndex)
        if logicalIndex == self._column:
            option.text = GAP + option.text
