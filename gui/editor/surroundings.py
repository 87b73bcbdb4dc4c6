"""What the measures of a line of the screen follow from besides the line itself."""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import bidirectional

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
