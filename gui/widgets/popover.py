"""A frameless dialog with rounded corners that closes when the window is deactivated."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QPainter, QPainterPath, QPaintEvent, QPen, QPolygon, QRegion, QResizeEvent
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from gui.look.style_sheet import RADIUS
from gui.look.theme import Theme

NO_BLENDING = ("xcb", "vnc")
"""Platforms that may draw transparent pixels black: the corners are masked there."""


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
