"""Where the sections of a text begin and end. All places are Python characters; every search is linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from gui.core.savings.json_blocks import json_blocks
from gui.core.savings.matching import BEFORE_WORDS, matches
from gui.core.savings.types import SectionKind

Span = tuple[int, int]

_FENCE = re.compile(r"^ {0,3}(`{3,}+|~{3,}+)([^\n]*+)\n?", re.MULTILINE)
_HEADING = re.compile(r"^ {0,3}#{1,6}(?=[ \t\r\n]|\Z)", re.MULTILINE)
_BLANK_LINES = re.compile(r"^(?:[ \t]*+\r?\n)+", re.MULTILINE)
_ROLE = re.compile(
    r"<\|im_start\|>|<\|start\|>|<\|start_header_id\|>|<｜(?:User|Assistant)｜>|\[INST\]"
    r"|^(?:\*\*|#{1,6} )?(?:system|developer|user|human|assistant|ai|tool|function)(?:\*\*)?:",
    re.MULTILINE | re.IGNORECASE,
)
"""How chat templates (ChatML, Harmony, Llama 3, DeepSeek, Llama 2) and people who write transcripts begin a message."""

_JSON_LANGUAGES = ("", "json", "jsonl", "ndjson")


class Fence(NamedTuple):
    """A fenced code block (CommonMark 0.31, section 4.5), its fences included; ``language``: of its info string, in
    lower case."""

    char_start: int
    body_start: int
    body_end: int
    char_end: int
    language: str


def fences(text: str) -> list[Fence]:
    """The fenced code blocks. One that nobody closes goes on to the end of the text."""
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
    """Where JSON is looked for: outside fences, and in those that say that they hold JSON, or nothing."""
    regions, place = [], 0
    for fence in fenced:
        regions.append((place, fence.char_start))
        if fence.language in _JSON_LANGUAGES:
            regions.append((fence.body_start, fence.body_end))
        place = fence.char_end
    return [*regions, (place, len(text))]


def united(spans: Iterable[Span]) -> list[Span]:
    """Spans that overlap made one; in order."""
    result: list[Span] = []
    for start, end in sorted(spans):
        if result and start < result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def paragraphs(text: str, solid: Iterable[Span]) -> list[Span]:
    """What stands between blank lines. Blank lines inside of ``solid`` spans, which are in order, part nothing."""
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
    """The sections of a kind, in order, not overlapping.

    A section that a heading or a role begins goes on to the next of any level; those in fenced code begin none.
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
