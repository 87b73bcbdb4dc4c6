"""A line of words that changes many times a second. A new text is painted; nothing is laid out anew."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.look.plain_tip import as_written
from gui.look.shown_text import shown


class StatusLine(QWidget):
    """One line, cut with dots where it is too long; the whole of it is the tool tip, and what screen readers say."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._text = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def text(self) -> str:
        """The words."""
        return self._text

    def set_text(self, text: str) -> None:
        """Show other words; what is hidden in them is made visible."""
        text = shown(text)
        if text == self._text:
            return
        self._text = text
        self.setAccessibleName(text)
        self._show_tip()
        self.update()

    def _show_tip(self) -> None:
        """All of the words, where there is no room for them."""
        cut = self.fontMetrics().horizontalAdvance(self._text) > self.width()
        self.setToolTip(as_written(self._text) if cut else "")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_tip()

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().averageCharWidth() * 20, self.fontMetrics().height() + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            text = self.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, self.width())
            painter.setPen(self.palette().color(self.foregroundRole()))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading, text)
