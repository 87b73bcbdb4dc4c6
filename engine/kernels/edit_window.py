"""Edits in a block of text: finding the span to re-encode, and splicing in the new tokens.

This span, the *window*, lies between two safe boundaries that the edit does not touch. ``engine.split.safe_boundaries``
defines them and explains why the texts on both sides of one encode independently. ``is_cut`` is the rule given there.

An edit takes two calls: ``find_window`` changes nothing and returns the new text of the window as UTF-8; with the ids
of that text, ``replace_window`` changes the block. ``block_layout`` describes the arrays.

``first_cut_in``, ``last_cut_in`` and ``find_chunks`` find safe boundaries in a Python text, sixty-four characters at a
time. Most blocks of a text without boundaries have no candidate: instructions on whole blocks detect that
(``_candidates``). Candidates are looked up in the table of ``engine.split.safe_boundaries``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numpy.typing import NDArray

from engine.kernels import block_layout as layout
from engine.kernels._jit import inline_kernel, kernel, primitive
from engine.kernels.block_layout import (
    ANY_UNIT,
    BLANK,
    LETTER_OR_NUMBER,
    LINE_END,
    MAX_UNITS,
    NEWLINE,
    PAIR_COUNT_AT,
    PUNCTUATION,
    SEPARATOR,
    SPECIAL_START,
    UNITS_AT,
    WHITE,
)
from engine.kernels.blocks import BLOCK, NONE, ONE, Mask, highest, lowest, no_plain_twin
from engine.kernels.primitives import (
    SPAN_TYPE,
    Span,
    load8,
    load16,
    load32,
    load64,
    move,
    part,
    same_line,
    span,
    store8,
    store32,
    store64,
)
from engine.kernels.text_bytes import characters, load_characters, width_of


@inline_kernel
def is_cut(before: int, flags: int) -> bool:
    """Return True if there is a safe boundary between two units with these flags."""
    at_blank = (flags & BLANK != 0) & (before & WHITE == 0)
    behind_word = (flags & (LINE_END | PUNCTUATION) != 0) & (before & LETTER_OR_NUMBER != 0)
    return at_blank | behind_word


@kernel
def cut_before(units: Span, properties: Span, highest: int, lowest: int) -> int:
    """Return the last boundary p with ``lowest <= p <= highest``, or -1. ``lowest`` is at least 1."""
    offset = highest
    while offset >= lowest:
        if is_cut(load8(properties, load16(units, 2 * offset - 2)), load8(properties, load16(units, 2 * offset))):
            return offset
        offset -= 1
    return -1


@kernel
def cut_after(units: Span, properties: Span, lowest: int, end: int) -> int:
    """Return the first boundary p with ``lowest <= p < end``, or -1. ``lowest`` is at least 1."""
    for offset in range(lowest, end):
        if is_cut(load8(properties, load16(units, 2 * offset - 2)), load8(properties, load16(units, 2 * offset))):
            return offset
    return -1


@kernel
def may_be_special(units: Span, properties: Span, start: int, end: int, total: int) -> bool:
    """Return True if a unit in ``start`` to ``end``, with the one after it, may begin a special token. ``total``:
    number of units."""
    pairs = load32(properties, layout.PAIR_COUNT_AT)
    for offset in range(start, end):
        unit = load16(units, 2 * offset)
        if load8(properties, unit) & SPECIAL_START != 0:
            following = ANY_UNIT
            if offset + 1 < total:
                following = load16(units, 2 * offset + 2)
            for index in range(pairs):
                pair = load32(properties, layout.PAIRS_AT + 4 * index)
                second = pair & 0xFFFF
                if pair >> 16 == unit and second in (following, ANY_UNIT):
                    return True
    return False


@kernel
def measure(units: Span, properties: Span, start: int, end: int, before: int) -> tuple[int, int, int, int]:
    """Return the number of characters, UTF-8 bytes, word starts and newlines. A lone surrogate is a character of three
    bytes. ``before``: flags of the unit before ``start``; those of a separator at the start of the text."""
    characters = n_bytes = end - start
    words = newlines = 0
    offset = start
    while offset < end:
        unit = load16(units, 2 * offset)
        flags = load8(properties, unit)
        words += (before & SEPARATOR != 0) & (flags & SEPARATOR == 0)
        newlines += flags & NEWLINE != 0
        n_bytes += (unit >= 0x80) + (unit >= 0x800)
        if is_pair(units, offset, end):
            characters -= 1
            offset += 1
        before = flags
        offset += 1
    return characters, n_bytes, words, newlines


@inline_kernel
def is_pair(units: Span, offset: int, end: int) -> bool:
    """Return True if a complete surrogate pair is at ``offset``, before ``end``."""
    pair = False
    if load16(units, 2 * offset) & 0xFC00 == 0xD800 and offset + 1 < end:
        pair = load16(units, 2 * offset + 2) & 0xFC00 == 0xDC00
    return pair


@kernel
def write_utf8(units: Span, count: int, out: Span) -> int:
    """Write units as UTF-8, lone surrogates as U+FFFD. Return the number of bytes, at most three per unit."""
    at = offset = 0
    while offset < count:
        point = load16(units, 2 * offset)
        if point < 0x80:
            store8(out, at, point)
            at += 1
        elif point < 0x800:
            store8(out, at, 0xC0 | point >> 6)
            store8(out, at + 1, 0x80 | (point & 0x3F))
            at += 2
        elif is_pair(units, offset, count):
            offset += 1
            point = ((point & 0x3FF) << 10 | (load16(units, 2 * offset) & 0x3FF)) + 0x10000
            store8(out, at, 0xF0 | point >> 18)
            store8(out, at + 1, 0x80 | (point >> 12 & 0x3F))
            store8(out, at + 2, 0x80 | (point >> 6 & 0x3F))
            store8(out, at + 3, 0x80 | (point & 0x3F))
            at += 4
        else:
            if point & 0xF800 == 0xD800:
                point = 0xFFFD
            store8(out, at, 0xE0 | point >> 12)
            store8(out, at + 1, 0x80 | (point >> 6 & 0x3F))
            store8(out, at + 2, 0x80 | (point & 0x3F))
            at += 3
        offset += 1
    return at


@kernel
def bounds_of_window(window: Span, units: Span, properties: Span, total: int) -> int:
    """Find the boundaries around the edit and store the window. Return ``layout.FOUND``, or why there is none."""
    start = load64(window, layout.EDIT_START)
    end = start + load64(window, layout.EDIT_REMOVED)
    left = cut_before(units, properties, start - 1, max(1, start - MAX_UNITS))
    if left < 0:
        if start > MAX_UNITS:
            return layout.TOO_LONG
        if load64(window, layout.IS_FIRST) == 0:
            return layout.BEYOND_BLOCK
        left = 0
    right = cut_after(units, properties, end + 1, min(total, end + MAX_UNITS))
    if right < 0:
        if total - end > MAX_UNITS:
            return layout.TOO_LONG
        if load64(window, layout.IS_LAST) == 0:
            return layout.BEYOND_BLOCK
        right = total
    new_end = right + load64(window, layout.INSERTED) - (end - start)
    if max(right, new_end) - left > MAX_UNITS:
        return layout.TOO_LONG
    if left < load64(window, layout.REACH) and load64(window, layout.IS_FIRST) == 0:
        return layout.BEYOND_BLOCK
    store64(window, layout.START, left)
    store64(window, layout.OLD_END, right)
    store64(window, layout.NEW_END, new_end)
    return layout.FOUND


@kernel
def write_new_units(window: Span, units: Span, start: int, end: int, total: int) -> int:
    """Write the units ``start`` to ``end`` of the block as they are after the edit, and the next one if there is one.
    Return their number."""
    edit_start = load64(window, layout.EDIT_START)
    edit_end = edit_start + load64(window, layout.EDIT_REMOVED)
    inserted = load64(window, layout.INSERTED)
    end = min(end + 1, total)
    kept = edit_start - start
    new = part(window, layout.NEW_UNITS_AT, 2 * (kept + inserted + end - edit_end))
    move(new, part(units, 2 * start, 2 * kept))
    move(part(new, 2 * kept, 2 * inserted), part(window, layout.INSERTED_AT, 2 * inserted))
    behind = 2 * (end - edit_end)
    move(part(new, 2 * (kept + inserted), behind), part(units, 2 * edit_end, behind))
    return kept + inserted + end - edit_end


@kernel
def find_window(block: NDArray[np.uint8], window: NDArray[np.uint8], properties: NDArray[np.uint8]) -> int:
    """Find the window of the edit that ``window`` describes, and the changes in it.

    block, window, properties: uint8[n], see ``block_layout``; window is written. Returns one of the results defined
    there. Raises IndexError if the edit is not within the block.
    """
    check_block(block)
    if window.size < layout.WINDOW_SIZE or properties.size < layout.PAIRS_AT:
        raise IndexError("the arrays of an edit are too short")
    whole, own, flags = span(block), span(window), span(properties)
    total = load64(whole, layout.UNITS)
    edit_start, inserted = load64(own, layout.EDIT_START), load64(own, layout.INSERTED)
    edit_end = edit_start + load64(own, layout.EDIT_REMOVED)
    if edit_start < 0 or edit_end < edit_start or edit_end > total or not 0 <= inserted <= layout.MAX_INSERTED:
        raise IndexError("the edit is not within the block")
    units = part(whole, UNITS_AT, 2 * total)
    answer = bounds_of_window(own, units, flags, total)
    if answer != layout.FOUND:
        return answer
    start, end = load64(own, layout.START), load64(own, layout.OLD_END)
    # A special token may start before the window and extend into it.
    origin = max(0, start - load64(own, layout.REACH))
    if may_be_special(units, flags, origin, end, total):
        return layout.SPECIAL
    new = part(own, layout.NEW_UNITS_AT, 2 * (layout.MAX_UNITS + layout.MAX_REACH))
    written = write_new_units(own, units, origin, end, total)
    length = load64(own, layout.NEW_END) - start
    if may_be_special(new, flags, 0, start - origin + length, written):
        return layout.SPECIAL
    before = SEPARATOR
    if start > 0:
        before = load8(flags, load16(units, 2 * start - 2))
    old_measures = measure(units, flags, start, end, before)
    new = part(new, 2 * (start - origin), 2 * length)
    new_measures = measure(new, flags, 0, length, before)
    store64(own, layout.MORE_CHARACTERS, new_measures[0] - old_measures[0])
    store64(own, layout.MORE_BYTES, new_measures[1] - old_measures[1])
    store64(own, layout.MORE_WORDS, new_measures[2] - old_measures[2])
    store64(own, layout.MORE_NEWLINES, new_measures[3] - old_measures[3])
    out = part(own, layout.NEW_BYTES_AT, 3 * layout.MAX_UNITS)
    store64(own, layout.BYTES, write_utf8(new, length, out))
    return layout.FOUND


@kernel
def check_block(block: NDArray[np.uint8]) -> None:
    """Raise IndexError unless the arrays of a block are within it."""
    if block.size < UNITS_AT:
        raise IndexError("a block without a header")
    whole = span(block)
    units, unit_room = load64(whole, layout.UNITS), load64(whole, layout.UNIT_ROOM)
    tokens, token_room = load64(whole, layout.TOKENS), load64(whole, layout.TOKEN_ROOM)
    ids_at, ends_at = load64(whole, layout.IDS_AT), load64(whole, layout.ENDS_AT)
    if not (0 <= units <= unit_room and 0 <= tokens <= token_room):
        raise IndexError("a block with more in it than there is room for")
    ordered = UNITS_AT + 2 * unit_room <= ids_at and ids_at + 4 * token_room <= ends_at
    if not ordered or ends_at + 4 * token_room > block.size:
        raise IndexError("the parts of a block overlap")


@kernel
def tokens_up_to(ends: Span, count: int, position: int) -> int:
    """Return how many of the first ``count`` ends, which ascend, are at most ``position``."""
    low = 0
    while low < count:
        middle = (low + count) >> 1
        if load32(ends, 4 * middle) <= position:
            low = middle + 1
        else:
            count = middle
    return low


@kernel
def shift_tail(whole: Span, byte_offset: int, width: int, old_offset: int, new_offset: int, count: int) -> None:
    """Move the elements from ``old_offset`` to ``count`` of an array in a block to ``new_offset``. ``byte_offset``:
    start of the array. ``width``: bytes per element."""
    size = width * (count - old_offset)
    target = part(whole, byte_offset + width * new_offset, size)
    move(target, part(whole, byte_offset + width * old_offset, size))


@kernel
def replace_window(
    block: NDArray[np.uint8], window: NDArray[np.uint8], ids: NDArray[np.uint32], utf16_lengths: NDArray[np.int32]
) -> int:
    """Make the edit prepared by ``find_window``. Return 1, or 0 if the block lacks room; then nothing changes.

    block, window: as there. ids: uint32[n], read-only: the tokens of the window's new text. utf16_lengths: int32[m],
    read-only: UTF-16 units of each token. Raises IndexError if an id is out of range.
    """
    check_block(block)
    whole, own, numbers, lengths = span(block), span(window), span(ids), span(utf16_lengths)
    start, old_end, new_end = load64(own, layout.START), load64(own, layout.OLD_END), load64(own, layout.NEW_END)
    total, tokens = load64(whole, layout.UNITS), load64(whole, layout.TOKENS)
    if not (0 <= start <= old_end <= total and start <= new_end <= start + MAX_UNITS):
        raise IndexError("the window is not within the block")
    for index in range(ids.size):
        if load32(numbers, 4 * index) >= utf16_lengths.size:
            raise IndexError("an id that is none")
    ids_at, ends_at = load64(whole, layout.IDS_AT), load64(whole, layout.ENDS_AT)
    ends = part(whole, ends_at, 4 * tokens)
    first = tokens_up_to(ends, tokens, start)
    last = tokens_up_to(ends, tokens, old_end)
    growth, more = new_end - old_end, ids.size - (last - first)
    no_room = total + growth > load64(whole, layout.UNIT_ROOM) or tokens + more > load64(whole, layout.TOKEN_ROOM)
    if no_room:
        return 0
    shift_tail(whole, UNITS_AT, 2, old_end, new_end, total)
    origin = max(0, start - load64(own, layout.REACH))
    new_size = 2 * (new_end - start)
    new_units = part(own, layout.NEW_UNITS_AT + 2 * (start - origin), new_size)
    move(part(whole, UNITS_AT + 2 * start, new_size), new_units)
    shift_tail(whole, ids_at, 4, last, last + more, tokens)
    move(part(whole, ids_at + 4 * first, 4 * ids.size), numbers)
    shift_tail(whole, ends_at, 4, last, last + more, tokens)
    end = start
    for index in range(ids.size):
        end += load32(lengths, 4 * load32(numbers, 4 * index))
        store32(whole, ends_at + 4 * (first + index), end)
    for index in range(last + more, tokens + more):
        at = ends_at + 4 * index
        store32(whole, at, load32(whole, at) + growth)
    store64(whole, layout.UNITS, total + growth)
    store64(whole, layout.TOKENS, tokens + more)
    store64(own, layout.FIRST_TOKEN, first)
    store64(own, layout.REMOVED_TOKENS, last - first)
    return 1


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
    """Return which of the 64 characters at an offset, which is not 0, may have a boundary before them. Contains all
    that have, and no other whitespace, letters or digits."""
    if width == 1:
        if same_line(source, byte_offset, source, byte_offset - 1):
            return NONE  # there is no boundary within a run of the same character
        return _candidates_1(source, byte_offset)
    if width == 2:
        return _candidates_2(source, byte_offset)
    return _candidates_4(source, byte_offset)


@inline_kernel
def _flags_at(source: Span, width: int, offset: int, properties: Span) -> int:
    """Return the flags of a character. Those of two UTF-16 units have none."""
    if width == 1:
        point = load8(source, offset)
    elif width == 2:
        point = load16(source, offset << 1)
    else:
        point = load32(source, offset << 2)
    return load8(properties, point) if point < PAIR_COUNT_AT else 0


@inline_kernel
def _is_cut_at(source: Span, width: int, offset: int, properties: Span) -> bool:
    return is_cut(_flags_at(source, width, offset - 1, properties), _flags_at(source, width, offset, properties))


@inline_kernel
def _check_range(size: int, char_start: int, char_end: int, properties_size: int) -> None:
    if char_start < 1 or char_end < char_start or char_end > size:
        raise IndexError("there are no such characters in the text")
    if properties_size < PAIR_COUNT_AT:
        raise IndexError("these are no properties of units")


@kernel
def first_cut_in(text: str, char_start: int, char_end: int, properties: NDArray[np.uint8]) -> int:
    """Return the first boundary p with ``char_start <= p < char_end``, or -1.

    ``properties``: uint8[n], from ``engine.split.safe_boundaries``. Raises IndexError unless 1 <= char_start <=
    char_end <= length.
    """
    width = width_of(text)
    _check_range(len(text), char_start, char_end, properties.size)
    source, flags = characters(text), span(properties)
    offset = char_start
    while offset < char_end:
        if offset + BLOCK <= char_end:
            found = _candidates(source, offset * width, width)
            while found != NONE:
                at = offset + lowest(found)
                if _is_cut_at(source, width, at, flags):
                    return at
                found &= found - ONE
            offset += BLOCK
        else:
            if _is_cut_at(source, width, offset, flags):
                return offset
            offset += 1
    return -1


@kernel
def last_cut_in(text: str, char_start: int, char_end: int, properties: NDArray[np.uint8]) -> int:
    """Return the last boundary p with ``char_start <= p < char_end``, or -1. Arguments as for ``first_cut_in``."""
    width = width_of(text)
    _check_range(len(text), char_start, char_end, properties.size)
    source, flags = characters(text), span(properties)
    end = char_end
    while end > char_start:
        if end - BLOCK >= char_start:
            end -= BLOCK
            found = _candidates(source, end * width, width)
            while found != NONE:
                offset = highest(found)
                if _is_cut_at(source, width, end + offset, flags):
                    return end + offset
                found ^= ONE << offset
        else:
            end -= 1
            if _is_cut_at(source, width, end, flags):
                return end
    return -1


@kernel
def find_chunks(text: str, size: int, properties: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return int64[k, 2]: start and end of the chunks of a text, the same as those of
    ``engine.split.safe_boundaries.BoundaryFinder.chunks``.

    ``size``: maximum characters of a chunk, where boundaries allow; raises IndexError if it is less than one.
    ``properties``: as for ``first_cut_in``.
    """
    if size < 1:
        raise IndexError("there are no pieces of that size")
    length = len(text)
    # A chunk ends at the last boundary in its range, so the next one ends beyond it: two have more than ``size``.
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
