"""Structure of a text: lines, sections, fenced code and JSON, found in bounded steps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from engine.runtime.cancellation import interruptible
from gui.core.savings.types import Edit, SectionKind, Watch, apart_from

STRETCH = 1 << 17
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
    for first, behind in interruptible(stretches(text, cut, start, len(text) if stop is None else stop), every=1):
        yield from pattern.finditer(text, first, behind)


def first_match(pattern: re.Pattern[str], text: str, start: int, stop: int) -> re.Match[str] | None:
    """Like ``pattern.search(text, start, stop)``, for a pattern that looks at one line only.

    Searches the whole lines of one chunk first. Otherwise each search for a nearby match would first find the end of a
    long line after it; that would take minutes in total.
    """
    behind = text.rfind("\n", start, min(start + STRETCH, stop)) + 1
    if behind and (found := pattern.search(text, start, behind)) is not None:
        return found
    return next(matches(pattern, text, start=behind or start, stop=stop), None)


def stretches(text: str, cut: re.Pattern[str], start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each chunk."""
    while start < stop:
        found = cut.search(text, min(start + STRETCH, stop), stop)
        end = stop if found is None else found.end()
        yield start, end
        start = end


Span = tuple[int, int]

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
    regions, place = [], 0
    for fence in fenced:
        regions.append((place, fence.char_start))
        if fence.language in _JSON_LANGUAGES:
            regions.append((fence.body_start, fence.body_end))
        place = fence.char_end
    return [*regions, (place, len(text))]


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
    place = 0
    for stop, go_on in [*((fence.char_start, fence.char_end) for fence in fenced), (len(text), len(text))]:
        starts += (match.start() for match in matches(beginning, text, start=place, stop=stop))
        place = go_on
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
        place = start
        while (candidate := first_match(_CANDIDATE, text, place, end)) is not None:
            place, block = _scanned(text, candidate.start(1), end, watch)
            if block is not None and _REST_OF_LINE.match(text, place, end):
                found.append(block)
    return found


def _scanned(text: str, start: int, end: int, watch: Watch | None) -> tuple[int, JsonBlock | None]:
    """Return the offset up to which the text is JSON, and the block if it is complete."""
    gaps: list[tuple[int, int]] = []
    open_brackets: list[str] = []
    place, expected, is_name, count = start, "{[", False, 0
    match = _TOKEN.match
    while (token := match(text, place, end)) is not None:
        count += 1
        if watch is not None and count % TOKENS_BETWEEN_CHECKS == 0:
            watch.look()
        group = token.lastindex
        kind = _STRING if group == 2 else _SCALAR if group == 3 else token.group(4)
        if kind not in expected:
            break
        gap_end = token.end(1)
        if gap_end > place:
            gaps.append((place, gap_end))
        place = token.end()
        if kind in "{[":
            open_brackets.append(kind)
            expected, is_name = _FIRST_OF[kind], kind == "{"
            continue
        if kind in "}]":
            open_brackets.pop()
            is_name = False
            if not open_brackets:
                return place, JsonBlock(start, place, tuple(gaps) if count > 2 else ())
        elif kind == ",":
            is_name = open_brackets[-1] == "{"
            expected = _STRING if is_name else _VALUE
            continue
        elif kind == ":":
            expected, is_name = _VALUE, False
            continue
        expected = ":" if is_name else "," + _CLOSING[open_brackets[-1]]
        is_name = False
    return max(place, start + 1), None


class Prompt:
    """A text and the watch of its search. Its structure is found once and cached."""

    def __init__(self, text: str, watch: Watch) -> None:
        self.text, self.watch = text, watch

    @cached_property
    def fences(self) -> list[Fence]:
        """Fenced code blocks."""
        return fences(self.text)

    @cached_property
    def fence_spans(self) -> list[Span]:
        """Spans of the fenced code blocks, in characters."""
        return [(fence.char_start, fence.char_end) for fence in self.fences]

    @cached_property
    def json_blocks(self) -> list[JsonBlock]:
        """JSON objects and arrays. Raises OutOfTime."""
        return json_blocks(self.text, json_regions(self.text, self.fences), self.watch)

    @cached_property
    def solid_spans(self) -> list[Span]:
        """Spans that are not prose: fenced code and JSON."""
        return united([*self.fence_spans, *((block.char_start, block.char_end) for block in self.json_blocks)])

    def in_prose(self, edits: list[Edit]) -> list[Edit]:
        """Return the edits that touch neither fenced code nor JSON."""
        return apart_from(edits, self.solid_spans)
