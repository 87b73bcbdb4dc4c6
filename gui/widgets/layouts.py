"""Layouts and parts of forms: rows that wrap, captions, number boxes, page tabs, parts that are made when seen."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal

from PySide6.QtCore import QDate, QEvent, QObject, QPoint, QRect, QSize, Qt, Slot
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLayout,
    QLayoutItem,
    QSpinBox,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from gui.core.figures import MOST_TOKENS
from gui.look.plain_text import PlainLabel


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


def labelled(text: str, control: QWidget, buddy: QWidget | None) -> QWidget:
    """Both in one box. Without a text an empty line keeps the control level with the others; ``buddy`` takes the focus
    when the label's key is pressed.
    """
    label = PlainLabel(text)
    if buddy is not None:
        label.setBuddy(buddy)
    return stacked(label, control)


def labelled_row(text: str, control: QWidget) -> QHBoxLayout:
    """A line with the label before its control, at the left."""
    label = PlainLabel(text)
    label.setBuddy(control)
    row = QHBoxLayout()
    row.addWidget(label)
    row.addWidget(control)
    row.addStretch(1)
    return row


def stacked(label: QWidget, control: QWidget) -> QWidget:
    """A control with something else than words above it."""
    box = QWidget()
    column = QVBoxLayout(box)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(2)
    column.addWidget(label)
    column.addWidget(control, alignment=Qt.AlignmentFlag.AlignVCenter)
    return box


def side_by_side(*controls: QWidget) -> QWidget:
    """Controls that go together under one label."""
    box = QWidget()
    row = QHBoxLayout(box)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(4)
    for control in controls:
        row.addWidget(control)
    return box


def tokens_box(name: str, spoken: str) -> QSpinBox:
    """A box for a number of tokens or calls."""
    box = QSpinBox(objectName=name)
    box.setRange(0, MOST_TOKENS)
    box.setGroupSeparatorShown(True)
    box.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
    box.setAccelerated(True)
    box.setAccessibleName(spoken)
    # As wide as seven digits: the longest number allowed would make the bar twice as wide for no use.
    box.setFixedWidth(box.fontMetrics().horizontalAdvance("0,000,000") + 36)
    return box


def amount_box(name: str, spoken: str) -> QDoubleSpinBox:
    """A box for an amount of money with two decimals."""
    box = QDoubleSpinBox(objectName=name)
    box.setDecimals(2)
    box.setGroupSeparatorShown(True)
    box.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
    box.setFixedWidth(box.fontMetrics().horizontalAdvance("$ 0,000,000.00") + 36)
    box.setAccessibleName(spoken)
    return box


def decimal_of(box: QDoubleSpinBox) -> Decimal:
    """The number in a box. It holds a float; its decimals say what the user typed."""
    return Decimal(f"{box.value():.{box.decimals()}f}")


def as_date(day: QDate) -> date:
    """A day of Qt's as Python's."""
    return date(day.year(), day.month(), day.day())


class WheelGuard(QObject):
    """Lets a control have the wheel only while it has the focus; else the page behind it scrolls."""

    def guard(self, page: QWidget) -> None:
        """Watch every box of numbers and choices on a page."""
        for kind in (QAbstractSpinBox, QComboBox):
            for control in page.findChildren(kind):
                control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
                control.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return False


class PageTabs(QTabWidget):
    """Only its tabs take the focus. A ``QTabWidget`` hands on to them what it is given itself: wherever it stands in
    the order, the Tab key would go back to its tabs, and never on."""

    def __init__(self, name: str, words: str, parent: QWidget | None = None) -> None:
        """``name``: of the object; ``words``: the accessible name."""
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setDocumentMode(True)
        self.setFocusProxy(None)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)


class WhenSeen(QObject):
    """Does it at once where the widget is seen, else when it is next shown, once for all that asked for it.

    Another theme concerns every tab: to redraw all of them took a tenth of a second, of which one is seen.
    """

    def __init__(self, widget: QWidget, act: Callable[[], object]) -> None:
        super().__init__(widget)
        self._widget, self._act = widget, act
        self._waits = False

    @Slot()
    def ask(self) -> None:
        """Have it done."""
        if self._widget.isVisible():
            self._act()
        elif not self._waits:
            self._waits = True
            self._widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and watched is self._widget and self._waits:
            self._waits = False
            self._widget.removeEventFilter(self)
            self._act()
        return False
