"""From counted pretokens to the slots that merging works on (``train_layout``)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel
from engine.kernels.bits import shift_right
from engine.kernels.layout import LONG_PIECE
from engine.kernels.memory import load8, load32, load64, span, store32
from engine.kernels.train_layout import HEAD, MOST_WEIGHT
from engine.kernels.train_table import ARENA_MASK, ENTRIES_USED, ENTRY, CountTable


@kernel
def measure_slots(table: CountTable) -> tuple[int, int]:
    """How many slots the pretokens of more than one byte need, and how many bytes the corpus has."""
    entries, arena = span(table.entries), span(table.arena)
    slots = 1
    total = 0
    for number in range(table.state[ENTRIES_USED]):
        high = load64(entries, number * ENTRY + 8)
        count = load64(entries, number * ENTRY + 16)
        size = shift_right(high, 56)
        if size == LONG_PIECE:
            size = load64(arena, high & ARENA_MASK)
        total += size * count
        if size > 1:
            slots += (size + 1) * (1 + (count - 1) // MOST_WEIGHT)
    return slots, total


@kernel
def fill_slots(table: CountTable, byte_ids: NDArray[np.uint32], slots: NDArray[np.uint32]) -> None:
    """Write the pretokens of more than one byte as slots. byte_ids: uint32[256]; slots: uint32[n], n as measured."""
    entries, arena, ids, out = span(table.entries), span(table.arena), span(byte_ids), span(slots)
    at = 0
    for number in range(table.state[ENTRIES_USED]):
        high = load64(entries, number * ENTRY + 8)
        count = load64(entries, number * ENTRY + 16)
        source, start, size = entries, number * ENTRY, shift_right(high, 56)
        if size == LONG_PIECE:
            source, start = arena, (high & ARENA_MASK) + 8
            size = load64(arena, start - 8)
        if size < 2:
            continue
        while count > 0:
            weight = min(count, MOST_WEIGHT)
            count -= weight
            store32(out, at, HEAD + weight)
            at += 4
            for byte in range(size):
                store32(out, at, load32(ids, load8(source, start + byte) << 2))
                at += 4
    store32(out, at, HEAD)
