"""Our own encoder for the pieces of SentencePiece's BPE, and what stands before it
(``engine.encoding.piece_encoding``)."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from engine.encoding.chunked_encoder import NativeFront, check_text
from engine.encoding.encoder import NativeEncoder
from engine.encoding.workspace import Workspace, padded
from engine.kernels.batch import OUT_SLACK, count_tokens, encode_tokens
from engine.kernels.scan_pieces import scan_pieces
from engine.runtime.threads import in_threads
from engine.vocabulary.piece_order import UNKNOWN
from engine.vocabulary.tables import ids_in, scan_data_in, table_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.encoding.text_work import Chunks
    from engine.vocabulary.bundle_format import RankTable

CHUNK_CHARS = 1 << 18
_NEWLINES = re.compile(r"(?<!\n)\n")
"""Where a text may be cut: a run of newlines is a stretch of its own."""


class PieceEncoder(NativeEncoder):
    """As ``NativeEncoder``, but it takes whole texts only, and gives numbers instead of ids."""

    def count(self, text: str | bytes, chunks: Chunks | None = None) -> int:
        """Return the number of tokens of a text."""
        own = self._take_workspace(len(text))
        try:
            steps = self._stretches(text, own)
            return sum(
                count_tokens(array, own.ends, found, start, self._tables, own.state) for array, start, found in steps
            )
        finally:
            self._idle.append(own)

    def encode(self, text: str | bytes, chunks: Chunks | None = None) -> NDArray[np.uint32]:
        """uint32[n], read-only: the numbers of the tokens of a text."""
        own = self._take_workspace(len(text))
        parts = [np.empty(0, dtype=np.uint32)]
        try:
            for array, start, found in self._stretches(text, own):
                out = np.empty(int(own.ends[found - 1]) - start + OUT_SLACK, dtype=np.uint32)
                used = encode_tokens(array, own.ends, found, start, self._tables, own.state, out, 0)
                parts.append(out[:used])
        finally:
            self._idle.append(own)
        numbers = np.concatenate(parts)
        numbers.flags.writeable = False
        return numbers

    def _stretches(self, text: str | bytes, own: Workspace) -> Iterator[tuple[NDArray[np.uint8], int, int]]:
        """Cut a text: all of it, where the next stretches start, and how many of them end in ``own.ends``."""
        array, n_bytes = padded(text if isinstance(text, bytes) else text.encode("utf-8"))
        data = scan_data_in(self._tables)
        start = 0
        while start < n_bytes:
            found = scan_pieces(array, n_bytes, start, data, own.ends)
            yield array, start, found
            start = int(own.ends[found - 1])


class PieceFront(NativeFront):
    """Encodes texts with a ``PieceEncoder`` and turns its numbers into ids. Has the methods of ``ChunkedEncoder``."""

    def __init__(self, native: NativeEncoder) -> None:
        super().__init__(native)
        self._ids_of = ids_in(native.tables)

    def count(self, text: str, num_threads: int = 1) -> int:
        """Return the number of tokens of a text."""
        check_text(text)
        return sum(in_threads(self._native.count, _chunks(text), num_threads))

    def encode(self, text: str, num_threads: int = 1) -> NDArray[np.uint32]:
        """uint32[n], read-only: token ids of a text."""
        check_text(text)
        parts = in_threads(self._native.encode, _chunks(text), num_threads)
        return self._ids(np.concatenate([np.empty(0, dtype=np.uint32), *parts]))

    def encode_to_list(self, text: str) -> list[int]:
        """Token ids of a text."""
        ids: list[int] = self.encode(text).tolist()
        return ids

    def encode_pretokens(self, content: bytes, byte_spans: NDArray[np.int64]) -> NDArray[np.uint32]:
        """uint32[n], read-only: token ids of the pretokens of a UTF-8 text."""
        return self._ids(self._native.encode_pretokens(content, byte_spans))

    def _ids(self, numbers: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Ids of numbers; beginnings of characters that are no pieces are taken apart."""
        ids = self._ids_of[numbers]
        places = np.flatnonzero(ids == UNKNOWN)
        if len(places):
            spelled = [self._ids_of[list(self._table.token(number))] for number in numbers[places].tolist()]
            parts = np.split(ids, np.repeat(places, 2) + np.tile([0, 1], len(places)))
            parts[1::2] = spelled
            ids = np.concatenate(parts)
        ids.flags.writeable = False
        return ids

    @functools.cached_property
    def _table(self) -> RankTable:
        return table_in(self._native.tables)


def _chunks(text: str) -> list[str]:
    """A text in parts that encode to what they have in the whole: it is cut before runs of newlines."""
    parts = []
    start = 0
    while start + CHUNK_CHARS < len(text):
        cut = _NEWLINES.search(text, start + CHUNK_CHARS)
        if cut is None:
            break
        parts.append(text[start : cut.start()])
        start = cut.start()
    return [*parts, text[start:]]
