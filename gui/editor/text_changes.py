"""Minimal differences of texts, and changes grouped into few bounded pieces for the editor. No Qt.

``TextMirror`` is a second copy of the logical text. Qt reports where a document changed but not its previous content,
and it reports whole paragraphs while an input method composes, or for format changes. With the old text at hand, each
report is reduced to the smallest replacement, often to none. UTF-16, two bytes per unit, like the document itself.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from gui.editor.offsets import char_to_utf16

MAX_BETWEEN = 4096
LARGEST_PIECE = 32_768
"""Maximum piece size, in characters. Inserting such a piece takes a few milliseconds in a text of any length."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A replacement of the text between two UTF-16 offsets by ``text``."""

    utf16_start: int
    utf16_end: int
    text: str


def gathered(
    text: str, changes: Iterable[tuple[int, int, str]], wait_while_busy: Callable[[], None] | None = None
) -> tuple[Piece, ...]:
    """Group changes of ``text`` (character start, end, replacement; sorted, not overlapping) into pieces: nearby
    changes share a piece, isolated ones stay small.

    ``wait_while_busy`` is called between chunks of the text, so that a job can yield.
    """
    groups: list[tuple[int, int, str]] = []
    start = end = 0
    parts: list[str] = []
    for change_start, change_end, replacement in changes:
        if parts and change_start - end <= MAX_BETWEEN and change_end - start <= LARGEST_PIECE:
            parts += (text[end:change_start], replacement)
        else:
            if parts:
                groups.append((start, end, "".join(parts)))
            start, parts = change_start, [replacement]
        end = change_end
    if parts:
        groups.append((start, end, "".join(parts)))
    return _pieces(text, groups, wait_while_busy)


def between(before: str, after: str) -> tuple[Piece, ...]:
    """Return the change from ``before`` to ``after``: the span from the first to the last difference, split into
    pieces; empty if they are equal."""
    start = common_prefix(before, after)
    rest = min(len(before), len(after)) - start
    end = common_prefix(before[: -rest - 1 : -1], after[: -rest - 1 : -1]) if rest else 0
    old_end, new_end = len(before) - end, len(after) - end
    if start == old_end and start == new_end:
        return ()
    count = max(1, -(-max(old_end - start, new_end - start) // LARGEST_PIECE))
    old = [start + (old_end - start) * number // count for number in range(count + 1)]
    new = [start + (new_end - start) * number // count for number in range(count + 1)]
    return _pieces(
        before, [(old[number], old[number + 1], after[new[number] : new[number + 1]]) for number in range(count)]
    )


def _pieces(
    text: str, groups: list[tuple[int, int, str]], wait_while_busy: Callable[[], None] | None = None
) -> tuple[Piece, ...]:
    import numpy as np

    places = np.array([group[:2] for group in groups], dtype=np.int32).reshape(-1, 2)
    utf16 = char_to_utf16(places.ravel(), text, wait_while_busy).reshape(-1, 2).tolist()
    return tuple(Piece(start, end, group[2]) for (start, end), group in zip(utf16, groups, strict=True))


def common_prefix(one: str, other: str) -> int:
    """Return the length of the common prefix. By bisection: slices are compared at memory speed."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


_CHUNK = 1 << 16


class TextMirror:
    """The text as UTF-16, little endian, in parts: a change costs as much as a part, anywhere in the text."""

    def __init__(self, text: str = "") -> None:
        self._parts = [bytearray(units) for units in _encoded(text)] or [bytearray()]
        self._length = sum(map(len, self._parts))
        self._found = (0, 0)  # a part's index and its byte offset

    def __len__(self) -> int:
        return self._length // 2

    def text(self) -> str:
        """Return the whole text."""
        return b"".join(self._parts).decode("utf-16-le", "replace")

    def between(self, start: int, end: int) -> str:
        """Return the text between two offsets."""
        return b"".join(self._between(start, end)).decode("utf-16-le", "replace")

    def utf8_between(self, start: int, end: int) -> bytes:
        """Like ``between``, as UTF-8. One part at a time: ten megabytes as a whole would need new pages twice."""
        reader = getincrementaldecoder("utf-16-le")("replace")  # a pair may be split between two parts
        pieces = [reader.decode(part).encode() for part in self._between(start, end)]
        return b"".join([*pieces, reader.decode(b"", final=True).encode()])

    def _between(self, start: int, end: int) -> Iterator[bytearray]:
        low, high = 2 * start, 2 * end
        place = 0
        for part in self._parts:
            if place < high and place + len(part) > low:
                yield part[max(low - place, 0) : high - place]
            place += len(part)

    def replace(self, start: int, removed: int, units: bytes) -> tuple[int, int, str]:
        """Replace ``removed`` units at ``start`` by ``units``.

        Returns the difference: offset, number of units removed, inserted text; never half a surrogate pair.
        """
        if not units:  # nothing to compare, however much is removed
            self._put(2 * start, 2 * removed, units, returned=False)
            return start, removed, ""
        old = self._put(2 * start, 2 * removed, units)
        shorter = min(len(old), len(units))
        head = _common_head(old, units, shorter)
        if head and 0xD8 <= units[head - 1] <= 0xDB:
            head -= 2
        tail = _common_tail(old, units, shorter - head)
        if tail and 0xDC <= units[len(units) - tail + 1] <= 0xDF:
            tail -= 2
        inserted = units[head : len(units) - tail].decode("utf-16-le", "replace")
        return start + head // 2, (len(old) - head - tail) // 2, inserted

    def _put(self, place: int, removed: int, units: bytes, *, returned: bool = True) -> bytes:
        """Replace bytes; return the old ones if ``returned``."""
        parts = self._parts
        first, start = self._find(place)
        self._length += len(units) - removed
        low = place - start
        last, high = first, low + removed
        while high > len(parts[last]):
            high -= len(parts[last])
            last += 1
        part = parts[first]
        if last == first:
            old = bytes(part[low:high]) if returned else b""
            part[low:high] = units
        else:
            old = b"".join([part[low:], *parts[first + 1 : last], parts[last][:high]]) if returned else b""
            part[low:] = units + parts[last][high:]
            del parts[first + 1 : last + 1]
        if len(part) > 2 * _CHUNK:
            parts[first : first + 1] = [part[at : at + _CHUNK] for at in range(0, len(part), _CHUNK)]
        elif not part and len(parts) > 1:
            del parts[first]
            self._found = (0, 0)
        return old

    def _find(self, place: int) -> tuple[int, int]:
        """Return the part that contains the byte before an offset, and the part's start. Fast near the last change."""
        parts = self._parts
        number, start = self._found
        while place < start:
            number -= 1
            start -= len(parts[number])
        while place - start > len(parts[number]):
            start += len(parts[number])
            number += 1
        self._found = (number, start)
        return self._found


def _encoded(text: str) -> Iterator[bytes]:
    """Yield a text as UTF-16, in parts."""
    for start in range(0, len(text), _CHUNK // 2):
        yield text[start : start + _CHUNK // 2].encode("utf-16-le")


def _common_head(old: bytes, new: bytes, limit: int) -> int:
    """Return the length of the common prefix in bytes, in whole units; at most ``limit``."""
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
    """Return the length of the common suffix in bytes, in whole units; at most ``limit``."""
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
