"""The bytes of many small files, one behind the other in one stretch of memory that is used again and again.

So that a file costs little beside its counting: nothing is decoded, and our own encoder counts all that is there in one
call of a kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from engine.corpus.files import read_start
from engine.corpus.text_files import BINARY_SAMPLE_BYTES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.corpus.walk import FoundFile

PADDING = 64
"""Bytes behind each text that a scanner may read. They are zeros, which continue nothing."""

_ZEROS = bytes(PADDING)


class SmallFiles:
    """Room for files of together so many bytes. Used by one thread at a time."""

    def __init__(self, most_bytes: int, most_files: int) -> None:
        """``most_bytes``: of one file, and of those before another one is taken. ``most_files``: at once."""
        self.most_bytes = most_bytes
        self._most_files = most_files
        self._room = bytearray(2 * most_bytes + most_files * PADDING)
        self._view = memoryview(self._room)
        self.content = np.frombuffer(self._room, dtype=np.uint8)
        self.content.flags.writeable = False
        self._spans: list[tuple[int, int]] = []
        self._end = self._text_bytes = 0

    def clear(self) -> None:
        """Make room for others."""
        self._spans.clear()
        self._end = self._text_bytes = 0

    def read(self, file: FoundFile) -> bool:
        """Read a file behind those that are there. False where that has to be done another way: it is too large, or has
        not as many bytes as were found. CorpusFileError."""
        size, start = file.file_bytes, self._end
        if size > self.most_bytes or self._text_bytes >= self.most_bytes or len(self._spans) == self._most_files:
            return False
        stop = start + size
        # One byte more than there should be: it tells that the file has grown.
        if read_start(file.name, self._view[start : stop + 1]) != size:
            return False
        self._end = stop + PADDING
        self._view[stop : self._end] = _ZEROS
        self._spans.append((start, stop))
        self._text_bytes += size
        return True

    def __len__(self) -> int:
        return len(self._spans)

    def spans(self, indices: Sequence[int]) -> NDArray[np.int64]:
        """int64[n, 2]: where these files start and end in ``content``."""
        return np.array([self._spans[index] for index in indices], dtype=np.int64).reshape(len(indices), 2)

    def view(self, index: int) -> memoryview:
        """The bytes of a file. They are there until the room is cleared."""
        start, end = self._spans[index]
        return self._view[start:end]

    def may_be_plain_text(self, index: int) -> bool:
        """Whether a file has no NUL byte near its start. If it is UTF-8 as well, it is a text as
        ``engine.corpus.text_files`` would have it, without becoming one: what begins with the byte order mark of
        another encoding is never UTF-8."""
        start, end = self._spans[index]
        return self._room.find(0, start, min(end, start + BINARY_SAMPLE_BYTES)) < 0
