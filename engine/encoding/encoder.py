"""The encoder that the kernels make up: texts in, numbers of tokens, ids or ends out. The same ids as tiktoken's.

It knows no special tokens and no patterns; ``engine.encoding.encoding`` does.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.editing import quick_edits
from engine.encoding.text_work import KEPT_ROOM, Chunks, Counts, Scan, TextWork, Workspace, padded, text_work
from engine.kernels import layout
from engine.kernels.batch import OUT_SLACK, count_tokens, encode_tokens
from engine.kernels.block_sums import sum_blocks
from engine.kernels.cache_folder import as_now
from engine.kernels.kept_code import NotCompiledError
from engine.kernels.lookup import note_token_ends
from engine.runtime import caches
from engine.split import quick_cuts
from engine.split.scanners import KNOWN_SPLITS, Scanner
from engine.text.digests import sum_blocks_plainly
from engine.text.utf16 import pairs
from engine.vocabulary.bundle import RankTable
from engine.vocabulary.tables import crossings_in, shared_tables

_LARGE_TEXT = 1 << 18  # characters (or bytes) beyond which it is worth asking for large pages
_LARGE_ROOM = 1 << 20  # ids that take 4 MB
_LIST_SLICE = 1 << 18  # ids turned into Python numbers at a time; other threads wait for as long


class NativeEncoder:
    """Encodes with one vocabulary and one way of cutting texts. Safe to use from several threads at once: each call has
    caches of its own for as long as it runs, and leaves them to the next.

    A text is UTF-8 as bytes, or a Python text; of that, only ``chunks`` where they are given. UnicodeEncodeError for a
    Python text with a surrogate, UnsupportedTextError for two gigabytes and more at once.

    Bytes that are no UTF-8 do no harm: no kernel reaches outside of its memory (the tests give random bytes to the
    checked build), and the tokens still have the bytes of the text. But where they are cut means nothing, and another
    encoder may cut them elsewhere: ``engine.encoding.encoding`` makes sure that what it hands on is UTF-8.
    """

    def __init__(self, tables: NDArray[np.uint8], scan: Scan | None) -> None:
        """``tables``: from ``engine.vocabulary.tables``. ``scan``: what cuts texts; without, only what is cut already
        can be encoded."""
        self._tables = tables
        self._work = None if scan is None else text_work(scan, tables)
        header = tables[: layout.HEADER_SIZE].view(np.int64)
        self._token_count = int(header[layout.TOKEN_COUNT // 8])
        self._idle: list[Workspace] = []
        self._as_compiled = as_now()  # where a kernel is found that is loaded later
        caches.add(self)

    @property
    def tables(self) -> NDArray[np.uint8]:
        """The tables of its vocabulary."""
        return self._tables

    @property
    def can_scan(self) -> bool:
        """Whether it takes texts, or pretokens only."""
        return self._work is not None

    def warm_up(self) -> None:
        """Compile all kernels, or load them compiled. Takes seconds the first time, on the thread that calls it."""
        word = np.array([[0, 4]], dtype=np.int64)
        self.count_pretokens(b"warm", word)
        ids = self.encode_pretokens(b"warm", word)
        note_token_ends(ids, self._tables, np.empty(4, dtype=np.int64))
        quick_edits.warm_up()
        if self.can_scan:
            quick_cuts.warm_up()
            self.count(b"warm up")
            self.encode(b"warm up")
            long_text = "warm " * 4096
            self.count(long_text)
            self.encode(long_text)

    def let_go(self) -> None:
        """Give back the caches that no call is using: up to 23 MB for each call that there was at a time."""
        self._idle.clear()

    def count(self, text: str | bytes, chunks: Chunks | None = None) -> int:
        """How many tokens a text has."""
        work = self._work_on_texts()
        own = self._take_workspace(len(text))  # its chunks have the words of all of it
        try:
            return work.count(text, chunks, own)
        finally:
            self._idle.append(own)

    def count_texts(self, content: NDArray[np.uint8], byte_spans: NDArray[np.int64]) -> Counts:
        """How many tokens each of many texts has, which stand in memory already; ``NOT_UTF8`` for what is not UTF-8.

        int64[n]. By one call of a kernel: other threads keep running until all are counted. The first call loads
        that kernel. ``content``: uint8[m], read-only, all of the texts, with ``PADDING`` bytes of anything behind each.
        ``byte_spans``: int64[n, 2], where each starts and ends, less than two gigabytes behind. IndexError where they
        are not within ``content``.
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
        """What ``engine.kernels.block_sums`` does, which has nothing to do with tokens, but is compiled and found with
        the kernels that count. The first call loads it."""
        try:
            with self._as_compiled():
                sum_blocks(content, byte_spans, factors, sums)
        except NotCompiledError:  # it is loaded late, and its file may be gone by then
            sum_blocks_plainly(content, byte_spans, factors, sums)

    def encode(self, text: str | bytes, chunks: Chunks | None = None) -> NDArray[np.uint32]:
        """uint32[n], read-only: token ids of a text."""
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
        """Token ids of a text."""
        ids = self.encode(text, chunks)
        numbers: list[int] = ids[:_LIST_SLICE].tolist()
        for start in range(_LIST_SLICE, len(ids), _LIST_SLICE):
            numbers += ids[start : start + _LIST_SLICE].tolist()
        return numbers

    def token_ends(self, text: str | bytes, chunks: Chunks | None = None) -> NDArray[np.int64]:
        """int64[n], read-only: where each token of a text ends, in bytes of its UTF-8."""
        ids = self.encode(text, chunks)
        ends = np.empty(len(ids), dtype=np.int64)
        note_token_ends(ids, self._tables, ends)
        ends.flags.writeable = False
        return ends

    def encode_pretokens(self, text: bytes, byte_spans: NDArray[np.int64]) -> NDArray[np.uint32]:
        """uint32[n], read-only: token ids of the pretokens of a UTF-8 text that was split elsewhere.

        ``byte_spans``: int64[m, 2], where each starts and ends, none of them empty, in order; text between them has no
        tokens. ValueError when they are not within the text.
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
        """Return the number of tokens of a UTF-8 text that was split elsewhere, as in ``encode_pretokens``."""
        array, ends = _joined(text, byte_spans)
        own = self._take_workspace()
        try:
            return count_tokens(array, ends, len(ends), 0, self._tables, own.state)
        finally:
            self._idle.append(own)

    def encode_pretoken(self, pretoken: bytes) -> NDArray[np.uint32]:
        """uint32[n], read-only: token ids of a stretch of UTF-8 that is not cut before."""
        whole = np.array([[0, len(pretoken)]] if pretoken else np.empty((0, 2)), dtype=np.int64)
        return self.encode_pretokens(pretoken, whole)

    def _take_workspace(self, size: int = 0) -> Workspace:
        """A workspace that no other call has, for a text of about so many bytes. The caller returns it to
        the idle ones."""
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
    """Ids to make room for at first, so that few texts need more: what is added is cleared all at once. Room that is
    not written to costs no memory, and from 4 MB on numpy asks for large pages."""
    size = len(text) if chunks is None else int(chunks[-1, 1] - chunks[0, 0])
    if size <= _LARGE_TEXT:
        return size + OUT_SLACK
    ids_a_hundred = 33 if isinstance(text, bytes) or text.isascii() else 125
    return max(_LARGE_ROOM, size * ids_a_hundred // 100 + KEPT_ROOM)


def _joined(text: bytes, byte_spans: NDArray[np.int64]) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Pretokens one behind the other, padded: their text, and where each ends in it."""
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
    """The encoder of a vocabulary and a split pattern. UnsupportedVocabularyError.

    ``pattern``: its text; where no kernel knows it, the encoder takes pretokens only. ``fingerprint``: 32 bytes that
    name the vocabulary; ``load`` reads it, where ``folder`` has no tables of it yet.
    """
    tables = shared_tables(folder, fingerprint, load)
    split = KNOWN_SPLITS.get(pattern)
    return NativeEncoder(tables, None if split is None else Scanner(split, crossings_in(tables)))
