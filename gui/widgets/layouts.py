"""A layout that puts widgets side by side and begins a new line where the width ends."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Items keep their preferred size, centred in their line or at its bottom; the height follows from the width."""

    def __init__(self, parent: QWidget | None = None, gap: int = 8, *, at_bottom: bool = False) -> None:
        """``gap``: pixels between items. ``at_bottom``: for controls whose labels are above them."""
        super().__init__(parent)
        self._at_bottom = at_bottom
        self._items: list[QLayoutItem] = []
        self._gap = gap
        self._heights: dict[int, int] = {}  # by width: asked for a dozen times for each figure that changes
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def invalidate(self) -> None:
        self._heights = {}
        super().invalidate()

    def heightForWidth(self, width: int) -> int:
        height = self._heights.get(width)
        if height is None:
            height = self._heights[width] = self._arrange(QRect(0, 0, width, 0), move=False)
        return height

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            if not item.isEmpty():
                size = size.expandedTo(item.minimumSize())
        margins = self.contentsMargins()
        return size.grownBy(margins)

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        """Place the items in lines; returns the height they take."""
        margins = self.contentsMargins()
        area = rect.marginsRemoved(margins)
        top = area.top()
        line: list[QLayoutItem] = []
        used = 0
        for item in self._items:
            if item.isEmpty():
                continue
            width = item.sizeHint().width()
            if line and used + width > area.width():
                top += self._place(line, area, top, move=move) + self._gap // 2
                line, used = [], 0
            line.append(item)
            used += width + self._gap
        if line:
            top += self._place(line, area, top, move=move)
        return top - rect.top() + margins.bottom()

    def _place(self, line: list[QLayoutItem], area: QRect, top: int, *, move: bool) -> int:
        """Put one line at ``top``, from the right where the parent reads so; returns its height."""
        height = max(item.sizeHint().height() for item in line)
        if not move:
            return height
        parent = self.parentWidget()
        mirrored = parent is not None and parent.isRightToLeft()
        x = 0
        for item in line:
            size = item.sizeHint()
            size.setWidth(max(min(size.width(), area.width()), item.minimumSize().width()))
            left = area.width() - x - size.width() if mirrored else x
            room = height - size.height()
            corner = QPoint(area.left() + left, top + (room if self._at_bottom else room // 2))
            item.setGeometry(QRect(corner, size))
            x += size.width() + self._gap
        return height
