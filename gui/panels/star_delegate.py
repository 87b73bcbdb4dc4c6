"""Draws the star of a favourite, filled or as an outline. A shape, not a letter: not every font has stars."""

from __future__ import annotations

from math import cos, pi, sin

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QStyleOptionViewItem

from gui.panels.cost_delegate import CostDelegate

INNER_RADIUS = 0.42
"""Of a five-pointed star whose points are at 1; a little fuller than the exact 0.38, to read well when small."""


class StarDelegate(CostDelegate):
    """A cell with text is a favourite."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        option = QStyleOptionViewItem(option)
        self.initStyleOption(option, index)
        self.paint_background(painter, option)
        colour = option.palette.color(self.group(option), self.text_colour(option))
        filled = bool(option.text)
        radius = min(option.rect.height() * 0.3, 8.0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour, 1.0))
        painter.setOpacity(1.0 if filled else 0.45)
        painter.setBrush(colour if filled else Qt.BrushStyle.NoBrush)
        painter.drawPolygon(star(QPointF(option.rect.center()) + QPointF(0.5, 0.5), radius))
        painter.restore()


def star(centre: QPointF, radius: float) -> QPolygonF:
    """A five-pointed star, one point up."""
    corners = []
    for step in range(10):
        reach = radius if step % 2 == 0 else radius * INNER_RADIUS
        angle = pi / 5 * step
        corners.append(centre + QPointF(reach * sin(angle), -reach * cos(angle)))
    return QPolygonF(corners)
