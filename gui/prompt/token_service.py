"""Jobs on the tokens of a whole text: IDs in rows to show, as text to copy, and back to text; and cuts of the text.

A text of 10 MB has two million tokens. Nothing here creates an object per token: rows are arrays, and the label of an
ID is made when it is painted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gui.core.text_chunks import ChunkedText
from gui.core.token_text import visible
from gui.editor.offsets import utf16_length
from gui.editor.text_transfer import common_prefix
from gui.runtime.jobs import Ticket

if TYPE_CHECKING:
    from engine import Encoding
    from engine.encoding.encoding import Kept
    from gui.core.user_encodings import OpenEncoding


FORMS = ("json", "csv", "python", "plain")
"""Formats of IDs: ``[1,2]``, ``1,2``, ``[1, 2]``, ``1 2``."""
_SEPARATORS = {"json": ",", "csv": ",", "python": ", ", "plain": " "}
_BRACKETED = ("json", "python")
_AT_ONCE = 50_000
"""Number of IDs written, or rows begun, before the job yields to the GUI thread."""
MAX_LABEL = 24
"""Maximum number of characters of a token shown."""
PADDING_COLUMNS = 2
MAX_BAD = 5
"""Maximum number of invalid IDs named; the others are only counted."""
_WORD = re.compile(r"[^\s,;:\[\](){}'\"]+")
_NUMBER = re.compile(r"\d{1,10}", re.ASCII)


def written(ids: NDArray[np.int32], form: str, ticket: Ticket | None = None) -> str:
    """Format IDs as text. ``form``: one of ``FORMS``."""
    separator = _SEPARATORS[form]
    parts = []
    for first in range(0, len(ids), _AT_ONCE):
        if ticket is not None:
            ticket.progress(first / len(ids))
        parts.append(separator.join(map(str, ids[first : first + _AT_ONCE].tolist())))
    text = separator.join(parts)
    return f"[{text}]" if form in _BRACKETED else text


class BadId(NamedTuple):
    """Invalid entry in a list of IDs: its number from 1, its character offset in the text, and its text."""

    number: int
    offset: int
    text: str


@dataclass(frozen=True, slots=True)
class IdsText:
    """Result of decoding a list of IDs. ``bad``: the invalid IDs; ``text`` is decoded from the others.

    ``broken``: True if the bytes are not valid UTF-8; U+FFFD replaces the invalid ones. ``same_again``: True if
    encoding the text gives these IDs.
    """

    text: str
    count: int
    bad: tuple[BadId, ...] = ()
    bad_count: int = 0
    broken: bool = False
    same_again: bool = True


def read_ids(pasted: str, encoding: Encoding) -> IdsText:
    """Decode a list of IDs in any of ``FORMS``, or with similar separators."""
    ids: list[int] = []
    bad: list[BadId] = []
    known: dict[str, int] = {}
    bad_count = count = 0
    for match in _WORD.finditer(pasted):
        count += 1
        word = match.group()
        token_id = known.get(word)
        if token_id is None:
            token_id = known[word] = _id_of(word, encoding)
        if token_id >= 0:
            ids.append(token_id)
            continue
        bad_count += 1
        if len(bad) < MAX_BAD:
            bad.append(BadId(count, match.start(), word[:40]))
    raw = encoding.decode_bytes(ids)
    text = raw.decode("utf-8", "replace")
    same = bad_count == 0 and encoding.encode_ordinary(text) == ids
    return IdsText(text, count, tuple(bad), bad_count, text.encode("utf-8") != raw, same)


def _id_of(word: str, encoding: Encoding) -> int:
    if _NUMBER.fullmatch(word) is None:
        return -1
    token_id = int(word)
    try:
        encoding.decode_single_token_bytes(token_id)
    except (KeyError, OverflowError):
        return -1
    return token_id


def label_of(token_bytes: bytes) -> str:
    """Return the label of a token on its pill."""
    text = visible(token_bytes[: 4 * MAX_LABEL])
    return text if len(text) <= MAX_LABEL else text[: MAX_LABEL - 1] + "…"


def columns_of(text: str) -> int:
    """Return the width of a text in columns of a fixed-pitch font."""
    if text.isascii():
        return len(text)
    from unicodedata import east_asian_width

    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


@dataclass(frozen=True, slots=True, eq=False)
class IdRows:
    """Pills in rows. A pill is a token, or the tokens that share a character.

    ``pills`` int32[p + 1]: first token of each pill, then the number of tokens. ``widths`` uint16[p]: in columns.
    ``rows`` int32[r + 1]: first pill of each row, then the number of pills. ``lines`` int32[r]: number from 1 of the
    line of text that begins with the row, 0 if the row continues a line.
    """

    pills: NDArray[np.int32]
    widths: NDArray[np.uint16]
    rows: NDArray[np.int32]
    lines: NDArray[np.int32]


class Measured(NamedTuple):
    """Pills not yet in rows: ``pills`` and ``widths`` as in ``IdRows``; ``broken`` int32[p]: newlines in each."""

    pills: NDArray[np.int32]
    widths: NDArray[np.uint16]
    broken: NDArray[np.int32]


def measured(
    ids: NDArray[np.int32], continues: NDArray[np.bool_], encoding: Encoding, ticket: Ticket | None = None
) -> Measured:
    """Measure the tokens of a text, each distinct token once."""
    if not len(ids):
        return Measured(np.zeros(1, np.int32), np.empty(0, np.uint16), np.empty(0, np.int32))
    unique, indexes = np.unique(ids, return_inverse=True)
    label_widths = np.empty(len(unique), np.int32)
    newlines = np.empty(len(unique), np.int32)
    for index, token_id in enumerate(unique.tolist()):
        if ticket is not None and index % 4096 == 0:
            ticket.yield_to_gui()
        content = encoding.decode_single_token_bytes(token_id)
        label_widths[index] = columns_of(label_of(content))
        newlines[index] = content.count(b"\n")
    digits = np.char.str_len(unique.astype(str)).astype(np.int32)
    whole = ~continues
    whole[0] = True
    starts = np.flatnonzero(whole).astype(np.int32)
    pills = np.concatenate([starts, np.array([len(ids)], np.int32)])
    single = np.diff(pills) == 1
    widths = np.add.reduceat(digits[indexes] + 1, starts) - 1
    widths[single] = np.maximum(widths[single], label_widths[indexes][starts[single]])
    widths = np.minimum(widths + PADDING_COLUMNS, np.iinfo(np.uint16).max)
    return Measured(pills, widths.astype(np.uint16), np.add.reduceat(newlines[indexes], starts))


def arranged(found: Measured, columns: int, ticket: Ticket | None = None) -> IdRows:
    """Break pills into rows of ``columns`` columns; a pill with a newline ends its row."""
    rows = _rows(found.widths, np.flatnonzero(found.broken) + 1, columns, ticket)
    if len(rows) == 1:
        return IdRows(found.pills, found.widths, rows, np.empty(0, np.int32))
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(found.broken)])[rows[:-1]]
    begins = np.ones(len(rows) - 1, np.bool_)
    begins[1:] = found.broken[rows[1:-1] - 1] > 0
    return IdRows(found.pills, found.widths, rows, np.where(begins, before + 1, 0).astype(np.int32))


def _rows(
    widths: NDArray[np.uint16], breaks: NDArray[np.int64], columns: int, ticket: Ticket | None
) -> NDArray[np.int32]:
    """Return the first pill of each row, then the number of pills. A new row begins at each of ``breaks``."""
    count = len(widths)
    if not count:
        return np.zeros(1, np.int32)
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(widths, dtype=np.int64)])
    bounds = np.unique(np.concatenate([np.zeros(1, np.int64), breaks, np.array([count])]))
    too_wide = np.flatnonzero(ends[bounds[1:]] - ends[bounds[:-1]] > columns)
    more: list[int] = []
    for done, line in enumerate(too_wide.tolist()):
        if ticket is not None and done % 256 == 0:
            ticket.yield_to_gui()
        at, last = int(bounds[line]), int(bounds[line + 1])
        while True:
            at = max(at + 1, int(ends.searchsorted(ends[at] + columns, "right")) - 1)
            if at >= last:
                break
            more.append(at)
    return np.union1d(bounds, np.array(more, np.int64)).astype(np.int32)


class RowsRequest(NamedTuple):
    """Tokens to arrange in rows of ``columns`` columns."""

    encoding: str
    ids: NDArray[np.int32]
    continues: NDArray[np.bool_]
    columns: int


class Arranging:
    """Job that arranges tokens in rows. Caches the measured tokens: a wider window arranges the same tokens again."""

    def __init__(self, open_encoding: OpenEncoding) -> None:
        self._open = open_encoding
        self._known: tuple[NDArray[np.int32], str, Measured] | None = None

    def answer(self, request: RowsRequest, ticket: Ticket) -> IdRows:
        """Return the rows of a request. Runs on a worker thread."""
        known = self._known
        if known is None or known[0] is not request.ids or known[1] != request.encoding:
            found = measured(request.ids, request.continues, self._open(request.encoding), ticket)
            self._known = known = (request.ids, request.encoding, found)
        return arranged(known[2], request.columns, ticket)


def decode_ids(open_encoding: OpenEncoding, request: tuple[str, str], _ticket: Ticket) -> IdsText:
    """Decode pasted IDs, given with the name of their encoding. Runs on a worker thread."""
    pasted, name = request
    return read_ids(pasted, open_encoding(name))


@dataclass(frozen=True, slots=True)
class CutRequest:
    """Text to cut. ``most``: maximum number of tokens left, counted as ordinary text; ``keep``: the part to keep."""

    revision: int
    encoding: str
    text: ChunkedText
    most: int
    keep: Kept


@dataclass(frozen=True, slots=True)
class TextCut:
    """Span to remove, as UTF-16 offsets, and the number of tokens before and after."""

    utf16_start: int
    utf16_end: int
    before: int
    after: int


def cut_text(open_encoding: OpenEncoding, request: CutRequest, ticket: Ticket) -> TextCut:
    """Find the span to remove. Runs on a worker thread. Raises EngineError."""
    from engine.encoding.encoding import cut

    encoding = open_encoding(request.encoding)
    text = request.text.text(ticket.wait_while_busy)
    before = encoding.count(text)
    ticket.progress(0.3)
    left = cut(encoding, text, request.most, request.keep)
    ticket.progress(0.9)
    front = common_prefix(left, text)
    behind = min(len(left) - front, len(text) - front)
    if text[len(text) - behind :] != left[front:]:
        raise ValueError("cannot cut the text there")
    start = utf16_length(text[:front])
    return TextCut(start, start + utf16_length(text[front : len(text) - behind]), before, encoding.count(left))
