"""The encoder made of kernels: texts in, token counts, ids or ends out. The ids are those of tiktoken.

It handles neither special tokens nor split patterns; ``engine.encoding.encoding`` does.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.editing import quick_edits
from engine.encoding.text_work import KEPT_ROOM, Chunks, Counts, Scan, TextWork, Workspace, padded, text_work
from engine.kernels import layout
from engine.kernels._jit import NotCompiledError
from engine.kernels.batch import OUT_SLACK, count_tokens, encode_tokens
from engine.kernels.block_sums import sum_blocks
from engine.kernels.cache_folder import as_now
from engine.kernels.lookup import note_token_ends
from engine.runtime import caches
from engine.split import safe_boundaries
from engine.split.patterns import KNOWN_SPLITS
from engine.split.scanners import Scanner
from engine.text.digests import sum_blocks_plainly
from engine.text.offsets import pairs
from engine.vocabulary.bundle import RankTable
from engine.vocabulary.tables import crossings_in, shared_tables

_LARGE_TEXT = 1 << 18  # characters (or bytes) above which large pages pay off
_LARGE_ROOM = 1 << 20  # ids that take 4 MB
_LIST_SLICE = 1 << 18  # ids converted to Python integers at a time; the conversion blocks other threads


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
        """Call ``engine.kernels.block_sums``, which is not about tokens but is compiled and loaded with the kernels
        that count. The first call loads it."""
        try:
            with self._as_compiled():
                sum_blocks(content, byte_spans, factors, sums)
        except NotCompiledError:  # it is loaded late, and its file may have been deleted
            sum_blocks_plainly(content, byte_spans, factors, sums)

    def encode(self, text: str | bytes, chunks: Chunks | None = None) -> NDArray[np.uint32]:
        """Return uint32[n], read-only: the token ids of a text."""
        work = self._work_on_texts()
        out = np.empty(_first_room(text, chunks), dtype=np.uint32)
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
            raise ValueError("this encoder has no scanner: it takes pretokens only")
        return self._work


def _first_room(text: str | bytes, chunks: Chunks | None) -> int:
    """Return the number of ids to allocate at first, so that few texts need more: added memory is cleared at once.
    Memory that is never written to costs nothing, and from 4 MB on numpy requests large pages."""
    size = len(text) if chunks is None else int(chunks[-1, 1] - chunks[0, 0])
    if size <= _LARGE_TEXT:
        return size + OUT_SLACK
    ids_a_hundred = 33 if isinstance(text, bytes) or text.isascii() else 125
    return max(_LARGE_ROOM, size * ids_a_hundred // 100 + KEPT_ROOM)


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
