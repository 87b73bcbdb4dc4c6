"""Styles that distinguish the lines of a plot by colour, dashes and marker shape, each sufficient alone."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QIcon, QPainter, QPainterPath, QPen, QPixmap

from gui.look.theme import Theme

LINE_WIDTH = 2
SAMPLE_WIDTH, SAMPLE_HEIGHT = 34, 14
MARK = 8


class LineStyle(NamedTuple):
    """``role``: colour role; ``mark``: name of a pyqtgraph symbol."""

    role: str
    dashes: Qt.PenStyle
    mark: str


LINE_STYLES: tuple[LineStyle, ...] = (
    LineStyle("bar", Qt.PenStyle.SolidLine, "o"),
    LineStyle("syntax_number", Qt.PenStyle.DashLine, "s"),
    LineStyle("success", Qt.PenStyle.DotLine, "t1"),
    LineStyle("bar_pinned", Qt.PenStyle.DashDotLine, "d"),
    LineStyle("error", Qt.PenStyle.DashDotDotLine, "t"),
    LineStyle("text", Qt.PenStyle.SolidLine, "+"),
)
"""The largest set of lines that can be told apart."""

_SHAPES: dict[str, tuple[tuple[float, float], ...]] = {
    "s": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "t1": ((0, -1), (1, 1), (-1, 1)),
    "t": ((0, 1), (1, -1), (-1, -1)),
    "d": ((0, -1.2), (0.8, 0), (0, 1.2), (-0.8, 0)),
}


def line_pen(style: LineStyle, theme: Theme) -> QPen:
    """Return the pen of a line."""
    pen = QPen(theme.colour(style.role), LINE_WIDTH, style.dashes)
    pen.setCosmetic(True)
    return pen


def line_sample(style: LineStyle, theme: Theme, ratio: float) -> QIcon:
    """Return a sample of the line with its marker, for a legend. ``ratio``: device pixels per point."""
    picture = QPixmap(round(SAMPLE_WIDTH * ratio), round(SAMPLE_HEIGHT * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    with QPainter(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(line_pen(style, theme))
        middle = SAMPLE_HEIGHT / 2
        painter.drawLine(QPointF(0, middle), QPointF(SAMPLE_WIDTH, middle))
        painter.setPen(QPen(theme.colour(style.role), 1.5))
        painter.setBrush(theme.colour(style.role))
        painter.drawPath(_mark(style.mark, QPointF(SAMPLE_WIDTH / 2, middle)))
    return QIcon(picture)


def _mark(name: str, centre: QPointF) -> QPainterPath:
    path = QPainterPath()
    half = MARK / 2
    if name == "o":
        path.addEllipse(centre, half, half)
    elif name == "+":
        for across, down in ((half, 0.0), (0.0, half)):
            path.moveTo(centre - QPointF(across, down))
            path.lineTo(centre + QPointF(across, down))
    else:
        corners = [centre + QPointF(x, y) * half for x, y in _SHAPES[name]]
        path.moveTo(corners[0])
        for corner in (*corners[1:], corners[0]):
            path.lineTo(corner)
    return path
