"""Draws a share of the context window: the figure, and under it a bar."""

from __future__ import annotations

from decimal import Decimal

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from gui.models.cost_columns import context_ends
from gui.models.cost_table import CostTableModel
from gui.panels.cost_delegate import CostDelegate

BAR_HEIGHT = 3
NEARLY_FULL = Decimal("0.8")


class ContextBarDelegate(CostDelegate):
    """The bar is solid up to the low end of the range and thin from there to the high end. What is too long says so in
    words; the colour of the bar only repeats it."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        option = QStyleOptionViewItem(option)
        self.initStyleOption(option, index)
        self.paint_background(painter, option)
        model = index.model()
        painter.save()
        inner = option.rect.adjusted(4, 0, -4, 0)
        painter.setFont(option.font)
        painter.setPen(option.palette.color(self.group(option), self.text_colour(option)))
        text = option.fontMetrics.elidedText(option.text, Qt.TextElideMode.ElideRight, inner.width())
        # On the line of the other columns: the bar takes the space below the letters.
        painter.drawText(inner, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        ends = context_ends(model.row_at(index.row())) if isinstance(model, CostTableModel) else None
        if ends is not None:
            track = QRectF(inner.left(), inner.bottom() - BAR_HEIGHT, inner.width(), BAR_HEIGHT)
            self._draw_bar(painter, option, track, *ends)
        painter.restore()

    def _draw_bar(
        self, painter: QPainter, option: QStyleOptionViewItem, track: QRectF, low: Decimal, high: Decimal
    ) -> None:
        role = "meter_over" if high > 1 else "meter_near" if high >= NEARLY_FULL else "meter"
        colour = self.theme.colour(role)
        if option.state & QStyle.StateFlag.State_Selected:
            colour = option.palette.color(self.group(option), self.text_colour(option))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setOpacity(0.3)
            painter.fillRect(track, colour)
            painter.setOpacity(1.0)
        else:
            painter.fillRect(track, self.theme.colour("meter_track"))
        solid, end = (track.width() * float(min(share, Decimal(1))) for share in (low, high))
        if high > 0:
            # A share too small to see still shows as a sliver: not zero.
            end, solid = max(end, 1.5), max(solid, 1.5 if low == high else 0.0)
        mirrored = option.direction == Qt.LayoutDirection.RightToLeft
        for width, height in ((end, track.height() / 2), (solid, track.height())):
            left = track.right() - width if mirrored else track.left()
            painter.fillRect(QRectF(left, track.bottom() - height, width, height), colour)
