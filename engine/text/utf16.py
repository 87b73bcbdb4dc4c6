"""Texts as UTF-16 code units, which are the positions of Qt's text classes, and back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from engine.text.validity import sound_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CHUNK_CHARS = 65_536


def utf16_length(text: str) -> int:
    """Length of a text in UTF-16 units."""
    if text.isascii():
        return len(text)
    return sum(len(chunk.encode("utf-16-le", "surrogatepass")) // 2 for chunk in _chunks(text))


def units_of(text: str) -> NDArray[np.uint16]:
    """uint16[n], read-only: the units of a text. Lone surrogates are kept; halves that stand together become a pair."""
    if len(text) <= _CHUNK_CHARS:
        return np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype="<u2")
    return np.concatenate(
        [np.frombuffer(chunk.encode("utf-16-le", "surrogatepass"), dtype="<u2") for chunk in _chunks(text)]
    )


def text_of(units: NDArray[np.uint16]) -> str:
    """The text of some units, lone surrogates kept."""
    return units.tobytes().decode("utf-16-le", "surrogatepass")


def sound_text_of(units: NDArray[np.uint16]) -> str:
    """The text of some units, each lone surrogate replaced by U+FFFD: what is encoded."""
    if len(units) <= _CHUNK_CHARS:
        return units.tobytes().decode("utf-16-le", "replace")
    starts = range(0, len(units), _CHUNK_CHARS)
    return sound_text(units[start : start + _CHUNK_CHARS].tobytes() for start in starts)


def characters_of(units: NDArray[np.uint16]) -> str:
    """A string with one character for each unit, surrogate pairs not joined, so that indices are positions."""
    return units.astype(np.uint32).tobytes().decode("utf-32-le", "surrogatepass")


def _chunks(text: str) -> Iterator[str]:
    """A long text in parts: turned into UTF-16 at once it would keep every other thread waiting."""
    return (text[start : start + _CHUNK_CHARS] for start in range(0, len(text), _CHUNK_CHARS))
