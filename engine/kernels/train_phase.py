"""Starting to merge: count all pairs, and make the lists of those that occur often enough.

Pairs below a threshold have neither a list nor a place in the heap, which keeps both small: most pairs are rare. When
the heap has run down to the threshold, what is left is counted anew, with a lower one: the next *phase*.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel
from engine.kernels.memory import keep, length, load32, load64, prefetch, span, store32, store64
from engine.kernels.train_heap import push
from engine.kernels.train_layout import (
    HEAD,
    HEAP_SIZE,
    LONGEST,
    PAIR_SHIFT,
    PAIRS_USED,
    PLACES_USED,
    Merging,
)
from engine.kernels.train_pairs import ENTRY, find, home, pair_key

BATCH = 128
"""Pairs that are looked up together, so that the processor does not wait for each."""


@kernel
def compact(slots: NDArray[np.uint32], widths: NDArray[np.uint32]) -> int:
    """Give every token one slot, and drop pretokens that are one token. In place; how many slots are left."""
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


@kernel
def count_pairs(work: Merging, start: int, stop: int) -> int:
    """Add the pairs that begin in slots ``start`` to ``stop`` to the table, where every token has one slot. Returns the
    slot reached, earlier when the table is half full. ``lists`` counts occurrences in the second word."""
    slots, pairs, lists, state = span(work.slots), span(work.pairs), span(work.lists), work.state
    shift = state[PAIR_SHIFT]
    used = state[PAIRS_USED]
    keys = np.empty(2 * BATCH, np.int64)
    batch = span(keys)
    at = start
    head = at
    while load32(slots, head << 2) < HEAD:
        head -= 1
    weight = load32(slots, head << 2) - HEAD
    while at < stop and 4 * (used + BATCH) <= work.pairs.size:
        count = 0
        while count < BATCH and at < stop:
            token = load32(slots, at << 2)
            behind = load32(slots, (at << 2) + 4)
            if token >= HEAD:
                weight = token - HEAD
            elif behind < HEAD:
                key = pair_key(token, behind)
                store64(batch, count << 4, key)
                store64(batch, (count << 4) + 8, weight)
                prefetch(pairs, home(key, shift))
                prefetch(lists, home(key, shift))
                count += 1
            at += 1
        for index in range(count):
            key = load64(batch, index << 4)
            entry = find(pairs, shift, key)
            used += load64(pairs, entry) == 0
            store64(pairs, entry, key)
            store64(pairs, entry + 8, load64(pairs, entry + 8) + load64(batch, (index << 4) + 8))
            store64(lists, entry + 8, load64(lists, entry + 8) + 1)
    state[PAIRS_USED] = used
    keep(keys)
    return at


@kernel
def drop_long_pairs(work: Merging) -> int:
    """Forget pairs that would make too long a token. The highest count that is left."""
    pairs, lengths = span(work.pairs), span(work.byte_lengths)
    longest = work.state[LONGEST]
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
def pairs_above(work: Merging, least: int) -> tuple[int, int]:
    """How many pairs occur ``least`` times or more, and how many places they have."""
    pairs, lists = span(work.pairs), span(work.lists)
    number = places = 0
    for entry in range(0, length(pairs), ENTRY):
        if load64(pairs, entry) != 0 and load64(pairs, entry + 8) >= least:
            number += 1
            places += load64(lists, entry + 8)
    return number, places


@kernel
def start_lists(work: Merging) -> None:
    """Give each pair room for its list, and put it into the heap."""
    pairs, lists, heap, state = span(work.pairs), span(work.lists), span(work.heap), work.state
    used = size = 0
    for entry in range(0, length(pairs), ENTRY):
        key = load64(pairs, entry)
        if key != 0:
            store64(lists, entry, used)
            used += load64(lists, entry + 8)
            push(heap, size, load64(pairs, entry + 8), key)
            size += 1
    state[PLACES_USED] = used
    state[HEAP_SIZE] = size


@kernel
def list_places(work: Merging, start: int, stop: int) -> None:
    """Put the places of slots ``start`` to ``stop``, where a pretoken begins, on the lists of their pairs. The start of
    each list moves behind what is on it."""
    slots, pairs, lists = span(work.slots), span(work.pairs), span(work.lists)
    places, shift = span(work.places), work.state[PAIR_SHIFT]
    keys = np.empty(2 * BATCH, np.int64)
    batch = span(keys)
    at = start
    weight = 0
    while at < stop:
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
        for index in range(count):
            entry = find(pairs, shift, load64(batch, index << 4))
            if load64(pairs, entry) != 0:
                cursor = load64(lists, entry)
                store64(places, cursor << 3, load64(batch, (index << 4) + 8))
                store64(lists, entry, cursor + 1)
    keep(keys)


@kernel
def rewind_lists(work: Merging) -> None:
    """After ``list_places``: let the start of each list be its start again."""
    lists, pairs = span(work.lists), span(work.pairs)
    for entry in range(0, length(lists), ENTRY):
        if load64(pairs, entry) != 0:
            store64(lists, entry, load64(lists, entry) - load64(lists, entry + 8))
