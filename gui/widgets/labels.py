"""Labels that show text literally: plain, on one line, wrapping, key figures, and the placeholder of an empty page."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStyleOptionButton,
    QVBoxLayout,
    QWidget,
)

from gui.core.token_text import shown
from gui.look.fonts import STRONG, set_weight
from gui.look.icons import Icons
from gui.look.style_sheet import give_kind, give_role, give_tone
from gui.look.theme import Theme


class PlainLabel(QLabel):
    """A label that never interprets its text as HTML, which QLabel does if the text looks like it.

    So file names and token text are shown literally, and characters that hide or reorder text are made visible. A test
    finds labels that are not plain.
    """

    def __init__(self, *args: Any, role: str = "", **properties: Any) -> None:
        """``role``: as in the style sheet."""
        super().__init__(*args, **properties)
        self.setTextFormat(Qt.TextFormat.PlainText)
        if role:
            give_role(self, role)

    def setText(self, text: str) -> None:
        super().setText(shown(text))


def plain_tip(text: str) -> str:
    """Return a tooltip that shows ``text`` literally, with invisible characters made visible."""
    return as_written(shown(text))


def as_written(text: str) -> str:
    """Return a tooltip that shows ``text`` literally and keeps invisible characters: for our own text, which contains
    direction marks.

    A tooltip has no text format: Qt interprets anything that looks like HTML. Such text is escaped, as HTML.
    """
    if "<" not in text and "&" not in text:
        return text
    # Imported late: most windows open without any text to escape.
    from html import escape

    return f"<p style='white-space:pre-wrap'>{escape(text)}</p>"


def in_order(text: str, widget: QWidget) -> str:
    """Return a text to paint that reads as it is written in right-to-left windows too: ``−57%``, not ``57%−``."""
    return f"\u2068{text}\u2069" if widget.isRightToLeft() else text


class RemarkLabel(QLabel):
    """A label that takes the remaining width. ``text()`` is always the whole text, also for screen readers."""

    def __init__(self, name: str, role: str = "") -> None:
        super().__init__(objectName=name)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        if role:
            give_role(self, role)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def shown_text(self) -> str:
        """Return the text, elided to the available width."""
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.contentsRect().width())

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            enabled, palette, text = self.isEnabled(), self.palette(), in_order(self.shown_text(), self)
            self.style().drawItemText(
                painter, self.contentsRect(), side, palette, enabled, text, QPalette.ColorRole.WindowText
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
            side = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading
            painter.drawText(self.rect(), side, in_order(text, self))


def wrapped_label(name: str, *, selectable: bool = False) -> QLabel:
    """Return an empty plain-text label that wraps. ``selectable``: True if its text can be selected with the mouse."""
    label = QLabel(objectName=name, wordWrap=True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    if selectable:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


class ToneLabel(QLabel):
    """Wrapping plain-text label in a tone of the style sheet."""

    def __init__(self, name: str) -> None:
        """``name``: object name."""
        super().__init__(objectName=name, textFormat=Qt.TextFormat.PlainText, wordWrap=True)

    def say(self, text: str, tone: str = "quiet") -> None:
        """Show a text."""
        give_tone(self, tone)
        self.setText(text)


FIGURE_PIXELS = 23
CAPTION_PIXELS = 11
LINE_WIDTH = 3
"""Width of a line between two figures, at most: the style sheet makes it thinner."""


class Figure(QWidget):
    """A number above its caption, which is elided first."""

    def __init__(self, name: str, parent: QWidget) -> None:
        """``name``: object name of the number's label."""
        super().__init__(parent)
        self.value, self.caption = RemarkLabel(name, "figure"), RemarkLabel(f"{name}Caption", "caption")
        for label, role, pixels in ((self.value, "figure", FIGURE_PIXELS), (self.caption, "caption", CAPTION_PIXELS)):
            label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
            font = QFont(label.font())
            font.setPixelSize(pixels)
            set_weight(font, STRONG if role == "figure" else QFont.Weight.Normal)
            label.setFont(font)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.value)
        column.addWidget(self.caption)

    def show_figure(self, value: str, caption: str) -> None:
        """Show a number and its caption."""
        self.value.setText(shown(value))
        self.value.setMinimumWidth(0)  # the size hint is at least the minimum
        self.value.setMinimumWidth(self.value.sizeHint().width())
        self.caption.setText(shown(caption))
        self.caption.setToolTip(plain_tip(caption))
        self.value.setAccessibleName(f"{value} {caption}".strip())


class FigureStrip(QWidget):
    """Figures side by side, separated by lines; controls can be appended to ``row``.

    Where there is no room for all numbers, the last ones are hidden: a number without its end would be another one.
    """

    def __init__(self, *names: str) -> None:
        """``names``: object names of the number labels."""
        super().__init__()
        self.figures: list[Figure] = []
        self._lines: list[QFrame] = []
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(0, 2, 12, 2)
        self.row.setSpacing(16)
        for name in names:
            if self.figures:
                line = QFrame(self)
                line.setProperty("kind", "vline")
                line.setFrameShape(QFrame.Shape.VLine)
                line.setFrameShadow(QFrame.Shadow.Sunken)
                self._lines.append(line)
                self.row.addWidget(line)
            figure = Figure(name, self)
            self.figures.append(figure)
            self.row.addWidget(figure)
        self.row.addStretch(1)
        self.show_figures()

    def show_figures(self, *figures: tuple[str, str]) -> None:
        """Show these figures with their captions; the remaining ones are hidden."""
        for number, figure in enumerate(self.figures):
            figure.show_figure(*(figures[number] if number < len(figures) else ("", "")))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Show):
            self._fit()
        return super().event(event)

    def _fit(self) -> None:
        """Show the figures that are known, as many as fit."""
        space, margins = self.row.spacing(), self.row.contentsMargins()
        widgets = [self.row.itemAt(index).widget() for index in range(self.row.count())]
        controls = [widget for widget in widgets if widget and widget not in (*self.figures, *self._lines)]
        room = self.width() - margins.left() - margins.right()
        room -= sum(control.minimumSizeHint().width() + space for control in controls if not control.isHidden())
        for number, figure in enumerate(self.figures):
            room -= figure.minimumSizeHint().width() + (2 * space + LINE_WIDTH if number else 0)
            fits = room >= 0 or not number or not self.isVisible()
            for widget in (figure, *self._lines[max(0, number - 1) : number]):
                widget.setVisible(fits and bool(figure.value.text()))


EMPTY_STATE_ICON = QSize(40, 40)
EMPTY_STATE_WIDTH = 420


class EmptyState(QWidget):
    """Shown while a page has no content. ``button``: the first thing to do; None if that is elsewhere on the page."""

    def __init__(self, name: str, icon: str, sentence: str, action: str, icons: Icons, theme: Theme) -> None:
        """``action``: text of the button; empty for none."""
        super().__init__()
        self.setObjectName(name)
        self._icon, self._icons = icon, icons
        self._picture = QLabel(self)
        self._picture.setTextFormat(Qt.TextFormat.PlainText)
        self._picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.sentence = PlainLabel(sentence, self, objectName=f"{name}Words", wordWrap=True, role="quiet")
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.button: QPushButton | None = None
        column = QVBoxLayout(self)
        column.setSpacing(10)
        column.addStretch(1)
        column.addWidget(self._picture)
        column.addWidget(self.sentence)
        column.setAlignment(self.sentence, Qt.AlignmentFlag.AlignHCenter)
        if action:
            self.button = QPushButton(action, self, objectName=f"{name}Action")
            give_kind(self.button, "primary")
            column.addWidget(self.button, alignment=Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(2)
        self.say(sentence)
        theme.changed.connect(self._draw)
        self._draw()

    def add_action(self, button: QPushButton) -> None:
        """Add a second button below the first."""
        self.layout().insertWidget(self.layout().count() - 1, button, alignment=Qt.AlignmentFlag.AlignHCenter)

    def say(self, sentence: str) -> None:
        """Set the sentence."""
        self.sentence.setText(sentence)
        # A layout that centres a wrapping label gives it too little height.
        wrapped = Qt.TextFlag.TextWordWrap.value
        area = self.sentence.fontMetrics().boundingRect(QRect(0, 0, EMPTY_STATE_WIDTH, 1000), wrapped, sentence)
        self.sentence.setFixedSize(area.width() + 8, area.height() + 4)

    def _draw(self) -> None:
        self._picture.setPixmap(self._icons.icon(self._icon).pixmap(EMPTY_STATE_ICON))
