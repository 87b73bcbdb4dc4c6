"""Marks for invisible characters: spaces, tabs, and characters that reorder or hide text.

Characters that change text direction, have no width or control something cost tokens, and can make a text mean
something else to a model than to its reader: "Trojan Source" (Boucher and Anderson, 2021) hides code behind direction
marks, and tags (U+E0020 to U+E007F) spell whole sentences that no font draws. The line below the prompt names the
character at the caret.

Joiners (U+200C, U+200D) and variation selectors are not marked: they are parts of words and emoji.

Qt can mark spaces and tabs, too, but it then makes each space a separate item of its line and queries its colours and
font: a window full of spaces takes 160 milliseconds to paint, here 30.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter

from gui.editor.offsets import utf16_length
from gui.editor.token_geometry import LineRuler, MeasuredLines
from gui.editor.token_rows import Rectangles, column_line
from gui.editor.visible_lines import LINE_GAP, VisibleLine

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


def unseen_places(line: VisibleLine) -> list[int]:
    """Return the positions of invisible characters on a line, in UTF-16 units from the start of its paragraph."""
    if line.preedit or line.text.isprintable():
        return []
    units = line.text.encode("utf-16-le", "replace")[2 * line.start : 2 * (line.start + line.length)]
    text = units.decode("utf-16-le", "replace")
    found: list[int] = []
    place = line.start
    for start in range(0, len(text), _CHUNK):
        chunk = text[start : start + _CHUNK]
        if not chunk.isprintable():
            found += _invisible_in(chunk, place)
            if len(found) >= MAX_ON_A_LINE:
                break
        place += utf16_length(chunk)
    return found[:MAX_ON_A_LINE]


def _invisible_in(text: str, place: int) -> Iterator[int]:
    for character in text:
        if not character.isprintable() and _is_invisible(character):
            yield place
        place += 1 + (character > "\uffff")


def _is_invisible(character: str) -> bool:
    return character not in _DRAWN and unicodedata.category(character) in _CATEGORIES


def invisible_marks(lines: list[VisibleLine]) -> list[QRectF]:
    """Return the marks: a pole before each invisible character, with a flag at its top."""
    rects: list[QRectF] = []
    for line in lines:
        places = unseen_places(line)
        if not places:
            continue
        ruler = LineRuler(line)
        for place in places:
            x = round(ruler.x(place))
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


_NO_SIGNS = _Signs(np.empty(0), [])


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
    for place in np.flatnonzero(~known).tolist():
        left[place], right[place] = ruler.spans(int(starts[place]), int(ends[place]))[0]
    within = spaces - np.repeat(starts, counts) + 0.5
    dots = np.repeat(left, counts) + within * np.repeat((right - left) / counts, counts)
    others: list[tuple[float, float, str]] = []
    for unit, sign in ((_TAB, TAB_SIGN), (_NO_BREAK, NO_BREAK_SIGN)):
        for place in (np.flatnonzero(units == unit) + low).tolist():
            others.append((*ruler.spans(place, place + 1)[0], sign))
    return _Signs(dots, others)
