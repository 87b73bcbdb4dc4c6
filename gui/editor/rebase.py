"""Rebasing of tokens that were computed for an older text onto later edits. No Qt.

A text of ten megabytes has two million tokens, and replacing all matches makes a thousand edits: moving all tokens at
each edit would take seconds. So the tokens after an edit are moved by one shared number, and each edit costs only the
distance from the previous one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray


class TokenSlice(NamedTuple):
    """New tokens for the text from ``start`` to ``end``: ``ends`` int32[n], ``ids`` int32[n], ``continues`` bool[n]."""

    start: int
    end: int
    ends: NDArray[np.int32]
    ids: NDArray[np.int32]
    continues: NDArray[np.bool_]


def rebase_once(stretch: TokenSlice, start: int, removed: int, added: int) -> TokenSlice:
    """Rebase a slice onto a later edit. Bounds move exactly as in ``TokenSpans.edit``.

    Text inserted at the start of the slice belongs to the token before it, text inserted at its end to its last token.
    """

    def moved(offset: int) -> int:
        return offset if offset < start else max(offset - removed, start) + added

    if start >= stretch.end + (1 if len(stretch.ends) else 0):
        return stretch
    new_start = moved(stretch.start) if stretch.start else 0
    if not removed:  # all tokens stay; a large paste inserts each slice after the last
        ends = stretch.ends.copy()
        ends[ends.searchsorted(np.int32(start), "left") :] += added
        return TokenSlice(new_start, moved(stretch.end), ends, stretch.ids, stretch.continues)
    ends = np.where(stretch.ends < start, stretch.ends, np.maximum(stretch.ends - removed, start) + added)
    ends = ends.astype(np.int32)
    before = np.diff(stretch.ends, prepend=np.int32(stretch.start))
    after = np.diff(ends, prepend=np.int32(new_start))
    # A token without width is removed with its character.
    keep = (after > 0) | ((before == 0) & ((stretch.ends <= start) | (stretch.ends > start + removed)))
    return TokenSlice(new_start, moved(stretch.end), ends[keep], stretch.ids[keep], stretch.continues[keep])


def rebase(stretch: TokenSlice, edits: Iterable[tuple[int, int, int]]) -> TokenSlice:
    """Rebase a slice onto successive edits (start, removed, added), each as in ``rebase_once``."""
    edits = list(edits)
    if len(edits) == 1:
        return rebase_once(stretch, *edits[0])
    if not edits:
        return stretch
    moving = _Moving(stretch)
    for start, removed, added in edits:
        moving.edit(start, removed, added)
    return moving.stretch()


class _Moving:
    """A slice being rebased. ``_ends``: ends of all its tokens, including removed ones, which have no width; absolute
    before the seam, and less ``_shift`` after it. All tokens before ``_front`` are removed and no longer updated."""

    def __init__(self, stretch: TokenSlice) -> None:
        self._of = stretch
        self._start, self._end = stretch.start, stretch.end
        self._ends = stretch.ends.copy()
        self._keep = np.ones(len(self._ends), dtype=bool)
        self._kept = len(self._ends)
        self._seam = len(self._ends)
        self._front = self._shift = 0

    def edit(self, start: int, removed: int, added: int) -> None:
        """Apply an edit."""
        if start >= self._end + (1 if self._kept else 0):
            return
        first, behind = self._first(start, "left"), self._first(start + removed, "right")

        def moved(offset: int) -> int:
            return offset if offset < start else max(offset - removed, start) + added

        new_start = moved(self._start) if self._start else 0
        self._move_seam(behind)
        if first < behind:
            if removed:
                self._drop(first, behind, start, added)
            self._ends[first:behind] = start + added
        self._shift += added - removed
        self._start, self._end = new_start, moved(self._end)

    def _drop(self, first: int, behind: int, start: int, added: int) -> None:
        """Remove tokens that end in removed text and lose all their width. Only the first of them can keep some: if it
        begins before the edit, or receives text inserted at the start of the text."""
        in_front = first == self._front
        begins = self._start if in_front else self._ends.item(first - 1)
        # Tokens after the first that end at the edit had no width before, and stay.
        self._forget(max(self._first(start, "right"), first + 1), behind)
        had_none = begins == start == self._ends.item(first)
        if not (begins < start or had_none or (in_front and not self._start and added > 0)):
            self._forget(first, first + 1)
        if in_front:
            left = self._keep[first:behind]
            self._front += int(left.argmax()) if left.any() else len(left)

    def _forget(self, first: int, behind: int) -> None:
        self._kept -= int(np.count_nonzero(self._keep[first:behind]))
        self._keep[first:behind] = False

    def _first(self, offset: int, side: Literal["left", "right"]) -> int:
        """Return the first token that ends at or after ``offset``; after it only with ``right``."""
        index = self._front + int(self._ends[self._front : self._seam].searchsorted(np.int32(offset), side))
        if index == self._seam:
            index += int(self._ends[self._seam :].searchsorted(np.int32(offset - self._shift), side))
        return index

    def _move_seam(self, index: int) -> None:
        self._ends[self._seam : index] += np.int32(self._shift)
        self._ends[index : self._seam] -= np.int32(self._shift)
        self._seam = index

    def stretch(self) -> TokenSlice:
        """Return the rebased slice."""
        self._move_seam(len(self._ends))
        keep = self._keep
        return TokenSlice(self._start, self._end, self._ends[keep], self._of.ids[keep], self._of.continues[keep])
