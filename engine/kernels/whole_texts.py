"""Whole texts, one or many, to tokens in one call: UTF-8, pretokens and tokens of one chunk after the other.

A chunk is small enough for everything that is made of it to be read again from the processor's caches. To call the
kernels one by one for each chunk would take a tenth more: the interpreter's own code and data have to come back into
those caches every time; and threads would wait for each other there.

``fixed``, what never changes: tables of a scanner (``block_scanners`` says which: pages, classes, wide_table, split;
the first word of split is the family) and tables of a vocabulary. ``own``, what one call at a time may use: a state,
room for ends (int32[m], m >= 64), room for UTF-8 (uint8[k]) and that same room once more, as an array that is only
read.

``count_many`` checks and counts many texts. A call of a kernel gives the interpreter lock away and takes it back:
threads that count one short text after the other wait for each other all the time. So the texts of many small files
stand in one stretch of memory, and one call does for all of them what ``count_utf8`` does for one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.kernels._jit import kernel
from engine.kernels.batch import OUT_SLACK, count_tokens, encode_tokens
from engine.kernels.block_scanners import scan_cl100k, scan_deepseek, scan_gpt2, scan_o200k
from engine.kernels.utf8 import PADDING, is_valid_utf8, kernel_room, write_utf8

GPT2 = 0
CL100K = 1
O200K = 2
"""Families of splits, as in ``engine.split.scanners``; any other number is DeepSeek's."""

Fixed = tuple[NDArray[np.uint16], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint8]]
Own = tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.uint8], NDArray[np.uint8]]


@kernel
def scan_known(text: NDArray[np.uint8], n_bytes: int, start: int, fixed: Fixed, ends: NDArray[np.int32]) -> int:
    """Where the pretokens from ``start`` on end, by the scanner of their family. How many fitted: at least one."""
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
    """How many tokens a text has. ``text``: uint8[n], n >= n_bytes + 64, valid UTF-8 up to n_bytes."""
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
    """Append the ids of a text from ``start`` on, where a pretoken starts, to the first ``used`` of ``out``.

    ``text``: as for ``count_utf8``. Returns where the text goes on that has no ids yet, because ``out`` might have had
    no room for them (an id a byte and ``OUT_SLACK`` more); n_bytes for all of it. And how many ids ``out`` has.
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
    """How many tokens the chunks of a text have from the one with the number ``first`` on.

    ``chunks``: int64[k, 2], where each starts and ends, in characters. Returns the number of the first chunk that was
    not counted, because there is no room for its UTF-8 or it has a surrogate; k for all. And the tokens of the others.
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
    """Append the ids of the chunks of a text from ``first`` on to the first ``used`` of ``out``.

    As ``count_text``; it ends before a chunk for whose ids ``out`` might have no room, too. Returns the number of that
    chunk, and how many ids ``out`` has.
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
"""Stands for the tokens of what is no text."""


@kernel
def count_many(
    content: NDArray[np.uint8], byte_spans: NDArray[np.int64], fixed: Fixed, own: Own, counts: NDArray[np.int64]
) -> None:
    """Write how many tokens each of n texts has, ``NOT_UTF8`` for one that is not valid UTF-8. Nothing of what stands
    in front of a text or behind it has a part in that, be it the next text.

    ``content``: uint8[m], read-only, all of the texts, with ``PADDING`` readable bytes of anything behind each.
    ``byte_spans``: int64[n, 2], where each starts and ends there. ``fixed``, ``own``: as for ``whole_texts``.
    ``counts``: int64[k], k >= n. IndexError where a text is not in ``content``, or ``counts`` is too short.
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
