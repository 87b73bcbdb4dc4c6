"""Data layout of the merging kernels of training: flat arrays in a tuple, with the changing numbers in ``state``.

*Slots* are the unique pretokens one after the other: a head (``HEAD`` plus the count of the pretoken), then one slot
for each symbol of the alphabet, then the next head; one more head ends them all. A merged token keeps the slots of its
parts: the first and the last of them hold its id. So both neighbours of a token are found without links, and nothing
ever moves.

A *place* is a slot and the weight of its pretoken: ``slot << 32 | weight``. Each pair of tokens has a list of its
places at the time the list was made, in slot order. Whether a place is still valid is checked on use.

Pairs are identified by a *key*, ``(left << 32 | right) + 1``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import inline_kernel
from engine.kernels.memory import load64, span, store64

HEAD = 1 << 31
"""Marks the slot before a pretoken. Ids and weights are smaller."""
GONE = 0xFFFFFFFF
"""Marks the first slot of a token that became the right part of another."""
MAX_WEIGHT = HEAD - 1
"""Maximum weight. A pretoken with a higher count has several copies."""

# Indexes of numbers in ``state``.
THRESHOLD = 0  # pairs with a lower count are not in PAIRS
PAIR_SHIFT = 1  # hash >> shift is an entry of ``pairs``
PAIRS_USED = 2  # entries of ``pairs`` in use
HEAP_SIZE = 3  # entries of ``heap`` in use
PLACES_USED = 4  # entries of ``places`` in use
MERGED = 5  # merges done
TOKENS = 6  # tokens of the corpus
FIRST_ID = 7  # id of the first merge: number of symbols of the alphabet
NEEDED = 8  # room needed, when merging stopped for lack of room
LONGEST = 9  # maximum length of a token, in bytes
LEFT = 10  # left part of the pair being merged
BUCKET = 11  # the bucket whose pairs are in ``heap``
WAITING_USED = 12  # entries of ``waiting`` that were ever used
WAITING_FREE = 13  # the first free entry of ``waiting``, plus one; 0: none
STATE_SIZE = 16

# Reasons why merging stopped.
PAUSED = 0  # the budget is used up
BELOW_THRESHOLD = 1  # no pair with such a count is left
NO_ROOM_PLACES = 2
NO_ROOM_PAIRS = 3
NO_ROOM_RECORDS = 4

MERGE_FIELDS = 4
"""Fields of a merge in ``merges``: left id, right id, count of the pair, tokens of the corpus afterwards."""


class Merging(NamedTuple):
    """All arrays that merging needs; contiguous and writable. ``V``: maximum number of ids. Kernels use the same tuple
    with a span of each array: ``spans_of``.

    slots: uint32[n]. widths: uint32[V], slots per token. byte_lengths: uint32[V].
    pairs: int64[2 * 2**k], key and count of each pair; key 0 is empty. lists: int64[2 * 2**k], start and length in
    ``places`` of the list of the pair at the same index of ``pairs``.
    places: int64[p]. heap: int64[2**k], count and key of pairs. waiting: int64[2**k], key of a pair, and the number
    plus one of the next in its bucket. buckets: int64[BUCKETS], the number plus one of the first in each, 0 for none.
    sums: int64[4 * V], zero between merges: for each token, weight and occurrences as a left neighbour, then as a
    right one. neighbours: int64[2 * V], left ones, then right ones.
    records: int64[2 * r], for each merged place: the place, and ``left neighbour << 32 | right neighbour``.
    merges: int64[MERGE_FIELDS * V]. state: int64[STATE_SIZE].
    """

    slots: NDArray[np.uint32]
    widths: NDArray[np.uint32]
    byte_lengths: NDArray[np.uint32]
    pairs: NDArray[np.int64]
    lists: NDArray[np.int64]
    places: NDArray[np.int64]
    heap: NDArray[np.int64]
    waiting: NDArray[np.int64]
    buckets: NDArray[np.int64]
    sums: NDArray[np.int64]
    neighbours: NDArray[np.int64]
    records: NDArray[np.int64]
    merges: NDArray[np.int64]
    state: NDArray[np.int64]


@inline_kernel
def spans_of(work: Merging) -> Merging:
    """Return a span of each array. Call it once, on entry to a kernel: numba counts references to arrays, and passing
    an array on costs as much as several lookups."""
    return Merging(
        span(work.slots),
        span(work.widths),
        span(work.byte_lengths),
        span(work.pairs),
        span(work.lists),
        span(work.places),
        span(work.heap),
        span(work.waiting),
        span(work.buckets),
        span(work.sums),
        span(work.neighbours),
        span(work.records),
        span(work.merges),
        span(work.state),
    )


@inline_kernel
def number(work: Merging, place: int) -> int:
    """Return one of the numbers in ``state``."""
    return load64(work.state, place << 3)


@inline_kernel
def put_number(work: Merging, place: int, value: int) -> None:
    """Set one of the numbers in ``state``."""
    store64(work.state, place << 3, value)
