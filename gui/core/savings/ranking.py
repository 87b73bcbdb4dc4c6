"""Token counts per line and section of a text, with the excerpts that a table shows. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from engine.runtime.cancellation import interruptible
from engine.text.offsets import running_sums_of, utf16_length
from gui.core.savings.structure import sections
from gui.core.savings.types import Edit, Ranking, SectionKind
from gui.core.token_text import ADDED, REMOVED, Run, Runs, visible_text

FIRST_LEADING = -64
"""UTF-8 continuation bytes are 0x80 to 0xBF: -128 to -65 as signed bytes."""


def utf8(text: str) -> bytes:
    """Return the UTF-8 that the engine counts, with lone surrogates replaced."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode("utf-8")


def byte_places(text: str, char_places: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[n]: byte offsets of character offsets. An offset inside a surrogate pair maps to the end of the pair."""
    if text.isascii():
        return char_places
    content = np.frombuffer(utf8(text), np.int8)
    starts = np.append(np.flatnonzero(content >= FIRST_LEADING), len(content))
    if len(starts) == len(text) + 1:
        return starts[char_places]
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    second_of_pair = np.zeros(len(points) + 1, dtype=np.int64)
    second_of_pair[2:] = (points[:-1] >> 10 == 0xD800 >> 10) & (points[1:] >> 10 == 0xDC00 >> 10)
    return starts[(np.arange(len(points) + 1) - np.cumsum(second_of_pair))[char_places]]


def utf16_places(content: bytes, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[n]: UTF-16 offsets of byte offsets at character boundaries of UTF-8 ``content``."""
    bytes_ = np.frombuffer(content, np.uint8)
    units = np.zeros(len(bytes_) + 1, dtype=np.int64)

    def sizes(start: int, stop: int) -> NDArray[np.int8]:
        # Any byte outside 0x80 to 0xBF begins a character; from 0xF0 on, the character takes two units.
        some = bytes_[start:stop]
        return ((some & 0xC0) != 0x80).astype(np.int8) + (some >= 0xF0)

    running_sums_of(len(bytes_), sizes, units[1:])
    return units[places]


def rank_lines(text: str, token_byte_ends: NDArray[np.int64]) -> Ranking:
    """Rank the lines of a text, each with its line feed.

    ``token_byte_ends``: int64[n], as returned by ``Encoding.token_ends`` for this text. A token belongs to the line in
    which it starts. Raises ValueError if a token ends after the text, as in a normalizing encoding.
    """
    content = np.frombuffer(utf8(text), np.uint8)
    borders = np.flatnonzero(content == ord("\n")).astype(np.int64) + 1
    return _ranking(borders, len(content), None, token_byte_ends)


def rank_sections(text: str, token_byte_ends: NDArray[np.int64], by: SectionKind) -> Ranking:
    """Rank the sections of one kind, and the text between them (``Ranking.between``). Otherwise like ``rank_lines``."""
    spans = sections(text, by)
    # np.array(pairs) takes more than twice as long and holds the GIL.
    ends = np.fromiter(chain.from_iterable(spans), dtype=np.int64, count=2 * len(spans))
    places = byte_places(text, np.append(ends, len(text)))
    starts, size = places[:-1:2], int(places[-1])
    return _ranking(np.unique(places), size, starts, token_byte_ends)


def _ranking(
    borders: NDArray[np.int64], size: int, section_starts: NDArray[np.int64] | None, token_byte_ends: NDArray[np.int64]
) -> Ranking:
    """Rank the parts between sorted ``borders`` of a text of ``size`` bytes. ``section_starts`` None:
    ``between`` is all False."""
    total = len(token_byte_ends)
    if total and token_byte_ends[-1] > size:
        raise ValueError(f"A token ends at byte {token_byte_ends[-1]} of a text of {size} bytes.")
    inner = borders[(borders > 0) & (borders < size)]
    edges = np.concatenate([[0], inner, [size]]).astype(np.int64) if size else np.zeros(1, dtype=np.int64)
    token_starts = np.concatenate([[0], token_byte_ends[:-1]])[:total]
    before = np.searchsorted(token_starts, edges)
    before[-1] = total
    starts, ends, tokens = edges[:-1].copy(), edges[1:].copy(), np.diff(before).astype(np.int64)
    between = ~np.isin(starts, section_starts) if section_starts is not None else starts < 0
    for array in (starts, ends, tokens, between):
        array.flags.writeable = False
    return Ranking(starts, ends, tokens, between, total)


MAX_PARTS = 200
MAX_EDITS = 200
BEGINNING_BYTES = 240
AROUND = 16
LONGEST_SHOWN = 60
"""Maximum number of characters shown before and after an edit; and of its removed or added text."""


@dataclass(frozen=True, slots=True)
class RankedPart:
    """A line or section: the number of its first line (from 1), its UTF-16 span, its tokens, its visible beginning."""

    line: int
    utf16_start: int
    utf16_end: int
    tokens: int
    beginning: str


@dataclass(frozen=True, slots=True)
class Preview:
    """Preview of an edit: its line (from 1), its UTF-16 span, and the change in context, with visible characters."""

    line: int
    utf16_start: int
    utf16_end: int
    change: Runs


def ranked_parts(text: str, ranking: Ranking) -> tuple[RankedPart, ...]:
    """Return the heaviest parts that have tokens, without text between sections."""
    content = utf8(text)
    order = ranking.largest(len(ranking.tokens))
    wanted = islice((number for number in order if not ranking.between[number] and ranking.tokens[number]), MAX_PARTS)
    numbers = list(wanted)
    starts, ends = ranking.byte_starts[numbers], ranking.byte_ends[numbers]
    feeds = np.flatnonzero(np.frombuffer(content, np.uint8) == ord("\n"))
    lines = (feeds.searchsorted(starts) + 1).tolist()
    from_, to = utf16_places(content, starts).tolist(), utf16_places(content, ends).tolist()
    return tuple(
        RankedPart(lines[row], from_[row], to[row], int(ranking.tokens[number]), _beginning(content, ranking, number))
        for row, number in enumerate(numbers)
    )


def previews(text: str, edits: Sequence[Edit]) -> tuple[Preview, ...]:
    """Return previews of the first ``MAX_EDITS`` edits."""
    made, line, place, utf16 = [], 1, 0, 0
    for edit in interruptible(edits[:MAX_EDITS], every=1):
        between = text[place : edit.char_start]
        line, place, utf16 = line + between.count("\n"), edit.char_start, utf16 + utf16_length(between)
        utf16_end = utf16 + utf16_length(text[edit.char_start : edit.char_end])
        made.append(Preview(line, utf16, utf16_end, _change(text, edit)))
    return tuple(made)


def _beginning(content: bytes, ranking: Ranking, number: int) -> str:
    start, end = int(ranking.byte_starts[number]), int(ranking.byte_ends[number])
    return visible_text(content[start : min(end, start + BEGINNING_BYTES)].decode("utf-8", "ignore"))


def _change(text: str, edit: Edit) -> Runs:
    left = Run(visible_text(text[max(0, edit.char_start - AROUND) : edit.char_start]))
    right = Run(visible_text(text[edit.char_end : edit.char_end + AROUND]))
    gone = Run(_shortened(text, edit.char_start, edit.char_end), REMOVED)
    new = Run(_shortened(edit.replacement, 0, len(edit.replacement)), ADDED)
    return (left, gone, new, right) if edit.replacement else (left, gone, right)


def _shortened(text: str, start: int, end: int) -> str:
    """Return a span of a text, with its middle elided if it is long."""
    if end - start <= LONGEST_SHOWN:
        return visible_text(text[start:end])
    half = LONGEST_SHOWN // 2
    return f"{visible_text(text[start : start + half])} … {visible_text(text[end - half : end])}"
