"""Start of a merging phase: count all pairs, and make the lists of those that are frequent enough.

Pairs below a threshold have neither a list nor a queue entry, which keeps both small: most pairs are rare. When the
queue has run down to the threshold, the rest is recounted with a lower one: the next *phase*.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.memory import Span, keep, length, load32, load64, prefetch, span, store32, store64
from engine.kernels.train_layout import (
    BUCKET,
    HEAD,
    HEAP_SIZE,
    LONGEST,
    PAIR_SHIFT,
    PAIRS_USED,
    PLACES_USED,
    Merging,
    number,
    put_number,
    spans_of,
)
from engine.kernels.train_merge import ENTRY, bucket_of, find, home, let_wait, pair_key

WEIGHT = 0xFFFFFFFF
"""Mask of the weight in a place."""
BATCH = 128
"""Pairs looked up together, so that the processor does not wait for each."""


@kernel
def compact(slots: NDArray[np.uint32], widths: NDArray[np.uint32]) -> int:
    """Reduce every token to one slot and drop pretokens of one token, in place. Return the number of slots left."""
    text, width_of = span(slots), span(widths)
    used = 0
    at = 0
    while at < slots.size - 1:
        word = used
        store32(text, used << 2, load32(text, at << 2))
        used += 1
        at += 1
        while True:
            token = load32(text, at << 2)
            if token >= HEAD:
                break
            store32(text, used << 2, token)
            used += 1
            at += load32(width_of, token << 2)
        if used - word <= 2:
            used = word
    store32(text, used << 2, HEAD)
    return used + 1


@inline_kernel
def gather(work: Merging, at: int, stop: int, weight: int, batch: Span) -> tuple[int, int, int]:
    """Write up to ``BATCH`` pairs that start in slots ``at`` to ``stop`` to ``batch``, as key and place (see
    ``train_layout``). Every token must have one slot. ``weight``: that of the pretoken at ``at``. Return the number of
    pairs, the slot reached, and the weight there."""
    slots, pairs, lists, shift = work.slots, work.pairs, work.lists, number(work, PAIR_SHIFT)
    count = 0
    while count < BATCH and at < stop:
        token = load32(slots, at << 2)
        behind = load32(slots, (at << 2) + 4)
        if token >= HEAD:
            weight = token - HEAD
        elif behind < HEAD:
            key = pair_key(token, behind)
            store64(batch, count << 4, key)
            store64(batch, (count << 4) + 8, (at << 32) | weight)
            prefetch(pairs, home(key, shift))
            prefetch(lists, home(key, shift))
            count += 1
        at += 1
    return count, at, weight


@kernel
def count_pairs(arrays: Merging, start: int, stop: int) -> int:
    """Add the pairs that start in slots ``start`` to ``stop`` to the table. Every token must have one slot. Return the
    slot reached, which is earlier if the table is half full. Occurrences are counted in the second word of
    ``lists``."""
    work = spans_of(arrays)
    pairs, lists, shift, used = work.pairs, work.lists, number(work, PAIR_SHIFT), number(work, PAIRS_USED)
    keys = np.empty(2 * BATCH, np.int64)
    batch = span(keys)
    at = head = start
    while load32(work.slots, head << 2) < HEAD:
        head -= 1
    weight = load32(work.slots, head << 2) - HEAD
    while at < stop and (used + BATCH) << 5 <= length(pairs):
        count, at, weight = gather(work, at, stop, weight, batch)
        for index in range(count):
            key = load64(batch, index << 4)
            entry = find(pairs, shift, key)
            used += load64(pairs, entry) == 0
            store64(pairs, entry, key)
            store64(pairs, entry + 8, load64(pairs, entry + 8) + (load64(batch, (index << 4) + 8) & WEIGHT))
            store64(lists, entry + 8, load64(lists, entry + 8) + 1)
    put_number(work, PAIRS_USED, used)
    keep(keys)
    return at


@kernel
def drop_long_pairs(arrays: Merging) -> int:
    """Drop pairs that would make too long a token. Return the highest remaining count."""
    pairs, lengths = span(arrays.pairs), span(arrays.byte_lengths)
    longest = arrays.state[LONGEST]
    highest = 0
    for entry in range(0, length(pairs), ENTRY):
        key = load64(pairs, entry)
        if key != 0:
            left, right = (key - 1) >> 32, (key - 1) & 0xFFFFFFFF
            if load32(lengths, left << 2) + load32(lengths, right << 2) > longest:
                store64(pairs, entry + 8, 0)
            highest = max(highest, load64(pairs, entry + 8))
    return highest


@kernel
def pairs_above(arrays: Merging, least: int) -> tuple[int, int]:
    """Return how many pairs have a count of at least ``least``, and how many places they have."""
    pairs, lists = span(arrays.pairs), span(arrays.lists)
    found = places = 0
    for entry in range(0, length(pairs), ENTRY):
        if load64(pairs, entry) != 0 and load64(pairs, entry + 8) >= least:
            found += 1
            places += load64(lists, entry + 8)
    return found, places


@kernel
def start_lists(arrays: Merging, highest: int) -> None:
    """Reserve room for each pair's list, and put it into the empty queue. No count exceeds ``highest``."""
    work = spans_of(arrays)
    put_number(work, BUCKET, bucket_of(highest))
    put_number(work, HEAP_SIZE, 0)
    used = 0
    for entry in range(0, length(work.pairs), ENTRY):
        key = load64(work.pairs, entry)
        if key != 0:
            store64(work.lists, entry, used)
            used += load64(work.lists, entry + 8)
            let_wait(work, load64(work.pairs, entry + 8), key)
    put_number(work, PLACES_USED, used)


@kernel
def list_places(arrays: Merging, start: int, stop: int) -> None:
    """Put the places of slots ``start`` to ``stop``, where a pretoken starts, on the lists of their pairs. The start of
    each list moves to the end of its content."""
    work = spans_of(arrays)
    pairs, lists, places, shift = work.pairs, work.lists, work.places, number(work, PAIR_SHIFT)
    keys = np.empty(2 * BATCH, np.int64)
    batch = span(keys)
    at = start
    weight = 0
    while at < stop:
        count, at, weight = gather(work, at, stop, weight, batch)
        for index in range(count):
            entry = find(pairs, shift, load64(batch, index << 4))
            if load64(pairs, entry) != 0:
                cursor = load64(lists, entry)
                store64(places, cursor << 3, load64(batch, (index << 4) + 8))
                store64(lists, entry, cursor + 1)
    keep(keys)


@kernel
def rewind_lists(arrays: Merging) -> None:
    """Reset the start of each list after ``list_places``."""
    lists, pairs = span(arrays.lists), span(arrays.pairs)
    for entry in range(0, length(lists), ENTRY):
        if load64(pairs, entry) != 0:
            store64(lists, entry, load64(lists, entry) - load64(lists, entry + 8))
