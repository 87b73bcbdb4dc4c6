"""The entries of a vocabulary as arrays: one row for each id from 0 on, including gaps and special tokens."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

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
    several texts of one special id the first counts, as in ``engine.vocabulary.token_bytes``."""
    lengths = np.zeros(n_vocab, dtype=np.int64)
    kinds = np.full(n_vocab, UNUSED, dtype=np.uint8)
    ranked = slice(table.first_id, table.first_id + len(table))
    lengths[ranked] = np.diff(table.offsets)
    kinds[ranked] = np.array([UNUSED, BYTE, MERGE], dtype=np.uint8)[np.minimum(lengths[ranked], 2)]
    texts: dict[int, bytes] = {}
    for text, token_id in special_tokens.items():
        if kinds[token_id] == UNUSED and text:
            texts.setdefault(token_id, text.encode("utf-8"))
    pieces: list[bytes] = []
    place = 0
    for token_id, content in sorted(texts.items()):
        lengths[token_id], kinds[token_id] = len(content), SPECIAL
        end = int(table.offsets[min(max(token_id - table.first_id, 0), len(table))])
        pieces += (table.blob[place:end], content)
        place = end
    offsets = np.zeros(n_vocab + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    for array in (offsets, kinds):
        array.flags.writeable = False
    return EntryTable(name, b"".join((*pieces, table.blob[place:])), offsets, kinds)
