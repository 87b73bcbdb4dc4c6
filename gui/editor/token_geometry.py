"""Positions of tokens on screen lines.

A line is measured token by token with ``QTextLine.cursorToX``, a line with right-to-left text by the glyphs of each
token: in bidirectional text, glyphs give the positions of characters, and caret positions do not. Most text is plain
ASCII in a fixed-pitch font and need not be measured: see ``token_painter``.

Two tokens may share a visible character: a token may end inside its bytes, or between the parts of an emoji. The width
of such a character is divided evenly among them.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from time import thread_time
from typing import NamedTuple, TypeVar, cast
from unicodedata import bidirectional

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QGlyphRun, QTextLayout, QTextLine
from PySide6.QtWidgets import QPlainTextEdit

from gui.editor.offsets import utf16_length
from gui.editor.soft_document import SoftDocument
from gui.editor.token_spans import CONTINUES, SpanSlice, TokenSpans
from gui.editor.visible_lines import LINE_GAP, THIN, TOLERANCE, VisibleLine, visible_lines

_MAX_KNOWN = 1024  # number of cached line measures
_NO_LIMIT = float("inf")
_WIDE = 2.0
"""Lines wider than this multiple of the viewport are measured only in and near their visible part."""
_K = TypeVar("_K")
_T = TypeVar("_T")
_INTERVAL = 32
"""Interval at which x positions of a wide line are computed, in UTF-16 units. Hardly any character is wider than the
line height, so positions between are known to within this multiple of it."""


class Pieces(NamedTuple):
    """Rectangles and their tokens, as parallel arrays.

    ``rects`` float64[n, 4]: x, y, width, height in the viewport. ``tokens`` int64[n]: token indices. ``begins``
    bool[n]: True if the token starts with this piece. ``shared`` bool[n]: True if the piece is part of a character that
    several tokens share, or stands for characters without width.
    """

    rects: NDArray[np.float64]
    tokens: NDArray[np.int64]
    begins: NDArray[np.bool_]
    shared: NDArray[np.bool_]


NO_PIECES = Pieces(np.empty((0, 4)), np.empty(0, np.int64), np.empty(0, np.bool_), np.empty(0, np.bool_))


def token_pieces(
    lines: Sequence[VisibleLine],
    view: SpanSlice,
    measured: MeasuredLines | None = None,
    width: float | None = None,
) -> Pieces:
    """Return the pieces of the tokens ``view`` on ``lines``.

    ``measured``: cache of measured lines. ``width``: of the viewport; of much wider lines, only the pieces in it and
    nearby are returned. None for all.
    """
    measured = MeasuredLines() if measured is None else measured
    pieces = [measured.pieces(line, view, width) for line in lines]
    return pieces[0] if len(pieces) == 1 else _joined(*pieces)


def _joined(*parts: Pieces) -> Pieces:
    return Pieces(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


class MeasuredLines:
    """Cache of the pieces of measured lines, each measured once for its tokens.

    A line is identified by everything that its measures depend on: its text and as much around it as can influence
    shaping and direction, its laid-out width, and its token bounds. So a key press in a paragraph of fifty lines
    measures one or two of them. After a change of the font, call ``clear``.

    ``is_behind``: True if a line was skipped since ``measure_for`` for lack of time.
    """

    def __init__(self) -> None:
        self.is_behind = False
        self._until = _NO_LIMIT
        self._has_measured = False
        self._known: dict[tuple[object, ...], object] = {}
        self._around: dict[tuple[str, int, int], tuple[str, ...]] = {}
        self._surroundings = Surroundings("")

    def clear(self) -> None:
        """Drop all lines."""
        self._known.clear()
        self._around.clear()

    def measure_for(self, seconds: float) -> None:
        """Limit measuring to this many seconds of processor time from now, but measure at least one thing: a page of
        small letters in many scripts takes too long for one paint. Skipped lines have no pieces and no marks until they
        are painted again."""
        self.is_behind = self._has_measured = False
        self._until = thread_time() + seconds

    def pieces(self, line: VisibleLine, view: SpanSlice, width: float | None = None) -> Pieces:
        """Return the pieces of the tokens of one line; see ``token_pieces``."""
        start, end = self.seen(line, width)
        first = int(view.ends.searchsorted(np.int32(start), "left"))
        last = int(view.starts.searchsorted(np.int32(end), "right"))
        offset = np.int32(line.offset)
        starts, ends = view.starts[first:last] - offset, view.ends[first:last] - offset
        continues = view.flags[first : last + 1] & CONTINUES
        bounds = (starts[:1].tobytes(), ends.tobytes(), continues.tobytes())
        pieces = self.once(line, bounds, lambda: _Measured(line, self._of(line)).pieces(starts, ends, continues))
        return NO_PIECES if pieces is None else self._placed(pieces, line, view.first + first)

    def seen(self, line: VisibleLine, width: float | None) -> tuple[int, int]:
        """Return the offsets between which a line is in or near a viewport of that width."""
        natural = line.line.naturalTextWidth()
        if width is None or line.preedit or natural <= _WIDE * width:
            return line.offset, line.end
        xs = self.once(line, (), lambda: _xs_of(line))
        if xs is None:
            return line.offset, line.offset
        margin = _INTERVAL * line.height
        left, right = np.minimum(xs[:-1], xs[1:]) + line.left, np.maximum(xs[:-1], xs[1:]) + line.left
        seen = np.flatnonzero((right >= -margin) & (left <= width + margin))
        if not len(seen):
            return line.offset, line.offset
        return line.offset + int(seen[0]) * _INTERVAL, min(line.end, line.offset + int(seen[-1] + 1) * _INTERVAL)

    def edges(self, line: VisibleLine, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return left and right edges of spans of a line, float64[n, 2], in viewport pixels: one row per span, more for
        spans that are split on the screen. ``starts``, ``ends``: offsets of the text, on the line."""
        firsts, lasts = starts - line.block_offset, ends - line.block_offset
        what = ("edges", (starts - line.offset).tobytes(), (ends - line.offset).tobytes())
        edges = self.once(line, what, lambda: _edges(line._replace(left=0.0), firsts, lasts))
        return np.empty((0, 2)) if edges is None else edges + line.left

    def once(self, line: VisibleLine, what: tuple[object, ...], measure: Callable[[], _T]) -> _T | None:
        """Return a cached measure of a line, or compute it. ``what``: key of the measure. None if no time is left, see
        ``measure_for``."""
        if line.preedit:
            return measure()
        key_of_line = (line.text, line.start, line.length)
        around = self._around.get(key_of_line)
        if around is None:
            around = self._of(line).of(line.start, line.start + line.length)
            _keep(self._around, key_of_line, around)
        laid_out = (
            line.line.width(),
            line.line.naturalTextWidth(),
            line.height,
            line.layout.textOption().textDirection(),
        )
        key = (around, line.length, laid_out, what)
        cached = self._known.get(key)
        if cached is None:
            if self._has_measured and thread_time() > self._until:
                self.is_behind = True
                return None
            self._has_measured = True
            cached = measure()
            _keep(self._known, key, cached)
        return cast("_T", cached)

    def _of(self, line: VisibleLine) -> Surroundings:
        if self._surroundings.text is not line.text:
            self._surroundings = Surroundings(line.text)
        return self._surroundings

    @staticmethod
    def _placed(pieces: Pieces, line: VisibleLine, first: int) -> Pieces:
        rects = pieces.rects + np.array((line.left, line.top, 0.0, 0.0))
        return Pieces(rects, pieces.tokens + first, pieces.begins, pieces.shared)


def _keep(cache: dict[_K, _T], key: _K, value: _T) -> None:
    if len(cache) >= _MAX_KNOWN:
        del cache[next(iter(cache))]  # the oldest
    cache[key] = value


def _xs_of(line: VisibleLine) -> NDArray[np.float64]:
    """Return the x at every ``_INTERVAL`` units of a line and at its end, in pixels from its start; float64."""
    start, end = line.start, line.start + line.length
    return np.array([line.line.cursorToX(position)[0] for position in (*range(start, end, _INTERVAL), end)])


def _edges(line: VisibleLine, firsts: NDArray[np.int32], lasts: NDArray[np.int32]) -> NDArray[np.float64]:
    ruler = LineRuler(line)
    left, right, known = ruler.extents(firsts, lasts)
    others = [span for index in np.flatnonzero(~known) for span in ruler.spans(int(firsts[index]), int(lasts[index]))]
    return np.concatenate([np.stack([left[known], right[known]], 1), np.array(others).reshape(-1, 2)])


class _Measured:
    """Measurement of one line. Its pieces are relative to 0, 0; tokens are counted from the first given one."""

    def __init__(self, line: VisibleLine, surroundings: Surroundings | None = None) -> None:
        self._line = line._replace(left=0.0, top=0.0)
        self._ruler = LineRuler(self._line, surroundings)
        self._rects: list[tuple[float, float, float, float]] = []
        self._tokens: list[int] = []
        self._begins: list[bool] = []
        self._shared: list[bool] = []

    def pieces(self, starts: NDArray[np.int32], ends: NDArray[np.int32], continues: NDArray[np.uint8]) -> Pieces:
        """Return the pieces of tokens, bounds relative to the line's start; ``continues`` may have one extra item."""
        start = np.int32(self._line.start)
        starts, ends = starts + start, ends + start
        pieces = self.together(starts, ends) if not continues.any() else None
        return pieces or self.one_by_one(starts, ends, continues)

    def together(self, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> Pieces | None:
        """Return the pieces if no tokens share characters, as on most lines: each bound, or each glyph, is measured
        once. None otherwise. Bounds are relative to the start of the paragraph."""
        line = self._line
        low, high = line.start, line.start + line.length
        tokens = np.flatnonzero(np.maximum(starts, low) < np.minimum(ends, high))
        firsts, lasts = np.maximum(starts[tokens], low), np.minimum(ends[tokens], high)
        if any(map(self._ruler.is_inside, np.union1d(firsts, lasts).tolist())):
            return None
        begins = firsts == starts[tokens]
        left, right, known = self._ruler.extents(firsts, lasts)
        for index in np.flatnonzero(~known).tolist():
            self._add_whole(int(tokens[index]), int(firsts[index]), int(lasts[index]), bool(begins[index]))
        rects = np.zeros((int(known.sum()), 4))
        width = right[known] - left[known]
        rects[:, 0], rects[:, 2], rects[:, 3] = left[known], np.maximum(width, THIN), line.height - LINE_GAP
        return _joined(Pieces(rects, tokens[known], begins[known], width <= 0), self._collected())

    def one_by_one(self, starts: NDArray[np.int32], ends: NDArray[np.int32], continues: NDArray[np.uint8]) -> Pieces:
        """Return the pieces of any tokens. Bounds are relative to the start of the paragraph."""
        self._add(starts.tolist(), ends.tolist(), [*(continues != 0).tolist(), False])
        return self._collected()

    def _collected(self) -> Pieces:
        return Pieces(
            np.array(self._rects).reshape(-1, 4),
            np.array(self._tokens, np.int64),
            np.array(self._begins, np.bool_),
            np.array(self._shared, np.bool_),
        )

    def _add(self, starts: list[int], ends: list[int], continues: list[bool]) -> None:
        line = self._line
        low, high = line.start, line.start + line.length
        ruler = self._ruler
        shares: dict[int, list[int]] = {}
        for k in range(len(starts)):
            start, end = max(starts[k], low), min(ends[k], high)
            if continues[k] and low < starts[k] <= high:
                shares.setdefault(ruler.cluster_start(starts[k]), []).append(k)
                if ruler.is_inside(start):
                    start = ruler.cluster_end(start)
            elif start < high and ruler.is_inside(start):
                _share(shares, ruler.cluster_start(start), k)
                start = ruler.cluster_end(start)
            if end == ends[k] > starts[k] and end > low and (continues[k + 1] or ruler.is_inside(end)):
                cluster = ruler.cluster_start(end)
                _share(shares, cluster, k)
                end = cluster
            if start < end:
                self._add_whole(k, start, end, begins=start == starts[k])
        for cluster, tokens in shares.items():
            self._add_shared(cluster, tokens)

    def _add_whole(self, token: int, start: int, end: int, begins: bool) -> None:
        for left, right in self._ruler.spans(start, end):
            width = right - left
            self._append(left, max(width, THIN), token, begins, width <= 0)
            begins = False

    def _add_shared(self, cluster: int, tokens: list[int]) -> None:
        ruler = self._ruler
        left, right = ruler.spans(cluster, ruler.cluster_end(cluster))[0]
        width = max(right - left, THIN) / len(tokens)
        if ruler.is_right_to_left(cluster):
            tokens = tokens[::-1]
        for index, token in enumerate(tokens):
            self._append(left + index * width, width, token, index > 0, True)

    def _append(self, x: float, width: float, token: int, begins: bool, shared: bool) -> None:
        self._rects.append((x, 0.0, width, self._line.height - LINE_GAP))
        self._tokens.append(token)
        self._begins.append(begins)
        self._shared.append(shared)


def _share(shares: dict[int, list[int]], cluster: int, token: int) -> None:
    tokens = shares.setdefault(cluster, [])
    if not tokens or tokens[-1] != token:
        tokens.append(token)


class LineRuler:
    """Ruler of one line. Positions are UTF-16 units from the start of the paragraph, x is in the viewport."""

    def __init__(self, line: VisibleLine, surroundings: Surroundings | None = None) -> None:
        """``surroundings``: of the line's paragraph, if known."""
        self._line = line
        self._known_surroundings = surroundings
        self._composing_at = line.layout.preeditAreaPosition() if line.preedit else -1

    @cached_property
    def is_bidirectional(self) -> bool:
        """True if part of the line may run right to left."""
        return self._runs_both_ways(self._line.start, self._line.start + self._line.length)

    def x(self, position: int) -> float:
        """Return the x of the caret at a position."""
        return self._line.left + self._line.line.cursorToX(self._in_layout(position))[0]

    def is_inside(self, position: int) -> bool:
        """Return True if a position is inside a visible character."""
        return self._composing_at < 0 and not self._line.layout.isValidCursorPosition(position)

    def cluster_start(self, position: int) -> int:
        """Return the start of the character before or around a position."""
        return max(0, position - 1) if self._composing_at >= 0 else self._line.layout.previousCursorPosition(position)

    def cluster_end(self, position: int) -> int:
        """Return the end of the character at or around a position."""
        return position + 1 if self._composing_at >= 0 else self._line.layout.nextCursorPosition(position)

    def is_right_to_left(self, position: int) -> bool:
        """Return True if the character at a position runs right to left."""
        if not self.is_bidirectional:
            return False
        runs = self._line.line.glyphRuns(self._in_layout(position), 1)
        return bool(runs) and runs[0].isRightToLeft()

    def spans(self, start: int, end: int) -> list[tuple[float, float]]:
        """Return left and right edges of the text between two positions of the line: several in bidirectional text."""
        if not self.is_bidirectional or not (self._is_wrapped_at_space or self._runs_both_ways(start, end)):
            return [(self.x(start), self.x(end))]
        return self.spans_of_glyphs(start, end)

    def extents(
        self, starts: NDArray[np.integer], ends: NDArray[np.integer]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """Return ``spans`` for several pairs of positions at once: left and right edges, float64[n] each, and where
        they are known, bool[n]. For the others, call ``spans``."""
        if not self.is_bidirectional:
            bounds = np.union1d(starts, ends)
            carets = np.array([self.x(position) for position in bounds.tolist()])
            known = np.ones(len(starts), np.bool_)
            return carets[bounds.searchsorted(starts)], carets[bounds.searchsorted(ends)], known
        line = self._line
        text = self._surroundings.of(line.start, line.start + line.length)[2]
        if self._composing_at < 0 and has_glyphs(text):
            left, right, known = LineGlyphs(line, text).extents(starts, ends)
            return left + line.left, right + line.left, known
        nowhere = np.zeros(len(starts))
        return nowhere, nowhere.copy(), np.zeros(len(starts), np.bool_)

    def spans_of_glyphs(self, start: int, end: int) -> list[tuple[float, float]]:
        """Like ``spans``, for any text. Carets are between characters, which are elsewhere when the direction changes;
        glyphs are reliable."""
        first = self._in_layout(start)
        left = self._line.left
        found: list[tuple[float, float]] = []
        rects = [run.boundingRect() for run in self._line.line.glyphRuns(first, self._in_layout(end) - first)]
        if len(rects) == 1:  # as for most tokens
            return [(left + rects[0].left(), left + rects[0].right())]
        for rect in sorted((left + rect.left(), left + rect.right()) for rect in rects):
            if found and rect[0] - found[-1][1] < TOLERANCE:
                found[-1] = (found[-1][0], max(found[-1][1], rect[1]))
            else:
                found.append(rect)
        if found:
            return found
        here, there = self.x(start), self.x(end)
        if self._is_wrapped_at_space and self._line.start < self._visible_end <= start:
            return [self._hanging(abs(there - here))]
        return [(min(here, there), max(here, there))]

    def _hanging(self, width: float) -> tuple[float, float]:
        """Return the edges of a space at which the line was wrapped: after its last letter, without width if other text
        follows there on the screen."""
        before = self._line.layout.previousCursorPosition(self._visible_end)
        runs = self._line.line.glyphRuns(before, self._visible_end - before)
        natural = self._line.line.naturalTextRect()
        if not runs:
            return self._line.left + natural.right(), self._line.left + natural.right() + width
        if runs[0].isRightToLeft():
            x = min(run.boundingRect().left() for run in runs)
            left, right = x - (width if x < natural.left() + TOLERANCE else 0.0), x
        else:
            x = max(run.boundingRect().right() for run in runs)
            left, right = x, x + (width if x > natural.right() - TOLERANCE else 0.0)
        return self._line.left + left, self._line.left + right

    @cached_property
    def _visible_end(self) -> int:
        """End of the last character of the line that is not a space."""
        line = self._line
        text = self._surroundings.of(line.start, line.start + line.length)[2]
        return line.start + utf16_length(text.rstrip(" "))

    @cached_property
    def _surroundings(self) -> Surroundings:
        return self._known_surroundings or Surroundings(self._line.text)

    @cached_property
    def _is_back(self) -> bool:
        """True if the paragraph's base direction is right to left; layouts derive it from the first letter."""
        direction = self._line.layout.textOption().textDirection()
        if direction == Qt.LayoutDirection.LayoutDirectionAuto:
            return self._surroundings.is_right_to_left
        return direction == Qt.LayoutDirection.RightToLeft

    @cached_property
    def _is_wrapped_at_space(self) -> bool:
        """True if the line ends in a space that may hang over. If it runs against the paragraph's direction, carets
        elsewhere on the line are off by the width of that space."""
        line = self._line
        return not line.ends_paragraph and self._visible_end < line.start + line.length

    def _runs_both_ways(self, start: int, end: int) -> bool:
        return self._is_back or self._surroundings.run_both_ways(start, end)

    def _in_layout(self, position: int) -> int:
        """Return the layout's position, which includes input method composition."""
        return position + self._line.preedit if 0 <= self._composing_at < position else position


# --- shaping of a line ------------------------------------------------------------------------------------------------


_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_DIRECTS_FROM_AFAR = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Characters that set the text direction until a matching one ends it."""
_STRONG = frozenset({"L", "R", "AL"})
"""Unicode's strong bidirectional classes; the first strong character sets the direction of its paragraph."""


class Surroundings:
    """The text around a line, within its paragraph, that influences its shape.

    Letters join their neighbours, and other characters follow the direction of the letters around them. So the text up
    to the second letter on both sides matters; the whole paragraph if it contains embedding or isolate controls.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._direction = next((way for way in map(bidirectional, text) if way in _STRONG), "")
        self._directed = _DIRECTS_FROM_AFAR.search(text) is not None
        self._mixed = _RIGHT_TO_LEFT.search(text) is not None
        self._units = text.encode("utf-16-le") if not text.isascii() and max(text) > "\uffff" else None

    @property
    def is_right_to_left(self) -> bool:
        """True if the paragraph's base direction, set by its first letter, is right to left."""
        return self._direction in {"R", "AL"}

    def of(self, start: int, end: int) -> tuple[str, str, str, str]:
        """Return the base direction, the text before a line, on it, and after it. Positions are UTF-16 units."""
        before, line, behind = self._part(0, start), self._part(start, end), self._part(end, None)
        if self._directed:
            return self._direction, before, line, behind
        before = before[len(before) - _second_letter(reversed(before)) :]
        return self._direction, before, line, behind[: _second_letter(behind)]

    def run_both_ways(self, start: int, end: int) -> bool:
        """Return True if part of a line in a left-to-right paragraph may run right to left."""
        if not self._mixed or self._directed:
            return self._mixed
        return any(map(_RIGHT_TO_LEFT.search, self.of(start, end)[1:]))

    def _part(self, start: int, end: int | None) -> str:
        if self._units is None:
            return self.text[start:end]
        return self._units[2 * start : None if end is None else 2 * end].decode("utf-16-le", "replace")


def _second_letter(text: Iterable[str]) -> int:
    """Return the number of characters up to and including the second letter; all of them if there are fewer."""
    letters = characters = 0
    for character in text:
        characters += 1
        letters += character.isalpha()
        if letters == 2:
            break
    return characters


_INDEXES_AND_POSITIONS = (
    QTextLayout.GlyphRunRetrievalFlag.RetrieveStringIndexes | QTextLayout.GlyphRunRetrievalFlag.RetrieveGlyphPositions
)


_LOW_SURROGATE_BITS, _LOW_SURROGATE = 0xFC00, 0xDC00
_WITHOUT_GLYPH = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def has_glyphs(text: str) -> bool:
    """Return True if each character has a glyph or is part of one: after others, Qt 6.11 reports wrong positions."""
    return text.isprintable() and not _WITHOUT_GLYPH.search(text)


class _MixedItem(NamedTuple):
    """A span of a line that Qt shaped at once, with glyphs of several fonts.

    ``start``, ``end``: in UTF-16 units from the start of the paragraph. ``start_x``, ``end_x``: the edges of its first
    and last character, in pixels from the start of the line; NaN if unknown. A caret there may belong to the adjacent
    span.
    """

    start: int
    end: int
    start_x: float
    end_x: float
    backwards: bool


class LineGlyphs:
    """The glyph positions of one line, queried at once: a query per token takes ten times as long.

    If Qt takes glyphs from several fonts, Qt 6.11 reports the characters of the first font's glyphs only; all others
    are reported at the start of the span. In such a span, caret positions give the boundaries of characters.
    """

    def __init__(self, line: VisibleLine, text: str) -> None:
        """``text``: the text of the line, not of its whole paragraph, which may be fifty times as long."""
        self._line, self._layout = line.line, line.layout
        characters: list[int] = []
        lefts: list[float] = []
        rights: list[float] = []
        runs: list[int] = []
        mixed: list[tuple[int, QRectF, bool]] = []
        begins: list[int] = []
        for number, (rect, item) in enumerate(_items(line)):
            indexes = item[0].stringIndexes()
            backwards = item[0].isRightToLeft()
            begins.append(min(indexes))
            if len(item) > 1:
                mixed.append((begins[-1], rect, backwards))
                continue
            # In reading order. A mark may overhang its neighbours and has no position of its own.
            xs, end = [point.x() for point in item[0].positions()], rect.right()
            edges = list(accumulate(xs, min if backwards else max))
            characters += indexes
            lefts += edges
            rights += [end, *edges[:-1]] if backwards else [*edges[1:], end]
            runs += [number] * len(edges)
        order = np.argsort(np.array(characters, np.int64), kind="stable")
        self._characters = np.array(characters, np.int64)[order]
        self._lefts, self._rights = np.array(lefts)[order], np.array(rights)[order]
        self._runs = np.array(runs, np.int64)[order]
        self._start = line.start
        units = np.frombuffer(text.encode("utf-16-le"), "<u2")
        has_one = np.isin(np.arange(line.start, line.start + line.length), self._characters)
        self._without = np.append(0, np.cumsum(~has_one & (units & _LOW_SURROGATE_BITS != _LOW_SURROGATE)))
        begins.sort()
        self._mixed: list[_MixedItem] = []
        for start, rect, backwards in mixed:
            start_x, end_x = (rect.right(), rect.left()) if backwards else (rect.left(), rect.right())
            behind = bisect_right(begins, start)
            if behind < len(begins):
                item = _MixedItem(start, begins[behind], start_x, end_x, backwards)
            else:  # trailing spaces of a line may or may not have glyphs
                end = line.start + utf16_length(text.rstrip(" "))
                item = _MixedItem(start, end, start_x, math.nan if text.endswith(" ") else end_x, backwards)
            self._mixed.append(item)

    def extents(
        self, starts: NDArray[np.integer], ends: NDArray[np.integer]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """Return the left and right edges of the text between positions, float64[n] each, and where they are known,
        bool[n].

        Positions are UTF-16 units from the start of the paragraph, edges are pixels from the start of the line. The
        edges are unknown for text without glyphs for all of its characters, such as trailing spaces of a line, and for
        text that is, or may be, in several spans on the screen.
        """
        first, last = self._characters.searchsorted(starts), self._characters.searchsorted(ends)
        known = (first < last) & (self._without[starts - self._start] == self._without[ends - self._start])
        known[known] = self._runs[first[known]] == self._runs[last[known] - 1]
        left, right = np.zeros(len(known)), np.zeros(len(known))
        if known.any():
            # Pairs of bounds in one array: the gaps between tokens are computed as well and skipped.
            bounds = np.stack([first[known], last[known]], 1).ravel()
            left[known] = np.minimum.reduceat(np.append(self._lefts, np.inf), bounds)[::2]
            right[known] = np.maximum.reduceat(np.append(self._rights, -np.inf), bounds)[::2]
        for item in self._mixed:
            inside = np.flatnonzero((starts >= item.start) & (ends <= item.end)).tolist()
            bounds = [(int(starts[index]), int(ends[index])) for index in inside]
            xs = self._xs(item, sorted({position for pair in bounds for position in pair}))
            for index, (start, end) in zip(inside, bounds, strict=True):
                here, there = xs.get(start, math.nan), xs.get(end, math.nan)
                left[index], right[index] = min(here, there), max(here, there)
                known[index] = here != there and not math.isnan(here + there)
        return left, right, known

    def _xs(self, item: _MixedItem, positions: list[int]) -> dict[int, float]:
        """Return the x of character boundaries in a span. Empty if its carets are unreliable: if a line wraps at a
        space against its paragraph's direction, they are beside the text, and before a cluster of several characters
        they may be at the other end of the span."""
        xs = {item.start: item.start_x, item.end: item.end_x}
        between = [position for position in positions if item.start < position < item.end]
        if between and not self._has_carets_between_glyphs(item):
            return {}
        carets = [item.start_x, *map(self._caret, between)]
        steps = [there - here for here, there in pairwise(carets)]
        if not all(step < 0 if item.backwards else step > 0 for step in steps):
            return {}
        return xs | dict(zip(between, carets[1:], strict=True))

    def _has_carets_between_glyphs(self, item: _MixedItem) -> bool:
        """Return True if the first caret is at the end of the first character."""
        second = self._layout.nextCursorPosition(item.start)
        first = [run.boundingRect() for run in self._line.glyphRuns(item.start, second - item.start)]
        edge = min(rect.left() for rect in first) if item.backwards else max(rect.right() for rect in first)
        return abs(self._caret(second) - edge) < TOLERANCE

    def _caret(self, position: int) -> float:
        return cast("tuple[float, int]", self._line.cursorToX(position))[0]


def _items(line: VisibleLine) -> Iterator[tuple[QRectF, list[QGlyphRun]]]:
    """Yield what Qt shaped at once, with its glyph runs by font: all report the width of the whole item."""
    item: list[QGlyphRun] = []
    bounds = QRectF()
    for run in line.line.glyphRuns(line.start, line.length, _INDEXES_AND_POSITIONS):
        rect = run.boundingRect()
        if item and (rect.left(), rect.width()) != (bounds.left(), bounds.width()):
            yield bounds, item
            item = []
        item.append(run)
        bounds = rect
    if item:
        yield bounds, item


# --- the token under the pointer --------------------------------------------------------------------------------------


_ON_CHARACTER = QTextLine.CursorPosition.CursorOnCharacter


def token_index_under(
    editor: QPlainTextEdit, soft: SoftDocument, spans: TokenSpans, point: QPoint, newline_width: float = 0
) -> int:
    """Return the index of the token under a point of the editor's viewport, -1 if there is none.

    Tokens that share a character each have a part of its width, as drawn. ``newline_width``: of the newline symbols
    after lines, 0 if hidden.
    """
    for line in visible_lines(editor, soft, QRect(point.x(), point.y(), 1, 1)):
        if line.top <= point.y() < line.top + line.height:
            behind = point.x() - line.left - line.line.naturalTextRect().right()
            if line.ends_paragraph and 0 <= behind < newline_width:
                return spans.index_at(line.end)
            return _index_on(line, spans, point.x())
    return -1


def _index_on(line: VisibleLine, spans: TokenSpans, x: int) -> int:
    natural = line.line.naturalTextRect()
    if line.preedit or not natural.left() <= x - line.left < natural.right():
        return -1
    position = line.line.xToCursor(x - line.left, _ON_CHARACTER)
    if not line.start <= position < line.start + line.length:
        return -1
    ruler = LineRuler(line)
    end = ruler.cluster_end(position)
    first = spans.index_at(line.block_offset + position)
    last = spans.count_ending(line.block_offset + end) - 1
    if first < 0 or last <= first:
        return first
    # Exclude whole tokens before and after the character; the rest share its width.
    view = spans.covering(line.block_offset + position, line.block_offset + end)
    shared = [
        view.first + k
        for k in range(len(view.ids))
        if view.ends[k] > line.block_offset + position or (view.starts[k] == view.ends[k] and view.first + k > first)
        if view.starts[k] < line.block_offset + end or view.starts[k] == view.ends[k]
    ]
    left, right = ruler.spans(position, end)[0]
    share = int((x - left) / max(right - left, 1) * len(shared))
    if ruler.is_right_to_left(position):
        share = len(shared) - 1 - share
    return shared[min(max(share, 0), len(shared) - 1)]
