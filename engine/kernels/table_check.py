"""Whether tables are what the other kernels may trust: every number in them that a kernel uses as a place, or that ends
one of its loops, is looked at once. After that nothing in the tables can lead a kernel out of its memory, whatever file
they come from.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import layout
from engine.kernels._jit import kernel
from engine.kernels.lanes import SLOTS_FULL
from engine.kernels.layout import NO_MERGE, NUMBER_MASK, section
from engine.kernels.lookup import LINE_IDS, LINE_MARK, OVERFLOWED
from engine.kernels.memory import Span, length, load32, load64, span


@kernel
def offsets_are_sound(tables: Span) -> bool:
    """Whether the offsets of the tokens ascend from the start of their bytes to the end."""
    offsets = section(tables, layout.TOKEN_OFFSETS)
    wrong = load32(offsets, 0) != 0
    for at in range(0, load64(tables, layout.TOKEN_COUNT) << 2, 4):
        wrong |= load32(offsets, at) > load32(offsets, at + 4)
    last = load32(offsets, load64(tables, layout.TOKEN_COUNT) << 2)
    return not wrong and last == length(section(tables, layout.TOKEN_BYTES))


@kernel
def lines_are_sound(tables: Span) -> bool:
    """Whether the used places of LINES have ids of this vocabulary, the others nothing that looks like a key, and a
    search always comes to an end."""
    lines = section(tables, layout.LINES)
    first_id = load64(tables, layout.FIRST_ID)
    id_limit = first_id + load64(tables, layout.TOKEN_COUNT)
    wrong = False
    ends = 0
    for line in range(0, length(lines), 64):
        mark = load32(lines, line + LINE_MARK)
        wrong |= mark & ~(OVERFLOWED | 3) != 0
        ends += mark & OVERFLOWED == 0
        for place in range(3):
            token_id = load32(lines, line + LINE_IDS + (place << 2))
            is_key = load64(lines, line + (place << 4) + 8) != 0
            wrong |= is_key & ((place >= mark & 3) | (token_id < first_id) | (token_id >= id_limit))
    return not wrong and ends > 0


@kernel
def longs_are_sound(tables: Span) -> bool:
    """Whether the slots of LONGS have numbers of this vocabulary, and one is empty."""
    slots = section(tables, layout.LONGS)
    count = load64(tables, layout.TOKEN_COUNT)
    wrong = False
    empty = 0
    for at in range(0, length(slots), 8):
        number = (load64(slots, at) & 0xFFFFFFFF) - 1
        is_empty = load64(slots, at) == 0
        empty += is_empty
        wrong |= (not is_empty) & ((number < 0) | (number >= count))
    return not wrong and empty > 0


@kernel
def pairs_are_sound(tables: Span) -> bool:
    """Return True if every pair makes a valid number and no probe sequence is endless."""
    pairs = section(tables, layout.PAIRS)
    count = load64(tables, layout.TOKEN_COUNT)
    empty = 0
    beyond = 0
    for at in range(0, length(pairs), 8):
        slot = load64(pairs, at)
        number = slot & NUMBER_MASK
        empty += slot == -1
        beyond += number >= count
    ends = 0
    for line in range(0, length(pairs), 64):
        ends += load64(pairs, line + SLOTS_FULL) == -1
    return ends > 0 and beyond == empty  # an empty slot is all ones: its number is beyond all


@kernel
def bytes_are_sound(tables: Span) -> bool:
    """Whether single bytes, and what two of them become, are numbers of this vocabulary."""
    numbers = section(tables, layout.BYTE_TOKENS)
    bigrams = section(tables, layout.BIGRAMS)
    count = load64(tables, layout.TOKEN_COUNT)
    wrong = False
    for at in range(0, length(numbers), 4):
        wrong |= load32(numbers, at) >= count
    for at in range(0, length(bigrams), 4):
        merge = load32(bigrams, at)
        wrong |= (merge < NO_MERGE) & ((merge & 63 != 0) | (merge >> 6 >= count))
    return not wrong


@kernel
def contents_are_sound(tables: NDArray[np.uint8]) -> bool:
    """``tables``: uint8[n], with a header and a directory that fit (``engine.vocabulary.tables``)."""
    fixed = span(tables)
    return (
        offsets_are_sound(fixed)
        and lines_are_sound(fixed)
        and longs_are_sound(fixed)
        and pairs_are_sound(fixed)
        and bytes_are_sound(fixed)
    )
