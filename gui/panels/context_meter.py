"""How much of a model's context window the prompt takes."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Slot
from PySide6.QtGui import QBrush, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from gui.look.figures import figure
from gui.look.plain_label import PlainLabel
from gui.look.plain_tip import as_written
from gui.look.theme import Theme
from gui.panels.progress_bar import ProgressBar

NEAR = 0.8
"""From this share on the bar warns."""
LEAST = 0.001
"""A smaller share is said to be below this one, as in the cost table."""


class MeterBar(ProgressBar):
    """The bar itself, in thousandths of the context window. Beyond the end it is hatched as well as coloured."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._share = 0.0
        self.setObjectName("contextMeter")
        self.setAccessibleName(self.tr("Share of the context window"))
        self.setRange(0, 1000)
        self.setTextVisible(False)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def set_share(self, share: float) -> None:
        """The prompt's part of the window: 1 is all of it; more does not fit."""
        self._share = share
        self.setValue(min(1000, round(share * 1000)))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance("0") * 16, self.fontMetrics().height() * 2 // 3)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            painter.fillRect(area, self._theme.colour("meter_track"))
            role = "meter_over" if self._share > 1 else "meter_near" if self._share >= NEAR else "meter"
            filled = QRectF(area)
            filled.setWidth(area.width() * min(1.0, self._share))
            if self.isRightToLeft():
                filled.moveRight(area.right())
            painter.fillRect(filled, self._theme.colour(role))
            if self._share > 1:
                painter.fillRect(filled, QBrush(self._theme.colour("base"), Qt.BrushStyle.BDiagPattern))
            painter.setPen(self._theme.colour("outline"))
            painter.drawRect(area)


class ContextMeter(QWidget):
    """The bar with its words: share, size of the window, and whose it is."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = ""
        self._window: int | None = None
        self._tokens: int | None = None
        self.bar = MeterBar(theme, self)
        self._words = PlainLabel(self)
        self._words.setObjectName("contextWords")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.bar)
        layout.addWidget(self._words)
        self._show()

    @Slot(str, object)
    def set_model(self, name: str, context_window: int | None) -> None:
        """Measure against the context window of a model; None where it is not known."""
        self._model = name
        self._window = context_window
        self._show()

    def set_tokens(self, tokens: int | None) -> None:
        """Tokens of the prompt for that model, None while they are not known."""
        if tokens != self._tokens:
            self._tokens = tokens
            self._show()

    def _show(self) -> None:
        self.setVisible(bool(self._model))
        if self._window is None or self._tokens is None:
            self.bar.set_share(0.0)
            words = self.tr("Context window of {model}: not known").format(model=self._model)
            if self._window is not None:
                words = self._of_window()
        else:
            share = self._tokens / self._window
            self.bar.set_share(share)
            percent = self.locale().toString(share * 100, "f", 1 if share < 10 else 0)
            if 0 < share < LEAST:
                percent = "<" + self.locale().toString(LEAST * 100, "f", 1)
            words = self.tr("{percent}% of {window}").format(percent=percent, window=self._of_window())
            if share > 1:
                over = figure(self.locale(), self._tokens - self._window)
                words = self.tr("{over} tokens too long for {window}").format(over=over, window=self._of_window())
        # The model stands in the picker beside it; without it the words fit a narrow window.
        self._words.setText(words.removesuffix(self._name_of_model()))
        self.bar.setAccessibleDescription(words)
        self.bar.setToolTip(as_written(words))

    def _of_window(self) -> str:
        return figure(self.locale(), self._window) + self._name_of_model()

    def _name_of_model(self) -> str:
        return self.tr(" ({model})").format(model=self._model)
