"""The few parts of a text that are shown: those with the most tokens, and what edits do to their surroundings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from engine.still_wanted import while_wanted
from engine.utf16_text import utf16_length
from gui.core.savings.byte_places import utf8, utf16_places
from gui.core.savings.types import Edit, Ranking
from gui.core.text_runs import ADDED, REMOVED, Run, Runs
from gui.core.token_text import visible_text

MOST_PARTS = 200
MOST_EDITS = 200
BEGINNING_BYTES = 240
AROUND = 16
LONGEST_SHOWN = 60
"""Characters of the text that are shown around an edit, and of what it replaces or puts there."""


@dataclass(frozen=True, slots=True)
class RankedPart:
    """A line or section: the number of its first line from 1, where it is, its tokens, and how it begins, in signs
    that can be seen."""

    line: int
    utf16_start: int
    utf16_end: int
    tokens: int
    beginning: str


@dataclass(frozen=True, slots=True)
class Preview:
    """What an edit does: on which line, from 1, where, and what goes and comes there amid its surroundings, in signs
    that can be seen."""

    line: int
    utf16_start: int
    utf16_end: int
    change: Runs


def ranked_parts(text: str, ranking: Ranking) -> tuple[RankedPart, ...]:
    """The largest parts that have a token; not what stands between sections."""
    content = utf8(text)
    order = ranking.largest(len(ranking.tokens))
    wanted = islice((number for number in order if not ranking.between[number] and ranking.tokens[number]), MOST_PARTS)
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
    """The first edits."""
    made, line, place, utf16 = [], 1, 0, 0
    for edit in while_wanted(edits[:MOST_EDITS], every=1):
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
    """A stretch of a text with its middle left out where it is long."""
    if end - start <= LONGEST_SHOWN:
        return visible_text(text[start:end])
    half = LONGEST_SHOWN // 2
    return f"{visible_text(text[start : start + half])} … {visible_text(text[end - half : end])}"
