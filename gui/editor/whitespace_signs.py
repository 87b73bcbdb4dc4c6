"""Signs for spaces and tabs, drawn over the text.

Qt has such signs, too, but for them it makes each space a piece of its line, of which it asks the colours and the font:
a window full of spaces then takes it 160 milliseconds to paint, here 30.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter

from gui.editor.rectangles import Rectangles
from gui.editor.token_geometry import LineRuler, MeasuredLines
from gui.editor.token_rows import column_line
from gui.editor.visible_lines import VisibleLine

TAB_SIGN, NO_BREAK_SIGN = "\u2192", "\u00b0"
_SPACE, _TAB, _NO_BREAK = 0x20, 0x09, 0xA0
_DOT_PART = 9.0
"""The height of a line is so many times that of a dot."""


class _Signs(NamedTuple):
    """Of one line that begins at 0: the middle of each space, float64[n], and where other signs stand."""

    dots: NDArray[np.float64]
    others: list[tuple[float, float, str]]


_NO_SIGNS = _Signs(np.empty(0), [])


class WhitespaceSigns:
    """Draws them for lines. ``measured``: knows which part of a wide line is seen, and when a line is another."""

    def __init__(self, measured: MeasuredLines) -> None:
        self._measured = measured
        self._rectangles = Rectangles()

    def paint(
        self, painter: QPainter, lines: list[VisibleLine], column_width: float, colour: QColor, width: float
    ) -> None:
        """``column_width``: see ``column_line``. ``width``: of the viewport."""
        dots: list[NDArray[np.float64]] = []
        painter.setPen(colour)
        for line in lines:
            if not line.length:
                continue
            signs = self._of(line, column_width, width) or _NO_SIGNS
            if len(signs.dots):
                dots.append(_dots(signs.dots + line.left, line, width))
            for left, right, sign in signs.others:
                if right + line.left >= 0 and left + line.left <= width:
                    place = QRectF(left + line.left, line.top, right - left, line.height)
                    painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, sign)
        painter.setPen(Qt.PenStyle.NoPen)
        if dots:
            self._rectangles.fill(painter, np.concatenate(dots), QBrush(colour))

    def _of(self, line: VisibleLine, column_width: float, width: float) -> _Signs | None:
        columns = column_line(line, column_width)
        if columns is not None:
            text = line.text[line.start : line.start + line.length].encode("ascii")
            spaces = np.flatnonzero(np.frombuffer(text, np.uint8) == _SPACE)
            dots = (spaces + 0.5) * columns.width + (columns.left - line.left)
            return _Signs(dots[dots < columns.right - line.left], [])
        low, high = (offset - line.block_offset for offset in self._measured.seen(line, width))
        return self._measured.once(line, ("signs", low, high), lambda: _measured_signs(line, low, high))


def _dots(middles: NDArray[np.float64], line: VisibleLine, width: float) -> NDArray[np.float64]:
    """Rectangles around places on a line, float64[n, 4], as far as they are seen."""
    size = max(1.0, round(line.height / _DOT_PART))
    seen = middles[(middles >= 0) & (middles <= width)]
    rects = np.empty((len(seen), 4))
    rects[:, 0] = np.round(seen - size / 2)
    rects[:, 1] = np.round(line.top + (line.height - size) / 2)
    rects[:, 2:] = size
    return rects


def _measured_signs(line: VisibleLine, low: int, high: int) -> _Signs:
    """Those between two UTF-16 offsets from the start of the paragraph."""
    units = np.frombuffer(line.text.encode("utf-16-le", "replace"), "<u2")[low:high]
    ruler = LineRuler(line._replace(left=0.0))
    spaces = np.flatnonzero(units == _SPACE) + low
    first = np.flatnonzero(np.diff(spaces, prepend=-2) > 1)  # of each run of spaces, among the spaces
    counts = np.diff(first, append=len(spaces))
    starts, ends = spaces[first], spaces[first] + counts
    left, right, known = ruler.extents(starts, ends)
    for place in np.flatnonzero(~known).tolist():
        left[place], right[place] = ruler.spans(int(starts[place]), int(ends[place]))[0]
    within = spaces - np.repeat(starts, counts) + 0.5
    dots = np.repeat(left, counts) + within * np.repeat((right - left) / counts, counts)
    others: list[tuple[float, float, str]] = []
    for unit, sign in ((_TAB, TAB_SIGN), (_NO_BREAK, NO_BREAK_SIGN)):
        for place in (np.flatnonzero(units == unit) + low).tolist():
            others.append((*ruler.spans(place, place + 1)[0], sign))
    return _Signs(dots, others)
