"""Safe cuts (``engine.split.safe_cuts``) in a Python text, sixty-four characters at a time.

Most blocks of a text without a cut have no place that comes into question: instructions on whole blocks find that out.
What does come into question is asked of the table of ``engine.split.unit_properties``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numpy.typing import NDArray

from engine.kernels._jit import inline_kernel, kernel, primitive
from engine.kernels.block_layout import PAIR_COUNT_AT
from engine.kernels.blocks import BLOCK, NONE, ONE, Mask, highest, lowest, no_plain_twin
from engine.kernels.edit_window import is_cut
from engine.kernels.memory import SPAN_TYPE, Span, load8, load16, load32, span
from engine.kernels.utf8 import characters, load_characters, width_of
from engine.kernels.vectors import same_line

_I64 = ir.IntType(64)


def _candidate_finder(width: int) -> Callable[[Span, int], Mask]:
    @primitive(no_plain_twin)
    def candidates(typing_context: Any, source: Any, byte_offset: Any) -> Any:
        def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            source, byte_offset = args
            before_offset = builder.sub(byte_offset, _I64(width))
            here = load_characters(context, builder, source, byte_offset, width, BLOCK)
            before = load_characters(context, builder, source, before_offset, width, BLOCK)

            def each(block: Any, value: int) -> Any:
                return ir.Constant(block.type, [value] * BLOCK)

            def within(block: Any, first: str, last: str) -> Any:
                moved = builder.sub(block, each(block, ord(first)))
                return builder.icmp_unsigned("<", moved, each(block, ord(last) - ord(first) + 1))

            def beyond_signs(block: Any) -> Any:
                letters = within(builder.or_(block, each(block, 0x20)), "a", "z")
                wide = builder.icmp_unsigned(">=", block, each(block, 0x80))
                return builder.or_(builder.or_(letters, within(block, "0", "9")), wide)

            spaces = builder.or_(within(before, "\t", "\r"), within(before, " ", " "))
            blanks = builder.or_(within(here, "\t", "\t"), within(here, " ", " "))
            behind_word = beyond_signs(before)
            found = builder.or_(behind_word, builder.and_(blanks, builder.not_(spaces)))
            found = builder.and_(found, builder.not_(beyond_signs(here)))
            if width > 1:
                signs = builder.or_(within(here, "\u3001", "\u3011"), within(here, "\uff01", "\uff1f"))
                found = builder.or_(found, builder.and_(signs, behind_word))
            return builder.bitcast(found, _I64)

        return types.uint64(SPAN_TYPE, types.int64), recipe

    return cast(Callable[[Span, int], Mask], candidates)


_candidates_1, _candidates_2, _candidates_4 = map(_candidate_finder, (1, 2, 4))


@inline_kernel
def _candidates(source: Span, byte_offset: int, width: int) -> Mask:
    """Which of the 64 characters at an offset, which is not 0, may have a cut before them. All that do are among them,
    and of those of white space, of letters and of digits, no others."""
    if width == 1:
        if same_line(source, byte_offset, source, byte_offset - 1):
            return NONE  # no cut is within a run of one of these characters
        return _candidates_1(source, byte_offset)
    if width == 2:
        return _candidates_2(source, byte_offset)
    return _candidates_4(source, byte_offset)


@inline_kernel
def _flags_at(source: Span, width: int, place: int, properties: Span) -> int:
    """Flags of a character. Those that take two units of UTF-16 have none."""
    if width == 1:
        point = load8(source, place)
    elif width == 2:
        point = load16(source, place << 1)
    else:
        point = load32(source, place << 2)
    return load8(properties, point) if point < PAIR_COUNT_AT else 0


@inline_kernel
def _is_cut_at(source: Span, width: int, place: int, properties: Span) -> bool:
    return is_cut(_flags_at(source, width, place - 1, properties), _flags_at(source, width, place, properties))


@inline_kernel
def _check_range(size: int, char_start: int, char_end: int, properties_size: int) -> None:
    if char_start < 1 or char_end < char_start or char_end > size:
        raise IndexError("there are no such characters in the text")
    if properties_size < PAIR_COUNT_AT:
        raise IndexError("these are no properties of units")


@kernel
def first_cut_in(text: str, char_start: int, char_end: int, properties: NDArray[np.uint8]) -> int:
    """The first cut p with ``char_start <= p < char_end``, or -1.

    ``properties``: uint8[n], from ``engine.split.unit_properties``. IndexError unless 1 <= char_start <= char_end <=
    length.
    """
    width = width_of(text)
    _check_range(len(text), char_start, char_end, properties.size)
    source, flags = characters(text), span(properties)
    place = char_start
    while place < char_end:
        if place + BLOCK <= char_end:
            found = _candidates(source, place * width, width)
            while found != NONE:
                at = place + lowest(found)
                if _is_cut_at(source, width, at, flags):
                    return at
                found &= found - ONE
            place += BLOCK
        else:
            if _is_cut_at(source, width, place, flags):
                return place
            place += 1
    return -1


@kernel
def last_cut_in(text: str, char_start: int, char_end: int, properties: NDArray[np.uint8]) -> int:
    """The last cut p with ``char_start <= p < char_end``, or -1. As ``first_cut_in``."""
    width = width_of(text)
    _check_range(len(text), char_start, char_end, properties.size)
    source, flags = characters(text), span(properties)
    end = char_end
    while end > char_start:
        if end - BLOCK >= char_start:
            end -= BLOCK
            found = _candidates(source, end * width, width)
            while found != NONE:
                place = highest(found)
                if _is_cut_at(source, width, end + place, flags):
                    return end + place
                found ^= ONE << place
        else:
            end -= 1
            if _is_cut_at(source, width, end, flags):
                return end
    return -1


@kernel
def find_chunks(text: str, size: int, properties: NDArray[np.uint8]) -> NDArray[np.int64]:
    """int64[k, 2]: where the pieces start and end that ``engine.split.safe_cuts.CutFinder.chunks`` cuts a text into.

    ``size``: characters of a piece at most, where there are cuts; IndexError for less than one. ``properties``: as for
    ``first_cut_in``.
    """
    if size < 1:
        raise IndexError("there are no pieces of that size")
    length = len(text)
    # A piece ends at the last cut within its reach, so that the next one ends beyond it: two have more than ``size``.
    chunks = np.empty((2 * (length // size) + 2, 2), np.int64)
    found = start = 0
    while length - start > size:
        cut = last_cut_in(text, start + 1, start + size + 1, properties)
        if cut < 0:
            cut = first_cut_in(text, start + size + 1, length, properties)
        if cut < 0:
            break
        chunks[found, 0], chunks[found, 1] = start, cut
        found += 1
        start = cut
    if start < length:
        chunks[found, 0], chunks[found, 1] = start, length
        found += 1
    return chunks[:found]
