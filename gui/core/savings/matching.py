"""Searches a text stretch by stretch: one search through ten megabytes would keep all other threads waiting until its
end, some for half a second."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.still_wanted import while_wanted

STRETCH = 1 << 17
"""Characters that are searched at once."""

LINE_END = re.compile("\n")
BEFORE_WORDS = re.compile(r"\n(?=[^ \t\r\n])")
"""A line end behind which a line with something in it begins, not indented."""


def matches(
    pattern: re.Pattern[str], text: str, cut: re.Pattern[str] = LINE_END, start: int = 0, stop: int | None = None
) -> Iterator[re.Match[str]]:
    """As ``pattern.finditer(text, start, stop)``.

    ``cut``: behind whose matches a stretch may end. No match of the pattern goes on behind one, nor looks there.
    """
    for first, behind in while_wanted(stretches(text, cut, start, len(text) if stop is None else stop), every=1):
        yield from pattern.finditer(text, first, behind)


def first_match(pattern: re.Pattern[str], text: str, start: int, stop: int) -> re.Match[str] | None:
    """As ``pattern.search(text, start, stop)``, for one that looks at one line only.

    Whole lines of one stretch come first: to look for the end of a long line behind them each time that somebody asks
    for the next match before it would take minutes.
    """
    behind = text.rfind("\n", start, min(start + STRETCH, stop)) + 1
    if behind and (found := pattern.search(text, start, behind)) is not None:
        return found
    return next(matches(pattern, text, start=behind or start, stop=stop), None)


def stretches(text: str, cut: re.Pattern[str], start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Where the stretches begin and end."""
    while start < stop:
        found = cut.search(text, min(start + STRETCH, stop), stop)
        end = stop if found is None else found.end()
        yield start, end
        start = end
