"""The tokens of a vocabulary: bytes by id, ids by bytes, and the merges that make them.

``Vocabulary`` has the tokens by id. ``IdsByBytes`` finds the id of a token's bytes, in a tenth of the memory of a
dictionary. A dictionary of 200,000 tokens is 25 MB of small objects, one for each token; after it is freed, objects
allocated between them keep their pages in use. ``IdsByBytes`` uses arrays: the sorted hashes of all tokens, the token
of each hash, and the start of each group of hashes with the same first bits. A look-up takes a microsecond and compares
the bytes with the token itself.

``merge_steps`` returns the merges of one pretoken in order, in a time that grows little faster than its length. The
steps are those of ``engine.split.reference``, which looks at all pairs before each merge. Here a heap holds the next
pair, and a merge changes only its two neighbouring pairs. It is still plain Python: for inspecting single pretokens and
single tokens, not for encoding texts.

``parents_of``, and for a whole vocabulary ``parents_from_tables`` and ``parents_by_replay``, return the two tokens that
each token is merged from. Published vocabularies list tokens in merge order, without the pairs. But a pair can be
recovered: merge the token's own bytes with all other tokens; if two tokens remain, they are the pair. No text ever
merges another pair into that token: until its last merge, nothing has crossed its ends, so its bytes were merged
exactly as if they were alone.

``tokens_by_length`` groups tokens for set operations on them.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import sys
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.runtime import caches
from engine.runtime.cancellation import interruptible
from engine.types import MergeStep, MergeTree, TokenInfo, TokenParents
from engine.vocabulary.bundle import RankTable

_AT_A_TIME = 4096
_HASH_BITS = sys.hash_info.width


class IdsByBytes(Mapping[bytes, int]):
    """The ids of a table's tokens by their bytes. Equal to ``table.mergeable_ranks()``: of several ids of one token the
    last counts. Thread-safe."""

    def __init__(self, table: RankTable) -> None:
        """Takes 0.1 s for 200,000 tokens."""
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
        found = []
        for index in (np.flatnonzero(hashes[1:] == hashes[:-1]) + 1).tolist():
            before = index - 1
            while before >= 0 and hashes[before] == hashes[index]:  # a collision, or the same token
                if self._content(order[before]) == self._content(order[index]):
                    found.append(index)
                    break
                before -= 1
        return found

    def _content(self, number: int) -> bytes:
        return self._table.blob[self._offsets[number] : self._offsets[number + 1]]

    def get(self, content: bytes, default: int | None = None) -> int | None:  # type: ignore[override]
        """Return the id of the token with these bytes, ``default`` if there is none."""
        if len(content) > self._longest:
            return default
        content_hash = hash(content)
        group = (content_hash >> self._shift) + self._half
        for index in range(self._firsts[group], self._firsts[group + 1]):
            if self._hashes[index] == content_hash and self._content(number := self._numbers[index]) == content:
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


def merge_steps(pretoken: bytes, ranks: Mapping[bytes, int]) -> list[MergeStep]:
    """Return the merges of one pretoken in order; none if it is looked up as a whole because no merges produce it.

    ``ranks``: token bytes to id, in merge order. Raises KeyError for a byte that is not a token.
    """
    steps = list(replayed_merges(pretoken, ranks))
    is_made = len(steps) == len(pretoken) - 1
    return [] if pretoken in ranks and not is_made else steps


def parents_of(token: bytes, ranks: Mapping[bytes, int]) -> tuple[int, int] | None:
    """Return the two tokens that a token is merged from: the result of merging its bytes by all other tokens, if that
    is two. None for a single byte, and for a token that no merge produces."""
    if any(bytes([value]) not in ranks for value in token):
        return None
    own_id = ranks[token]
    steps = list(replayed_merges(token, ranks))
    return (steps[-1].left_id, steps[-1].right_id) if steps and steps[-1].token_id == own_id else None


def replayed_merges(
    pretoken: bytes,
    ids_of: Mapping[bytes, int],
    first_ends: Sequence[int] | None = None,
    made_of: Callable[[bytes], int | None] | None = None,
) -> Iterator[MergeStep]:
    """Yield the merges in order. ``first_ends``: ends of the initial parts; if None, each is a byte. ``made_of``:
    returns the token that parts with these concatenated bytes become; if None, any token of that vocabulary.

    A part is identified by the offset of its first byte: ``ends`` holds its end (0 if the part no longer exists),
    ``before`` the start of the previous part. Entries in the heap are verified when popped: their parts may have been
    merged.
    """
    size = len(pretoken)
    made_of = made_of or ids_of.get
    starts = [0, *(first_ends or range(1, size + 1))]
    ends, before, ids = [0] * size, [-1] * size, [0] * size
    for start, end in itertools.pairwise(starts):
        ends[start], ids[start] = end, ids_of[pretoken[start:end]]
        if end < size:
            before[end] = start
    waiting: list[tuple[int, int, int]] = []  # id of the result, start of the left part, end of the right part

    def consider(start: int) -> None:
        if start >= 0 and ends[start] < size:
            end = ends[ends[start]]
            made = made_of(pretoken[start:end])
            if made is not None:
                heapq.heappush(waiting, (made, start, end))

    for start in starts[:-1]:
        consider(start)
    while waiting:
        made, start, end = heapq.heappop(waiting)
        right = ends[start]
        if not 0 < right < size or ends[right] != end:
            continue
        yield MergeStep(start, ids[start], ids[right], made)
        ids[start] = made
        ends[start] = end
        ends[right] = 0
        if end < size:
            before[end] = start
        consider(start)
        consider(before[start])


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
        """Return the two tokens that a token is merged from (see above), or None."""
        content = self._mergeable_bytes(token_id)
        return parents_of(content, self.ids_by_bytes) if content else None

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
        return self._per_token(np.diff(self.table.offsets), len)

    @functools.cached_property
    def utf16_lengths(self) -> NDArray[np.int32]:
        """int32[n_vocab], read-only: UTF-16 units of the characters that start in each token."""
        values = np.frombuffer(self.table.blob, dtype=np.uint8)
        units_before = np.zeros(len(values) + 1, dtype=np.int32)
        np.cumsum(((values & 0xC0) != 0x80).astype(np.int32) + (values >= 0xF0), out=units_before[1:])
        return self._per_token(
            np.diff(units_before[self.table.offsets]), lambda content: len(content.decode().encode("utf-16-le")) // 2
        )

    @functools.cached_property
    def continues(self) -> NDArray[np.bool_]:
        """bool[n_vocab], read-only: True if the first byte of a token is a UTF-8 continuation byte."""
        values = np.frombuffer(self.table.blob, dtype=np.uint8)
        used = np.diff(self.table.offsets) > 0
        flags = np.zeros(self.max_token_value + 1, dtype=np.bool_)
        mergeable = flags[self.table.first_id : self.table.first_id + len(self.table)]
        mergeable[used] = (values[self.table.offsets[:-1][used]] & 0xC0) == 0x80
        flags.flags.writeable = False
        return flags

    def _per_token(self, mergeable: NDArray[np.integer], of_special: Callable[[bytes], int]) -> NDArray[np.int32]:
        """Return a figure for every id, given those of the table's tokens and a function for special tokens."""
        figures = np.zeros(self.max_token_value + 1, dtype=np.int32)
        for token_id, text in self._special_texts.items():
            figures[token_id] = of_special(text.encode("utf-8"))
        used = np.diff(self.table.offsets) > 0
        figures[self.table.first_id : self.table.first_id + len(self.table)][used] = mergeable[used]
        figures.flags.writeable = False
        return figures


NO_PARENT = -1
BETWEEN_REPORTS = 1024


def parents_from_tables(tables: NDArray[np.uint8], first_id: int, n_vocab: int) -> TokenParents:
    """Read the parents of all tokens from the vocabulary's tables (``engine.vocabulary.tables.open_tables``), which
    hold all pairs."""
    from engine.vocabulary.tables import pairs_in

    left, right, numbers = pairs_in(tables)
    return _parents(n_vocab, first_id + numbers, first_id + left, first_id + right)


def parents_by_replay(table: RankTable, n_vocab: int, report: Callable[[float], None] | None = None) -> TokenParents:
    """Compute the parents of all tokens one by one. Takes a second or two for 200,000 tokens. ``report`` is called with
    the progress, from 0 to 1; an exception from it ends the work."""
    ranks = table.mergeable_ranks()
    found = []
    for number, (token, token_id) in enumerate(ranks.items()):
        if report is not None and number % BETWEEN_REPORTS == 0:
            report(number / len(ranks))
        if len(token) > 1 and (parents := parents_of(token, ranks)):
            found.append((token_id, *parents))
    ids, left, right = np.array(found, dtype=np.int64).reshape(-1, 3).T
    return _parents(n_vocab, ids, left, right)


def _parents(n_vocab: int, ids: NDArray[np.int64], left: NDArray[np.int64], right: NDArray[np.int64]) -> TokenParents:
    arrays = []
    for parents in (left, right):
        array = np.full(n_vocab, NO_PARENT, dtype=np.int32)
        array[ids] = parents
        array.flags.writeable = False
        arrays.append(array)
    return TokenParents(*arrays)


class Alike(NamedTuple):
    """Tokens of one length. ``indices``: int64[k], ascending, their positions in the vocabulary. ``tokens``: void[k] of
    that length: their bytes, which sort like ``bytes``."""

    indices: NDArray[np.int64]
    tokens: NDArray[np.void]


def tokens_by_length(
    blob: bytes, offsets: NDArray[np.int64], chosen: NDArray[np.bool_] | None = None
) -> dict[int, Alike]:
    """Group the tokens ``blob[offsets[i]:offsets[i + 1]]`` by their length in bytes, without empty ones and those that
    are not ``chosen`` (bool[n])."""
    values = np.frombuffer(blob, dtype=np.uint8)
    lengths = np.diff(offsets)
    if chosen is not None:
        lengths = np.where(chosen, lengths, 0)
    found: dict[int, Alike] = {}
    for length in interruptible(np.unique(lengths[lengths > 0]).tolist(), every=1):
        indices = np.flatnonzero(lengths == length)
        content = values[offsets[indices][:, np.newaxis] + np.arange(length)]
        found[length] = Alike(indices, content.view(f"V{length}").reshape(-1))
    return found


def none_of(length: int) -> Alike:
    """Return an empty group of tokens of a length."""
    return Alike(np.empty(0, dtype=np.int64), np.empty(0, dtype=f"V{length}"))
