"""From counted pretokens to the slots that merging works on (``train_layout``), one for each byte or character."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.bits import shift_right
from engine.kernels.layout import LONG_PIECE
from engine.kernels.memory import Span, load8, load32, load64, span, store32
from engine.kernels.train_layout import HEAD, MOST_WEIGHT
from engine.kernels.train_table import ARENA_MASK, ENTRIES_USED, ENTRY, CountTable


@inline_kernel
def pretoken_of(table: CountTable, number: int) -> tuple[Span, int, int, int]:
    """Where the bytes of an entry are: their span, start and size; and how often it occurred."""
    entries = span(table.entries)
    high = load64(entries, number * ENTRY + 8)
    source, start, size = entries, number * ENTRY, shift_right(high, 56)
    if size == LONG_PIECE:
        source, start = span(table.arena), (high & ARENA_MASK) + 8
        size = load64(source, start - 8)
    return source, start, size, load64(entries, number * ENTRY + 16)


@inline_kernel
def copies(count: int) -> int:
    """How many heads a pretoken needs, each with at most ``MOST_WEIGHT`` occurrences."""
    return 1 + (count - 1) // MOST_WEIGHT


@kernel
def measure_slots(table: CountTable) -> tuple[int, int]:
    """How many slots the pretokens of more than one byte need, and how many bytes the corpus has."""
    slots = 1
    total = 0
    for number in range(table.state[ENTRIES_USED]):
        _, _, size, count = pretoken_of(table, number)
        total += size * count
        if size > 1:
            slots += (size + 1) * copies(count)
    return slots, total


@kernel
def fill_slots(table: CountTable, byte_ids: NDArray[np.uint32], slots: NDArray[np.uint32]) -> None:
    """Write the pretokens of more than one byte as slots. byte_ids: uint32[256]; slots: uint32[n], n as measured."""
    ids, out = span(byte_ids), span(slots)
    at = 0
    for number in range(table.state[ENTRIES_USED]):
        source, start, size, count = pretoken_of(table, number)
        if size < 2:
            continue
        while count > 0:
            weight = min(count, MOST_WEIGHT)
            count -= weight
            store32(out, at, HEAD + weight)
            at += 4
            for byte in range(start, start + size):
                store32(out, at, load32(ids, load8(source, byte) << 2))
                at += 4
    store32(out, at, HEAD)


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


@kernel
def mark_characters(table: CountTable, seen: NDArray[np.uint8]) -> None:
    """Set ``seen`` to 1 at the code point of each character of the pretokens, which are valid UTF-8. seen:
    uint8[0x110000]."""
    for number in range(table.state[ENTRIES_USED]):
        source, start, size, _ = pretoken_of(table, number)
        at = start
        while at < start + size:
            width = character_bytes(source, at)
            seen[code_point(source, at, width)] = 1
            at += width


@inline_kernel
def count_characters(source: Span, start: int, size: int) -> int:
    """How many characters a stretch of valid UTF-8 has."""
    characters = 0
    for byte in range(start, start + size):
        characters += load8(source, byte) & 0xC0 != 0x80
    return characters


@kernel
def measure_character_slots(table: CountTable) -> tuple[int, int, int]:
    """How many slots the pretokens of more than one character need; how many characters and bytes the corpus has."""
    slots = 1
    characters = total = 0
    for number in range(table.state[ENTRIES_USED]):
        source, start, size, count = pretoken_of(table, number)
        length = count_characters(source, start, size)
        total += size * count
        characters += length * count
        if length > 1:
            slots += (length + 1) * copies(count)
    return slots, characters, total


@kernel
def fill_character_slots(table: CountTable, ids: NDArray[np.uint32], slots: NDArray[np.uint32]) -> None:
    """As ``fill_slots``, one slot a character. ids: uint32[0x110000], by code point."""
    id_of, out = span(ids), span(slots)
    at = 0
    for number in range(table.state[ENTRIES_USED]):
        source, start, size, count = pretoken_of(table, number)
        if count_characters(source, start, size) < 2:
            continue
        while count > 0:
            weight = min(count, MOST_WEIGHT)
            count -= weight
            store32(out, at, HEAD + weight)
            at += 4
            byte = start
            while byte < start + size:
                width = character_bytes(source, byte)
                store32(out, at, load32(id_of, code_point(source, byte, width) << 2))
                at += 4
                byte += width
    store32(out, at, HEAD)
