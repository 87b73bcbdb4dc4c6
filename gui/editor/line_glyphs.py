"""Shaping of a screen line: the positions of its glyphs, and the surrounding text that influences them.

In bidirectional text, glyphs give the positions of characters, and caret positions do not.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from typing import NamedTuple, cast
from unicodedata import bidirectional

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QGlyphRun, QTextLayout

from gui.editor.offsets import utf16_length
from gui.editor.token_rows import TOLERANCE
from gui.editor.visible_lines import VisibleLine

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


_WANTED = (
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
            xs, end = [place.x() for place in item[0].positions()], rect.right()
            places = list(accumulate(xs, min if backwards else max))
            characters += indexes
            lefts += places
            rights += [end, *places[:-1]] if backwards else [*places[1:], end]
            runs += [number] * len(places)
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
            bounds = [(int(starts[place]), int(ends[place])) for place in inside]
            xs = self._xs(item, sorted({position for pair in bounds for position in pair}))
            for place, (start, end) in zip(inside, bounds, strict=True):
                here, there = xs.get(start, math.nan), xs.get(end, math.nan)
                left[place], right[place] = min(here, there), max(here, there)
                known[place] = here != there and not math.isnan(here + there)
        return left, right, known

    def _xs(self, item: _MixedItem, positions: list[int]) -> dict[int, float]:
        """Return the x of character boundaries in a span. Empty if its carets are unreliable: if a line wraps at a
        space against its paragraph's direction, they are beside the text, and before a cluster of several characters
        they may be at the other end of the span."""
        xs = {item.start: item.start_x, item.end: item.end_x}
        between = [position for position in positions if item.start < position < item.end]
        if between and not self._has_carets_between_glyphs(item):
            return {}
        places = [item.start_x, *map(self._caret, between)]
        steps = [there - here for here, there in pairwise(places)]
        if not all(step < 0 if item.backwards else step > 0 for step in steps):
            return {}
        return xs | dict(zip(between, places[1:], strict=True))

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
    place = QRectF()
    for run in line.line.glyphRuns(line.start, line.length, _WANTED):
        rect = run.boundingRect()
        if item and (rect.left(), rect.width()) != (place.left(), place.width()):
            yield place, item
            item = []
        item.append(run)
        place = rect
    if item:
        yield place, item
