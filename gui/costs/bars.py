"""Plot of the cost chart's bars. The one module of the cost panel that imports pyqtgraph; import it late."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPen, QWheelEvent
from PySide6.QtWidgets import QWidget

from gui.costs.money_text import CostText
from gui.look.theme import Theme
from gui.widgets.plot_axis import PlotAxis

if TYPE_CHECKING:
    from gui.costs.chart import Bar

THICKNESS = 0.62
RANGE_OPACITY = 0.4
PLAIN_OPACITY = 0.86
MIN_RANGE = 0.002
"""Minimum width of a range that is drawn, as a fraction of the field."""
TICK_WIDTH = 70
"""Width that an axis mark needs, in pixels."""
LONGEST_NAME = 0.46
"""Maximum width of the names, as a fraction of the width. Longer ones are elided in the middle, not at the version."""
NAME_SIZE, FIGURE_SIZE = 0.93, 0.87
"""Font sizes of the labels, as fractions of the window's text size."""
MIN_ROOM = 0.04
MAX_FOR_FIGURES = 0.66
"""Maximum width of the amounts after the bars, as a fraction of the field. Wider ones are only shown on hover."""


class MoneyAxis(PlotAxis):
    """Axis of amounts; on a logarithmic scale its positions are powers of ten."""

    def __init__(self, side: str = "bottom", levels: int = 1) -> None:
        """``levels``: number of levels of marks, major and minor, if there is room for both."""
        super().__init__(side)
        self._levels = levels
        self.text: CostText | None = None
        self.powers = False

    def tickValues(self, least: float, most: float, size: float) -> list[tuple[float, list[float]]]:
        if not self.powers:
            return super().tickValues(least, most, size)[: self._levels]
        decade = size / max(most - least, 1e-9)
        step = max(1, ceil(TICK_WIDTH / decade))
        between = (1, 2, 5) if decade > 3 * TICK_WIDTH else (1, 3) if decade > 2 * TICK_WIDTH else (1,)
        powers = range(floor(least), ceil(most) + 1, step)
        marks = [power + log10(part) for power in powers for part in between]
        return [(float(step), [mark for mark in marks if least <= mark <= most])]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        if self.text is None:
            return [""] * len(values)
        return [self.text.axis_mark(10.0**value if self.powers else value * scale) for value in values]


class BarPlot(pg.PlotWidget):
    """Horizontal bars, the first on top. The lighter end of a bar is a range.

    Amounts are shown after the bars or, if they do not fit, on an axis.

    Signals: ``bar_hovered(Bar | None, QPointF)`` with the global position of the pointer;
    ``wheel_turned(QWheelEvent)``.
    """

    bar_hovered = Signal(object, QPointF)
    wheel_turned = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._axis = MoneyAxis()
        super().__init__(
            parent,
            axisItems={"left": PlotAxis("left"), "bottom": self._axis},
            background=theme.colour("base"),
            enableMenu=False,
        )
        self._theme = theme
        self._bars: Sequence[Bar] = ()
        self._drawn: tuple[Any, ...] = ()
        self._bar_item = pg.BarGraphItem(x0=[0.0], y=[0], width=[0.0], height=THICKNESS)
        self._range_item = pg.BarGraphItem(x0=[0.0], y=[0], width=[0.0], height=THICKNESS)
        self.addItem(self._bar_item)
        self.addItem(self._range_item)
        self._figures: list[Any] = []
        self._names_width = 0.0
        self.setMouseEnabled(x=False, y=False)
        self.hideButtons()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.getViewBox().invertY(True)
        self.getViewBox().setDefaultPadding(0.0)
        self.getAxis("left").setStyle(tickLength=0)
        self.getPlotItem().setContentsMargins(2, 4, 6, 0)
        self.getPlotItem().setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # values rise to the right in any locale
        self.scene().sigMouseMoved.connect(self._on_mouse_moved)

    def draw(self, bars: Sequence[Bar], log: bool, text: CostText) -> None:
        """Replace everything drawn, in the current colours and font."""
        look = (tuple(bars), log, text, self._theme.name, self.font().toString(), self.size())
        if look == self._drawn:
            return
        self._drawn, self._bars = look, bars
        self._axis.text, self._axis.powers = text, log
        first = self._floor(bars) if log else 0.0
        lows, middles, highs = (
            [self._place(value, log, first) for value in values]
            for values in ([b.low for b in bars], [b.middle for b in bars], [b.high for b in bars])
        )
        self._style_axes(bars)
        last = max(highs)
        span = (last - first) or 1.0
        ranged = [high - low > span * MIN_RANGE for low, high in zip(lows, highs, strict=True)]
        ends = [low if is_range else middle for low, middle, is_range in zip(lows, middles, ranged, strict=True)]
        self._draw_bars(bars, first, ends)
        self._draw_ranges([place for place, is_range in enumerate(ranged) if is_range], bars, lows, highs)
        room = self._room(bars)
        self._draw_figures(bars, highs, span, room)
        self.getViewBox().setXRange(first, first + span * (1 + room), padding=0)
        self.showAxis("bottom", show=room <= MIN_ROOM)
        self.showGrid(x=room <= MIN_ROOM, y=False, alpha=0.25)

    def show_from(self, first: int, number: int) -> None:
        """Scroll to ``number`` bars, beginning with bar ``first``."""
        self.getViewBox().setYRange(first - 0.6, first + min(number, len(self._bars)) - 0.4, padding=0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.wheel_turned.emit(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.bar_hovered.emit(None, QPointF())

    def _floor(self, bars: Sequence[Bar]) -> float:
        """Return the start of the bars on a logarithmic scale: the power of ten at or below the smallest amount."""
        amounts = [bar.low for bar in bars if bar.low > 0] or [bar.high for bar in bars if bar.high > 0]
        if not amounts:
            return 0.0
        return float(floor(log10(min(amounts))))

    def _place(self, amount: float, log: bool, first: float) -> float:
        if not log:
            return amount
        return max(log10(amount), first) if amount > 0 else first

    def _style_axes(self, bars: Sequence[Bar]) -> None:
        self.setBackground(self._theme.colour("base"))
        font = self._sized(NAME_SIZE)
        metrics = QFontMetricsF(font)
        most = max(60.0, self.width() * LONGEST_NAME)
        names = [metrics.elidedText(bar.name, Qt.TextElideMode.ElideMiddle, most) for bar in bars]
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(self._theme.colour("outline"))
            axis.setTextPen(self._theme.colour("text"))
            axis.setTickFont(font)
        left = self.getAxis("left")
        left.setTicks([list(enumerate(names))])
        self._names_width = max(metrics.horizontalAdvance(name) for name in names) + 10
        left.setWidth(self._names_width)

    def _draw_bars(self, bars: Sequence[Bar], first: float, ends: Sequence[float]) -> None:
        self._bar_item.setOpts(
            x0=[first] * len(bars),
            y=list(range(len(bars))),
            width=[end - first for end in ends],
            brushes=[self._colour(bar) for bar in bars],
            pens=[QPen(Qt.PenStyle.NoPen)] * len(bars),
        )

    def _draw_ranges(
        self,
        places: Sequence[int],
        bars: Sequence[Bar],
        lows: Sequence[float],
        highs: Sequence[float],
    ) -> None:
        self._range_item.setVisible(bool(places))
        if not places:
            return
        self._range_item.setOpts(
            x0=[lows[place] for place in places],
            y=list(places),
            width=[highs[place] - lows[place] for place in places],
            brushes=[self._lighter(bars[place]) for place in places],
            pens=[QPen(Qt.PenStyle.NoPen)] * len(places),
        )

    def _colour(self, bar: Bar) -> QColor:
        """Return the strong colour for the current or the pinned model, else the plain one."""
        colour = self._theme.colour("accent" if bar.pinned else "bar")
        if not bar.pinned:
            colour.setAlphaF(PLAIN_OPACITY)
        return colour

    def _lighter(self, bar: Bar) -> QColor:
        """Return the colour of a bar, mostly transparent."""
        colour = QColor(self._colour(bar))
        colour.setAlphaF(RANGE_OPACITY)
        return colour

    def _draw_figures(self, bars: Sequence[Bar], highs: Sequence[float], span: float, room: float) -> None:
        """Draw the amounts after the bars. Text items are reused, since creating them is the slow part."""
        while len(self._figures) < len(bars):
            self._figures.append(pg.TextItem(anchor=(0, 0.5)))
            self.addItem(self._figures[-1])
        font = self._sized(FIGURE_SIZE)
        for place, figure in enumerate(self._figures):
            used = place < len(bars) and room > MIN_ROOM
            figure.setVisible(used)
            if used:
                figure.setFont(font)
                figure.setText(bars[place].figure, color=self._theme.colour("text"))
                figure.setPos(highs[place] + span * 0.01, place)

    def _room(self, bars: Sequence[Bar]) -> float:
        """Return the room for the amounts as a fraction of the bars' length; a sliver if they are not shown."""
        metrics = QFontMetricsF(self._sized(FIGURE_SIZE))
        figures = max(metrics.horizontalAdvance(bar.figure) for bar in bars) + 14
        field = self.width() - self._names_width - 16
        return figures / (field - figures) if 0 < figures <= field * MAX_FOR_FIGURES else MIN_ROOM

    def _sized(self, size: float) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * size)
        return font

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        # pyqtgraph calls this from its constructor, before there is anything to lay out.
        if getattr(self, "_bars", None) and self._axis.text is not None:
            self.draw(self._bars, self._axis.powers, self._axis.text)

    @Slot(object)
    def _on_mouse_moved(self, place: QPointF) -> None:
        inside = self.getPlotItem().sceneBoundingRect().contains(place)
        index = round(self.getViewBox().mapSceneToView(place).y())
        if inside and 0 <= index < len(self._bars):
            viewport = self.viewport()
            self.bar_hovered.emit(self._bars[index], QPointF(viewport.mapToGlobal(self.mapFromScene(place))))
        else:
            self.bar_hovered.emit(None, QPointF())
