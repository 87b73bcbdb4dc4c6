"""What one call of our own encoder needs for itself: caches and room, kept for the next call."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.kernels import layout
from engine.kernels._jit import COMPILED
from engine.kernels.state import new_state
from engine.kernels.utf8 import MOST_BYTES, PADDING, ROOM, room_for, write_utf8

ENDS = 16_384
"""Pretokens that are scanned before their tokens are looked up."""
KEPT_ROOM = MOST_BYTES * 262_144 + ROOM
"""Bytes that a workspace keeps for the UTF-8 of chunks: four times what most need, as a chunk without a cut is larger.
What is larger still gets memory of its own, which has its price where a run of a megabyte takes half a millisecond."""

_ZEROS = bytes(PADDING)
_BYTE = np.dtype(np.uint8)  # made once: short texts notice


@dataclass(slots=True)
class Workspace:
    """A state with room for ends and for UTF-8; ``own`` are all of them as ``engine.kernels.whole_texts`` takes them.

    ``readable``: that room for UTF-8 once more. A kernel is compiled anew for arrays that it could write to.
    """

    has_large_pages: bool
    state: NDArray[np.uint8]
    ends: NDArray[np.int32]
    utf8: NDArray[np.uint8]
    readable: NDArray[np.uint8]
    own: tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.uint8], NDArray[np.uint8]]

    @classmethod
    def made(cls, token_count: int, *, large_pages: bool) -> Workspace:
        """A fresh one. All of it is one stretch of memory: a page that is first touched takes its time."""
        state = new_state(token_count, large_pages=large_pages, spare=KEPT_ROOM + 4 * ENDS)
        header = state[: layout.HEADER_SIZE].view(np.int64)
        start = int(header[layout.DIRECTORY // 8 + 2 * layout.SPARE])
        spare = state[start : start + KEPT_ROOM + 4 * ENDS]
        utf8, ends = spare[:KEPT_ROOM], spare[KEPT_ROOM:].view(np.int32)
        readable = utf8.view()
        readable.flags.writeable = False
        return cls(large_pages, state, ends, utf8, readable, (state, ends, utf8, readable))

    def chunk(self, text: str, char_start: int, char_end: int) -> tuple[NDArray[np.uint8], int]:
        """UTF-8 of a chunk, padded, and its bytes. Valid until the next one. UnicodeEncodeError."""
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
    """UTF-8 as scanners want it, and its bytes."""
    return np.frombuffer(content + _ZEROS, _BYTE), len(content)
