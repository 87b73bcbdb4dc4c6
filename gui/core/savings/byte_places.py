"""Texts and their places in UTF-8, as the engine reads them: pairs of surrogates as one character, others as U+FFFD."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.running_sums import running_sums_of

FIRST_LEADING = -64
"""Bytes of UTF-8 that go on with a character are 0x80 to 0xBF, as signed numbers -128 to -65."""


def utf8(text: str) -> bytes:
    """The text as the engine reads it."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode("utf-8")


def byte_places(text: str, char_places: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[n]: places in Python characters as places in bytes. What stands between a pair of
    surrogates has the place behind both."""
    if text.isascii():
        return char_places
    content = np.frombuffer(utf8(text), np.int8)
    starts = np.append(np.flatnonzero(content >= FIRST_LEADING), len(content))
    if len(starts) == len(text) + 1:
        return starts[char_places]
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    second_of_pair = np.zeros(len(points) + 1, dtype=np.int64)
    second_of_pair[2:] = (points[:-1] >> 10 == 0xD800 >> 10) & (points[1:] >> 10 == 0xDC00 >> 10)
    return starts[(np.arange(len(points) + 1) - np.cumsum(second_of_pair))[char_places]]


def utf16_places(content: bytes, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[n]: places in UTF-8 ``content``, between characters, as UTF-16 offsets."""
    bytes_ = np.frombuffer(content, np.uint8)
    units = np.zeros(len(bytes_) + 1, dtype=np.int64)

    def sizes(start: int, stop: int) -> NDArray[np.int8]:
        # A character begins with any byte but 0x80 to 0xBF, and takes a second unit where that is 0xF0 or higher.
        some = bytes_[start:stop]
        return ((some & 0xC0) != 0x80).astype(np.int8) + (some >= 0xF0)

    running_sums_of(len(bytes_), sizes, units[1:])
    return units[places]
