"""Drawing of tokens on the editor's viewport, behind its text.

Colours are painted, never stored in the document: formats would change text shaping, and would be undone, saved and
copied with it. Only the clip is processed. Lines of columns are drawn as pixel rows (``token_rows``). For other lines,
all rectangles of one colour are passed to Qt in one call, from the memory of an array.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen

from gui.editor.invisible_characters import WhitespaceSigns, invisible_marks
from gui.editor.token_geometry import NO_PIECES, MeasuredLines, Pieces, token_pieces
from gui.editor.token_rows import THIN, ColumnLine, Rectangles, TokenRows, column_line
from gui.editor.token_spans import NO_COLOUR, STALE, Fills, SpanSlice, TokenSpans
from gui.editor.visible_lines import LINE_GAP, VisibleLine

if TYPE_CHECKING:
    from gui.look.token_palette import TokenPalette

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
        self._newline_width = 0.0
        self._measured = MeasuredLines()
        self._whitespace = WhitespaceSigns(self._measured)
        self.set_palette(palette)

    @property
    def newline_width(self) -> float:
        """Width of the newline symbol."""
        return self._newline_width

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
        self._newline_width = metrics.horizontalAdvance(NEWLINE_SIGN) or metrics.averageCharWidth()

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
        framed = _place_of(options.caret, tokens, spans)
        if self._palette.tells:
            tokens = tokens._replace(colours=self._told(tokens, spans, start, end))
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
        self._paint_unseen(painter, lines)
        return self._paint_current(painter, by_columns, pieces, tokens, framed)

    def paint_whitespace(self, painter: QPainter, lines: list[VisibleLine]) -> None:
        """Draw the whitespace marks of ``lines``, over their text."""
        width = painter.device().width()
        self._whitespace.paint(painter, lines, self._column_width, self._palette.newline, width)

    def _told(self, tokens: Fills, spans: TokenSpans, start: int, end: int) -> NDArray[np.uint8]:
        """Return the fill of each token by its ID or length, independent of its position."""
        if self._palette.tells == "id":
            ids = spans.covering(start, end).ids.astype(np.uint32)
            told = ((ids * _SPREAD) >> np.uint32(16)) % np.uint32(len(self._fills))
        else:
            told = _LENGTHS.searchsorted(np.diff(tokens.bounds), "right")
        return np.where(tokens.colours == NO_COLOUR, self._no_colour, told).astype(np.uint8)

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
                edges = np.array([[by_column.x(place) for place in places] for places in (firsts, lasts)]).T
            rects.append(_frames(edges, line.top, line.height - below))
        if rects:
            self._rectangles.fill(painter, np.concatenate(rects), QBrush(fill))
        painter.setPen(Qt.PenStyle.NoPen)

    def _newline(self, line: VisibleLine, view: SpanSlice) -> tuple[QRectF, int, bool]:
        """Return the rectangle of the newline symbol after a line, its token, and whether the token starts there."""
        place = int(view.ends.searchsorted(np.int32(line.end), "right"))
        natural = line.line.naturalTextRect()
        x = line.left + natural.right()
        rect = QRectF(x, line.top, self._newline_width, line.height - LINE_GAP)
        if place >= len(view.ids):
            return rect, -1, False
        return rect, view.first + place, int(view.starts[place]) == line.end

    def _paint_newlines(self, painter: QPainter, newlines: list[tuple[QRectF, int, bool]]) -> None:
        if not newlines:
            return
        painter.setPen(self._palette.newline)
        for rect, _token, _begins in newlines:
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, NEWLINE_SIGN)
        painter.setPen(Qt.PenStyle.NoPen)

    def _paint_unseen(self, painter: QPainter, lines: list[VisibleLine]) -> None:
        for rect in invisible_marks(lines):
            painter.fillRect(rect, self._palette.newline)

    def _paint_current(
        self, painter: QPainter, by_columns: list[ColumnLine], pieces: Pieces, tokens: Fills, place: int
    ) -> tuple[int, int] | None:
        """Draw the frame of a token and return its bounds; ``place`` -1 for none."""
        if place < 0:
            return None
        start, end = tokens.bounds[place : place + 2].tolist()
        rects: list[list[float]] = []
        for columns in by_columns:
            line = columns.line
            if start < line.end and line.offset < end:
                left, right = columns.x(start), columns.x(end)
                rects.append([left, line.top, right - left, line.height - LINE_GAP])
        if pieces is not NO_PIECES:
            rects += pieces.rects[pieces.tokens == tokens.first + place].tolist()
        if rects:
            painter.setBrush(_HOLLOW)
            painter.setPen(self._frame)
        for x, y, width, height in rects:
            painter.drawRect(QRectF(round(x) + 0.5, round(y) + 0.5, max(1, round(width) - 1), round(height) - 1))
        return start, end


def _place_of(caret: int, tokens: Fills, spans: TokenSpans) -> int:
    """Return the token with the character after the caret, at the end of the text the last; -1 if none."""
    count = len(tokens.colours)
    if not count or caret < tokens.bounds[0]:
        return -1
    place = int(tokens.bounds[1:].searchsorted(np.int32(caret), "right"))
    if place == count:
        if tokens.first + count < len(spans):
            return -1
        place -= 1
    return -1 if tokens.colours[place] == NO_COLOUR else place


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
    known = [(rect, token, begins) for rect, token, begins in newlines if token >= 0]
    if not known:
        return pieces
    return Pieces(
        np.concatenate([pieces.rects, [rect.getRect() for rect, _, _ in known]]),
        np.concatenate([pieces.tokens, [token for _, token, _ in known]]),
        np.concatenate([pieces.begins, [begins for _, _, begins in known]]),
        np.concatenate([pieces.shared, np.zeros(len(known), np.bool_)]),
    )
