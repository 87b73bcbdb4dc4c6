"""Maps byte offsets of a text to characters, UTF-16 units and lines."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from engine.runtime.cancellation import interruptible
from engine.runtime.running_sums import running_sums, running_sums_of

_AT_A_TIME = 1 << 18
"""Maximum number of characters to encode in one call, which cannot be interrupted."""


class ByteMap:
    """Byte map of a text without surrogates. Offsets are byte offsets from 0 to ``len``, inclusive."""

    def __init__(self, text: str) -> None:
        starts = interruptible(range(0, len(text), _AT_A_TIME), every=1)
        encoded = b"".join([text[start : start + _AT_A_TIME].encode("utf-8") for start in starts])
        self.bytes = np.frombuffer(encoded, dtype=np.uint8)
        self.begins = (self.bytes & 0xC0) != 0x80
        """bool[n]: True for the first byte of each character."""

    def __len__(self) -> int:
        return len(self.bytes)

    @functools.cached_property
    def char_of(self) -> NDArray[np.int32]:
        """int32[n]: number of the character that each byte belongs to."""
        chars = running_sums(self.begins, np.empty(len(self), dtype=np.int32))
        chars -= 1
        return chars

    @functools.cached_property
    def units_before(self) -> NDArray[np.int32]:
        """int32[n + 1]: UTF-16 units of the characters that begin before each byte offset."""
        before = np.zeros(len(self) + 1, dtype=np.int32)
        running_sums_of(len(self), self._units, before[1:])
        return before

    def _units(self, start: int, stop: int) -> NDArray[np.int8]:
        """Return int8: the UTF-16 units of the character that begins at each byte, else 0."""
        units: NDArray[np.int8] = self.begins[start:stop].astype(np.int8) + (self.bytes[start:stop] >= 0xF0)
        return units

    def continues(self, ends: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return bool[n]: True for each token that begins inside a character. ``ends``: byte offsets at which
        consecutive tokens end. A token without width at the end of the text does not count."""
        starts = np.concatenate([np.zeros(1, dtype=np.int64), ends[:-1]])[: len(ends)]
        found = np.zeros(len(ends), dtype=np.bool_)
        inside = starts < len(self)
        found[inside] = ~self.begins[starts[inside]]
        return found

    @functools.cached_property
    def line_ends(self) -> NDArray[np.int64]:
        """int64[lines]: byte offset after each newline, and the end of the text if its last line has none."""
        ends = np.flatnonzero(self.bytes == 0x0A) + 1
        return ends if len(ends) and ends[-1] == len(self) else np.append(ends, len(self))

    def of_units(self, utf16_offsets: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return int64[n]: the byte offsets of UTF-16 offsets; inside a character, the start of that character."""
        return self.units_before.searchsorted(utf16_offsets, "right") - 1
