"""What a piece was found to be: a *value* of two 64-bit words, small enough to stand beside its key.

The four highest bits of the first word say how many tokens: 1 to 6, whose ids stand in the value itself, 20 bits each,
three to a word. ``ELSEWHERE`` means that the ids are in the arena: the low half of the first word is their place, the
low half of the second their number, its high half the epoch of the arena in which that is true.
"""

from __future__ import annotations

from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.bits import shift_left, shift_right
from engine.kernels.layout import NUMBER_BITS
from engine.kernels.memory import Span, load32, load64, store32, store64
from engine.kernels.vectors import spread_ids

COUNT_SHIFT = 60
ELSEWHERE = 15
MOST_INLINE = 6
LOW_HALF = 0xFFFFFFFF


@inline_kernel
def token_count(first: int, second: int) -> int:
    """How many tokens a value stands for."""
    count = shift_right(first, COUNT_SHIFT)
    if count == ELSEWHERE:
        count = second & LOW_HALF
    return count


@inline_kernel
def one_token(token_id: int) -> int:
    """First word of the value of a piece that is a token."""
    return token_id | (1 << COUNT_SHIFT)


@kernel
def put_inline(values: Span, byte_offset: int, ids: Span, count: int) -> None:
    """Write the value of a piece of at most ``MOST_INLINE`` tokens."""
    first = shift_left(count, COUNT_SHIFT)
    second = 0
    for place in range(count):
        token_id = load32(ids, place << 2)
        if place < 3:
            first |= token_id << (NUMBER_BITS * place)
        else:
            second |= token_id << (NUMBER_BITS * (place - 3))
    store64(values, byte_offset, first)
    store64(values, byte_offset + 8, second)


@kernel
def put_elsewhere(values: Span, byte_offset: int, place: int, count: int, epoch: int) -> None:
    """Write the value of a piece whose ids are in the arena."""
    store64(values, byte_offset, shift_left(ELSEWHERE, COUNT_SHIFT) | place)
    store64(values, byte_offset + 8, (epoch << 32) | count)


@inline_kernel
def emit(out: Span, at: int, values: Span, byte_offset: int, arena: Span) -> int:
    """Append the ids of a value to ``out`` at byte offset ``at``. The offset behind them; up to ``SPREAD`` ids more
    than that may be overwritten."""
    first = load64(values, byte_offset)
    count = shift_right(first, COUNT_SHIFT)
    spread_ids(out, at, values, byte_offset)
    if count == ELSEWHERE:
        count = load64(values, byte_offset + 8) & LOW_HALF
        source = first & LOW_HALF
        for place in range(count):
            store32(out, at + (place << 2), load32(arena, source + (place << 2)))
    return at + (count << 2)
