"""Where on the screen the frame of the current token may be: what is to be painted again when it moves. No Qt in here.

Only parts of the screen are painted after an edit, with the current token of that moment. A frame painted before may
then still stand elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.types import TextEdit

Bounds = tuple[int, int]
"""Where a token starts and ends, in UTF-16 units of the logical text."""


class CurrentFrame:
    """The frame that is on the screen as a whole, and those of which a part was painted since."""

    def __init__(self) -> None:
        self._whole: Bounds | None = None
        self._parts: list[Bounds] = []

    def paint(self, bounds: Bounds | None) -> None:
        """Some of the screen is painted now, with the frame around these bounds if it is in that part."""
        if bounds is not None and bounds != self._whole and bounds not in self._parts:
            self._parts.append(bounds)

    def move(self, edits: Sequence[TextEdit]) -> None:
        """The text was edited; bounds move as those of the tokens do."""
        for edit in edits:
            start, removed, inserted = edit.utf16_start, edit.utf16_removed, edit.inserted
            added = len(inserted) if inserted.isascii() else len(inserted.encode("utf-16-le")) // 2
            if self._whole is not None:
                self._whole = _moved(self._whole, start, removed, added)
            self._parts = [_moved(bounds, start, removed, added) for bounds in self._parts]

    def settle(self, bounds: Bounds | None) -> list[Bounds]:
        """The frame belongs around these bounds. Returns what to paint again for that, in order; then it is so."""
        places = {*self._parts, self._whole, bounds} - {None}
        if self._whole == bounds:
            places.discard(bounds)
        self._whole, self._parts = bounds, []
        return sorted(places)


def _moved(bounds: Bounds, start: int, removed: int, added: int) -> Bounds:
    low, high = (at if at < start else max(at - removed, start) + added for at in bounds)
    return (0 if bounds[0] == 0 else low), high
