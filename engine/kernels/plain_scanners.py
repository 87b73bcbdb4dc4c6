r"""Scanners that split a text into pretokens character by character: for what blocks leave undecided, and for
SentencePiece.

``next_gpt2``, ``next_cl100k``, ``next_o200k`` and ``next_deepseek`` implement the bundled split patterns, one pretoken
at a time: plain, exact, and called by the block scanners in doubt. Each takes the start of a pretoken and returns its
end. The text is valid UTF-8, and readable for four bytes beyond ``n_bytes``; invalid UTF-8 gives meaningless ends, but
none outside the text. ``pages`` and ``classes``: see ``engine.kernels.blocks``; ``next_deepseek`` takes tables with its
own classes. All follow their patterns alternative by alternative. Where a pattern backtracks, the comment explains the
result.

``scan_pieces`` splits texts for SentencePiece's pieces, and splits further:
``\n{1,31}|\t{1,31}| {2,31}| ?(?:[^ \n\t]|(?<=>) (?=</))+| ``

Of a run of newlines, tabs or spaces, up to 31 are one token, from the left. Everything else is merged within a span
that has no newlines or tabs, and a space only at its start: no piece has a space after another character, except in
``> </``. In an encoding that has tags, such as ``</td>``, each tag is a span of its own.

Such a span is split between two characters that are adjacent in no piece: every merge across that boundary would make a
piece in which they are. An unknown character is output byte by byte. Unreachable pieces are no concern, because the
tables do not contain them. A span may end with the space of ``> </`` if a tag follows; the space then merges with
nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.blocks import (
    CASED,
    CASELESS,
    EAST,
    EASTERN,
    LETTERS,
    LOWER,
    MARK,
    NEWLINE,
    NUMBER,
    OTHER,
    PUNCTUATION,
    SPACE,
    SYMBOL,
    UPPER,
    character_at,
    code_point_at,
    contraction_length,
    digits_end,
    run_end,
    white_end,
    white_run,
)
from engine.kernels.primitives import Span, load8, load64, span, store32

# --- GPT-2, cl100k and o200k ------------------------------------------------------------------------------------------

_BEGINS_WORD = 1 << UPPER | 1 << CASELESS | 1 << MARK
_ENDS_WORD = 1 << LOWER | 1 << CASELESS | 1 << MARK
_WORD = _BEGINS_WORD | _ENDS_WORD
_PREFIX = 1 << OTHER | 1 << MARK | 1 << SPACE
r"""``[^\r\n\p{L}\p{N}]``"""


@kernel
def next_gpt2(text: Span, at: int, n_bytes: int, pages: Span, classes: Span) -> int:
    r"""``'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+``"""
    length = contraction_length(text, at, n_bytes, 0)
    if length:
        return at + length
    start = at + 1 if load8(text, at) == 0x20 else at
    if start < n_bytes:
        kind = character_at(text, start, pages, classes) & 15
        if LETTERS >> kind & 1:
            return run_end(text, start, n_bytes, pages, classes, LETTERS, LETTERS)
        if kind == NUMBER:
            return run_end(text, start, n_bytes, pages, classes, 1 << NUMBER, 1 << NUMBER)
        if PUNCTUATION >> kind & 1:
            return run_end(text, start, n_bytes, pages, classes, PUNCTUATION, PUNCTUATION)
    # Here a line end is ordinary whitespace: without \s*[\r\n]+ only the last character can be left over.
    end, last, _ = white_run(text, at, n_bytes, pages, classes)
    return end if end == n_bytes or last == at else last


@kernel
def _punctuation_end(text: Span, at: int, n_bytes: int, pages: Span, classes: Span, slash: int) -> int:
    r"""Return the end of `` ?[^\s\p{L}\p{N}]+[\r\n]*``, with ``/`` in the last class if slash is 0x2F; ``at`` if no
    match."""
    start = at + 1 if load8(text, at) == 0x20 else at
    end = run_end(text, start, n_bytes, pages, classes, PUNCTUATION | PUNCTUATION << EAST, PUNCTUATION)
    if end == start:
        return at
    while end < n_bytes:
        byte = load8(text, end)
        if byte != 0x0A and byte != 0x0D and byte != slash:
            break
        end += 1
    return end


@kernel
def next_cl100k(text: Span, at: int, n_bytes: int, pages: Span, classes: Span, digits: int, whole_tail: int) -> int:
    r"""``'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,digits}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|
    \s+(?!\S)|\s+``; cl100k (3 digits), Llama 3 (3) and Qwen (1).

    whole_tail: cl100k has ``\s+$`` before ``\s*[\r\n]+``, so whitespace at the end of the text is never split.
    """
    length = contraction_length(text, at, n_bytes, 32)
    if length:
        return at + length
    character = character_at(text, at, pages, classes)
    kind = character & 15
    following = at + (character >> 4)
    if LETTERS >> kind & 1:
        return run_end(text, following, n_bytes, pages, classes, LETTERS, LETTERS)
    if kind == NUMBER:
        return digits_end(text, at, n_bytes, pages, classes, digits)
    if kind != NEWLINE and following < n_bytes:
        next_kind = character_at(text, following, pages, classes) & 15
        if LETTERS >> next_kind & 1:
            return run_end(text, following, n_bytes, pages, classes, LETTERS, LETTERS)
    end = _punctuation_end(text, at, n_bytes, pages, classes, 0x0A)
    if end != at:
        return end
    if whole_tail:
        end, _, _ = white_run(text, at, n_bytes, pages, classes)
        if end == n_bytes:
            return end
    return white_end(text, at, n_bytes, pages, classes)


@kernel
def _word_end(text: Span, at: int, n_bytes: int, pages: Span, classes: Span, mode: int) -> int:
    r"""Return the end of the word that starts at ``at``, or 0. U = ``[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]``, L = the same
    with ``\p{Ll}`` for the first two. mode 0: ``U*L+``; mode 1: ``U+L*``.

    ``U*`` is greedy. If no ``\p{Ll}`` follows, it backtracks until the rest starts with a character of L: the last
    caseless one. Then ``L+`` takes only that character, because cased capitals or nothing follow it.
    """
    end = at
    behind_caseless = 0
    while end < n_bytes:
        character = character_at(text, end, pages, classes)
        if _BEGINS_WORD >> (character & 15) & 1 == 0:
            break
        end += character >> 4
        if character & 15 != UPPER:
            behind_caseless = end
        else:
            capitals = run_end(text, end, n_bytes, pages, classes, 1 << UPPER, 1 << UPPER)
            end = capitals
    lower_end = run_end(text, end, n_bytes, pages, classes, _ENDS_WORD, _ENDS_WORD)
    if mode == 0:
        return lower_end if lower_end > end else behind_caseless
    return 0 if end == at else lower_end


@kernel
def next_o200k(text: Span, at: int, n_bytes: int, pages: Span, classes: Span, digits: int, options: int) -> int:
    r"""``[^\r\n\p{L}\p{N}]?U*L+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?U+L*(?i:'s|...)?|\p{N}{1,digits}|
    ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+``; o200k (3 digits), Tekken (1, no contractions). Kimi (3) has
    ``[\p{Han}]+`` in front, no Han in U and L, and no slash.

    U and L: see ``_word_end``. A mark may be the prefix and is also in U and L: the prefix is tried first. options: 1
    for contractions; 2 for Kimi's, whose table contains Han.
    """
    contractions = options & 1
    slash = 0x0A if options & 2 else 0x2F
    character = character_at(text, at, pages, classes)
    kind = character & 15
    following = at + (character >> 4)
    if kind >= EAST:
        return run_end(text, following, n_bytes, pages, classes, EASTERN, 0)
    for mode in range(2):
        end = 0
        if _PREFIX >> kind & 1 and following < n_bytes:
            end = _word_end(text, following, n_bytes, pages, classes, mode)
        if end == 0 and _WORD >> kind & 1:
            end = _word_end(text, at, n_bytes, pages, classes, mode)
        if end != 0:
            return end + contraction_length(text, end, n_bytes, 32) if contractions else end
    if kind == NUMBER:
        return digits_end(text, at, n_bytes, pages, classes, digits)
    end = _punctuation_end(text, at, n_bytes, pages, classes, slash)
    if end != at:
        return end
    return white_end(text, at, n_bytes, pages, classes)


# --- DeepSeek ---------------------------------------------------------------------------------------------------------

_LETTER_MARK = 1 << CASED | 1 << CASELESS | 1 << MARK
_ASCII_LETTERS = 1 << UPPER | 1 << LOWER


@kernel
def _east_end(text: Span, at: int, n_bytes: int, pages: Span, classes: Span) -> int:
    """Do ``next_deepseek`` in Han and kana, which the second stage splits off, so the third stage sees only these."""
    kind = character_at(text, at, pages, classes) & 15
    if kind == EAST + SYMBOL:
        return run_end(text, at, n_bytes, pages, classes, 1 << kind, 0)
    end = at
    if kind == EAST + OTHER:
        end = run_end(text, at, n_bytes, pages, classes, 1 << kind, 0)
    word_end = run_end(text, end, n_bytes, pages, classes, _LETTER_MARK << EAST, 0)
    if word_end == end or end == at:
        return max(word_end, end)
    # Others before a word: the last one is its prefix. All of them have three bytes.
    return word_end if end == at + 3 else end - 3


@kernel
def _others_end(text: Span, at: int, n_bytes: int, pages: Span, classes: Span) -> int:
    """Return the end of the run of others at ``at``, without a last one that prefixes a word, unless it is the only
    one."""
    last = at
    end = at
    while end < n_bytes:
        character = character_at(text, end, pages, classes)
        if character & 15 != OTHER:
            return last if last > at and _LETTER_MARK >> (character & 15) & 1 else end
        last = end
        end += character >> 4
    return end


@kernel
def _ascii_letters_end(text: Span, at: int, n_bytes: int) -> int:
    while at < n_bytes and 0x41 <= load8(text, at) & 0xDF <= 0x5A:
        at += 1
    return at


@kernel
def next_deepseek(text: Span, at: int, n_bytes: int, pages: Span, classes: Span) -> int:
    r"""Three stages, each on the parts that the previous one made; text that a stage does not match stays one part:
    ``\p{N}{1,3}``, then ``[\u4e00-\u9fa5\u3040-\u30ff]+``, then
    ``[!-/:-@\[-`{-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+``

    So numbers, Han and kana end a part, and the lookahead treats them like the end of the text.
    """
    character = character_at(text, at, pages, classes)
    kind = character & 15
    following = at + (character >> 4)
    if kind == NUMBER:
        return digits_end(text, at, n_bytes, pages, classes, 3)
    if kind >= EAST:
        return _east_end(text, at, n_bytes, pages, classes)
    if _LETTER_MARK >> kind & 1:
        return run_end(text, following, n_bytes, pages, classes, _LETTER_MARK, _ASCII_LETTERS)
    next_kind = character_at(text, following, pages, classes) & 15 if following < n_bytes else NEWLINE
    if kind == SYMBOL and load8(text, at) < 0x80:
        end = _ascii_letters_end(text, following, n_bytes)
        if end > following:
            return end
    if kind in (OTHER, SPACE) and _LETTER_MARK >> next_kind & 1:
        return run_end(text, following, n_bytes, pages, classes, _LETTER_MARK, _ASCII_LETTERS)
    if kind == SYMBOL or (load8(text, at) == 0x20 and next_kind == SYMBOL):
        end = run_end(text, following, n_bytes, pages, classes, 1 << SYMBOL, 0)
        while end < n_bytes and (load8(text, end) == 0x0A or load8(text, end) == 0x0D):
            end += 1
        return end
    if kind == OTHER:
        return _others_end(text, at, n_bytes, pages, classes)
    end, last, line_end = white_run(text, at, n_bytes, pages, classes)
    if line_end != 0:
        return line_end
    if end == n_bytes or last == at:
        return end
    behind = character_at(text, end, pages, classes) & 15
    return end if behind == NUMBER or behind >= EAST else last


GPT2, CL100K, O200K, DEEPSEEK = range(4)
"""Families of split patterns, as in ``engine.split.patterns``."""


@kernel
def next_end(
    text: Span, at: int, n_bytes: int, pages: Span, classes: Span, family: int, digits: int, options: int
) -> int:
    """Return the end of the pretoken that starts at ``at``, at most ``n_bytes``. family, digits, options: as for
    ``scan_plain``."""
    if family == GPT2:
        end = next_gpt2(text, at, n_bytes, pages, classes)
    elif family == CL100K:
        end = next_cl100k(text, at, n_bytes, pages, classes, digits, options)
    elif family == O200K:
        end = next_o200k(text, at, n_bytes, pages, classes, digits, options)
    else:
        end = next_deepseek(text, at, n_bytes, pages, classes)
    return min(end, n_bytes)


@kernel
def scan_plain(
    text: NDArray[np.uint8],
    n_bytes: int,
    start: int,
    pages: NDArray[np.uint16],
    classes: NDArray[np.uint8],
    split: NDArray[np.int64],
    ends: NDArray[np.int32],
) -> int:
    """Write the ends of consecutive pretokens from ``start``, where one starts, until the text ends or ``ends`` is
    full.

    text: uint8[n], readable for four bytes beyond n_bytes. split: int64[3], the family (``GPT2`` to ``DEEPSEEK``),
    the maximum digits in a pretoken, and the family's options (``whole_tail``, those of ``next_o200k``).
    ends: int32[m], written. Returns the number of ends. Raises IndexError if n_bytes or start is not within the text.
    """
    if start < 0 or n_bytes < start or n_bytes + 4 > text.size:
        raise IndexError("the text is shorter than it is said to be")
    family, digits, options = split[0], split[1], split[2]
    text_span, page_span, class_span, end_span = span(text), span(pages), span(classes), span(ends)
    found = 0
    at = start
    while at < n_bytes and found < ends.size:
        at = next_end(text_span, at, n_bytes, page_span, class_span, family, digits, options)
        store32(end_span, found << 2, at)
        found += 1
    return found


# --- pieces of SentencePiece ------------------------------------------------------------------------------------------

ASCII_PAIRS = 0x200000 // 8
"""Byte offset of a bit set for pairs of ASCII characters that are adjacent in a piece, in the data of ``scan_pieces``.
Before it, a bit for each number that four bytes decode to, set for known characters."""
PAIRS = ASCII_PAIRS + 128 * 128 // 8
"""Byte offset of the set of hashed pairs of other characters."""
PAIR_BITS = 18
TAGS = PAIRS + (1 << (PAIR_BITS - 3))
"""Byte offset of a hash table of tags: slots of 16 bytes with a tag padded by zeros, or zeros."""
TAG_SLOTS = 256
LONGEST_TAG = 13
SCAN_SIZE = TAGS + TAG_SLOTS * 16
LONGEST_RUN = 31
_MIX = 0x9E3779B1


@inline_kernel
def pair_bit(left: int, right: int) -> int:
    """Return the bit number of two characters that are not both ASCII."""
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
    """Return the slot number of a tag extended by ``byte``. ``slot``: that of its preceding bytes."""
    return (slot * 31 + byte) & (TAG_SLOTS - 1)


@kernel
def _tag_end(text: Span, at: int, n_bytes: int, data: Span) -> int:
    """Return the end of the tag that starts at ``at``, as a byte offset, or 0 if no tag starts there."""
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
    offset = TAGS + (slot << 4)
    while load64(data, offset) != 0:
        if load64(data, offset) == low and load64(data, offset + 8) == high:
            return at + size
        offset = TAGS + ((offset - TAGS + 16) & (TAG_SLOTS * 16 - 1))
    return 0


@kernel
def _run_end(text: Span, at: int, n_bytes: int, byte: int) -> int:
    end = at + 1
    limit = min(n_bytes, at + LONGEST_RUN)
    while end < limit and load8(text, end) == byte:
        end += 1
    return end


@kernel
def _span_end(text: Span, at: int, n_bytes: int, data: Span) -> int:
    """Return the end of the pretoken that starts at ``at``, as a byte offset. It starts with a piece, not a tag."""
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
    """Write the ends of consecutive spans from ``start``, where one starts, until the text ends or ``ends`` is full.

    text: uint8[n], readable for four bytes beyond n_bytes. data: uint8[SCAN_SIZE]. ends: int32[m], m >= 8, written.
    Returns the number of ends. Raises IndexError if n_bytes or start is not within the text, or data is too short.
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
                at = _span_end(source, at, n_bytes, known)
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
