"""The characters of tokens, decoded many tokens at a time.

A token need not be whole UTF-8: bytes that belong to no character in it become lone surrogates U+DC80 to U+DCFF, as
with Python's error handler ``surrogateescape``. No text contains these, so they are unambiguous.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.runtime.cancellation import interruptible
from engine.text import character_classes
from engine.text.character_classes import N_CODE_POINTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.vocabulary.entries.table import EntryTable

PIECE = 8192
"""Tokens decoded at a time, about 1 ms of work: decoding blocks other Python threads."""

FIRST_ESCAPE, LAST_ESCAPE = 0xDC80, 0xDCFF
_SEPARATOR = 0x0A


@dataclass(frozen=True, slots=True, eq=False)
class Characters:
    """The characters of the ids from ``first_id`` on. ``points``: uint32[m], their code points, concatenated;
    ``owners``: int64[m], the token of each, counted from ``first_id``; ``n_tokens``: the number of tokens."""

    first_id: int
    n_tokens: int
    points: NDArray[np.uint32]
    owners: NDArray[np.int64]

    def tokens_with(self, flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return bool[n_tokens]: True for tokens with a flagged character (bool[m])."""
        found = np.zeros(self.n_tokens, dtype=np.bool_)
        found[self.owners[flags]] = True
        return found

    @property
    def escapes(self) -> NDArray[np.bool_]:
        """bool[m]: True for bytes that belong to no character."""
        escapes: NDArray[np.bool_] = (self.points >= FIRST_ESCAPE) & (self.points <= LAST_ESCAPE)
        return escapes


def characters_of(entries: EntryTable, piece: int = PIECE) -> Iterator[Characters]:
    """Yield the characters of all tokens, ``piece`` tokens at a time."""
    for first in interruptible(range(0, len(entries), piece), every=1):
        stop = min(first + piece, len(entries))
        yield _decoded(entries, first, stop)


def _decoded(entries: EntryTable, first: int, stop: int) -> Characters:
    """Decode tokens in one call. Separators between them keep their bytes from joining into one character."""
    start, end = int(entries.offsets[first]), int(entries.offsets[stop])
    lengths = entries.byte_lengths[first:stop].astype(np.int64)
    apart = np.full(end - start + stop - first, _SEPARATOR, dtype=np.uint8)
    apart[np.arange(end - start) + (entries.owners[start:end] - first)] = entries.values[start:end]
    text = apart.tobytes().decode("utf-8", "surrogateescape")
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    byte_starts = np.cumsum(utf8_widths(points)) - utf8_widths(points)
    owners = np.searchsorted(np.cumsum(lengths + 1), byte_starts, side="right")
    is_separator = byte_starts == (np.cumsum(lengths + 1) - 1)[owners]
    return Characters(first, stop - first, points[~is_separator], owners[~is_separator])


def utf8_widths(points: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return int64[m]: bytes of each code point in UTF-8; 1 for an escaped byte."""
    escaped = (points >= FIRST_ESCAPE) & (points <= LAST_ESCAPE)
    widths = 1 + (points >= 0x80).astype(np.int64) + (points >= 0x800) + (points >= 0x10000)
    return np.where(escaped, 1, widths)


def to_bytes(points: NDArray[np.uint32]) -> bytes:
    """Return the bytes of characters and escaped bytes."""
    text = points.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    return text.encode("utf-8", "surrogateescape")


@functools.lru_cache(maxsize=1)
def folding() -> NDArray[np.uint32]:
    """Return uint32[1114112], read-only: for every code point the lowest that equals it under simple case folding
    (``engine.text.character_classes``)."""
    table = np.arange(N_CODE_POINTS, dtype=np.uint32)
    for orbit in character_classes.load().orbits:
        table[list(orbit)] = min(orbit)
    table.flags.writeable = False
    return table


def folded_text(text: str) -> bytes:
    """Return the UTF-8 of a case-folded text. Lone surrogates become escaped bytes if they stand for one, else
    U+FFFD."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).copy()
    surrogates = (points >= 0xD800) & (points < 0xE000) & ~((points >= FIRST_ESCAPE) & (points <= LAST_ESCAPE))
    points[surrogates] = 0xFFFD
    return to_bytes(folding()[points])
