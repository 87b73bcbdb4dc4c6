"""A line of words that ends in an ellipsis where it has no room."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy


class RemarkLabel(QLabel):
    """Takes the room that is left over. ``text()`` is always the whole text, for screen readers as well."""

    def __init__(self, name: str) -> None:
        super().__init__(objectName=name)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def shown_text(self) -> str:
        """What of the text there is room for."""
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.contentsRect().width())

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            enabled, palette = self.isEnabled(), self.palette()
            self.style().drawItemText(
                painter, self.contentsRect(), side, palette, enabled, self.shown_text(), QPalette.ColorRole.WindowText
            )
