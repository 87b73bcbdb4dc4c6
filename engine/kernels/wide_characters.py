"""The characters of a block that are not ASCII: their classes as masks, and where pretokens may be cut further.

Such a cut, between two characters of three bytes, is allowed where no token of the vocabulary contains bytes of both.
Why it changes no id: merging replaces two neighbouring tokens by one that is their bytes together, and that is a token
of the vocabulary. So no merge ever crosses the cut; those on one side change nothing that those on the other depend
on; and taken in the order of their ranks, the merges of the whole are the merges of one side mixed with those of the
other. A pretoken that is a token as a whole, which encoders look up first, would cross the cut, too. A part could be a
token that no merging makes, and be found by that look-up: so nothing is cut before the first character of such a token,
nor behind its last.

It keeps pretokens of scripts without spaces short, so that they are met again. Which pairs some token crosses is a bit
set, asked by a hash of the pair; ``engine.kernels.crossings`` fills it. Two pairs that share a bit cost a cut, never a
token.

A scanner may end a call at a cut and go on from it: cuts are only made within a run of letters (and marks, where the
pattern takes them), and from inside of it the rest of the run is what the pattern matches. Only o200k and Tekken look
back at a cased letter in the same run; ``scan_o200k`` leaves those cuts out.

Classes do not depend on where pretokens start, so they are looked up a block ahead of the scanner. Then the processor
can look up the next ones while it is still busy with the algebra of this block.
"""

from __future__ import annotations

from typing import Any

from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.blocks import ALL, BLOCK, NONE, ONE, PAIR_MIX, Mask, block_masks, decode_wide, highest, lowest
from engine.kernels.characters import CLASS, class_of, code_point_at
from engine.kernels.memory import Span, load8, load16, load32, load64, store8, store64

INNER_STARTS = 8192
"""Bytes at the start of *crossings*: a bit for each of 65,536 code points, set where nothing is cut before it, whatever
that is: some token starts inside of the character before and goes on into this one, or merging never makes a token that
starts with it."""

CROSSED_PAIRS = 2 * INNER_STARTS
"""Behind them as many bytes with a bit for each code point that nothing is cut behind; then, from this byte on, the set
of hashed pairs, a power of two of bytes."""

PAIRS_AT = 65536
"""Bytes at the start of the *wide table*: class and flags of each code point up to U+FFFF, SPLITTABLE only where it has
three bytes and may be cut behind, CROSSED where its bit of ``INNER_STARTS`` is set. Behind them comes the set of hashed
pairs."""

CROSSED = 32
"""Flag beside a class: some token crosses from the character before."""

WINDOW = 4096
"""Bytes whose classes are kept."""

STATE = 24 + 6 * BLOCK
"""Bytes of the state: where the window starts in the text, how far characters are classified, the code point of the
last one (int64 each), then what ``decode_wide`` writes. It starts as zeros, but for the second number, which is -1."""

_CODE_POINTS = 24
_HASHES = _CODE_POINTS + 2 * BLOCK

Tables = Any
"""In compiled code a tuple that each scanner makes at its door: spans of pages, classes and the wide table, the shift
that goes with the size of its pairs, a span of ``WINDOW`` bytes and one of ``STATE`` bytes to work in."""


@inline_kernel
def crossing_bit(left: int, right: int, shift: int) -> int:
    """Number of the bit of a pair of characters of three bytes, as ``decode_wide`` hashes them. shift: 32 - log2(number
    of bits)."""
    return ((left << 16 | right) * PAIR_MIX & 0xFFFF_FFFF) >> shift


@inline_kernel
def _classify(text: Span, at: int, leads: Mask, tables: Tables, offset: int, previous: int) -> int:
    """Classify the characters that start at ``leads`` of the block at ``at``: the byte of the window at ``offset`` + i
    receives the class for a lead at i, with SPLITTABLE and CROSSED for characters of three bytes (of others CROSSED
    means nothing). Returns the code point of the last of them if it has three bytes, else some number."""
    pages, classes, wide_table, shift, window, state = tables
    last = highest(leads)
    of_four = decode_wide(text, at, previous, shift, state, _CODE_POINTS) & leads
    leads ^= of_four
    while leads != NONE:
        place = lowest(leads)
        leads &= leads - ONE
        flags = load8(wide_table, load16(state, _CODE_POINTS + (place << 1)))
        pair = load32(state, _HASHES + (place << 2))
        crossed = load8(wide_table, PAIRS_AT + (pair >> 3)) >> (pair & 7) & 1
        store8(window, offset + place, flags | crossed << 5)
    while of_four != NONE:
        place = lowest(of_four)
        of_four &= of_four - ONE
        store8(window, offset + place, class_of(code_point_at(text, at + place) >> 3, pages, classes) & CLASS)
    return load16(state, _CODE_POINTS + (last << 1))


@kernel
def classify_ahead(text: Span, at: int, n_bytes: int, tables: Tables) -> int:
    """Classify the characters of the block at ``at`` and of about one more, as far as that has not been done; ``at``
    never decreases, and is where a character starts. Returns where ``at`` is in the window.

    CROSSED means nothing for the character at ``at``, nor behind one that is not splittable.
    """
    state = tables[5]
    base, ahead, previous = load64(state, 0), load64(state, 8), load64(state, 16)
    if ahead < at or at - base > WINDOW - 4 * BLOCK:
        base = at
        ahead = at
    # A block of text may reach 64 bytes behind the end, and decoding reads two bytes more than a block.
    while ahead < at + 2 * BLOCK and ahead < n_bytes - 1:
        wide, inner, _, _, _, _, _, _, _, _, _ = block_masks(text, ahead)
        leads = wide & (inner ^ ALL)
        if ahead + BLOCK > n_bytes:
            leads &= (ONE << (n_bytes - ahead)) - ONE
        if leads != NONE:
            previous = _classify(text, ahead, leads, tables, ahead - base, previous)
        ahead += BLOCK
    store64(state, 0, base)
    store64(state, 8, ahead)
    store64(state, 16, previous)
    return at - base
