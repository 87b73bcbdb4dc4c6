r"""Bit masks of 64 bytes at a time, and UTF-8 characters with their classes: the basis of all scanners.

The first half classifies 64 bytes as bit masks (``block_masks``, ``bit_masks``), and converts bits to positions
(``store_positions``). Masks are uint64; bit i stands for byte i of a block. Positions are int64. numba makes float64 of
uint64 mixed with int64, so masks are combined only with masks and with the constants of this file; ``+`` and ``-`` of
masks wrap. The instructions marked ``no_plain_twin`` have no plain version: what is built on them has one as a whole
(``engine.kernels.plain_scanners``). The checked build verifies every access (``engine.kernels.primitives``).

The second half, from ``code_point_at``, reads characters and their classes from spans. A table of classes has two
levels: ``pages``: uint16[16384], the number of the block of each 128 code points, and ``classes``: uint8[128 * n], one
byte per character. 16,384 pages cover every value that four bytes of invalid UTF-8 decode to, so a lookup cannot leave
the table. ``engine.split.scanners`` builds the tables.

The lower four bits of a class distinguish what a pattern can. The patterns of the GPT-2 family and those of DeepSeek
draw the lines differently, so there are two sets of classes:

=====  ====================================  ==============================================
class  words (gpt2, cl100k, o200k ...)       deepseek
=====  ====================================  ==============================================
0      anything else                         anything else
1      \p{Lu} \p{Lt}                         \p{Lu} \p{Lt} \p{Ll}
2      \p{Ll}                                \p{P} \p{S}
3      \p{Lm} \p{Lo}                         \p{Lm} \p{Lo}
4      \p{M}                                 \p{M}
5      \p{N}                                 \p{N}
6      \s without CR and LF                  \s without CR and LF
7      CR, LF                                CR, LF
8-13   0 to 5 of Han, for Kimi alone         the same as 0 to 4 (but 1) among Han and kana
=====  ====================================  ==============================================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import binding, ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils, config

from engine.kernels._jit import COMPILED, inline_kernel, kernel, primitive
from engine.kernels.primitives import SPAN_TYPE, Span, load8, load16, load_vector, store32, store_vector

Mask = Any
"""uint64 in compiled code."""

NONE = np.uint64(0)
ONE = np.uint64(1)
ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
TOP = np.uint64(0x8000_0000_0000_0000)

BLOCK = 64
"""Bytes in a block. A text that is scanned in blocks has as many readable bytes after its end."""

_BIT, _BYTE, _LANE, _WORD = (ir.IntType(bits) for bits in (1, 8, 32, 64))
_SIX_MASKS = types.UniTuple(types.uint64, 6)  # type: ignore[no-untyped-call]
_ELEVEN_MASKS = types.UniTuple(types.uint64, 11)  # type: ignore[no-untyped-call]
_BITS, _BYTES = ir.VectorType(_BIT, BLOCK), ir.VectorType(_BYTE, BLOCK)


def no_plain_twin(*args: Any) -> Any:
    """Replacement without compilation for functions that only compiled kernels have."""
    raise NotImplementedError("blocks are only read by compiled kernels")


def _bit_counter(name: str, options: int) -> Callable[[Mask], int]:
    """Return one of LLVM's bit-counting instructions: from uint64 to int64."""

    @primitive(no_plain_twin)
    def count(typing_context: Any, mask: Any) -> Any:
        def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kind = ir.FunctionType(_WORD, [_WORD] + [_BIT] * options)
            function = builder.module.declare_intrinsic(f"llvm.{name}", [_WORD], kind)
            return builder.call(function, [args[0]] + [_BIT(0)] * options)

        return types.int64(types.uint64), recipe

    return cast(Callable[[Mask], int], count)


lowest = _bit_counter("cttz", options=1)
"""lowest(mask): position of the lowest set bit; 64 if none is set."""
zeros_above = _bit_counter("ctlz", options=1)
"""zeros_above(mask): number of zero bits above the highest set bit; 64 if none is set."""
population = _bit_counter("ctpop", options=0)
"""population(mask): number of set bits."""


@primitive(no_plain_twin)
def reversed_bits(typing_context: Any, mask: Any) -> Any:
    """reversed_bits(mask): the bits in reverse order."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitreverse(args[0])

    return types.uint64(types.uint64), recipe


@inline_kernel
def highest(mask: Mask) -> int:
    """Return the position of the highest set bit, or -1 if none is set."""
    return 63 - zeros_above(mask)


@inline_kernel
def below_lowest(mask: Mask) -> Mask:
    """Return all bits below the lowest set bit; all 64 if none is set."""
    return (mask ^ ALL) & (mask - ONE)


@inline_kernel
def run_ends(runs: Mask, starts: Mask) -> Mask:
    """Return the ends of runs: the bit after each run of set bits of ``runs`` that contains a bit of ``starts``. If a
    run contains several starts, the higher ones remain in the result.

    The sum carries from the start through the run to the first bit after it."""
    return (runs + starts) & (runs ^ ALL)


@primitive(no_plain_twin)
def block_masks(typing_context: Any, text: Any, byte_offset: Any) -> Any:
    """block_masks(span, byte_offset): eleven masks of the 64 bytes there. Non-ASCII; UTF-8 continuation; A to Z; a to
    z; 0 to 9; line feed or carriage return; space; U+0009 to U+000D; apostrophe; slash; U+0000 to U+001F and U+007F."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        block = load_vector(context, builder, args[0], args[1], _BYTES)

        def each(byte: int) -> Any:
            return ir.Constant(_BYTES, [byte] * BLOCK)

        def below(limit: int) -> Any:
            return builder.icmp_signed("<", block, each(limit))

        def equal(character: str) -> Any:
            return builder.icmp_unsigned("==", block, each(ord(character)))

        def between(first: str, length: int) -> Any:
            return builder.icmp_unsigned("<", builder.sub(block, each(ord(first))), each(length))

        found = [
            *(below(0), below(-64)),
            *(between("A", 26), between("a", 26), between("0", 10)),
            *(builder.or_(equal("\n"), equal("\r")), equal(" "), between("\t", 5)),
            *(equal("'"), equal("/"), builder.or_(between("\0", 32), equal("\x7f"))),
        ]
        masks = [builder.bitcast(bits, _WORD) for bits in found]
        return context.make_tuple(builder, signature.return_type, masks)

    return _ELEVEN_MASKS(SPAN_TYPE, types.int64), recipe


@primitive(no_plain_twin)
def bit_masks(typing_context: Any, bytes_span: Any, byte_offset: Any) -> Any:
    """bit_masks(span, byte_offset): six masks; mask b has the 64 bytes there with bit b set."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        block = load_vector(context, builder, args[0], args[1], _BYTES)
        zero = ir.Constant(_BYTES, [0] * BLOCK)
        masks = []
        for bit in range(6):
            chosen = builder.and_(block, ir.Constant(_BYTES, [1 << bit] * BLOCK))
            masks.append(builder.bitcast(builder.icmp_unsigned("!=", chosen, zero), _WORD))
        return context.make_tuple(builder, signature.return_type, masks)

    return _SIX_MASKS(SPAN_TYPE, types.int64), recipe


PAIR_MIX = 0x9E3779B1
"""Odd multiplier. Its product with a pair of code points has well-mixed high bits."""


@primitive(no_plain_twin)
def decode_wide(
    typing_context: Any, text: Any, byte_offset: Any, previous: Any, shift: Any, out: Any, out_offset: Any
) -> Any:
    """decode_wide(text, byte_offset, previous, shift, out, out_offset): treat every byte of the text block as the first
    of a character of two or three bytes, and write 64 code points (uint16) to the span ``out`` at ``out_offset``. They
    are valid where such a character starts. After them come 64 hashes (uint32) of each with the code point three bytes
    before: their product with ``PAIR_MIX``, without its lowest ``shift`` bits. previous: the code point that ended
    directly before the block. Reads 66 bytes. Returns the mask of first bytes of characters of four bytes."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        text, at, previous, shift, out, out_offset = args
        halves, words = (ir.VectorType(ir.IntType(bits), BLOCK) for bits in (16, 32))
        lanes = ir.VectorType(_LANE, BLOCK)

        def each(kind: Any, value: int) -> Any:
            return ir.Constant(kind, [value] * BLOCK)

        def everywhere(kind: Any, value: Any) -> Any:
            one = builder.insert_element(ir.Constant(kind, ir.Undefined), builder.trunc(value, kind.element), _LANE(0))
            return builder.shuffle_vector(one, one, each(lanes, 0))

        def part(value: Any, mask: int, shift: int) -> Any:
            return builder.shl(builder.and_(value, each(halves, mask)), each(halves, shift))

        offsets = [builder.add(at, _WORD(behind)) for behind in range(3)]
        blocks = [load_vector(context, builder, text, offset, _BYTES) for offset in offsets]
        lead, second, third = (builder.zext(block, halves) for block in blocks)
        of_two = builder.or_(part(lead, 0x1F, 6), part(second, 0x3F, 0))
        of_three = builder.or_(builder.or_(part(lead, 0x0F, 12), part(second, 0x3F, 6)), part(third, 0x3F, 0))
        points = builder.select(builder.icmp_unsigned("<", blocks[0], each(_BYTES, 0xE0)), of_two, of_three)
        before = ir.Constant(lanes, [BLOCK, BLOCK, BLOCK, *range(BLOCK - 3)])
        left = builder.shuffle_vector(points, everywhere(halves, previous), before)
        pairs = builder.or_(builder.shl(builder.zext(left, words), each(words, 16)), builder.zext(points, words))
        hashes = builder.lshr(builder.mul(pairs, each(words, PAIR_MIX)), everywhere(words, shift))
        store_vector(context, builder, out, out_offset, points)
        store_vector(context, builder, out, builder.add(out_offset, _WORD(2 * BLOCK)), hashes)
        return builder.bitcast(builder.icmp_unsigned(">=", blocks[0], each(_BYTES, 0xF0)), _WORD)

    span_and_offset = (SPAN_TYPE, types.int64)
    return types.uint64(*span_and_offset, types.int64, types.int64, *span_and_offset), recipe


def _can_pack_bytes() -> bool:
    """Return True if the target processor packs selected bytes in one instruction (AVX-512 VBMI2)."""
    if binding.llvm_version_info < (19,):
        return False
    # Environment variables of numba may select another target processor.
    features, name = getattr(config, "CPU_FEATURES", None), getattr(config, "CPU_NAME", None)
    if features is not None:
        return "+avx512vbmi2" in features
    if name is not None:
        return False
    return bool(binding.get_host_cpu_features().get("avx512vbmi2", False))


PACKS = _can_pack_bytes()
"""True if ``packed_bytes`` is one instruction. Otherwise it is not worth calling."""


def packed_bytes(builder: Any, block: Any, chosen: Any) -> Any:
    """For recipes: pack those of 64 bytes whose bit is set; the bytes after them are undefined."""
    kind = ir.FunctionType(_BYTES, [_BYTES, _BITS, _BYTES])
    pack = cgutils.get_or_insert_function(builder.module, kind, "llvm.experimental.vector.compress.v64i8")  # type: ignore[no-untyped-call]
    return builder.call(pack, [block, chosen, ir.Constant(_BYTES, ir.Undefined)])


@primitive(no_plain_twin)
def _store_packed(typing_context: Any, ends: Any, slot: Any, base: Any, mask: Any, number: Any) -> Any:
    """Do ``store_positions`` with one packing instruction, 16 positions per store. number: number of set bits."""

    def recipe(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        span, start, offset, mask, bits_set = args
        lanes = ir.VectorType(_LANE, 16)
        nothing = ir.Constant(_BYTES, ir.Undefined)
        packed = packed_bytes(builder, ir.Constant(_BYTES, list(range(BLOCK))), builder.bitcast(mask, _BITS))
        first = builder.insert_element(ir.Constant(lanes, ir.Undefined), builder.trunc(offset, _LANE), _LANE(0))
        bases = builder.shuffle_vector(first, first, ir.Constant(lanes, [0] * 16))
        byte_offset = builder.shl(start, _WORD(2))

        def store(part: int) -> None:
            chosen = ir.Constant(lanes, list(range(part * 16, part * 16 + 16)))
            moved = builder.add(builder.zext(builder.shuffle_vector(packed, nothing, chosen), lanes), bases)
            store_vector(context, builder, span, builder.add(byte_offset, _WORD(part * 64)), moved, align=4)

        store(0)
        for part in (1, 2, 3):
            with builder.if_then(builder.icmp_signed(">", bits_set, _WORD(part * 16)), likely=False):
                store(part)
        return context.get_dummy_value()

    return types.void(SPAN_TYPE, types.int64, types.int64, types.uint64, types.int64), recipe


@inline_kernel
def store_positions(ends: Span, slot: int, base: int, mask: Mask) -> int:
    """Append base + position of every set bit at ``slot`` of a span of int32. Up to ``BLOCK`` slots from there may be
    overwritten. Return the slot after the last position."""
    number = population(mask)
    if PACKS:
        _store_packed(ends, slot, base, mask, number)
        return slot + number
    # Eight at a time without a branch: the number of iterations is hard to predict for the processor.
    out_offset = slot
    while mask != NONE:
        for step in range(8):
            store32(ends, (out_offset + step) << 2, base + lowest(mask))
            mask &= mask - ONE
        out_offset += 8
    return slot + number


OTHER, UPPER, LOWER, CASELESS, MARK, NUMBER, SPACE, NEWLINE = range(8)
CASED, SYMBOL = 1, 2
EAST = 8

CLASS = 15
SPLITTABLE = 16
"""Flag: even where a pattern has no boundary between two such characters, one is allowed if no token crosses it."""

LETTERS = 1 << UPPER | 1 << LOWER | 1 << CASELESS
WHITE = 1 << SPACE | 1 << NEWLINE
PUNCTUATION = 1 << OTHER | 1 << MARK
r"""``[^\s\p{L}\p{N}]``, which includes marks."""
EASTERN = 0xFF << EAST
"""All classes from ``EAST``."""


@inline_kernel
def code_point_at(text: Span, at: int) -> int:
    """Return the character at byte ``at``: code point * 8 + length in bytes. May read three bytes beyond ``at``."""
    lead = load8(text, at)
    if lead < 0x80:
        return lead << 3 | 1
    if lead < 0xE0:
        return ((lead & 0x1F) << 6 | (load8(text, at + 1) & 0x3F)) << 3 | 2
    rest = (load8(text, at + 1) & 0x3F) << 6 | (load8(text, at + 2) & 0x3F)
    if lead < 0xF0:
        return ((lead & 0x0F) << 12 | rest) << 3 | 3
    return ((lead & 0x07) << 18 | rest << 6 | (load8(text, at + 3) & 0x3F)) << 3 | 4


@inline_kernel
def class_of(code_point: int, pages: Span, classes: Span) -> int:
    """Return class and flags of a code point, 0 to 0x1FFFFF."""
    return load8(classes, load16(pages, code_point >> 7 << 1) << 7 | (code_point & 127))


@inline_kernel
def character_at(text: Span, at: int, pages: Span, classes: Span) -> int:
    """Return the character at byte ``at``: class without flags + length in bytes * 16."""
    packed = code_point_at(text, at)
    return (class_of(packed >> 3, pages, classes) & CLASS) | (packed & 7) << 4


@kernel
def skip_blocks(text: Span, at: int, n_bytes: int, allowed: int) -> int:
    """Skip whole blocks of ASCII characters of the allowed classes, numbered as for words. Whitespace is never
    skipped."""
    while at + BLOCK <= n_bytes:
        beyond_ascii, _, upper, lower, digit, _, space, control, _, _, _ = block_masks(text, at)
        letters = upper | lower
        out = beyond_ascii | space | control
        if allowed & (1 << OTHER) == 0:
            out |= ALL ^ (letters | digit)
        if allowed & (1 << UPPER) == 0:
            out |= upper
        if allowed & (1 << LOWER) == 0:
            out |= lower
        if allowed & (1 << NUMBER) == 0:
            out |= digit
        if out != NONE:
            break
        at += BLOCK
    return at


@kernel
def run_end(text: Span, at: int, n_bytes: int, pages: Span, classes: Span, allowed: int, allowed_ascii: int) -> int:
    """Return the end of the run of characters of the allowed classes that starts at ``at``. allowed: a set of classes
    (bit c for class c), without whitespace. allowed_ascii: the same or fewer, for ASCII, numbered as for words."""
    passed = 0
    while at < n_bytes:
        character = character_at(text, at, pages, classes)
        if allowed >> (character & 15) & 1 == 0:
            break
        at += character >> 4
        passed += 1
        if COMPILED and passed == 32:
            passed = 0
            at = skip_blocks(text, at, n_bytes, allowed_ascii)
    return at


@kernel
def digits_end(text: Span, at: int, n_bytes: int, pages: Span, classes: Span, most: int) -> int:
    r"""Return the end of ``\p{N}{1,most}`` that starts at ``at``."""
    for _ in range(most):
        if at >= n_bytes:
            break
        character = character_at(text, at, pages, classes)
        if character & 7 != NUMBER:
            break
        at += character >> 4
    return at


@kernel
def contraction_length(text: Span, at: int, n_bytes: int, any_case: int) -> int:
    """Return the length in bytes of the contraction 's 't 'm 'd 'll 've 're at ``at``, or 0. any_case: 32 to ignore
    case, else 0.

    If case is ignored, U+017F (long s, bytes C5 BF) folds to s. No other character folds to one of these letters.
    """
    if at + 1 >= n_bytes or load8(text, at) != 0x27:
        return 0
    byte = load8(text, at + 1)
    first = byte | any_case
    if first == 0x73 or first == 0x74 or first == 0x6D or first == 0x64:
        return 2
    if at + 2 >= n_bytes:
        return 0
    following = load8(text, at + 2)
    if byte == 0xC5:
        return 3 if any_case != 0 and following == 0xBF else 0
    second = following | any_case
    if (first == 0x6C and second == 0x6C) or (second == 0x65 and (first == 0x76 or first == 0x72)):
        return 3
    return 0


@kernel
def white_run(text: Span, at: int, n_bytes: int, pages: Span, classes: Span) -> tuple[int, int, int]:
    """Return the run of whitespace at ``at``: its end, the start of its last character, and the end of its last CR or
    LF (0 if it has none)."""
    last = at
    line_end = 0
    passed = 0
    while at < n_bytes:
        character = character_at(text, at, pages, classes)
        if WHITE >> (character & 15) & 1 == 0:
            break
        last = at
        at += character >> 4
        if character & 15 == NEWLINE:
            line_end = at
        passed += 1
        if COMPILED and passed == 32:
            passed = 0
            while at + BLOCK <= n_bytes:
                _, _, _, _, _, newline, space, control, _, _, _ = block_masks(text, at)
                if (space | control) != ALL:
                    break
                if newline != NONE:
                    line_end = at + highest(newline) + 1
                last = at + BLOCK - 1
                at += BLOCK
    return at, last, line_end


@kernel
def white_end(text: Span, at: int, n_bytes: int, pages: Span, classes: Span) -> int:
    r"""Return the end of ``\s*[\r\n]+|\s+(?!\S)|\s+`` that starts at ``at``, a whitespace character."""
    end, last, line_end = white_run(text, at, n_bytes, pages, classes)
    if line_end != 0:
        return line_end
    if end == n_bytes or last == at:
        return end
    return last
