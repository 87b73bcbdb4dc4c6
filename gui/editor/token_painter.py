"""Drawing of tokens on the editor's viewport, behind its text, and of marks for whitespace and invisible characters.

Colours are painted, never stored in the document: formats would change text shaping, and would be undone, saved and
copied with it. Only the clip is processed.

On most lines, all characters are one column wide. There a token's position follows from its column, and all pixel rows
of a line are alike: one row is computed, with fills and bounds, and repeated by Qt. That takes a few calls per line,
for any number of tokens. All other lines are measured (``token_geometry``) and drawn as rectangles: those of one colour
are passed to Qt in one call, from the memory of an array. Both ways give the same picture. (Except the lines under
tokens drawn without colours at a fractional device pixel ratio: they may end a pixel earlier.)

Characters that change text direction, have no width or control something are marked: they cost tokens, and can make a
text mean something else to a model than to its reader. "Trojan Source" (Boucher and Anderson, 2021) hides code behind
direction marks, and tags (U+E0020 to U+E007F) spell whole sentences that no font draws. The line below the prompt names
the character at the caret. Joiners (U+200C, U+200D) and variation selectors are not marked: they are parts of words and
emoji.

Qt can mark spaces and tabs, too, but it then makes each space a separate item of its line and queries its colours and
font: a window full of spaces takes 160 milliseconds to paint, here 30.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import shiboken6
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QImage, QPainter, QPen, QTransform

from gui.editor.offsets import utf16_length
from gui.editor.token_geometry import NO_PIECES, LineRuler, MeasuredLines, Pieces, token_pieces
from gui.editor.token_spans import NO_COLOUR, STALE, Fills, SpanSlice, TokenSpans
from gui.editor.visible_lines import LINE_GAP, THIN, TOLERANCE, VisibleLine

if TYPE_CHECKING:
    from gui.look.theme import TokenPalette


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


# --- lines of columns -------------------------------------------------------------------------------------------------


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
        edges = np.arange(columns + 1) * (width * scale) + shift
        first = edges.astype(np.intp)
        thick = np.maximum((edges + scale).astype(np.intp) - first, 1)
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
            starts = grid.first[:length]
            row[starts] = firsts[low:high]
            for away in range(1, thickest):
                reaching = grid.thick[:length] > away
                row[starts[reaching] + away] = firsts[low:high][reaching]
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


# --- whitespace and invisible characters ------------------------------------------------------------------------------


MAX_ON_A_LINE = 200
"""Maximum number of marks per screen line; zero-width characters may occur by the thousand."""

FLAG = 5.0
"""Width and height of the flag at the top of a mark, in pixels."""

_DRAWN = frozenset(
    "\t\n\u200c\u200d\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)
"""Characters of these categories that are drawn, such as number signs (Prepended_Concatenation_Mark)."""
_CHUNK = 64
"""Chunk size in characters: most text has no such characters, and one ``isprintable`` call covers a chunk."""
_CATEGORIES = frozenset({"Cc", "Cf"})


def invisible_positions(line: VisibleLine) -> list[int]:
    """Return the positions of invisible characters on a line, in UTF-16 units from the start of its paragraph."""
    if line.preedit or line.text.isprintable():
        return []
    units = line.text.encode("utf-16-le", "replace")[2 * line.start : 2 * (line.start + line.length)]
    text = units.decode("utf-16-le", "replace")
    found: list[int] = []
    position = line.start
    for start in range(0, len(text), _CHUNK):
        chunk = text[start : start + _CHUNK]
        if not chunk.isprintable():
            found += _invisible_in(chunk, position)
            if len(found) >= MAX_ON_A_LINE:
                break
        position += utf16_length(chunk)
    return found[:MAX_ON_A_LINE]


def _invisible_in(text: str, position: int) -> Iterator[int]:
    for character in text:
        if not character.isprintable() and _is_invisible(character):
            yield position
        position += 1 + (character > "\uffff")


def _is_invisible(character: str) -> bool:
    return character not in _DRAWN and unicodedata.category(character) in _CATEGORIES


def invisible_marks(lines: list[VisibleLine]) -> list[QRectF]:
    """Return the marks: a pole before each invisible character, with a flag at its top."""
    rects: list[QRectF] = []
    for line in lines:
        positions = invisible_positions(line)
        if not positions:
            continue
        ruler = LineRuler(line)
        for position in positions:
            x = round(ruler.x(position))
            rects += (QRectF(x, line.top, 1.0, line.height - LINE_GAP), QRectF(x, line.top, FLAG, FLAG))
    return rects


TAB_SIGN, NO_BREAK_SIGN = "\u2192", "\u00b0"
_SPACE, _TAB, _NO_BREAK = 0x20, 0x09, 0xA0
_DOT_PART = 9.0
"""Ratio of a line's height to the size of a dot."""


class _Signs(NamedTuple):
    """Marks of a line that begins at x = 0: the centre of each space, float64[n], and the spans of other symbols."""

    dots: NDArray[np.float64]
    others: list[tuple[float, float, str]]


class WhitespaceSigns:
    """Painter of whitespace marks. ``measured``: knows the visible part of wide lines and detects changed lines."""

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
            signs = self._of(line, column_width, width)
            if signs is None:  # no time was left to measure the line
                continue
            if len(signs.dots):
                dots.append(_dots(signs.dots + line.left, line, width))
            for left, right, sign in signs.others:
                if right + line.left >= 0 and left + line.left <= width:
                    area = QRectF(left + line.left, line.top, right - left, line.height)
                    painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, sign)
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
    """Return the visible dots around positions on a line as rectangles, float64[n, 4]."""
    size = max(1.0, round(line.height / _DOT_PART))
    seen = middles[(middles >= 0) & (middles <= width)]
    rects = np.empty((len(seen), 4))
    rects[:, 0] = np.round(seen - size / 2)
    rects[:, 1] = np.round(line.top + (line.height - size) / 2)
    rects[:, 2:] = size
    return rects


def _measured_signs(line: VisibleLine, low: int, high: int) -> _Signs:
    """Return the marks between two UTF-16 offsets from the start of the paragraph."""
    units = np.frombuffer(line.text.encode("utf-16-le", "replace"), "<u2")[low:high]
    ruler = LineRuler(line._replace(left=0.0))
    spaces = np.flatnonzero(units == _SPACE) + low
    first = np.flatnonzero(np.diff(spaces, prepend=-2) > 1)  # indices into spaces of the first space of each run
    counts = np.diff(first, append=len(spaces))
    starts, ends = spaces[first], spaces[first] + counts
    left, right, known = ruler.extents(starts, ends)
    for index in np.flatnonzero(~known).tolist():
        left[index], right[index] = ruler.spans(int(starts[index]), int(ends[index]))[0]
    within = spaces - np.repeat(starts, counts) + 0.5
    dots = np.repeat(left, counts) + within * np.repeat((right - left) / counts, counts)
    others: list[tuple[float, float, str]] = []
    for unit, sign in ((_TAB, TAB_SIGN), (_NO_BREAK, NO_BREAK_SIGN)):
        for index in (np.flatnonzero(units == unit) + low).tolist():
            others.append((*ruler.spans(index, index + 1)[0], sign))
    return _Signs(dots, others)


# --- the painter ------------------------------------------------------------------------------------------------------


NEWLINE_SIGN = "\u23ce"
_LENGTHS = np.array([2, 3, 5, 8, 13], np.int32)
"""Token lengths in UTF-16 units at which the next fill begins, if fills encode length."""
_SPREAD = np.uint32(0x9E3779B1)
"""Multiplier that spreads neighbouring IDs, which are often related, over the fills."""
_HOLLOW = QBrush()
HATCH_ALPHA = 22
_HATCH_FOOT = 4.0
"""Height at the foot of a token where the hatching is opaque, in pixels; above, the text on it must stay readable."""
MATCH_ALPHA = 45
MEASURE_SECONDS = 0.02
"""Maximum time that a paint may spend on measuring lines, in seconds."""


@dataclass(slots=True)
class PaintOptions:
    """Items drawn besides the tokens."""

    caret: int = -1
    """UTF-16 offset of the token that gets a frame; -1 for none."""
    show_newlines: bool = False
    dim_stale: bool = False
    match_starts: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    match_ends: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))


class TokenPainter:
    """Painter of tokens with one palette."""

    def __init__(self, palette: TokenPalette) -> None:
        self._rectangles = Rectangles()
        self._column_width = 0.0
        self.newline_width = 0.0
        """Width of the newline symbol, in pixels."""
        self._measured = MeasuredLines()
        self._whitespace = WhitespaceSigns(self._measured)
        self.set_palette(palette)

    @property
    def is_behind(self) -> bool:
        """True if something was skipped since ``begin``, so that everything must be repainted."""
        return self._measured.is_behind

    def begin(self) -> None:
        """Begin a paint: lines are measured for ``MEASURE_SECONDS``, the others in the next paint. Without this call,
        all are measured."""
        self._measured.measure_for(MEASURE_SECONDS)

    def set_palette(self, palette: TokenPalette) -> None:
        """Set the colours."""
        self._palette = palette
        fills = (*(palette.fills or [palette.base] * NO_COLOUR), palette.base, palette.stale)
        self._no_colour, self._stale_colour = len(fills) - 2, len(fills) - 1
        bound = palette.base if palette.gaps else palette.boundary
        self._rows = TokenRows(fills, bound, underlined=palette.fills is None, rounded=palette.gaps)
        self._fills = [QBrush(fill) for fill in palette.fills or ()]
        self._bound = QBrush(bound)
        faint = QColor(palette.hatch)
        faint.setAlpha(HATCH_ALPHA)
        self._faint_hatch = QBrush(faint, Qt.BrushStyle.BDiagPattern)
        self._hatch = QBrush(palette.hatch, Qt.BrushStyle.BDiagPattern)
        self._stale = QBrush(palette.stale)
        self._frame = QPen(palette.current, 1)

    def set_font_metrics(self, metrics: QFontMetricsF) -> None:
        """Measure the current font."""
        self._measured.clear()
        width = metrics.horizontalAdvance("0" * 100) / 100
        same = all(abs(metrics.horizontalAdvance(c * 100) / 100 - width) < 0.01 for c in "iW ~")
        self._column_width = width if same and width >= THIN else 0.0
        self.newline_width = metrics.horizontalAdvance(NEWLINE_SIGN) or metrics.averageCharWidth()

    def paint(
        self, painter: QPainter, lines: list[VisibleLine], spans: TokenSpans, options: PaintOptions
    ) -> tuple[int, int] | None:
        """Draw the tokens of ``lines``, then matches, newline symbols and marks of invisible characters.

        Returns the bounds of the framed token, if it is on these lines.
        """
        if not lines:
            return None
        start, end = lines[0].offset, lines[-1].end + 1
        by_columns: list[ColumnLine] = []
        measured: list[VisibleLine] = []
        for line in lines:
            columns = column_line(line, self._column_width)
            if columns is not None:
                by_columns.append(columns)
            elif line.length:
                measured.append(line)
        tokens, pieces = spans.fills(start, end), NO_PIECES
        framed = _index_at(options.caret, tokens, spans)
        if self._palette.tells:
            tokens = tokens._replace(colours=self._fills_by_value(tokens, spans, start, end))
        newlines: list[tuple[QRectF, int, bool]] = []
        if measured or options.show_newlines or options.dim_stale:
            view = spans.covering(start, end)
            if options.dim_stale:
                stale = (view.flags & STALE) != 0
                tokens = tokens._replace(colours=np.where(stale, np.uint8(self._stale_colour), tokens.colours))
            if measured:
                pieces = token_pieces(measured, view, self._measured, painter.device().width())
            if options.show_newlines:
                newlines = [self._newline(line, view) for line in lines if line.ends_paragraph]
                pieces = _with_newlines(pieces, newlines)
        self._rows.draw(painter, by_columns, tokens, start, end)
        if pieces is not NO_PIECES:
            painter.setPen(Qt.PenStyle.NoPen)
            self._paint_fills(painter, pieces, tokens)
            self._paint_bounds(painter, pieces)
            self._paint_shared(painter, pieces, lines[0].left)
        if len(options.match_starts):
            self._paint_matches(painter, lines, by_columns, options)
        self._paint_newlines(painter, newlines)
        for rect in invisible_marks(lines):
            painter.fillRect(rect, self._palette.newline)
        return self._paint_current(painter, by_columns, pieces, tokens, framed)

    def paint_whitespace(self, painter: QPainter, lines: list[VisibleLine]) -> None:
        """Draw the whitespace marks of ``lines``, over their text."""
        width = painter.device().width()
        self._whitespace.paint(painter, lines, self._column_width, self._palette.newline, width)

    def _fills_by_value(self, tokens: Fills, spans: TokenSpans, start: int, end: int) -> NDArray[np.uint8]:
        """Return the fill of each token by its ID or length, independent of its position."""
        if self._palette.tells == "id":
            ids = spans.covering(start, end).ids.astype(np.uint32)
            fills = ((ids * _SPREAD) >> np.uint32(16)) % np.uint32(len(self._fills))
        else:
            fills = _LENGTHS.searchsorted(np.diff(tokens.bounds), "right")
        return np.where(tokens.colours == NO_COLOUR, self._no_colour, fills).astype(np.uint8)

    def _paint_fills(self, painter: QPainter, pieces: Pieces, tokens: Fills) -> None:
        colours = tokens.colours[pieces.tokens - tokens.first]
        for colour, fill in enumerate(self._fills):
            self._rectangles.fill(painter, pieces.rects[colours == colour], fill)
        self._rectangles.fill(painter, pieces.rects[colours == self._stale_colour], self._stale)

    def _paint_bounds(self, painter: QPainter, pieces: Pieces) -> None:
        """Draw a line or gap before each token; without colours also a line under it, to mark tokens off from gaps."""
        bounds = pieces.rects[pieces.begins]  # a copy
        bounds[:, 2] = 1.0
        self._rectangles.fill(painter, bounds, self._bound)
        scale = painter.device().devicePixelRatioF()
        if self._palette.gaps and scale == int(scale):
            self._rectangles.fill(painter, _corners(bounds), self._bound)
        if self._palette.fills is None:
            under = pieces.rects.copy()
            under[:, 0] += 2
            under[:, 1] += under[:, 3] - 2
            under[:, 2] = np.maximum(under[:, 2] - 3, 1)
            under[:, 3] = 1.0
            self._rectangles.fill(painter, under, self._bound)

    def _paint_shared(self, painter: QPainter, pieces: Pieces, left: float) -> None:
        if not pieces.shared.any():
            return
        rects = pieces.rects[pieces.shared]
        for top in np.unique(rects[:, 1]).tolist():
            # The hatching is aligned to its line, so that it scrolls with it.
            painter.setBrushOrigin(QPointF(left, top))
            line = rects[rects[:, 1] == top]
            self._rectangles.fill(painter, line, self._faint_hatch)
            line[:, 1] += line[:, 3] - _HATCH_FOOT
            line[:, 3] = _HATCH_FOOT
            self._rectangles.fill(painter, line, self._hatch)
        painter.setBrushOrigin(QPointF())

    def _paint_matches(
        self, painter: QPainter, lines: list[VisibleLine], by_columns: list[ColumnLine], options: PaintOptions
    ) -> None:
        starts, ends = options.match_starts, options.match_ends
        fill = QColor(self._palette.match)
        fill.setAlpha(MATCH_ALPHA)
        painter.setPen(QPen(self._palette.match, 1))
        columns = {one.line.offset: one for one in by_columns}
        rects: list[NDArray[np.float64]] = []
        below = 1 + LINE_GAP  # the last pixel row is that of underscores
        width = painter.device().width()
        for line in lines:
            low, high = self._measured.seen(line, width)
            first = int(ends.searchsorted(np.int32(low), "right"))
            last = int(starts.searchsorted(np.int32(high), "left"))
            if first >= last:
                continue
            firsts, lasts = np.maximum(starts[first:last], line.offset), np.minimum(ends[first:last], line.end)
            by_column = columns.get(line.offset)
            if by_column is None:
                edges = self._measured.edges(line, firsts, lasts)
            else:
                edges = np.array([[by_column.x(offset) for offset in offsets] for offsets in (firsts, lasts)]).T
            rects.append(_frames(edges, line.top, line.height - below))
        if rects:
            self._rectangles.fill(painter, np.concatenate(rects), QBrush(fill))
        painter.setPen(Qt.PenStyle.NoPen)

    def _newline(self, line: VisibleLine, view: SpanSlice) -> tuple[QRectF, int, bool]:
        """Return the rectangle of the newline symbol after a line, its token, and whether the token starts there."""
        index = int(view.ends.searchsorted(np.int32(line.end), "right"))
        natural = line.line.naturalTextRect()
        x = line.left + natural.right()
        rect = QRectF(x, line.top, self.newline_width, line.height - LINE_GAP)
        if index >= len(view.ids):
            return rect, -1, False
        return rect, view.first + index, int(view.starts[index]) == line.end

    def _paint_newlines(self, painter: QPainter, newlines: list[tuple[QRectF, int, bool]]) -> None:
        if not newlines:
            return
        painter.setPen(self._palette.newline)
        for rect, _token, _begins in newlines:
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, NEWLINE_SIGN)
        painter.setPen(Qt.PenStyle.NoPen)

    def _paint_current(
        self, painter: QPainter, by_columns: list[ColumnLine], pieces: Pieces, tokens: Fills, index: int
    ) -> tuple[int, int] | None:
        """Draw the frame of a token and return its bounds; ``index`` -1 for none."""
        if index < 0:
            return None
        start, end = tokens.bounds[index : index + 2].tolist()
        rects: list[list[float]] = []
        for columns in by_columns:
            line = columns.line
            if start < line.end and line.offset < end:
                left, right = columns.x(start), columns.x(end)
                rects.append([left, line.top, right - left, line.height - LINE_GAP])
        if pieces is not NO_PIECES:
            rects += pieces.rects[pieces.tokens == tokens.first + index].tolist()
        if rects:
            painter.setBrush(_HOLLOW)
            painter.setPen(self._frame)
        for x, y, width, height in rects:
            painter.drawRect(QRectF(round(x) + 0.5, round(y) + 0.5, max(1, round(width) - 1), round(height) - 1))
        return start, end


def _index_at(caret: int, tokens: Fills, spans: TokenSpans) -> int:
    """Return the token with the character after the caret, at the end of the text the last; -1 if none."""
    count = len(tokens.colours)
    if not count or caret < tokens.bounds[0]:
        return -1
    index = int(tokens.bounds[1:].searchsorted(np.int32(caret), "right"))
    if index == count:
        if tokens.first + count < len(spans):
            return -1
        index -= 1
    return -1 if tokens.colours[index] == NO_COLOUR else index


def _frames(edges: NDArray[np.float64], top: float, height: float) -> NDArray[np.float64]:
    """Return rectangles around edges, float64[n, 4], inset by half a pixel so that a frame of one pixel is sharp."""
    rects = np.empty((len(edges), 4))
    rects[:, 0], rects[:, 1] = edges[:, 0] + 0.5, top + 0.5
    rects[:, 2], rects[:, 3] = np.maximum(edges[:, 1] - edges[:, 0] - 1, 1), height
    return rects


def _corners(bounds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the corners of tokens at gaps of one pixel; drawn over, they make the tokens look round."""
    corners = np.repeat(bounds, 4, axis=0)
    corners[:, 0] += np.tile([-1.0, -1.0, 1.0, 1.0], len(bounds))
    corners[1::2, 1] += corners[1::2, 3] - 1
    corners[:, 3] = 1.0
    return corners


def _with_newlines(pieces: Pieces, newlines: list[tuple[QRectF, int, bool]]) -> Pieces:
    with_token = [(rect, token, begins) for rect, token, begins in newlines if token >= 0]
    if not with_token:
        return pieces
    return Pieces(
        np.concatenate([pieces.rects, [rect.getRect() for rect, _, _ in with_token]]),
        np.concatenate([pieces.tokens, [token for _, token, _ in with_token]]),
        np.concatenate([pieces.begins, [begins for _, _, begins in with_token]]),
        np.concatenate([pieces.shared, np.zeros(len(with_token), np.bool_)]),
    )
