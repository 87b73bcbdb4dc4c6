"""The numbers beside the lines of an editor; lines with problems have a sign as well."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from gui.look.theme import Theme

PADDING = 6
SIGN = "●"


class LineNumbers(QWidget):
    """Paints the numbers of the lines in sight. ``problem_lines``: line numbers from 1 that get a sign."""

    def __init__(self, editor: QPlainTextEdit, theme: Theme) -> None:
        super().__init__(editor)
        self._editor, self._theme = editor, theme
        self.problem_lines: frozenset[int] = frozenset()

    def width_needed(self) -> int:
        """Room for the largest number and the sign."""
        digits = max(2, len(str(self._editor.blockCount())))
        return 2 * PADDING + self.fontMetrics().horizontalAdvance("9" * digits + SIGN)

    def sizeHint(self) -> QSize:
        return QSize(self.width_needed(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        editor = self._editor
        with QPainter(self) as painter:
            painter.setFont(editor.font())
            painter.fillRect(event.rect(), self._theme.colour("alternate_base"))
            block = editor.firstVisibleBlock()
            top = editor.blockBoundingGeometry(block).translated(editor.contentOffset()).top()
            height = editor.fontMetrics().height()
            while block.isValid() and top <= event.rect().bottom():
                number = block.blockNumber() + 1
                area = QRect(PADDING, round(top), self.width() - 2 * PADDING, height)
                painter.setPen(self._theme.colour("stale"))
                painter.drawText(area, Qt.AlignmentFlag.AlignRight, str(number))
                if number in self.problem_lines:
                    painter.setPen(self._theme.colour("error"))
                    painter.drawText(area, Qt.AlignmentFlag.AlignLeft, SIGN)
                top += editor.blockBoundingRect(block).height()
                block = block.next()
