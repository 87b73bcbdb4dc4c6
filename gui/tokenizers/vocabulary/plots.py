"""Plots of the token lengths of a vocabulary. Imports pyqtgraph; import it late."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QWidget

from gui.look.quantities import TrainingText
from gui.look.theme import Theme
from gui.runtime.event_loop import PlotTurn, WhenShown
from gui.widgets.plots import FigureAxis, add_view, end_of_axis

if TYPE_CHECKING:
    from gui.tokenizers.vocabulary.service import Lengths

HEAD_ROOM = 1.05
BAR_WIDTH = 0.8
MAX_BARS = 32
"""Length, in bytes, from which all tokens share the last bar: bars up to runs of 128 spaces would be too thin."""


class LengthPlots(pg.GraphicsLayoutWidget):
    """Bars of the number of tokens by length in bytes, and below them the length of tokens by ID."""

    def __init__(self, theme: Theme, text: TrainingText, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._text = theme, text
        self._lengths: Lengths | None = None
        self._drawn: tuple[Any, ...] = ()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        half = self.fontMetrics().horizontalAdvance("100,000") // 2
        self.ci.setContentsMargins(4, self.fontMetrics().height() // 2 + 2, half + 2, 4)
        self.ci.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # lengths increase to the right in every language
        self._axes: list[FigureAxis] = []
        self.histogram = self._field(0, self.tr("Tokens"), self.tr("Bytes"))
        self.along = self._field(2, self.tr("Bytes"), self.tr("ID, in merge order"))
        self.bars = pg.BarGraphItem(x=[], height=[], width=BAR_WIDTH)
        self.histogram.addItem(self.bars)
        self.means, self.longest = pg.PlotCurveItem(), pg.PlotCurveItem()
        for curve in (self.longest, self.means):
            self.along.addItem(curve)
        theme.changed.connect(WhenShown(self, PlotTurn(theme, self, self._on_theme).ask).ask)

    def draw(self, lengths: Lengths) -> None:
        """Draw these lengths in the current colours and font."""
        self._lengths = lengths
        look = (lengths, self._theme.name, self.font().toString())
        if look == self._drawn:
            return
        self._drawn = look
        self._style()
        heights = bar_heights(lengths.counts)
        self.bars.setOpts(x=np.arange(len(heights)), height=heights, width=BAR_WIDTH)
        top = end_of_axis(float(max(heights, default=1)) * HEAD_ROOM)
        self.histogram.setRange(xRange=(0, max(2, len(heights))), yRange=(0, top), padding=0)
        self.means.setData(lengths.ids, lengths.means)
        self.longest.setData(lengths.ids, np.minimum(lengths.longest, MAX_BARS))
        highest = float(min(MAX_BARS, lengths.longest.max(initial=1.0)))
        last = float(lengths.ids[-1]) if len(lengths.ids) else 1.0
        self.along.setRange(xRange=(0, last), yRange=(0, end_of_axis(highest * HEAD_ROOM)), padding=0)

    def _field(self, row: int, left_words: str, bottom_words: str) -> Any:
        box, left, bottom = add_view(self, row, self._text)
        left.setLabel(left_words)
        bottom.setLabel(bottom_words)
        self._axes += [left, bottom]
        return box

    @Slot()
    def _on_theme(self) -> None:
        if self._lengths is not None:
            self.draw(self._lengths)

    def _style(self) -> None:
        self.setBackground(self._theme.colour("base"))
        for axis in self._axes:
            axis.dress(self._theme, self.font())
        width = self.fontMetrics().horizontalAdvance("100,000") + 2 * self.fontMetrics().height()
        for axis in self._axes[::2]:
            axis.setWidth(width)
        self.bars.setOpts(brush=self._theme.colour("bar"), pen=pg.mkPen(self._theme.colour("base")))
        self.means.setPen(pg.mkPen(self._theme.colour("bar"), width=2))
        self.longest.setPen(pg.mkPen(self._theme.colour("bar_pinned"), width=1, style=Qt.PenStyle.DashLine))


def bar_heights(counts: np.ndarray) -> list[int]:
    """Return the number of tokens of each bar; the last one has tokens of at least ``MAX_BARS`` bytes.

    ``counts``: int64[k], number of tokens by length in bytes.
    """
    if len(counts) <= MAX_BARS + 1:
        return counts.tolist()
    return [*counts[:MAX_BARS].tolist(), int(counts[MAX_BARS:].sum())]
