r"""The split of texts for SentencePiece's pieces, and cut further:
``\n{1,31}|\t{1,31}| {2,31}| ?(?:[^ \n\t]|(?<=>) (?=</))+| ``

Of a run of newlines, tabs or spaces up to 31 are one token, from the left. Everything else is merged within a stretch
that has neither newlines nor tabs, and a space at its start only: no piece has a space behind another character, but
for ``> </``. In an encoding that has tags, such as ``</td>``, each is a stretch of its own.

Such a stretch is cut between two characters that stand together in no piece: every merge across that place would make
a piece in which they do. An unknown character is handed on byte by byte. There are no unreachable pieces to be
afraid of: the tables do not have them. A stretch may end with the space of ``> </`` where a tag follows: the space
merges with nothing then.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.characters import code_point_at
from engine.kernels.memory import Span, load8, load64, span, store32

ASCII_PAIRS = 0x200000 // 8
"""Bytes at the start of what a scanner asks: a bit for each number that four bytes decode to, set for known characters.
Behind them a bit for each pair of ASCII characters that stands together in some piece."""
PAIRS = ASCII_PAIRS + 128 * 128 // 8
"""Behind those a set of hashed pairs of other characters."""
PAIR_BITS = 18
TAGS = PAIRS + (1 << (PAIR_BITS - 3))
"""Behind those a hash table of tags: slots of 16 bytes, a tag with zeros behind it in each, or zeros."""
TAG_SLOTS = 256
LONGEST_TAG = 13
SCAN_SIZE = TAGS + TAG_SLOTS * 16
LONGEST_RUN = 31
_MIX = 0x9E3779B1


@inline_kernel
def pair_bit(left: int, right: int) -> int:
    """Number of the bit of two characters that are not both ASCII."""
    return ((left * 31 + right) * _MIX & 0xFFFF_FFFF) >> (32 - PAIR_BITS)


@inline_kernel
def _is_set(data: Span, byte_offset: int, number: int) -> bool:
    return load8(data, byte_offset + (number >> 3)) >> (number & 7) & 1 != 0


@inline_kernel
def _stand_together(data: Span, left: int, right: int) -> bool:
    """Return True if a merge may join two characters. The left one must be a piece."""
    if left < 0x80 and right < 0x80:
        return _is_set(data, ASCII_PAIRS, left << 7 | right)
    return _is_set(data, PAIRS, pair_bit(left, right)) and _is_set(data, 0, right)


@inline_kernel
def next_slot(slot: int, byte: int) -> int:
    """Number of the slot of a tag that goes on with ``byte``; ``slot`` is that of what stands before it."""
    return (slot * 31 + byte) & (TAG_SLOTS - 1)


@kernel
def _tag_end(text: Span, at: int, n_bytes: int, data: Span) -> int:
    """Return the byte offset where the tag that starts at ``at`` ends, or 0 if no tag starts there."""
    low, high, slot = 0x3C, 0, next_slot(0, 0x3C)
    size = 1
    limit = min(n_bytes - at, LONGEST_TAG)
    byte = 0
    while size < limit and byte != 0x3E:
        byte = load8(text, at + size)
        if byte >= 0x80 or byte == 0x3C or byte <= 0x20:
            return 0
        if size < 8:
            low |= byte << (size << 3)
        else:
            high |= byte << ((size - 8) << 3)
        slot = next_slot(slot, byte)
        size += 1
    place = TAGS + (slot << 4)
    while load64(data, place) != 0:
        if load64(data, place) == low and load64(data, place + 8) == high:
            return at + size
        place = TAGS + ((place - TAGS + 16) & (TAG_SLOTS * 16 - 1))
    return 0


@kernel
def _run_end(text: Span, at: int, n_bytes: int, byte: int) -> int:
    end = at + 1
    limit = min(n_bytes, at + LONGEST_RUN)
    while end < limit and load8(text, end) == byte:
        end += 1
    return end


@kernel
def _stretch_end(text: Span, at: int, n_bytes: int, data: Span) -> int:
    """Return the byte offset where the pretoken that starts at ``at`` ends. It starts with a piece, not with a tag."""
    packed = code_point_at(text, at)
    left = packed >> 3
    at += packed & 7
    while at < n_bytes:
        right = load8(text, at)
        if right >= 0x80:
            packed = code_point_at(text, at)
            right = packed >> 3
            size = packed & 7
        else:
            size = 1
            if right == 0x0A or right == 0x09:
                break
            if right == 0x20 and not (
                left == 0x3E and at + 2 < n_bytes and load8(text, at + 1) == 0x3C and load8(text, at + 2) == 0x2F
            ):
                break
            if right == 0x3C and _tag_end(text, at, n_bytes, data) > 0:
                break
        if not _stand_together(data, left, right):
            break
        left = right
        at += size
    return min(at, n_bytes)


@kernel
def scan_pieces(
    text: NDArray[np.uint8], n_bytes: int, start: int, data: NDArray[np.uint8], ends: NDArray[np.int32]
) -> int:
    """Ends of consecutive stretches from ``start``, where one starts, until the text or ``ends`` is at its end.

    text: uint8[n], readable for four bytes behind n_bytes. data: uint8[SCAN_SIZE]. ends: int32[m], m >= 8, written.
    Returns the number of ends. Raises IndexError when n_bytes or start is not within the text, or data too short.
    """
    if start < 0 or n_bytes < start or n_bytes + 4 > text.size or data.size < SCAN_SIZE:
        raise IndexError("the text is shorter than it is said to be")
    source, known, target = span(text), span(data), span(ends)
    found = 0
    at = start
    while at < n_bytes and found + 4 <= ends.size:
        byte = load8(source, at)
        tag_end = _tag_end(source, at, n_bytes, known) if byte == 0x3C else 0
        if byte == 0x0A or byte == 0x09 or (byte == 0x20 and at + 1 < n_bytes and load8(source, at + 1) == 0x20):
            at = _run_end(source, at, n_bytes, byte)
        elif tag_end > 0:
            at = tag_end
        else:
            packed = code_point_at(source, at)
            if byte < 0x80 or _is_set(known, 0, packed >> 3):
                at = _stretch_end(source, at, n_bytes, known)
            else:
                last = min(at + (packed & 7), n_bytes)
                while at + 1 < last:
                    at += 1
                    store32(target, found << 2, at)
                    found += 1
                at = last
        store32(target, found << 2, at)
        found += 1
    return found
