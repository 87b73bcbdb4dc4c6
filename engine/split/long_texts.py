"""Long texts cut into pretokens stretch by stretch, with a general engine of regular expressions.

Each stretch gives the pretokens that nothing behind it can change (``engine.split.reach``), and the next one begins
where the last of them ends. So memory is bounded, unless the pattern looks at the whole text.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.split.pretokenization import SECONDS, Pretokenizer, SplitTimeoutError, byte_offsets

CHUNK_CHARS = 16_384
"""Some milliseconds' work: between two stretches callers ask whether they go on, and others get a turn."""
CHARS_A_SECOND = 1_000_000
"""A text may take ``SECONDS``, and one more for so many characters. A hostile pattern would take for ever."""

_LEAST_CHARS = 256


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
    return (stretch for stretch in stretches_in_time(pretokenizer, text, allowed, allowed) if stretch is not None)


def stretches_in_time(
    pretokenizer: Pretokenizer, text: str, allowed: float, at_a_time: float
) -> Iterator[Stretch | None]:
    """All pretokens of a text, stretch by stretch, in ``allowed`` seconds. Where ``at_a_time`` seconds brought none,
    None comes, so that the caller can stop asking; then a shorter stretch is tried. SplitTimeoutError."""
    spent = 0.0  # matching; what the caller does between two stretches does not count
    behind = pretokenizer.reach.behind
    start, size = 0, len(text) if behind is None else CHUNK_CHARS
    while start < len(text):
        low, end = max(0, start - (behind or 0)), start + size
        piece = text[low:end]
        if spent >= allowed:
            raise SplitTimeoutError.after(allowed)
        began = time.monotonic()
        to_end, seconds = end >= len(text), min(allowed - spent, at_a_time)
        try:
            spans = pretokenizer.settled_spans(piece, start - low, to_end=to_end, seconds=seconds)
        except SplitTimeoutError:
            spans = None
        spent += time.monotonic() - began
        if spans is None:
            yield None
            size = size if behind is None else max(size // 4, _LEAST_CHARS)
            continue
        if len(spans):
            yield Stretch(piece, low, spans)
        if to_end:
            return
        start, size = (low + int(spans[-1, 1]), CHUNK_CHARS) if len(spans) else (start, 4 * size)
