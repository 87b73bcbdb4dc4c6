"""Arrays with a gap: an edit costs what lies between it and the edit before, not what lies behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

_SMALLEST_GAP = 4096


class GapArray:
    """A one-dimensional array of integers in which stretches are replaced in place.

    Kept in one buffer as a left part, a gap, and a right part. ``_to_right`` and ``_to_left`` change values as they
    cross the gap; here they leave them alone.
    """

    def __init__(self, values: NDArray[Any], dtype: DTypeLike) -> None:
        self._buffer = np.empty(len(values) + _room_for(len(values)), dtype=dtype)
        self._buffer[: len(values)] = values
        self._left = len(values)
        self._right = len(self._buffer)

    def __len__(self) -> int:
        return self._left + len(self._buffer) - self._right

    def read(self, start: int, stop: int) -> NDArray[Any]:
        """A copy of the elements ``start`` to ``stop``."""
        gap = self._right - self._left
        if stop <= self._left:
            return self._buffer[start:stop].copy()
        if start >= self._left:
            return self._to_left(self._buffer[start + gap : stop + gap].copy())
        right = self._to_left(self._buffer[self._right : stop + gap].copy())
        return np.concatenate([self._buffer[start : self._left], right])

    def replace(self, start: int, stop: int, values: NDArray[Any]) -> None:
        """Put ``values`` in the place of the elements ``start`` to ``stop``."""
        self._move_gap(start)
        self._right += stop - start
        if self._right - self._left < len(values):
            self._widen_gap(len(values))
        self._buffer[self._left : self._left + len(values)] = values
        self._left += len(values)

    def _to_right(self, values: NDArray[Any]) -> NDArray[Any]:
        return values

    def _to_left(self, values: NDArray[Any]) -> NDArray[Any]:
        return values

    def _move_gap(self, index: int) -> None:
        buffer = self._buffer
        if index < self._left:
            moved = self._left - index
            buffer[self._right - moved : self._right] = self._to_right(buffer[index : self._left])
            self._left, self._right = index, self._right - moved
        elif index > self._left:
            moved = index - self._left
            buffer[self._left : index] = self._to_left(buffer[self._right : self._right + moved])
            self._left, self._right = index, self._right + moved

    def _widen_gap(self, needed: int) -> None:
        old = self._buffer
        tail = len(old) - self._right
        self._buffer = np.empty(self._left + needed + _room_for(len(self) + needed) + tail, dtype=old.dtype)
        self._buffer[: self._left] = old[: self._left]
        self._buffer[len(self._buffer) - tail :] = old[self._right :]
        self._right = len(self._buffer) - tail


class EndsArray(GapArray):
    """Ascending int32 positions in a text, where an edit moves all that lie behind it at once.

    Those right of the gap are kept relative to ``total``, the length of the text.
    """

    def __init__(self, values: NDArray[np.int32], total: int) -> None:
        super().__init__(values, np.int32)
        self.total = total

    def count_up_to(self, position: int) -> int:
        """How many elements are at most ``position``."""
        # A Python int as key would make numpy cast the whole array to int64.
        left = self._buffer[: self._left]
        count = int(left.searchsorted(np.int32(position), "right"))
        if count < self._left:
            return count
        right = self._buffer[self._right :]
        return count + int(right.searchsorted(np.int32(position - self.total), "right"))

    def replace_in_text(self, start: int, stop: int, values: NDArray[np.int32], total: int) -> None:
        """Replace elements by ``values``, positions in a text that is now ``total`` long; those behind keep their
        distance from its end."""
        self._move_gap(start)
        self.total = total
        self.replace(start, stop, values)

    def _to_right(self, values: NDArray[Any]) -> NDArray[Any]:
        moved: NDArray[Any] = values - np.int32(self.total)
        return moved

    def _to_left(self, values: NDArray[Any]) -> NDArray[Any]:
        moved: NDArray[Any] = values + np.int32(self.total)
        return moved


def _room_for(length: int) -> int:
    return max(_SMALLEST_GAP, length // 16)
