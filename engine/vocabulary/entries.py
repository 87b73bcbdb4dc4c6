"""The entries of a vocabulary as arrays: one row for each id from 0 on, including gaps and special tokens.

``characters_of`` decodes the characters of tokens, many tokens at a time. A token need not be whole UTF-8: bytes that
belong to no character in it become lone surrogates U+DC80 to U+DCFF, as with Python's error handler
``surrogateescape``. No text contains these, so they are unambiguous.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.runtime.cancellation import interruptible
from engine.text import character_classes
from engine.text.character_classes import N_CODE_POINTS
from engine.vocabulary.bundle import RankTable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from engine.encoding.encoding import Encoding


KINDS = ("byte", "merge", "special", "unused", "piece")
"""Kinds of ids, as in ``engine.types.TokenInfo``. ``EntryTable.kinds`` holds indices into it."""

BYTE, MERGE, SPECIAL, UNUSED, PIECE = range(len(KINDS))


@dataclass(frozen=True, eq=False)
class EntryTable:
    """All ids of one vocabulary. Arrays are read-only.

    ``blob``: the bytes of all ids, concatenated. ``offsets``: int64[n + 1]: id ``i`` has the bytes
    ``blob[offsets[i]:offsets[i + 1]]``, none for an unused id. ``kinds``: uint8[n], indices into ``KINDS``.
    """

    name: str
    blob: bytes
    offsets: NDArray[np.int64]
    kinds: NDArray[np.uint8]

    def __len__(self) -> int:
        """Return the number of ids, including unused ones."""
        return len(self.kinds)

    def token_bytes(self, token_id: int) -> bytes:
        """Return the bytes of an id, ``b""`` for an unused one. Raises IndexError if it is out of range."""
        if not 0 <= token_id < len(self):
            raise IndexError(token_id)
        return self.blob[self.offsets[token_id] : self.offsets[token_id + 1]]

    def kind(self, token_id: int) -> str:
        """Return the kind of an id, one of ``KINDS``."""
        return KINDS[self.kinds[token_id]]

    def tokens(self, first: int = 0, stop: int | None = None) -> list[bytes]:
        """Return the bytes of every id from ``first`` to before ``stop``."""
        ends = self.offsets[first : len(self) + 1 if stop is None else stop + 1].tolist()
        blob = self.blob
        return [blob[start:end] for start, end in itertools.pairwise(ends)]

    @functools.cached_property
    def values(self) -> NDArray[np.uint8]:
        """uint8[len(blob)], read-only: the blob as an array."""
        return np.frombuffer(self.blob, dtype=np.uint8)

    @functools.cached_property
    def byte_lengths(self) -> NDArray[np.int32]:
        """int32[n], read-only: number of bytes of each id."""
        lengths = np.diff(self.offsets).astype(np.int32)
        lengths.flags.writeable = False
        return lengths

    @functools.cached_property
    def owners(self) -> NDArray[np.int32]:
        """int32[len(blob)], read-only: the id that each byte of the blob belongs to."""
        owners = np.repeat(np.arange(len(self), dtype=np.int32), self.byte_lengths)
        owners.flags.writeable = False
        return owners

    def forget_owners(self) -> None:
        """Drop ``owners``, which is rebuilt when needed."""
        self.__dict__.pop("owners", None)

    @functools.cached_property
    def byte_frequencies(self) -> list[int]:
        """Number of occurrences of each of the 256 bytes in the blob."""
        counts: list[int] = np.bincount(self.values, minlength=256).tolist()
        return counts


def entries_of(encoding: Encoding) -> EntryTable:
    """Return the entries of an encoding. If it has no merges, every id that is neither special nor unused is a
    piece."""
    table = entry_table(encoding.name, encoding._table, encoding._special_tokens, encoding.n_vocab)
    if not encoding.no_merges:
        return table
    kinds = table.kinds.copy()
    kinds[(kinds == BYTE) | (kinds == MERGE)] = PIECE
    kinds.flags.writeable = False
    return dataclasses.replace(table, kinds=kinds)


def entry_table(name: str, table: RankTable, special_tokens: Mapping[str, int], n_vocab: int) -> EntryTable:
    """Build the entries of a table of ranks and its special tokens. An id that is in both is the mergeable token; of
    several texts of one special id the first counts, as in ``engine.vocabulary.tokens``."""
    lengths = np.zeros(n_vocab, dtype=np.int64)
    kinds = np.full(n_vocab, UNUSED, dtype=np.uint8)
    ranked = slice(table.first_id, table.first_id + len(table))
    lengths[ranked] = np.diff(table.offsets)
    kinds[ranked] = np.array([UNUSED, BYTE, MERGE], dtype=np.uint8)[np.minimum(lengths[ranked], 2)]
    texts: dict[int, bytes] = {}
    for text, token_id in special_tokens.items():
        if kinds[token_id] == UNUSED and text:
            texts.setdefault(token_id, text.encode("utf-8"))
    contents: list[bytes] = []
    done = 0
    for token_id, content in sorted(texts.items()):
        lengths[token_id], kinds[token_id] = len(content), SPECIAL
        end = int(table.offsets[min(max(token_id - table.first_id, 0), len(table))])
        contents += (table.blob[done:end], content)
        done = end
    offsets = np.zeros(n_vocab + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    for array in (offsets, kinds):
        array.flags.writeable = False
    return EntryTable(name, b"".join((*contents, table.blob[done:])), offsets, kinds)


TOKENS_AT_A_TIME = 8192
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


def characters_of(entries: EntryTable, at_a_time: int = TOKENS_AT_A_TIME) -> Iterator[Characters]:
    """Yield the characters of all tokens, ``at_a_time`` tokens at a time."""
    for first in interruptible(range(0, len(entries), at_a_time), every=1):
        stop = min(first + at_a_time, len(entries))
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
