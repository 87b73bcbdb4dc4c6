"""Layouts, rows of a form, fields, buttons of a dialog, and popovers."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QDate, QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QGuiApplication,
    QIcon,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPolygon,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QBoxLayout,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLayout,
    QLayoutItem,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QSplitter,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from gui.core.figures import MAX_TOKENS
from gui.look.style_sheet import RADIUS, SPACE, give_kind, give_tone
from gui.look.theme import Theme
from gui.widgets.labels import PlainLabel

if TYPE_CHECKING:
    from datetime import date

Box = TypeVar("Box", bound=QBoxLayout)

LABEL_GAP = 8
TEXT_INSET = 6
"""Distance of the text of a spin box from its edge, in pixels."""
SIGNS = {"error": "⚠ ", "warning": "⚠ ", "success": "✓ "}
"""Marks that convey the kind by more than colour."""
NO_BLENDING = ("xcb", "vnc")
"""Platforms that may draw transparent pixels black: the corners are masked there."""


# --- layouts ----------------------------------------------------------------------------------------------------------


class FlowLayout(QLayout):
    """Wrapping layout: items at their preferred size, centred vertically or bottom-aligned, with height for width."""

    def __init__(self, parent: QWidget | None = None, gap: int = 8, *, at_bottom: bool = False) -> None:
        """``gap``: pixels between items. ``at_bottom``: for controls with labels above them."""
        super().__init__(parent)
        self._at_bottom = at_bottom
        self._items: list[QLayoutItem] = []
        self._gap = gap
        self._heights: dict[int, int] = {}  # cache by width: queried a dozen times for each figure that changes
        self.setContentsMargins(0, 0, 0, 0)

    def add(self, *widgets: QWidget) -> None:
        """Add widgets."""
        for widget in widgets:
            self.addWidget(widget)

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
        """Place the items in lines; return the total height."""
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
        """Place one line at ``top``, mirrored if the parent is right-to-left; return its height."""
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


ROW_SPACING = 6
"""Default spacing of a row. Qt's would be that of the layout around it, often 0."""


def row_of(*items: Any, **options: Any) -> QHBoxLayout:
    """Return a row of items, in the order of the screen.

    An item is a widget or a layout, or a tuple of it, its stretch factor and perhaps its alignment; a number is an
    empty item with that stretch factor. Options: ``parent``, the widget that gets the layout; ``margins``, left, top,
    right and bottom, none by default, and those of the style if None; ``spacing``, in pixels.
    """
    return _fill(QHBoxLayout(), *items, **{"spacing": ROW_SPACING, **options})


def column_of(*items: Any, **options: Any) -> QVBoxLayout:
    """Return a column of items; they and the options are as those of ``row_of``, but its default spacing is Qt's: that
    of the layout around it, or of the style."""
    return _fill(QVBoxLayout(), *items, **options)


def _fill(
    box: Box,
    *items: Any,
    parent: QWidget | None = None,
    margins: tuple[int, int, int, int] | None = (0, 0, 0, 0),
    spacing: int | None = None,
) -> Box:
    if parent is not None:
        parent.setLayout(box)
    if margins is not None:
        box.setContentsMargins(*margins)
    if spacing is not None:
        box.setSpacing(spacing)
    for item in items:
        if isinstance(item, int):
            box.addStretch(item)
            continue
        content, *rest = item if isinstance(item, tuple) else (item,)
        add = box.addLayout if isinstance(content, QLayout) else box.addWidget
        add(content, *rest)
    return box


def label_of(control: QWidget, text: str, role: str = "") -> PlainLabel:
    """Return a label whose mnemonic focuses a control. ``role``: of the style sheet."""
    label = PlainLabel(text, role=role)
    label.setBuddy(control)
    return label


def splitter_of(name: str, first: QWidget, second: QWidget, sizes: Sequence[int]) -> QSplitter:
    """Return a splitter of two widgets side by side, neither of which can be hidden."""
    splitter = QSplitter(Qt.Orientation.Horizontal, objectName=name, childrenCollapsible=False)
    splitter.addWidget(first)
    splitter.addWidget(second)
    splitter.setSizes(list(sizes))
    return splitter


def labelled(text: str, control: QWidget, buddy: QWidget | None) -> QWidget:
    """Return a box with the label above its control. An empty text keeps the control aligned with others; ``buddy``
    receives the focus of the label's mnemonic."""
    label = PlainLabel(text)
    if buddy is not None:
        label.setBuddy(buddy)
    return stacked(label, control)


def labelled_row(text: str, control: QWidget) -> QHBoxLayout:
    """Return a row with the label before its control, left-aligned."""
    return row_of(label_of(control, text), control, 1)


def stacked(label: QWidget, control: QWidget) -> QWidget:
    """Return a box with a widget above a control."""
    box = QWidget()
    column_of(label, (control, 0, Qt.AlignmentFlag.AlignVCenter), parent=box, spacing=2)
    return box


def side_by_side(*controls: QWidget) -> QWidget:
    """Return a box with controls that share one label."""
    box = QWidget()
    row_of(*controls, parent=box, spacing=4)
    return box


def separator() -> QFrame:
    """Return a thin line between two parts of a page."""
    line = QFrame()
    line.setProperty("kind", "line")
    return line


def restore_sizes(splitter: QSplitter, sizes: object) -> None:
    """Set the sizes of a splitter of two from saved JSON data; invalid ones are ignored."""
    if isinstance(sizes, list) and len(sizes) == 2 and all(isinstance(size, int) for size in sizes) and any(sizes):
        splitter.setSizes(sizes)


class PageTabs(QTabWidget):
    """Tab widget whose tab bar alone takes the focus. ``QTabWidget`` uses the tab bar as focus proxy, so the Tab key
    would return to the tabs forever."""

    def __init__(self, name: str, words: str, parent: QWidget | None = None) -> None:
        """``name``: object name; ``words``: accessible name."""
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setDocumentMode(True)
        self.setFocusProxy(None)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)


# --- rows of a form ---------------------------------------------------------------------------------------------------


class Remark(PlainLabel):
    """A sentence under a control: a hint, a warning or an error. Takes no space while empty."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.hide()

    def say(self, text: str, kind: str = "") -> None:
        """Set the text; ``kind`` is ``error``, ``warning``, ``success`` or empty."""
        give_tone(self, kind or "quiet")
        self.setText(SIGNS.get(kind, "") + text if text else "")
        self.setVisible(bool(text))


def form_grid() -> QGridLayout:
    """Return a grid of two columns. A QFormLayout would give wrapping texts the height they need in a narrow column."""
    grid = QGridLayout()
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(LABEL_GAP)
    grid.setVerticalSpacing(6)
    grid.setColumnStretch(1, 1)
    return grid


def form_row(grid: QGridLayout, text: str, control: QWidget, remark: Remark | None = None) -> None:
    """Add a control with its label before it and a remark below."""
    row = grid.rowCount()
    if not control.accessibleName():
        control.setAccessibleName(text.replace("&", ""))
    grid.addWidget(label_of(control, text), row, 0)
    grid.addWidget(control, row, 1)
    if remark is not None:
        grid.addWidget(remark, row + 1, 0, 1, 2)


def tokens_box(name: str, spoken: str) -> QSpinBox:
    """Return a spin box for a number of tokens or calls."""
    box = SpinBox(objectName=name, groupSeparatorShown=True, accessibleName=spoken)
    box.setRange(0, MAX_TOKENS)
    box.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
    box.setAccelerated(True)
    # Wide enough for seven digits: the maximum would make the bar twice as wide for no use.
    box.setFixedWidth(box.fontMetrics().horizontalAdvance("0,000,000") + 36)
    return box


def amount_box(name: str, spoken: str) -> QDoubleSpinBox:
    """Return a spin box for an amount of money with two decimals."""
    box = DoubleSpinBox(objectName=name, decimals=2, groupSeparatorShown=True, accessibleName=spoken)
    box.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
    box.setFixedWidth(box.fontMetrics().horizontalAdvance("$ 0,000,000.00") + 36)
    return box


def decimal_of(box: QDoubleSpinBox) -> Decimal:
    """Return the number in a box. The box holds a float; rounding to its decimals gives what the user typed."""
    return Decimal(f"{box.value():.{box.decimals()}f}")


def as_date(day: QDate) -> date:
    """Convert a Qt date to a Python date."""
    from datetime import date

    return date(day.year(), day.month(), day.day())


class WheelGuard(QObject):
    """Wheel filter: a control receives wheel events only while it has the focus, so that the page scrolls otherwise."""

    def guard(self, page: QWidget) -> None:
        """Guard every number and combo box on a page."""
        for kind in (QAbstractSpinBox, QComboBox):
            for control in page.findChildren(kind):
                control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
                control.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return False


# --- dialogs ----------------------------------------------------------------------------------------------------------


class _Row(QDialogButtonBox):
    """Button box whose first button is the dialog's default, at any position. Qt takes the first in tab order."""

    first: QPushButton | None = None

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.Show and self.first is not None:
            self.first.setDefault(False)  # otherwise the dialog is not notified
            self.first.setDefault(True)
        return done


def button_row(dialog: QDialog, *kinds: QDialogButtonBox.StandardButton) -> QDialogButtonBox:
    """Return buttons that accept or reject ``dialog``; Enter presses the first. A Close button is still not drawn as
    primary.

    The style's icons are removed: they are drawn for light windows and invisible in dark ones. The buttons become
    children of the dialog when its layout takes them, after the fields, so that the tab order begins with the fields.
    """
    box = _Row()
    for kind in kinds:
        button = box.addButton(kind)
        button.setIcon(QIcon())
        if kind is QDialogButtonBox.StandardButton.Close:
            button.setProperty("kind", "secondary")
    box.first = box.button(kinds[0])
    box.first.setDefault(True)
    box.accepted.connect(dialog.accept)
    box.rejected.connect(dialog.reject)
    return box


def close_row(dialog: QDialog) -> QDialogButtonBox:
    """Return a Close button for a dialog whose changes apply at once: Enter does not close it."""
    box = _Row()
    button = box.addButton(QDialogButtonBox.StandardButton.Close)
    button.setIcon(QIcon())
    button.setProperty("kind", "secondary")
    button.setAutoDefault(False)
    box.rejected.connect(dialog.reject)
    return box


def button_of_kind(name: str, text: str, kind: str) -> QPushButton:
    """Return a button of a ``kind`` of the style sheet that Enter elsewhere in its dialog does not press."""
    button = QPushButton(text, objectName=name, autoDefault=False)
    give_kind(button, kind)
    return button


def _stand_off(box: QAbstractSpinBox) -> None:
    """Move the text of a spin box off its edge: the padding of the style sheet moves only the buttons."""
    box.lineEdit().setTextMargins(TEXT_INSET, 0, 0, 0)


class SpinBox(QSpinBox):
    """A spin box for integers, in the look of the other fields."""

    def __init__(self, *args: Any, **properties: Any) -> None:
        super().__init__(*args, **properties)
        _stand_off(self)


class DoubleSpinBox(QDoubleSpinBox):
    """A spin box for decimal numbers, in the look of the other fields."""

    def __init__(self, *args: Any, **properties: Any) -> None:
        super().__init__(*args, **properties)
        _stand_off(self)


def set_page_margins(dialog: QDialog) -> None:
    """Give a dialog the margins of a page."""
    layout = dialog.layout()
    if layout is not None:
        page, wide = SPACE["page"], SPACE["wide"]
        layout.setContentsMargins(page, wide, page, wide)
        layout.setSpacing(max(layout.spacing(), SPACE["normal"]))


class Dialog(QDialog):
    """Base class of dialogs; it has the margins of a page."""

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Polish:
            set_page_margins(self)
        return super().event(event)


class Popover(QDialog):
    """Base class of popovers; paints its own background and outline."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Dialog | Qt.WindowType.FramelessWindowHint)
        self.setProperty("kind", "popover")
        self._theme = theme
        self._corners = QPolygon()
        self._blends = QGuiApplication.platformName() not in NO_BLENDING
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground, self._blends)
        theme.changed.connect(self.update)

    def event(self, event: QEvent) -> bool:
        """Close when the window is deactivated, unless one of its own combo box lists is open."""
        leaves = event.type() == QEvent.Type.WindowDeactivate and QApplication.activePopupWidget() is None
        if leaves and QApplication.activeModalWidget() in (None, self):
            self.reject()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._blends:
            path = QPainterPath()
            path.addRoundedRect(QRectF(self.rect()), RADIUS["card"], RADIUS["card"])
            self._corners = path.toFillPolygon().toPolygon()
            self.setMask(QRegion(self._corners))

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(self._theme.colour("outline"), 1))
            painter.setBrush(self._theme.colour("raised"))
            if not self._blends:  # along the mask, which cuts off half of the line
                painter.setPen(QPen(self._theme.colour("outline"), 2))
                painter.drawPolygon(self._corners)
                return
            area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            painter.drawRoundedRect(area, RADIUS["card"], RADIUS["card"])
