"""Where the glyphs of a line of the screen are: of text that runs both ways they know it, and carets do not."""

from __future__ import annotations

import re
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QTextLayout

from gui.editor.visible_lines import VisibleLine

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


class LineGlyphs:
    """Of one line of which each character has one, all asked for at once: to ask for those of each token takes ten
    times as long."""

    def __init__(self, line: VisibleLine, text: str) -> None:
        """``text``: what is on the line, not its whole paragraph, which may be fifty times as long."""
        characters: list[int] = []
        lefts: list[float] = []
        rights: list[float] = []
        runs: list[int] = []
        for number, run in enumerate(line.line.glyphRuns(line.start, line.length, _WANTED)):
            # As they are read. A mark may hang over what comes before or behind it, and has no place of its own.
            xs, end = [place.x() for place in run.positions()], run.boundingRect().right()
            backwards = run.isRightToLeft()
            places = list(accumulate(xs, min if backwards else max))
            characters += run.stringIndexes()
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

    def extents(
        self, starts: NDArray[np.integer], ends: NDArray[np.integer]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """Left and right edge of the text between positions that count UTF-16 units from the start of the paragraph,
        in pixels from where the line begins, float64[n] each; and where that is known, bool[n]. It is not known of what
        has no glyph, or some of it: of a space between words that are read from right to left Qt 6.11 may tell none.
        Nor is it of what is in several places, or may be."""
        first, last = self._characters.searchsorted(starts), self._characters.searchsorted(ends)
        known = (first < last) & (self._without[starts - self._start] == self._without[ends - self._start])
        known[known] = self._runs[first[known]] == self._runs[last[known] - 1]
        left, right = np.zeros(len(known)), np.zeros(len(known))
        if known.any():
            # Pairs of bounds, one behind the other: what is between two tokens is looked at, too, and left out.
            bounds = np.stack([first[known], last[known]], 1).ravel()
            left[known] = np.minimum.reduceat(np.append(self._lefts, np.inf), bounds)[::2]
            right[known] = np.maximum.reduceat(np.append(self._rights, -np.inf), bounds)[::2]
        return left, right, known
