"""What the merging kernels of training work on: flat arrays, bundled, with the numbers that change in ``state``.

*Slots* are the different pretokens one after the other: a head (``HEAD`` plus how often the pretoken occurs), then one
slot for each symbol of the alphabet, then the next head; one more head ends them all. A token that has merged keeps the
slots of what it is made of: the first and the last of them hold its id. So both neighbours of a token are found without
links, and nothing ever moves.

A *place* is a slot and the weight of its pretoken: ``slot << 32 | weight``. For each pair of tokens there is a list of
places where it was when the list was made, in the order of the slots; whether it still is there is seen on use.

Pairs are known by a *key*, ``(left << 32 | right) + 1``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import inline_kernel
from engine.kernels.memory import load64, span, store64

HEAD = 1 << 31
"""Marks the slot in front of a pretoken. Ids and weights are below it."""
GONE = 0xFFFFFFFF
"""Marks a slot where a token began that is now the right part of another."""
MOST_WEIGHT = HEAD - 1
"""A pretoken that occurs more often stands there several times."""

# Places of numbers in ``state``.
THRESHOLD = 0  # pairs that occur less often are left out of PAIRS
PAIR_SHIFT = 1  # hash >> shift is an entry of ``pairs``
PAIRS_USED = 2  # entries of ``pairs`` in use
HEAP_SIZE = 3  # entries of ``heap`` in use
PLACES_USED = 4  # entries of ``places`` in use
MERGED = 5  # merges done
TOKENS = 6  # tokens of the corpus
FIRST_ID = 7  # id of the first merge: how many symbols the alphabet has
NEEDED = 8  # why merging stopped: room needed
LONGEST = 9  # no token has more bytes than that
LEFT = 10  # left part of the pair being merged
BUCKET = 11  # the bucket whose pairs are in ``heap``
WAITING_USED = 12  # entries of ``waiting`` that were ever in use
WAITING_FREE = 13  # the first of those that are free again, plus one; 0: none
STATE_SIZE = 16

# Why merging stopped.
PAUSED = 0  # it did as much as it was asked to
BELOW_THRESHOLD = 1  # no pair is left that occurs so often
NO_ROOM_PLACES = 2
NO_ROOM_PAIRS = 3
NO_ROOM_RECORDS = 4

MERGE_FIELDS = 4
"""A merge in ``merges``: left id, right id, how often the pair occurred, tokens of the corpus afterwards."""


class Merging(NamedTuple):
    """All arrays that merging needs; contiguous and writable. ``V``: ids there can be. Kernels work on the same with a
    span of each array: ``spans_of``.

    slots: uint32[n]. widths: uint32[V], slots that each token takes. byte_lengths: uint32[V].
    pairs: int64[2 * 2**k], key and count of each pair; key 0 is empty. lists: int64[2 * 2**k], start and length in
    ``places`` of the list of the pair in the same place of ``pairs``.
    places: int64[p]. heap: int64[2**k], count and key of pairs. waiting: int64[2**k], key of a pair, and the number
    plus one of the next in its bucket. buckets: int64[BUCKETS], the number plus one of the first in each, 0 for none.
    sums: int64[4 * V], zero between merges: of each token as a left neighbour its weight and occurrences, then as a
    right one. neighbours: int64[2 * V], left ones, then right ones.
    records: int64[2 * r], of each merged place: the place, and ``left neighbour << 32 | right neighbour``.
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
    """A span of each array. To be made once, at the door of a kernel: numba counts references to arrays, and each array
    that is passed on costs as much as several lookups."""
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
    """One of the numbers in ``state``."""
    return load64(work.state, place << 3)


@inline_kernel
def put_number(work: Merging, place: int, value: int) -> None:
    """Change one of the numbers in ``state``."""
    store64(work.state, place << 3, value)
