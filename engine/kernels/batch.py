"""Conversion of pretokens to tokens, a batch at a time: the two main kernels, which all others serve.

A batch goes through loops that each do one thing for all of its pretokens, so that the processor never waits for a
single one, and prefetches the memory for the next: make the keys; look up tokens (``list_misses``); look up the rest in
the caches, and merge those that no cache knows, sixteen at a time (``resolve_misses``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels import layout
from engine.kernels._jit import inline_kernel, kernel
from engine.kernels.block_scanners import scan_cl100k, scan_deepseek, scan_gpt2, scan_o200k
from engine.kernels.layout import (
    BATCH,
    BATCH_BYTES,
    KEY,
    LANE,
    LANE_BYTES,
    LANE_COUNT,
    LONG_PRETOKEN,
    LONGEST_CACHED,
    section,
)
from engine.kernels.lookup import (
    BOTH_WORDS,
    COUNT_SHIFT,
    ELSEWHERE,
    LINE_IDS,
    LINE_MARK,
    LOW_HALF,
    OVERFLOWED,
    SECOND_WORD,
    WORD_VALUES,
    emit,
    find_beside,
    find_long,
    find_short,
    hash_bytes,
    is_current,
    key_hash,
    key_high,
    key_low,
    make_room,
    one_token,
    put_recalled,
    put_value,
    put_word,
    recall,
    remember,
    slot_line,
    token_count,
    word_line,
)
from engine.kernels.merging import (
    ENTRY,
    PRETOKEN_START,
    SIZE,
    fill_lane,
    lane_ids,
    merge_long,
    merge_once,
    take_in,
)
from engine.kernels.plain_scanners import CL100K, GPT2, O200K
from engine.kernels.primitives import (
    LINE,
    Span,
    copy_line,
    keep,
    load32,
    load64,
    match_keys,
    part,
    prefetch,
    select,
    shift_right,
    span,
    store32,
    store64,
    trailing_zeros,
)
from engine.kernels.text_bytes import PADDING, is_valid_utf8, kernel_room, write_utf8

OUT_SLACK = 40
"""Ids that may be overwritten after the last one."""
READ_AHEAD = 16
"""Bytes that a key reads from the start of its pretoken."""


@inline_kernel
def make_keys(tables: Span, state: Span, text: Span, ends: Span, index: int, count: int, start: int) -> tuple[int, int]:
    """Enter pretokens into KEYS until the batch is full or the next one is too long for it.

    ``index``: next of ``count`` ends. ``start``: byte offset of its pretoken. Returns the number of entries made, and
    the byte offset of the next pretoken.
    """
    lines = section(tables, layout.LINES)
    masks = section(tables, layout.MASKS)
    shift = load64(tables, layout.LINE_SHIFT)
    keys = section(state, layout.KEYS)
    entries = min(count - index, BATCH)
    if entries > 0 and load32(ends, (index + entries - 1) << 2) - start > BATCH_BYTES:
        entries = min(entries, BATCH_BYTES // LONGEST_CACHED)
    for entry in range(entries):
        at = entry * KEY
        end = load32(ends, (index + entry) << 2)
        size = end - start
        if size < LONG_PRETOKEN:
            low = key_low(text, masks, start, size)
            high = key_high(text, masks, start, size)
            hashed = key_hash(low, high)
            prefetch(lines, shift_right(hashed, shift) << 6)
            store64(keys, at, low)
            store64(keys, at + 8, high)
            store64(keys, at + 16, hashed)
        elif size <= LONGEST_CACHED:
            store64(keys, at, 0)
            store64(keys, at + 8, (LONG_PRETOKEN << 56) | size)
            store64(keys, at + 16, 0)
        else:
            return entry, start
        store64(keys, at + 24, start)
        start = end
    return entries, start


@inline_kernel
def list_misses(tables: Span, state: Span, entries: int, with_ids: bool) -> int:
    """Write the numbers of the entries that are not tokens to MISSES, and the ids of all others to TOKEN_IDS if
    ``with_ids``. Return the number of misses."""
    lines = section(tables, layout.LINES)
    shift = load64(tables, layout.LINE_SHIFT)
    keys = section(state, layout.KEYS)
    ids = section(state, layout.TOKEN_IDS)
    misses = section(state, layout.MISSES)
    missed = 0
    for entry in range(entries):
        line = shift_right(load64(keys, entry * KEY + 16), shift) << 6
        found = match_keys(lines, line, keys, entry * KEY)
        if with_ids:
            store32(ids, entry << 2, load32(lines, line + LINE_IDS + (trailing_zeros(found | 0x40) << 1)))
        store32(misses, missed << 2, entry)
        missed += found == 0
    return missed


@inline_kernel
def divide_misses(state: Span, missed: int) -> int:
    """Divide MISSES into words and longer pretokens, and prefetch the lines of the words. Return the word count."""
    keys = section(state, layout.KEYS)
    words = section(state, layout.WORDS)
    misses = section(state, layout.MISSES)
    word_misses = section(state, layout.WORD_MISSES)
    long_misses = section(state, layout.LONG_MISSES)
    found = 0
    for index in range(missed):
        entry = load32(misses, index << 2)
        prefetch(words, word_line(words, load64(keys, entry * KEY + 16)))
        is_word = shift_right(load64(keys, entry * KEY + 8), 56) != LONG_PRETOKEN
        store32(word_misses, found << 2, entry)
        store32(long_misses, (index - found) << 2, entry)
        found += is_word
    return found


@inline_kernel
def recall_words(state: Span, count: int) -> tuple[int, int]:
    """Write the values of cached words, and list the others in COLD. Return the tokens of the cached ones, and the
    number of others."""
    keys = section(state, layout.KEYS)
    words = section(state, layout.WORDS)
    values = section(state, layout.VALUES)
    misses = section(state, layout.WORD_MISSES)
    colds = section(state, layout.COLD)
    epoch = load64(state, layout.EPOCH)
    total = 0
    cold = 0
    for index in range(count):
        entry = load32(misses, index << 2)
        line = word_line(words, load64(keys, entry * KEY + 16))
        found = match_keys(words, line, keys, entry * KEY) & BOTH_WORDS
        value = line + WORD_VALUES + (trailing_zeros(found | SECOND_WORD) << 3)
        first = load64(words, value)
        second = load64(words, value + 8)
        store64(values, entry << 4, first)
        store64(values, (entry << 4) + 8, second)
        tokens = shift_right(first, COUNT_SHIFT)
        if tokens == ELSEWHERE:
            tokens = second & LOW_HALF
            if shift_right(second, 32) != epoch:
                found = 0
        total += select(found, tokens, 0)
        store32(colds, cold << 2, entry)
        cold += found == 0
    return total, cold


@inline_kernel
def hash_long_misses(tables: Span, state: Span, text: Span, count: int) -> None:
    """Hash the pretokens in LONG_MISSES, and prefetch the lines that they may be in."""
    keys = section(state, layout.KEYS)
    slots = section(state, layout.SLOTS)
    longs = section(tables, layout.LONGS)
    shift = load64(tables, layout.LONG_SHIFT)
    misses = section(state, layout.LONG_MISSES)
    for index in range(count):
        at = load32(misses, index << 2) * KEY
        hashed = hash_bytes(text, load64(keys, at + 24), load64(keys, at + 8) & LOW_HALF)
        store64(keys, at + 16, hashed)
        prefetch(longs, shift_right(hashed, shift) << 3)
        prefetch(slots, slot_line(state, hashed))


@inline_kernel
def prefetch_recalled(state: Span, count: int) -> None:
    """Prefetch the cached bytes and ids of the pretokens in LONG_MISSES."""
    keys = section(state, layout.KEYS)
    slots = section(state, layout.SLOTS)
    arena = section(state, layout.ARENA)
    misses = section(state, layout.LONG_MISSES)
    for index in range(count):
        slot = slot_line(state, load64(keys, load32(misses, index << 2) * KEY + 16))
        prefetch(arena, load64(slots, slot + 8) & LOW_HALF)


@kernel
def find_long_pretoken(tables: Span, state: Span, text: Span, entry: int) -> int:
    """Write the value of a pretoken of 16 bytes or more that is a token, or cached, or too long for a lane (it is
    merged here). Return its number of tokens, or 0."""
    keys = section(state, layout.KEYS)
    size = load64(keys, entry * KEY + 8) & LOW_HALF
    start = load64(keys, entry * KEY + 24)
    hashed = load64(keys, entry * KEY + 16)
    if size <= load64(tables, layout.LONGEST):
        token_id = find_long(tables, text, start, size, hashed)
        if token_id >= 0:
            store64(section(state, layout.VALUES), entry << 4, one_token(token_id))
            return 1
    slot = recall(state, text, start, size, hashed)
    if slot < 0:
        if size <= LANE_BYTES:
            return 0
        ids = section(state, layout.IDS)
        count = merge_long(tables, state, text, start, size, ids, 0)
        slot = remember(state, text, start, size, hashed, ids, count)
    return put_recalled(state, slot, entry << 4)


@kernel
def cache_word(state: Span, entry: int) -> None:
    """Cache a word of the batch with its value."""
    keys = section(state, layout.KEYS)
    line = word_line(section(state, layout.WORDS), load64(keys, entry * KEY + 16))
    put_word(
        section(state, layout.WORDS),
        line,
        load64(keys, entry * KEY),
        load64(keys, entry * KEY + 8),
        section(state, layout.VALUES),
        entry << 4,
    )
    store64(state, layout.WORD_COUNT, load64(state, layout.WORD_COUNT) + 1)


@kernel
def finish_lane(tables: Span, state: Span, text: Span, lane: Span) -> int:
    """Write and cache the value of a pretoken whose lane has no merge left. Return its number of tokens."""
    ids = section(state, layout.IDS)
    count = lane_ids(tables, lane, ids)
    entry = load64(lane, ENTRY)
    size = load64(lane, SIZE)
    if size < LONG_PRETOKEN:
        put_value(state, entry << 4, ids, count)
        cache_word(state, entry)
    else:
        hashed = load64(section(state, layout.KEYS), entry * KEY + 16)
        slot = remember(state, text, load64(lane, PRETOKEN_START), size, hashed, ids, count)
        put_recalled(state, slot, entry << 4)
    return count


@kernel
def find_displaced(tables: Span, state: Span, entry: int) -> int:
    """Write the value of a word that is a token or cached, but not in its own line. Return its number of tokens, or
    0."""
    keys = section(state, layout.KEYS)
    words = section(state, layout.WORDS)
    values = section(state, layout.VALUES)
    low = load64(keys, entry * KEY)
    high = load64(keys, entry * KEY + 8)
    hashed = load64(keys, entry * KEY + 16)
    at = find_beside(words, word_line(words, hashed), low, high)
    if at >= 0:
        first = load64(words, at)
        second = load64(words, at + 8)
        if is_current(first, second, load64(state, layout.EPOCH)):
            store64(values, entry << 4, first)
            store64(values, (entry << 4) + 8, second)
            return token_count(first, second)
    line = shift_right(hashed, load64(tables, layout.LINE_SHIFT)) << 6
    if load32(section(tables, layout.LINES), line + LINE_MARK) & OVERFLOWED != 0:
        token_id = find_short(tables, low, high, hashed)
        if token_id >= 0:
            store64(values, entry << 4, one_token(token_id))
            cache_word(state, entry)
            return 1
    return 0


@kernel
def begin_pretoken(tables: Span, state: Span, text: Span, entry: int, lane: Span) -> int:
    """Put a pretoken that was not found in its own line into a lane, unless it is found elsewhere: then write its value
    and return its number of tokens. Return 0 otherwise."""
    keys = section(state, layout.KEYS)
    high = load64(keys, entry * KEY + 8)
    size = shift_right(high, 56)
    known = 0
    if size == LONG_PRETOKEN:
        size = high & LOW_HALF
    else:
        known = find_displaced(tables, state, entry)
    if known == 0:
        fill_lane(tables, lane, text, load64(keys, entry * KEY + 24), size)
        store64(lane, ENTRY, entry)
    return known


@kernel
def merge_cold(tables: Span, state: Span, text: Span, cold: int) -> int:
    """Merge the entries in COLD. Return their number of tokens. A word that occurs twice in a batch is merged twice,
    which is rare.

    A finished lane takes the next pretoken, so that all lanes are busy until none is left.
    """
    pairs = section(tables, layout.PAIRS)
    shift = load64(tables, layout.PAIR_SHIFT)
    colds = section(state, layout.COLD)
    lanes = section(state, layout.LANES)
    active = section(state, layout.ACTIVE)  # all lanes, busy ones first
    for number in range(LANE_COUNT):
        store32(active, number << 2, number * LANE)
    total = 0
    busy = 0
    index = 0
    while True:
        while busy < LANE_COUNT and index < cold:
            lane = part(lanes, load32(active, busy << 2), LANE)
            known = begin_pretoken(tables, state, text, load32(colds, index << 2), lane)
            index += 1
            total += known
            busy += known == 0
        if busy == 0:
            break
        turn = 0
        while turn < busy:
            offset = load32(active, turn << 2)
            if merge_once(pairs, shift, lanes, offset):
                turn += 1
            else:
                total += finish_lane(tables, state, text, part(lanes, offset, LANE))
                busy -= 1
                store32(active, turn << 2, load32(active, busy << 2))
                store32(active, busy << 2, offset)
        for turn in range(busy):
            take_in(pairs, shift, lanes, load32(active, turn << 2))
    return total


@kernel
def resolve_misses(tables: Span, state: Span, text: Span, missed: int) -> int:
    """Write the values of the entries in MISSES. Return their number of tokens."""
    words = divide_misses(state, missed)
    total, cold = recall_words(state, words)
    if words < missed:
        colds = section(state, layout.COLD)
        misses = section(state, layout.LONG_MISSES)
        hash_long_misses(tables, state, text, missed - words)
        prefetch_recalled(state, missed - words)
        for index in range(missed - words):
            entry = load32(misses, index << 2)
            tokens = find_long_pretoken(tables, state, text, entry)
            total += tokens
            store32(colds, cold << 2, entry)
            cold += tokens == 0
    if cold > 0:
        total += merge_cold(tables, state, text, cold)
    return total


@inline_kernel
def prefetch_output(out: Span, at: int, entries: int) -> None:
    """Prefetch the memory from byte offset ``at`` that the ids of the entries will be written to if all are tokens. The
    memory is fresh, and the hardware prefetcher does not predict it between accesses all over the tables."""
    for line in range(at, at + (entries << 2) + LINE, LINE):
        prefetch(out, line)


@inline_kernel
def emit_batch(state: Span, entries: int, missed: int, out: Span, at: int) -> int:
    """Append the ids of a batch to ``out`` at byte offset ``at``. Return the offset after them; up to ``OUT_SLACK``
    more ids may be overwritten. Runs of ids between two misses are copied sixteen ids at a time, the first 32 of them
    unconditionally, because their number is hard to predict for the processor."""
    ids = section(state, layout.TOKEN_IDS)
    values = section(state, layout.VALUES)
    misses = section(state, layout.MISSES)
    arena = section(state, layout.ARENA)
    store32(misses, missed << 2, entries)
    first = 0
    for index in range(missed + 1):
        entry = load32(misses, index << 2)
        copy_line(out, at, ids, first << 2)
        copy_line(out, at + LINE, ids, (first << 2) + LINE)
        for done in range((first << 2) + 2 * LINE, entry << 2, LINE):
            copy_line(out, at + done - (first << 2), ids, done)
        at += (entry - first) << 2
        if index < missed:
            at = emit(out, at, values, entry << 4, arena)
        first = entry + 1
    return at


@kernel
def merge_huge(tables: Span, state: Span, text: Span, start: int, end: int, out: Span, out_offset: int) -> int:
    """Encode a pretoken of more than ``LONGEST_CACHED`` bytes. Return the number of ids written."""
    size = end - start
    if size <= load64(tables, layout.LONGEST):
        token_id = find_long(tables, text, start, size, hash_bytes(text, start, size))
        if token_id >= 0:
            store32(out, out_offset, token_id)
            return 1
    return merge_long(tables, state, text, start, size, out, out_offset)


@inline_kernel
def check_text(text: NDArray[np.uint8], ends: NDArray[np.int32], count: int, byte_start: int) -> None:
    """Raise IndexError if the text is too short to be read beyond its last end."""
    if count > ends.size or byte_start < 0 or (count > 0 and ends[count - 1] + READ_AHEAD > text.size):
        raise IndexError("the text is shorter than its pretokens need")


@kernel
def count_tokens(
    text: NDArray[np.uint8],
    ends: NDArray[np.int32],
    count: int,
    byte_start: int,
    tables: NDArray[np.uint8],
    state: NDArray[np.uint8],
) -> int:
    """Count the tokens of the first ``count`` pretokens.

    ``text``: uint8[n], UTF-8, with at least ``READ_AHEAD`` arbitrary bytes after the last end. ``ends``: int32[m],
    ascending: byte offset of each pretoken's end; the first starts at ``byte_start``. ``tables``, ``state``: see
    ``layout``. Raises IndexError if the ends are not within the text.
    """
    check_text(text, ends, count, byte_start)
    fixed, own, source, pieces = span(tables), span(state), span(text), span(ends)
    start = byte_start
    index = 0
    total = 0
    while index < count:
        make_room(own)
        entries, start = make_keys(fixed, own, source, pieces, index, count, start)
        index += entries
        if entries > 0:
            missed = list_misses(fixed, own, entries, False)
            total += entries - missed
            if missed > 0:
                total += resolve_misses(fixed, own, source, missed)
        else:
            end = load32(pieces, index << 2)
            ids = np.empty(end - start, np.uint32)
            total += merge_huge(fixed, own, source, start, end, span(ids), 0)
            start = end
            index += 1
            keep(ids)
    return total


@kernel
def encode_tokens(
    text: NDArray[np.uint8],
    ends: NDArray[np.int32],
    count: int,
    byte_start: int,
    tables: NDArray[np.uint8],
    state: NDArray[np.uint8],
    out: NDArray[np.uint32],
    used: int,
) -> int:
    """Append the ids of the first ``count`` pretokens after the first ``used`` ids of ``out``. Return the new number of
    ids.

    Arguments as for ``count_tokens``. ``out``: uint32[k], with room for one id per byte and ``OUT_SLACK`` more; raises
    IndexError if it is shorter.
    """
    check_text(text, ends, count, byte_start)
    if count > 0 and used + ends[count - 1] - byte_start + OUT_SLACK > out.size:
        raise IndexError("no room for the ids of this text")
    fixed, own, source, pieces, target = span(tables), span(state), span(text), span(ends), span(out)
    start = byte_start
    index = 0
    at = used << 2
    while index < count:
        make_room(own)
        entries, start = make_keys(fixed, own, source, pieces, index, count, start)
        index += entries
        if entries > 0:
            prefetch_output(target, at, entries)
            missed = list_misses(fixed, own, entries, True)
            if missed > 0:
                resolve_misses(fixed, own, source, missed)
            at = emit_batch(own, entries, missed, target, at)
        else:
            end = load32(pieces, index << 2)
            at += merge_huge(fixed, own, source, start, end, target, at) << 2
            start = end
            index += 1
    return at >> 2


# --- whole texts ------------------------------------------------------------------------------------------------------
#
# A chunk is small enough that everything derived from it stays in the processor's caches. Calling the kernels one by
# one for each chunk would take a tenth more time: the interpreter's code and data would have to be reloaded into those
# caches, and threads would wait for each other in the interpreter.
#
# ``fixed``, which never changes: tables of a scanner (see ``block_scanners``: pages, classes, wide_table, split; the
# first word of split is the family) and tables of a vocabulary. ``own``, which one call at a time may use: a state,
# room for ends (int32[m], m >= 64), room for UTF-8 (uint8[k]) and the same room again, as a read-only array.
#
# ``count_many`` validates and counts many texts. Each call of a kernel releases and reacquires the GIL, so threads that
# count one short text after the other would constantly wait for each other. So the texts of many small files are stored
# in one array, and one call does for all of them what ``count_utf8`` does for one.


Fixed = tuple[NDArray[np.uint16], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint8]]
Own = tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.uint8], NDArray[np.uint8]]


@kernel
def scan_known(text: NDArray[np.uint8], n_bytes: int, start: int, fixed: Fixed, ends: NDArray[np.int32]) -> int:
    """Write the ends of the pretokens from ``start``, by the scanner of their family. Return their count, 1 or more."""
    pages, classes, wide_table, split = fixed[:4]
    if split[0] == GPT2:
        found = scan_gpt2(text, n_bytes, start, pages, classes, wide_table, split, ends)
    elif split[0] == CL100K:
        found = scan_cl100k(text, n_bytes, start, pages, classes, wide_table, split, ends)
    elif split[0] == O200K:
        found = scan_o200k(text, n_bytes, start, pages, classes, wide_table, split, ends)
    else:
        found = scan_deepseek(text, n_bytes, start, pages, classes, wide_table, split, ends)
    if found < 1:
        raise IndexError("no room for the ends of pretokens")
    return found


@kernel
def count_utf8(text: NDArray[np.uint8], n_bytes: int, fixed: Fixed, own: Own) -> int:
    """Count the tokens of a text. ``text``: uint8[n], n >= n_bytes + 64, valid UTF-8 up to n_bytes."""
    state, ends = own[:2]
    tables = fixed[4]
    total = 0
    start = 0
    while start < n_bytes:
        found = scan_known(text, n_bytes, start, fixed, ends)
        total += count_tokens(text, ends, found, start, tables, state)
        start = int(ends[found - 1])
    return total


@kernel
def encode_utf8(
    text: NDArray[np.uint8],
    n_bytes: int,
    start: int,
    fixed: Fixed,
    own: Own,
    out: NDArray[np.uint32],
    used: int,
) -> tuple[int, int]:
    """Append the ids of a text from ``start``, where a pretoken starts, after the first ``used`` ids of ``out``.

    ``text``: as for ``count_utf8``. Stops early if ``out`` might lack room (one id per byte and ``OUT_SLACK`` more).
    Returns the byte offset where it stopped, n_bytes at the end, and the number of ids in ``out``.
    """
    state, ends = own[:2]
    tables = fixed[4]
    while start < n_bytes:
        found = scan_known(text, n_bytes, start, fixed, ends)
        stop = int(ends[found - 1])
        if used + stop - start + OUT_SLACK > out.size:
            break
        used = encode_tokens(text, ends, found, start, tables, state, out, used)
        start = stop
    return start, used


@kernel
def count_text(text: str, chunks: NDArray[np.int64], first: int, fixed: Fixed, own: Own) -> tuple[int, int]:
    """Count the tokens of the chunks of a text from chunk number ``first``.

    ``chunks``: int64[k, 2], start and end of each, in characters. Returns the number of the first chunk that was not
    counted, because its UTF-8 has no room or it has a surrogate, or k if all were counted; and the tokens of those
    before.
    """
    utf8, readable = own[2:]
    total = 0
    for chunk in range(first, len(chunks)):
        start, end = chunks[chunk, 0], chunks[chunk, 1]
        if kernel_room(text, end - start) > utf8.size:
            return chunk, total
        n_bytes = write_utf8(text, start, end, utf8)
        if n_bytes < 0:
            return chunk, total
        total += count_utf8(readable, n_bytes, fixed, own)
    return len(chunks), total


@kernel
def encode_text(
    text: str,
    chunks: NDArray[np.int64],
    first: int,
    fixed: Fixed,
    own: Own,
    out: NDArray[np.uint32],
    used: int,
) -> tuple[int, int]:
    """Append the ids of the chunks of a text from chunk ``first`` after the first ``used`` ids of ``out``.

    Like ``count_text``, but also stops before a chunk for whose ids ``out`` might lack room. Returns the number of that
    chunk, and the number of ids in ``out``.
    """
    utf8, readable = own[2:]
    for chunk in range(first, len(chunks)):
        start, end = chunks[chunk, 0], chunks[chunk, 1]
        if kernel_room(text, end - start) > utf8.size:
            return chunk, used
        n_bytes = write_utf8(text, start, end, utf8)
        if n_bytes < 0 or used + n_bytes + OUT_SLACK > out.size:
            return chunk, used
        _, used = encode_utf8(readable, n_bytes, 0, fixed, own, out, used)
    return len(chunks), used


NOT_UTF8 = -1
"""Stands for the tokens of bytes that are not valid UTF-8."""


@kernel
def count_many(
    content: NDArray[np.uint8], byte_spans: NDArray[np.int64], fixed: Fixed, own: Own, counts: NDArray[np.int64]
) -> None:
    """Write the number of tokens of each of n texts, or ``NOT_UTF8`` if it is not valid UTF-8. Bytes before and after a
    text, such as the next text, do not affect its count.

    ``content``: uint8[m], read-only, all texts, each followed by ``PADDING`` readable bytes. ``byte_spans``: int64[n,
    2], start and end of each text in it. ``fixed``, ``own``: as for whole texts, above. ``counts``: int64[k], k >= n.
    Raises IndexError if a text is not within ``content``, or if ``counts`` is too short.
    """
    if len(counts) < len(byte_spans):
        raise IndexError("no room for the counts")
    for index in range(len(byte_spans)):
        start, end = byte_spans[index, 0], byte_spans[index, 1]
        if start < 0 or end < start or end > len(content) - PADDING:
            raise IndexError("the texts are not within their memory")
        if is_valid_utf8(content[start:end]):
            counts[index] = count_utf8(content[start : end + PADDING], end - start, fixed, own)
        else:
            counts[index] = NOT_UTF8
