"""Count and encode texts with a scanner: by one kernel call for everything, or step by step.

``text_work`` chooses the implementation; both are a ``TextWork`` and use the memory of a ``Workspace``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.errors import UnsupportedTextError
from engine.kernels import layout
from engine.kernels._jit import COMPILED, NotCompiledError
from engine.kernels.batch import (
    NOT_UTF8,
    OUT_SLACK,
    Fixed,
    count_many,
    count_text,
    count_tokens,
    count_utf8,
    encode_text,
    encode_tokens,
    encode_utf8,
)
from engine.kernels.state import new_state
from engine.kernels.utf8 import MAX_BYTES, PADDING, ROOM, room_for, write_utf8
from engine.split.safe_boundaries import text_boundaries
from engine.split.scanners import Scanner
from engine.text.offsets import is_utf8

ENDS = 16_384
"""Pretokens that are scanned before their tokens are looked up."""


KEPT_ROOM = MAX_BYTES * 262_144 + ROOM
"""Bytes that a workspace reserves for the UTF-8 of chunks: four times what most need, as a chunk without a boundary is
larger. Larger chunks get memory of their own, which is costly when a run of a megabyte takes half a millisecond."""


_ZEROS = bytes(PADDING)


_BYTE = np.dtype(np.uint8)  # created once: it matters for short texts


@dataclass(slots=True)
class Workspace:
    """A state with room for ends and for UTF-8; ``own`` holds all of them as ``engine.kernels.batch`` takes them.

    ``readable``: a read-only view of the room for UTF-8. A writable array would make the kernel compile again.
    """

    has_large_pages: bool
    state: NDArray[np.uint8]
    ends: NDArray[np.int32]
    utf8: NDArray[np.uint8]
    readable: NDArray[np.uint8]
    own: tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.uint8], NDArray[np.uint8]]

    @classmethod
    def made(cls, token_count: int, *, large_pages: bool) -> Workspace:
        """Create a workspace in a single block of memory: the first access to each page takes time."""
        state = new_state(token_count, large_pages=large_pages, spare=KEPT_ROOM + 4 * ENDS)
        header = state[: layout.HEADER_SIZE].view(np.int64)
        start = int(header[layout.DIRECTORY // 8 + 2 * layout.SPARE])
        spare = state[start : start + KEPT_ROOM + 4 * ENDS]
        utf8, ends = spare[:KEPT_ROOM], spare[KEPT_ROOM:].view(np.int32)
        readable = utf8.view()
        readable.flags.writeable = False
        return cls(large_pages, state, ends, utf8, readable, (state, ends, utf8, readable))

    def chunk(self, text: str, char_start: int, char_end: int) -> tuple[NDArray[np.uint8], int]:
        """Return the padded UTF-8 of a chunk, and its size in bytes. Valid until the next call. Raises
        UnicodeEncodeError."""
        room = room_for(text, char_end - char_start)
        kept = room <= len(self.utf8)
        out = self.utf8 if kept else np.empty(room, dtype=np.uint8)
        n_bytes = write_utf8(text, char_start, char_end, out) if COMPILED else -1
        if n_bytes < 0:
            return padded(text[char_start:char_end].encode("utf-8"))
        if kept:
            return self.readable, n_bytes
        out.flags.writeable = False
        return out, n_bytes


def padded(content: bytes) -> tuple[NDArray[np.uint8], int]:
    """Return UTF-8 with the padding that scanners need, and its size in bytes."""
    return np.frombuffer(content + _ZEROS, _BYTE), len(content)


Scan = Callable[[NDArray[np.uint8], int, int, NDArray[np.int32]], int]
"""``scan(text, n_bytes, byte_start, ends)``: write the ends of the pretokens from ``byte_start`` on, as many as fit,
and return their number, at least one. ``text``: uint8[n_bytes + PADDING], UTF-8; ``ends``: int32[m], offsets into
``text``."""

Chunks = NDArray[np.int64]
"""int64[k, 2], k > 0: start and end of contiguous parts of a text, in characters; each encodes to the same tokens as in
the whole (``engine.split.safe_boundaries``)."""

Utf8 = tuple[NDArray[np.uint8], int]
"""A padded array, and the size of the UTF-8 in it, in bytes."""

Counts = NDArray[np.int64]
"""int64[n]: the number of tokens of n texts, ``NOT_UTF8`` for invalid UTF-8."""

_SHORT_CHARS = 4096  # maximum length for which Python's own conversion to UTF-8 is faster than a kernel call
_MANY_BYTES = 1 << 16
_LAST_BYTES = 4096
_INNER_BYTES = bytes(range(0x80, 0xC0))  # UTF-8 continuation bytes
_MAX_BYTES_AT_ONCE = (1 << 31) - 1 - PADDING  # ends are 32-bit numbers


class TextWork(Protocol):
    """Counts and encodes UTF-8 as bytes, or a Python text; of a Python text, only ``chunks`` if they are given. Raises
    UnicodeEncodeError or UnsupportedTextError."""

    def count(self, text: str | bytes, chunks: Chunks | None, own: Workspace) -> int:
        """Return the number of tokens."""

    def count_many(self, content: NDArray[np.uint8], byte_spans: NDArray[np.int64], own: Workspace) -> Counts:
        """Return the number of tokens of each of many texts, as in ``engine.kernels.batch``."""

    def encode(self, text: str | bytes, chunks: Chunks | None, own: Workspace, out: NDArray[np.uint32]) -> int:
        """Write the ids to ``out``, which owns its memory and grows if necessary. Returns their number."""


def text_work(scan: Scan, tables: NDArray[np.uint8]) -> TextWork:
    """Return the fastest implementation for a scanner and the tables of a vocabulary."""
    if isinstance(scan, Scanner) and scan.block_tables is not None:
        return _ByKernel((*scan.block_tables, tables))
    return _StepByStep(scan, tables)


class _ByKernel:
    """Calls ``engine.kernels.batch``. A chunk that it skips, because it exceeds the reserved room or has a surrogate,
    is converted to UTF-8 separately."""

    def __init__(self, fixed: Fixed) -> None:
        self._fixed = fixed

    def count(self, text: str | bytes, chunks: Chunks | None, own: Workspace) -> int:
        parts = _at_once(text)
        if parts or isinstance(text, bytes):
            return sum(count_utf8(*_checked(utf8), self._fixed, own.own) for utf8 in parts)
        chunks = _all_of(text) if chunks is None else chunks
        done, total = count_text(text, chunks, 0, self._fixed, own.own)
        while done < len(chunks):
            total += count_utf8(*_checked(own.chunk(text, *chunks[done].tolist())), self._fixed, own.own)
            done, tokens = count_text(text, chunks, done + 1, self._fixed, own.own)
            total += tokens
        return total

    def count_many(self, content: NDArray[np.uint8], byte_spans: NDArray[np.int64], own: Workspace) -> Counts:
        counts = np.empty(len(byte_spans), dtype=np.int64)
        try:
            count_many(content, byte_spans, self._fixed, own.own, counts)
        except NotCompiledError:  # it is loaded late, and its file may have been deleted
            return _one_by_one(
                content, byte_spans, lambda text, n_bytes: count_utf8(text, n_bytes, self._fixed, own.own)
            )
        return counts

    def encode(self, text: str | bytes, chunks: Chunks | None, own: Workspace, out: NDArray[np.uint32]) -> int:
        parts = _at_once(text)
        if parts or isinstance(text, bytes):
            used = 0
            for utf8 in parts:
                used = self._encode_utf8(utf8, own, out, used)
            return used
        chunks = _all_of(text) if chunks is None else chunks
        done, used = encode_text(text, chunks, 0, self._fixed, own.own, out, 0)
        while done < len(chunks):
            used = self._encode_utf8(own.chunk(text, *chunks[done].tolist()), own, out, used)
            done, used = encode_text(text, chunks, done + 1, self._fixed, own.own, out, used)
        return used

    def _encode_utf8(self, utf8: Utf8, own: Workspace, out: NDArray[np.uint32], used: int) -> int:
        array, n_bytes = _checked(utf8)
        done, used = encode_utf8(array, n_bytes, 0, self._fixed, own.own, out, used)
        while done < n_bytes:
            out.resize(min(2 * len(out), used + n_bytes - done) + OUT_SLACK, refcheck=False)
            done, used = encode_utf8(array, n_bytes, done, self._fixed, own.own, out, used)
        return used


class _StepByStep:
    """Uses one call for each step. Works with any scanner and without compiled kernels."""

    def __init__(self, scan: Scan, tables: NDArray[np.uint8]) -> None:
        self._scan = scan
        self._tables = tables

    def count(self, text: str | bytes, chunks: Chunks | None, own: Workspace) -> int:
        return sum(self._count_utf8(*_checked(utf8), own) for utf8 in _utf8_parts(text, chunks, own))

    def count_many(self, content: NDArray[np.uint8], byte_spans: NDArray[np.int64], own: Workspace) -> Counts:
        return _one_by_one(content, byte_spans, lambda text, n_bytes: self._count_utf8(text, n_bytes, own))

    def _count_utf8(self, content: NDArray[np.uint8], n_bytes: int, own: Workspace) -> int:
        steps = self._steps(content, n_bytes, own)
        return sum(count_tokens(content, own.ends, found, start, self._tables, own.state) for start, found in steps)

    def encode(self, text: str | bytes, chunks: Chunks | None, own: Workspace, out: NDArray[np.uint32]) -> int:
        used = 0
        for part, start, found in self._scanned(text, chunks, own):
            needed = used + int(own.ends[found - 1]) - start + OUT_SLACK
            if needed > len(out):
                out.resize(needed + len(out), refcheck=False)
            used = encode_tokens(part, own.ends, found, start, self._tables, own.state, out, used)
        return used

    def _scanned(
        self, text: str | bytes, chunks: Chunks | None, own: Workspace
    ) -> Iterator[tuple[NDArray[np.uint8], int, int]]:
        """Split a text: yield part of it as an array, the start of the next pretokens there, and their number in
        ``own.ends``."""
        for utf8 in _utf8_parts(text, chunks, own):
            array, n_bytes = _checked(utf8)
            for start, found in self._steps(array, n_bytes, own):
                yield array, start, found

    def _steps(self, content: NDArray[np.uint8], n_bytes: int, own: Workspace) -> Iterator[tuple[int, int]]:
        """Split UTF-8: yield the start of the next pretokens, and their number in ``own.ends``."""
        start = 0
        while start < n_bytes:
            found = self._scan(content, n_bytes, start, own.ends)
            yield start, found
            start = own.ends.item(found - 1)


def _one_by_one(
    content: NDArray[np.uint8], byte_spans: NDArray[np.int64], count: Callable[[NDArray[np.uint8], int], int]
) -> Counts:
    """Do the work of ``count_many`` of ``engine.kernels.batch`` with one call of ``count`` for each text."""
    counts = np.full(len(byte_spans), NOT_UTF8, dtype=np.int64)
    for index, (start, end) in enumerate(byte_spans.tolist()):
        if not 0 <= start <= end <= len(content) - PADDING:
            raise IndexError("the texts are not within their memory")
        if is_utf8(content[start:end].tobytes()):
            counts[index] = count(content[start : end + PADDING], end - start)
    return counts


def _utf8_parts(text: str | bytes, chunks: Chunks | None, own: Workspace) -> Iterable[Utf8]:
    """Return the UTF-8 of a text, or of each of its chunks."""
    parts = _at_once(text)
    if parts or isinstance(text, bytes):
        return parts
    chunks = _all_of(text) if chunks is None else chunks
    return (own.chunk(text, start, end) for start, end in chunks.tolist())


def _at_once(text: str | bytes) -> tuple[Utf8, ...]:
    """Return the UTF-8 of bytes or of a short text. Only the end of large bytes is copied. Empty for a long text."""
    if isinstance(text, str):
        return (padded(text.encode("utf-8")),) if len(text) <= _SHORT_CHARS else ()  # too short for chunks
    parts = _with_padded_tail(np.frombuffer(text, dtype=np.uint8)) if len(text) >= _MANY_BYTES else ()
    return parts or (padded(text),)


def _with_padded_tail(content: NDArray[np.uint8]) -> tuple[Utf8, ...]:
    """Divide large UTF-8 into two parts and copy the second, to pad it. Empty if there is no safe boundary before the
    last bytes."""
    start = len(content) - PADDING - _LAST_BYTES
    last = content[start:].tobytes().lstrip(_INNER_BYTES)
    start = len(content) - len(last)
    try:
        text = last.decode("utf-8")
    except UnicodeDecodeError:
        return ()
    cut = text_boundaries().last(text, 1, len(text) - PADDING + 1)
    if cut < 0:
        return ()
    start += len(text[:cut].encode("utf-8"))
    return (content, start), padded(content[start:].tobytes())


def _all_of(text: str) -> Chunks:
    return np.array([[0, len(text)]], dtype=np.int64)


def _checked(utf8: Utf8) -> Utf8:
    if utf8[1] > _MAX_BYTES_AT_ONCE:
        raise UnsupportedTextError("The text has two gigabytes without a safe boundary.")
    return utf8
