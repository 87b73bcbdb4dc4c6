"""Draws the tokens of lines whose characters are all one column wide, which most lines are.

There a token's place follows from its column, and all rows of pixels of a line are alike: one of them is worked out,
fills and bounds together, and repeated by Qt. That takes a few calls for a line, however many tokens it has. All other
lines are measured (``token_geometry``) and drawn rectangle by rectangle; both ways give the same picture. (But for the
lines under tokens that are drawn without colours, where a pixel of the window is no whole number of those of the
screen: they may end a pixel earlier.)
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
    """Hands arrays of rectangles to Qt, which reads them from a piece of memory that stays where it is."""

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
        # Asking an array for its address takes longer than copying the rectangles of a line.
        self._memory = np.empty((count, 4))
        self._first = shiboken6.wrapInstance(self._memory.ctypes.data, QRectF)


TOLERANCE = 0.5
THIN = 3.0
"""Width in pixels at which a token is shown whose characters have none, such as a zero-width space."""


class ColumnLine(NamedTuple):
    """A line of columns. In pixels of the viewport: where its text begins and ends, and the width of a column."""

    line: VisibleLine
    left: float
    right: float
    width: float

    def x(self, utf16_offset: int) -> float:
        """Where the character behind an offset of the text begins; the end of the line for what lies behind it."""
        return min(self.left + max(utf16_offset - self.line.offset, 0) * self.width, self.right)


def column_line(line: VisibleLine, width: float) -> ColumnLine | None:
    """A line as one of columns, None if its characters are not all one column wide.

    ``width``: of a character where the font gives all the same, else 0.
    """
    start, length = line.start, line.length
    if not width or line.preedit or not length:
        return None
    text = line.text
    if not text.isascii() and max(text) > "\uffff":
        # Positions count UTF-16 units: with a character outside the BMP before it the slice would be another.
        return None
    text = text[start : start + length]
    if not text.isascii() or "\t" in text:
        return None
    # The first of these calls shapes the paragraph's text. Drawing it needs that anyway: to ask less saves nothing.
    left = line.line.cursorToX(start)[0]
    if not line.text.isascii() and abs(left - line.line.naturalTextRect().left()) > TOLERANCE:
        return None  # wrapped at a space that runs against its paragraph: carets are beside the text
    right = line.line.cursorToX(start + length)[0]
    missing = length * width - (right - left)
    # A fallback font, or a font that is not of one width after all, shows here. But a space at which the line was
    # wrapped may hang over the edge: carets stop there.
    if abs(missing) > TOLERANCE and not (text[-1] == " " and 0 < missing < width - THIN):
        return None
    return ColumnLine(line, line.left + left, line.left + right, width)


class _Grid(NamedTuple):
    """The columns of lines in pixels of the screen, of which one of the viewport may have several (``scale``).

    ``origin``: the pixel at which the line begins; all others are counted from it. ``first`` int[n + 1]: the pixel at
    which each column begins. ``column`` int[first[n]]: the column of each pixel. ``shift``: what makes cutting off
    rounding.
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
        """The grid of lines with as many columns."""
        origin = math.floor(left * scale + 0.5)
        shift = left * scale - origin + 0.5
        places = np.arange(columns + 1) * (width * scale) + shift
        first = places.astype(np.intp)
        thick = np.maximum((places + scale).astype(np.intp) - first, 1)
        return cls(left, width, scale, origin, shift, first, np.arange(columns).repeat(np.diff(first)), thick)

    def fits(self, columns: ColumnLine, scale: float) -> bool:
        """Whether it is that of a line, too."""
        if self.left != columns.left or self.width != columns.width or self.scale != scale:
            return False
        return columns.line.length < len(self.first)


class TokenRows:
    """Draws with some colours."""

    def __init__(
        self, fills: Sequence[QColor], bound: QColor, *, underlined: bool = False, rounded: bool = False
    ) -> None:
        """``fills``: by the numbers of colours, of which all are drawn. ``bound``: of the line or gap before each
        token; of a line under each, too, if ``underlined``. ``rounded``: the corners at gaps are cut off, where pixels
        of the window are whole ones of the screen."""
        self._fills = np.array([colour.rgb() for colour in fills], np.uint32)
        self._bound = np.uint32(bound.rgb())
        self._underlined, self._rounded = underlined, rounded
        self._take_grid(_Grid.of(0, 1, 1, 1))

    def draw(self, painter: QPainter, lines: Sequence[ColumnLine], tokens: Fills, start: int, end: int) -> None:
        """Draw tokens on lines between two offsets. ``tokens``: what ``TokenSpans.fills`` gives for these."""
        if not lines or not len(tokens.colours):
            return
        bounds = tokens.bounds - start
        is_cut = bounds[0] < 0  # of the first and the last token only a part may be meant
        if is_cut:
            bounds[0] = 0
        lengths = bounds[1:] - bounds[:-1]
        lengths[-1] = end - start + 1 - bounds[-2]  # one more: tokens without width may begin behind the last character
        fills = self._fills[tokens.colours].repeat(lengths)  # of each character
        firsts = fills.copy()  # of its first pixel
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
        """Take the pixels on both sides of gaps away."""
        is_gap = row == self._bound
        is_cut = is_gap.copy()
        is_cut[thick:] |= is_gap[:-thick]
        is_cut[:-thick] |= is_gap[thick:]
        np.putmask(row, is_cut, self._bound)

    def _under(self, row: NDArray[np.uint32], thick: int) -> NDArray[np.uint32]:
        """A line under each token, which keeps away from the bounds."""
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
    """A row of pixels of the screen, in a piece of memory from which Qt reads them whenever it draws with them.

    Windows and pictures are painted by Qt's raster engine: what was drawn is in the picture when the call returns.
    """

    def __init__(self, count: int, scale: float) -> None:
        self.pixels = np.zeros(count, np.uint32)
        self._brush = QBrush(QImage(self.pixels, count, 1, 4 * count, QImage.Format.Format_RGB32))
        if scale != 1:
            self._brush.setTransform(QTransform.fromScale(1 / scale, 1 / scale))

    def lay(self, painter: QPainter, grid: _Grid, count: int, top: float, height: float) -> None:
        """Repeat the first pixels downwards."""
        scale = grid.scale
        painter.setBrushOrigin(QPointF(grid.origin / scale, 0))
        if scale == 1:
            y = math.floor(top + 0.5)
            painter.fillRect(grid.origin, y, count, math.floor(top + height + 0.5) - y, self._brush)
        else:
            painter.fillRect(QRectF(grid.origin / scale, top, count / scale, height), self._brush)
