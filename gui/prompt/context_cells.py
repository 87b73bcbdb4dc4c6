"""Cells with a bar: how much of a model's context window a text takes."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QMargins, QModelIndex, QPersistentModelIndex, QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gui.look.theme import Theme

BAR_WIDTH = 40
BAR_HEIGHT = 4.0
GAP = 6
NEAR = 0.8
"""From this share on the bar warns."""


class Shares(Protocol):
    """A model that knows the share of each row."""

    def share(self, row: int) -> float | None:
        """1 is the whole context window; None where it is not known."""
        raise NotImplementedError


class ContextCells(QStyledItemDelegate):
    """Draws the bar at the left of the percentage."""

    def __init__(self, model: Shares, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._model, self._theme = model, theme

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        share = self._model.share(index.row())
        if share is None:
            return
        area = option.rect
        left = area.left() + GAP if not self.parent().isRightToLeft() else area.right() - GAP - BAR_WIDTH
        bar = QRectF(left, area.center().y() - BAR_HEIGHT / 2, BAR_WIDTH, BAR_HEIGHT)
        painter.save()
        painter.fillRect(bar, self._theme.colour("meter_track"))
        role = "meter_over" if share > 1 else "meter_near" if share >= NEAR else "meter"
        filled = QRectF(bar)
        filled.setWidth(max(2.0, BAR_WIDTH * min(1.0, share)) if share else 0.0)
        painter.fillRect(filled, self._theme.colour(role))
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return super().sizeHint(option, index).grownBy(_ROOM)


_ROOM = QMargins(BAR_WIDTH + 2 * GAP, 0, 0, 0)
