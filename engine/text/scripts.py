"""Scripts of the lines of a text: the part of language detection that needs no dictionary."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.runtime.cancellation import check_cancelled
from engine.text import code_point_sets
from engine.text.character_classes import N_CODE_POINTS
from engine.text.offsets import running_sums

JAPANESE = "Japanese"
"""Lines with kana; most of their letters may be Han characters."""

NO_LETTERS = "no letters"

_KANA = ("Hiragana", "Katakana")
_SCRIPTS = (
    *("Latin", "Cyrillic", "Greek", "Armenian", "Georgian", "Hebrew", "Arabic", "Ethiopic"),
    *("Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala"),
    *("Thai", "Lao", "Khmer", "Myanmar", "Tibetan", "Mongolian", "Hangul", "Han"),
)
NAMED_SCRIPTS = (*_KANA, *_SCRIPTS)
"""Scripts that are distinguished, by their Unicode names."""

SCRIPT_NAMES = (NO_LETTERS, JAPANESE, *_SCRIPTS, "other scripts")
"""Possible results for a line of text."""
_GROUPS_A_TIME = 1 << 13
_POINTS_A_TIME = 1 << 18
"""Characters counted at a time: for a text of millions of lines, the counts of all would not fit in memory."""

_FEWEST_KANA = 0.1
"""Minimum share of kana among the Han characters and kana of a Japanese text."""


def lines_by_script(text: str) -> dict[str, str]:
    """Return, for each script, the text of the lines (with their ends) in which most letters are of that script."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    starts = np.concatenate([[0], np.flatnonzero(points == 0x0A) + 1])
    starts = starts[starts < len(points)]
    if len(starts) == 0:
        return {}
    ends = np.append(starts[1:], len(points))
    chosen = scripts_of(points, lines_of(ends), len(starts))
    found: dict[str, str] = {}
    for number in np.unique(chosen).tolist():
        lines = np.flatnonzero(chosen == number)
        spans = zip(starts[lines].tolist(), ends[lines].tolist(), strict=True)
        found[SCRIPT_NAMES[number]] = "".join([text[start:end] for start, end in spans])
    return found


def lines_of(ends: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
    """Return int32[ends[-1]]: the line number of each character. ``ends``: the offset after each line; no empty
    line."""
    begins = np.zeros(int(ends[-1]), dtype=np.int8)
    begins[ends[:-1]] = 1
    return running_sums(begins, np.empty(len(begins), dtype=np.int32))


def scripts_of(points: NDArray[np.uint32], groups: NDArray[np.integer[Any]], n_groups: int) -> NDArray[np.int64]:
    """Return int64[n_groups]: the index in ``SCRIPT_NAMES`` of the script of most letters of each group.

    ``points``: uint32[m], code points; ``groups``: int32 or int64[m], the group of each, ascending. The first call in a
    process takes about a second.
    """
    chosen = np.empty(n_groups, dtype=np.int64)
    firsts = np.arange(0, n_groups, _GROUPS_A_TIME, dtype=groups.dtype)
    starts = [*groups.searchsorted(firsts).tolist(), len(groups)]
    for first, start, stop in zip(firsts.tolist(), starts, starts[1:], strict=False):
        some = min(n_groups - first, _GROUPS_A_TIME)
        cells = np.zeros(some * len(SCRIPT_NAMES), dtype=np.int64)
        for at in range(start, stop, _POINTS_A_TIME):
            end = min(stop, at + _POINTS_A_TIME)
            places = (groups[at:end] - first) * len(SCRIPT_NAMES) + _table()[points[at:end]]
            cells += np.bincount(places, minlength=len(cells))
        chosen[first : first + some] = _most_frequent(cells.reshape(some, len(SCRIPT_NAMES)))
    return chosen


def _most_frequent(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return int64[n]: the script of each line, given its letters per script (int64[n, scripts])."""
    letters = counts.copy()
    letters[:, 0] = 0  # non-letters decide only if there are no letters
    kana, han = letters[:, 1], letters[:, SCRIPT_NAMES.index("Han")]
    is_japanese = (kana > 0) & (kana >= _FEWEST_KANA * (kana + han))
    letters[is_japanese, 1] += han[is_japanese]
    letters[is_japanese, SCRIPT_NAMES.index("Han")] = 0
    chosen: NDArray[np.int64] = np.argmax(letters, axis=1)
    return chosen


@functools.cache
def _table() -> NDArray[np.uint8]:
    """Return uint8[1114112]: the script of every letter, 0 for non-letters."""
    table = np.zeros(N_CODE_POINTS, dtype=np.uint8)
    _fill(table, r"\p{L}", len(SCRIPT_NAMES) - 1)
    for number, name in enumerate(SCRIPT_NAMES[2:-1], 2):
        _fill(table, rf"\p{{{name}}}", number)
    for name in _KANA:
        _fill(table, rf"\p{{{name}}}", 1)
    table.flags.writeable = False
    return table


def _fill(table: NDArray[np.uint8], pattern: str, number: int) -> None:
    check_cancelled()
    edges = code_point_sets.asked(pattern).edges
    for first, stop in zip(edges[::2], edges[1::2], strict=True):
        table[first:stop] = number
