"""Draws a line of which some stretches are gone or new: struck out or underlined, each on a ground of its own."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gui.look.theme import Theme
from gui.models.previews import RUNS_ROLE
from gui.models.runs import ADDED, REMOVED, Runs

Index = QModelIndex | QPersistentModelIndex

MARGIN = 4
GROUNDS = {REMOVED: "error", ADDED: "success"}
"""The role of the theme for the text of a marked stretch; that of its ground ends in ``_base``."""


class RunsDelegate(QStyledItemDelegate):
    """For cells whose model gives runs. What does not fit is cut off at the edge; the tool tip has it."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        runs: Runs | None = index.data(RUNS_ROLE)
        if runs is None:
            super().paint(painter, option, index)
            return
        self.initStyleOption(option, index)
        option.text = ""
        style = option.widget.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text
        painter.save()
        painter.setClipRect(option.rect)
        self._paint_runs(painter, option.rect.adjusted(MARGIN, 0, -MARGIN, 0), runs, option.palette.color(role))
        painter.restore()

    def _paint_runs(self, painter: QPainter, area: QRect, runs: Runs, plain: QColor) -> None:
        widths = [QFontMetrics(self._font).horizontalAdvance(run.text) for run in runs]
        left = area.left() - _out_of_sight(runs, widths, area.width())
        for run, width in zip(runs, widths, strict=True):
            if left > area.right():
                break
            font = QFont(self._font)
            font.setStrikeOut(run.mark == REMOVED)
            font.setUnderline(run.mark == ADDED)
            place = QRect(left, area.top(), width, area.height())
            colour = plain
            if run.mark:
                colour = self._theme.colour(GROUNDS[run.mark])
                painter.fillRect(place.adjusted(0, 2, 0, -2), self._theme.colour(GROUNDS[run.mark] + "_base"))
            painter.setFont(font)
            painter.setPen(colour)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, run.text)
            left += width


def _out_of_sight(runs: Runs, widths: Sequence[int], room: int) -> int:
    """Pixels of a line that are left out before its first mark, where that would not be in sight."""
    before = 0
    for run, width in zip(runs, widths, strict=True):
        if run.mark:
            return max(0, before - room // 2) if before + width > room else 0
        before += width
    return 0
