"""Mapping of stored texts to editor documents, and of their offsets. No Qt in here.

Qt's document cannot hold every string. The complete rule:

========================  ==========================  =====================================================
stored                    in the document             why
========================  ==========================  =====================================================
CRLF, CR, U+2029          a newline                   Qt turns each into a block boundary anyway
U+FDD0, U+FDD1            U+FFFD                      Qt's own frame marks; noncharacters elsewhere
lone surrogate            U+FFFD                      it has no UTF-8 encoding; tiktoken does the same
everything else           itself                      U+2028, NBSP, NUL, U+FEFF, U+FFFE, U+FFFC included
========================  ==========================  =====================================================

Only CRLF changes its length, so a UTF-16 offset moves by the number of CRLF before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.types import TokenPatch


@dataclass(frozen=True, slots=True)
class TokenSpan:
    """A token and its span in the logical text.

    ``utf16_start`` and ``utf16_end`` are UTF-16 offsets; they are equal if the token holds only the rest of a character
    that an earlier token began. ``continues``: True if its first byte is such a rest. ``partners``: (index, id) of the
    other tokens that share a character with this one, in order; empty if it holds only whole characters.
    """

    index: int
    token_id: int
    utf16_start: int
    utf16_end: int
    continues: bool
    partners: tuple[tuple[int, int], ...] = ()


_LINE_ENDS = re.compile("\r\n?|\u2029")
_LONG = 8192
_QT_FRAME_MARKS = str.maketrans({"\ufdd0": "\ufffd", "\ufdd1": "\ufffd"})


def document_text(stored: str) -> str:
    """Return the logical text that the editor holds for ``stored``: see the table above.

    Idempotent. A text that needs no change is returned as it is, without a copy. A long text is processed in chunks, so
    that no other thread waits for all of it.
    """
    if len(stored) <= _LONG:
        return _in_document(stored)
    chunks: list[str] = []
    start = 0
    while start < len(stored):
        end = safe_end(stored, start, _LONG)
        chunk = stored[start:end]
        replaced = _in_document(chunk)
        if replaced is not chunk and not chunks:
            chunks.append(stored[:start])
        if chunks or replaced is not chunk:
            chunks.append(replaced)
        start = end
    return "".join(chunks) if chunks else stored


def _in_document(stored: str) -> str:
    text = stored
    if "\r" in text or "\u2029" in text:
        text = _LINE_ENDS.sub("\n", text)
    if text.isascii():
        return text
    if "\ufdd0" in text or "\ufdd1" in text:
        text = text.translate(_QT_FRAME_MARKS)
    try:
        text.encode("utf-8")  # several times faster than any other search for surrogates
    except UnicodeEncodeError:
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def safe_end(text: str, start: int, size: int) -> int:
    """Return the end of a chunk of about ``size``: after a newline if possible, never in a CRLF or surrogate pair."""
    end = start + size
    if end >= len(text):
        return len(text)
    newline = text.rfind("\n", start + size // 2, end)
    if newline >= 0:
        return newline + 1
    before, behind = text[end - 1], text[end]
    is_pair = "\ud800" <= before <= "\udbff" and "\udc00" <= behind <= "\udfff"
    return end + 1 if is_pair or (before, behind) == ("\r", "\n") else end


def stored_to_document(offsets: NDArray[np.integer], stored: str) -> NDArray[np.int32]:
    """Map UTF-16 offsets in ``stored`` to UTF-16 offsets in ``document_text(stored)``; int32[n].

    An offset between CR and LF maps to the end of the newline, so that a token holding only that LF has no width.
    """
    import numpy as np

    result = np.asarray(offsets).astype(np.int32)
    if "\r\n" not in stored:
        return result
    units = np.frombuffer(stored.encode("utf-16-le", "surrogatepass"), "<u2")
    line_feeds = (np.flatnonzero((units[:-1] == 13) & (units[1:] == 10)) + 1).astype(np.int32)
    return result - line_feeds.searchsorted(result, "left").astype(np.int32)


def utf16_length(text: str) -> int:
    """Return the length of ``text`` in UTF-16 units."""
    if text.isascii():
        return len(text)
    if len(text) < _LONG:
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    # A character takes two units if its UTF-8 begins with one of five bytes; counting them is faster for long texts.
    encoded = text.encode("utf-8", "surrogatepass")
    return len(text) + sum(encoded.count(lead) for lead in range(0xF0, 0xF5))


def char_to_utf16(
    offsets: NDArray[np.integer], text: str, wait_while_busy: Callable[[], None] | None = None
) -> NDArray[np.int32]:
    """Map character offsets (code points) in ``text`` to UTF-16 offsets; int32, of the same shape.

    ``wait_while_busy`` is called between chunks of a long text, so that a job can yield.
    """
    import numpy as np

    result = np.asarray(offsets).astype(np.int32)
    if text.isascii():
        return result
    outside_bmp = [np.empty(0, dtype=np.int32)]
    for start in range(0, len(text), _LONG):  # in one call it would hold the GIL for too long
        codes = np.frombuffer(text[start : start + _LONG].encode("utf-32-le", "surrogatepass"), "<u4")
        outside_bmp.append(np.flatnonzero(codes > 0xFFFF).astype(np.int32) + np.int32(start))
        if wait_while_busy is not None:
            wait_while_busy()
    return result + np.concatenate(outside_bmp).searchsorted(result, "left").astype(np.int32)


def utf16_to_char(offsets: NDArray[np.integer], text: str) -> NDArray[np.int32]:
    """Map UTF-16 offsets in ``text`` to character offsets; int32[n]. Inside a surrogate pair: before the character."""
    import numpy as np

    result = np.asarray(offsets).astype(np.int32)
    if text.isascii():
        return result
    starts = range(0, len(text), _LONG)  # in one call it would hold the GIL for too long
    parts = [text[start : start + _LONG].encode("utf-16-le", "surrogatepass") for start in starts]
    units = np.frombuffer(b"".join(parts), "<u2")
    second = np.flatnonzero((units & 0xFC00) == 0xDC00)
    second = second[(second > 0) & ((units[second - 1] & 0xFC00) == 0xD800)].astype(np.int32)
    inside = np.isin(result, second)
    return result - inside - second.searchsorted(result, "left").astype(np.int32)


def cut_at(line: str, cuts: Sequence[int]) -> list[str]:
    """Split a line at UTF-16 offsets."""
    bounds = [0, *cuts, None]
    if utf16_length(line) == len(line):
        return [line[a:b] for a, b in pairwise(bounds)]
    units = line.encode("utf-16-le")
    doubled = [None if at is None else 2 * at for at in bounds]
    return [units[a:b].decode("utf-16-le") for a, b in pairwise(doubled)]


def without_units(text: str, positions: Sequence[int]) -> str:
    """Return ``text`` without the single units at these UTF-16 positions."""
    if not positions:
        return text
    starts = [0, *(position + 1 for position in positions)]
    ends = [*positions, None]
    if utf16_length(text) == len(text):
        return "".join([text[a:b] for a, b in zip(starts, ends, strict=True)])
    units = text.encode("utf-16-le")
    parts = [units[2 * a : None if b is None else 2 * b] for a, b in zip(starts, ends, strict=True)]
    return b"".join(parts).decode("utf-16-le")


DROPPED = -1
"""Token ID of text that the pattern does not match."""


def pretoken_patch(text: str, char_spans: NDArray[np.int64]) -> TokenPatch:
    """Return pretokens as tokens of ``document_text(text)``, with their index as ID. Text between pretokens becomes a
    token with the ID ``DROPPED``."""
    import numpy as np

    from engine.types import TokenPatch

    bounds = np.unique(np.concatenate([[0], char_spans.reshape(-1), [len(text)]]))
    is_matched = np.isin(bounds[:-1], char_spans[:, 0])
    ends = stored_to_document(char_to_utf16(bounds[1:], text), text)
    length = int(ends[-1]) if len(ends) else 0
    ids = np.where(is_matched, np.cumsum(is_matched) - 1, DROPPED).astype(np.int32)
    return TokenPatch(0, length, length, ids, ends.astype(np.int32), np.zeros(len(ends), np.bool_))
