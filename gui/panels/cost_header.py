"""The header of the cost table: every column sorted by carries its arrow, and its place where there are several."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPalette
from PySide6.QtWidgets import QHeaderView, QStyle, QStyleOptionHeader, QWidget

from gui.models.cost_columns import COLUMNS
from gui.models.cost_table import CostTableModel
from gui.panels.star_delegate import star

GAP = "\u2002"
"""Between a title and its arrow: styles set the arrow right against the text."""
_SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹"


class CostHeader(QHeaderView):
    """``held`` is True while a mouse button is down on it: sizes that change then were changed by hand."""

    def __init__(self, table: CostTableModel, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._table = table
        self.held = False
        self.setSectionsMovable(True)
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setMinimumSectionSize(24)

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, logical: int) -> None:
        super().initStyleOptionForIndex(option, logical)
        if COLUMNS[logical].painted == "star":
            option.text = ""
        keys = self._table.sort_keys()
        for place, (column, order) in enumerate(keys):
            if column == logical:
                ascending = order == Qt.SortOrder.AscendingOrder
                marks = QStyleOptionHeader.SortIndicator
                # Qt's names tell the direction of the arrow, and its own header points down for rising values.
                option.sortIndicator = marks.SortDown if ascending else marks.SortUp
                if len(keys) > 1 and place < 9:
                    option.text += _SUPERSCRIPT[place + 1]
                option.text += GAP

    def width_of_title(self, logical: int) -> int:
        """What a title takes with its arrow, which styles draw half as wide as the header is high."""
        if COLUMNS[logical].painted == "star":
            return 0
        margin = self.style().pixelMetric(QStyle.PixelMetric.PM_HeaderMargin, None, self)
        arrow = self.fontMetrics().horizontalAdvance(GAP) + self.sizeHint().height() // 2 + margin
        return self.sectionSizeFromContents(logical).width() + arrow

    def paintSection(self, painter: QPainter, rect: QRect, logical: int) -> None:
        painter.save()
        super().paintSection(painter, rect, logical)
        painter.restore()
        if COLUMNS[logical].painted == "star":
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.palette().color(QPalette.ColorRole.ButtonText))
            painter.drawPolygon(star(QPointF(rect.center()) + QPointF(0.5, 0.5), min(rect.height() * 0.26, 7.0)))
            painter.restore()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.held = True
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.held = True
        super().mouseDoubleClickEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        self.held = False
