"""Draws a name, and a description behind it."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gui.widgets.encoding_picker import DESCRIPTION

Index = QModelIndex | QPersistentModelIndex


class DescribedDelegate(QStyledItemDelegate):
    """Draws the name, and the description behind it in the placeholder colour."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        size = super().sizeHint(option, index)
        return QSize(size.width(), size.height() + 4)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        description = index.data(DESCRIPTION)
        if not description:
            return
        style = option.widget.style() if option.widget else QApplication.style()
        margin = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) * 2
        used = option.fontMetrics.horizontalAdvance(str(index.data(Qt.ItemDataRole.DisplayRole))) + margin + 16
        area = QRect(option.rect).adjusted(used, 0, -margin, 0)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.PlaceholderText
        painter.save()
        painter.setPen(option.palette.color(role))
        cut = option.fontMetrics.elidedText(str(description), Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, cut)
        painter.restore()
