"""Key figures of the header: large numbers with quality dots, and the share of the context window."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.look.fonts import set_weight
from gui.look.plain_text import as_written
from gui.look.quantities import figure
from gui.look.theme import Theme
from gui.widgets.progress import ProgressBar, draw_share

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent

    from gui.core.figures import Run

FIGURE_PIXELS, CAPTION_PIXELS = 23, 11
DOT_ROOM = 18
STEP = 12
"""Widths are rounded up to multiples of this, so that a changing figure rarely moves its neighbours."""


class Part(NamedTuple):
    """A run of a number in one weight, like ``gui.core.figures.Run``, which is not imported before the first paint."""

    text: str
    strong: bool = True


UNKNOWN = (Part("–", strong=False),)


class KeyFigure(QWidget):
    """One figure with its caption. ``trailing``: width that a subclass needs after the number, in pixels."""

    def __init__(self, theme: Theme, name: str, caption: str, parent: QWidget | None = None, trailing: int = 0) -> None:
        """``caption``: text below the number, and its accessible name."""
        super().__init__(parent)
        self._theme = theme
        self._trailing = trailing
        self._runs: Sequence[Part | Run] = UNKNOWN
        self._quality = ""
        self._stale = False
        self._caption = caption
        self._wanted = 0
        self.setObjectName(name)
        self.setAccessibleName(caption)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)
        self._take_fonts()

    @property
    def text(self) -> str:
        """The displayed number."""
        return "".join(run.text for run in self._runs)

    @property
    def caption(self) -> str:
        """The text below the number."""
        return self._caption

    @property
    def quality(self) -> str:
        """Quality of the figure (see ``gui.core.figures``), or empty."""
        return self._quality

    def show_figure(self, runs: Sequence[Part | Run], quality: str = "", words: str = "") -> None:
        """Show a number. ``words``: meaning of the dot, for the tooltip and screen readers."""
        if not runs:
            runs = UNKNOWN
        if (runs, quality, words) == (self._runs, self._quality, self.accessibleDescription()):
            return
        self._runs, self._quality = runs, quality
        self.setAccessibleName(f"{self.text} {self._caption}")
        self.setAccessibleDescription(words)
        self.setToolTip(as_written(words))
        self._fit()
        self.update()

    def set_caption(self, caption: str) -> None:
        """Set the text below the number."""
        if caption != self._caption:
            self._caption = caption
            self.setAccessibleName(f"{self.text} {caption}")
            self._fit()
            self.update()

    @Slot(bool)
    def set_stale(self, stale: bool) -> None:
        """Dim the figure while it belongs to an earlier text."""
        if stale != self._stale:
            self._stale = stale
            self.update()

    def _take_fonts(self) -> None:
        self._strong, self._quiet, self._small = (QFont(self.font()) for _ in range(3))
        for font, weight in ((self._strong, QFont.Weight.DemiBold), (self._quiet, QFont.Weight.Normal)):
            font.setPixelSize(FIGURE_PIXELS)
            set_weight(font, weight)
        self._small.setPixelSize(CAPTION_PIXELS)
        self._metrics = {font.weight(): QFontMetricsF(font) for font in (self._strong, self._quiet)}
        self._small_metrics = QFontMetricsF(self._small)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == event.Type.FontChange and hasattr(self, "_metrics"):
            self._take_fonts()

    def _widths(self) -> list[float]:
        strong, quiet = (self._metrics[font.weight()] for font in (self._strong, self._quiet))
        return [(strong if run.strong else quiet).horizontalAdvance(run.text) for run in self._runs]

    def end_of_number(self) -> float:
        """Return the right edge of the number and its dot, in pixels."""
        return sum(self._widths()) + (DOT_ROOM if self._quality else 0)

    def start_of(self, place: float, width: float) -> float:
        """Return the x of an item of this width; ``place`` is relative to the leading edge."""
        return self.width() - place - width if self.isRightToLeft() else place

    def _fit(self) -> None:
        number = self.end_of_number() + self._trailing
        needed = max(number, self._small_metrics.horizontalAdvance(self._caption)) + 2
        wanted = ceil(needed / STEP) * STEP
        if wanted > self._wanted or wanted < self._wanted - 2 * STEP:
            self._wanted = wanted
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        height = self._metrics[self._strong.weight()].height() + self._small_metrics.height()
        return QSize(self._wanted, ceil(height))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            strong, mirrored = self._metrics[self._strong.weight()], self.isRightToLeft()
            painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # numbers are left-to-right in every language
            x, line = self.start_of(0, sum(self._widths())), QRectF(0, 0, self.width(), strong.height())
            for run, width in zip(self._runs, self._widths(), strict=True):
                painter.setFont(self._strong if run.strong else self._quiet)
                painter.setPen(self._theme.colour("window_text" if run.strong and not self._stale else "stale"))
                painter.drawText(line.translated(x, 0), Qt.AlignmentFlag.AlignVCenter, run.text)
                x += width
            if self._quality:
                from gui.costs.cells import dot_colour, draw_dot

                place = self.start_of(sum(self._widths()), DOT_ROOM) + DOT_ROOM / 2 + (-1 if mirrored else 1)
                centre = QPointF(place, line.center().y() + 1)
                draw_dot(painter, centre, self._quality, dot_colour(self._theme, self._quality))
            painter.setLayoutDirection(self.layoutDirection())
            painter.setFont(self._small)
            painter.setPen(self._theme.colour("stale"))
            below = QRectF(0, line.height(), self.width(), self._small_metrics.height())
            words = self._small_metrics.elidedText(self._caption, Qt.TextElideMode.ElideRight, below.width())
            painter.drawText(below, Qt.AlignmentFlag.AlignVCenter, words)


# --- share of the context window --------------------------------------------------------------------------------------


LEAST = 0.001
"""Smaller shares are shown as less than this, as in the cost table."""
BAR = QSize(56, 5)
GAP = 10
ROUND = 1000
"""Context windows that are multiples of this are shown in thousands: ``272k``."""


class MeterBar(ProgressBar):
    """The bar, in thousandths of the context window."""

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
        """Set the prompt's share of the context window; more than 1 does not fit."""
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
    """Share of the context window with a bar; the size of the window is below it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "headerContext", "", parent, trailing=BAR.width() + GAP)
        self._model = ""
        self._window: int | None = None
        self._is_input_limit = False
        self._tokens: int | None = None
        self.bar = MeterBar(theme, self)
        self._show()

    def set_model(self, name: str, context_window: int | None, *, is_input_limit: bool = False) -> None:
        """Set the model to compare with; ``context_window`` is None if unknown. ``is_input_limit``: True if it is
        the model's maximum input, which is below the context window."""
        self._model = name
        self._window, self._is_input_limit = context_window, is_input_limit
        self._show()

    def set_tokens(self, tokens: int | None) -> None:
        """Set the prompt's tokens for that model, None while unknown."""
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
            words = self.tr("Input limit: {window}") if self._is_input_limit else self.tr("Context window: {window}")
            return words.format(window=window)
        if self._is_input_limit:
            window = self.tr("the input limit of {window}").format(window=window)
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
        words = self.tr("of {window} input limit") if self._is_input_limit else self.tr("of {window} context")
        return words.format(window=window)

    def _place_bar(self) -> None:
        line = self._metrics[self._strong.weight()].height()
        place = round(self.start_of(self.end_of_number() + GAP, BAR.width()))
        self.bar.setGeometry(place, round((line - BAR.height()) / 2) + 1, BAR.width(), BAR.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_bar()
