"""Keeps the tokens in step with the text: follows edits at once, and carries late answers over newer edits. No Qt.

The tokens of an edit arrive a little later, when more may have been typed. Edits are therefore kept until a patch of
their revision, or of a later one, has come; an older patch is moved over them before it is put in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from gui.editor.late_patch import LatePatch
from gui.editor.offsets import utf16_length
from gui.editor.ready_patch import ReadyPatch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.types import TextEdit, TokenPatch
    from gui.editor.token_spans import TokenSpans

_UNITS_OF_A_TOKEN = 2  # at least, in most texts; room that is never used costs nothing
_MOST_EDITS = 20_000  # kept for patches to come; nobody answers that late


class TokenTracker:
    """The tokens of a text that changes, None until the first patch."""

    def __init__(self) -> None:
        self.spans: TokenSpans | None = None
        self._length: int | None = 0
        self._revision = 0
        self._answered = 0
        self._oldest = 0  # patches of older revisions cannot be placed any more
        self._edits: deque[tuple[int, int, int, int]] = deque()
        self._late: LatePatch | None = None

    @property
    def is_catching_up(self) -> bool:
        """Whether tokens have come that ``catch_up`` has yet to carry over edits."""
        return self._late is not None

    @property
    def stale(self) -> bool:
        """Whether there are tokens, and the text has changed since the revision they were computed for."""
        return self.spans is not None and self._answered < self._revision

    def replace_text(self, revision: int, length: int | None) -> None:
        """The whole text is another one, of ``length`` UTF-16 units.

        None where nobody has counted them yet: then the first patch is one of the whole text, and ``set_length``
        follows before any edit.
        """
        self._revision = self._oldest = revision
        self._length = length
        self._edits.clear()
        self.clear()

    def set_length(self, length: int) -> None:
        """The text, of unknown length so far, has ``length`` UTF-16 units. Tokens of another length are forgotten."""
        if self._length != length:
            self._length = length
            self.clear()

    def clear(self) -> None:
        """Forget the tokens, not the text."""
        self._late = None
        if self._length is None:
            self.spans = None
        elif self.spans is not None:
            self.spans.clear(self._length)

    def expect_units(self, more: int) -> None:
        """Make room for the tokens of a text that is about to grow by so many UTF-16 units, edit by edit."""
        if self.spans is not None:
            self.spans.make_room(more // _UNITS_OF_A_TOKEN)

    def edit(self, revision: int, edits: Sequence[TextEdit]) -> tuple[int, int] | None:
        """Follow edits; returns the stretch of the text whose tokens look different."""
        self._revision = revision
        dirty: tuple[int, int] | None = None
        for edit in edits:
            start, removed, added = edit.utf16_start, edit.utf16_removed, utf16_length(edit.inserted)
            self._edits.append((revision, start, removed, added))
            if self._late is not None:
                self._late.edit(start, removed, added)
            if self._length is not None:
                self._length += added - removed
            if self.spans is not None:
                dirty = _both(dirty, self.spans.edit(start, removed, added))
        while len(self._edits) > _MOST_EDITS:
            self._oldest = self._edits.popleft()[0]
        return dirty

    def apply(self, revision: int, patch: TokenPatch) -> tuple[int, int] | None:
        """Put in the tokens of ``patch``, which was computed for ``revision``.

        Returns the stretch that looks different, None if nothing does or the patch cannot be placed: one of a text
        that is gone, of a time too long ago, or older than what was put in before. That of a whole big text may need
        ``catch_up`` before it is in, and patches that come meanwhile are put in behind it.
        """
        if self._late is not None and not isinstance(patch, ReadyPatch):
            self._late.behind.append((revision, patch))
            return None
        if not max(self._oldest, self._answered) <= revision <= self._revision:
            return None
        while self._edits and self._edits[0][0] <= revision:
            self._edits.popleft()
        if isinstance(patch, ReadyPatch) and self._edits:
            self._late = LatePatch(revision, patch, _joined(self._edits))
            return self.catch_up()
        start, end, ends, ids = patch.utf16_start, patch.utf16_new_end, patch.utf16_ends, patch.ids
        continues = patch.continues
        if self._edits:
            from gui.editor.carrying import Stretch, carried

            start, end, ends, ids, continues = carried(Stretch(start, end, ends, ids, continues), _joined(self._edits))
        ready = patch.spans if isinstance(patch, ReadyPatch) else None
        return self._put_in(revision, start, end, (ends, ids, continues), ready)

    def catch_up(self) -> tuple[int, int] | None:
        """Go on with what is late for a moment; nobody sees it before it is in. Returns what ``apply`` does."""
        late = self._late
        if late is None or not late.advance():
            return None
        from gui.editor.token_spans import CONTINUES

        self._late = None
        spans = late.spans
        spans.move_gap(len(spans))  # in place; with it in the middle, all columns of millions of tokens are copied
        tokens = spans.slice(0, len(spans))
        columns = tokens.ends, tokens.ids, (tokens.flags & CONTINUES).view(bool)
        dirty = self._put_in(late.revision, 0, spans.length, columns, spans)
        for revision, patch in late.behind:
            dirty = _both(dirty, self.apply(revision, patch))
        return dirty

    def ensure(self) -> TokenSpans:
        """The tokens; a text without any yet is one uncovered stretch."""
        if self.spans is None:
            from gui.editor.token_spans import TokenSpans

            self.spans = TokenSpans(self._length or 0)
        return self.spans

    def _put_in(
        self,
        revision: int,
        start: int,
        end: int,
        columns: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]],
        ready: TokenSpans | None,
    ) -> tuple[int, int] | None:
        """Put in tokens (ends, ids, which continue a character) of the text as it is, if they fit."""
        if start < end and not len(columns[0]):
            columns = _uncovered(end)
        if not self._fits(start, end, columns[0]):
            return None
        self._late = None
        self._answered = revision
        return self.ensure().apply(start, end, *columns, ready)

    def _fits(self, start: int, end: int, ends: NDArray[np.int32]) -> bool:
        if self._length is None and start == 0:
            self._length = end
        if self._length is None or not 0 <= start <= end <= self._length:
            return False
        return int(ends[-1]) == end if len(ends) else start == end


def _uncovered(end: int) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]]:
    """A stretch of which an encoding that changes texts leaves nothing, and makes no token."""
    import numpy as np

    from gui.editor.token_spans import NO_TOKEN

    return np.array([end], np.int32), np.array([NO_TOKEN], np.int32), np.zeros(1, np.bool_)


def _both(one: tuple[int, int] | None, other: tuple[int, int] | None) -> tuple[int, int] | None:
    """The stretch from the first to the last of two."""
    if one is None or other is None:
        return one or other
    return min(one[0], other[0]), max(one[1], other[1])


def _joined(edits: Iterable[tuple[int, int, int, int]]) -> Iterator[tuple[int, int, int]]:
    """Edits (start, removed, added) without their revisions, insertions that continue each other made into one.

    A big paste arrives in dozens of slices; carrying a million tokens over each of them alone would take a tenth of a
    second.
    """
    pending: tuple[int, int, int] | None = None
    for _revision, start, removed, added in edits:
        if pending is not None and pending[1] == removed == 0 and start == pending[0] + pending[2]:
            pending = (pending[0], pending[1], pending[2] + added)
            continue
        if pending is not None:
            yield pending
        pending = (start, removed, added)
    if pending is not None:
        yield pending
