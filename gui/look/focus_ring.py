"""Keyboard focus indicator: a ring around the focused control, the same for all kinds of controls.

The style sheet only tints the outline of the focused control. The ring appears with the first press of Tab and
disappears with the next click that moves the focus, so mouse users do not see it.
"""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import QObject, QRectF, Qt, Slot
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QFocusFrame,
    QLineEdit,
    QProxyStyle,
    QPushButton,
    QRadioButton,
    QStyle,
    QStyleHintReturn,
    QStyleOption,
    QWidget,
)

from gui.look.style_sheet import RADIUS
from gui.look.theme import Theme

WIDTH = 2
_ROUND = (QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit)

_MARGINS = (QStyle.PixelMetric.PM_FocusFrameHMargin, QStyle.PixelMetric.PM_FocusFrameVMargin)


class _RingStyle(QProxyStyle):
    """The style of the ring itself. The ring is drawn over the control, inside its edges, where nothing can clip it;
    around controls that have no edge of their own."""

    reaches_out = False
    """True if the ring is drawn around its control."""

    radius = 0.0
    _masks = False

    def __init__(self, theme: Theme) -> None:
        super().__init__("fusion")
        self._theme = theme

    def drawControl(
        self,
        element: QStyle.ControlElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        if element != QStyle.ControlElement.CE_FocusFrame:
            super().drawControl(element, option, painter, widget)
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._theme.colour("focus"), WIDTH))
        half = WIDTH / 2
        area = QRectF(option.rect).adjusted(half, half, -half, -half)
        painter.drawRoundedRect(area, self.radius, self.radius)

    def styleHint(
        self,
        hint: QStyle.StyleHint,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
        returnData: QStyleHintReturn | None = None,
    ) -> int:
        if hint == QStyle.StyleHint.SH_FocusFrame_AboveWidget:
            return 1
        self._masks = hint == QStyle.StyleHint.SH_FocusFrame_Mask
        answer = super().styleHint(hint, option, widget, returnData)
        self._masks = False
        return answer

    def pixelMetric(
        self, metric: QStyle.PixelMetric, option: QStyleOption | None = None, widget: QWidget | None = None
    ) -> int:
        """Return the ring's width with its corners for the mask, otherwise the distance by which it reaches out."""
        if metric not in _MARGINS:
            return super().pixelMetric(metric, option, widget)
        if self._masks:
            return WIDTH + (2 if self.radius else 0)
        return WIDTH if self.reaches_out else 0


class FocusRing(QObject):
    """The ring, which follows the focus through a window and its dialogs."""

    def __init__(self, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._theme, self._window = theme, window
        self._style: _RingStyle | None = None
        self._frame: QFocusFrame | None = None
        self._by_keyboard = False
        theme.changed.connect(self._repaint)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus)

    @Slot(QWidget, QWidget)
    def _on_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        if QApplication.mouseButtons() != Qt.MouseButton.NoButton:
            self._by_keyboard = False
        elif now is not None and now.window().testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange):
            self._by_keyboard = True
        shown = now if now is not None and self._by_keyboard and self._is_ours(now) and has_edge(now) else None
        if shown is not None or self._is_there():
            self._lay_around(shown)

    def _lay_around(self, control: QWidget | None) -> None:
        """Move the ring to the control that has the focus of its window, or hide it.

        From then on, PySide treats the control as a child of the ring. When the ring is destroyed with its dialog, the
        children of the control (its document, its layout items) would count as deleted, and the next access would
        crash. Querying the window's focus widget makes PySide treat the control as a child of the window again.
        """
        ring = self._ring()
        assert self._style is not None
        window = control.window() if control is not None else None
        # If PySide keeps the window's wrapper only during a call, its children would be invalidated with the wrapper.
        if window is None or not shiboken6.createdByPython(window) or window.focusWidget() is not control:
            control = None  # or the focus has moved on; this is called again then
        self._style.reaches_out = isinstance(control, QCheckBox | QRadioButton) or is_filled(control)
        self._style.radius = RADIUS["control"] if isinstance(control, _ROUND) else 0
        ring.setWidget(control)
        if control is not None and window is not None:
            window.focusWidget()

    def _is_ours(self, widget: QWidget) -> bool:
        owner: QWidget | None = widget.window()
        while owner is not None and owner is not self._window:
            owner = owner.parentWidget()
        return owner is not None

    def _is_there(self) -> bool:
        return self._frame is not None and shiboken6.isValid(self._frame)

    def _ring(self) -> QFocusFrame:
        """The ring; a new one if the last was destroyed with its dialog."""
        if self._style is None:
            self._style = _RingStyle(self._theme)
            self._style.setParent(self)
        if not self._is_there():
            self._frame = QFocusFrame(self._window)
            self._frame.setObjectName("focusRing")
            self._frame.setStyle(self._style)
        return self._frame

    @Slot()
    def _repaint(self) -> None:
        if self._is_there():
            self._frame.update()


def is_filled(control: QWidget | None) -> bool:
    """Return True if a control is filled with the ring's colour, so that the ring must be drawn around it."""
    return isinstance(control, QPushButton) and (control.isDefault() or control.property("kind") == "primary")


def has_edge(widget: QWidget) -> bool:
    """Return True if a ring can be drawn around a widget: not around a window, and not in a drop-down list, which
    highlights its current line instead."""
    return not widget.isWindow() and widget.window().windowType() != Qt.WindowType.Popup
