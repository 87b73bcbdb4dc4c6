"""The encoder made of kernels: texts in, token counts, ids or ends out. The ids are those of tiktoken.

``NativeEncoder`` handles neither special tokens nor split patterns; ``engine.encoding.encoding`` does. It counts and
encodes texts with a scanner, by one kernel call for everything or step by step: both are a ``TextWork``, between which
``text_work`` chooses, and use the memory of a ``Workspace``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.editing import quick_edits
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
from engine.kernels.cache_folder import as_now
from engine.kernels.layout import new_state
from engine.kernels.lookup import note_token_ends
from engine.kernels.text_bytes import MAX_BYTES, PADDING, ROOM, room_for, sum_blocks, write_utf8
from engine.runtime import caches
from engine.split import safe_boundaries
from engine.split.patterns import KNOWN_SPLITS
from engine.split.scanners import Scanner
from engine.text.digests import sum_blocks_plainly
from engine.text.offsets import is_utf8, pairs
from engine.vocabulary.bundle import RankTable
from engine.vocabulary.tables import crossings_in, shared_tables

ENDS = 16_384
"""Pretokens that are scanned before their tokens are looked up."""

RESERVED_BYTES = MAX_BYTES * 262_144 + ROOM
"""Bytes that a workspace reserves for the UTF-8 of chunks: four times what most need, as a chunk without a boundary is
larger. Larger chunks get memory of their own, which is costly when a run of a megabyte takes half a millisecond."""

_ZEROS = bytes(PADDING)

_BYTE = np.dtype(np.uint8)  # created once: it matters for short texts
_LARGE_TEXT = 1 << 18  # characters (or bytes) above which large pages pay off
_LARGE_CAPACITY = 1 << 20  # ids that take 4 MB
_LIST_SLICE = 1 << 18  # ids converted to Python integers at a time; the conversion blocks other threads

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


@dataclass(slots=True)
class Workspace:
    """A state with space for ends and for UTF-8; ``own`` holds all of them as ``engine.kernels.batch`` takes them.

    ``readable``: a read-only view of the space for UTF-8. A writable array would make the kernel compile again.
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
        state = new_state(token_count, large_pages=large_pages, spare=RESERVED_BYTES + 4 * ENDS)
        header = state[: layout.HEADER_SIZE].view(np.int64)
        start = int(header[layout.DIRECTORY // 8 + 2 * layout.SPARE])
        spare = state[start : start + RESERVED_BYTES + 4 * ENDS]
        utf8, ends = spare[:RESERVED_BYTES], spare[RESERVED_BYTES:].view(np.int32)
        readable = utf8.view()
        readable.flags.writeable = False
        return cls(large_pages, state, ends, utf8, readable, (state, ends, utf8, readable))

    def chunk(self, text: str, char_start: int, char_end: int) -> tuple[NDArray[np.uint8], int]:
        """Return the padded UTF-8 of a chunk, and its size in bytes. Valid until the next call. Raises
        UnicodeEncodeError."""
        size = room_for(text, char_end - char_start)
        fits = size <= len(self.utf8)
        out = self.utf8 if fits else np.empty(size, dtype=np.uint8)
        n_bytes = write_utf8(text, char_start, char_end, out) if COMPILED else -1
        if n_bytes < 0:
            return padded(text[char_start:char_end].encode("utf-8"))
        if fits:
            return self.readable, n_bytes
        out.flags.writeable = False
        return out, n_bytes


def padded(content: bytes) -> tuple[NDArray[np.uint8], int]:
    """Return UTF-8 with the padding that scanners need, and its size in bytes."""
    return np.frombuffer(content + _ZEROS, _BYTE), len(content)


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
    """Calls ``engine.kernels.batch``. A chunk that it skips, because it exceeds the reserved space or has a surrogate,
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
    cut = safe_boundaries.text_boundaries().last(text, 1, len(text) - PADDING + 1)
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


class NativeEncoder:
    """Encodes with one vocabulary and one scanner. Thread-safe: each call has its own caches while it runs and leaves
    them to the next.

    A text is UTF-8 as bytes, or a Python text; of a Python text, only ``chunks`` if they are given. Raises
    UnicodeEncodeError for a Python text with a surrogate, and UnsupportedTextError for two gigabytes or more at once.

    Invalid UTF-8 does no harm: no kernel accesses memory out of bounds (the tests give random bytes to the checked
    build), and the tokens still have the bytes of the text. But their boundaries are arbitrary, and another encoder may
    choose others: ``engine.encoding.encoding`` ensures that it only passes valid UTF-8.
    """

    def __init__(self, tables: NDArray[np.uint8], scan: Scan | None) -> None:
        """``tables``: from ``engine.vocabulary.tables``. ``scan``: splits texts; if None, only pretokens can be
        encoded."""
        self._tables = tables
        self._work = None if scan is None else text_work(scan, tables)
        header = tables[: layout.HEADER_SIZE].view(np.int64)
        self._token_count = int(header[layout.TOKEN_COUNT // 8])
        self._idle: list[Workspace] = []
        self._as_compiled = as_now()  # the cache folder for kernels that are loaded later
        caches.add(self)

    @property
    def tables(self) -> NDArray[np.uint8]:
        """The tables of its vocabulary."""
        return self._tables

    @property
    def can_scan(self) -> bool:
        """True if it encodes texts, False if only pretokens."""
        return self._work is not None

    def warm_up(self) -> None:
        """Compile all kernels, or load them compiled. The first time takes seconds, on the calling thread."""
        word = np.array([[0, 4]], dtype=np.int64)
        self.count_pretokens(b"warm", word)
        ids = self.encode_pretokens(b"warm", word)
        note_token_ends(ids, self._tables, np.empty(4, dtype=np.int64))
        quick_edits.warm_up()
        if self.can_scan:
            safe_boundaries.warm_up()
            self.count(b"warm up")
            self.encode(b"warm up")
            long_text = "warm " * 4096
            self.count(long_text)
            self.encode(long_text)

    def drop(self) -> None:
        """Drop the workspaces that no call is using: up to 23 MB for each call of the peak concurrency."""
        self._idle.clear()

    def count(self, text: str | bytes, chunks: Chunks | None = None) -> int:
        """Return the number of tokens of a text."""
        work = self._work_on_texts()
        own = self._take_workspace(len(text))  # its chunks have the words of the whole text
        try:
            return work.count(text, chunks, own)
        finally:
            self._idle.append(own)

    def count_texts(self, content: NDArray[np.uint8], byte_spans: NDArray[np.int64]) -> Counts:
        """Count the tokens of many texts in one buffer; ``NOT_UTF8`` for invalid UTF-8. Returns int64[n].

        Takes a single call of a kernel, during which other threads keep running. The first call loads that kernel.
        ``content``: uint8[m], read-only, all of the texts, each followed by at least ``PADDING`` bytes of any value.
        ``byte_spans``: int64[n, 2], start and end of each, less than two gigabytes long. Raises IndexError if they are
        not within ``content``.
        """
        work = self._work_on_texts()
        own = self._take_workspace(int((byte_spans[:, 1] - byte_spans[:, 0]).sum()))
        try:
            with self._as_compiled():
                return work.count_many(content, byte_spans, own)
        finally:
            self._idle.append(own)

    def sum_blocks(
        self,
        content: NDArray[np.uint8],
        byte_spans: NDArray[np.int64],
        factors: NDArray[np.uint8],
        sums: NDArray[np.int64],
    ) -> None:
        """Call ``engine.kernels.text_bytes``, which is not about tokens but is compiled and loaded with the kernels
        that count. The first call loads it."""
        try:
            with self._as_compiled():
                sum_blocks(content, byte_spans, factors, sums)
        except NotCompiledError:  # it is loaded late, and its file may have been deleted
            sum_blocks_plainly(content, byte_spans, factors, sums)

    def encode(self, text: str | bytes, chunks: Chunks | None = None) -> NDArray[np.uint32]:
        """Return uint32[n], read-only: the token ids of a text."""
        work = self._work_on_texts()
        out = np.empty(_first_capacity(text, chunks), dtype=np.uint32)
        own = self._take_workspace(len(text))
        try:
            used = work.encode(text, chunks, own, out)
        finally:
            self._idle.append(own)
        out.resize(used, refcheck=False)
        out.flags.writeable = False
        return out

    def encode_to_list(self, text: str | bytes, chunks: Chunks | None = None) -> list[int]:
        """Return the token ids of a text."""
        ids = self.encode(text, chunks)
        numbers: list[int] = []
        for start in range(0, len(ids), _LIST_SLICE):
            numbers += ids[start : start + _LIST_SLICE].tolist()
        return numbers

    def token_ends(self, text: str | bytes, chunks: Chunks | None = None) -> NDArray[np.int64]:
        """Return int64[n], read-only: the end of each token of a text, in bytes of UTF-8."""
        ids = self.encode(text, chunks)
        ends = np.empty(len(ids), dtype=np.int64)
        note_token_ends(ids, self._tables, ends)
        ends.flags.writeable = False
        return ends

    def encode_pretokens(self, text: bytes, byte_spans: NDArray[np.int64]) -> NDArray[np.uint32]:
        """Return uint32[n], read-only: the token ids of the pretokens of a UTF-8 text that the caller split.

        ``byte_spans``: int64[m, 2], start and end of each, in order and not empty; text between them has no tokens.
        Raises ValueError if they are not within the text.
        """
        array, ends = _joined(text, byte_spans)
        out = np.empty((int(ends[-1]) if len(ends) else 0) + OUT_SLACK, dtype=np.uint32)
        own = self._take_workspace()
        try:
            used = encode_tokens(array, ends, len(ends), 0, self._tables, own.state, out, 0)
        finally:
            self._idle.append(own)
        out.resize(used, refcheck=False)
        out.flags.writeable = False
        return out

    def count_pretokens(self, text: bytes, byte_spans: NDArray[np.int64]) -> int:
        """Return the number of tokens of a UTF-8 text that the caller split, as in ``encode_pretokens``."""
        array, ends = _joined(text, byte_spans)
        own = self._take_workspace()
        try:
            return count_tokens(array, ends, len(ends), 0, self._tables, own.state)
        finally:
            self._idle.append(own)

    def encode_pretoken(self, pretoken: bytes) -> NDArray[np.uint32]:
        """Return uint32[n], read-only: the token ids of UTF-8 that is a single pretoken."""
        whole = np.array([[0, len(pretoken)]] if pretoken else np.empty((0, 2)), dtype=np.int64)
        return self.encode_pretokens(pretoken, whole)

    def _take_workspace(self, size: int = 0) -> Workspace:
        """Return a workspace that no other call uses, for a text of about ``size`` bytes. The caller returns it to
        ``_idle``."""
        try:
            own = self._idle.pop()  # atomic
        except IndexError:
            own = None
        large = size > _LARGE_TEXT
        if own is None or (large and not own.has_large_pages):
            own = Workspace.made(self._token_count, large_pages=large)
        return own

    def _work_on_texts(self) -> TextWork:
        if self._work is None:
            raise ValueError("this encoder has no scanner: it only encodes pretokens")
        return self._work


def _first_capacity(text: str | bytes, chunks: Chunks | None) -> int:
    """Return the number of ids to allocate at first, so that few texts need more: added memory is cleared at once.
    Memory that is never written to costs nothing, and from 4 MB on numpy requests large pages."""
    size = len(text) if chunks is None else int(chunks[-1, 1] - chunks[0, 0])
    if size <= _LARGE_TEXT:
        return size + OUT_SLACK
    ids_a_hundred = 33 if isinstance(text, bytes) or text.isascii() else 125
    return max(_LARGE_CAPACITY, size * ids_a_hundred // 100 + RESERVED_BYTES)


def _joined(text: bytes, byte_spans: NDArray[np.int64]) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Concatenate pretokens: returns their padded text, and the end of each in it. Raises ValueError."""
    starts, stops = byte_spans[:, 0], byte_spans[:, 1]
    if len(byte_spans) and not (
        starts[0] >= 0 and stops[-1] <= len(text) and (stops > starts).all() and (starts[1:] >= stops[:-1]).all()
    ):
        raise ValueError("the pretokens are not in order within the text")
    ends = np.cumsum(stops - starts)
    if len(ends) and ends[-1] != stops[-1]:
        text = b"".join([text[start:stop] for start, stop in pairs(byte_spans)])
    return padded(text)[0], ends.astype(np.int32)


def open_encoder(pattern: str, fingerprint: bytes, load: Callable[[], RankTable], folder: Path | None) -> NativeEncoder:
    """Return the encoder of a vocabulary and a split pattern. Raises UnsupportedVocabularyError.

    ``pattern``: its text; if no kernel implements it, the encoder takes pretokens only. ``fingerprint``: 32 bytes that
    identify the vocabulary; ``load`` reads it if ``folder`` has no tables of it yet.
    """
    tables = shared_tables(folder, fingerprint, load)
    split = KNOWN_SPLITS.get(pattern)
    return NativeEncoder(tables, None if split is None else Scanner(split, crossings_in(tables)))
