"""Label of an amount with muted zeros."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.core.figures import Run
from gui.look.fonts import set_weight
from gui.look.theme import Theme


class RunsLabel(QWidget):
    """Label of the parts of an amount, the strong ones in a heavier weight. ``text()`` is the whole."""

    def __init__(self, name: str, theme: Theme, *, align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft) -> None:
        super().__init__(objectName=name)
        self._theme, self._align = theme, align
        self._runs: tuple[Run, ...] = ()
        self.strong = QFont.Weight.DemiBold
        self._fonts: dict[QFont.Weight, tuple[QFont, QFontMetricsF]] = {}
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def text(self) -> str:
        """Return the whole text."""
        return "".join(run.text for run in self._runs)

    def set_runs(self, runs: Sequence[Run]) -> None:
        """Show these parts."""
        if tuple(runs) != self._runs:
            self._runs = tuple(runs)
            self.setAccessibleName(self.text())
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        width = sum(map(self._width, self._runs))
        return QSize(int(width) + 2, self.fontMetrics().height() + 2)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fonts.clear()
            self.updateGeometry()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            widths = list(map(self._width, self._runs))
            at_end = self._align == Qt.AlignmentFlag.AlignRight
            x = self.width() - 1 - sum(widths) if at_end != self.isRightToLeft() else 0.0
            metrics = self.fontMetrics()
            line = (self.height() + metrics.ascent() - metrics.descent()) / 2
            for run, width in zip(self._runs, widths, strict=True):
                painter.setFont(self._font(run)[0])
                painter.setPen(self._theme.colour("text" if run.strong else "stale"))
                painter.drawText(QPointF(x, line), run.text)
                x += width

    def _font(self, run: Run) -> tuple[QFont, QFontMetricsF]:
        """Return the font of a part and its metrics, cached by weight."""
        weight = self.strong if run.strong else QFont.Weight.Normal
        if weight not in self._fonts:
            font = QFont(self.font())
            set_weight(font, weight)
            self._fonts[weight] = font, QFontMetricsF(font)
        return self._fonts[weight]

    def _width(self, run: Run) -> float:
        return self._font(run)[1].horizontalAdvance(run.text)
