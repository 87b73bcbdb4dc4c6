"""Structure of a text: lines, sections, fenced code and JSON, found in bounded steps, and the tokens of each. No Qt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from time import monotonic
from typing import Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.runtime.cancellation import interruptible
from engine.text.offsets import running_sums_of
from gui.core.token_text import visible_text

SectionKind = Literal["heading", "paragraph", "fence", "json", "role"]
Span = tuple[int, int]

ITEMS_BETWEEN_CHECKS = 512

Item = TypeVar("Item")


class OutOfTime(Exception):
    """Raised if a search exceeds its time limit."""


class Watch:
    """Time limit and cancellation check of a search through a text."""

    def __init__(
        self, seconds: float, check: Callable[[], None] = lambda: None, now: Callable[[], float] = monotonic
    ) -> None:
        """``check`` is called often; an exception that it raises ends the search. ``now``: a clock, in seconds."""
        self._now, self._check = now, check
        self._end = now() + seconds

    def look(self) -> None:
        """Raise OutOfTime if the time is over, or any exception of the caller's check."""
        self._check()
        if self._now() > self._end:
            raise OutOfTime

    def over(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield the items, checking every ``ITEMS_BETWEEN_CHECKS``."""
        for number, item in enumerate(items):
            if number % ITEMS_BETWEEN_CHECKS == 0:
                self.look()
            yield item


# --- searches ---------------------------------------------------------------------------------------------------------

CHUNK_CHARACTERS = 1 << 17
"""Minimum size of a searched chunk, in characters."""

LINE_END = re.compile("\n")
BEFORE_WORDS = re.compile(r"\n(?=[^ \t\r\n])")
"""A line end before a non-empty line that is not indented."""


def matches(
    pattern: re.Pattern[str], text: str, cut: re.Pattern[str] = LINE_END, start: int = 0, stop: int | None = None
) -> Iterator[re.Match[str]]:
    """Like ``pattern.finditer(text, start, stop)``, in chunks.

    ``cut``: matches after which a chunk may end. No match of ``pattern`` may cross such a boundary or look past it.
    """
    for first, behind in interruptible(chunks(text, cut, start, len(text) if stop is None else stop), every=1):
        yield from pattern.finditer(text, first, behind)


def first_match(pattern: re.Pattern[str], text: str, start: int, stop: int) -> re.Match[str] | None:
    """Like ``pattern.search(text, start, stop)``, for a pattern that looks at one line only.

    Searches the whole lines of one chunk first. Otherwise each search for a nearby match would first find the end of a
    long line after it; that would take minutes in total.
    """
    behind = text.rfind("\n", start, min(start + CHUNK_CHARACTERS, stop)) + 1
    if behind and (found := pattern.search(text, start, behind)) is not None:
        return found
    return next(matches(pattern, text, start=behind or start, stop=stop), None)


def chunks(text: str, cut: re.Pattern[str], start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each chunk."""
    while start < stop:
        found = cut.search(text, min(start + CHUNK_CHARACTERS, stop), stop)
        end = stop if found is None else found.end()
        yield start, end
        start = end


_FENCE = re.compile(r"^ {0,3}(`{3,}+|~{3,}+)([^\n]*+)\n?", re.MULTILINE)
_HEADING = re.compile(r"^ {0,3}#{1,6}(?=[ \t\r\n]|\Z)", re.MULTILINE)
_BLANK_LINES = re.compile(r"^(?:[ \t]*+\r?\n)+", re.MULTILINE)
_ROLE = re.compile(
    r"<\|im_start\|>|<\|start\|>|<\|start_header_id\|>|<｜(?:User|Assistant)｜>|\[INST\]"
    r"|^(?:\*\*|#{1,6} )?(?:system|developer|user|human|assistant|ai|tool|function)(?:\*\*)?:",
    re.MULTILINE | re.IGNORECASE,
)
"""Message prefixes of chat templates (ChatML, Harmony, Llama 3, DeepSeek, Llama 2) and of typed transcripts."""

_JSON_LANGUAGES = ("", "json", "jsonl", "ndjson")


class Fence(NamedTuple):
    """A fenced code block (CommonMark 0.31, section 4.5), including its fences. ``language``: lower case, from its info
    string."""

    char_start: int
    body_start: int
    body_end: int
    char_end: int
    language: str


def fences(text: str) -> list[Fence]:
    """Return the fenced code blocks. An unclosed one ends with the text."""
    found: list[Fence] = []
    opening: re.Match[str] | None = None
    for match in matches(_FENCE, text):
        marks, info = match.group(1), match.group(2).strip()
        if opening is None:
            if marks[0] == "~" or "`" not in info:
                opening = match
        elif marks[0] == opening.group(1)[0] and len(marks) >= len(opening.group(1)) and not info:
            found.append(Fence(opening.start(), opening.end(), match.start(), match.end(), _language(opening)))
            opening = None
    if opening is not None:
        found.append(Fence(opening.start(), opening.end(), len(text), len(text), _language(opening)))
    return found


def json_regions(text: str, fenced: Iterable[Fence]) -> list[Span]:
    """Return the spans to search for JSON: text outside fences, and fences labelled as JSON or not at all."""
    regions, start = [], 0
    for fence in fenced:
        regions.append((start, fence.char_start))
        if fence.language in _JSON_LANGUAGES:
            regions.append((fence.body_start, fence.body_end))
        start = fence.char_end
    return [*regions, (start, len(text))]


def united(spans: Iterable[Span]) -> list[Span]:
    """Merge overlapping spans; sorted."""
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and start < result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def paragraphs(text: str, solid: Iterable[Span]) -> list[Span]:
    """Return the spans between blank lines. Blank lines inside ``solid`` spans, which are sorted, do not separate."""
    walls = [*solid, (len(text), len(text))]
    found, start, wall = [], 0, 0
    for blank in matches(_BLANK_LINES, text, BEFORE_WORDS):
        while walls[wall][1] <= blank.start() and wall < len(walls) - 1:
            wall += 1
        if walls[wall][0] < blank.end() and blank.start() < walls[wall][1]:
            continue
        if blank.start() > start:
            found.append((start, blank.start()))
        start = blank.end()
    if start < len(text):
        found.append((start, len(text)))
    return found


def sections(text: str, by: SectionKind) -> list[Span]:
    """Return the sections of a kind, sorted and not overlapping.

    A section that begins with a heading or role extends to the next one of any level; those in fenced code are ignored.
    """
    fenced = fences(text)
    if by == "fence":
        return [(fence.char_start, fence.char_end) for fence in fenced]
    if by == "json":
        return [(block.char_start, block.char_end) for block in json_blocks(text, json_regions(text, fenced))]
    if by == "paragraph":
        return paragraphs(text, [(fence.char_start, fence.char_end) for fence in fenced])
    return _begun(text, _HEADING if by == "heading" else _ROLE, fenced)


def _begun(text: str, beginning: re.Pattern[str], fenced: list[Fence]) -> list[Span]:
    starts: list[int] = []
    start = 0
    for stop, next_start in [*((fence.char_start, fence.char_end) for fence in fenced), (len(text), len(text))]:
        starts += (match.start() for match in matches(beginning, text, start=start, stop=stop))
        start = next_start
    return list(zip(starts, [*starts[1:], len(text)], strict=True)) if starts else []


def _language(opening: re.Match[str]) -> str:
    words = opening.group(2).split()
    return words[0].lower() if words else ""


_CANDIDATE = re.compile(r"^[ \t]*+([{\[])", re.MULTILINE)
_REST_OF_LINE = re.compile(r"[ \t\r]*+(?:\n|\Z)")
_TOKEN = re.compile(
    r"([ \t\r\n]*+)(?:"
    r'("[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+")'
    r"|(-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null)"
    r"|([{}\[\],:]))"
)
_STRING, _SCALAR = "s", "v"
_VALUE = "sv{["
_FIRST_OF = {"{": "s}", "[": "sv{[]"}
_CLOSING = {"{": "}", "[": "]"}
TOKENS_BETWEEN_CHECKS = 8192


class JsonBlock(NamedTuple):
    """An object or array on lines of its own. ``gaps``: whitespace between its tokens, sorted."""

    char_start: int
    char_end: int
    gaps: tuple[tuple[int, int], ...]


def json_blocks(text: str, regions: Iterable[tuple[int, int]], watch: Watch | None = None) -> list[JsonBlock]:
    """Return the JSON blocks that begin at the start of a line, possibly indented, and end at the end of a line.

    ``regions``: spans to search, sorted. Invalid JSON is skipped up to its first error.
    """
    found = []
    for start, end in regions:
        offset = start
        while (candidate := first_match(_CANDIDATE, text, offset, end)) is not None:
            offset, block = _scanned(text, candidate.start(1), end, watch)
            if block is not None and _REST_OF_LINE.match(text, offset, end):
                found.append(block)
    return found


def _scanned(text: str, start: int, end: int, watch: Watch | None) -> tuple[int, JsonBlock | None]:
    """Return the offset up to which the text is JSON, and the block if it is complete."""
    gaps: list[tuple[int, int]] = []
    open_brackets: list[str] = []
    offset, expected, is_name, count = start, "{[", False, 0
    match = _TOKEN.match
    while (token := match(text, offset, end)) is not None:
        count += 1
        if watch is not None and count % TOKENS_BETWEEN_CHECKS == 0:
            watch.look()
        group = token.lastindex
        kind = _STRING if group == 2 else _SCALAR if group == 3 else token.group(4)
        if kind not in expected:
            break
        gap_end = token.end(1)
        if gap_end > offset:
            gaps.append((offset, gap_end))
        offset = token.end()
        if kind in "{[":
            open_brackets.append(kind)
            expected, is_name = _FIRST_OF[kind], kind == "{"
            continue
        if kind in "}]":
            open_brackets.pop()
            is_name = False
            if not open_brackets:
                return offset, JsonBlock(start, offset, tuple(gaps) if count > 2 else ())
        elif kind == ",":
            is_name = open_brackets[-1] == "{"
            expected = _STRING if is_name else _VALUE
            continue
        elif kind == ":":
            expected, is_name = _VALUE, False
            continue
        expected = ":" if is_name else "," + _CLOSING[open_brackets[-1]]
        is_name = False
    return max(offset, start + 1), None


# --- tokens of lines and sections -------------------------------------------------------------------------------------

FIRST_LEADING = -64
"""UTF-8 continuation bytes are 0x80 to 0xBF: -128 to -65 as signed bytes."""
MAX_PARTS = 200
BEGINNING_BYTES = 240


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The consecutive parts of a text and their tokens. The parts cover the whole text.

    ``byte_starts``, ``byte_ends``, ``tokens``: read-only int64[n]. A token that crosses a boundary belongs to the part
    in which it starts, so the tokens of the parts add up to ``total``. ``between``: read-only bool[n], True for text
    between the requested sections; always False for lines.
    """

    byte_starts: NDArray[np.int64]
    byte_ends: NDArray[np.int64]
    tokens: NDArray[np.int64]
    between: NDArray[np.bool_]
    total: int

    def share(self, number: int) -> float:
        """Return the share of part ``number`` in all tokens, 0 to 1; 0 for an empty text."""
        return int(self.tokens[number]) / self.total if self.total else 0.0

    def largest(self, most: int) -> list[int]:
        """Return the numbers of at most ``most`` parts with the most tokens; ties in text order."""
        numbers: list[int] = np.argsort(-self.tokens, kind="stable")[:most].tolist()
        return numbers


@dataclass(frozen=True, slots=True)
class RankedPart:
    """A line or section: the number of its first line (from 1), its UTF-16 span, its tokens, its visible beginning."""

    line: int
    utf16_start: int
    utf16_end: int
    tokens: int
    beginning: str


def utf8(text: str) -> bytes:
    """Return the UTF-8 that the engine counts, with lone surrogates replaced."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode("utf-8")


def byte_offsets(text: str, char_offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[n]: byte offsets of character offsets. An offset inside a surrogate pair maps to the end of the pair."""
    if text.isascii():
        return char_offsets
    content = np.frombuffer(utf8(text), np.int8)
    starts = np.append(np.flatnonzero(content >= FIRST_LEADING), len(content))
    if len(starts) == len(text) + 1:
        return starts[char_offsets]
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    second_of_pair = np.zeros(len(points) + 1, dtype=np.int64)
    second_of_pair[2:] = (points[:-1] >> 10 == 0xD800 >> 10) & (points[1:] >> 10 == 0xDC00 >> 10)
    return starts[(np.arange(len(points) + 1) - np.cumsum(second_of_pair))[char_offsets]]


def utf16_offsets(content: bytes, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[n]: UTF-16 offsets of byte offsets at character boundaries of UTF-8 ``content``."""
    bytes_ = np.frombuffer(content, np.uint8)
    units = np.zeros(len(bytes_) + 1, dtype=np.int64)

    def sizes(start: int, stop: int) -> NDArray[np.int8]:
        # Any byte outside 0x80 to 0xBF begins a character; from 0xF0 on, the character takes two units.
        some = bytes_[start:stop]
        widths: NDArray[np.int8] = ((some & 0xC0) != 0x80).astype(np.int8) + (some >= 0xF0)
        return widths

    running_sums_of(len(bytes_), sizes, units[1:])
    return units[offsets]


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
    offsets = byte_offsets(text, np.append(ends, len(text)))
    starts, size = offsets[:-1:2], int(offsets[-1])
    return _ranking(np.unique(offsets), size, starts, token_byte_ends)


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


def ranked_parts(text: str, ranking: Ranking) -> tuple[RankedPart, ...]:
    """Return the heaviest parts that have tokens, without text between sections."""
    content = utf8(text)
    order = ranking.largest(len(ranking.tokens))
    numbers = list(islice((one for one in order if not ranking.between[one] and ranking.tokens[one]), MAX_PARTS))
    starts, ends = ranking.byte_starts[numbers], ranking.byte_ends[numbers]
    feeds = np.flatnonzero(np.frombuffer(content, np.uint8) == ord("\n"))
    lines = (feeds.searchsorted(starts) + 1).tolist()
    from_, to = utf16_offsets(content, starts).tolist(), utf16_offsets(content, ends).tolist()
    return tuple(
        RankedPart(lines[row], from_[row], to[row], int(ranking.tokens[number]), _beginning(content, ranking, number))
        for row, number in enumerate(numbers)
    )


def _beginning(content: bytes, ranking: Ranking, number: int) -> str:
    start, end = int(ranking.byte_starts[number]), int(ranking.byte_ends[number])
    return visible_text(content[start : min(end, start + BEGINNING_BYTES)].decode("utf-8", "ignore"))
