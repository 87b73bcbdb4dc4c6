"""State of a SoftDocument beside Qt's document: the splits of its long lines, and a mirror of its text. No Qt.

Qt lays out a paragraph as a whole, so a key press in a line of a megabyte takes a third of a second. The editor
therefore stores long lines as several paragraphs of a few thousand characters, separated by soft breaks. A break must
not change what is displayed or typed: it is never inside a surrogate pair or a grapheme cluster, nor before U+FEFF or
U+FFFE (a text that begins with one of them is read as a byte order mark when passed to Qt), and follows a space if
possible.

A document position counts every paragraph separator; a logical offset excludes the soft ones. Edits cluster, so breaks
are kept in two lists with a gap at the last edit: the left list counts from the start of the document, the right one
from its end. An edit then moves thousands of breaks by changing one number.

``TextMirror`` is a second copy of the logical text. Qt reports where a document changed but not its previous content,
and it reports whole paragraphs while an input method composes, or for format changes. With the old text at hand, each
report is reduced to the smallest replacement, often to none. UTF-16, two bytes per unit, like the document itself.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator, Sequence

from gui.editor.offsets import utf16_length


class SoftBreaks:
    """The sorted document positions of soft separators."""

    def __init__(self, positions: Sequence[int] = (), length: int = 0) -> None:
        self._left: list[int] = list(positions)
        self._right: list[int] = []  # distances from the document's end, ascending from its tail
        self._length = length

    def __len__(self) -> int:
        return len(self._left) + len(self._right)

    @property
    def length(self) -> int:
        """Length of the document in UTF-16 units, including soft separators."""
        return self._length

    @property
    def logical_length(self) -> int:
        """Length of the logical text in UTF-16 units."""
        return self._length - len(self)

    def count_before(self, position: int) -> int:
        """Return the number of breaks before ``position``; also the index of the first break at or after it."""
        if not self._right or position <= self._length - self._right[-1]:
            return bisect_left(self._left, position)
        return len(self._left) + len(self._right) - bisect_right(self._right, self._length - position)

    def is_break(self, position: int) -> bool:
        """Return True if the separator at ``position`` is soft."""
        index = self.count_before(position)
        return index < len(self) and self.at(index) == position

    def at(self, index: int) -> int:
        """Return the document position of a break."""
        if index < len(self._left):
            return self._left[index]
        return self._length - self._right[len(self) - 1 - index]

    def between(self, start: int, end: int) -> list[int]:
        """Return the positions of the breaks from ``start`` to ``end``, exclusive."""
        return [self.at(index) for index in range(self.count_before(start), self.count_before(end))]

    def to_logical(self, position: int) -> int:
        """Return the logical offset of a document position."""
        return position - self.count_before(position)

    def to_document(self, offset: int, *, before_break: bool = False) -> int:
        """Return the document position of a logical offset.

        At a soft break there are two: the one after the break, or before it if requested.
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
        """Apply an edit of the document; ``breaks`` are the soft separators in the added text.

        Returns the number of breaks in the removed text.
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
        """Make the separator at ``position`` soft or hard; the length of the document does not change."""
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


SOFT_LIMIT = 4096
"""Maximum length of a paragraph, in UTF-16 units. Typing may exceed it slightly until the paragraph is split again."""

PIECE = 2048
"""Maximum length of the paragraphs of a newly split line, in UTF-16 units; leaves room for typing in each."""

_NEVER_BEFORE = {"Mn", "Mc", "Me", "Cf", "Sk", "Cn", "Cs"}
_NEVER_AFTER = {"Cf", "Cn", "Cs"}
_JOINING = (
    (0x0E33, 0x0E33),  # Thai and Lao sara am: spacing marks in grapheme cluster rules, letters by category
    (0x0EB3, 0x0EB3),
    (0x1100, 0x11FF),  # Hangul jamo combine into syllables
    (0xA960, 0xA97F),
    (0xD7B0, 0xD7FF),
    (0x1F1E6, 0x1F1FF),  # regional indicators combine into flags
)
_VIRAMA = 9
_CONTEXT = 64  # characters on each side that decide where grapheme clusters begin


def is_safe_cut(before: str, after: str) -> bool:
    """Return True if a line may be split between these two characters. Conservative."""
    if before.isascii() and after.isascii():
        return True
    if unicodedata.category(after) in _NEVER_BEFORE or unicodedata.category(before) in _NEVER_AFTER:
        return False
    if unicodedata.combining(before) == _VIRAMA:
        return False
    return not any(low <= ord(c) <= high for low, high in _JOINING for c in (before, after))


def splits_character(before: str, after: str) -> bool:
    """Return True if splitting between these texts would break a character. Exact, unlike ``is_safe_cut``."""
    if not before or not after or is_safe_cut(before[-1], after[0]):
        return False
    if after[0] in "\ufeff\ufffe":
        return True
    import regex

    at = 0
    tail = before[-_CONTEXT:]
    for cluster in regex.findall(r"\X", tail + after[:_CONTEXT]):
        if at == len(tail):
            return False
        at += len(cluster)
    return True


def cut_points(text: str, *, limit: int = SOFT_LIMIT, piece: int = PIECE) -> list[int]:
    """Return where to split a line, as ascending UTF-16 offsets; empty if it has at most ``limit`` units.

    Parts have between half of ``piece`` and ``piece`` units where the text permits. A single grapheme cluster of more
    than ``limit`` units is split anyway, between two characters.
    """
    units = utf16_length(text)
    if units <= limit:
        return []
    only_bmp = units == len(text)
    cuts: list[int] = []
    start = 0
    utf16_start = 0
    # Parts are measured in characters; text outside the BMP halves the size to stay within the limit in units.
    size = piece if only_bmp else piece // 2
    while len(text) - start > size + size // 2:
        end = _cut_before(text, start, start + size, start + limit // (1 if only_bmp else 2))
        if end >= len(text):
            break
        utf16_start += end - start if only_bmp else utf16_length(text[start:end])
        cuts.append(utf16_start)
        start = end
    return cuts


def _cut_before(text: str, start: int, end: int, limit: int) -> int:
    """Return the best split in the later half of ``start`` to ``end``, else one up to ``limit``, else ``limit``."""
    middle = (start + end) // 2
    space = text.rfind(" ", middle, end)
    while space >= 0:
        if is_safe_cut(" ", text[space + 1]):
            return space + 1
        space = text.rfind(" ", middle, space)
    for cut in range(end, middle, -1):
        if is_safe_cut(text[cut - 1], text[cut]):
            return cut
    return _cut_between_clusters(text, start, middle, min(limit, len(text)))


def _cut_between_clusters(text: str, start: int, middle: int, limit: int) -> int:
    """Return the last grapheme cluster boundary up to ``limit``; ``limit`` itself if one cluster spans it all.

    Exact but slow: for text in which ``is_safe_cut`` found no boundary.
    """
    import regex

    best = at = start
    for cluster in regex.findall(r"\X", text[start : limit + 1]):
        at += len(cluster)
        if middle < at <= limit and (at == len(text) or text[at] not in "\ufeff\ufffe"):
            best = at
    return best if best > start else limit


# --- the mirror -------------------------------------------------------------------------------------------------------


_CHUNK = 1 << 16  # bytes


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
        encoded = [reader.decode(part).encode() for part in self._between(start, end)]
        return b"".join([*encoded, reader.decode(b"", final=True).encode()])

    def _between(self, start: int, end: int) -> Iterator[bytearray]:
        low, high = 2 * start, 2 * end
        offset = 0
        for part in self._parts:
            if offset < high and offset + len(part) > low:
                yield part[max(low - offset, 0) : high - offset]
            offset += len(part)

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

    def _put(self, offset: int, removed: int, units: bytes, *, returned: bool = True) -> bytes:
        """Replace bytes; return the old ones if ``returned``."""
        parts = self._parts
        first, start = self._find(offset)
        self._length += len(units) - removed
        low = offset - start
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

    def _find(self, offset: int) -> tuple[int, int]:
        """Return the part that contains the byte before an offset, and the part's start. Fast near the last change."""
        parts = self._parts
        number, start = self._found
        while offset < start:
            number -= 1
            start -= len(parts[number])
        while offset - start > len(parts[number]):
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
    return _common(lambda low, high: old[low:high] == new[low:high], limit)


def _common_tail(old: bytes, new: bytes, limit: int) -> int:
    """Return the length of the common suffix in bytes, in whole units; at most ``limit``."""
    old_end, new_end = len(old), len(new)
    return _common(lambda low, high: old[old_end - high : old_end - low] == new[new_end - high : new_end - low], limit)


def _common(is_equal: Callable[[int, int], bool], limit: int) -> int:
    """Return up to where, in whole units, two texts are equal: by chunks, then by bisection of an unequal one."""
    done = 0
    while done < limit:
        step = min(_CHUNK, limit - done)
        if not is_equal(done, done + step):
            break
        done += step
    else:
        return limit
    low, high = done, min(done + _CHUNK, limit)
    while high - low > 2:
        middle = (low + high) // 4 * 2
        if is_equal(low, middle):
            low = middle
        else:
            high = middle
    return low
