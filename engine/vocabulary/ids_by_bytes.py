"""Which id a token's bytes have, in a tenth of the memory that a dictionary of them takes.

A dictionary of 200,000 tokens is 25 MB of small objects, one for each token; when it goes, what came to lie between
them keeps their pages. Here there are arrays: the hashes of all tokens in order, whose each is, and where those begin
that share their first bits. What is looked up takes a microsecond, and is compared with the token itself.
"""

from __future__ import annotations

import itertools
import sys
from array import array
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from engine.runtime.cancellation import while_wanted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.vocabulary.bundle_format import RankTable

_AT_A_TIME = 4096
_HASH_BITS = sys.hash_info.width


class IdsByBytes(Mapping[bytes, int]):
    """The ids of a table's tokens by their bytes. Equal to ``table.mergeable_ranks()``: of a token that has several ids
    the last one. Safe to use from several threads."""

    def __init__(self, table: RankTable) -> None:
        """Takes a tenth of a second for 200,000 tokens."""
        import numpy as np

        lengths = np.diff(table.offsets)
        hashes = np.zeros(len(table), dtype=np.int64)
        for first in while_wanted(range(0, len(table), _AT_A_TIME), every=1):
            ends = table.offsets[first : first + _AT_A_TIME + 1].tolist()
            some = [hash(table.blob[start:end]) for start, end in itertools.pairwise(ends)]
            hashes[first : first + len(some)] = some
        order = len(table) - 1 - np.argsort(hashes[::-1], kind="stable")  # of equal hashes the last id first
        order = order[lengths[order] > 0]
        self._table = table
        self._offsets = table.offsets.data  # indexed several times as fast as the array
        self._longest = int(lengths.max(initial=0))
        order = np.delete(order, self._repeated(order, hashes[order]))
        in_order = hashes[order]
        bits = max(1, len(order).bit_length() - 1)
        self._shift, self._half = _HASH_BITS - bits, 1 << (bits - 1)
        firsts = np.searchsorted((in_order >> self._shift) + self._half, np.arange((1 << bits) + 1))
        self._firsts = array("i", firsts.astype(np.int32).tobytes())
        self._hashes = array("q", in_order.tobytes())
        self._numbers = array("i", order.astype(np.int32).tobytes())

    def _repeated(self, order: NDArray[np.int64], hashes: NDArray[np.int64]) -> list[int]:
        """Places in ``order`` of ids whose token a later id stands for, too, as in vocabularies of libraries."""
        import numpy as np

        found = []
        for place in (np.flatnonzero(hashes[1:] == hashes[:-1]) + 1).tolist():
            before = place - 1
            while before >= 0 and hashes[before] == hashes[place]:  # by chance, or because the token is the same
                if self._content(order[before]) == self._content(order[place]):
                    found.append(place)
                    break
                before -= 1
        return found

    def _content(self, number: int) -> bytes:
        return self._table.blob[self._offsets[number] : self._offsets[number + 1]]

    def get(self, content: bytes, default: int | None = None) -> int | None:  # type: ignore[override]
        """The id of the token with these bytes, ``default`` where there is none."""
        if len(content) > self._longest:
            return default
        wanted = hash(content)
        group = (wanted >> self._shift) + self._half
        for place in range(self._firsts[group], self._firsts[group + 1]):
            if self._hashes[place] == wanted and self._content(number := self._numbers[place]) == content:
                return self._table.first_id + number
        return default

    def __getitem__(self, content: bytes) -> int:
        found = self.get(content)
        if found is None:
            raise KeyError(content)
        return found

    def __contains__(self, content: object) -> bool:
        return isinstance(content, bytes) and self.get(content) is not None

    def __iter__(self) -> Iterator[bytes]:
        return map(self._content, sorted(self._numbers))

    def __len__(self) -> int:
        """Number of tokens."""
        return len(self._numbers)
