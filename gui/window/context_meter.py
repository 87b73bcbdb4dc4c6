"""How much of a model's context window the prompt takes: the third key figure of the header."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.look.figures import figure
from gui.look.plain_tip import as_written
from gui.look.theme import Theme
from gui.widgets.progress import ProgressBar, draw_share
from gui.window.key_figure import KeyFigure, Part

LEAST = 0.001
"""A smaller share is said to be below this one, as in the cost table."""
BAR = QSize(56, 5)
GAP = 10
ROUND = 1000
"""Windows that are multiples of this are written in thousands: ``272k``."""


class MeterBar(ProgressBar):
    """The bar itself, in thousandths of the context window."""

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
        """Show the prompt's part of the window: 1 is all of it; more does not fit."""
        self._share = share
        self.setValue(min(1000, round(share * 1000)))
        self.update()

    def sizeHint(self) -> QSize:
        return BAR

    def minimumSizeHint(self) -> QSize:
        return BAR

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            ends = self._share, self._share
            draw_share(painter, QRectF(self.rect()), ends, self._theme.colour, mirrored=self.isRightToLeft())


class ContextMeter(KeyFigure):
    """The share of the window with its bar; the size of the window below."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "headerContext", "", parent, trailing=BAR.width() + GAP)
        self._model = ""
        self._window: int | None = None
        self._tokens: int | None = None
        self.bar = MeterBar(theme, self)
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
        share = self._tokens / self._window if self._window and self._tokens is not None else None
        self.bar.set_share(share or 0.0)
        self.bar.setVisible(share is not None)
        runs: tuple[Part, ...] = ()
        if share is not None:
            percent = self.locale().toString(share * 100, "f", 1 if share < 10 else 0)
            if 0 < share < LEAST:
                percent = "<" + self.locale().toString(LEAST * 100, "f", 1)
            runs = (Part(self.tr("{share}%").format(share=percent)),)
        words = self._words(share)
        self.set_caption(self._short_words(share))
        self.show_figure(runs, words=words)
        self.bar.setAccessibleDescription(words)
        self.bar.setToolTip(as_written(words))
        self._place_bar()

    def _words(self, share: float | None) -> str:
        if not self._model:
            return self.tr("No model is chosen, so there is no context window to compare with.")
        if self._window is None:
            return self.tr("Context window of {model}: unknown").format(model=self._model)
        window = self.tr("{window} ({model})").format(window=figure(self.locale(), self._window), model=self._model)
        if share is None or self._tokens is None:
            return self.tr("Context window: {window}").format(window=window)
        if share > 1:
            over = figure(self.locale(), self._tokens - self._window)
            return self.tr("{over} tokens too long for {window}").format(over=over, window=window)
        return self.tr("{tokens} of {window}").format(tokens=figure(self.locale(), self._tokens), window=window)

    def _short_words(self, share: float | None) -> str:
        if self._window is None:
            return self.tr("context")
        window = figure(self.locale(), self._window)
        if self._window % ROUND == 0:
            window = self.tr("{thousands}k").format(thousands=figure(self.locale(), self._window // ROUND))
        if share is not None and share > 1:
            return self.tr("too long for {window}").format(window=window)
        return self.tr("of {window} context").format(window=window)

    def _place_bar(self) -> None:
        line = self._metrics[self._strong.weight()].height()
        place = round(self.start_of(self.end_of_number() + GAP, BAR.width()))
        self.bar.setGeometry(place, round((line - BAR.height()) / 2) + 1, BAR.width(), BAR.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_bar()
