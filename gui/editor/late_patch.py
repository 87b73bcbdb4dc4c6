"""Brings the tokens of a whole big text up to date with what was edited while they were computed. No Qt.

They come in arrays of their own, which nobody sees yet. So they follow those edits bit by bit: to carry five million
tokens over them at once takes a third of a second.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from time import monotonic
from typing import TYPE_CHECKING

from gui.editor.ready_patch import ReadyPatch

if TYPE_CHECKING:
    from engine.types import TokenPatch
    from gui.editor.token_spans import TokenSpans

TURN_SECONDS = 0.008
"""How long edits are followed before keys and painting have their turn."""


class LatePatch:
    """A patch on its way to the text as it is. ``behind``: those of later revisions, with these, that wait for it."""

    def __init__(self, revision: int, patch: ReadyPatch, edits: Iterable[tuple[int, int, int]]) -> None:
        """``edits``: start, removed, added in UTF-16 units, of all revisions since."""
        self.revision = revision
        self.behind: list[tuple[int, TokenPatch]] = []
        self.spans: TokenSpans = patch.spans
        self._edits = deque(edits)

    def edit(self, start: int, removed: int, added: int) -> None:
        """The text was edited again."""
        self._edits.append((start, removed, added))

    def advance(self) -> bool:
        """Follow edits for a moment. Whether all are followed."""
        until = monotonic() + TURN_SECONDS
        while self._edits:
            self.spans.edit(*self._edits.popleft())
            if monotonic() > until:
                break
        return not self._edits
