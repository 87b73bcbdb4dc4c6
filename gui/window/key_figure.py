"""A key figure of the header: a large number with the dot of its quality, and a caption below it."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.look.fonts import set_weight
from gui.look.plain_tip import as_written
from gui.look.theme import Theme

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent

    from gui.core.figures import Run

FIGURE_PIXELS, CAPTION_PIXELS = 23, 11
DOT_ROOM = 18
STEP = 12
"""Widths are rounded up to multiples of this, so that a changing figure seldom moves its neighbours."""


class Part(NamedTuple):
    """A part of a number in one weight, as ``Run`` of ``gui.core.figures``, which the first picture is without."""

    text: str
    strong: bool = True


UNKNOWN = (Part("–", strong=False),)


class KeyFigure(QWidget):
    """Shows one figure. ``trailing``: pixels that a subclass needs behind the number."""

    def __init__(self, theme: Theme, name: str, caption: str, parent: QWidget | None = None, trailing: int = 0) -> None:
        """``caption``: what stands below the number and is its accessible name."""
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
        """The number as it is shown."""
        return "".join(run.text for run in self._runs)

    @property
    def caption(self) -> str:
        """The words below the number."""
        return self._caption

    @property
    def quality(self) -> str:
        """How sure the figure is: a quality of ``gui.core.figures``, or empty."""
        return self._quality

    def show_figure(self, runs: Sequence[Part | Run], quality: str = "", words: str = "") -> None:
        """Show a number. ``words``: what the dot means, for the tooltip and for screen readers."""
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
        """Show other words below the number."""
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
        """Where the number and its dot end, in pixels."""
        return sum(self._widths()) + (DOT_ROOM if self._quality else 0)

    def start_of(self, place: float, width: float) -> float:
        """Where something of a width stands, whose ``place`` is counted from the side on which one begins to read."""
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
            painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # as numbers are written everywhere
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
