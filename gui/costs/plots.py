"""Plots of costs: bars of models, and curves of conversations. They alone import pyqtgraph here; import them late."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPen, QWheelEvent
from PySide6.QtWidgets import QWidget

from gui.costs.money_text import CostText, total_text
from gui.look.theme import Theme
from gui.widgets.plots import PlotAxis

if TYPE_CHECKING:
    from gui.costs.conversation_controller import LineStyle
    from gui.costs.conversation_service import Talk
    from gui.costs.models_page import Bar
    from pricing.scenarios import Turn


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
MIN_MARGIN = 0.04
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
        multiples = (1, 2, 5) if decade > 3 * TICK_WIDTH else (1, 3) if decade > 2 * TICK_WIDTH else (1,)
        powers = range(floor(least), ceil(most) + 1, step)
        marks = [power + log10(multiple) for power in powers for multiple in multiples]
        return [(float(step), [mark for mark in marks if least <= mark <= most])]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        if self.text is None:
            return [""] * len(values)
        return [self.text.axis_mark(10.0**value if self.powers else value * scale) for value in values]


class _MoneyPlot(pg.PlotWidget):
    """Plot of amounts that cannot be scrolled or zoomed."""

    def __init__(
        self, theme: Theme, axes: dict[str, PlotAxis], margins: tuple[int, int, int, int], parent: QWidget | None
    ) -> None:
        super().__init__(parent, axisItems=axes, background=theme.colour("base"), enableMenu=False)
        self._theme = theme
        self.setMouseEnabled(x=False, y=False)
        self.hideButtons()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.getViewBox().setDefaultPadding(0.0)
        self.getPlotItem().setContentsMargins(*margins)
        self.getPlotItem().setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # values rise to the right in any locale

    def _show_style(self, font: QFont) -> None:
        """Use the current colours, and a font for the marks of both axes."""
        self.setBackground(self._theme.colour("base"))
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(self._theme.colour("outline"))
            axis.setTextPen(self._theme.colour("text"))
            axis.setTickFont(font)


class BarPlot(_MoneyPlot):
    """Horizontal bars, the first on top. The lighter end of a bar is a range.

    Amounts are shown after the bars or, if they do not fit, on an axis.

    Signals: ``bar_hovered(Bar | None, QPointF)`` with the global position of the pointer;
    ``wheel_turned(QWheelEvent)``.
    """

    bar_hovered = Signal(object, QPointF)
    wheel_turned = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._axis = MoneyAxis()
        super().__init__(theme, {"left": PlotAxis("left"), "bottom": self._axis}, (2, 4, 6, 0), parent)
        self._bars: Sequence[Bar] = ()
        self._drawn: tuple[Any, ...] = ()
        self._bar_item = pg.BarGraphItem(x0=[0.0], y=[0], width=[0.0], height=THICKNESS)
        self._range_item = pg.BarGraphItem(x0=[0.0], y=[0], width=[0.0], height=THICKNESS)
        self.addItem(self._bar_item)
        self.addItem(self._range_item)
        self._figures: list[Any] = []
        self._names_width = 0.0
        self.getViewBox().invertY(True)
        self.getAxis("left").setStyle(tickLength=0)
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
            [self._position(amount, log, first) for amount in amounts]
            for amounts in ([b.low for b in bars], [b.middle for b in bars], [b.high for b in bars])
        )
        self._show_names(bars)
        last = max(highs)
        span = (last - first) or 1.0
        ranged = [high - low > span * MIN_RANGE for low, high in zip(lows, highs, strict=True)]
        ends = [low if is_range else middle for low, middle, is_range in zip(lows, middles, ranged, strict=True)]
        self._draw_bars(bars, first, ends)
        self._draw_ranges([index for index, is_range in enumerate(ranged) if is_range], bars, lows, highs)
        margin = self._margin(bars)
        self._draw_figures(bars, highs, span, shown=margin > MIN_MARGIN)
        self.getViewBox().setXRange(first, first + span * (1 + margin), padding=0)
        self.showAxis("bottom", show=margin <= MIN_MARGIN)
        self.showGrid(x=margin <= MIN_MARGIN, y=False, alpha=0.25)

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

    def _position(self, amount: float, log: bool, first: float) -> float:
        if not log:
            return amount
        return max(log10(amount), first) if amount > 0 else first

    def _show_names(self, bars: Sequence[Bar]) -> None:
        font = self._sized(NAME_SIZE)
        self._show_style(font)
        metrics = QFontMetricsF(font)
        most = max(60.0, self.width() * LONGEST_NAME)
        names = [metrics.elidedText(bar.name, Qt.TextElideMode.ElideMiddle, most) for bar in bars]
        left = self.getAxis("left")
        left.setTicks([list(enumerate(names))])
        self._names_width = max(metrics.horizontalAdvance(name) for name in names) + 10
        left.setWidth(self._names_width)

    def _draw_bars(self, bars: Sequence[Bar], first: float, ends: Sequence[float]) -> None:
        self._bar_item.setOpts(
            x0=[first] * len(bars),
            y=list(range(len(bars))),
            width=[end - first for end in ends],
            brushes=[self._colour(bar, 1.0 if bar.pinned else PLAIN_OPACITY) for bar in bars],
            pens=[QPen(Qt.PenStyle.NoPen)] * len(bars),
        )

    def _draw_ranges(
        self, indices: Sequence[int], bars: Sequence[Bar], lows: Sequence[float], highs: Sequence[float]
    ) -> None:
        self._range_item.setVisible(bool(indices))
        if indices:
            self._range_item.setOpts(
                x0=[lows[index] for index in indices],
                y=list(indices),
                width=[highs[index] - lows[index] for index in indices],
                brushes=[self._colour(bars[index], RANGE_OPACITY) for index in indices],
                pens=[QPen(Qt.PenStyle.NoPen)] * len(indices),
            )

    def _colour(self, bar: Bar, opacity: float) -> QColor:
        """Return the strong colour for the current or the pinned model, else the plain one."""
        colour = self._theme.colour("accent" if bar.pinned else "bar")
        colour.setAlphaF(opacity)
        return colour

    def _draw_figures(self, bars: Sequence[Bar], highs: Sequence[float], span: float, *, shown: bool) -> None:
        """Draw the amounts after the bars. Text items are reused, since creating them is the slow part."""
        while len(self._figures) < len(bars):
            self._figures.append(pg.TextItem(anchor=(0, 0.5)))
            self.addItem(self._figures[-1])
        font = self._sized(FIGURE_SIZE)
        for index, figure in enumerate(self._figures):
            is_used = index < len(bars) and shown
            figure.setVisible(is_used)
            if is_used:
                figure.setFont(font)
                figure.setText(bars[index].figure, color=self._theme.colour("text"))
                figure.setPos(highs[index] + span * 0.01, index)

    def _margin(self, bars: Sequence[Bar]) -> float:
        """Return the width for the amounts as a fraction of the bars' length; a sliver if they are not shown."""
        metrics = QFontMetricsF(self._sized(FIGURE_SIZE))
        figures = max(metrics.horizontalAdvance(bar.figure) for bar in bars) + 14
        field = self.width() - self._names_width - 16
        return figures / (field - figures) if 0 < figures <= field * MAX_FOR_FIGURES else MIN_MARGIN

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
    def _on_mouse_moved(self, point: QPointF) -> None:
        inside = self.getPlotItem().sceneBoundingRect().contains(point)
        index = round(self.getViewBox().mapSceneToView(point).y())
        if inside and 0 <= index < len(self._bars):
            corner = self.viewport().mapToGlobal(self.mapFromScene(point))
            self.bar_hovered.emit(self._bars[index], QPointF(corner))
        else:
            self.bar_hovered.emit(None, QPointF())


MARKS = 10
"""Number of marks on a line: enough to identify it, few enough to see it."""
MAX_POINTS = 400
"""Maximum number of points of a line: more would not be visible. Six lines of ten thousand points took 34 ms to paint
and 39 ms to prepare; with this many points, 15 and 11 ms."""
HEAD_ROOM = 1.05
EDGE = 0.3
"""Room after the last turn for its number and the range, in turns."""


class ConversationPlot(_MoneyPlot):
    """Plot with a line for each model, with its range at the end if the token count is one."""

    def __init__(self, theme: Theme, styles: Sequence[LineStyle], parent: QWidget | None = None) -> None:
        """``styles``: one for each conversation at most."""
        self._money = MoneyAxis("left", levels=2)
        self._money.enableAutoSIPrefix(False)
        super().__init__(theme, {"left": self._money, "bottom": PlotAxis("bottom")}, (2, 6, 10, 2), parent)
        self.setObjectName("conversationPlot")
        self._styles = styles
        self._lines = [(pg.PlotCurveItem(), pg.ScatterPlotItem(), pg.PlotCurveItem(connect="pairs")) for _ in styles]
        for items in self._lines:
            for item in items:
                self.addItem(item)
        self.setLabel("bottom", self.tr("Turn"))
        self.setAccessibleName(self.tr("Cumulative cost by turn"))

    def draw(self, talks: Sequence[Talk], text: CostText) -> None:
        """Replace everything drawn, in the current colours and font. Conversations of unknown cost have no line."""
        self._money.text = text
        self._show_style(self.font())
        for side in ("left", "bottom"):
            self.getAxis(side).label.setFont(self.font())
        self.setLabel("left", self.tr("Cost so far, {code}").format(code=text.currency.code))
        highest = 0.0
        for index, (style, items) in enumerate(zip(self._styles, self._lines, strict=True)):
            talk = talks[index] if index < len(talks) else None
            xs, ys = _line(talk, text)
            pen = style.pen(self._theme)
            items[0].setData(xs, ys, pen=pen)
            step = max(1, len(xs) // MARKS)
            # Marks of each line begin at a different turn, so that similar lines do not cover each other's.
            chosen = slice(index % step, None, step)
            colour = self._theme.colour(style.role)
            mark = {"symbol": style.mark, "size": style.size, "pen": pg.mkPen(colour), "brush": colour}
            items[1].setData(xs[chosen], ys[chosen], **mark)
            low, high = _range(talk, text)
            is_range = bool(xs) and low < high
            items[2].setData([xs[-1]] * 2 if is_range else [], [low, high] if is_range else [], pen=pen)
            highest = max(highest, high, *ys)
        turns = len(talks[0].turns) if talks else 1
        self.getViewBox().setRange(
            xRange=(1 - EDGE, max(2, turns) + EDGE), yRange=(0, highest * HEAD_ROOM or 1), padding=0
        )
        self.showGrid(x=False, y=True, alpha=0.25)
        self.setAccessibleDescription(
            "; ".join(f"{talk.model.name}: {total_text(talk.turns[-1], text)}" for talk in talks)
        )


def _line(talk: Talk | None, text: CostText) -> tuple[list[float], list[float]]:
    """Return turns and amounts, empty if an amount is unknown. Drawing works in floats."""
    if talk is None or any(turn.total_usd is None for turn in talk.turns):
        return [], []
    turns = _some_of(talk.turns)
    amounts = [float(text.converted(turn.total_usd)) for turn in turns if turn.total_usd is not None]
    return [float(turn.number) for turn in turns], amounts


def _some_of(turns: Sequence[Turn]) -> Sequence[Turn]:
    """Return evenly spaced turns, including the first and the last; all turns if they are few."""
    if len(turns) <= MAX_POINTS:
        return turns
    last = len(turns) - 1
    return [turns[last * step // (MAX_POINTS - 1)] for step in range(MAX_POINTS)]


def _range(talk: Talk | None, text: CostText) -> tuple[float, float]:
    last: Any = talk.turns[-1] if talk is not None else None
    if last is None or last.total_usd_low is None or last.total_usd_high is None:
        return 0.0, 0.0
    return float(text.converted(last.total_usd_low)), float(text.converted(last.total_usd_high))
