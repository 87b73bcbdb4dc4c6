"""Drawing of tokens on lines whose characters are all one column wide, as most are.

There a token's position follows from its column, and all pixel rows of a line are alike: one row is computed, with
fills and bounds, and repeated by Qt. That takes a few calls per line, for any number of tokens. All other lines are
measured (``token_geometry``) and drawn as rectangles; both ways give the same picture. (Except the lines under tokens
drawn without colours at a fractional device pixel ratio: they may end a pixel earlier.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import shiboken6
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QTransform

from gui.editor.token_spans import Fills
from gui.editor.visible_lines import LINE_GAP, VisibleLine


class Rectangles:
    """Buffer from which Qt draws arrays of rectangles."""

    def __init__(self) -> None:
        self._reserve(256)

    def fill(self, painter: QPainter, rects: NDArray[np.float64], brush: QBrush) -> None:
        """Fill rectangles, float64[n, 4], in one call."""
        count = len(rects)
        if not count:
            return
        if count > len(self._memory):
            self._reserve(2 * count)
        self._memory[:count] = rects
        painter.setBrush(brush)
        painter.drawRects(self._first, count)

    def _reserve(self, count: int) -> None:
        # Getting an array's address takes longer than copying the rectangles of a line.
        self._memory = np.empty((count, 4))
        self._first = shiboken6.wrapInstance(self._memory.ctypes.data, QRectF)


TOLERANCE = 0.5
THIN = 3.0
"""Width of a token whose characters have none, such as a zero-width space, in pixels."""


class ColumnLine(NamedTuple):
    """A line of columns: start and end of its text and the width of a column, in viewport pixels."""

    line: VisibleLine
    left: float
    right: float
    width: float

    def x(self, utf16_offset: int) -> float:
        """Return the x of the character after an offset; the end of the line for later offsets."""
        return min(self.left + max(utf16_offset - self.line.offset, 0) * self.width, self.right)


def column_line(line: VisibleLine, width: float) -> ColumnLine | None:
    """Return a line as columns, None if its characters are not all one column wide.

    ``width``: of a character in a fixed-pitch font, else 0.
    """
    start, length = line.start, line.length
    if not width or line.preedit or not length:
        return None
    text = line.text
    if not text.isascii() and max(text) > "\uffff":
        # Positions are UTF-16 units: after a character outside the BMP, the slice would be wrong.
        return None
    text = text[start : start + length]
    if not text.isascii() or "\t" in text:
        return None
    # The first call shapes the paragraph, which drawing needs anyway.
    left = line.line.cursorToX(start)[0]
    if not line.text.isascii() and abs(left - line.line.naturalTextRect().left()) > TOLERANCE:
        return None  # wrapped at a space against its paragraph's direction: carets are beside the text
    right = line.line.cursorToX(start + length)[0]
    missing = length * width - (right - left)
    # This detects fallback fonts and fonts that are not fixed-pitch. But a space at which the line was wrapped may hang
    # over the edge, where carets stop.
    if abs(missing) > TOLERANCE and not (text[-1] == " " and 0 < missing < width - THIN):
        return None
    return ColumnLine(line, line.left + left, line.left + right, width)


class _Grid(NamedTuple):
    """The columns of lines in device pixels (``scale`` per viewport pixel).

    ``origin``: first pixel of the line; all others are relative to it. ``first`` int[n + 1]: first pixel of each
    column. ``column`` int[first[n]]: column of each pixel. ``shift``: makes truncation round to nearest.
    """

    left: float
    width: float
    scale: float
    origin: int
    shift: float
    first: NDArray[np.intp]
    column: NDArray[np.intp]
    thick: NDArray[np.intp]

    @classmethod
    def of(cls, left: float, width: float, scale: float, columns: int) -> _Grid:
        """Create the grid for lines with this many columns."""
        origin = math.floor(left * scale + 0.5)
        shift = left * scale - origin + 0.5
        places = np.arange(columns + 1) * (width * scale) + shift
        first = places.astype(np.intp)
        thick = np.maximum((places + scale).astype(np.intp) - first, 1)
        return cls(left, width, scale, origin, shift, first, np.arange(columns).repeat(np.diff(first)), thick)

    def fits(self, columns: ColumnLine, scale: float) -> bool:
        """Return True if the grid also applies to a line."""
        if self.left != columns.left or self.width != columns.width or self.scale != scale:
            return False
        return columns.line.length < len(self.first)


class TokenRows:
    """Painter of column lines in fixed colours."""

    def __init__(
        self, fills: Sequence[QColor], bound: QColor, *, underlined: bool = False, rounded: bool = False
    ) -> None:
        """``fills``: colours by number, including stale and uncoloured. ``bound``: colour of the line or gap before
        each token; of a line under each too if ``underlined``. ``rounded``: cut off corners at gaps, at integer device
        pixel ratios."""
        self._fills = np.array([colour.rgb() for colour in fills], np.uint32)
        self._bound = np.uint32(bound.rgb())
        self._underlined, self._rounded = underlined, rounded
        self._take_grid(_Grid.of(0, 1, 1, 1))

    def draw(self, painter: QPainter, lines: Sequence[ColumnLine], tokens: Fills, start: int, end: int) -> None:
        """Draw tokens on lines between two offsets. ``tokens``: from ``TokenSpans.fills`` for these offsets."""
        if not lines or not len(tokens.colours):
            return
        bounds = tokens.bounds - start
        is_cut = bounds[0] < 0  # the first and last token may extend outside
        if is_cut:
            bounds[0] = 0
        lengths = bounds[1:] - bounds[:-1]
        lengths[-1] = end - start + 1 - bounds[-2]  # one more: tokens without width may begin after the last character
        fills = self._fills[tokens.colours].repeat(lengths)  # by character
        firsts = fills.copy()  # of the first pixel of each character
        firsts[bounds[1 if is_cut else 0 : -1]] = self._bound
        scale = painter.device().devicePixelRatioF()
        is_round = self._rounded and scale == int(scale)
        thickest = math.ceil(scale)
        for columns in lines:
            line = columns.line
            if not self._grid.fits(columns, scale):
                self._take_grid(_Grid.of(columns.left, columns.width, scale, max(256, 2 * line.length)))
            grid, length = self._grid, line.length
            low = line.block_offset + line.start - start
            high = low + length
            count = int(min(grid.first[length], (columns.right - columns.left) * scale + grid.shift))
            row = self._row.pixels[:count]
            row[:] = fills[low:high].take(grid.column[:count])
            places = grid.first[:length]
            row[places] = firsts[low:high]
            for away in range(1, thickest):
                reaching = grid.thick[:length] > away
                row[places[reaching] + away] = firsts[low:high][reaching]
            height = line.height - LINE_GAP
            top, inner = line.top, height
            if is_round:
                whole = row.copy()
                self._cut_corners(row, thickest)
                self._row.lay(painter, grid, count, top, height)
                row[:] = whole
                top, inner = top + 1, inner - 2
            self._row.lay(painter, grid, count, top, inner)
            if self._underlined:
                row[:] = self._under(row, thickest)
                self._row.lay(painter, grid, count, line.top + height - 2, 1)

    def _cut_corners(self, row: NDArray[np.uint32], thick: int) -> None:
        """Set the pixels on both sides of gaps to the gap colour."""
        is_gap = row == self._bound
        is_cut = is_gap.copy()
        is_cut[thick:] |= is_gap[:-thick]
        is_cut[:-thick] |= is_gap[thick:]
        np.putmask(row, is_cut, self._bound)

    def _under(self, row: NDArray[np.uint32], thick: int) -> NDArray[np.uint32]:
        """Return a row with a line under each token, which keeps away from the bounds."""
        is_bound = row == self._bound
        is_free = np.zeros(len(row), np.bool_)
        is_free[thick:] = is_bound[:-thick]
        is_free[:-thick] |= is_bound[thick:]
        is_free[: 2 * thick] = is_free[-thick:] = True
        return np.where(is_free, row, self._bound)

    def _take_grid(self, grid: _Grid) -> None:
        self._grid = grid
        self._row = _Row(len(grid.column), grid.scale)


class _Row:
    """A row of device pixels, in a buffer that Qt reads whenever it draws with it.

    Windows and images are painted by Qt's raster engine, so drawing is complete when the call returns.
    """

    def __init__(self, count: int, scale: float) -> None:
        self.pixels = np.zeros(count, np.uint32)
        self._brush = QBrush(QImage(self.pixels, count, 1, 4 * count, QImage.Format.Format_RGB32))
        if scale != 1:
            self._brush.setTransform(QTransform.fromScale(1 / scale, 1 / scale))

    def lay(self, painter: QPainter, grid: _Grid, count: int, top: float, height: float) -> None:
        """Draw the first pixels, repeated downwards."""
        scale = grid.scale
        painter.setBrushOrigin(QPointF(grid.origin / scale, 0))
        if scale == 1:
            y = math.floor(top + 0.5)
            painter.fillRect(grid.origin, y, count, math.floor(top + height + 0.5) - y, self._brush)
        else:
            painter.fillRect(QRectF(grid.origin / scale, top, count / scale, height), self._brush)
