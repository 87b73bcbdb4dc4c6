"""JSON in a text, told token by token (RFC 8259), so that only white space between tokens is ever touched.

Nothing is parsed into values: 1.0, 1e400, long integers and names that occur twice stay as they are written. The
scanner keeps its own stack, as deep nesting is no error, and never looks at the same place twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from gui.core.savings.matching import first_match
from gui.core.savings.watch import Watch

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
    """An object or array that has its lines for itself. ``gaps``: the white space between its tokens, in order."""

    char_start: int
    char_end: int
    gaps: tuple[tuple[int, int], ...]


def json_blocks(text: str, regions: Iterable[tuple[int, int]], watch: Watch | None = None) -> list[JsonBlock]:
    """The blocks that begin at the beginning of a line, at most indented, and end at the end of one.

    ``regions``: where to look, in order. What is no JSON is passed over up to where that shows.
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
    """How far it is JSON, and the block if it is one."""
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
