"""Labels: single-line remarks and the status line, links, and wrapping labels, some in a colour of the theme."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QStyleOptionButton, QWidget

from gui.core.token_text import shown
from gui.look.plain_text import as_written
from gui.look.theme import Theme


class RemarkLabel(QLabel):
    """A label that takes the remaining width. ``text()`` is always the whole text, also for screen readers."""

    def __init__(self, name: str, role: str = "") -> None:
        super().__init__(objectName=name)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        if role:
            self.setProperty("role", role)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def shown_text(self) -> str:
        """Return the text, elided to the available width."""
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.contentsRect().width())

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            enabled, palette = self.isEnabled(), self.palette()
            self.style().drawItemText(
                painter, self.contentsRect(), side, palette, enabled, self.shown_text(), QPalette.ColorRole.WindowText
            )


class ElidedLink(QPushButton):
    """A button that looks like a link, and ends what it has no room for with dots."""

    def __init__(self, name: str) -> None:
        super().__init__(objectName=name)
        self.setProperty("kind", "link")
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def initStyleOption(self, option: QStyleOptionButton) -> None:
        super().initStyleOption(option)
        text = option.text.replace("&&", "&")
        option.text = (
            self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, self.width() - 2).replace("&", "&&")
        )


class StatusLine(QWidget):
    """One line, elided if too long; the tooltip and the accessible name hold the whole text."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._text = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def text(self) -> str:
        """Return the whole text."""
        return self._text

    def set_text(self, text: str) -> None:
        """Set the text; hidden characters are made visible."""
        text = shown(text)
        if text == self._text:
            return
        self._text = text
        self.setAccessibleName(text)
        self._show_tip()
        self.update()

    def _show_tip(self) -> None:
        """Set the tooltip if the text is elided."""
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


def wrapped_label(name: str, *, selectable: bool = False) -> QLabel:
    """Return an empty plain-text label that wraps. ``selectable``: True if its text can be selected with the mouse."""
    label = QLabel(objectName=name)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    if selectable:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def set_text_colour(widget: QWidget, colour: QColor) -> None:
    """Set the colour of the text of a label."""
    palette = QPalette(widget.palette())
    palette.setColor(QPalette.ColorRole.WindowText, colour)
    widget.setPalette(palette)


class ToneLabel(QLabel):
    """Wrapping plain-text label in a colour of the theme."""

    def __init__(self, name: str, theme: Theme) -> None:
        """``name``: object name."""
        super().__init__(objectName=name, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._theme, self._tone = theme, "stale"
        theme.changed.connect(self._colour)

    def say(self, text: str, tone: str = "stale") -> None:
        """Show a text. ``tone``: a role of the theme."""
        self._tone = tone
        self.setText(text)
        self._colour()

    @Slot()
    def _colour(self) -> None:
        set_text_colour(self, self._theme.colour(self._tone))
