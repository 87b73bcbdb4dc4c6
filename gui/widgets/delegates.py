"""Draws a line of which some stretches are gone or new: struck out or underlined, each on a ground of its own."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gui.core.text_runs import ADDED, REMOVED, Runs
from gui.look.fonts import fixed_font
from gui.look.theme import Theme
from gui.models.previews import RUNS_ROLE

Index = QModelIndex | QPersistentModelIndex

MARGIN = 4
GROUNDS = {REMOVED: "error", ADDED: "success"}
"""The role of the theme for the text of a marked stretch; that of its ground ends in ``_base``."""


class RunsDelegate(QStyledItemDelegate):
    """For cells whose model gives runs. What does not fit is cut off at the edge; the tool tip has it.

    A window full of changes is some two thousand runs: the model is asked for nothing else, and fonts are made once.
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
        """Return how wide a text may be in a column."""
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
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)  # all but a text
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text
        painter.save()
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
        """Pixels of a line that are left out before its first mark, where that would not be in sight."""
        before = 0
        for run in runs:
            width = self._metrics.horizontalAdvance(run.text)
            if run.mark:
                return max(0, before - room // 2) if before + width > room else 0
            before += width
        return 0
