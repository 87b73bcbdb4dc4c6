"""Where the soft breaks of a document are, and what that makes of its positions. No Qt in here.

A document position counts every paragraph separator; a logical offset leaves out the soft ones. Breaks lie close to
where one types, so they are kept in two lists with the gap at the last edit: the left one counts from the start, the
right one from the end of the document. An edit then moves thousands of breaks by changing one number.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence


class SoftBreaks:
    """The sorted document positions of soft separators."""

    def __init__(self, positions: Sequence[int] = (), length: int = 0) -> None:
        self._left: list[int] = list(positions)
        self._right: list[int] = []  # distances from the document's end, so that it too rises from its tail
        self._length = length

    def __len__(self) -> int:
        return len(self._left) + len(self._right)

    @property
    def length(self) -> int:
        """Length of the document in UTF-16 units, soft separators included."""
        return self._length

    @property
    def logical_length(self) -> int:
        """Length of the logical text in UTF-16 units."""
        return self._length - len(self)

    def count_before(self, position: int) -> int:
        """How many breaks lie before ``position``; also the index of the first one at or behind it."""
        if not self._right or position <= self._length - self._right[-1]:
            return bisect_left(self._left, position)
        return len(self._left) + len(self._right) - bisect_right(self._right, self._length - position)

    def is_break(self, position: int) -> bool:
        """Whether the separator at ``position`` is soft."""
        index = self.count_before(position)
        return index < len(self) and self.at(index) == position

    def at(self, index: int) -> int:
        """The document position of one break."""
        if index < len(self._left):
            return self._left[index]
        return self._length - self._right[len(self) - 1 - index]

    def between(self, start: int, end: int) -> list[int]:
        """The positions of the breaks from ``start`` up to, not including, ``end``."""
        return [self.at(index) for index in range(self.count_before(start), self.count_before(end))]

    def to_logical(self, position: int) -> int:
        """The logical offset of a document position."""
        return position - self.count_before(position)

    def to_document(self, offset: int, *, before_break: bool = False) -> int:
        """The document position of a logical offset.

        Where a soft break lies at the offset there are two: behind the break, or before it if asked for.
        """
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            logical = self.at(middle) - middle
            if logical < offset or (logical == offset and not before_break):
                low = middle + 1
            else:
                high = middle
        return offset + low

    def replace(self, position: int, removed: int, added: int, breaks: Sequence[int]) -> int:
        """Follow an edit of the document; ``breaks`` are the soft separators in what was added.

        Returns how many breaks went with what was removed.
        """
        self._move_gap(self.count_before(position))
        lost = 0
        while self._right and self._length - self._right[-1] < position + removed:
            self._right.pop()
            lost += 1
        self._length += added - removed
        self._left.extend(breaks)
        return lost

    def set_break(self, position: int, soft: bool) -> None:
        """Make the separator at ``position`` soft or hard; the document itself is as long as before."""
        self.replace(position, 1, 1, [position] if soft else [])

    def _move_gap(self, index: int) -> None:
        left, right = self._left, self._right
        if index < len(left):
            right.extend(self._length - position for position in reversed(left[index:]))
            del left[index:]
        elif index > len(left):
            count = index - len(left)
            left.extend(self._length - distance for distance in reversed(right[-count:]))
            del right[-count:]
