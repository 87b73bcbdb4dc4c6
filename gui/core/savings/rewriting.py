"""Text that can be written in a cheaper way, and reads a little differently then: lists of JSON, and capitals."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from gui.core.savings.json_blocks import JsonBlock
from gui.core.savings.matching import matches
from gui.core.savings.searched_text import Prompt
from gui.core.savings.types import Edit

if TYPE_CHECKING:
    import regex

LONGEST_BLOCK = 1 << 20
"""Characters. To read a longer list keeps every other thread waiting for too long."""
FEWEST_ROWS = 2
FEWEST_CAPITALS = 8
"""Letters. Fewer are often abbreviations that stand side by side."""
_FENCE_WORDS = ("json", "jsonl", "ndjson")
_ALONE = re.compile(r"\bi\b")
_OPENING = " \t*_\"'“‘("
_LOOKED_BACK = 64


def json_as_csv(prompt: Prompt) -> list[Edit]:
    """Lists of objects that have the same names and no values of several parts, and lines of such objects.

    Numbers stay as they are written. A fence that says that it holds JSON says CSV then.
    """
    edits = []
    for start, end, rows in _lists(prompt):
        table = _table(prompt, rows)
        if table is None:
            continue
        edits += _renamed_fence(prompt, start, end)
        edits.append(Edit(start, end, table))
    return edits


def _lists(prompt: Prompt) -> Iterator[tuple[int, int, list[Any]]]:
    """Where lists are, and their values; objects on lines that follow each other are one."""
    text = prompt.text
    lines: list[Any] = []
    start = end = 0
    for block in prompt.watch.over(prompt.json_blocks):
        value = _read(text, block)
        if isinstance(value, list):
            yield block.char_start, block.char_end, value
        elif isinstance(value, _Object):
            if lines and text[end : block.char_start] in ("\n", "\r\n"):
                lines.append(value)
            else:
                if len(lines) >= FEWEST_ROWS:
                    yield start, end, lines
                lines, start = [value], block.char_start
            end = block.char_end
    if len(lines) >= FEWEST_ROWS:
        yield start, end, lines


class _Object(dict[str, Any]):
    """An object all of whose names differ."""


class _Literal(str):
    """A number as it is written, ``true`` or ``false``."""


def _read(text: str, block: JsonBlock) -> Any:
    if block.char_end - block.char_start > LONGEST_BLOCK:
        return None
    try:
        return json.loads(
            text[block.char_start : block.char_end],
            object_pairs_hook=_object,
            parse_int=_Literal,
            parse_float=_Literal,
        )
    except (ValueError, RecursionError):
        return None


def _object(pairs: list[tuple[str, Any]]) -> Any:
    made = _Object(pairs)
    return made if len(made) == len(pairs) else None


def _table(prompt: Prompt, rows: list[Any]) -> str | None:
    """Rows as CSV, with the names first; None where they are not like each other."""
    if len(rows) < FEWEST_ROWS or not isinstance(rows[0], _Object) or not rows[0]:
        return None
    names = list(rows[0])
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(names)
    for row in prompt.watch.over(rows):
        if not isinstance(row, _Object) or row.keys() != rows[0].keys():
            return None
        cells = [_cell(row[name]) for name in names]
        if None in cells:
            return None
        writer.writerow(cells)
    return buffer.getvalue().removesuffix("\n")


def _cell(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    return value if isinstance(value, str) else None


def _renamed_fence(prompt: Prompt, start: int, end: int) -> list[Edit]:
    text = prompt.text
    for fence in prompt.fences:
        if fence.body_start <= start and end <= fence.body_end:
            whole = not text[fence.body_start : start].strip() and not text[end : fence.body_end].strip()
            place = text.find(fence.language, fence.char_start, fence.body_start) if whole else -1
            if fence.language in _FENCE_WORDS and place >= 0:
                return [Edit(place, place + len(fence.language), "csv")]
    return []


def capitals(prompt: Prompt) -> list[Edit]:
    """Words in capitals that follow each other, as in a sentence. A word by itself may be an abbreviation."""
    text, edits = prompt.text, []
    for match in prompt.watch.over(matches(_capitals(), text)):  # type: ignore[arg-type]
        if sum(map(str.isalpha, match.group())) < FEWEST_CAPITALS:
            continue
        before = text[max(0, match.start() - _LOOKED_BACK) : match.start()].rstrip(_OPENING)[-1:]
        words = match.group().lower()
        if before in ("", "\n", ".", "!", "?", ":", "#", "-"):
            words = words[:1].upper() + words[1:]
        words = _ALONE.sub("I", words)
        if words != match.group():
            edits.append(Edit(*match.span(), words))
    return prompt.in_prose(edits)


@cache
def _capitals() -> regex.Pattern[str]:
    """Two words or more in capitals; not in the middle of a name such as MAX_SIZE, and not in code."""
    import regex

    word = r"\p{Lu}[\p{Lu}'’]*+"
    return regex.compile(rf"(?<![\w`$<{{/.\-]){word}(?:[ ,;]++{word})++(?![\w`>}}/])")
