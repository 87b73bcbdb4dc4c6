"""A vocabulary: the bytes of each token id, and the id of bytes.

``Vocabulary`` has the tokens by id. ``IdsByBytes`` finds the id of a token's bytes, in a tenth of the memory of a
dictionary. A dictionary of 200,000 tokens is 25 MB of small objects, one for each token; after it is freed, objects
allocated between them keep their pages in use. ``IdsByBytes`` uses arrays: the sorted hashes of all tokens, the token
of each hash, and the start of each group of hashes with the same first bits. A look-up takes a microsecond and compares
the bytes with the token itself.
"""

from __future__ import annotations

import functools
import itertools
import sys
from array import array
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from engine.runtime import caches
from engine.runtime.cancellation import interruptible
from engine.types import MergeTree, TokenInfo
from engine.vocabulary import merges
from engine.vocabulary.bundle import RankTable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.vocabulary.bundle import RankTable


_AT_A_TIME = 4096
_HASH_BITS = sys.hash_info.width


class IdsByBytes(Mapping[bytes, int]):
    """The ids of a table's tokens by their bytes. Equal to ``table.mergeable_ranks()``: of several ids of one token the
    last counts. Thread-safe."""

    def __init__(self, table: RankTable) -> None:
        """Takes 0.1 s for 200,000 tokens."""
        import numpy as np

        lengths = np.diff(table.offsets)
        hashes = np.zeros(len(table), dtype=np.int64)
        for first in interruptible(range(0, len(table), _AT_A_TIME), every=1):
            ends = table.offsets[first : first + _AT_A_TIME + 1].tolist()
            some = [hash(table.blob[start:end]) for start, end in itertools.pairwise(ends)]
            hashes[first : first + len(some)] = some
        order = len(table) - 1 - np.argsort(hashes[::-1], kind="stable")  # last id first among equal hashes
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
        """Return indices into ``order`` of ids whose token also has a later id, as in vocabularies of libraries."""
        import numpy as np

        found = []
        for place in (np.flatnonzero(hashes[1:] == hashes[:-1]) + 1).tolist():
            before = place - 1
            while before >= 0 and hashes[before] == hashes[place]:  # a collision, or the same token
                if self._content(order[before]) == self._content(order[place]):
                    found.append(place)
                    break
                before -= 1
        return found

    def _content(self, number: int) -> bytes:
        return self._table.blob[self._offsets[number] : self._offsets[number + 1]]

    def get(self, content: bytes, default: int | None = None) -> int | None:  # type: ignore[override]
        """Return the id of the token with these bytes, ``default`` if there is none."""
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
        """Return the number of tokens."""
        return len(self._numbers)


class Vocabulary:
    """Token ids 0 to ``max_token_value``: mergeable tokens from a table, special tokens by name, the rest unused."""

    def __init__(self, table: RankTable, special_tokens: Mapping[str, int], max_token_value: int) -> None:
        self.table = table
        self.max_token_value = max_token_value
        self._special_texts: dict[int, str] = {}
        self._ids_by_bytes: IdsByBytes | None = None
        for text, token_id in special_tokens.items():
            self._special_texts.setdefault(token_id, text)

    @property
    def n_vocab(self) -> int:
        """``max_token_value + 1``."""
        return self.max_token_value + 1

    def token_bytes(self, token_id: int) -> bytes:
        """Return the bytes of a token, ``b""`` for an unused id."""
        if content := self._mergeable_bytes(token_id):
            return content
        return self._special_texts.get(token_id, "").encode("utf-8")

    def _mergeable_bytes(self, token_id: int) -> bytes:
        index = token_id - self.table.first_id
        if not 0 <= index < len(self.table):
            return b""
        return self.table.blob[self.table.offsets[index] : self.table.offsets[index + 1]]

    def token_info(self, token_id: int) -> TokenInfo:
        """Return the entry of an id. Raises KeyError if it is below 0 or above ``max_token_value``."""
        if not 0 <= token_id <= self.max_token_value:
            raise KeyError(token_id)
        if content := self._mergeable_bytes(token_id):
            kind = "byte" if len(content) == 1 else "merge"
            return TokenInfo(token_id, content, token_id - self.table.first_id, kind)
        content = self.token_bytes(token_id)
        return TokenInfo(token_id, content, None, "special" if content else "unused")

    @property
    def ids_by_bytes(self) -> Mapping[bytes, int]:
        """The id of every mergeable token. Built on first use, without a lock: a job may pause while building it."""
        ids = self._ids_by_bytes
        if ids is None:
            ids = self._ids_by_bytes = IdsByBytes(self.table)
            caches.add(self)
        return ids

    def drop(self) -> None:
        """Drop ``ids_by_bytes``, which is rebuilt when needed."""
        self._ids_by_bytes = None

    def parents_of(self, token_id: int) -> tuple[int, int] | None:
        """Return the two tokens that a token is merged from (see ``engine.vocabulary.merges``), or None."""
        content = self._mergeable_bytes(token_id)
        return merges.parents_of(content, self.ids_by_bytes) if content else None

    def merge_tree(self, token_id: int) -> MergeTree:
        """Return the tree by which a token is merged from single bytes. Raises KeyError for an unused id."""
        if not self.token_bytes(token_id):
            raise KeyError(token_id)
        pairs: dict[int, tuple[int, int] | None] = {}
        unknown = [token_id]
        while unknown:
            number = unknown.pop()
            if number not in pairs:
                pairs[number] = self.parents_of(number)
                unknown += pairs[number] or ()
        trees: dict[int, MergeTree] = {}
        for info in sorted(map(self.token_info, pairs), key=lambda info: len(info.token_bytes)):  # parents come first
            number = info.token_id
            pair = pairs[number]
            left, right = (trees[pair[0]], trees[pair[1]]) if pair else (None, None)
            trees[number] = MergeTree(number, info.token_bytes, info.rank, left, right)
        return trees[token_id]

    @functools.cached_property
    def byte_lengths(self) -> NDArray[np.int32]:
        """int32[n_vocab], read-only: number of bytes of each token, 0 for unused ids."""
        import numpy as np

        return self._per_token(np.diff(self.table.offsets), len)

    @functools.cached_property
    def utf16_lengths(self) -> NDArray[np.int32]:
        """int32[n_vocab], read-only: UTF-16 units of the characters that start in each token."""
        import numpy as np

        values = np.frombuffer(self.table.blob, dtype=np.uint8)
        units_before = np.zeros(len(values) + 1, dtype=np.int32)
        np.cumsum(((values & 0xC0) != 0x80).astype(np.int32) + (values >= 0xF0), out=units_before[1:])
        return self._per_token(
            np.diff(units_before[self.table.offsets]), lambda content: len(content.decode().encode("utf-16-le")) // 2
        )

    @functools.cached_property
    def continues(self) -> NDArray[np.bool_]:
        """bool[n_vocab], read-only: True if the first byte of a token is a UTF-8 continuation byte."""
        import numpy as np

        values = np.frombuffer(self.table.blob, dtype=np.uint8)
        used = np.diff(self.table.offsets) > 0
        flags = np.zeros(self.max_token_value + 1, dtype=np.bool_)
        mergeable = flags[self.table.first_id : self.table.first_id + len(self.table)]
        mergeable[used] = (values[self.table.offsets[:-1][used]] & 0xC0) == 0x80
        flags.flags.writeable = False
        return flags

    def _per_token(self, mergeable: NDArray[np.integer], of_special: Callable[[bytes], int]) -> NDArray[np.int32]:
        """Return a figure for every id, given those of the table's tokens and a function for special tokens."""
        import numpy as np

        figures = np.zeros(self.max_token_value + 1, dtype=np.int32)
        for token_id, text in self._special_texts.items():
            figures[token_id] = of_special(text.encode("utf-8"))
        used = np.diff(self.table.offsets) > 0
        figures[self.table.first_id : self.table.first_id + len(self.table)][used] = mergeable[used]
        figures.flags.writeable = False
        return figures
