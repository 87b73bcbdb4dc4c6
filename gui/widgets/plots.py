"""Axes that paint fast, and plots of a run's curve and its merge rate. Imports pyqtgraph, so import it late.

The plots are built from view boxes, axes and curves only: pyqtgraph's plot item contains a settings panel, which is
never shown here and takes longer to create than everything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor
from typing import TYPE_CHECKING, Any, NamedTuple

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRect, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen, QPicture, QTransform
from PySide6.QtWidgets import QWidget

from gui.look.quantities import TrainingText
from gui.look.theme import Theme

if TYPE_CHECKING:
    from engine.training.types import TrainingCurve
    from gui.widgets.training_curve import RateSeries


TickSpec = tuple[QPen, QPointF, QPointF]


class PlotAxis(pg.AxisItem):
    """An axis that looks like pyqtgraph's.

    Grid lines are translucent. Qt blends lines pixel by pixel, but rectangles row by row: 200 and 100 grid lines across
    1,800 by 900 pixels took 5.6 ms as lines and take 1.6 ms as rectangles.
    """

    def paint(self, p: QPainter, _option: Any, _widget: Any) -> None:
        if self.picture is None:  # in pyqtgraph None means that it must be recomputed
            self.picture = self._draw_specs()
        if self.picture:
            p.save()
            self.drawPicture(p, *self.picture)
            p.restore()

    def _draw_specs(self) -> tuple[Any, ...]:
        """Return the draw specs; empty if there is no room. A QPicture measures text the same on every screen."""
        picture = QPicture()
        with QPainter(picture) as recorder:
            return self.generateDrawSpecs(recorder) or ()

    def drawPicture(
        self, p: QPainter, axisSpec: TickSpec, tickSpecs: Sequence[TickSpec], textSpecs: Sequence[Any]
    ) -> None:
        lines = [spec for spec in tickSpecs if not _is_plain(*spec)]
        _draw_as_rectangles(p, [spec for spec in tickSpecs if _is_plain(*spec)])
        super().drawPicture(p, axisSpec, lines, textSpecs)


def _is_plain(pen: QPen, begin: QPointF, end: QPointF) -> bool:
    """Return True for a solid line (not a dot) that is one device pixel wide."""
    return pen.isCosmetic() and pen.widthF() <= 1 and pen.style() == Qt.PenStyle.SolidLine and begin != end


def _draw_as_rectangles(p: QPainter, specs: Sequence[TickSpec]) -> None:
    """Draw horizontal and vertical lines in device pixels at any scale."""
    to_pixels = p.deviceTransform()
    p.save()
    p.resetTransform()
    from_pixels, is_known = p.deviceTransform().inverted()
    p.setTransform(from_pixels if is_known else QTransform())
    for pen, begin, end in specs:
        p.fillRect(_pixels(to_pixels.map(QPointF(begin)), to_pixels.map(QPointF(end))), QColor(pen.color()))
    p.restore()


def _pixels(begin: QPointF, end: QPointF) -> QRect:
    left, right = sorted((floor(begin.x()), floor(end.x())))
    top, bottom = sorted((floor(begin.y()), floor(end.y())))
    return QRect(left, top, right - left + 1, bottom - top + 1)


MAX_TENTHS, MAX_HUNDREDTHS = 8, 0.8
"""Maximum length of an axis whose ticks show tenths, or hundredths."""
STEPS = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
"""An axis ends at one of these multiples of a power of ten, so that it is not redrawn for every point."""


class FigureAxis(PlotAxis):
    """An axis with tick labels in the user's locale."""

    def __init__(self, side: str, text: TrainingText) -> None:
        super().__init__(side)
        self._text = text
        self.enableAutoSIPrefix(False)
        self.setGrid(64)
        self.setStyle(hideOverlappingLabels=False)

    def dress(self, theme: Theme, font: QFont) -> None:
        """Use the colours of a theme, and this font."""
        self.setPen(theme.colour("outline"))
        self.setTextPen(theme.colour("text"))
        self.setTickFont(font)
        self.label.setFont(font)
        self.label.setDefaultTextColor(theme.colour("text"))

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        # Decided by the length of the axis: major and minor ticks arrive separately and must be formatted alike.
        low, high = self.range
        digits = 0 if high - low > MAX_TENTHS else 1 if high - low > MAX_HUNDREDTHS else 2
        if digits == 0:
            return [self._text.number(round(value * scale)) for value in values]
        return [self._text.decimal(value * scale, digits) for value in values]


def add_view(plots: pg.GraphicsLayoutWidget, row: int, text: TrainingText) -> tuple[Any, FigureAxis, FigureAxis]:
    """Add a view in two rows of the layout: the view with its left axis, and the bottom axis. Return the three."""
    left, bottom = FigureAxis("left", text), FigureAxis("bottom", text)
    box = pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0)
    box.disableAutoRange()
    for axis in (left, bottom):
        axis.linkToView(box)
        axis.setZValue(-1)  # draw the grid below the curve
    plots.addItem(left, row, 0)
    plots.addItem(box, row, 1)
    plots.addItem(bottom, row + 1, 1)
    return box, left, bottom


def end_of_axis(value: float) -> float:
    """Return the smallest round number that is not below ``value``."""
    if value <= 0:
        return 1.0
    power = 10.0 ** (len(str(ceil(value))) - 1)
    return next((step * power for step in STEPS if step * power >= value), 10 * power)


# --- a training run ---------------------------------------------------------------------------------------------------

CURVE_SHARE, RATE_SHARE = 3, 1
LINE_WIDTH = 2
FILL_ALPHA = 40
MIN_LABEL_HEIGHT = 190
"""Minimum height of a view with axis labels, in pixels."""
MIN_SPEED_HEIGHT = 330
"""Minimum height of a view with the merge rate, in pixels; below it, the text above the plot still shows the rate."""
HEAD_ROOM = 1.04
LABELS_END = 0.75
"""Minimum share of the width over which the names of references are spread."""
LABEL_GAP = 12
"""Minimum gap between two names, in pixels."""


class _Field(NamedTuple):
    """A view box with its axes and one curve."""

    box: Any
    left: FigureAxis
    bottom: FigureAxis
    curve: Any


class TrainingPlots(pg.GraphicsLayoutWidget):
    """The curve on top, merges per second below, over the same vocabulary sizes.

    Signals: ``point_hovered((int, float) | None, QPointF)`` with the point of the curve at the pointer's x, and the
    global pointer position.
    """

    point_hovered = Signal(object, QPointF)

    def __init__(self, theme: Theme, text: TrainingText, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._text = theme, text
        self._curve: TrainingCurve | None = None
        self._style_name = ""
        self.references: list[Any] = []
        """The dashed reference lines."""
        self._drawn: tuple[Any, ...] = ()
        self._ends = (0.0, 0.0, 0.0, 0.0)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        half = self.fontMetrics().horizontalAdvance("100,000") // 2
        self.ci.setContentsMargins(4, self.fontMetrics().height() // 2 + 2, half + 2, 4)
        self.density = self._field(0, self.tr("Bytes per token"), CURVE_SHARE)
        self.speed = self._field(2, self.tr("Merges per second"), RATE_SHARE)
        self._words = self.tr("Entries of the vocabulary")
        self._cross = pg.InfiniteLine(angle=90)
        self._cross.hide()
        self.density.box.addItem(self._cross, ignoreBounds=True)
        self.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self._shows_rate = True
        self._has_speed = False
        self._named = True
        self._label_axes()

    def draw(
        self,
        curve: TrainingCurve,
        rates: RateSeries,
        vocab_size: int,
        references: tuple[tuple[str, float], ...] = (),
    ) -> None:
        """Draw everything in the current colours and font.

        ``vocab_size``: final size of the run. ``references``: names of other encodings and their bytes per token, drawn
        as dashed lines.
        """
        self._curve = curve
        self._style()
        data = (curve, len(rates.sizes), rates.rates[-1:], vocab_size, references)
        if data == self._drawn:
            return
        self._drawn = data
        first = float(curve.vocab_sizes[0])
        last = max(vocab_size, float(curve.vocab_sizes[-1]))
        highest = max(float(curve.bytes_per_token[-1]), *(density for _name, density in references), 0.0)
        top = end_of_axis(highest * HEAD_ROOM)
        fastest = end_of_axis(max(rates.rates, default=1.0) * HEAD_ROOM)
        self._show_ranges((first, last, top, fastest))
        self.density.curve.setData(curve.vocab_sizes, curve.bytes_per_token)
        self.speed.curve.setData(rates.sizes, rates.rates)
        self._draw_references(references)
        self._has_speed = len(rates.sizes) > 1
        self._fit()

    def _draw_references(self, references: tuple[tuple[str, float], ...]) -> None:
        """Label the reference lines: above them, side by side since two lines may be close, and to the left, where the
        curve is low. If that takes too much room, every other label stands below its line."""
        for line in self.references:
            self.density.box.removeItem(line)
        self.references = []
        pen = pg.mkPen(self._theme.colour("bar_range"), width=1, style=Qt.PenStyle.DashLine)
        words = [f"{name}  {self._text.decimal(density)}" for name, density in references]
        metrics = QFontMetrics(self.font())
        needed = len(words) * max((metrics.horizontalAdvance(one) + LABEL_GAP for one in words), default=0)
        available = max(1.0, self.density.box.width())
        share = min(1.0, max(LABELS_END, needed / available))
        for number, (_name, density) in enumerate(references):
            line = pg.InfiniteLine(pos=density, angle=0, pen=pen)
            position = share * (number + 0.5) / len(references)
            below = needed > available and number > 0 and number % 2 == 0
            side = [(0.5, 0.0 if below else 1.0)] * 2
            ink = self._theme.colour("text")
            label = pg.InfLineLabel(line, words[number], position=position, anchors=side, color=ink)
            label.fill = pg.mkBrush(self._theme.colour("base"))
            label.textItem.setFont(self.font())
            self.density.box.addItem(line, ignoreBounds=True)
            self.references.append(line)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.unmark()

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        if hasattr(self, "_shows_rate"):  # pyqtgraph calls this from its constructor
            self._fit()

    def _field(self, row: int, label: str, share: int) -> _Field:
        """Add a view with a curve. ``share``: of the height."""
        box, left, bottom = add_view(self, row, self._text)
        left.setLabel(label)
        self.ci.layout.setRowStretchFactor(row, share)
        curve = pg.PlotCurveItem()
        box.addItem(curve)
        return _Field(box, left, bottom, curve)

    def _show_ranges(self, ends: tuple[float, float, float, float]) -> None:
        if ends == self._ends:
            return
        self._ends = ends
        first, last, top, fastest = ends
        self.density.box.setRange(xRange=(first, last), yRange=(min(1.0, top), top), padding=0)
        self.speed.box.setRange(xRange=(first, last), yRange=(0, fastest), padding=0)

    def _fit(self) -> None:
        """Show the merge rate if there is room; the lowest axis carries the ticks and the label."""
        named = self.height() >= MIN_LABEL_HEIGHT
        if self._named != named:
            self._named = named
            self.density.left.showLabel(named)
            self._label_axes()
        shows_rate = self._has_speed and self.height() >= MIN_SPEED_HEIGHT
        if shows_rate == self._shows_rate:
            return
        self._shows_rate = shows_rate
        # A hidden item keeps its space, so it is removed from the layout.
        for item, row, column in ((self.speed.left, 2, 0), (self.speed.box, 2, 1), (self.speed.bottom, 3, 1)):
            if shows_rate:
                self.addItem(item, row, column)
            else:
                self.removeItem(item)
            item.setVisible(shows_rate)
        self.ci.layout.setRowStretchFactor(2, RATE_SHARE if shows_rate else 0)
        self._label_axes()

    def _label_axes(self) -> None:
        self.density.bottom.setStyle(showValues=not self._shows_rate)
        for field in (self.density, self.speed):
            field.bottom.setLabel(self._words)
        self.density.bottom.showLabel(not self._shows_rate and self._named)

    def _style(self) -> None:
        name = f"{self._theme.name} {self.font().toString()}"
        if name == self._style_name:
            return
        self._style_name = name
        self._drawn = ()  # reference lines get their colours when they are created
        self.setBackground(self._theme.colour("base"))
        width = self.fontMetrics().horizontalAdvance("1,000,000") + 2 * self.fontMetrics().height()
        for field in (self.density, self.speed):
            for axis in (field.left, field.bottom):
                axis.dress(self._theme, self.font())
            field.left.setWidth(width)
        self.density.curve.setPen(pg.mkPen(self._theme.colour("bar"), width=LINE_WIDTH))
        self.speed.curve.setPen(pg.mkPen(self._theme.colour("bar_pinned"), width=1))
        fill = QColor(self._theme.colour("bar_pinned"))
        fill.setAlpha(FILL_ALPHA)
        self.speed.curve.setBrush(fill)
        self.speed.curve.setFillLevel(0)
        self._cross.setPen(pg.mkPen(self._theme.colour("bar_range"), width=1))

    @Slot(object)
    def _on_mouse_moved(self, position: QPointF) -> None:
        curve = self._curve
        box = self.density.box
        if curve is None or not len(curve.vocab_sizes) or not self.ci.sceneBoundingRect().contains(position):
            return
        vocab_size = box.mapSceneToView(position).x()
        self._mark(min(int(curve.vocab_sizes.searchsorted(vocab_size)), len(curve.vocab_sizes) - 1), position)

    def mark(self, index: int) -> None:
        """Show a point of the curve as if it were hovered."""
        curve = self._curve
        if curve is None or index >= len(curve.vocab_sizes):
            return  # not drawn yet, or being redrawn
        point = QPointF(curve.vocab_sizes[index], curve.bytes_per_token[index])
        self._mark(index, self.density.box.mapViewToScene(point))

    def unmark(self) -> None:
        """Hide the point."""
        self._cross.hide()
        self.point_hovered.emit(None, QPointF())

    def _mark(self, index: int, position: QPointF) -> None:
        size, density = int(self._curve.vocab_sizes[index]), float(self._curve.bytes_per_token[index])
        self._cross.setPos(size)
        self._cross.show()
        self.point_hovered.emit((size, density), QPointF(self.viewport().mapToGlobal(self.mapFromScene(position))))
