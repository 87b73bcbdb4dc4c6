"""Margin of the prompt: line numbers and, if enabled, the tokens of each line."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt, Slot
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.editor.token_editor import TokenEditor
from gui.look.quantities import figure
from gui.look.theme import Theme
from gui.prompt.prompt import Prompt
from gui.state.settings import SettingsStore

PADDING = 8
GAP = 10
HOTTEST = 48
"""Number of tokens in a line from which it has the full colour."""
HEAT_ALPHA = 120
SMALLER = 1.5
"""Difference between the font sizes of the text and the numbers, in points."""


class Gutter(QWidget):
    """Widget that paints beside the visible lines, and follows scrolling, edits and the settings.

    Repainted when lines move, not at each key: a key within a line changes nothing here, and the tokens of a line come
    with the counts.
    """

    def __init__(self, prompt: Prompt, theme: Theme, settings: SettingsStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._editor: TokenEditor = prompt.editor
        self._theme, self._settings = theme, settings
        self._digits = 0
        self._row_height = 0
        self.setObjectName("gutter")
        self.setAccessibleName(self.tr("Line numbers"))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self._editor.updateRequest.connect(self._on_update_request)
        self._editor.blockCountChanged.connect(self._fit)
        self._editor.installEventFilter(self)
        prompt.counted.connect(self._on_counted)
        theme.changed.connect(self.update)
        settings.changed.connect(self._on_setting)
        self._take_font()
        self._on_setting("line_numbers")

    def sizeHint(self) -> QSize:
        return QSize(self._width(), 0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FontChange and watched is self._editor:
            self._take_font()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        values = self._settings.values
        above = self._editor.contentsRect().top()  # this would miss a margin above the text, but there is none
        clip = event.rect().translated(0, -above)
        with QPainter(self) as painter:
            painter.fillRect(event.rect(), self._theme.colour("base"))
            painter.translate(0, above)
            for line in self._editor.numbered_lines(clip):
                area = QRect(PADDING, round(line.top), self.width() - 2 * PADDING, round(line.height))
                if values.line_tokens:
                    area = self._paint_tokens(painter, area, self._editor.tokens_ending(line.start, line.end))
                if values.line_numbers:
                    painter.setPen(self._theme.colour("stale"))
                    painter.drawText(area, _RIGHT, str(line.number))

    def _paint_tokens(self, painter: QPainter, area: QRect, tokens: int) -> QRect:
        """Paint the token count of a line at the right of its area; return the rest of the area."""
        width = self._tokens_width()
        cell = QRect(area.right() + 1 - width, area.top(), width, area.height())
        area.setRight(cell.left() - GAP)
        if tokens > 0:
            heat = QColor(self._theme.colour("meter"))
            heat.setAlpha(round(HEAT_ALPHA * min(1.0, tokens / HOTTEST)))
            painter.fillRect(cell.adjusted(-2, 1, 2, -1), heat)
            painter.setPen(self._theme.colour("text"))
            painter.drawText(cell, _RIGHT, figure(self.locale(), tokens))
        return area

    def _tokens_width(self) -> int:
        return self.fontMetrics().horizontalAdvance("9,999")

    def _width(self) -> int:
        values, width = self._settings.values, 0
        if values.line_numbers:
            width += self.fontMetrics().horizontalAdvance("9" * max(2, self._digits))
        if values.line_tokens:
            width += self._tokens_width() + (GAP if values.line_numbers else 0)
        return width + 2 * PADDING

    @Slot()
    def _fit(self) -> None:
        digits = len(str(self._editor.document().blockCount()))
        if digits != self._digits:
            self._digits = digits
            self.updateGeometry()

    def _take_font(self) -> None:
        font = self._editor.font()
        font.setPointSizeF(max(6.0, font.pointSizeF() - SMALLER))
        self.setFont(font)
        self._row_height = 2 * QFontMetrics(self._editor.font()).lineSpacing()
        self._digits = 0
        self._fit()
        self.update()

    @Slot(QRect, int)
    def _on_update_request(self, rect: QRect, scrolled: int) -> None:
        if scrolled:
            self.scroll(0, scrolled)
        elif rect.height() >= self._row_height:
            self.update(0, rect.top(), self.width(), rect.height() + self._row_height)

    @Slot()
    def _on_counted(self) -> None:
        if self._settings.values.line_tokens:
            self.update()

    @Slot(str)
    def _on_setting(self, name: str) -> None:
        if name in ("line_numbers", "line_tokens"):
            values = self._settings.values
            self.setVisible(values.line_numbers or values.line_tokens)
            self.updateGeometry()
            self.update()


_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
