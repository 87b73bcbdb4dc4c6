r"""Characters in UTF-8 and their classes: what all scanners share.

A table of classes has two levels: ``pages``: uint16[16384], the number of the block of each 128 code points, and
``classes``: uint8[128 * n], one byte a character. 16,384 pages cover whatever four bytes of broken UTF-8 decode to,
so a look-up cannot leave the table. ``engine.split.scan_tables`` builds them. Texts and tables are spans here.

The lower four bits of a class say what a pattern can tell apart. The patterns of GPT-2 and its heirs and DeepSeek's
draw the lines in different places, so there are two readings:

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

from engine.kernels._jit import COMPILED, inline_kernel, kernel
from engine.kernels.blocks import ALL, BLOCK, NONE, block_masks, highest
from engine.kernels.memory import Span, load8, load16

OTHER, UPPER, LOWER, CASELESS, MARK, NUMBER, SPACE, NEWLINE = range(8)
CASED, SYMBOL = 1, 2
EAST = 8

CLASS = 15
SPLITTABLE = 16
"""Flag: where a pattern does not cut between two such characters, it may be cut all the same if no token crosses."""

LETTERS = 1 << UPPER | 1 << LOWER | 1 << CASELESS
WHITE = 1 << SPACE | 1 << NEWLINE
PUNCTUATION = 1 << OTHER | 1 << MARK
r"""``[^\s\p{L}\p{N}]``, which marks belong to."""
EASTERN = 0xFF << EAST
"""All classes of ``EAST``."""


@inline_kernel
def code_point_at(text: Span, at: int) -> int:
    """The character at byte ``at``: code point * 8 + length in bytes. May read three bytes behind ``at``."""
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
    """Class and flags of a code point, 0 to 0x1FFFFF."""
    return load8(classes, load16(pages, code_point >> 7 << 1) << 7 | (code_point & 127))


@inline_kernel
def character_at(text: Span, at: int, pages: Span, classes: Span) -> int:
    """The character at byte ``at``: class without flags + length in bytes * 16."""
    packed = code_point_at(text, at)
    return (class_of(packed >> 3, pages, classes) & CLASS) | (packed & 7) << 4


@kernel
def skip_blocks(text: Span, at: int, n_bytes: int, wanted: int) -> int:
    """Leave out whole blocks of ASCII characters of the wanted classes, which are of the reading for words. White
    space is never left out."""
    while at + BLOCK <= n_bytes:
        beyond_ascii, _, upper, lower, digit, _, space, control, _, _, _ = block_masks(text, at)
        letters = upper | lower
        out = beyond_ascii | space | control
        if wanted & (1 << OTHER) == 0:
            out |= ALL ^ (letters | digit)
        if wanted & (1 << UPPER) == 0:
            out |= upper
        if wanted & (1 << LOWER) == 0:
            out |= lower
        if wanted & (1 << NUMBER) == 0:
            out |= digit
        if out != NONE:
            break
        at += BLOCK
    return at


@kernel
def run_end(text: Span, at: int, n_bytes: int, pages: Span, classes: Span, wanted: int, wanted_ascii: int) -> int:
    """Where the run of characters of the wanted classes that starts at ``at`` ends. wanted: a set of classes (bit c
    for class c), without white space; wanted_ascii: the same or less, for ASCII, in the reading for words."""
    passed = 0
    while at < n_bytes:
        character = character_at(text, at, pages, classes)
        if wanted >> (character & 15) & 1 == 0:
            break
        at += character >> 4
        passed += 1
        if COMPILED and passed == 32:
            passed = 0
            at = skip_blocks(text, at, n_bytes, wanted_ascii)
    return at


@kernel
def digits_end(text: Span, at: int, n_bytes: int, pages: Span, classes: Span, most: int) -> int:
    r"""Where ``\p{N}{1,most}`` ends that starts at ``at``."""
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
    """Bytes of the contraction 's 't 'm 'd 'll 've 're at ``at``, or 0. any_case: 32 to ignore case, else 0.

    Where case is ignored, U+017F (long s, bytes C5 BF) folds to s. No other character folds to one of these letters.
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
    """The run of white space at ``at``: its end, the start of its last character, the end of its last CR or LF (0:
    it has none)."""
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
    r"""Where ``\s*[\r\n]+|\s+(?!\S)|\s+`` ends that starts at ``at``, a white character."""
    end, last, line_end = white_run(text, at, n_bytes, pages, classes)
    if line_end != 0:
        return line_end
    if end == n_bytes or last == at:
        return end
    return last
