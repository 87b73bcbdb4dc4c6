"""Keeps the tokens in step with the text: follows edits at once, and rebases late answers onto newer edits. No Qt.

To copy three million tokens into arrays of one's own takes the GUI thread tens of milliseconds, most of them for memory
that nobody has touched yet. So a worker makes these arrays (``PreparedPatch``), and the editor takes them over.

What was edited while the tokens of a whole big text were computed, they follow bit by bit (``DeferredPatch``): to
rebase five million tokens onto those edits at once takes a third of a second, and nobody sees these arrays yet.

The tokens of an edit arrive a little later, when more may have been typed. Edits are therefore kept until a patch of
their revision, or of a later one, has come; an older patch is rebased onto them before it is put in (``rebase``).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from time import monotonic
from typing import TYPE_CHECKING

from engine.types import TokenPatch
from gui.editor.offsets import utf16_length

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.types import TextEdit, TokenPatch
    from gui.editor.token_spans import TokenSpans

MANY_TOKENS = 1 << 16
"""From so many on the arrays are made beforehand."""

ROOM = 1 << 16
"""For tokens of edits to come. More would be memory that nobody touched before the first edit far from the last one."""


@dataclass(frozen=True, slots=True)
class PreparedPatch(TokenPatch):
    """A patch of a whole text with ``spans``, the same tokens; they are empty once an editor took them over."""

    spans: TokenSpans


def prepared_patch(patch: TokenPatch) -> TokenPatch:
    """A patch of a whole text, ready to be shown: itself where there are few tokens. For a worker thread."""
    count = len(patch.ids)
    if count < MANY_TOKENS:
        return patch
    from gui.editor.token_spans import TokenSpans

    length = patch.utf16_new_end
    spans = TokenSpans(length)
    spans.make_room(count + ROOM)
    spans.apply(0, length, patch.utf16_ends, patch.ids, patch.continues)
    spans.move_gap(0)  # a text that was just opened is edited at its start first
    return PreparedPatch(*(getattr(patch, field.name) for field in fields(patch)), spans)


TURN_SECONDS = 0.008
"""How long edits are followed before keys and painting have their turn."""


class DeferredPatch:
    """A patch on its way to the text as it is. ``behind``: those of later revisions, with these, that wait for it."""

    def __init__(self, revision: int, patch: PreparedPatch, edits: Iterable[tuple[int, int, int]]) -> None:
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
        self._late: DeferredPatch | None = None

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

        None if they are not counted yet: then the first patch is one of the whole text, and ``set_length``
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
        if self._late is not None and not isinstance(patch, PreparedPatch):
            self._late.behind.append((revision, patch))
            return None
        if not max(self._oldest, self._answered) <= revision <= self._revision:
            return None
        while self._edits and self._edits[0][0] <= revision:
            self._edits.popleft()
        if isinstance(patch, PreparedPatch) and self._edits:
            self._late = DeferredPatch(revision, patch, _joined(self._edits))
            return self.catch_up()
        start, end, ends, ids = patch.utf16_start, patch.utf16_new_end, patch.utf16_ends, patch.ids
        continues = patch.continues
        if self._edits:
            from gui.editor.rebase import TokenSlice, rebase

            start, end, ends, ids, continues = rebase(
                TokenSlice(start, end, ends, ids, continues), _joined(self._edits)
            )
        ready = patch.spans if isinstance(patch, PreparedPatch) else None
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
