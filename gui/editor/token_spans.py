"""Tokens of the editor's text: their ends, IDs and colours, and their rebasing onto later edits. No Qt in here.

Tokens tile the text, so ends suffice; a token starts at the end of the previous one. The arrays have a gap at the last
edit: ends left of it are relative to the start of the text, those right of it to its end (and negative or zero). Typing
a character then moves two million tokens by changing one number.

Between an edit and the patch for it, the touched tokens are stale: their bounds follow the text, their IDs are old. All
offsets are UTF-16 units of the logical text.

Tokens that arrive late were computed for an older text, and are rebased onto the edits made since. A text of ten
megabytes has two million tokens, and replacing all matches makes a thousand edits: moving all tokens at each edit would
take seconds. So the tokens after an edit are moved by one shared number, and each edit costs only the distance from the
previous one.

This module imports numpy, so the editor imports it with the first patch, not at startup.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gui.editor.offsets import TokenSpan

CONTINUES = 1
STALE = 2
NO_COLOUR = 3
"""Colour of text not covered by any patch yet; 0 to 2 are fills of a palette."""
NO_TOKEN = -1
"""ID of such text."""

_OWN_SPAN = 64  # minimum length at which inserted text becomes a span of its own; otherwise its left neighbour grows
_SLACK = 4096
_FEW = 64
_MANY = 1 << 16
_ZERO = np.zeros(1, np.int32)
_FRESH = ~np.uint8(STALE)
_ONLY_CONTINUES = bytes(flags & CONTINUES for flags in range(256))


class SpanSlice(NamedTuple):
    """A slice of tokens as parallel arrays: absolute ``starts`` and ``ends`` int32, ``ids`` int32, ``colours`` and
    ``flags`` uint8. ``first``: index of its first token."""

    first: int
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    ids: NDArray[np.int32]
    colours: NDArray[np.uint8]
    flags: NDArray[np.uint8]


class Fills(NamedTuple):
    """A slice of tokens: ``bounds`` int32[n + 1], their starts and the last end, ``colours`` uint8[n]. ``first``: index
    of its first token."""

    first: int
    bounds: NDArray[np.int32]
    colours: NDArray[np.uint8]


class TokenSpans:
    """The tokens of a text, kept in step with its edits."""

    def __init__(self, length: int = 0) -> None:
        self.clear(length)

    def clear(self, length: int) -> None:
        """Drop all tokens; the text is ``length`` units long and not covered."""
        capacity = _SLACK
        self._ends = np.zeros(capacity, np.int32)
        self._ids = np.zeros(capacity, np.int32)
        self._colours = np.zeros(capacity, np.uint8)
        self._flags = np.zeros(capacity, np.uint8)
        self._left = 0
        self._right = capacity
        self._length = length
        if length:
            self._push(length, NO_TOKEN, NO_COLOUR, STALE)

    @property
    def length(self) -> int:
        """Length of the text."""
        return self._length

    def __len__(self) -> int:
        """Number of tokens, including stale ones and uncovered spans."""
        return self._left + len(self._ends) - self._right

    @property
    def token_count(self) -> int:
        """Number of tokens, without spans not covered by any patch yet."""
        sides = self._ids[: self._left], self._ids[self._right :]
        return sum(len(ids) - int((ids == NO_TOKEN).sum()) for ids in sides)

    # Looking up

    def count_ending(self, offset: int, *, before: bool = False) -> int:
        """Return the number of tokens that end at or before ``offset`` (strictly before, if requested).

        The next token contains the character after ``offset``.
        """
        side = "left" if before else "right"
        # numpy keys: for a Python int, searchsorted would convert the whole array on every call.
        index = int(self._ends[: self._left].searchsorted(np.int32(offset), side))
        if index == self._left:
            index += int(self._ends[self._right :].searchsorted(np.int32(offset - self._length), side))
        return index

    def index_at(self, offset: int) -> int:
        """Return the index of the token with the character after ``offset``; at the end of the text, of the last token.

        -1 if no patch has covered the text yet.
        """
        index = min(self.count_ending(offset), len(self) - 1)
        return index if index >= 0 and self._id(index) != NO_TOKEN else -1

    def touching(self, start: int, end: int) -> int:
        """Return the number of tokens that hold text between ``start`` and ``end``."""
        if end <= start:
            return 0
        first = self.count_ending(start)
        last = self.count_ending(end, before=True)
        after = min(last + 1, len(self))
        # Tokens without width after it belong to the last character.
        after = max(after, self.count_ending(end))
        return after - first

    def start_of(self, index: int) -> int:
        """Return the start of a token."""
        return self.end_of(index - 1) if index else 0

    def end_of(self, index: int) -> int:
        """Return the end of a token."""
        if index < self._left:
            return int(self._ends[index])
        return int(self._ends[index + self._right - self._left]) + self._length

    def span(self, index: int) -> TokenSpan:
        """Return a token with the tokens that share a character with it. Raises IndexError outside 0 to ``len``."""
        if not 0 <= index < len(self):
            raise IndexError(f"token {index} of {len(self)}")
        first, last = index, index
        while first > 0 and self._flag(first) & CONTINUES:
            first -= 1
            if self.start_of(first) != self.end_of(first):
                break
        while last + 1 < len(self) and self._flag(last + 1) & CONTINUES:
            last += 1
            if self.start_of(last) != self.end_of(last):
                break
        partners = tuple((i, self._id(i)) for i in range(first, last + 1) if i != index)
        return TokenSpan(
            index=index,
            token_id=self._id(index),
            utf16_start=self.start_of(index),
            utf16_end=self.end_of(index),
            continues=bool(self._flag(index) & CONTINUES),
            partners=partners,
        )

    def slice(self, first: int, last: int) -> SpanSlice:
        """Return tokens ``first`` to ``last``, exclusive."""
        bounds = self._bounds(first, last)
        return SpanSlice(
            first,
            bounds[:-1],
            bounds[1:],
            self._column(self._ids, first, last),
            self._column(self._colours, first, last),
            self._column(self._flags, first, last),
        )

    def all_ids(self) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Return copies of the IDs of all tokens, and whether each begins inside a character."""
        return (
            np.concatenate([self._ids[: self._left], self._ids[self._right :]]),
            np.concatenate([self._flags[: self._left], self._flags[self._right :]]) & CONTINUES != 0,
        )

    def covering(self, start: int, end: int) -> SpanSlice:
        """Return all tokens that touch the text from ``start`` to ``end``, with those without width at both ends."""
        return self.slice(*self._touching(start, end))

    def fills(self, start: int, end: int) -> Fills:
        """Return bounds and colours of the same tokens, as needed to paint most lines."""
        first, last = self._touching(start, end)
        return Fills(first, self._bounds(first, last), self._column(self._colours, first, last))

    # Changing

    def edit(self, start: int, removed: int, added: int) -> tuple[int, int]:
        """Apply an edit of the text; tokens inside removed text are dropped, touched ones become stale.

        Returns the span of the new text whose tokens look different.
        """
        self.move_gap(self.count_ending(start))
        self.make_room(3)
        self._drop(start, removed)
        self._length += added - removed
        if added:
            self._cover(start, added)
        dirty_from = self.start_of(self._left - 1) if self._left else 0
        if self._left:
            self._flags[self._left - 1] |= STALE
        if self._right < len(self._ends):
            self._flags[self._right] |= STALE
        self._mend_join()
        dirty_to = self.end_of(self._left) if self._left < len(self) else self._length
        return dirty_from, dirty_to

    def apply(
        self,
        start: int,
        end: int,
        ends: NDArray[np.int32],
        ids: NDArray[np.int32],
        continues: NDArray[np.bool_],
        ready: TokenSpans | None = None,
    ) -> tuple[int, int] | None:
        """Replace the tokens from ``start`` to ``end`` of the current text by new ones that tile this span.

        ``ends`` int32[n] absolute, ``ids`` int32[n], ``continues`` bool[n]. Unchanged tokens keep their colour.
        ``ready``: the same tokens prepared for the whole text; if many differ, its arrays are taken over and it becomes
        empty. Returns the span that looks different, None if nothing does.
        """
        if start == end:
            return None
        cuts_first, first = self._cut_at(start) if start else (False, 0)
        cuts_last, last = self._cut_at(end)
        cut = cuts_first or cuts_last
        if not cut and last - first == len(ids) <= _FEW and self._has_bounds(first, ends, continues):
            # Typing in a word mostly changes IDs of tokens that end where the old ones did.
            self._put_ids(first, ids)
            self._clear_stale(max(first - 1, 0), last + 1)
            return None
        flags = continues.view(np.uint8)
        # The halves of a split token have one colour: neither may stay.
        head, tail = (0, 0) if cut else self._same_ends(first, last, ends, ids, flags)
        new = len(ends)
        if ready is not None and start == 0 and end == self._length == ready._length and new - head - tail > _MANY:
            self._take_over(ready)
            return start, end
        self._clear_stale(max(first - 1, 0), last + 1)  # an edit marks both neighbours stale
        if head + tail >= new and head + tail >= last - first:
            return None
        middle = slice(head, new - tail)
        colours: NDArray[np.uint8] | None = None
        same_look = False
        if new == last - first and not cut:
            # The same number of tokens keeps its colours: typing in a word changes no colour.
            gone = self.slice(first + head, last - tail)
            if not (gone.colours == NO_COLOUR).any():
                colours = gone.colours.copy()
                same_look = not ((gone.ends != ends[middle]).any() or ((gone.flags & CONTINUES) != flags[middle]).any())
        self._splice(first + head, last - tail, ends[middle], ids[middle], flags[middle], colours)
        if same_look:
            return None
        # Both neighbours may have been recoloured.
        dirty_from = first - 1 if cuts_first else first + head - 1
        dirty_to = first + new if cuts_last else first + new - tail
        return self.start_of(max(0, dirty_from)), self.end_of(min(len(self) - 1, dirty_to))

    def _has_bounds(self, first: int, ends: NDArray[np.int32], continues: NDArray[np.bool_]) -> bool:
        """Return True if the tokens would look the same. Compares bytes: faster than numpy for a few tokens."""
        last = first + len(ends)
        if self._bounds(first, last)[1:].tobytes() != ends.tobytes():
            return False
        if self._column(self._flags, first, last).tobytes().translate(_ONLY_CONTINUES) != continues.tobytes():
            return False
        return NO_COLOUR not in self._column(self._colours, first, last).tobytes()

    def _put_ids(self, first: int, ids: NDArray[np.int32]) -> None:
        left = min(max(self._left - first, 0), len(ids))
        self._ids[first : first + left] = ids[:left]
        behind = first + left + self._right - self._left
        self._ids[behind : behind + len(ids) - left] = ids[left:]

    def _same_ends(
        self, first: int, last: int, ends: NDArray[np.int32], ids: NDArray[np.int32], flags: NDArray[np.uint8]
    ) -> tuple[int, int]:
        """Return how many tokens at the head and tail of a span are unchanged.

        Compares only as far as needed: a comparison of all tokens would take as much memory again.
        """
        count = min(len(ids), last - first)
        if count <= _FEW:
            old = self._listed(first, first + count)
            new = _listed(ends[:count], ids[:count], flags[:count])
            head = _same_at_first(old, new)
            if len(ids) != last - first:  # the longer of the two may be a whole text
                old = self._listed(last - count, last)
                rest = slice(len(ids) - count, len(ids))
                new = _listed(ends[rest], ids[rest], flags[rest])
            return head, _same_at_first(old[head:][::-1], new[head:][::-1])

        def differs(low: int, window: slice) -> NDArray[np.bool_]:
            old = self.slice(low, low + window.stop - window.start)
            return (old.ends != ends[window]) | (old.ids != ids[window]) | ((old.flags & CONTINUES) != flags[window])

        head, step = 0, _FEW
        while head < count:
            window = slice(head, min(count, head + step))
            found = _first_difference(differs(first + head, window))
            head += found
            if found < window.stop - window.start:
                break
            step = min(8 * step, _MANY)  # more would touch new memory
        tail, step = 0, _FEW
        while tail < count - head:
            stop = min(count - head, tail + step)
            found = _first_difference(differs(last - stop, slice(len(ids) - stop, len(ids) - tail))[::-1])
            complete = found == stop - tail
            tail += found
            if not complete:
                break
            step = min(8 * step, _MANY)  # more would touch new memory
        return head, tail

    # Inside

    def _listed(self, first: int, last: int) -> list[tuple[int, int, int]]:
        tokens = self.slice(first, last)
        return _listed(tokens.ends, tokens.ids, tokens.flags)

    def _touching(self, start: int, end: int) -> tuple[int, int]:
        return self.count_ending(start, before=True), min(len(self), self.count_ending(end) + 1)

    def _id(self, index: int) -> int:
        return int(self._ids[index if index < self._left else index + self._right - self._left])

    def _flag(self, index: int) -> int:
        return int(self._flags[index if index < self._left else index + self._right - self._left])

    def _column(self, column: NDArray, first: int, last: int) -> NDArray:
        shift = self._right - self._left
        if last <= self._left:
            return column[first:last]
        if first >= self._left:
            return column[first + shift : last + shift]
        return np.concatenate([column[first : self._left], column[self._right : last + shift]])

    def _bounds(self, first: int, last: int) -> NDArray[np.int32]:
        """Return the starts of tokens and the end of the last: int32[last - first + 1], absolute."""
        left, shift = self._left, self._right - self._left
        low = first - 1  # a token begins at the end of the previous one
        if low >= 0 and last <= left:
            return self._ends[low:last]
        if low >= left:
            return self._ends[low + shift : last + shift] + np.int32(self._length)
        head = self._ends[max(low, 0) : min(last, left)]
        right = self._ends[self._right : max(last, left) + shift] + np.int32(self._length)
        return np.concatenate((head, right) if low >= 0 else (_ZERO, head, right))

    def _columns(self) -> tuple[NDArray, NDArray, NDArray, NDArray]:
        return self._ends, self._ids, self._colours, self._flags

    def move_gap(self, index: int) -> None:
        """Move the gap before a token, where the next edit is expected. O(tokens between)."""
        left, right = self._left, self._right
        if index == left:
            return
        if index < left:
            count = left - index
            for column in self._columns():
                column[right - count : right] = column[index:left]
            self._ends[right - count : right] -= np.int32(self._length)
            self._left, self._right = index, right - count
        else:
            count = index - left
            for column in self._columns():
                column[left:index] = column[right : right + count]
            self._ends[left:index] += np.int32(self._length)
            self._left, self._right = index, right + count

    def make_room(self, count: int) -> None:
        """Reserve memory for this many more tokens, so that none is copied when they arrive in parts."""
        if self._right - self._left >= count:
            return
        size = len(self._ends)
        behind = size - self._right
        # Untouched memory is not allocated: a wide gap is cheap, and copying a million tokens is noticeable.
        new_size = self._left + behind + count + max(_SLACK, (self._left + behind) // 2)
        for name in ("_ends", "_ids", "_colours", "_flags"):
            old = getattr(self, name)
            new = np.empty(new_size, old.dtype)
            new[: self._left] = old[: self._left]
            new[new_size - behind :] = old[self._right :]
            setattr(self, name, new)
        self._right = new_size - behind

    def _push(self, end: int, token_id: int, colour: int, flags: int) -> None:
        """Add a token left of the gap."""
        at = self._left
        self._ends[at], self._ids[at], self._colours[at], self._flags[at] = end, token_id, colour, flags
        self._left = at + 1

    def _drop(self, start: int, removed: int) -> None:
        """Drop tokens of the right side that end inside removed text; the gap is at its start."""
        if not removed:
            return
        limit = np.int32(start + removed - self._length)
        gone = int(self._ends[self._right :].searchsorted(limit, "right"))
        if not gone:
            return
        if start > (int(self._ends[self._left - 1]) if self._left else 0):
            # The first of them begins before the removed text and keeps that part.
            at = self._right
            self._right += gone
            self._push(start, int(self._ids[at]), int(self._colours[at]), int(self._flags[at]) | STALE)
        else:
            self._right += gone

    def _cover(self, start: int, added: int) -> None:
        """Assign inserted text to a token: its left neighbour, or a new one if it is long."""
        left_end = int(self._ends[self._left - 1]) if self._left else 0
        alone = self._right == len(self._ends) and (self._left == 0 or left_end < start)
        if added < _OWN_SPAN and not alone:
            if left_end == start and self._left:
                self._ends[self._left - 1] = start + added
            # Otherwise the surrounding token, or the first of the text, already covers it.
            return
        if left_end < start:
            at = self._right
            self._push(start, int(self._ids[at]), int(self._colours[at]), int(self._flags[at]) | STALE)
            self._flags[at] = STALE
        self._push(start + added, NO_TOKEN, NO_COLOUR, STALE)

    def _cut_at(self, offset: int) -> tuple[bool, int]:
        """Make ``offset`` a bound. Return whether a token was split there, and the number of tokens that end at or
        before it.

        Both halves keep their ID until they are replaced.
        """
        index = self.count_ending(offset)
        if index >= len(self) or self.start_of(index) >= offset:
            return False, index
        self.move_gap(index)
        self.make_room(1)
        at = self._right
        self._push(offset, int(self._ids[at]), int(self._colours[at]), int(self._flags[at]) | STALE)
        self._flags[at] = STALE
        return True, index + 1

    def _clear_stale(self, first: int, last: int) -> None:
        """Mark tokens as fresh."""
        shift = self._right - self._left
        self._flags[first : min(last, self._left)] &= _FRESH
        self._flags[max(first, self._left) + shift : max(last, self._left) + shift] &= _FRESH

    def _take_over(self, other: TokenSpans) -> None:
        self._ends, self._ids, self._colours, self._flags = other._columns()
        self._left, self._right = other._left, other._right
        other.clear(0)

    def _splice(
        self,
        first: int,
        last: int,
        ends: NDArray[np.int32],
        ids: NDArray[np.int32],
        flags: NDArray[np.uint8],
        colours: NDArray[np.uint8] | None,
    ) -> None:
        self.move_gap(first)
        self._right += last - first
        count = len(ends)
        self.make_room(count + 1)
        at = self._left
        self._ends[at : at + count] = ends
        self._ids[at : at + count] = ids
        self._flags[at : at + count] = flags
        if colours is None:
            left = int(self._colours[at - 1]) if at else NO_COLOUR
            colours = np.zeros(count, np.uint8)
            colours[1 if left else 0 :: 2] = 1
            colours[ids == NO_TOKEN] = NO_COLOUR  # text inserted while these were computed
        self._colours[at : at + count] = colours
        self._left += count
        self._mend_join()

    def _mend_join(self) -> None:
        """Ensure that the neighbours at the gap differ in colour; the left one takes a third colour if necessary."""
        left, right = self._left - 1, self._right
        if left < 0 or right >= len(self._ends):
            return
        colour = self._colours[left]
        if colour != self._colours[right] or colour == NO_COLOUR:
            return
        taken = {int(colour), int(self._colours[left - 1]) if left else NO_COLOUR}
        self._colours[left] = next(c for c in (0, 1, 2) if c not in taken)


def _first_difference(unequal: NDArray[np.bool_]) -> int:
    """Return the index of the first True; the length if there is none."""
    return int(unequal.argmax()) if unequal.any() else len(unequal)


def _listed(ends: NDArray[np.int32], ids: NDArray[np.int32], flags: NDArray[np.uint8]) -> list[tuple[int, int, int]]:
    """Return end, ID and continuation flag of each token."""
    return [*zip(ends.tolist(), ids.tolist(), (flags & CONTINUES).tolist(), strict=True)]


def _same_at_first(old: list[tuple[int, int, int]], new: list[tuple[int, int, int]]) -> int:
    """Return the number of equal leading tokens: for the few of a keystroke this is faster than a dozen numpy calls."""
    same = 0
    for one, other in zip(old, new, strict=True):
        if one != other:
            break
        same += 1
    return same


# --- rebasing ---------------------------------------------------------------------------------------------------------


class TokenSlice(NamedTuple):
    """New tokens for the text from ``start`` to ``end``: ``ends`` int32[n], ``ids`` int32[n], ``continues`` bool[n]."""

    start: int
    end: int
    ends: NDArray[np.int32]
    ids: NDArray[np.int32]
    continues: NDArray[np.bool_]


def rebase_once(tokens: TokenSlice, start: int, removed: int, added: int) -> TokenSlice:
    """Rebase a slice onto a later edit. Bounds move exactly as in ``TokenSpans.edit``.

    Text inserted at the start of the slice belongs to the token before it, text inserted at its end to its last token.
    """
    if start >= tokens.end + (1 if len(tokens.ends) else 0):
        return tokens
    new_start = _moved(tokens.start, start, removed, added) if tokens.start else 0
    if not removed:  # all tokens stay; a large paste inserts each slice after the last
        ends = tokens.ends.copy()
        ends[ends.searchsorted(np.int32(start), "left") :] += added
        return TokenSlice(new_start, _moved(tokens.end, start, removed, added), ends, tokens.ids, tokens.continues)
    ends = np.where(tokens.ends < start, tokens.ends, np.maximum(tokens.ends - removed, start) + added)
    ends = ends.astype(np.int32)
    before = np.diff(tokens.ends, prepend=np.int32(tokens.start))
    after = np.diff(ends, prepend=np.int32(new_start))
    # A token without width is removed with its character.
    keep = (after > 0) | ((before == 0) & ((tokens.ends <= start) | (tokens.ends > start + removed)))
    return TokenSlice(
        new_start, _moved(tokens.end, start, removed, added), ends[keep], tokens.ids[keep], tokens.continues[keep]
    )


def rebase(tokens: TokenSlice, edits: Iterable[tuple[int, int, int]]) -> TokenSlice:
    """Rebase a slice onto successive edits (start, removed, added), each as in ``rebase_once``."""
    edits = list(edits)
    if len(edits) == 1:
        return rebase_once(tokens, *edits[0])
    if not edits:
        return tokens
    rebasing = _Rebasing(tokens)
    for start, removed, added in edits:
        rebasing.edit(start, removed, added)
    return rebasing.result()


def _moved(offset: int, start: int, removed: int, added: int) -> int:
    return offset if offset < start else max(offset - removed, start) + added


class _Rebasing:
    """A slice being rebased. ``_ends``: ends of all its tokens, including removed ones, which have no width; absolute
    before the seam, and less ``_shift`` after it. All tokens before ``_front`` are removed and no longer updated."""

    def __init__(self, tokens: TokenSlice) -> None:
        self._of = tokens
        self._start, self._end = tokens.start, tokens.end
        self._ends = tokens.ends.copy()
        self._retained = np.ones(len(self._ends), dtype=bool)
        self._retained_count = len(self._ends)
        self._seam = len(self._ends)
        self._front = self._shift = 0

    def edit(self, start: int, removed: int, added: int) -> None:
        """Apply an edit."""
        if start >= self._end + (1 if self._retained_count else 0):
            return
        first, behind = self._first(start, "left"), self._first(start + removed, "right")
        new_start = _moved(self._start, start, removed, added) if self._start else 0
        self._move_seam(behind)
        if first < behind:
            if removed:
                self._drop(first, behind, start, added)
            self._ends[first:behind] = start + added
        self._shift += added - removed
        self._start, self._end = new_start, _moved(self._end, start, removed, added)

    def _drop(self, first: int, behind: int, start: int, added: int) -> None:
        """Remove tokens that end in removed text and lose all their width. Only the first of them can keep some: if it
        begins before the edit, or receives text inserted at the start of the text."""
        in_front = first == self._front
        begins = self._start if in_front else self._ends.item(first - 1)
        # Tokens after the first that end at the edit had no width before, and stay.
        self._remove(max(self._first(start, "right"), first + 1), behind)
        had_none = begins == start == self._ends.item(first)
        if not (begins < start or had_none or (in_front and not self._start and added > 0)):
            self._remove(first, first + 1)
        if in_front:
            self._front += _first_difference(self._retained[first:behind])

    def _remove(self, first: int, behind: int) -> None:
        self._retained_count -= int(np.count_nonzero(self._retained[first:behind]))
        self._retained[first:behind] = False

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

    def result(self) -> TokenSlice:
        """Return the rebased slice."""
        self._move_seam(len(self._ends))
        retained = self._retained
        return TokenSlice(
            self._start, self._end, self._ends[retained], self._of.ids[retained], self._of.continues[retained]
        )
