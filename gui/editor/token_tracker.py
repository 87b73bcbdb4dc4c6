"""Tokens kept in step with the text: follows edits at once, and rebases late patches onto newer edits. No Qt.

Copying three million tokens into new arrays takes the GUI thread tens of milliseconds, mostly for untouched memory. So
a worker prepares these arrays (``PreparedPatch``), and the editor takes them over.

Edits made while a whole large text is tokenized are applied to its patch incrementally (``DeferredPatch``): rebasing
five million tokens onto them at once takes a third of a second, and these arrays are not visible yet.

The tokens of an edit arrive later, after further edits perhaps. So edits are kept until a patch of their revision, or a
later one, has arrived; an older patch is rebased onto them before it is applied (``rebase``).
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
"""Number of tokens from which the arrays are prepared by a worker."""

SPARE_TOKENS = 1 << 16
"""Number of tokens of later edits for which memory is reserved. More would be untouched memory, to be allocated by the
first distant edit."""


@dataclass(frozen=True, slots=True)
class PreparedPatch(TokenPatch):
    """A patch of a whole text with ``spans``, the same tokens; empty once an editor took them over."""

    spans: TokenSpans


def prepared_patch(patch: TokenPatch) -> TokenPatch:
    """Return a patch of a whole text prepared for display; unchanged if it has few tokens. For a worker thread."""
    count = len(patch.ids)
    if count < MANY_TOKENS:
        return patch
    from gui.editor.token_spans import TokenSpans

    length = patch.utf16_new_end
    spans = TokenSpans(length)
    spans.make_room(count + SPARE_TOKENS)
    spans.apply(0, length, patch.utf16_ends, patch.ids, patch.continues)
    spans.move_gap(0)  # a newly opened text is first edited at its start
    return PreparedPatch(*(getattr(patch, field.name) for field in fields(patch)), spans)


TURN_SECONDS = 0.008
"""Time for applying edits before events are handled, in seconds."""


class DeferredPatch:
    """A patch being rebased incrementally. ``behind``: later patches, with their revisions, that wait for it."""

    def __init__(self, revision: int, patch: PreparedPatch, edits: Iterable[tuple[int, int, int]]) -> None:
        """``edits``: start, removed, added in UTF-16 units, of all later revisions."""
        self.revision = revision
        self.behind: list[tuple[int, TokenPatch]] = []
        self.spans: TokenSpans = patch.spans
        self._edits = deque(edits)

    def edit(self, start: int, removed: int, added: int) -> None:
        """Queue another edit."""
        self._edits.append((start, removed, added))

    def advance(self) -> bool:
        """Apply edits for a moment; return True if all are applied."""
        until = monotonic() + TURN_SECONDS
        while self._edits:
            self.spans.edit(*self._edits.popleft())
            if monotonic() > until:
                break
        return not self._edits


_UNITS_OF_A_TOKEN = 2  # minimum in most texts; unused room costs nothing
_MAX_EDITS = 20_000  # maximum number of edits kept for late patches


class TokenTracker:
    """The tokens of a changing text; ``spans`` is None until the first patch."""

    def __init__(self) -> None:
        self.spans: TokenSpans | None = None
        self._length: int | None = 0
        self._revision = 0
        self._answered = 0
        self._oldest = 0  # patches of older revisions can no longer be applied
        self._edits: deque[tuple[int, int, int, int]] = deque()
        self._late: DeferredPatch | None = None

    @property
    def is_catching_up(self) -> bool:
        """True if ``catch_up`` has to rebase tokens that have arrived."""
        return self._late is not None

    @property
    def stale(self) -> bool:
        """True if there are tokens, and the text has changed since the revision they were computed for."""
        return self.spans is not None and self._answered < self._revision

    def replace_text(self, revision: int, length: int | None) -> None:
        """Replace the whole text by one of ``length`` UTF-16 units.

        None if not counted yet: then the first patch covers the whole text, and ``set_length`` is called before any
        edit.
        """
        self._revision = self._oldest = revision
        self._length = length
        self._edits.clear()
        self.clear()

    def set_length(self, length: int) -> None:
        """Set the length of a text whose length was unknown, in UTF-16 units. Drops tokens of another length."""
        if self._length != length:
            self._length = length
            self.clear()

    def clear(self) -> None:
        """Drop the tokens, not the text."""
        self._late = None
        if self._length is None:
            self.spans = None
        elif self.spans is not None:
            self.spans.clear(self._length)

    def expect_units(self, more: int) -> None:
        """Reserve room for the tokens of a text about to grow by this many UTF-16 units, in many edits."""
        if self.spans is not None:
            self.spans.make_room(more // _UNITS_OF_A_TOKEN)

    def edit(self, revision: int, edits: Sequence[TextEdit]) -> tuple[int, int] | None:
        """Apply edits; return the span of the text whose tokens look different."""
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
        while len(self._edits) > _MAX_EDITS:
            self._oldest = self._edits.popleft()[0]
        return dirty

    def apply(self, revision: int, patch: TokenPatch) -> tuple[int, int] | None:
        """Apply ``patch``, which was computed for ``revision``.

        Returns the span that looks different; None if nothing does, or if the patch cannot be applied: of a replaced
        text, of too old a revision, or older than the last applied one. A patch of a whole large text may need
        ``catch_up`` first, and later patches are applied after it.
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
            from gui.editor.token_spans import TokenSlice, rebase

            start, end, ends, ids, continues = rebase(
                TokenSlice(start, end, ends, ids, continues), _joined(self._edits)
            )
        ready = patch.spans if isinstance(patch, PreparedPatch) else None
        return self._put_in(revision, start, end, (ends, ids, continues), ready)

    def catch_up(self) -> tuple[int, int] | None:
        """Continue rebasing a deferred patch, not yet visible, for a moment. Returns like ``apply``."""
        late = self._late
        if late is None or not late.advance():
            return None
        from gui.editor.token_spans import CONTINUES

        self._late = None
        spans = late.spans
        spans.move_gap(len(spans))  # contiguous: a gap in the middle would copy all columns of millions of tokens
        tokens = spans.slice(0, len(spans))
        columns = tokens.ends, tokens.ids, (tokens.flags & CONTINUES).view(bool)
        dirty = self._put_in(late.revision, 0, spans.length, columns, spans)
        for revision, patch in late.behind:
            dirty = _both(dirty, self.apply(revision, patch))
        return dirty

    def ensure(self) -> TokenSpans:
        """Return the tokens; without any, the text is one uncovered span."""
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
        """Apply tokens (ends, IDs, continuation flags) of the current text, if they fit."""
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
    """Return one uncovered span, for text that a normalizing encoding removes completely."""
    import numpy as np

    from gui.editor.token_spans import NO_TOKEN

    return np.array([end], np.int32), np.array([NO_TOKEN], np.int32), np.zeros(1, np.bool_)


def _both(one: tuple[int, int] | None, other: tuple[int, int] | None) -> tuple[int, int] | None:
    """Return the span that covers both."""
    if one is None or other is None:
        return one or other
    return min(one[0], other[0]), max(one[1], other[1])


def _joined(edits: Iterable[tuple[int, int, int, int]]) -> Iterator[tuple[int, int, int]]:
    """Yield edits (start, removed, added) without revisions, merging consecutive insertions.

    A large paste arrives in dozens of slices; rebasing a million tokens onto each would take a tenth of a second.
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
