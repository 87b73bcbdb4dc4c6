"""Draws the curve of a run and its speed. Imports pyqtgraph; import it late."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt, Signal, Slot
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from gui.look.theme import Theme
from gui.models.training_text import TrainingText

if TYPE_CHECKING:
    from engine.training_types import TrainingCurve
    from gui.models.training_rates import RateSeries

CURVE_SHARE, RATE_SHARE = 3, 1
LINE_WIDTH = 2
FILL_ALPHA = 40
LEAST_SPEED_HEIGHT = 330
"""In a lower view the speed is left out, for the words above it say it too."""


class FigureAxis(pg.AxisItem):
    """An axis whose marks are written in the user's locale."""

    def __init__(self, side: str, text: TrainingText) -> None:
        super().__init__(side)
        self._text = text
        self.enableAutoSIPrefix(False)

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        digits = 0 if spacing >= 1 else 1 if spacing >= 0.1 else 2
        if digits == 0:
            return [self._text.number(round(value * scale)) for value in values]
        return [self._text.decimal(value * scale, digits) for value in values]


class TrainingPlots(pg.GraphicsLayoutWidget):
    """The curve on top, merges a second below, over the same sizes of the vocabulary.

    Signals: ``point_hovered((int, float) | None, QPointF)``: the point of the curve above or below the pointer, and the
    global place of the pointer.
    """

    point_hovered = Signal(object, QPointF)

    def __init__(self, theme: Theme, text: TrainingText, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._text = theme, text
        self._curve: TrainingCurve | None = None
        self._style_name = ""
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.density = self._plot(0, self.tr("Bytes per token"))
        self.speed = self._plot(1, self.tr("Merges a second"))
        self.speed.setXLink(self.density)
        self.density.getAxis("bottom").setStyle(showValues=False)
        self.speed.setLabel("bottom", self.tr("Entries of the vocabulary"))
        self.ci.layout.setRowStretchFactor(0, CURVE_SHARE)
        self.ci.layout.setRowStretchFactor(1, RATE_SHARE)
        self._curve_item = self.density.plot()
        self._speed_item = self.speed.plot(fillLevel=0)
        self._cross = pg.InfiniteLine(angle=90)
        self._cross.hide()
        self.density.addItem(self._cross, ignoreBounds=True)
        self.scene().sigMouseMoved.connect(self._on_mouse_moved)

    def draw(self, curve: TrainingCurve, rates: RateSeries) -> None:
        """Draw everything, in the colours and the font of this moment."""
        self._curve = curve
        self._style()
        self._curve_item.setData(curve.vocab_sizes, curve.bytes_per_token)
        self._speed_item.setData(rates.sizes, rates.rates)
        self._fit()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._cross.hide()
        self.point_hovered.emit(None, QPointF())

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        if hasattr(self, "speed"):  # pyqtgraph calls this from its constructor
            self._fit()

    def _plot(self, row: int, label: str) -> Any:
        axes = {side: FigureAxis(side, self._text) for side in ("left", "bottom")}
        plot = self.addPlot(row=row, col=0, axisItems=axes, enableMenu=False)
        plot.setMouseEnabled(x=False, y=False)
        plot.hideButtons()
        plot.setLabel("left", label)
        plot.showGrid(x=True, y=True, alpha=0.25)
        plot.setDownsampling(auto=True, mode="peak")
        plot.setClipToView(True)
        return plot

    def _fit(self) -> None:
        """Show the speed where there is room for it; the lower plot carries the axis of both."""
        roomy = self.height() >= LEAST_SPEED_HEIGHT
        if self.speed.isVisible() == roomy:
            return
        # A hidden plot would keep its room: it has to leave the layout.
        if roomy:
            self.addItem(self.speed, row=1, col=0)
        else:
            self.removeItem(self.speed)
        self.speed.setVisible(roomy)
        bottom = self.density.getAxis("bottom")
        bottom.setStyle(showValues=not roomy)
        bottom.setLabel("" if roomy else self.tr("Entries of the vocabulary"))
        bottom.showLabel(not roomy)
        self.ci.layout.setRowStretchFactor(1, RATE_SHARE if roomy else 0)

    def _style(self) -> None:
        name = f"{self._theme.name} {self.font().toString()}"
        if name == self._style_name:
            return
        self._style_name = name
        self.setBackground(self._theme.colour("base"))
        text = self._theme.colour("text")
        for plot in (self.density, self.speed):
            width = self.fontMetrics().horizontalAdvance("1,000,000") + 30
            for side in ("left", "bottom"):
                axis = plot.getAxis(side)
                axis.setPen(self._theme.colour("border"))
                axis.setTextPen(text)
                axis.setTickFont(self.font())
                axis.label.setFont(self.font())
                axis.label.setDefaultTextColor(text)
            plot.getAxis("left").setWidth(width)
        self._curve_item.setPen(pg.mkPen(self._theme.colour("bar"), width=LINE_WIDTH))
        self._speed_item.setPen(pg.mkPen(self._theme.colour("bar_pinned"), width=1))
        fill = QColor(self._theme.colour("bar_pinned"))
        fill.setAlpha(FILL_ALPHA)
        self._speed_item.setFillBrush(fill)
        self._cross.setPen(pg.mkPen(self._theme.colour("bar_range"), width=1))

    @Slot(object)
    def _on_mouse_moved(self, place: QPointF) -> None:
        curve = self._curve
        box = self.density.getViewBox()
        if curve is None or not len(curve.vocab_sizes) or not self.ci.sceneBoundingRect().contains(place):
            return
        wanted = box.mapSceneToView(place).x()
        index = min(int(curve.vocab_sizes.searchsorted(wanted)), len(curve.vocab_sizes) - 1)
        size, density = int(curve.vocab_sizes[index]), float(curve.bytes_per_token[index])
        self._cross.setPos(size)
        self._cross.show()
        self.point_hovered.emit((size, density), QPointF(self.viewport().mapToGlobal(self.mapFromScene(place))))
