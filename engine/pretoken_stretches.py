"""Long texts cut into pretokens stretch by stretch, with a general engine of regular expressions.

Each stretch gives the pretokens that nothing behind it can change (``engine.pattern_reach``), and the next one begins
where the last of them ends. So memory is bounded, unless the pattern looks at the whole text.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.pretokenize import SECONDS, Pretokenizer, SplitTimeoutError, byte_offsets

CHUNK_CHARS = 65_536
CHARS_A_SECOND = 1_000_000
"""A text may take ``SECONDS``, and one more for so many characters. A hostile pattern would take for ever."""


class Stretch(NamedTuple):
    """Pretokens that are cut. ``char_spans``: int64[n, 2], where each starts and ends in ``text``, which may begin
    before the first of them and end behind the last. ``char_start``: where it starts in the whole text."""

    text: str
    char_start: int
    char_spans: NDArray[np.int64]

    def byte_spans(self) -> NDArray[np.int64]:
        """The same spans in bytes of UTF-8."""
        spans: NDArray[np.int64] = byte_offsets(self.text)[self.char_spans]
        return spans


def stretches(pretokenizer: Pretokenizer, text: str) -> Iterator[Stretch]:
    """All pretokens of a text, stretch by stretch. SplitTimeoutError."""
    allowed = SECONDS + len(text) / CHARS_A_SECOND
    deadline = time.monotonic() + allowed
    behind = pretokenizer.reach.behind
    start, size = 0, len(text) if behind is None else CHUNK_CHARS
    while start < len(text):
        low, end = max(0, start - (behind or 0)), start + size
        piece = text[low:end]
        left = deadline - time.monotonic()
        if left <= 0:
            raise SplitTimeoutError.after(allowed)
        spans = pretokenizer.settled_spans(piece, start - low, to_end=end >= len(text), seconds=left)
        if len(spans):
            yield Stretch(piece, low, spans)
        if end >= len(text):
            return
        start, size = (low + int(spans[-1, 1]), CHUNK_CHARS) if len(spans) else (start, 4 * size)
