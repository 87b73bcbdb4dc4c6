"""How a line of the screen is shaped: where its glyphs are, and what that follows from besides the line.

Of text that runs both ways the glyphs tell where characters are, and carets do not.
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
"""Characters that set the direction of text until another one ends that."""
_STRONG = frozenset({"L", "R", "AL"})
"""Unicode's classes of characters that have a direction; the first one of a paragraph gives it its own."""


class Surroundings:
    """What the measures of a line follow from besides the line, in one paragraph.

    Letters join their neighbours, and what is no letter runs in the direction of the letters around it. So the text
    up to the second letter on both sides belongs to a line; the whole paragraph where a character directs it from afar.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._direction = next((way for way in map(bidirectional, text) if way in _STRONG), "")
        self._directed = _DIRECTS_FROM_AFAR.search(text) is not None
        self._mixed = _RIGHT_TO_LEFT.search(text) is not None
        self._units = text.encode("utf-16-le") if not text.isascii() and max(text) > "\uffff" else None

    @property
    def is_right_to_left(self) -> bool:
        """Whether the paragraph is written from right to left, for its first letter is."""
        return self._direction in {"R", "AL"}

    def of(self, start: int, end: int) -> tuple[str, str, str, str]:
        """The paragraph's direction, the text before a line, on it, and behind it. Positions count UTF-16 units."""
        before, line, behind = self._part(0, start), self._part(start, end), self._part(end, None)
        if self._directed:
            return self._direction, before, line, behind
        before = before[len(before) - _second_letter(reversed(before)) :]
        return self._direction, before, line, behind[: _second_letter(behind)]

    def run_both_ways(self, start: int, end: int) -> bool:
        """Whether some of a line of a paragraph that is written from left to right may run the other way."""
        if not self._mixed or self._directed:
            return self._mixed
        return any(map(_RIGHT_TO_LEFT.search, self.of(start, end)[1:]))

    def _part(self, start: int, end: int | None) -> str:
        if self._units is None:
            return self.text[start:end]
        return self._units[2 * start : None if end is None else 2 * end].decode("utf-16-le", "replace")


def _second_letter(text: Iterable[str]) -> int:
    """How many characters there are up to the second letter, that one included; all where there is none."""
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
    """Whether each character of a text has a glyph, or is part of one: behind others Qt 6.11 tells wrong positions."""
    return text.isprintable() and not _WITHOUT_GLYPH.search(text)


class _MixedItem(NamedTuple):
    """A stretch of a line that Qt shaped in one go, with glyphs of several fonts.

    ``start``, ``end``: in UTF-16 units from the start of the paragraph. ``start_x``, ``end_x``: where its first
    character begins and its last one ends, in pixels from where the line begins; not a number where that is not known.
    A caret there may belong to the stretch beside it.
    """

    start: int
    end: int
    start_x: float
    end_x: float
    backwards: bool


class LineGlyphs:
    """Of one line of which each character has one, all asked for at once: to ask for those of each token takes ten
    times as long.

    Where Qt took glyphs from several fonts at once, Qt 6.11 tells only of those of the first which characters they are
    for; of the others it says that all are for the character at which the stretch begins. In such a stretch carets tell
    where characters meet.
    """

    def __init__(self, line: VisibleLine, text: str) -> None:
        """``text``: what is on the line, not its whole paragraph, which may be fifty times as long."""
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
            # As they are read. A mark may hang over what comes before or behind it, and has no place of its own.
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
            else:  # spaces at the end of a line have glyphs or none
                end = line.start + utf16_length(text.rstrip(" "))
                item = _MixedItem(start, end, start_x, math.nan if text.endswith(" ") else end_x, backwards)
            self._mixed.append(item)

    def extents(
        self, starts: NDArray[np.integer], ends: NDArray[np.integer]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """Left and right edge of the text between positions that count UTF-16 units from the start of the paragraph,
        in pixels from where the line begins, float64[n] each; and where that is known, bool[n]. It is not known of what
        has no glyph, or some of it, as spaces at the end of a line. Nor is it of what is in several places, or may
        be."""
        first, last = self._characters.searchsorted(starts), self._characters.searchsorted(ends)
        known = (first < last) & (self._without[starts - self._start] == self._without[ends - self._start])
        known[known] = self._runs[first[known]] == self._runs[last[known] - 1]
        left, right = np.zeros(len(known)), np.zeros(len(known))
        if known.any():
            # Pairs of bounds, one behind the other: what is between two tokens is looked at, too, and left out.
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
        """Where the characters of a stretch begin, or those before them end. Nothing if its carets tell nothing: where
        a line was wrapped at a space that runs against its paragraph they are beside the text, and before a letter of
        several characters they may be at the other end of the stretch."""
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
        """Whether the first one is where the first character ends."""
        second = self._layout.nextCursorPosition(item.start)
        first = [run.boundingRect() for run in self._line.glyphRuns(item.start, second - item.start)]
        edge = min(rect.left() for rect in first) if item.backwards else max(rect.right() for rect in first)
        return abs(self._caret(second) - edge) < TOLERANCE

    def _caret(self, position: int) -> float:
        return cast("tuple[float, int]", self._line.cursorToX(position))[0]


def _items(line: VisibleLine) -> Iterator[tuple[QRectF, list[QGlyphRun]]]:
    """What Qt shaped in one go, and the glyphs of each font in it: these all are told to be as wide as the whole."""
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
