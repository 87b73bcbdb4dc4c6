"""A second copy of the logical text, to tell what a change really changed. No Qt in here.

Qt reports where a document changed but not what was there before, and it reports whole paragraphs while an input
method composes, or for a format that changes no text. With the old text at hand every report is cut down to the
smallest replacement, often to none. UTF-16, two bytes a unit, like the document itself.
"""

from __future__ import annotations

_CHUNK = 1 << 16


class TextMirror:
    """The text as UTF-16, little endian, in two parts that meet where it was changed last."""

    def __init__(self, text: str = "") -> None:
        self._left = bytearray()
        self._right = bytearray(text.encode("utf-16-le"))

    def __len__(self) -> int:
        return (len(self._left) + len(self._right)) // 2

    def text(self) -> str:
        """The whole text."""
        return (self._left + self._right).decode("utf-16-le", "replace")

    def replace(self, start: int, removed: int, units: bytes) -> tuple[int, int, str]:
        """Put ``units`` in the place of ``removed`` units at ``start``.

        Returns what differs: offset, units removed there, text inserted there; never half a surrogate pair.
        """
        self._meet_at(2 * start)
        old = bytes(self._right[: 2 * removed])
        del self._right[: 2 * removed]
        self._left += units
        shorter = min(len(old), len(units))
        head = _common_head(old, units, shorter)
        if head and 0xD8 <= units[head - 1] <= 0xDB:
            head -= 2
        tail = _common_tail(old, units, shorter - head)
        if tail and 0xDC <= units[len(units) - tail + 1] <= 0xDF:
            tail -= 2
        inserted = units[head : len(units) - tail].decode("utf-16-le", "replace")
        return start + head // 2, (len(old) - head - tail) // 2, inserted

    def _meet_at(self, place: int) -> None:
        """Move the seam. Going on behind the last change, as typing does, costs next to nothing."""
        left, right = self._left, self._right
        if place < len(left):
            right[:0] = left[place:]
            del left[place:]
        elif place > len(left):
            count = place - len(left)
            left += right[:count]
            del right[:count]


def _common_head(old: bytes, new: bytes, limit: int) -> int:
    """How many bytes, in whole units, both begin with; at most ``limit``."""
    done = 0
    while done < limit:
        step = min(_CHUNK, limit - done)
        if old[done : done + step] != new[done : done + step]:
            break
        done += step
    else:
        return limit
    low, high = done, min(done + _CHUNK, limit)
    while high - low > 2:
        middle = (low + high) // 4 * 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle
    return low


def _common_tail(old: bytes, new: bytes, limit: int) -> int:
    """How many bytes, in whole units, both end with; at most ``limit``."""
    done = 0
    old_end, new_end = len(old), len(new)
    while done < limit:
        step = min(_CHUNK, limit - done)
        if old[old_end - done - step : old_end - done] != new[new_end - done - step : new_end - done]:
            break
        done += step
    else:
        return limit
    low, high = done, min(done + _CHUNK, limit)
    while high - low > 2:
        middle = (low + high) // 4 * 2
        if old[old_end - middle : old_end - low] == new[new_end - middle : new_end - low]:
            low = middle
        else:
            high = middle
    return low
