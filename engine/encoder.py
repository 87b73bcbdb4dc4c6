"""The encoder that the kernels make up: UTF-8 in, numbers of tokens, ids or ends out. The same ids as tiktoken's.

It knows no special tokens, no patterns and no ``str``; ``engine.encoding`` does.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.bundle_format import RankTable
from engine.kernels import layout
from engine.kernels.batch import OUT_SLACK, count_tokens, encode_tokens
from engine.kernels.measures import note_token_ends
from engine.kernels.state import new_state
from engine.scanners import KNOWN_SPLITS, Scanner
from engine.tables import crossings_in, open_tables

Scan = Callable[[NDArray[np.uint8], int, int, NDArray[np.int32]], int]
"""``scan(text, n_bytes, byte_start, ends)``: write where the pretokens from ``byte_start`` on end, as many as fit; how
many they are, at least one. ``text``: uint8[n_bytes + PADDING], UTF-8; ``ends``: int32[m], offsets into ``text``."""

PADDING = bytes(64)
"""Stands behind every text, so that kernels may read whole blocks."""

ENDS = 16_384
"""Pretokens that are scanned before their tokens are looked up."""

_FAR = 1 << 30  # ends are 32-bit numbers: a text is cut off in front when it gets this far


@dataclass(slots=True)
class _Workspace:
    """What one call needs for itself."""

    state: NDArray[np.uint8]
    ends: NDArray[np.int32] = field(default_factory=lambda: np.empty(ENDS, dtype=np.int32))
    numbers: NDArray[np.object_] | None = None  # made for the first list


class NativeEncoder:
    """Encodes with one vocabulary and one way of cutting texts. Safe to use from several threads at once: each call has
    caches of its own for as long as it runs, and leaves them to the next."""

    def __init__(self, tables: NDArray[np.uint8], scan: Scan | None) -> None:
        """``tables``: from ``engine.tables.open_tables``. ``scan``: what cuts texts; without, only what is cut already
        can be encoded."""
        self._tables = tables
        self._scan = scan
        header = tables[: layout.HEADER_SIZE].view(np.int64)
        self._token_count = int(header[layout.TOKEN_COUNT // 8])
        self._first_id = int(header[layout.FIRST_ID // 8])
        self._idle: list[_Workspace] = []

    @property
    def tables(self) -> NDArray[np.uint8]:
        """The tables of its vocabulary."""
        return self._tables

    @property
    def can_scan(self) -> bool:
        """Whether it takes texts, or pretokens only."""
        return self._scan is not None

    def warm_up(self) -> None:
        """Compile all kernels, or load them compiled. Takes seconds the first time, on the thread that calls it."""
        word = np.array([[0, 4]], dtype=np.int64)
        self.count_pretokens(b"warm", word)
        note_token_ends(self.encode_pretokens(b"warm", word), self._tables, np.empty(4, dtype=np.int64))
        if self.can_scan:
            self.count(b"warm up")

    def count(self, text: bytes) -> int:
        """How many tokens a UTF-8 text has."""
        total = 0
        own = self._take_workspace()
        try:
            for part, start, found in self._scanned(text, own.ends):
                total += count_tokens(part, own.ends, found, start, self._tables, own.state)
        finally:
            self._idle.append(own)
        return total

    def encode(self, text: bytes) -> NDArray[np.uint32]:
        """uint32[n], read-only: token ids of a UTF-8 text."""
        out = np.empty(min(len(text) + OUT_SLACK, len(text) // 3 + ENDS), dtype=np.uint32)
        used = 0
        own = self._take_workspace()
        try:
            for part, start, found in self._scanned(text, own.ends):
                needed = used + int(own.ends[found - 1]) - start + OUT_SLACK
                if needed > len(out):
                    out.resize(needed + len(out), refcheck=False)
                used = encode_tokens(part, own.ends, found, start, self._tables, own.state, out, used)
        finally:
            self._idle.append(own)
        out.resize(used, refcheck=False)
        out.flags.writeable = False
        return out

    def encode_to_list(self, text: bytes) -> list[int]:
        """Token ids of a UTF-8 text."""
        known = _numbers((self._first_id + self._token_count).bit_length())
        out = np.empty(0, dtype=np.uint32)
        ids: list[int] = []
        own = self._take_workspace()
        if own.numbers is None:
            own.numbers = np.empty(ENDS, dtype=object)
        try:
            for part, start, found in self._scanned(text, own.ends):
                needed = int(own.ends[found - 1]) - start + OUT_SLACK
                if needed > len(out):
                    out = np.empty(needed, dtype=np.uint32)
                used = encode_tokens(part, own.ends, found, start, self._tables, own.state, out, 0)
                for first in range(0, used, ENDS):
                    some = out[first : min(first + ENDS, used)]
                    ids += known.take(some, out=own.numbers[: len(some)], mode="clip").tolist()
        finally:
            self._idle.append(own)
        return ids

    def token_ends(self, text: bytes) -> NDArray[np.int64]:
        """int64[n], read-only: where each token of a UTF-8 text ends, in bytes."""
        ids = self.encode(text)
        ends = np.empty(len(ids), dtype=np.int64)
        note_token_ends(ids, self._tables, ends)
        ends.flags.writeable = False
        return ends

    def encode_pretokens(self, text: bytes, byte_spans: NDArray[np.int64]) -> NDArray[np.uint32]:
        """uint32[n], read-only: token ids of the pretokens of a UTF-8 text that somebody else has cut.

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
        """How many tokens the pretokens of a UTF-8 text have that somebody else has cut, as in ``encode_pretokens``."""
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

    def _take_workspace(self) -> _Workspace:
        """A workspace that no other call has. Whoever takes it puts it back among the idle ones."""
        try:
            return self._idle.pop()  # atomic
        except IndexError:
            return _Workspace(new_state(self._token_count))

    def _scanned(self, text: bytes, ends: NDArray[np.int32]) -> Iterator[tuple[NDArray[np.uint8], int, int]]:
        """Cut a text: the text as an array, the start of the next pretokens in it, and how many ends ``ends`` has."""
        if self._scan is None:
            raise ValueError("this encoder has no scanner: it takes pretokens only")
        n_bytes = len(text)
        array = np.frombuffer(text + PADDING, dtype=np.uint8)
        start = 0
        while start < n_bytes:
            found = self._scan(array, n_bytes, start, ends)
            yield array, start, found
            start = int(ends[found - 1])
            if start >= _FAR:
                array, n_bytes, start = array[start:], n_bytes - start, 0


def _joined(text: bytes, byte_spans: NDArray[np.int64]) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Pretokens one behind the other, padded: their text, and where each ends in it."""
    starts, stops = byte_spans[:, 0], byte_spans[:, 1]
    if len(byte_spans) and not (
        starts[0] >= 0 and stops[-1] <= len(text) and (stops > starts).all() and (starts[1:] >= stops[:-1]).all()
    ):
        raise ValueError("the pretokens are not in order within the text")
    ends = np.cumsum(stops - starts)
    if len(ends) and ends[-1] != stops[-1]:
        text = b"".join([text[start:stop] for start, stop in byte_spans.tolist()])
    return np.frombuffer(text + PADDING, dtype=np.uint8), ends.astype(np.int32)


def open_encoder(pattern: str, fingerprint: bytes, load: Callable[[], RankTable], folder: Path | None) -> NativeEncoder:
    """The encoder of a vocabulary and a split pattern. UnsupportedVocabularyError.

    ``pattern``: its text; where no kernel knows it, the encoder takes pretokens only. ``fingerprint``: 32 bytes that
    name the vocabulary; ``load`` reads it, where ``folder`` has no tables of it yet.
    """
    tables = open_tables(folder, fingerprint, load)
    split = KNOWN_SPLITS.get(pattern)
    return NativeEncoder(tables, None if split is None else Scanner(split, crossings_in(tables)))


@functools.lru_cache(maxsize=4)
def _numbers(bits: int) -> NDArray[np.object_]:
    """object[2**bits]: all Python numbers of so many bits. A list of these is made much faster than new numbers are."""
    numbers = np.empty(1 << bits, dtype=object)
    numbers[:] = range(1 << bits)
    numbers.flags.writeable = False
    return numbers
