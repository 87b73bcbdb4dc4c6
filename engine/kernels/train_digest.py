"""A digest of counted pretokens: the same whatever the order in which they were counted."""

from __future__ import annotations

from engine.kernels._jit import kernel
from engine.kernels.bits import add_wrapping, fold_multiply, multiply_wrapping, shift_right
from engine.kernels.layout import LONG_PIECE
from engine.kernels.lookup import HASH_A, HASH_B
from engine.kernels.memory import load64
from engine.kernels.train_table import ARENA_MASK, ENTRIES_USED, ENTRY, LONG, CountTable, number_in, spans_of


@kernel
def digest_counts(arrays: CountTable) -> tuple[int, int]:
    """128 bits, as two signed words: sums over all entries of what their pretoken and its count mix into."""
    table = spans_of(arrays)
    entries, arena = table.entries, table.arena
    first = second = 0
    for number in range(number_in(table, ENTRIES_USED)):
        low = load64(entries, number * ENTRY)
        high = load64(entries, number * ENTRY + 8)
        count = load64(entries, number * ENTRY + 16)
        if shift_right(high, 56) == LONG_PIECE:
            high = LONG | load64(arena, high & ARENA_MASK)  # its size: its place depends on the order
        one = fold_multiply(low ^ HASH_A, high ^ HASH_B)
        other = fold_multiply(multiply_wrapping(low, HASH_B) ^ high, HASH_A)
        first = add_wrapping(first, fold_multiply(one ^ HASH_B, multiply_wrapping(count, HASH_A)))
        second = add_wrapping(second, fold_multiply(other ^ HASH_A, multiply_wrapping(count, HASH_B)))
    return first, second
