"""From counted pretokens to the slots that merging works on (``train_layout``), one for each byte or character.

``in_characters``: 0 where a symbol is a byte, 1 where it is a character; the pretokens are valid UTF-8 then.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.bits import shift_right
from engine.kernels.layout import LONG_PIECE
from engine.kernels.memory import Span, load8, load32, load64, span, store8, store32
from engine.kernels.train_layout import HEAD, MOST_WEIGHT
from engine.kernels.train_table import ARENA_MASK, ENTRIES_USED, ENTRY, CountTable, number_in, spans_of


@inline_kernel
def pretoken_of(table: CountTable, number: int) -> tuple[Span, int, int, int]:
    """Where the bytes of an entry are: their span, start and size; and how often it occurred."""
    high = load64(table.entries, number * ENTRY + 8)
    source: Span = table.entries
    start, size = number * ENTRY, shift_right(high, 56)
    if size == LONG_PIECE:
        source, start = table.arena, (high & ARENA_MASK) + 8
        size = load64(source, start - 8)
    return source, start, size, load64(table.entries, number * ENTRY + 16)


@inline_kernel
def copies(count: int) -> int:
    """How many heads a pretoken needs, each with at most ``MOST_WEIGHT`` occurrences."""
    return 1 + (count - 1) // MOST_WEIGHT


@inline_kernel
def character_bytes(source: Span, at: int) -> int:
    """How many bytes the character has that begins there; valid UTF-8."""
    lead = load8(source, at)
    return 1 + (lead >= 0xC0) + (lead >= 0xE0) + (lead >= 0xF0)


@inline_kernel
def code_point(source: Span, at: int, size: int) -> int:
    """The code point of a character of so many bytes."""
    value = load8(source, at)
    if size > 1:
        value &= 0x7F >> size
    for byte in range(at + 1, at + size):
        value = (value << 6) | (load8(source, byte) & 0x3F)
    return value


@inline_kernel
def count_symbols(source: Span, start: int, size: int, in_characters: int) -> int:
    """How many symbols a pretoken has."""
    if in_characters == 0:
        return size
    characters = 0
    for byte in range(start, start + size):
        characters += load8(source, byte) & 0xC0 != 0x80
    return characters


@kernel
def mark_characters(arrays: CountTable, seen: NDArray[np.uint8]) -> None:
    """Set ``seen`` to 1 at the code point of each character of the pretokens. seen: uint8[0x110000]."""
    table, marks = spans_of(arrays), span(seen)
    for number in range(number_in(table, ENTRIES_USED)):
        source, start, size, _ = pretoken_of(table, number)
        at = start
        while at < start + size:
            width = character_bytes(source, at)
            store8(marks, code_point(source, at, width), 1)
            at += width


@kernel
def measure_slots(arrays: CountTable, in_characters: int) -> tuple[int, int, int]:
    """How many slots the pretokens of more than one symbol need; how many symbols and bytes the corpus has."""
    table = spans_of(arrays)
    slots = 1
    symbols = total = 0
    for number in range(number_in(table, ENTRIES_USED)):
        source, start, size, count = pretoken_of(table, number)
        length = count_symbols(source, start, size, in_characters)
        total += size * count
        symbols += length * count
        if length > 1:
            slots += (length + 1) * copies(count)
    return slots, symbols, total


@inline_kernel
def write_bytes(source: Span, start: int, size: int, ids: Span, out: Span, at: int) -> int:
    """Write bytes as slots from byte offset ``at`` on. The offset behind them."""
    for byte in range(start, start + size):
        store32(out, at, load32(ids, load8(source, byte) << 2))
        at += 4
    return at


@inline_kernel
def write_characters(source: Span, start: int, size: int, ids: Span, out: Span, at: int) -> int:
    """Write characters as slots from byte offset ``at`` on. The offset behind them."""
    byte = start
    while byte < start + size:
        width = character_bytes(source, byte)
        store32(out, at, load32(ids, code_point(source, byte, width) << 2))
        at += 4
        byte += width
    return at


@kernel
def fill_slots(arrays: CountTable, in_characters: int, ids: NDArray[np.uint32], slots: NDArray[np.uint32]) -> None:
    """Write the pretokens of more than one symbol as slots. ids: uint32[256] by byte, or uint32[0x110000] by code
    point. slots: uint32[n], n as measured."""
    table, id_of, out = spans_of(arrays), span(ids), span(slots)
    at = 0
    for number in range(number_in(table, ENTRIES_USED)):
        source, start, size, count = pretoken_of(table, number)
        if count_symbols(source, start, size, in_characters) < 2:
            continue
        while count > 0:
            weight = min(count, MOST_WEIGHT)
            count -= weight
            store32(out, at, HEAD + weight)
            if in_characters:
                at = write_characters(source, start, size, id_of, out, at + 4)
            else:
                at = write_bytes(source, start, size, id_of, out, at + 4)
    store32(out, at, HEAD)
